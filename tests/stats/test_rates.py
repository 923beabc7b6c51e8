from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from aliquot.errors import UsageError
from aliquot.stats.proportions import clopper_pearson, wilson
from aliquot.stats.rates import floor_interval, rate
from aliquot.stats.results import Undefined


@st.composite
def clustered_answers(draw):
    sizes = draw(st.lists(st.integers(1, 6), min_size=2, max_size=12))
    rows = sum(sizes)
    answers = draw(st.lists(st.sampled_from([0, 1]), min_size=rows, max_size=rows))
    return np.array(answers, dtype=float), np.repeat(np.arange(len(sizes)), sizes)


def plain_rate(y, clusters, weights=None, level=0.95):
    """The design's rule with the full matrix P instead of its closed form; limits, n_eff and ν."""
    n, labels = y.size, np.unique(clusters)
    w = np.full(n, 1 / n) if weights is None else weights / weights.sum()
    p = float(w @ y)
    q = np.array([w[clusters == g].sum() for g in labels])
    u = np.array([(w[clusters == g] ** 2).sum() for g in labels])
    s = np.array([(w * (y - p))[clusters == g].sum() for g in labels])
    v = (s**2 / (1 - q)).sum()
    root = np.sqrt(np.outer(1 - q, 1 - q))
    big_p = (np.diag(u) - np.outer(q, u) - np.outer(u, q) + np.outer(q, q) * u.sum()) / root
    df = np.trace(big_p) ** 2 / (big_p**2).sum()
    g = labels.size
    if y.min() == y.max():
        p, n_eff = float(y[0]), min(g, 1 / (w**2).sum())
    else:
        n_eff = n / max(1, v / (p * (1 - p) / n))
        ones = y.sum()
        rarer = [value for value, count in ((1, ones), (0, n - ones)) if count == min(ones, n - ones)]
        if min(np.unique(clusters[y == value]).size for value in rarer) < 3:
            n_eff = min(n_eff, g)
    star = n_eff * (reference.norm.ppf(0.5 + level / 2) / reference.t.ppf(0.5 + level / 2, df)) ** 2
    return wilson(min(p, 1) * star, star, level=level), n_eff, df


@given(clustered_answers(), st.sampled_from([0.8, 0.95, 0.99]))
def test_clusters_equal_the_plain_form(data, level):
    y, clusters = data
    found = rate(y, clusters=clusters, level=level)
    if np.unique(clusters).size == y.size:
        assert found == rate(y, level=level)
        return
    expected, n_eff, df = plain_rate(y, clusters, level=level)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-8)
    assert found.n_eff == pytest.approx(n_eff, rel=1e-8)
    assert found.df == pytest.approx(df, rel=1e-8)
    assert (found.n, found.clusters) == (y.size, np.unique(clusters).size)
    assert 0 <= found.low < found.high <= 1
    assert found.low <= found.point <= found.high


@given(clustered_answers(), st.integers(0, 2**32 - 1))
def test_weights_equal_the_plain_form(data, seed):
    y, _ = data
    weights = np.random.default_rng(seed).uniform(0.1, 3, y.size)
    found = rate(y, weights=weights)
    expected, n_eff, _ = plain_rate(y, np.arange(y.size), weights)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-8)
    assert found.n_eff == pytest.approx(n_eff, rel=1e-8)
    assert found.clusters is None
    assert found.method == "wilson_effective_n"


@given(clustered_answers(), st.integers(0, 2**32 - 1))
def test_order_labels_and_scale_of_weights_do_not_matter(data, seed):
    y, clusters = data
    rng = np.random.default_rng(seed)
    weights, order = rng.uniform(0.1, 3, y.size), rng.permutation(y.size)
    first = rate(y, clusters=clusters, weights=weights)
    second = rate(
        y[order], clusters=[f"document {c}" for c in clusters[order]], weights=1000 * weights[order]
    )
    assert (second.low, second.point, second.high) == pytest.approx(
        (first.low, first.point, first.high), abs=1e-9
    )


