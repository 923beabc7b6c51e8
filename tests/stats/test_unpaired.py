from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.rates import rate
from aliquot.stats.results import Undefined
from aliquot.stats.unpaired import unpaired_means, unpaired_rates, welch_test
from aliquot.stats.unpaired_score import miettinen_nurminen

RNG = np.random.default_rng(9)
A, B = RNG.normal(0, 1, 14), RNG.normal(0.6, 2, 9)
GROUPS_A, GROUPS_B = np.repeat(np.arange(7), 2), np.array([0, 0, 0, 1, 1, 2, 3, 3, 4])


def test_welch_equals_scipy() -> None:
    reference = stats.ttest_ind(B, A, equal_var=False)
    interval = reference.confidence_interval(0.9)
    found, test = unpaired_means(A, B, level=0.9), welch_test(A, B)
    assert (found.low, found.high, found.df) == pytest.approx((interval.low, interval.high, reference.df))
    assert (test.p, test.statistic) == pytest.approx((reference.pvalue, reference.statistic))
    assert (found.method, found.n, found.clusters) == ("welch", 23, None)


def test_clustered_means_add_variances() -> None:
    found = unpaired_means(A, B, clusters_a=GROUPS_A, clusters_b=GROUPS_B)
    v_a, v_b = cluster_variance(A, clusters=GROUPS_A), cluster_variance(B, clusters=GROUPS_B)
    total = v_a.variance + v_b.variance
    df = total**2 / (v_a.variance**2 / v_a.df + v_b.variance**2 / v_b.df)
    half = stats.t.ppf(0.975, df) * np.sqrt(total)
    difference = B.mean() - A.mean()
    assert (found.low, found.high) == pytest.approx((difference - half, difference + half))
    assert (found.se, found.df, found.clusters) == pytest.approx((np.sqrt(total), df, 12))
    test = welch_test(A, B, clusters_a=GROUPS_A, clusters_b=GROUPS_B)
    assert test.p == pytest.approx(2 * stats.t.sf(abs(difference) / np.sqrt(total), df))


def test_one_side_may_be_clustered() -> None:
    found = unpaired_means(A, B, clusters_b=GROUPS_B)
    expected = cluster_variance(A).variance + cluster_variance(B, clusters=GROUPS_B).variance
    assert found.se == pytest.approx(np.sqrt(expected))


def test_rates_without_clusters_are_miettinen_nurminen() -> None:
    a, b = [1] * 12 + [0] * 8, [1] * 17 + [0] * 5
    assert unpaired_rates(a, b) == miettinen_nurminen(12, 20, 17, 22)


def test_rates_with_clusters_use_each_sides_effective_n() -> None:
    a, b = RNG.integers(0, 2, 40), RNG.integers(0, 2, 33)
    groups_a, groups_b = np.arange(40) // 4, np.arange(33) // 3
    found = unpaired_rates(a, b, clusters_a=groups_a, clusters_b=groups_b)
    stars = [rate(y, clusters=groups).settings["n_star"] for y, groups in ((a, groups_a), (b, groups_b))]
    expected = miettinen_nurminen(a.mean() * stars[0], stars[0], b.mean() * stars[1], stars[1])
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.point == pytest.approx(b.mean() - a.mean())
    assert (found.n, found.clusters) == (73, 21)


def test_all_right_in_clusters_counts_clusters() -> None:
    found = unpaired_rates([1] * 20, [1] * 20, clusters_a=np.arange(20) // 5)
    assert found.settings["n_star_a"] < 4
    assert found.settings["n_star_b"] == 20
    assert found.width > 0


def test_undefined_names_the_side() -> None:
    assert "side a" in unpaired_means([1.0], [1.0, 2.0]).reason
    assert "side b" in unpaired_means([1.0, 2.0], [1.0, 2.0], clusters_b=[1, 1]).reason
    for found in (unpaired_means([1, 1], [2, 2]), welch_test([1, 1], [2, 2])):
        assert isinstance(found, Undefined)
    assert isinstance(unpaired_rates([1, 0], [1, 0], clusters_a=[1, 1]), Undefined)


def test_swapping_sides_mirrors() -> None:
    there, back = unpaired_means(A, B), unpaired_means(B, A)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


def test_rates_must_be_binary() -> None:
    with pytest.raises(UsageError, match="0 and 1"):
        unpaired_rates([0.5, 1], [1, 0])


def test_the_reason_tells_clusters_from_weights_on_either_side():
    a, b = [1, 0, 1, 1, 0, 1], [0, 1, 1, 0, 1, 1]
    groups = [1, 1, 2, 2, 3, 3]
    assert "cluster" in unpaired_rates(a, b, clusters_b=groups).why
    assert unpaired_rates(a, b, weights_a=[1, 2, 1, 1, 2, 1]).why == "weighted rows"
