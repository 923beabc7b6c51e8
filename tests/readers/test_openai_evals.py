from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.evidence.contents import headline_metric, systems
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.readers.mutations import EDITS, JUNK, MUTATED, edited, ends_well, places, replaced
from tests.shared import FOLDER, shared

SPEC = {
    "spec": {
        "completion_fns": ["gpt-4"], "eval_name": "arith.dev.v0", "base_eval": "arith", "split": "dev",
        "run_config": {"seed": 7, "max_samples": None}, "run_id": "r1", "created_at": "2025-11-29",
    }
}  # fmt: skip


def _event(number: int, kind: str, **data: Any) -> dict[str, Any]:
    return {
        "run_id": "r1", "event_id": number, "sample_id": f"arith.dev.{number}", "type": kind, "data": data,
        "created_by": "", "created_at": "2025-11-29 17:30:07",
    }  # fmt: skip


def _log(folder: Path, *events: Any, report: Any = None) -> Evidence:
    path = folder / "log.jsonl"
    lines = [SPEC, *events, {"final_report": report or {}, "run_id": "r1"}]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert find_reader(path).name == "openai-evals"
    return read_one(path)


def test_a_match_is_an_outcome_and_the_report_what_was_printed(tmp_path: Path) -> None:
    evidence = _log(
        tmp_path,
        _event(1, "sampling", prompt=[{"role": "user", "content": "1+1="}], sampled=["2"]),
        _event(1, "match", correct=True, expected="2", picked="2"),
        _event(2, "match", correct=False, expected="3", picked=None),
        report={"accuracy": 0.5, "boostrap_std": 0.1},
    )
    assert systems(evidence) == ("gpt-4",)
    assert evidence.outcomes.select("item", "metric", "value", "label").rows() == [
        ("arith.dev.1", "match", 1.0, "2"), ("arith.dev.2", "match", 0.0, None),
    ]  # fmt: skip
    assert evidence.reported.select("metric", "statistic", "value").rows() == [
        ("match", "accuracy", 0.5), ("match", "bootstrap_std", 0.1),
    ]  # fmt: skip
    assert evidence.texts is not None
    assert evidence.texts.inputs("arith.dev.v0", "arith.dev.1") == "1+1="
    assert evidence.texts.reference("arith.dev.v0", "arith.dev.1") == "2"
    assert ("seed", "7") in evidence.settings.select("name", "value").rows()


def test_a_grade_that_could_not_be_read_is_missing_and_not_the_lowest(tmp_path: Path) -> None:
    evidence = _log(
        tmp_path,
        _event(1, "metrics", choice="A", score=1.0),
        _event(2, "metrics", choice="__invalid__", score=0.0),
        _event(3, "metrics", f1=0.5, exact=True),
    )
    scored = evidence.outcomes.filter(pl.col("metric") == "score")
    assert scored.select("value", "label", "status", "by").rows() == [
        (1.0, "A", "ok", "judge"), (None, "__invalid__", "unparsed", "judge"),
    ]  # fmt: skip
    assert evidence.metrics.filter(pl.col("metric") == "score")["judge"].to_list() == ["model grader"]
    assert set(evidence.outcomes["metric"]) == {"score", "f1", "exact"}


def test_an_error_is_no_wrong_answer_and_a_second_match_an_attempt(tmp_path: Path) -> None:
    evidence = _log(
        tmp_path,
        _event(1, "match", correct=True, expected="2"),
        _event(1, "match", correct=False, expected="2"),
        _event(2, "error", type="RateLimit", message="slow down\nplease"),
    )
    assert evidence.responses.select("item", "attempt", "status", "reason").rows() == [
        ("arith.dev.1", 1, "ok", None), ("arith.dev.1", 2, "ok", None), ("arith.dev.2", 1, "error", "slow down"),
    ]  # fmt: skip
    frame = units(evidence, "gpt-4", task="arith.dev.v0", metric="match").frame
    assert frame["mean"].to_list() == [0.5, None]  # the sample that ended in an error is missing
    with pytest.raises(InputError, match="no result of a sample"):
        _log(tmp_path, _event(1, "embedding", x=1))


def _item(number: int, *results: dict[str, Any], status: str = "pass", **more: Any) -> dict[str, Any]:
    sample = {
        "model": "m1", "output": [{"role": "assistant", "content": f"a{number}"}], "finish_reason": "stop",
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "cached_tokens": 0}, "error": None, "seed": 1,
    }  # fmt: skip
    return {
        "object": "eval.run.output_item", "id": f"o{number}", "run_id": "run1", "eval_id": "eval1", "status": status,
        "datasource_item_id": number, "datasource_item": {"question": f"q{number}", "topic": "law"},
        "results": list(results), "sample": sample | more,
    }  # fmt: skip


def _exact(passed: bool) -> dict[str, Any]:
    name = "Exact-5b6e8a44-1c2d-4f5e-8a9b-0123456789ab"
    return {
        "name": name,
        "type": "string-check-grader",
        "passed": passed,
        "score": float(passed),
        "sample": None,
    }


def _graded(score: float, passed: bool, **more: Any) -> dict[str, Any]:
    sample = {"model": "gpt-4.1", "output": []}
    return {
        "name": "tone",
        "type": "score-model-grader",
        "passed": passed,
        "score": score,
        "sample": sample,
        **more,
    }


def _page(folder: Path, items: list[Any], name: str = "items.json", **more: Any) -> Path:
    path = folder / name
    path.write_text(json.dumps({"object": "list", "data": items, "has_more": False, **more}))
    assert find_reader(path).name == "openai-evals"
    return path


