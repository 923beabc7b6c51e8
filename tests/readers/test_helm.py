from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import headline_metric, metrics, systems, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.describe import describe
from aliquot.readers.helm import HelmReader
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.readers.mutations import JUNK, ends_well, places
from tests.shared import FOLDER, shared

TYPOS = {"name": "typos", "robustness": True, "fairness": False, "computed_on": "perturbed", "prob": 0.05}
BLOCKED: dict[str, Any] = {
    "success": False,
    "completions": [{"text": ""}],
    "error": "Content blocked by OpenAI filter",
}
LOST: dict[str, Any] = {"success": False, "completions": [{"text": ""}], "error": "Request timed out\nat x"}


def _stat(name: str, value: float | None, **of: Any) -> dict[str, Any]:
    if value is None:
        return {"name": {"name": name, "split": "test", **of}, "count": 0, "sum": 0}
    return {
        "name": {"name": name, "split": "test", **of},
        "count": 1,
        "sum": value,
        "mean": value,
        "stddev": 0,
    }


def _values(item: str, trial: int = 0, *, split: str = "test", **values: float | None) -> dict[str, Any]:
    stats = [_stat(name, value, split=split) for name, value in values.items()]
    return {"instance_id": item, "train_trial_index": trial, "stats": stats}


def _request(item: str, trial: int = 0, *, answer: str = "4", **more: Any) -> dict[str, Any]:
    references = [{"output": {"text": text}, "tags": tags} for text, tags in (("4", ["correct"]), ("5", []))]
    instance = {
        "id": item,
        "input": {"text": f"Two and two ({item})?"},
        "references": references,
        "split": "test",
    }
    result = {"success": True, "completions": [{"text": answer}], "cached": False, "request_time": 2.5,
              "request_datetime": 1700000000}  # fmt: skip
    return {
        "instance": instance | more.pop("instance", {}),
        "train_trial_index": trial,
        "result": result | more,
    }


def _write(
    folder: Path,
    values: list[dict[str, Any]],
    requests: list[dict[str, Any]] | None = None,
    *,
    name: str = "toy:subject=sums,model=org_m",
    stats: list[dict[str, Any]] | None = None,
    **spec: Any,
) -> Path:
    run = folder / name
    run.mkdir(parents=True)
    adapter = {"model": "org/m", "temperature": 0.0, "instructions": "Add.", "max_train_instances": 2}
    known = {"name": name, "adapter_spec": adapter, "metric_specs": [], "groups": ["toy"]} | spec
    (run / "run_spec.json").write_text(json.dumps(known))
    (run / "per_instance_stats.json").write_text(json.dumps(values))
    (run / "stats.json").write_text(json.dumps(stats or []))
    if requests is not None:
        (run / "scenario_state.json").write_text(
            json.dumps({"adapter_spec": adapter, "request_states": requests})
        )
    return run


def _notes(evidence: Evidence) -> dict[str, str]:
    return {note.code: note.text for note in evidence.notes}


def test_classes_of_metrics_are_merged_and_requests_described(tmp_path: Path) -> None:
    values = [
        _values("id1", num_prompt_tokens=20, num_output_tokens=3, inference_runtime=2.5, exact_match=1),
        _values("id2", num_prompt_tokens=21, num_output_tokens=4, inference_runtime=0.5, exact_match=0),
        _values("id1", rouge_2=0.25),
        _values("id2", rouge_2=None),  # HELM leaves out what is NaN, or counts it 0 times
    ]
    run = _write(tmp_path, values, [_request("id1"), _request("id2", answer="5")])
    evidence = read_one(run)
    assert find_reader(run).name == "helm"
    assert (systems(evidence), tasks(evidence)) == (("org/m",), ("toy:subject=sums",))
    assert metrics(evidence, "toy:subject=sums") == ("exact_match", "rouge_2")
    rows = evidence.outcomes.select("item", "metric", "value", "status").rows()
    assert rows == [
        ("id1", "exact_match", 1.0, "ok"),
        ("id1", "rouge_2", 0.25, "ok"),
        ("id2", "exact_match", 0.0, "ok"),
        ("id2", "rouge_2", None, "missing"),
    ]
    facts = evidence.responses.select("status", "latency_s", "tokens_in", "tokens_out", "started").row(0)
    assert facts == ("ok", 2.5, 20, 3, "2023-11-14T22:13:20+00:00")
    assert evidence.texts is not None
    assert evidence.texts.inputs("toy:subject=sums", "id1") == "Two and two (id1)?\n- 4\n- 5"
    assert evidence.texts.reference("toy:subject=sums", "id1") == "4"
    assert evidence.texts.response("org/m", "toy:subject=sums", "id2", 1) == "5"
    assert "3 statistics of the requests are no metrics" in _notes(evidence)["not_metrics"]


