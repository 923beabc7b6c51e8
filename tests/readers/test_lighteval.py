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
from aliquot.evidence.contents import headline_metric, systems, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.lighteval import LightevalReader
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.readers.mutations import ends_well
from tests.shared import FOLDER, shared

STAMP = "2026-01-01T00-00-00.5"
TASK = "toy|2"


def _row(number: int, **metrics: Any) -> dict[str, Any]:
    doc = {"query": f"Which of {number}?", "choices": ["a", "b"], "gold_index": 1, "id": str(number), "task_name": TASK,
           "specific": {"page": f"p{number // 2}"}}  # fmt: skip
    response = {
        "text": ["b"],
        "input_tokens": [1, 2, 3],
        "output_tokens": [[5, 6]],
        "truncated_tokens_count": 0,
    }
    return {"doc": doc, "metric": metrics or {"acc": float(number % 2)}, "model_response": response}


def _old(number: int, **more: Any) -> dict[str, Any]:
    row = {"example": f"Which of {number}?", "instruction": "", "full_prompt": "x", "num_effective_few_shots": 0,
           "predictions": ["b"], "input_tokens": [[1, 2, 3]], "cont_tokens": [[5, 6]], "truncated": [0], "gold": ["b"],
           "choices": ["a", "b"], "gold_index": [1], "metrics": {"acc": float(number % 2)}}  # fmt: skip
    return row | more


def _details(
    out: Path, rows: list[dict[str, Any]], *, model: str = "org/m", task: str = TASK, stamp: str = STAMP
) -> Path:
    folder = out / "details" / model / stamp
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"details_{task}_{stamp}.parquet"
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(path)
    return path


def _results(
    out: Path, numbers: dict[str, Any] | None = None, *, model: str = "org/m", stamp: str = STAMP, **more: Any
) -> Path:
    folder = out / "results" / model
    folder.mkdir(parents=True, exist_ok=True)
    printed = {TASK: {"acc": 0.5, "acc_stderr": 0.25}} if numbers is None else numbers
    general = {"lighteval_sha": "abc", "max_samples": 4, "model_config": {"model_name": model, "dtype": "bf16",
               "generation_parameters": {"temperature": 0.5}}}  # fmt: skip
    document = {"config_general": general, "results": printed, "versions": {TASK: 1}, **more}
    path = folder / f"results_{stamp}.json"
    path.write_text(json.dumps(document))
    return path


def _notes(evidence: Evidence) -> dict[str, str]:
    return {note.code: note.text for note in evidence.notes}


def test_details_find_their_results_and_results_their_details(tmp_path: Path) -> None:
    details, results = _details(tmp_path, [_row(k) for k in range(4)]), _results(tmp_path)
    for path in (tmp_path, details, results, details.parent, results.parent, tmp_path / "details"):
        assert find_reader(path).name == "lighteval"
        evidence = read_one(path)
        assert (systems(evidence), tasks(evidence)) == (("org/m",), (TASK,))
        assert evidence.outcomes.select("item", "value").rows() == [
            ("0", 0.0),
            ("1", 1.0),
            ("2", 0.0),
            ("3", 1.0),
        ]
        assert evidence.reported.select("statistic", "value").rows() == [("value", 0.5), ("stderr", 0.25)]
        assert dict(evidence.settings.select("name", "value").rows()) == {
            "model": "org/m", "harness": "lighteval abc", "model.dtype": "bf16", "decoding.temperature": "0.5",
            "limit": "4", f"task_version.{TASK}": "1", f"shots.{TASK}": "2",
        }  # fmt: skip
    assert evidence.responses.select("tokens_in", "tokens_out").row(0) == (3, 2)
    assert evidence.texts is not None
    assert evidence.texts.inputs(TASK, "0") == "Which of 0?\n- a\n- b"
    assert (evidence.texts.reference(TASK, "0"), evidence.texts.response("org/m", TASK, "0", 1)) == ("b", "b")


def test_the_hubs_layout_names_the_model_in_its_folder(tmp_path: Path) -> None:
    source = _details(tmp_path / "x", [_row(0)])
    folder = tmp_path / "details_org__m_private" / STAMP
    folder.mkdir(parents=True)
    path = folder / "details_toy_2_2026-01-01T00-00-00.5.parquet"  # a file system without bars
    path.write_bytes(source.read_bytes())
    evidence = read_one(path)
    assert (systems(evidence), tasks(evidence)) == (("org/m",), (TASK,))
    assert systems(read_one(path, ReadOptions(name="mine"))) == ("mine",)