def test_each_grader_is_a_metric_under_its_name_without_the_id(tmp_path: Path) -> None:
    items = [
        _item(0, _exact(True), _graded(0.9, True)),
        _item(1, _exact(False), _graded(0.4, False), status="fail"),
    ]
    evidence = read_one(_page(tmp_path, items))
    assert evidence.metrics.select("metric", "kind", "judge").rows() == [
        ("passed", "binary", None), ("Exact", "binary", None), ("tone", "bounded", "gpt-4.1"),
        ("tone: passed", "binary", "gpt-4.1"),
    ]  # fmt: skip
    assert headline_metric(evidence, "eval1") == "passed"
    assert units(evidence, "m1", task="eval1", metric="passed").frame["mean"].to_list() == [1.0, 0.0]
    assert evidence.responses.select("tokens_in", "tokens_out", "status").row(0) == (5, 2, "ok")
    assert evidence.items["segment.topic"].to_list() == ["law", "law"]
    assert read_one(_page(tmp_path, items), ReadOptions(cluster="topic")).items["cluster"].to_list() == [
        "law",
        "law",
    ]
    assert read_one(_page(tmp_path, items), ReadOptions(item="question")).items["item"].to_list() == [
        "q0",
        "q1",
    ]


def test_what_stopped_an_answer_or_a_grader_is_kept_apart(tmp_path: Path) -> None:
    broken = _graded(0.0, False) | {"score": None, "passed": None, "status": "error"}
    items = [
        _item(0, status="error", error={"code": "rate_limit", "message": "slow down"}),
        _item(1, broken, status="error"),
        _item(2, _graded(0.2, False), status="fail", finish_reason="length"),
    ]
    evidence = read_one(_page(tmp_path, items))
    assert evidence.responses.select("status", "reason").rows() == [
        ("error", "slow down"), ("ok", None), ("truncated", None),
    ]  # fmt: skip
    tone = evidence.outcomes.filter(pl.col("metric") == "tone").select("item", "value", "status").rows()
    assert tone == [("1", None, "error"), ("2", 0.2, "ok")]


def test_items_of_azures_form_name_their_metric_and_a_page_says_there_are_more(tmp_path: Path) -> None:
    azure = {"name": "quality", "type": "azure_ai_evaluator", "metric": "coherence", "score": 4, "passed": True,
             "label": "pass", "status": "completed", "threshold": 3}  # fmt: skip
    evidence = read_one(_page(tmp_path, [_item(0, azure)], has_more=True))
    assert "quality.coherence" in evidence.metrics["metric"].to_list()
    assert "more_pages" in {note.code for note in evidence.notes}


def test_two_runs_of_one_model_are_two_systems_and_two_files_compare(tmp_path: Path) -> None:
    old = [
        _item(number, _exact(number > 4)) | {"status": "pass" if number > 4 else "fail"}
        for number in range(8)
    ]
    new = [_item(number, _exact(True)) | {"run_id": "run2"} for number in range(8)]
    assert systems(read_one(_page(tmp_path, old + new, "both.json"))) == ("m1 run1", "m1 run2")
    found = compare(_page(tmp_path, old, "old.json"), _page(tmp_path, new, "new.json"))
    assert (found.n_items, found.metric, found.fixed[:1]) == (8, "passed", ("0",))


def test_shared_files_give_what_the_tool_printed() -> None:
    log = read_one(shared("logs", "openai_evals", "SYNTHETIC_oaieval_log.jsonl"))
    printed = dict(log.reported.select("statistic", "value").iter_rows())
    assert (
        units(log, "gpt-4", task="arith.dev.v0", metric="match").frame["mean"].mean() == printed["accuracy"]
    )
    path = shared("logs", "openai_evals", "SYNTHETIC_evals_api_output_items.json")
    items = json.loads(path.read_text())["data"]
    frame = units(read_one(path), "gpt-4.1-2025-04-14", task="eval_abc", metric="passed").frame
    passed = sum(one["status"] == "pass" for one in items)
    failed = sum(one["status"] == "fail" for one in items)
    assert (frame["mean"].sum(), frame["mean"].count()) == (passed, passed + failed)


@MUTATED
@given(data=st.data(), junk=JUNK, log=st.booleans())
def test_any_value_in_any_place_gives_evidence_or_one_error(
    tmp_path: Path, data: Any, junk: Any, log: bool
) -> None:
    events = [SPEC, _event(1, "match", correct=True), _event(2, "metrics", choice="A", score=1.0)]
    document: Any = copy.deepcopy(
        events if log else [_item(0, _exact(True), _graded(0.5, True)), _item(1, _exact(False))]
    )
    path = tmp_path / "a.json"
    path.write_text(json.dumps(replaced(document, data.draw(st.sampled_from(places(document))), junk)))
    ends_well(path, reader="openai-evals")


@MUTATED
@given(
    name=st.sampled_from(["SYNTHETIC_oaieval_log.jsonl", "SYNTHETIC_evals_api_output_items.json"]),
    edits=EDITS,
)
def test_mutated_files_give_evidence_or_one_error(tmp_path: Path, name: str, edits: Any) -> None:
    source = FOLDER / "logs" / "openai_evals" / name
    if not source.exists():
        pytest.skip(f"../shared/logs/openai_evals/{name} is not on this machine")
    path = tmp_path / name
    path.write_bytes(edited(source.read_bytes(), edits))
    ends_well(path, reader="openai-evals")
