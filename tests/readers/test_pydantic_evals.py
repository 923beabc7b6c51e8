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
from aliquot.evidence.reduction import units
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.readers.mutations import EDITS, JUNK, MUTATED, edited, ends_well, places, replaced

REPORT = Path(__file__).parent / "samples" / "pydantic_evals.json"
"""Written by pydantic-evals 2.62.0: 4 cases asked twice; c1 wrong, an evaluator raised on c2, the task on c3."""


def _write(folder: Path, document: Any, name: str = "report.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(document))
    return path


def _report() -> dict[str, Any]:
    return json.loads(REPORT.read_text())


def test_repeats_of_a_case_are_attempts_at_one_item() -> None:
    assert find_reader(REPORT).name == "pydantic-evals"
    evidence = read_one(REPORT)
    assert evidence.items["item"].to_list() == ["c0", "c1", "c2", "c3"]
    frame = units(evidence, "task", task="greet", metric="EqualsExpected").frame
    assert frame.select("item", "mean", "k").rows() == [
        ("c0", 1.0, 2),
        ("c1", 0.0, 2),
        ("c2", 1.0, 2),
        ("c3", None, 0),
    ]
    assert evidence.texts is not None
    assert evidence.texts.response("task", "greet", "c1", 2) == "nope"
    assert evidence.texts.reference("greet", "c1") == "a1"


def test_an_evaluator_that_raised_is_no_failed_case_and_a_task_that_raised_an_error() -> None:
    """The report has no short and no overlap of c2, because their evaluator raised: missing by the scorer's doing."""
    evidence = read_one(REPORT)
    lost = evidence.outcomes.filter(pl.col("item") == "c2", pl.col("metric") == "short")
    assert lost.select("value", "status", "label").rows() == [(None, "error", "ValueError: judge lost")] * 2
    errors = evidence.responses.filter(pl.col("item") == "c3").select("status", "reason", "stage").rows()
    assert errors == [("error", "RuntimeError: down", "system")] * 2


def test_the_tools_averages_are_the_means_of_the_scores_it_has() -> None:
    """``report.averages()`` printed overlap .25 and assertions .667: c0 2 of 2, c1 0 of 2, c2 1 of the 1 it has."""
    evidence = read_one(REPORT)
    overlap = units(evidence, "task", task="greet", metric="overlap").frame["mean"].drop_nulls()
    assert overlap.mean() == 0.25
    shares = (
        evidence.outcomes.filter(pl.col("metric").is_in(["EqualsExpected", "short"]))
        .drop_nulls("value")
        .group_by("item")
        .agg(pl.col("value").mean())
    )
    assert shares["value"].mean() == pytest.approx(2 / 3, rel=1e-12)


def test_labels_stay_labels_and_a_judge_is_named(tmp_path: Path) -> None:
    document = _report()
    source = {"name": "LLMJudge", "arguments": {"rubric": "polite", "model": "openai:gpt-4o"}}
    for case in document["cases"]:
        case["assertions"] = {
            "LLMJudge": {"name": "LLMJudge", "value": True, "reason": "ok", "source": source}
        }
        case["metrics"] = {"input_tokens": 12, "cost": 0.5, "hops": 3}
    evidence = read_one(_write(tmp_path, document))
    kinds = {row["metric"]: (row["kind"], row["judge"]) for row in evidence.metrics.iter_rows(named=True)}
    assert kinds["LLMJudge"] == ("binary", "openai:gpt-4o")
    assert kinds["tone"] == ("category", None)
    assert kinds["hops"] == ("real", None)
    assert evidence.outcomes.filter(pl.col("metric") == "tone")["label"].unique().to_list() == ["polite"]
    assert evidence.responses.select("tokens_in", "cost").row(0) == (12, 0.5)


def test_two_experiments_of_one_name_compare_with_only_their_paths(tmp_path: Path) -> None:
    new = _report()
    for case in new["cases"]:
        case["assertions"]["EqualsExpected"]["value"] = True
    found = compare(_write(tmp_path, _report(), "old.json"), _write(tmp_path, new, "new.json"))
    assert (found.metric, found.n_items, found.fixed) == ("EqualsExpected", 3, ("c1",))


def test_one_name_for_two_questions_is_refused_and_fields_may_be_clusters(tmp_path: Path) -> None:
    assert read_one(REPORT, ReadOptions(cluster="topic")).items["cluster"].to_list() == ["x"] * 4
    document = _report()
    document["cases"][1]["inputs"] = "something else"
    with pytest.raises(InputError, match="two rows of the id 'c0' ask different things"):
        read_one(_write(tmp_path, document))


@MUTATED
@given(data=st.data(), junk=JUNK)
def test_any_value_in_any_place_gives_evidence_or_one_error(tmp_path: Path, data: Any, junk: Any) -> None:
    document = copy.deepcopy(_report())
    changed = replaced(document, data.draw(st.sampled_from(places(document))), junk)
    ends_well(_write(tmp_path, changed), reader="pydantic-evals")


@MUTATED
@given(edits=EDITS)
def test_mutated_reports_give_evidence_or_one_error(tmp_path: Path, edits: Any) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(edited(REPORT.read_bytes(), edits))
    ends_well(path, reader="pydantic-evals")
