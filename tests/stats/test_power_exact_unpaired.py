"""Exact power on different items: outside numbers, every table one by one, the sawtooth, rates of 0 and 1."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from aliquot.errors import UsageError
from aliquot.stats.power_exact_unpaired import (
    unpaired_design_errors,
    unpaired_exact_detectable,
    unpaired_exact_power,
    unpaired_exact_sample_size,
)
from aliquot.stats.results import Undefined
from aliquot.stats.unpaired_exact import boschloo, fisher
from aliquot.stats.unpaired_regions import boschloo_region
from aliquot.stats.unpaired_score import mn_score_test
from tests.oracles import cases


@pytest.mark.parametrize("case", cases("03_unpaired", "-fisherpow-"))
def test_power_of_fisher_computed_elsewhere(case):
    given_ = case["inputs"]
    found = unpaired_exact_power(
        given_["n_per_arm"], rate_a=given_["p1"], rate_b=given_["p2"], method="fisher"
    )
    assert found == pytest.approx(case["expected"]["power"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("seeds", "fisher-power-"))
def test_power_of_fisher_in_the_requirement_texts(case):
    parts = case["id"].split("-")[2:]
    n, rate_b = int(parts[0]), 1.0 if parts[1:] else 0.85
    found = unpaired_exact_power(n, rate_a=0.8, rate_b=rate_b, method="fisher")
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])


def plain_power(n_a, n_b, a, b, alpha, test) -> float:
    """Sum over every table."""
    return sum(
        binom.pmf(x, n_a, a) * binom.pmf(y, n_b, b)
        for x, y in itertools.product(range(n_a + 1), range(n_b + 1))
        if test(x, n_a, y, n_b).p <= alpha
    )


@settings(max_examples=20, deadline=None)
@given(
    n_a=st.integers(1, 12),
    n_b=st.integers(1, 12),
    a=st.sampled_from([0.0, 1.0]) | st.floats(0.001, 0.999),
    b=st.sampled_from([0.0, 1.0]) | st.floats(0.001, 0.999),
    level=st.sampled_from([0.8, 0.95]),
    method=st.sampled_from(["fisher", "fisher_mid_p", "mn_score"]),
)
def test_power_agrees_with_testing_each_table(n_a, n_b, a, b, level, method):
    def test(x_a, m, x_b, n):
        if method == "mn_score":
            return mn_score_test(x_a, m, x_b, n)
        return fisher(x_a, m, x_b, n, method="exact" if method == "fisher" else "mid_p")

    found = unpaired_exact_power(n_a, n_b=n_b, rate_a=a, rate_b=b, level=level, method=method)
    assert found == pytest.approx(plain_power(n_a, n_b, a, b, round(1 - level, 12), test), abs=1e-9)


@pytest.mark.parametrize(
    ("n_a", "n_b", "a", "b"), [(12, 9, 0.5, 0.7), (15, 15, 0.9, 0.6), (10, 10, 0.7, 1.0)]
)
def test_design_errors_agree_with_testing_each_table(n_a, n_b, a, b):
    power = seen = wrong = 0.0
    for x, y in itertools.product(range(n_a + 1), range(n_b + 1)):
        if fisher(x, n_a, y, n_b).p <= 0.2:
            chance, found = binom.pmf(x, n_a, a) * binom.pmf(y, n_b, b), y / n_b - x / n_a
            power, seen = power + chance, seen + chance * abs(found)
            wrong += chance * (found * (b - a) < 0)
    errors = unpaired_design_errors(n_a, n_b=n_b, rate_a=a, rate_b=b, level=0.8, method="fisher")
    assert errors.power == pytest.approx(power, abs=1e-9)
    assert errors.type_m == pytest.approx(seen / power / abs(b - a), rel=1e-7)
    assert errors.type_s == pytest.approx(wrong / power, abs=1e-9)


def test_a_test_that_can_never_reject_has_no_design_errors():
    assert "never reject" in unpaired_design_errors(2, rate_a=0.2, rate_b=0.9, method="fisher").reason


@pytest.mark.parametrize(("n_a", "n_b"), [(6, 6), (4, 8)])
def test_boschloo_agrees_with_scipy_on_each_table(n_a, n_b):
    region = boschloo_region(n_a, n_b, alpha=0.1)
    for x, y in itertools.product(range(n_a + 1), range(n_b + 1)):
        assert region[x, y] == (boschloo(x, n_a, y, n_b).p <= 0.1), (x, y)
    rates = {"rate_a": 0.3, "rate_b": 0.9}
    expected = plain_power(n_a, n_b, 0.3, 0.9, 0.1, boschloo)
    assert unpaired_exact_power(n_a, n_b=n_b, **rates, level=0.9, method="boschloo") == pytest.approx(
        expected
    )


@pytest.mark.parametrize(("n_a", "n_b"), [(60, 60), (25, 110), (300, 300)])
def test_boschloo_keeps_its_level_and_is_never_below_fisher(n_a, n_b):
    sizes = [
        unpaired_exact_power(n_a, n_b=n_b, rate_a=rate, rate_b=rate, method="boschloo")
        for rate in np.linspace(0.003, 0.997, 71)
    ]
    assert max(sizes) <= 0.05 + 1e-9
    assert max(sizes) > 0.04
    for rates in ({"rate_a": 0.5, "rate_b": 0.62}, {"rate_a": 0.97, "rate_b": 1.0}):
        powers = [unpaired_exact_power(n_a, n_b=n_b, **rates, method=m) for m in ("boschloo", "fisher")]
        assert powers[0] >= powers[1] - 1e-12


@pytest.mark.parametrize(("n_a", "n_b"), [(5, 220), (150, 220), (40, 40)])
def test_no_common_rate_gives_a_side_of_boschloo_more_than_half(n_a, n_b):
    # the worst rate lies between two points of the first grid in the first two cases
    region = boschloo_region(n_a, n_b, alpha=0.01)
    x_a, x_b = np.arange(n_a + 1), np.arange(n_b + 1)
    up = region & (x_b / n_b > x_a[:, None] / n_a)
    rates = np.sin(np.linspace(0.0005, np.pi / 2 - 0.0005, 6000))[:, None] ** 2
    for side in (up, region & ~up):
        size = ((binom.pmf(x_a, n_a, rates) @ side) * binom.pmf(x_b, n_b, rates)).sum(axis=1)
        assert size.max() <= 0.005 * (1 + 1e-9)


def test_the_deciding_test_changes_beyond_a_hundred_thousand_tables():
    for n, name in ((316, "boschloo"), (317, "mn_score")):
        found, named = (
            unpaired_exact_power(n, rate_a=0.8, rate_b=0.88, method=method) for method in ("deciding", name)
        )
        assert found == named


@pytest.mark.parametrize(
    ("a", "b", "power", "level", "method"),
    [
        (0.5, 0.9, 0.8, 0.95, "fisher"),
        (0.8, 1.0, 0.8, 0.95, "fisher"),
        (0.3, 0.6, 0.8, 0.9, "fisher_mid_p"),
        (0.5, 0.9, 0.8, 0.95, "boschloo"),
        (0.0, 0.3, 0.9, 0.95, "deciding"),
        (0.7, 0.85, 0.8, 0.95, "mn_score"),
        (0.2, 0.4, 0.5, 0.95, "mn_score"),
    ],
)
def test_sample_size_is_past_the_last_tooth(a, b, power, level, method):
    found = unpaired_exact_sample_size(a, b, power=power, level=level, method=method)
    powers = {
        n: unpaired_exact_power(n, rate_a=a, rate_b=b, level=level, method=method)
        for n in range(max(1, found - 3), found + 40)
    }
    assert powers[found - 1] < power
    assert min(powers[n] for n in powers if n >= found) >= power


@pytest.mark.parametrize("direction", ["up", "down"])
@pytest.mark.parametrize("rate", [0.0, 0.4, 1.0])
def test_detectable_is_where_the_power_is_reached(rate, direction):
    found = unpaired_exact_detectable(40, rate=rate, direction=direction)
    if (rate, direction) in {(1.0, "up"), (0.0, "down")}:
        assert "too few" in found.reason
        return
    for step, reached in ((0.0, True), (-2e-6, False)):
        other = rate + (found + step if direction == "up" else -found - step)
        assert (unpaired_exact_power(40, rate_a=rate, rate_b=other) >= 0.8) is reached


def test_an_effective_number_is_rounded_down():
    assert unpaired_exact_power(30.9, rate_a=0.5, rate_b=0.8) == unpaired_exact_power(
        30, rate_a=0.5, rate_b=0.8
    )


def test_a_sample_size_beyond_reach_is_undefined():
    assert isinstance(unpaired_exact_sample_size(0.8, 0.85, method="boschloo"), Undefined)
    assert isinstance(unpaired_exact_sample_size(0.5, 0.505, method="mn_score"), Undefined)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: unpaired_exact_power(30, rate_a=80, rate_b=0.9), "0.8, not 80"),
        (lambda: unpaired_exact_power(30, rate_a=0.8, rate_b=0.9, method="z"), "unknown method"),
        (lambda: unpaired_exact_power(400, rate_a=0.8, rate_b=0.9, method="boschloo"), "unpaired_z_power"),
        (lambda: unpaired_exact_power(10**6, rate_a=0.5, rate_b=0.5), "too many tables"),
        (lambda: unpaired_design_errors(30, rate_a=0.8, rate_b=0.8), "other than 0"),
        (lambda: unpaired_exact_sample_size(0.5, 0.5), "equal rates"),
        (lambda: unpaired_exact_detectable(9, rate=0.5, direction="left"), "unknown direction"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
