"""What two different judges said is not compared unless that is allowed by name."""

from __future__ import annotations

import polars as pl
import pytest

from aliquot import compare, summarize, table
from aliquot.errors import UsageError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Evidence
from aliquot.reports.render import render


def judged(*judges: str, by: str = "judge") -> Evidence:
    """Return evidence of main and pr, each judged by one of the judges."""
    rows = [
        {"system": system, "item": f"q{i}", "value": float((i + place) % 3 > 0), "by": by}
        for place, system in enumerate(("main", "pr"))
        for i in range(12)
    ]
    named = [{"system": s, "name": "judge", "value": j} for s, j in zip(("main", "pr"), judges, strict=True)]
    scale = {"metric": "value", "kind": "binary", "low": 0.0, "high": 1.0, "better": "higher"}
    metrics = pl.DataFrame([scale | {"judge": judges[0]}])
    return assemble(pl.DataFrame(rows), settings=pl.DataFrame(named), metrics=metrics)


def test_different_judges_are_refused_with_the_way_out():
    with pytest.raises(UsageError, match=r"different judges \(judge \(gpt-x -> gpt-y\)\).*--allow judge"):
        compare(judged("gpt-x", "gpt-y"))
    with pytest.raises(UsageError, match="--allow judge"):
        table(judged("gpt-x", "gpt-y"))


def test_allowed_by_name_they_are_compared_and_named():
    assert len(table(judged("gpt-x", "gpt-y"), allow=["judge"]).rows) == 1
    found = compare(judged("gpt-x", "gpt-y"), allow=["judge"])
    assert found.difference is not None
    assert any("judge" in change for change in found.differs)
    assert "judge (gpt-x -> gpt-y)" in " ".join(render(found, form="markdown").split()).replace("&gt;", ">")


def test_one_judge_needs_no_leave():
    assert compare(judged("gpt-x", "gpt-x")).differs == ()


def test_a_judge_that_scored_nothing_here_is_no_obstacle():
    assert compare(judged("gpt-x", "gpt-y", by="rule")).n_items == 12


def test_a_judge_that_was_not_validated_is_warned_of():
    for found in (summarize(judged("gpt-x", "gpt-x")), table(judged("gpt-x", "gpt-x"))):
        assert "judge_not_validated" in {note.code for note in found.warnings}
        assert "the word of a judge" in render(found)