def test_an_api_error_is_not_an_empty_answer(tmp_path: Path) -> None:
    """HELM scores an empty completion in all four cases; two of them are the system's doing."""
    values = [_values(f"id{k}", exact_match=float(k == 0)) for k in range(4)]
    requests = [
        _request("id0"),
        _request("id1", **LOST),
        _request("id2", **BLOCKED),
        _request("id3", answer=""),
    ]
    evidence = read_one(_write(tmp_path, values, requests))
    assert evidence.responses.select("status", "reason").rows() == [
        ("ok", None),
        ("error", "Request timed out"),
        ("refused", "Content blocked by OpenAI filter"),
        ("failed", "empty answer"),
    ]
    assert evidence.outcomes["value"].to_list() == [1.0, None, 0.0, 0.0]
    assert "1 requests failed" in _notes(evidence)["no_answers"]
    frame = units(evidence, "org/m", task="toy:subject=sums", metric="exact_match").frame
    assert frame["mean"].mean() == pytest.approx(1 / 3)  # HELM prints 1/4


def test_trials_are_attempts(tmp_path: Path) -> None:
    values = [_values("id1", trial, exact_match=value) for trial, value in enumerate((1, 0, 1))]
    evidence = read_one(_write(tmp_path, values, [_request("id1", trial) for trial in range(3)]))
    assert evidence.outcomes["attempt"].to_list() == [1, 2, 3]
    assert (
        units(evidence, "org/m", task="toy:subject=sums", metric="exact_match").frame["mean"].item() == 2 / 3
    )


def test_changed_copies_are_items_clustered_by_their_instance(tmp_path: Path) -> None:
    values = [
        *(_values(f"id{k}", exact_match=1) for k in range(3)),
        *(_values(f"id{k}", exact_match=0) | {"perturbation": TYPOS} for k in range(3)),
    ]
    requests = [
        _request(f"id{k}", instance={"perturbation": change, "input": {"text": f"two {change} {k}"}})
        for change in (None, TYPOS)
        for k in range(3)
    ]
    worst = TYPOS | {"computed_on": "worst"}
    stats = [_stat("exact_match", 1), _stat("exact_match", 0, perturbation=TYPOS),
             _stat("exact_match", 0, perturbation=worst)]  # fmt: skip
    evidence = read_one(_write(tmp_path, values, requests, stats=stats))
    assert evidence.items["item"].to_list()[2:4] == ["id2", "id0 [typos,prob=0.05]"]
    assert evidence.items["cluster"].to_list() == ["id0", "id1", "id2"] * 2
    assert evidence.items["segment.perturbation"].to_list() == ["none"] * 3 + ["typos,prob=0.05"] * 3
    assert evidence.items["content"].n_unique() == 6
    printed = evidence.reported.filter(pl.col("statistic").str.starts_with("mean")).select(
        "statistic", "value"
    )
    assert printed.rows() == [("mean, perturbation=none", 1.0), ("mean, perturbation=typos,prob=0.05", 0.0)]
    assert "3 rows are of changed copies" in _notes(evidence)["perturbed_copies"]


def test_the_split_of_helms_tables_is_the_first_task(tmp_path: Path) -> None:
    values = [_values("id1", split="valid", exact_match=1), _values("id2", exact_match=0)]
    suite = _write(tmp_path, values).parent
    assert tasks(read_one(suite)) == ("toy:subject=sums", "toy:subject=sums [valid]")
    schema = {
        "run_groups": [{"name": "toy", "environment": {"main_name": "f1_score", "main_split": "valid"}}]
    }
    (suite / "schema.json").write_text(json.dumps(schema))
    assert tasks(read_one(suite)) == ("toy:subject=sums", "toy:subject=sums [test]")


