"""Share answered beside the rate over answered rows: declining is not getting better."""

from __future__ import annotations

import polars as pl
import pytest

from aliquot.analysis.answered import find_answered
from aliquot.analysis.arrays import paired_sample
from aliquot.analysis.scales import scale_of
from aliquot.evidence.assembly import assemble
from aliquot.evidence.matching import pair
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Undefined


def answered(rows, *, items=None):
    """rows: (system, item, attempt, value, status)."""
    columns = {"system": str, "item": str, "attempt": int, "value": float, "status": str}
    evidence = assemble(pl.DataFrame(rows, schema=columns, orient="row"), items=items)
    pairs = pair(evidence, "main", "pr", task="task", metric="value")
    sample = paired_sample(pairs)
    sides = (sample.baseline(), sample.candidate())
    return find_answered(evidence, pairs, sides, scale_of(evidence, "value"), level=0.95)


def test_declining_a_fifth_is_not_getting_better():
    # main answers all 400, 347 right: 86.75 %; pr declines 80 and is right on 296 of 320: 92.50 %, of all 74 %
    rows = [("main", f"q{i}", 1, float(i < 347), "ok") for i in range(400)]
    rows += [("pr", f"q{i}", 1, float(i < 296), "ok") for i in range(320)]
    rows += [("pr", f"q{i}", 1, None, "refused") for i in range(320, 400)]
    found = answered(rows)
    main, pr = found.baseline, found.candidate
    assert (main.overall.point, pr.over_answered.point) == (0.8675, 0.925)
    assert pr.overall.point == 296 / 400
    assert (pr.rows, pr.answered, pr.items_answered) == (400, 320, 320)
    assert (pr.share.low, pr.share.high) == (wilson(320, 400).low, wilson(320, 400).high)
    assert (pr.over_answered.low, pr.over_answered.n) == (wilson(296, 320).low, 320)
    assert found.disagree
    assert not found.complete


def test_all_answered_is_one_account():
    rows = [
        (system, f"q{i}", 1, float(i < right), "ok")
        for system, right in (("main", 5), ("pr", 8))
        for i in range(12)
    ]
    found = answered(rows)
    assert found.complete
    assert not found.disagree
    assert found.candidate.over_answered == found.candidate.overall


def test_attempts_are_counted_within_their_items_and_clusters():
    # q0: one of two attempts refused, the answered one right; q1: both answered, one right
    rows = [
        ("pr", "q0", 1, 1.0, "ok"),
        ("pr", "q0", 2, None, "refused"),
        ("pr", "q1", 1, 1.0, "ok"),
        ("pr", "q1", 2, 0.0, "ok"),
    ]
    rows += [("main", item, k, 0.0, "ok") for item in ("q0", "q1") for k in (1, 2)]
    found = answered(rows).candidate
    assert found.share.point == pytest.approx(3 / 4)
    assert found.overall.point == pytest.approx((1 / 2 + 1 / 2) / 2)
    assert found.over_answered.point == pytest.approx((1 + 1 / 2) / 2)
    assert found.over_answered.clusters == 2


def test_a_value_of_an_unanswered_row_counts_overall_only():
    # a right refusal is 1 overall and no answer; an answered row that the rule could not read stays a failure
    rows = [("main", f"q{i}", 1, 1.0, "ok") for i in range(3)]
    rows += [("pr", "q0", 1, 1.0, "refused"), ("pr", "q1", 1, 1.0, "ok"), ("pr", "q2", 1, None, "ok")]
    found = answered(rows).candidate
    assert found.overall.point == 1
    assert (found.answered, found.items_answered) == (2, 1)


def test_nothing_answered_has_no_second_account():
    rows = [("main", f"q{i}", 1, 1.0, "ok") for i in range(3)] + [
        ("pr", f"q{i}", 1, None, "timeout") for i in range(3)
    ]
    found = answered(rows)
    assert found.candidate.overall.point == 0
    assert isinstance(found.candidate.over_answered, Undefined)
    assert found.candidate.share.point == 0
    assert not found.disagree


def test_weights_of_items_weigh_the_rate_and_not_the_share_answered():
    items = pl.DataFrame({"item": ["q0", "q1"], "weight": [3.0, 1.0]})
    rows = [
        ("main", "q0", 1, 1.0, "ok"),
        ("main", "q1", 1, 0.0, "ok"),
        ("pr", "q0", 1, 1.0, "ok"),
        ("pr", "q1", 1, None, "refused"),
    ]
    found = answered(rows, items=items).candidate
    assert found.share.point == 0.5
    assert found.overall.point == 0.75