def test_rows_of_before_0_10_read_to_the_same_items_also_written_as_text(tmp_path: Path) -> None:
    task, rows = "leaderboard|toy|2|0", [_old(k) for k in range(3)]
    texts = [
        row
        | {name: repr(row[name]) for name in ("metrics", "choices", "gold", "predictions", "input_tokens")}
        for row in rows
    ]
    both = [
        read_one(_details(tmp_path / name, made, task=task)) for name, made in (("a", rows), ("b", texts))
    ]
    assert both[0].items.equals(both[1].items)
    assert both[0].outcomes.equals(both[1].outcomes)
    assert both[0].responses.select("tokens_in", "tokens_out").row(0) == (3, 2)
    again = _details(
        tmp_path / "c", [_row(k) for k in (0, 0, 1)], task=task
    )  # documents of two splits share numbers
    assert read_one(again).items["item"].to_list()[:2] == [
        both[0].items["item"][0],
        f"{both[0].items['item'][0]}#2",
    ]


def test_tasks_keep_the_name_the_results_have(tmp_path: Path) -> None:
    task = "leaderboard|arc:challenge|25"
    _details(tmp_path, [_old(0)], task="leaderboard_arc_challenge_25")
    results = _results(tmp_path, {task: {"acc": 0.0}}, versions={task: 0})
    assert tasks(read_one(results)) == (task,)


def test_a_task_run_again_counts_once(tmp_path: Path) -> None:
    _details(tmp_path, [_row(k) for k in range(4)])
    later = "2026-02-01T00-00-00"
    _details(tmp_path, [_row(0, acc=1.0)], stamp=later)
    evidence = read_one(tmp_path)
    assert evidence.outcomes["value"].to_list() == [1.0]
    assert "toy|2 was run again later" in _notes(evidence)["older_run"]


def test_totals_without_details_say_so(tmp_path: Path) -> None:
    evidence = read_one(_results(tmp_path))
    assert (evidence.outcomes.height, evidence.reported.height) == (0, 2)
    assert "totals only, nothing per item" in _notes(evidence)["totals_only"]


def test_what_is_no_number_of_an_item_is_told_apart(tmp_path: Path) -> None:
    structure = {"logprobs": [-2.0, -1.0], "weights": 4.0}
    corpus = {"word_perplexity": structure, "bleu": {"golds": ["a"], "preds": ["b"]}}
    rows = [_row(k, em=float(k), nan=math.nan, judge_score=0.5, **corpus, judgement="good") for k in range(2)]
    evidence = read_one(_details(tmp_path, rows))
    known = {row["metric"]: row for row in evidence.metrics.iter_rows(named=True)}
    assert list(known) == ["em", "nan", "judge_score", "word_perplexity", "bleu"]
    assert headline_metric(evidence, TASK) == "em"
    assert (known["word_perplexity"]["combine"], known["word_perplexity"]["better"]) == (
        "perplexity",
        "lower",
    )
    assert known["judge_score"]["judge"] == "a model, not named in the log"
    first = (
        evidence.outcomes.filter(pl.col("item") == "0").select("metric", "value", "status", "parts").rows()
    )
    assert first == [
        ("em", 0.0, "ok", None),
        ("nan", None, "missing", None),
        ("judge_score", 0.5, "ok", None),
        ("word_perplexity", None, "ok", [-3.0, 4.0]),
        ("bleu", None, "missing", None),
    ]
    assert "whole corpus" in _notes(evidence)["corpus_metric"]


def test_empty_answers_failed_and_several_are_one_attempt(tmp_path: Path) -> None:
    rows = [_row(k) for k in range(3)]
    rows[0]["model_response"]["text"] = ["", " "]
    rows[1]["model_response"]["text"] = ["b", "c"]
    rows[2]["model_response"] |= {
        "text": [],
        "truncated_tokens_count": 7,
    }  # a task of log-likelihoods has no text
    evidence = read_one(_details(tmp_path, rows))
    assert evidence.responses["status"].to_list() == ["failed", "ok", "ok"]
    assert "2 answers were drawn for each item" in _notes(evidence)["repeats_scored_once"]
    assert "1 prompts were cut" in _notes(evidence)["cut_prompts"]


def test_the_bootstrap_that_is_too_small_is_named(tmp_path: Path) -> None:
    """lighteval returns sd(replicates)/√1000 where the standard error is sd(replicates), about s/√n."""
    rows = [_row(k) for k in range(100)]  # half right: s/√n = √(25/99)/10 = 0.05025
    _details(tmp_path, rows)
    right = math.sqrt(0.25 * 100 / 99) / 10
    for printed, said in ((right / math.sqrt(1000), True), (right, False)):
        evidence = read_one(_results(tmp_path, {TASK: {"acc": 0.5, "acc_stderr": printed}}))
        assert ("stderr_too_small" in _notes(evidence)) is said
    assert (
        "about 32 times too small"
        in _notes(read_one(_results(tmp_path, {TASK: {"acc": 0.5, "acc_stderr": right / 1000**0.5}})))[
            "stderr_too_small"
        ]
    )


