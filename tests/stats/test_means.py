from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from aliquot.errors import UsageError
from aliquot.stats.bootstrap import bootstrap_mean
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.means import T_FROM, mean, mean_bounded, mean_t
from aliquot.stats.proportions import wilson
from aliquot.stats.rates import rate
from aliquot.stats.results import Undefined
from tests.oracles import cases

REALS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40)
SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.8, 1.0]), min_size=2, max_size=40)
Z = 1.959963984540054


@given(REALS, st.sampled_from([0.8, 0.95, 0.99]))
def test_t_equals_scipy(y, level):
    found = mean_t(y, level=level)
    if min(y) == max(y):
        assert isinstance(found, Undefined)
        return
    se = reference.sem(y)
    if se < 1e-9 * max(map(abs, y)):
        return  # rounding of the values themselves
    low, high = reference.t.interval(level, len(y) - 1, loc=np.mean(y), scale=se)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-6, abs=1e-6 * se)
    assert mean_t(y, level=0.5 + level / 2, alternative="greater").low == pytest.approx(found.low)
    assert mean_t(y, level=0.5 + level / 2, alternative="less").high == pytest.approx(found.high)
    assert mean_t(y, alternative="greater").high == math.inf


def test_clusters_use_v_and_its_df():
    y, clusters = np.array([9.0, 12, 10, 13, 15, 14, 8, 7, 9]), np.repeat([1, 2, 3], 3)
    v = cluster_variance(y, clusters=clusters)
    found = mean_t(y, clusters=clusters)
    half = reference.t.ppf(0.975, v.df) * math.sqrt(v.variance)
    assert (found.low, found.high) == pytest.approx((v.mean - half, v.mean + half))
    assert (found.method, found.clusters, found.df) == ("t_cr2", 3, pytest.approx(2.0))


@given(SCORES, st.sampled_from([0.8, 0.95, 0.99]))
def test_bounded_equals_the_plain_form(y, level):
    n, m = len(y), float(np.mean(y))
    variance = np.var(y, ddof=1) / n
    n_eff = n if min(y) == max(y) else m * (1 - m) / variance
    ratio = reference.norm.ppf(0.5 + level / 2) / reference.t.ppf(0.5 + level / 2, n - 1)
    star = n_eff * ratio**2
    found = mean_bounded(y, level=level)
    expected = wilson(m * star, star, level=level)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert 0 <= found.low <= found.point <= found.high <= 1
    assert found.width > 0


@given(SCORES, st.floats(-50, 50), st.floats(0.1, 100))
def test_bounded_follows_the_scale(y, low, span):
    first = mean_bounded(y)
    second = mean_bounded(np.clip(low + span * np.array(y), low, low + span), low=low, high=low + span)
    assert (second.low - low) / span == pytest.approx(first.low, abs=1e-6)
    assert (second.high - low) / span == pytest.approx(first.high, abs=1e-6)


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=8, max_size=60), st.integers(2, 5))
def test_bounded_of_zeros_and_ones_with_clusters_is_the_rate(y, g):
    clusters = np.arange(len(y)) % g
    first, second = mean_bounded(y, clusters=clusters), rate(y, clusters=clusters)
    assert (first.low, first.high) == pytest.approx((second.low, second.high), abs=1e-9)
    assert first.n_eff == pytest.approx(second.n_eff)


def test_bounded_at_the_ceiling_and_in_clusters():
    # all equal: n_eff = n = 20, n* = 20 (z/t₁₉)²
    star = 20 * (Z / reference.t.ppf(0.975, 19)) ** 2
    assert mean_bounded(np.ones(20)).low == pytest.approx(star / (star + Z * Z))
    inner = mean_bounded(np.full(20, 0.7))
    assert (inner.low, inner.high) == pytest.approx(
        (wilson(0.7 * star, star).low, wilson(0.7 * star, star).high)
    )
    # all equal in 5 clusters: 5 rows' worth
    assert mean_bounded(np.full(20, 0.7), clusters=np.repeat(np.arange(5), 4)).n_eff == 5


def test_clusters_never_add_information():
    y = np.tile([0.2, 0.5, 0.9], 10)  # every cluster has the same mean: V = 0
    clustered = mean_bounded(y, clusters=np.repeat(np.arange(10), 3))
    assert clustered.n_eff == pytest.approx(mean_bounded(y).n_eff)


def test_the_rule_for_unbounded_values():
    rng = np.random.default_rng(3)
    few, many = rng.exponential(size=T_FROM - 1), rng.exponential(size=T_FROM)
    assert mean(few, n_resamples=199).method == "bootstrap_bca"
    assert mean(few, n_resamples=199).low == bootstrap_mean(few, n_resamples=199).low
    assert mean(many).method == "t"
    assert mean(few, clusters=np.arange(few.size) % 7).method == "t_cr2"
    assert mean(few, weights=np.arange(1, few.size + 1)).df < few.size - 1


def test_public_case_15_a_constant_rating_has_no_interval():
    for call in (mean, mean_t, bootstrap_mean):
        found = call([3.5] * 28)
        assert isinstance(found, Undefined)
        assert "3.5" in found.reason
    assert isinstance(mean_t([1.0]), Undefined)
    assert isinstance(mean_bounded([0.4]), Undefined)
    assert isinstance(mean_t([1.0, 2, 1, 2], clusters=[0, 0, 1, 1]), Undefined)


def test_design_effect_of_the_requirement_text():
    # 50 clusters of 20, ICC .3, p .75: 1 + 19 × .3 = 6.7; exact CR2 variance of a matching sample agrees
    given_ = next(p.values[0] for p in cases("seeds_more", "s-deff"))
    naive = math.sqrt(0.75 * 0.25 / 1000)
    assert naive == pytest.approx(given_["expected"]["se_naive"], abs=given_["tolerance"])
    assert naive * math.sqrt(1 + 19 * 0.3) == pytest.approx(given_["expected"]["se"], abs=given_["tolerance"])


def test_bad_input():
    with pytest.raises(UsageError, match="low below high"):
        mean_bounded([0.1, 0.2], low=1, high=0)
    with pytest.raises(UsageError, match="between"):
        mean_bounded([0.1, 2.0])
    with pytest.raises(UsageError, match="alternative"):
        mean_t([1, 2], alternative="both")  # pyright: ignore[reportArgumentType]
