"""Power of the paired t test: outside numbers, scipy's noncentral t, and spreads that scores cannot have."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nct, t

from aliquot.errors import UsageError
from aliquot.stats.power_graded import (
    paired_t_detectable,
    paired_t_errors,
    paired_t_power,
    paired_t_sample_size,
)
from tests.oracles import cases


@pytest.mark.parametrize("case", cases("04_power", "-pwr-paired-t"))
def test_sample_size_computed_by_pwr(case):
    found = paired_t_sample_size(case["inputs"]["d"], sd=1, power=case["inputs"]["power"])
    assert found == pytest.approx(case["expected"]["n_unrounded"], abs=case["tolerance"])


@given(n=st.integers(2, 300), effect=st.floats(0, 3), level=st.sampled_from([0.8, 0.95, 0.999]))
def test_power_agrees_with_the_noncentral_t(n, effect, level):
    limit, shift = t.ppf(0.5 + level / 2, n - 1), math.sqrt(n) * effect
    expected = nct.sf(limit, n - 1, shift)
    wrong = nct.cdf(-limit, n - 1, shift)
    expected += 0.0 if math.isnan(wrong) else wrong  # scipy gives NaN far out, where it is below 1e-15
    found = paired_t_power(n, difference=-effect * 0.3, sd=0.3, level=level)
    assert found == pytest.approx(expected, abs=2e-10)


@given(effect=st.floats(0.02, 1.5), power=st.floats(0.1, 0.99), sd=st.floats(0.01, 20))
def test_the_three_forms_are_inverse(effect, power, sd):
    n = paired_t_sample_size(effect * sd, sd=sd, power=power)
    if n > 2:
        assert paired_t_power(n, difference=effect * sd, sd=sd) == pytest.approx(power, abs=1e-9)
        assert paired_t_detectable(n, sd=sd, power=power) == pytest.approx(effect * sd, rel=1e-6)
    else:
        assert paired_t_power(2, difference=effect * sd, sd=sd) >= power


@pytest.mark.parametrize(("n", "effect"), [(2, 0.5), (8, 0.2), (50, 0.1), (300, 0.1)])
def test_type_m_and_s_agree_with_simulation_of_mean_and_s(n, effect):
    rng = np.random.default_rng(0)
    mean = rng.normal(effect, 1 / math.sqrt(n), 2_000_000)
    s = np.sqrt(rng.chisquare(n - 1, mean.size) / (n - 1))
    found = np.abs(mean) > t.ppf(0.9, n - 1) * s / math.sqrt(n)
    errors = paired_t_errors(n, difference=-3 * effect, sd=3, level=0.8)
    assert errors.power == pytest.approx(found.mean(), abs=0.0015)
    assert errors.type_m == pytest.approx(np.abs(mean[found]).mean() / effect, rel=0.005)
    assert errors.type_s == pytest.approx((mean[found] < 0).mean(), abs=0.003)
    assert errors.power == pytest.approx(paired_t_power(n, difference=3 * effect, sd=3, level=0.8), abs=1e-12)


def test_many_items_are_normal():
    # n = 10⁷, Δ = .001, sd 1: shift √n Δ = 3.1623, Φ(3.1623 − 1.96) = .8854
    assert paired_t_power(10_000_000, difference=0.001, sd=1) == pytest.approx(0.8854, abs=1e-4)


def test_without_a_difference_power_is_the_size():
    assert paired_t_power(17, difference=0, sd=2) == pytest.approx(0.05, abs=1e-12)
    assert paired_t_detectable(17, sd=2, power=0.03) == 0
    assert "no standard error" in paired_t_detectable(1, sd=2).reason


def test_scores_in_0_to_1_cannot_spread_further_than_their_width():
    # differences within ±1 with mean .1: variance at most 1 − .01
    assert paired_t_power(50, difference=0.1, sd=math.sqrt(0.99), low=0, high=1) > 0
    with pytest.raises(UsageError, match=r"sd 0\.995 at the most"):
        paired_t_power(50, difference=0.1, sd=0.996, low=0, high=1)
    assert paired_t_power(50, difference=1, sd=9, low=0, high=10) > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paired_t_power(1, difference=0.1, sd=1), "n must be"),
        (lambda: paired_t_power(9, difference=0.1, sd=0), "sd must be positive"),
        (lambda: paired_t_power(9, difference=math.inf, sd=1), "difference must be"),
        (lambda: paired_t_power(9, difference=0.1, sd=1, low=0), "both low and high"),
        (lambda: paired_t_power(9, difference=2, sd=0.1, low=0, high=1), "impossible"),
        (lambda: paired_t_errors(9, difference=0, sd=1), "other than 0"),
        (lambda: paired_t_sample_size(0, sd=1), "smallest one that matters"),
        (lambda: paired_t_sample_size(1, sd=1, power=80), "0.8, not 80"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
