"""Power of the pooled z test: outside numbers and a plain second form."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from aliquot.errors import UsageError
from aliquot.stats.power_unpaired import (
    unpaired_arcsine_power,
    unpaired_detectable,
    unpaired_sample_size,
    unpaired_z_power,
)
from aliquot.stats.results import Undefined
from tests.oracles import cases


@pytest.mark.parametrize("case", cases("seeds", "unpaired-z-power-"))
def test_power_of_the_requirement_texts(case):
    n = int(case["id"].rpartition("-")[2])
    found = unpaired_z_power(n, rate_a=0.80, rate_b=0.85)
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])
    # the description holds the value with both tails: "... counting both tails gives 0.07971)"
    both = float(case["function_description"].rpartition("gives ")[2].rstrip(")"))
    assert unpaired_z_power(n, rate_a=0.80, rate_b=0.85, wrong_way=True) == pytest.approx(both, abs=5e-6)


@pytest.mark.parametrize("case", cases("seeds", "detectable-"))
def test_detectable_difference_of_the_requirement_texts(case):
    found = unpaired_detectable(int(case["id"].rpartition("-")[2]), rate=0.80)
    assert 100 * found == pytest.approx(case["expected"], abs=case["tolerance"])


@given(
    n_a=st.integers(2, 3000),
    n_b=st.integers(2, 3000),
    a=st.floats(0.02, 0.98),
    b=st.floats(0.02, 0.98),
    level=st.sampled_from([0.9, 0.95]),
)
def test_power_is_the_chance_that_a_normal_difference_passes_the_pooled_limit(n_a, n_b, a, b, level):
    pooled = (n_a * a + n_b * b) / (n_a + n_b)
    limit = norm.ppf(0.5 + level / 2) * math.sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    law = norm(b - a, math.sqrt(a * (1 - a) / n_a + b * (1 - b) / n_b))
    above, below = law.sf(limit), law.cdf(-limit)
    both = unpaired_z_power(n_a, n_b=n_b, rate_a=a, rate_b=b, level=level, wrong_way=True)
    assert both == pytest.approx(above + below, abs=1e-12)
    favoured = unpaired_z_power(n_a, n_b=n_b, rate_a=a, rate_b=b, level=level)
    assert favoured == pytest.approx(above if b >= a else below, abs=1e-12)


@given(n=st.integers(30, 5000), rate=st.floats(0.1, 0.9), direction=st.sampled_from(["up", "down"]))
def test_detectable_and_sample_size_are_inverse(n, rate, direction):
    found = unpaired_detectable(n, rate=rate, direction=direction)
    if isinstance(found, Undefined):
        edge = 1 - 1e-9 if direction == "up" else 1e-9
        assert unpaired_z_power(n, rate_a=rate, rate_b=edge) < 0.8
        return
    other = rate + (found if direction == "up" else -found)
    assert unpaired_sample_size(rate, other) == pytest.approx(n, rel=1e-5)


def test_what_cannot_be_found_is_undefined():
    assert "too few" in unpaired_detectable(10, rate=0.95).reason
    assert "rate of 0 against 0.05" in unpaired_detectable(10, rate=0.05, direction="down").reason


@pytest.mark.parametrize("rate", [0, 1])
def test_the_normal_approximation_is_refused_where_a_rate_has_no_spread(rate):
    # 30 items, .80 against 1: pooled .9, limit 1.96 √(2·.9·.1/30) = .1518; se √(.8·.2/30) = .0730;
    # Φ((.2 − .1518)/.0730) = .745, while Fisher's exact power is .5725
    assert norm.cdf((0.2 - norm.ppf(0.975) * math.sqrt(0.18 / 30)) / math.sqrt(0.16 / 30)) == pytest.approx(
        0.745, abs=5e-4
    )
    for refused in (
        lambda: unpaired_z_power(30, rate_a=0.8, rate_b=rate),
        lambda: unpaired_z_power(30, rate_a=rate, rate_b=0.8),
        lambda: unpaired_arcsine_power(30, rate_a=0.8, rate_b=rate),
        lambda: unpaired_sample_size(0.8, rate),
        lambda: unpaired_detectable(30, rate=rate),
    ):
        with pytest.raises(UsageError, match=r"does not hold at rate.* = [01]; use the exact power"):
            refused()


@pytest.mark.parametrize("case", cases("04_power", "-ztest-"))
def test_power_computed_by_r(case):
    given = case["inputs"]
    found = unpaired_z_power(
        given["n_per_arm"], rate_a=given["p1"], rate_b=given["p2"], wrong_way="strict" in case["id"]
    )
    assert found == pytest.approx(case["expected"]["power"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("04_power", "-arcsine-"))
def test_arcsine_power_computed_by_pwr(case):
    given = case["inputs"]
    found = unpaired_arcsine_power(given["n_per_arm"], rate_a=given["p1"], rate_b=given["p2"], wrong_way=True)
    assert found == pytest.approx(case["expected"]["power"], abs=case["tolerance"])


def test_arcsine_power_favours_the_true_direction():
    n_a, n_b, a, b = 60, 90, 0.3, 0.45
    h = 2 * (math.asin(math.sqrt(b)) - math.asin(math.sqrt(a)))
    law = norm(h, math.sqrt(1 / n_a + 1 / n_b))
    limit = norm.ppf(0.975) * math.sqrt(1 / n_a + 1 / n_b)
    assert unpaired_arcsine_power(n_a, n_b=n_b, rate_a=a, rate_b=b) == pytest.approx(law.sf(limit), abs=1e-12)
    both = unpaired_arcsine_power(n_a, n_b=n_b, rate_a=b, rate_b=a, wrong_way=True)
    assert both == pytest.approx(law.sf(limit) + law.cdf(-limit), abs=1e-12)


@pytest.mark.parametrize("case", cases("04_power", "-ppt-n-"))
def test_sample_size_computed_by_r(case):
    given = case["inputs"]
    found = unpaired_sample_size(given["p1"], given["p2"], power=given["power"])
    assert found == pytest.approx(case["expected"]["n_unrounded"], abs=case["tolerance"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: unpaired_z_power(0, rate_a=0.5, rate_b=0.6), "n_a must be"),
        (lambda: unpaired_z_power(9, n_b=0, rate_a=0.5, rate_b=0.6), "n_b must be"),
        (lambda: unpaired_z_power(9, rate_a=50, rate_b=0.6), "rate_a must lie"),
        (lambda: unpaired_sample_size(0.5, 0.5), "equal rates"),
        (lambda: unpaired_detectable(9, rate=0.5, direction="sideways"), "unknown direction"),
        (lambda: unpaired_detectable(9, rate=0.5, power=1), "power must lie"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
