from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import headline_metric, systems, tasks
from aliquot.evidence.tables import Evidence
from aliquot.readers.deepeval import DeepEvalReader
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.readers.mutations import JUNK, ends_well, places
from tests.shared import FOLDER, shared

KEY = "deepeval"


def _metric(name: str = "Exact Match", score: float | None = 1.0, **more: Any) -> dict[str, Any]:
    known = {
        "name": name,
        "threshold": 0.5,
        "success": (score or 0) >= 0.5,
        "strictMode": False,
        "flaky": False,
    }
    return known | ({} if score is None else {"score": score}) | more


def _broken(name: str = "Judge") -> dict[str, Any]:
    return _metric(name, None, error="judge exploded")


def _case(number: int, *metrics: dict[str, Any], **more: Any) -> dict[str, Any]:
    data = list(metrics) or [_metric()]
    passed = all(one["success"] for one in data)
    known = {"name": f"test_case_{number}", "input": f"What is {number}?", "actualOutput": str(number),
             "expectedOutput": str(number), "success": passed, "metricsData": data, "order": number}  # fmt: skip
    return known | more


def _write(folder: Path, cases: list[dict[str, Any]], name: str = "test_run_1.json", **more: Any) -> Path:
    document = {"testCases": cases, "conversationalTestCases": [], "metricsScores": []} | more
    path = folder / name
    path.write_text(json.dumps(document))
    return path


def _notes(evidence: Evidence) -> dict[str, str]:
    return {note.code: note.text for note in evidence.notes}


def test_cases_are_items_and_success_is_the_headline(tmp_path: Path) -> None:
    facts = {"completionTime": 0.5, "tokenCost": 0.01, "toolsCalled": [{}, {}], "context": ["a book"]}
    low, high = (_metric("Judge", score, evaluationModel="gpt-4o") for score in (0.25, 1.0))
    cases = [_case(1, low), _case(0, high, **facts)]
    path = _write(
        tmp_path,
        cases,
        identifier="v2",
        datasetAlias="sums",
        hyperparameters={"model": "m", "temperature": 0.1, "k": 4},
    )
    evidence = read_one(path)
    assert find_reader(path).name == "deepeval"
    assert (systems(evidence), tasks(evidence)) == (("v2",), ("sums",))
    assert headline_metric(evidence, "sums") == "success"
    rows = evidence.outcomes.select("metric", "scorer", "by", "value").rows()
    assert rows == [
        ("success", "deepeval", "rule", 1.0),
        ("Judge", "gpt-4o", "judge", 1.0),
        ("success", "deepeval", "rule", 0.0),
        ("Judge", "gpt-4o", "judge", 0.25),
    ]  # fmt: skip
    assert dict(evidence.metrics.select("metric", "judge").rows()) == {"success": None, "Judge": "gpt-4o"}
    kept = evidence.responses.select("latency_s", "cost", "currency", "tool_calls").row(0)
    assert kept == (0.5, 0.01, "USD", 2)
    known = dict(evidence.settings.select("name", "value").rows())
    assert (known["model"], known["decoding.temperature"], known["hyperparameters.k"]) == ("m", "0.1", "4")
    assert known["judge"] == "gpt-4o"
    first = evidence.items["item"][0]
    assert evidence.texts is not None
    assert evidence.texts.inputs("sums", first) == 'What is 0?\n\n["a book"]'
    assert evidence.texts.response("v2", "sums", first, 1) == "0"


def test_a_metric_that_broke_is_missing_and_fails_nothing_by_itself(tmp_path: Path) -> None:
    """DeepEval writes success: false for all three."""
    cases = [
        _case(0, _metric(), _broken()),
        _case(1, _metric(score=0.0), _broken()),
        _case(2, _metric(score=0.0), _metric("Judge", 1.0)),
    ]
    evidence = read_one(_write(tmp_path, cases, testPassed=0, testFailed=3))
    success = evidence.outcomes.filter(pl.col("metric") == "success").select("value", "status").rows()
    assert success == [(None, "error"), (0.0, "ok"), (0.0, "ok")]
    judged = evidence.outcomes.filter(pl.col("metric") == "Judge").select("value", "status").rows()
    assert judged == [(None, "error"), (None, "error"), (1.0, "ok")]
    assert "Judge broke on 2 cases; " in _notes(evidence)["metric_failed"]
    assert "1 cases failed only because a metric broke" in _notes(evidence)["success_unknown"]


def test_metrics_declared_flaky_decide_nothing(tmp_path: Path) -> None:
    flaky = _metric("Judge", None, error="down", flaky=True)
    evidence = read_one(_write(tmp_path, [_case(0, _metric(), flaky, success=True)]))
    assert evidence.outcomes.filter(pl.col("metric") == "success")["value"].to_list() == [1.0]
    assert _notes(evidence)["flaky_metrics"].endswith(": Judge")


