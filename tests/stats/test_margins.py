"""Tests against a margin: outside numbers, and the intervals that must say the same."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import t as student

from aliquot.errors import UsageError
from aliquot.stats.margins import paired_margin_test, t_margin_test, unpaired_margin_test
from aliquot.stats.paired_score import tango
from aliquot.stats.unpaired_score import miettinen_nurminen
from tests.oracles import cases


@pytest.mark.parametrize("case", [c for c in cases("04_power", "-tango-ni-") if "exact" not in c.id])
def test_not_worse_by_tango_computed_elsewhere(case):
    given_, expected = case["inputs"], case["expected"]
    found = paired_margin_test(given_["b"], given_["c"], given_["n"], margin=given_["margin"])
    assert found.statistic == pytest.approx(expected["z"], abs=case["tolerance"])
    assert found.p == pytest.approx(expected["p_value"], abs=case["tolerance"])


margins = st.floats(0.01, 0.95)


@given(
    fixed=st.integers(0, 60),
    broke=st.integers(0, 60),
    same=st.integers(0, 120),
    margin=margins,
    level=st.sampled_from([0.8, 0.95]),
)
def test_the_paired_test_says_what_the_interval_says(fixed, broke, same, margin, level):
    n = fixed + broke + same
    assume(n > 0)
    interval = tango(fixed, broke, n, level=level)
    assume(min(abs(interval.low + margin), abs(interval.high - margin)) > 1e-9)
    alpha = (1 - level) / 2
    assert (paired_margin_test(fixed, broke, n, margin=margin).p <= alpha) == (interval.low > -margin)
    within = -margin < interval.low and interval.high < margin
    assert (paired_margin_test(fixed, broke, n, margin=margin, goal="equivalent").p <= alpha) == within


@given(
    n_a=st.integers(1, 80),
    n_b=st.integers(1, 80),
    share_a=st.floats(0, 1),
    share_b=st.floats(0, 1),
    margin=margins,
)
def test_the_unpaired_test_says_what_the_interval_says(n_a, n_b, share_a, share_b, margin):
    x_a, x_b = round(share_a * n_a), round(share_b * n_b)
    interval = miettinen_nurminen(x_a, n_a, x_b, n_b)
    assume(min(abs(interval.low + margin), abs(interval.high - margin)) > 1e-7)
    assert (unpaired_margin_test(x_a, n_a, x_b, n_b, margin=margin).p <= 0.025) == (interval.low > -margin)
    both = unpaired_margin_test(x_a, n_a, x_b, n_b, margin=margin, goal="equivalent")
    assert (both.p <= 0.025) == (-margin < interval.low and interval.high < margin)


@given(difference=st.floats(-2, 2), se=st.floats(0.01, 1), df=st.floats(1, 200), margin=st.floats(0.01, 2))
def test_the_t_test_says_what_the_interval_says(difference, se, df, margin):
    reach = student.ppf(0.975, df) * se
    assume(min(abs(difference - reach + margin), abs(difference + reach - margin)) > 1e-9)
    assert (t_margin_test(difference, se=se, df=df, margin=margin).p <= 0.025) == (
        difference - reach > -margin
    )
    both = t_margin_test(difference, se=se, df=df, margin=margin, goal="equivalent")
    assert (both.p <= 0.025) == (-margin < difference - reach and difference + reach < margin)


def test_what_a_test_says_of_itself():
    found = paired_margin_test(12, 10, 120, margin=0.05, goal="equivalent")
    assert (found.name, found.alternative) == ("tango_equivalent", "two-sided")
    assert found.null == "the difference is 0.05 or more in size"
    assert unpaired_margin_test(80, 100, 82, 100, margin=0.1).name == "mn_not_worse"
    assert t_margin_test(0.1, se=0.2, df=9, margin=0.3).df == 9


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_margin_test(12, 10, 20, margin=0.05), "must not exceed n"),
        (lambda: paired_margin_test(12, 10, 120, margin=5), "0.05, not 5"),
        (lambda: paired_margin_test(12, 10, 120, margin=0), "margin must be above 0"),
        (lambda: paired_margin_test(12, 10, 120, margin=0.1, goal="better"), "unknown goal"),
        (lambda: unpaired_margin_test(12, 10, 2, 10, margin=0.1), "must not exceed"),
        (lambda: t_margin_test(0.1, se=0, df=9, margin=0.3), "an error above 0"),
        (lambda: t_margin_test(math.nan, se=1, df=9, margin=0.3), "finite difference"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