def test_the_schema_names_the_headline_and_the_directions(tmp_path: Path) -> None:
    run = _write(tmp_path, [_values("id1", exact_match=1, f1_score=0.5, distance=3, num_references=1)])
    assert headline_metric(read_one(run), "toy:subject=sums") == "exact_match"
    schema = {
        "metrics": [{"name": "distance", "lower_is_better": True}, {"name": "num_references"}],
        "run_groups": [{"name": "other"}, {"name": "toy", "environment": {"main_name": "f1_score"}}],
    }
    (run.parent / "schema.json").write_text(json.dumps(schema))
    evidence = read_one(run)
    assert headline_metric(evidence, "toy:subject=sums") == "f1_score"
    assert evidence.metrics.select("metric", "better", "headline").rows() == [
        ("f1_score", "higher", True),
        ("exact_match", "higher", False),
        ("distance", "lower", False),
    ]


@pytest.mark.parametrize(
    ("annotator", "judge"), [("WildBenchAnnotator", "WildBenchAnnotator"), ("BirdSQLAnnotator", None)]
)
def test_metrics_of_annotators_that_ask_a_model_name_the_judge(
    tmp_path: Path, annotator: str, judge: str | None
) -> None:
    spec = [{"class_name": f"helm.benchmark.annotation.{annotator}", "args": {}}]
    evidence = read_one(_write(tmp_path, [_values("id1", score=7, exact_match=1)], annotators=spec))
    by_metric = dict(evidence.metrics.select("metric", "judge").rows())
    assert by_metric == {"exact_match": None, "score": judge}
    by = evidence.outcomes.filter(pl.col("metric") == "score")["by"].item()
    assert by == ("judge" if judge else "rule")


def test_without_the_requests_the_viewers_files_hold_the_texts(tmp_path: Path) -> None:
    run = _write(tmp_path, [_values("id1", exact_match=1)])
    instance = {"id": "id1", "input": "What?", "references": [{"output": "4", "tags": ["correct"]}]}
    (run / "instances.json").write_text(json.dumps([instance]))
    (run / "display_predictions.json").write_text(
        json.dumps([{"instance_id": "id1", "predicted_text": "four"}])
    )
    evidence = read_one(run)
    assert evidence.texts is not None
    assert evidence.texts.inputs("toy:subject=sums", "id1") == "What?"
    assert evidence.texts.response("org/m", "toy:subject=sums", "id1", 1) == "four"
    assert "cannot be told from a wrong one" in _notes(evidence)["no_requests"]


def test_one_request_for_each_choice_has_no_single_answer(tmp_path: Path) -> None:
    requests = [_request("id1", answer="a"), _request("id1", answer="b", success=False, error="down")]
    evidence = read_one(_write(tmp_path, [_values("id1", exact_match=1)], requests))
    assert evidence.texts is not None
    assert evidence.texts.response("org/m", "toy:subject=sums", "id1", 1) is None
    assert evidence.responses["status"].item() == "error"
    assert "choices_apart" in _notes(evidence)


def test_fields_of_instances_can_be_clusters(tmp_path: Path) -> None:
    requests = [
        _request(f"id{k}", instance={"sub_split": f"p{k // 2}", "extra_data": {"page": k}}) for k in range(4)
    ]
    run = _write(tmp_path, [_values(f"id{k}", exact_match=1) for k in range(4)], requests)
    assert read_one(run, ReadOptions(cluster="sub_split")).items["cluster"].to_list() == [
        "p0",
        "p0",
        "p1",
        "p1",
    ]
    assert read_one(run, ReadOptions(stratum="extra_data.page")).items["stratum"].n_unique() == 4
    with pytest.raises(
        UsageError, match=r"no instance has a field 'page'. Known: sub_split, extra_data.page"
    ):
        read_one(run, ReadOptions(cluster="page"))


def test_what_contradicts_itself_is_one_clear_line(tmp_path: Path) -> None:
    twice = [_values("id1", exact_match=1), _values("id1", exact_match=0)]
    with pytest.raises(InputError, match="instance 'id1' has two values of 'exact_match': 1 and 0"):
        read_one(_write(tmp_path / "a", twice))
    suite = _write(tmp_path / "b", [_values("id1", exact_match=1)]).parent
    _write(tmp_path / "b", [_values("id1", exact_match=1)], name="toy:model=org_m2,subject=sums")
    with pytest.raises(InputError, match="are both of org/m on toy:subject=sums"):
        read_one(suite)
    with pytest.raises(InputError, match="holds no run of HELM"):
        HelmReader().read(tmp_path / "none", ReadOptions())
    with pytest.raises(InputError, match="holds no instance"):
        read_one(_write(tmp_path / "c", []))


