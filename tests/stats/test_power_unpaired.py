"""Power of the pooled z test: outside numbers and a plain second form."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from aliquot.errors import UsageError
from aliquot.stats.power_unpaired import unpaired_detectable, unpaired_sample_size, unpaired_z_power
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


@pytest.mark.parametrize(
    ("a", "b", "power", "n"),
    [  # R 4.2.2 power.prop.test
        (0.50, 0.75, 0.9, 76.7069),
        (0.80, 0.85, 0.8, 905.3658),
    ],
)
def test_sample_size_computed_elsewhere(a, b, power, n):
    assert unpaired_sample_size(a, b, power=power) == pytest.approx(n, abs=5e-4)


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
        edge = 1.0 if direction == "up" else 0.0
        assert unpaired_z_power(n, rate_a=rate, rate_b=edge) < 0.8
        return
    other = rate + (found if direction == "up" else -found)
    assert unpaired_sample_size(rate, other) == pytest.approx(n, rel=1e-5)


def test_what_cannot_be_found_is_undefined():
    assert "too few" in unpaired_detectable(10, rate=0.95).reason
    assert "rate of 1 against 1" in unpaired_detectable(10, rate=1).reason
    assert unpaired_detectable(10, rate=1, direction="down") > 0


def test_without_variance_power_is_all_or_nothing():
    # 0 of n against n of n: pooled ½, limit 1.96 √(½/n) is below 1 from n = 2 on
    assert unpaired_z_power(1, rate_a=0, rate_b=1) == 0
    assert unpaired_z_power(2, rate_a=0, rate_b=1) == 1
    assert unpaired_z_power(9, rate_a=1, rate_b=1) == 0


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