def test_fields_of_documents_can_be_clusters(tmp_path: Path) -> None:
    path = _details(tmp_path, [_row(k) for k in range(4)])
    assert read_one(path, ReadOptions(cluster="page")).items["cluster"].to_list() == ["p0", "p0", "p1", "p1"]
    with pytest.raises(UsageError, match=r"no row has a field 'pag'. Did you mean 'page'"):
        read_one(path, ReadOptions(stratum="pag"))


def test_what_is_not_lightevals_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"has no columns doc and metric, nor example and metrics. It has the columns a"
    ):
        read_one(_details(tmp_path, [{"a": 1}]), ReadOptions(reader="lighteval"))
    with pytest.raises(InputError, match="row 1, field 'metrics': holds no metrics"):
        read_one(_details(tmp_path / "b", [_old(0, metrics="none")]), ReadOptions(reader="lighteval"))
    with pytest.raises(InputError, match="holds no log of lighteval"):
        LightevalReader().read(tmp_path / "none", ReadOptions())
    _details(tmp_path / "c", [_row(0)], model="a")
    _details(tmp_path / "c", [_row(0)], model="b")
    with pytest.raises(UsageError, match=r"holds 2 systems \(a, b\)"):
        read_one(tmp_path / "c", ReadOptions(name="mine"))


def test_the_shared_logs_read_and_what_lighteval_printed_is_that_of_the_rows() -> None:
    folder = shared("logs", "lighteval", "synthetic")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) == 4
    for path in [folder, *files]:
        assert find_reader(path).name == "lighteval"
        evidence = read_one(path)
        for name in systems(evidence):
            printed = evidence.reported.filter(pl.col("system") == name, pl.col("task") == "toy_add|0")
            assert printed.height == 4
            for metric, statistic, value in printed.select("metric", "statistic", "value").iter_rows():
                values = units(evidence, name, task="toy_add|0", metric=metric).frame["mean"].to_numpy()
                ours = values.mean() if statistic == "value" else values.std(ddof=1) / 50**0.5
                assert ours == pytest.approx(value, abs=1e-12)


def test_the_two_systems_compare_with_only_the_paths_given() -> None:
    folder = shared("logs", "lighteval", "synthetic")
    results = [next((folder / "results" / "org" / f"stub-{name}").iterdir()) for name in "ab"]
    details = [next((folder / "details" / "org" / f"stub-{name}").rglob("*.parquet")) for name in "ab"]
    for found in (compare(folder), compare(*results), compare(*details)):
        assert (found.n_items, found.table and (found.table.broke, found.table.fixed)) == (50, (0, 10))


PLACES = st.sampled_from(
    [("doc",), ("metric",), ("model_response",), ("metric", "acc"), ("model_response", "text")]
    + [("doc", name) for name in ("id", "query", "choices", "gold_index", "specific")]
    + [
        ("old", name)
        for name in ("metrics", "choices", "gold", "gold_index", "predictions", "truncated", "specifics")
    ]
)
CELLS = st.sampled_from(
    [
        None,
        True,
        -1,
        0.5,
        10**15,
        "",
        "x",
        "[1, 2",
        "{'a': nan}",
        "\x00",
        [],
        [1],
        [[1], [2]],
        ["a", ""],
        {"a": 1},
    ]
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=PLACES, junk=CELLS)
def test_any_value_in_any_column_gives_evidence_or_one_error(
    tmp_path_factory: Any, place: tuple[str, ...], junk: Any
) -> None:
    row = _old(0) if place[0] == "old" else _row(0)
    part = row
    path = place[1:] if place[0] == "old" else place
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = junk
    ends_well(_details(tmp_path_factory.mktemp("any"), [row]), reader="lighteval")


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(["results", "details"]), place=st.floats(0, 1), cut=st.integers(0, 60),
    splice=st.sampled_from([b"", b"NaN", b"null", b"{}", b'"', b"[[", b"1e999", b"\xff", b'"\\ud800"', b"\x00"]),
)  # fmt: skip
def test_mutated_logs_give_evidence_or_one_clear_line(
    tmp_path_factory: Any, kind: str, place: float, cut: int, splice: bytes
) -> None:
    folder = FOLDER / "logs" / "lighteval" / "synthetic" / kind / "org" / "stub-a"
    if not folder.exists():
        pytest.skip("../shared/logs/lighteval is not on this machine")
    source = next(path for path in folder.rglob("*") if path.is_file())
    data = source.read_bytes()
    start = int(place * len(data))
    path = tmp_path_factory.mktemp("any") / source.name
    path.write_bytes(data[:start] + splice + data[start + cut :])
    ends_well(path, reader="lighteval")