def test_no_threshold_and_nan_are_no_failures(tmp_path: Path) -> None:
    nan = _metric("Faithfulness", float("nan"), success=None)  # json writes it bare
    evidence = read_one(
        _write(tmp_path, [_case(0, nan, success=None), _case(1, _metric("Faithfulness", 0.5))])
    )
    assert evidence.outcomes.select("metric", "value", "status").rows() == [
        ("Faithfulness", None, "missing"),
        ("success", 1.0, "ok"),
        ("Faithfulness", 0.5, "ok"),
    ]
    assert "1 values are NaN" in _notes(evidence)["not_a_number"]


def test_repeats_of_pytest_are_attempts_and_other_copies_are_items(tmp_path: Path) -> None:
    names = [
        ("0", "test_sum[0-1-2]"),
        ("0", "test_sum[0-2-2]"),
        ("1", "test_sum[1-2-2]"),
        ("1", "test_sum[1-1-2]"),
    ]
    repeats = [_case(int(k), name=name) | {"order": place} for place, (k, name) in enumerate(names)]
    evidence = read_one(_write(tmp_path, repeats))
    assert evidence.items.height == 2
    assert evidence.responses["attempt"].to_list() == [1, 2, 2, 1]
    cases = [_case(0), _case(1), _case(1)]
    copied = read_one(_write(tmp_path, cases))
    assert copied.items["item"].to_list()[2] == f"{copied.items['item'][1]}#2"
    assert copied.items["content"].n_unique() == 2
    assert "copies" in _notes(copied)
    again = read_one(_write(tmp_path, cases), ReadOptions(duplicates="attempts"))
    assert (again.items.height, again.responses["attempt"].to_list()) == (2, [1, 1, 2])


def test_a_field_of_the_metadata_names_items_and_clusters(tmp_path: Path) -> None:
    cases = [
        _case(k, metadata={"id": k, "cluster": f"c{k // 2}", "level": "easy"}, tags=["a", "b"])
        for k in range(4)
    ]
    evidence = read_one(_write(tmp_path, cases))
    assert evidence.items["item"].to_list() == ["0", "1", "2", "3"]
    assert evidence.items["cluster"].to_list() == ["c0", "c0", "c1", "c1"]
    assert evidence.items.select("segment.tags", "segment.level").row(0) == ("a, b", "easy")
    assert _notes(evidence)["item_key"] == "metadata.id"
    named = read_one(_write(tmp_path, cases), ReadOptions(item="name", cluster="metadata.level"))
    assert (named.items["item"][0], named.items["cluster"].n_unique()) == ("test_case_0", 1)
    for options in (ReadOptions(item="metadata.nam"), ReadOptions(cluster="metadata.nam")):
        with pytest.raises(UsageError, match=r"no test case has a field 'metadata\.nam'"):
            read_one(_write(tmp_path, cases), options)
    cases[1]["metadata"]["id"] = 0  # an id of two cases that ask different things is no id
    assert _notes(read_one(_write(tmp_path, cases)))["item_key"].startswith("the hash")
    with pytest.raises(InputError, match="stands for cases that ask different things"):
        read_one(_write(tmp_path, cases), ReadOptions(item="metadata.id"))


def test_conversations_are_read_with_their_turns(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    case = {"name": "talk", "scenario": "A greeting", "expectedOutcome": "polite", "turns": turns, "success": True,
            "metricsData": [_metric("Polite", 0.75)]}  # fmt: skip
    evidence = read_one(_write(tmp_path, [], conversationalTestCases=[case]))
    item = evidence.items["item"].item()
    assert evidence.texts is not None
    assert evidence.texts.inputs(KEY, item) == "A greeting"
    assert evidence.texts.reference(KEY, item) == "polite"
    assert evidence.texts.response("test_run_1", KEY, item, 1) == "user: Hi\n\nassistant: Hello"
    assert evidence.responses["steps"].item() == 1


def test_empty_answers_failed(tmp_path: Path) -> None:
    evidence = read_one(_write(tmp_path, [_case(0, actualOutput=""), _case(1)]))
    assert evidence.responses["status"].to_list() == ["failed", "ok"]


def test_both_key_styles_hold_the_same_rows(tmp_path: Path) -> None:
    camel = read_one(_write(tmp_path, [_case(0, _metric(), _broken())]), ReadOptions(name="m"))
    right = {"name": "Exact Match", "score": 1.0, "success": True, "threshold": 0.5, "evaluation_model": None}
    broken = {
        "name": "Judge",
        "score": None,
        "success": False,
        "error": "judge exploded",
        "strict_mode": False,
    }
    case = {
        "name": "x",
        "success": False,
        "input": "What is 0?",
        "actual_output": "0",
        "expected_output": "0",
    }
    case |= {"index": 0, "metrics_data": [right, broken], "turns": None, "context": None}
    path = tmp_path / "result.json"
    path.write_text(json.dumps({"test_results": [case], "confident_link": None}))
    snake = read_one(path, ReadOptions(name="m"))
    assert snake.outcomes.equals(camel.outcomes)
    assert snake.items.equals(camel.items)


def test_the_latest_run_is_found_by_its_folder_and_behind_its_wrapper(tmp_path: Path) -> None:
    folder = tmp_path / ".deepeval"
    folder.mkdir()
    _write(folder, [_case(0)], name=".latest_run_full.json")
    for path in (folder, tmp_path, folder / ".latest_run_full.json"):
        assert find_reader(path).name == "deepeval"
        assert systems(read_one(path)) == ("latest run",)
    whole = {"testRunData": json.loads((folder / ".latest_run_full.json").read_text())}
    (folder / ".latest_test_run.json").write_text(json.dumps(whole))
    assert read_one(folder / ".latest_test_run.json").items.height == 1
    older = _write(tmp_path, [_case(0)], name="test_run_20240101_000000")  # older versions forgot the ending
    assert find_reader(older).name == "deepeval"


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        (
            {"testRunLink": "https://app.confident-ai.com/x"},
            r"holds only the address of a run. .*\.latest_run_full",
        ),
        ({"a": 1}, "is no run of DeepEval. It has testCases or test_results"),
        ([], "is no run of DeepEval"),
        ({"testCases": []}, "holds no test case"),
        (
            {"testCases": [{"metricsData": [{"name": 1}]}]},
            "is not as DeepEval writes it: Expected `str`, got `int`",
        ),
        ({"test_cases_lookup_map": {"x": {}}}, "is not JSON"),
    ],
)
def test_what_is_not_a_run_is_one_clear_line(tmp_path: Path, document: Any, problem: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match=problem):
        DeepEvalReader().read(path, ReadOptions())