def test_independent_rows_are_wilson():
    y = np.array([1] * 87 + [0] * 33)
    found = rate(y)
    assert (found.low, found.high, found.method) == (wilson(87, 120).low, wilson(87, 120).high, "wilson")
    assert rate(y, weights=np.full(120, 0.3)).method == "wilson"
    assert rate(y, clusters=np.arange(120)).method == "wilson"


def test_all_right_counts_clusters_once():
    # 6 clusters of 10: ν = 5, n* = 6 (1.959964/2.570582)²; low = n*/(n* + z²)
    found = rate(np.ones(60), clusters=np.repeat(np.arange(6), 10))
    star = 6 * (1.959963984540054 / 2.570581835636314) ** 2
    assert found.n_eff == 6
    assert found.high == 1.0
    assert found.low == pytest.approx(star / (star + 1.959963984540054**2), abs=1e-9)
    assert found.low < wilson(60, 60).low


def test_all_right_with_weights_counts_kishs_n():
    weights = np.array([1.0, 1, 1, 1, 6])
    found = rate(np.ones(5), weights=weights)
    assert found.n_eff == pytest.approx(10**2 / (4 + 36))  # (Σw)²/Σw² = 2.5
    assert (found.point, found.high) == (1.0, 1.0)


def test_failures_in_two_clusters_count_clusters_at_most():
    y, clusters = np.ones(100), np.repeat(np.arange(10), 10)
    y[[0, 10]] = 0  # one failure in each of two clusters: V is below pq/n, so n_eff would be 100
    assert rate(y, clusters=clusters).n_eff == 10
    y[20] = 0  # a third cluster: now V speaks
    assert rate(y, clusters=clusters).n_eff == 100


def test_one_correction_only():
    # perfectly correlated clusters of 5: V = Σ(S_g)²/(1 − 1/G) = pq/(G − 1), so n_eff = G − 1
    y = np.repeat([1, 1, 1, 1, 0, 0, 0, 1, 1, 0], 5)
    found = rate(y, clusters=np.repeat(np.arange(10), 5))
    assert found.n_eff == pytest.approx(9)
    assert found.df == pytest.approx(9)
    star = 9 * (1.959963984540054 / 2.2621571628540993) ** 2
    assert found.low == pytest.approx(wilson(0.6 * star, star).low, abs=1e-9)


def test_rows_of_weight_nothing_are_not_counted():
    found = rate([1, 0, 1, 1, 0], weights=[1, 1, 1, 2, 0])
    assert found == rate([1, 0, 1, 1], weights=[1, 1, 1, 2])
    assert found.n == 4


def test_one_cluster_is_undefined():
    found = rate([1, 0, 1], clusters=["a", "a", "a"])
    assert isinstance(found, Undefined)
    assert "one cluster only" in found.reason
    assert isinstance(floor_interval([1, 1], clusters=[0, 0]), Undefined)


def test_floors():
    # 36 of 36: .025^(1/36) = .9026 clears .9; 4 of 5 does not
    assert floor_interval(np.ones(36)).low == pytest.approx(0.025 ** (1 / 36), abs=1e-12)
    assert floor_interval(np.ones(36)).low > 0.9
    assert floor_interval([1, 1, 1, 1, 0]).low < 0.9 < floor_interval([1, 1, 1, 1, 0]).high
    y, clusters = np.ones(72), np.repeat(np.arange(36), 2)
    found = floor_interval(y, clusters=clusters)
    star = 36 * (1.959963984540054 / reference.t.ppf(0.975, 35)) ** 2
    assert found.low == pytest.approx(clopper_pearson(star, star).low, abs=1e-9)
    assert found.method == "clopper_pearson_effective_n"


def test_bad_input():
    with pytest.raises(UsageError, match="0 and 1 only"):
        rate([0, 1, 0.5])
    with pytest.raises(UsageError, match="nan"):
        rate([0, 1, math.nan])
    with pytest.raises(UsageError, match="one label"):
        rate([0, 1], clusters=[1])
    with pytest.raises(UsageError, match="level"):
        rate([0, 1], level=95)
