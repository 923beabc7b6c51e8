"""Interval and test must agree before a difference is claimed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.decision import decided_interval, rejects
from aliquot.stats.paired_score import tango
from aliquot.stats.paired_tests import mcnemar
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


def estimate(low: float, high: float, level: float = 0.95) -> Estimate:
    return Estimate(point=(low + high) / 2, low=low, high=high, level=level, method="t", n=9)


def test_5_to_0_of_100_is_held_at_0():
    found = decided_interval(tango(5, 0, 100), mcnemar(5, 0))
    assert found.low == 0
    assert found.high == tango(5, 0, 100).high
    assert found.point == 0.05
    assert found.method == "tango, limit held at 0 by mcnemar_exact"


def test_0_to_5_of_100_is_held_from_below():
    found = decided_interval(tango(0, 5, 100), mcnemar(0, 5))
    assert (found.low, found.high) == (tango(0, 5, 100).low, 0)


def test_6_to_0_of_100_is_claimed():
    found = decided_interval(tango(6, 0, 100), mcnemar(6, 0))
    assert found == tango(6, 0, 100)
    assert found.low > 0


def test_an_interval_that_holds_0_is_left_alone_even_when_the_test_rejects():
    wide = estimate(-0.1, 0.3)
    assert decided_interval(wide, HypothesisTest(name="x", p=0.001)) is wide
    touching = estimate(0.0, 0.3)
    assert decided_interval(touching, HypothesisTest(name="x", p=0.5)) is touching


def test_a_test_that_could_not_be_made_rejects_nothing():
    missing = Undefined("one cluster")
    assert not rejects(missing)
    found = decided_interval(estimate(0.1, 0.3), missing)
    assert (found.low, found.method) == (0, "t, limit held at 0 by the missing test")


def test_an_undefined_interval_stays_undefined():
    nothing = Undefined("one cluster")
    assert decided_interval(nothing, mcnemar(6, 0)) is nothing


@pytest.mark.parametrize(("level", "p"), [(0.95, 0.05), (0.9, 0.1), (0.99, 0.01), (0.7, 0.3)])
def test_a_p_at_the_level_rejects(level, p):
    assert rejects(HypothesisTest(name="x", p=p), level=level)
    assert not rejects(HypothesisTest(name="x", p=p + 1e-9), level=level)


def test_the_level_is_that_of_the_interval_unless_given():
    test = HypothesisTest(name="x", p=0.07)
    assert decided_interval(estimate(0.1, 0.3, level=0.9), test).low == 0.1
    assert decided_interval(estimate(0.1, 0.3, level=0.9), test, level=0.95).low == 0


def test_a_one_sided_test_cannot_decide():
    with pytest.raises(UsageError, match="two-sided"):
        decided_interval(tango(6, 0, 100), mcnemar(6, 0, alternative="greater"))


@given(fixed=st.integers(0, 40), broke=st.integers(0, 40), rest=st.integers(0, 200))
def test_a_claim_needs_both(fixed, broke, rest):
    n = fixed + broke + rest
    if n == 0:
        return
    raw, test = tango(fixed, broke, n), mcnemar(fixed, broke)
    found = decided_interval(raw, test)
    claimed = found.low > 0 or found.high < 0
    assert claimed == (test.p <= 0.05 and (raw.low > 0 or raw.high < 0))
    assert found.low < found.high
    assert found.low <= found.point <= found.high
