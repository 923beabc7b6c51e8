from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from aliquot.errors import UsageError
from aliquot.stats.ratios import UnboundedRatio, fieller, fieller_from_moments, ratio_linear
from aliquot.stats.results import Undefined
from tests.oracles import case, cases


def accepted(theta, x, y, level=0.95):
    """Whether a t test of mean(x − θy) = 0 accepts θ: the definition of the set, without its formula."""
    d = x - theta * y
    se = d.std(ddof=1) / math.sqrt(d.size)
    return abs(d.mean()) <= reference.t.ppf(0.5 + level / 2, d.size - 1) * se


@st.composite
def pairs(draw):
    n = draw(st.integers(3, 15))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.normal(draw(st.floats(-2, 2)), 1, n), rng.normal(draw(st.floats(-3, 3)), 1, n)


@given(pairs(), st.sampled_from([0.8, 0.95]))
def test_the_set_is_that_of_the_t_test(data, level):
    x, y = data
    found = fieller(x, y, level=level)
    grid = np.concatenate([np.linspace(-5, 5, 41), [-1e4, 1e4]]) + 0.0123
    inside = np.array([accepted(theta, x, y, level) for theta in grid])
    if isinstance(found, UnboundedRatio):
        if found.kind == "whole_line":
            assert inside.all()
        else:
            low, high = found.gap
            near = (np.abs(grid - low) < 1e-6) | (np.abs(grid - high) < 1e-6)
            assert (inside == ~((grid > low) & (grid < high)))[~near].all()
        return
    near = (np.abs(grid - found.low) < 1e-6) | (np.abs(grid - found.high) < 1e-6)
    assert (inside == ((grid > found.low) & (grid < found.high)))[~near].all()
    assert found.low <= found.point <= found.high


def test_clusters_enter_by_their_variance():
    rng = np.random.default_rng(4)
    labels = np.repeat(np.arange(12), 5)
    x = (1 + rng.normal(size=12))[labels] + 0.1 * rng.normal(size=60)
    y = (4 + rng.normal(size=12))[labels] + 0.1 * rng.normal(size=60)
    whole, rows = fieller(x, y, clusters=labels), fieller(x, y)
    assert whole.point == pytest.approx(rows.point)
    assert whole.width > 1.5 * rows.width
    assert (whole.clusters, whole.df) == (12, pytest.approx(11))
    # equal clusters: the same as the ratio of cluster means, one row a cluster
    means = fieller(x.reshape(12, 5).mean(axis=1), y.reshape(12, 5).mean(axis=1))
    assert (whole.low, whole.high) == pytest.approx((means.low, means.high), rel=1e-9)


def test_from_moments_in_round_numbers():
    # z² = 3.841459, a = 4 − .038415, b = 8, c = 16 − .153658: (8 ± √(64 − ac))/a
    a, c = 4 - 0.038414588, 16 - 0.153658352
    root = math.sqrt(64 - a * c)
    found = fieller_from_moments(4.0, 2.0, variances=(0.04, 0.01))
    assert (found.low, found.high) == pytest.approx(((8 - root) / a, (8 + root) / a), abs=1e-6)


def test_sets_that_are_no_interval_say_so():
    gap = fieller_from_moments(5.0, 0.1, variances=(0.01, 0.01))
    assert isinstance(gap, UnboundedRatio)
    assert (gap.kind, gap.point, bool(gap)) == ("exclusive", pytest.approx(50.0), False)
    assert "outside" in str(gap)
    line = fieller_from_moments(0.1, 0.1, variances=(1.0, 1.0))
    assert (line.kind, line.gap) == ("whole_line", None)
    zero = fieller_from_moments(1.0, 0.0, variances=(0.01, 0.01))
    assert zero.point is None
    assert isinstance(fieller_from_moments(1.0, 2.0, variances=(0, 0)), Undefined)


def test_cost_per_extra_pass():
    # (.071 − .018)/2 extra passes, over any number of items: the n cancels
    given_ = case("seeds_more", "s-cost")
    n, extra = 60, given_["inputs"]["extra"]
    rng = np.random.default_rng(0)
    cost = rng.normal(0, 1e-5, n)
    cost += (given_["inputs"]["cost_b"] - given_["inputs"]["cost_a"]) / n - cost.mean()
    passes = np.zeros(n)
    passes[:extra] = 1
    found = fieller(cost, passes)
    assert found.point == pytest.approx(given_["expected"]["per_pass"], abs=given_["tolerance"])
    assert found.kind == "exclusive"  # two extra passes of sixty are not told from none


@pytest.mark.parametrize("case", cases("06_bootstrap", "city-ratio"))
def test_linear_variance(case):
    found = ratio_linear(case["inputs"]["x"], case["inputs"]["u"])
    assert found.point == pytest.approx(case["expected"]["t0"], abs=case["tolerance"])
    assert found.se**2 == pytest.approx(case["expected"]["var_linear"], abs=case["tolerance"])
    assert found.high - found.point == pytest.approx(1.959963984540054 * found.se)


def test_what_has_no_error_is_undefined():
    assert isinstance(fieller([2.0, 4, 6], [1.0, 2, 3]), Undefined)
    assert isinstance(ratio_linear([2.0, 4, 6], [1.0, 2, 3]), Undefined)
    assert isinstance(ratio_linear([2.0, 4], [1.0, -1]), Undefined)
    assert isinstance(fieller([2.0], [1.0]), Undefined)


def test_bad_input():
    with pytest.raises(UsageError, match="row by row"):
        fieller([1, 2], [1])
    with pytest.raises(UsageError, match="row by row"):
        ratio_linear([1, 2], [1])
    with pytest.raises(UsageError, match="impossible"):
        fieller_from_moments(1, 2, variances=(0.1, 0.1), covariance=0.2)
    with pytest.raises(UsageError, match="finite"):
        fieller_from_moments(math.nan, 2, variances=(0.1, 0.1))