def test_the_shared_runs_read_and_their_printed_counts_are_those_of_the_rows() -> None:
    folder = shared("logs", "deepeval")
    for name, broken in (("a", 3), ("b", 1)):  # as the terminal printed them
        run = read_one(folder / f"test_run_model-{name}.json")
        result = read_one(folder / f"evaluation_result_model-{name}.json", ReadOptions(name=f"model-{name}"))
        assert run.outcomes.equals(result.outcomes)
        printed = {row[:2]: row[2] for row in run.reported.select("metric", "statistic", "value").iter_rows()}
        values = {
            metric: run.outcomes.filter(pl.col("metric") == metric)["value"]
            for metric in run.metrics["metric"]
        }
        assert printed["success", "pass_count"] == values["success"].sum()
        assert printed["success", "pass_rate"] == values["success"].mean()
        for metric in ("Exact Match", "Pattern Match", "LengthMatch"):
            assert printed[metric, "errors"] == values[metric].null_count()
            assert printed[metric, "passes"] + printed[metric, "fails"] == values[metric].count()
            assert printed[metric, "mean"] == pytest.approx(values[metric].mean(), abs=1e-12)
        assert (values["LengthMatch"].null_count(), run.items["cluster"].n_unique()) == (broken, 5)


def test_every_shared_file_reads_and_the_systems_compare_with_only_the_paths_given() -> None:
    folder = shared("logs", "deepeval")
    for path in folder.glob("*.json"):
        assert find_reader(path).name == "deepeval"
        assert read_one(path).outcomes.height
    for kind in ("test_run", "evaluation_result"):
        found = compare(*(folder / f"{kind}_model-{name}.json" for name in "ab"))
        assert (found.n_items, found.n_clusters, found.table and found.table.broke) == (20, 5, 9)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), junk=JUNK)
def test_any_value_in_any_place_gives_evidence_or_one_error(
    tmp_path_factory: Any, data: Any, junk: Any
) -> None:
    turns = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    cases = [
        _case(0, _metric(), _broken(), metadata={"id": 1, "cluster": "c"}, tags=["a"]),
        _case(1, name="t[1-1-2]"),
        _case(1, name="t[1-2-2]"),
    ]
    scores = [{"metric": "Exact Match", "scores": [1.0], "passes": 1, "fails": 0, "errors": 0}]
    path = _write(
        tmp_path_factory.mktemp("any"), cases, metricsScores=scores, testPassed=1, testFailed=1,
        hyperparameters={"model": "m"}, conversationalTestCases=[_case(2, turns=turns, scenario="s")],
    )  # fmt: skip
    document = json.loads(path.read_text())
    place = data.draw(st.sampled_from(places(document)))
    part = document
    for key in place[:-1]:
        part = part[key]
    if place:
        part[place[-1]] = junk
    path.write_text(json.dumps(document if place else junk))
    ends_well(path, reader="deepeval")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["test_run_model-a.json", "evaluation_result_model-a.json", "deepeval-cache.json"]),
    place=st.floats(0, 1), cut=st.integers(0, 60),
    splice=st.sampled_from([b"", b"NaN", b"null", b"{}", b'"', b"[[", b"1e999", b"\xff", b'"\\ud800"', b"\x00"]),
)  # fmt: skip
def test_mutated_logs_give_evidence_or_one_clear_line(
    tmp_path_factory: Any, name: str, place: float, cut: int, splice: bytes
) -> None:
    source = FOLDER / "logs" / "deepeval" / name
    if not source.exists():
        pytest.skip("../shared/logs/deepeval is not on this machine")
    data = source.read_bytes()
    start = int(place * len(data))
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(data[:start] + splice + data[start + cut :])
    ends_well(path, reader="deepeval")
