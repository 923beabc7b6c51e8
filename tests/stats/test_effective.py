from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.stats.effective import as_rows, effective_size, row_variance
from aliquot.stats.inputs import as_codes
from aliquot.stats.roots import bisect

LABELS = st.lists(st.integers(-120, 120), min_size=1, max_size=50)


@given(LABELS, st.sampled_from(["int8", "int16", "int64", "float64"]))
def test_codes_do_not_depend_on_the_type_of_the_labels(labels, kind):
    expected = np.unique(labels, return_inverse=True)[1]
    assert (as_codes(np.array(labels, dtype=kind), len(labels), name="clusters") == expected).all()


def test_codes_of_huge_labels():
    labels = np.array([2**64 - 1, 2**64 - 2, 2**64 - 1], dtype=np.uint64)
    assert as_codes(labels, 3, name="clusters").tolist() == [1, 0, 1]


def test_what_changes_nothing_is_dropped():
    rows = as_rows([1, 0, 1], clusters=["a", "b", "c"], weights=[2, 2, 2])
    assert rows.plain
    # without the row of weight 0 every cluster has one row left
    assert as_rows([1, 0, 1], clusters=[1, 1, 2], weights=[2, 0, 2]).plain
    assert not as_rows([1, 0, 1], clusters=[1, 1, 2], weights=None).plain


def test_mean_of_equal_rows_is_exact_under_any_weights():
    rows = as_rows([0.1] * 7, clusters=None, weights=[0.1, 0.2, 0.3, 0.7, 0.11, 0.13, 0.17])
    assert rows.mean == 0.1


@given(st.floats(0.001, 0.999), st.integers(2, 8))
def test_n_star_never_exceeds_n_eff(mean, g):
    y = np.clip(mean + 0.01 * np.sin(np.arange(3 * g)), 0, 1)
    rows = as_rows(y, clusters=np.repeat(np.arange(g), 3), weights=None)
    size = effective_size(rows, spread=rows.mean * (1 - rows.mean), level=0.95)
    assert 0 < size.n_star < size.n_eff  # z/t < 1 at any df


def test_bisect():
    assert bisect(lambda x: x**3 - 2, 0, 2) == pytest.approx(2 ** (1 / 3), abs=1e-15)
    assert bisect(lambda x: 1 - x, 0, 3) == pytest.approx(1.0, abs=1e-15)
    assert bisect(lambda x: x, 0, 1) == 0
    assert bisect(lambda x: x - 1, 0, 1) == 1
    with pytest.raises(ArithmeticError, match="no change of sign"):
        bisect(math.exp, -1, 1)


def _plain_size(y, clusters):
    """The design's n_eff of 0/1 rows in clusters of equal weight, by loops."""
    n, p = len(y), sum(y) / len(y)
    sums, sizes = {}, {}
    for value, cluster in zip(y, clusters, strict=True):
        sums[cluster] = sums.get(cluster, 0.0) + value - p
        sizes[cluster] = sizes.get(cluster, 0) + 1
    variance = sum((sums[g] / n) ** 2 / (1 - sizes[g] / n) for g in sums)
    return n / max(1.0, variance / (p * (1 - p) / n))


@pytest.mark.parametrize(
    "y",
    [
        [1, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 1],  # clusters differ: V above pq/n
        [1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1],  # clusters alike: never more than n
    ],
)
def test_effective_size_is_the_design_formula(y):
    clusters = np.repeat(np.arange(5), 3)
    size = effective_size(as_rows(y, clusters=clusters, weights=None), spread=np.var(y), level=0.95)
    assert size.n_eff == pytest.approx(_plain_size(y, clusters.tolist()))
    assert size.n_eff <= 15 + 1e-9


@pytest.mark.parametrize(("seen", "held"), [(2, True), (3, False)])
def test_a_rarer_outcome_in_fewer_than_three_clusters_counts_clusters(seen, held):
    y = np.zeros(40)
    y[np.arange(seen) * 4] = 1.0  # one pass in each of the first clusters of four
    rows = as_rows(y, clusters=np.repeat(np.arange(10), 4), weights=None)
    size = effective_size(rows, spread=rows.mean * (1 - rows.mean), level=0.95)
    assert (size.n_eff == 10) is held
    assert ("rarer outcome" in size.why) is held


def test_rows_without_variation_say_why():
    assert "one value only" in str(row_variance(as_rows([0.4], clusters=None, weights=None)))
    assert "all 3 values equal 0.4" in str(row_variance(as_rows([0.4] * 3, clusters=None, weights=None)))
    same = as_rows([0, 1, 0, 1], clusters=[1, 1, 2, 2], weights=None)
    assert "every cluster has the same mean" in str(row_variance(same))
    assert row_variance(as_rows([0, 1, 2], clusters=None, weights=None)).variance == pytest.approx(1 / 3)
