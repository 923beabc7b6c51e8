from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.promptfoo_grading import read_verdict
from aliquot.readers.promptfoo_records import Row, convert
from aliquot.readers.registry import read_one
from tests.readers.promptfoo_samples import CONTAINS, SHORT, component, export, row, write

RUBRIC = {"type": "llm-rubric", "value": "is polite", "metric": "tone", "provider": "openai:judge"}
HUMAN = {"type": "human"}
FAULT = {"metadata": {"graderError": True}}


def _read(folder: Path, *rows: dict[str, Any]) -> Evidence:
    return read_one(write(folder, export(list(rows))))


def _outcomes(evidence: Evidence) -> dict[str, tuple[float | None, str, str]]:
    return {r[0]: r[1:] for r in evidence.outcomes.select("metric", "value", "status", "by").rows()}


def test_a_persons_rating_is_a_label_and_the_machines_verdict_is_worked_out_anew(tmp_path: Path) -> None:
    parts = [component(1.0, CONTAINS), component(0.0, SHORT), component(1.0, HUMAN)]
    found = _outcomes(_read(tmp_path, row(0, success=True, score=1.0, parts=parts)))
    assert found["human"] == (1.0, "ok", "person")
    assert found["success"] == (0.0, "ok", "rule")  # short failed
    assert found["score"][0] == pytest.approx((2 * 1 + 1 * 0) / 3, abs=1e-12)


def test_with_a_threshold_the_machine_passes_by_its_score(tmp_path: Path) -> None:
    parts = [component(1.0, CONTAINS), component(0.0, SHORT), component(0.0, HUMAN)]
    case = {"threshold": 0.6}
    found = _outcomes(_read(tmp_path, row(0, success=False, score=0.0, parts=parts, test_case=case)))
    assert found["success"] == (1.0, "ok", "rule")  # 2/3 >= .6
    assert found["human"][0] == 0.0


def test_only_a_person_leaves_the_machine_without_a_verdict(tmp_path: Path) -> None:
    evidence = _read(tmp_path, row(0, parts=[component(1.0, HUMAN)]))
    assert _outcomes(evidence)["success"] == (None, "missing", "rule")
    assert "a person rated 1 rows" in " ".join(note.text for note in evidence.notes)


def test_a_judge_that_failed_leaves_the_row_missing_and_not_wrong(tmp_path: Path) -> None:
    case = {"assert": [RUBRIC, CONTAINS]}
    parts = [component(0.0, RUBRIC, **FAULT), component(1.0, CONTAINS)]
    graded = row(
        0, success=False, score=0.67, parts=parts, test_case=case, namedScores={"tone": 0, "right": 1}
    )
    evidence = _read(tmp_path, graded)
    found = _outcomes(evidence)
    assert found["success"] == (None, "error", "judge")
    assert found["tone"] == (None, "error", "judge")
    assert found["right"] == (1.0, "ok", "rule")
    assert units(evidence, "model-a", task="promptfoo", metric="success").frame["mean"].to_list() == [None]
    assert "the judge failed on 1 rows" in " ".join(note.text for note in evidence.notes)


def test_a_row_that_fails_without_the_judge_stays_a_failure(tmp_path: Path) -> None:
    case = {"assert": [RUBRIC, CONTAINS]}
    parts = [component(0.0, RUBRIC, **FAULT), component(0.0, CONTAINS)]
    assert _outcomes(_read(tmp_path, row(0, success=False, score=0.0, parts=parts, test_case=case)))[
        "success"
    ] == (
        0.0,
        "ok",
        "judge",
    )


def test_metrics_a_model_decides_carry_its_name(tmp_path: Path) -> None:
    inner = {"type": "assert-set", "assert": [{"type": "not-llm-rubric", "value": "rude", "metric": "calm"}]}
    case = {"assert": [RUBRIC, inner, CONTAINS], "options": {"provider": {"id": "local:judge"}}}
    judges = dict(_read(tmp_path, row(0, test_case=case)).metrics.select("metric", "judge").rows())
    assert judges["right"] is None
    assert judges["success"] == judges["score"] == "openai:judge, local:judge"


def test_the_verdicts_inside_a_set_count_once(tmp_path: Path) -> None:
    inner = [
        component(1.0, {"type": "equals", "metric": "x"}),
        component(0.0, {"type": "regex", "metric": "y"}),
    ]
    of_set = {"assertionSet": {"weight": 3, "metric": "set"}}
    parts = [
        {"pass": False, "score": 0.5, "componentResults": inner, "metadata": of_set},
        *inner,
        component(1.0, CONTAINS),
    ]
    found = _outcomes(_read(tmp_path, row(0, success=True, score=1.0, parts=[*parts, component(1.0, HUMAN)])))
    assert found["score"][0] == pytest.approx((3 * 0.5 + 2 * 1.0) / 5, abs=1e-12)


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 5)), min_size=1, max_size=6))
def test_sums_of_older_versions_become_weighted_means(parts: list[tuple[float, int]]) -> None:
    listed = [
        component(score, {"type": "equals", "metric": "m", "weight": weight}) for score, weight in parts
    ]
    made = row(0, parts=listed, namedScores={"m": sum(score for score, _ in parts)})
    del made["gradingResult"]["namedScoreWeights"]
    found = read_verdict(convert(made, Row, file="a", where="row")).named["m"]
    plain = sum(score * weight for score, weight in parts) / sum(weight for _, weight in parts)
    assert found == pytest.approx(plain, abs=1e-12)


def test_a_named_score_called_like_a_value_of_the_row_stays_apart(tmp_path: Path) -> None:
    evidence = _read(tmp_path, row(0, namedScores={"score": 0.25, "": 1.0, "odd": "high"}))
    assert evidence.outcomes["metric"].to_list() == ["success", "score", "score (named)"]


def test_comparing_assertions_are_said(tmp_path: Path) -> None:
    evidence = _read(tmp_path, row(0, test_case={"assert": [{"type": "select-best", "value": "best"}]}))
    assert "systems_compared" in [note.code for note in evidence.notes]
    assert evidence.metrics.filter(pl.col("metric") == "success")["judge"].to_list() == [
        "promptfoo's default grader"
    ]