def test_a_suite_of_two_systems_takes_no_one_name(tmp_path: Path) -> None:
    suite = _write(tmp_path, [_values("id1", exact_match=1)]).parent
    assert systems(read_one(suite, ReadOptions(name="mine"))) == ("mine",)
    _write(tmp_path, [_values("id1", exact_match=1)], name="toy:model=n", adapter_spec={"model": "org/n"})
    with pytest.raises(UsageError, match="holds 2 systems"):
        read_one(suite, ReadOptions(name="mine"))


def test_every_shared_file_reads_and_the_printed_means_are_those_of_the_rows() -> None:
    suite = shared("logs", "helm", "v1")
    for path in [
        suite,
        *suite.iterdir(),
        *(file for run in suite.iterdir() if run.is_dir() for file in run.iterdir()),
    ]:
        assert find_reader(path).name == "helm", path
    for name, mean in (("a", 25 / 40), ("b", 29 / 40)):  # right answers, counted in per_instance_stats.json
        evidence = read_one(suite / f"toy_add:model=stub_sys-{name}")
        assert describe(evidence).tasks[0].clusters == {"sub_split": 11, "extra_data.passage": 11}
        frame = units(evidence, f"stub/sys-{name}", task="toy_add", metric="exact_match").frame
        assert frame["mean"].mean() == pytest.approx(mean)
        printed = evidence.reported.filter(
            pl.col("metric") == "exact_match", pl.col("statistic").str.starts_with("mean")
        )
        assert printed.height == 11
        for statistic, value in printed.select("statistic", "value").iter_rows():
            group = frame.filter(pl.col("segment.sub_split") == statistic.removeprefix("mean, sub_split="))
            assert group["mean"].mean() == pytest.approx(value, abs=1e-12)


def test_the_two_systems_compare_with_only_the_paths_given() -> None:
    suite = shared("logs", "helm", "v1")
    runs = [suite / f"toy_add:model=stub_sys-{name}" for name in "ab"]
    for found in (compare(suite), compare(*runs), compare(runs[0] / "stats.json", runs[1] / "run_spec.json")):
        assert (found.n_items, found.table and (found.table.broke, found.table.fixed)) == (40, (1, 5))
        assert math.isclose(getattr(found.difference, "point", math.nan), 0.1)


FILES = ("run_spec.json", "per_instance_stats.json", "scenario_state.json", "stats.json", "schema.json")


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), file=st.sampled_from(FILES), junk=JUNK)
def test_any_value_in_any_place_gives_evidence_or_one_error(
    tmp_path_factory: Any, data: Any, file: str, junk: Any
) -> None:
    values = [
        _values("id1", exact_match=1, num_references=1),
        _values("id1", exact_match=0) | {"perturbation": TYPOS},
    ]
    requests = [_request("id1"), _request("id1", instance={"perturbation": TYPOS})]
    stats = [_stat("exact_match", 1), _stat("exact_match", 0, perturbation=TYPOS)]
    run = _write(tmp_path_factory.mktemp("any"), values, requests, stats=stats)
    schema = {
        "metrics": [{"name": "x", "lower_is_better": True}],
        "run_groups": [{"name": "toy", "environment": {}}],
    }
    (run.parent / "schema.json").write_text(json.dumps(schema))
    place = run.parent / file if file == "schema.json" else run / file
    document = json.loads(place.read_text())
    path = data.draw(st.sampled_from(places(document)))
    if path:
        part = document
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = junk
    place.write_text(json.dumps(document if path else junk))
    ends_well(run, reader="helm")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    file=st.sampled_from(FILES[:-1]), place=st.floats(0, 1), cut=st.integers(0, 60),
    splice=st.sampled_from([b"", b"NaN", b"null", b"{}", b'"', b"[[", b"1e999", b"\xff", b'"\\ud800"', b"\x00"]),
)  # fmt: skip
def test_mutated_logs_give_evidence_or_one_clear_line(
    tmp_path_factory: Any, file: str, place: float, cut: int, splice: bytes
) -> None:
    source = FOLDER / "logs" / "helm" / "v1" / "toy_add:model=stub_sys-a"
    if not source.exists():
        pytest.skip("../shared/logs/helm is not on this machine")
    run = tmp_path_factory.mktemp("any") / "run"
    run.mkdir()
    for name in FILES[:-1]:
        data = (source / name).read_bytes()
        start = int(place * len(data))
        (run / name).write_bytes(data[:start] + splice + data[start + cut :] if name == file else data)
    ends_well(run, reader="helm")
