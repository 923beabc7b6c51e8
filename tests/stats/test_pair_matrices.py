"""All pairs at once against one pair at a time, with missing cells, clusters and every kind of number."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from aliquot.errors import UsageError
from aliquot.stats import pair_matrices
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.pair_matrices import all_pairs
from aliquot.stats.paired_score import tango, tango_limits
from aliquot.stats.results import Undefined

shapes = st.tuples(st.integers(1, 12), st.integers(1, 5))
binary = hnp.arrays(np.float64, shapes, elements=st.sampled_from([0.0, 1.0, np.nan]))
scores = hnp.arrays(np.float64, shapes, elements=st.floats(-100, 100) | st.just(np.nan))


def shared(values, i, j):
    held = ~np.isnan(values[:, i]) & ~np.isnan(values[:, j])
    return values[held, i], values[held, j], held


def pairs(values):
    k = values.shape[1]
    return [(i, j) for i in range(k) for j in range(k)]


@settings(max_examples=60, deadline=None)
@given(values=binary)
def test_counts_and_errors_of_each_pair(values):
    found = all_pairs(values)
    assert found.systems == values.shape[1]
    for i, j in pairs(values):
        a, b, held = shared(values, i, j)
        counts = (
            held.sum(), (a * b).sum(), (a * (1 - b)).sum(), (b * (1 - a)).sum(), ((1 - a) * (1 - b)).sum()
        )  # fmt: skip
        got = (found.n, found.both, found.broke, found.fixed, found.neither)
        assert tuple(int(matrix[i, j]) for matrix in got) == tuple(map(int, counts))
        assert found.known[i, j] == (held.sum() > 0)
        if held.any():
            psi, d = (a != b).mean(), (b - a).mean()
            assert found.difference[i, j] == pytest.approx(d, abs=1e-15)
            assert found.se[i, j] == pytest.approx(np.sqrt(max(0.0, psi - d**2) / held.sum()), abs=1e-9)
        else:
            assert (found.difference[i, j], found.se[i, j]) == (0, 0)


@given(values=scores)
def test_means_and_errors_of_each_pair_of_scores(values):
    found = all_pairs(values)
    for i, j in pairs(values):
        a, b, held = shared(values, i, j)
        d, n = b - a, held.sum()
        assert found.n[i, j] == n
        if n:
            assert found.difference[i, j] == pytest.approx(d.mean(), abs=1e-10)
        if found.both is None:
            assert found.known[i, j] == (n >= 2)
            if n >= 2:
                assert found.se[i, j] == pytest.approx(d.std(ddof=1) / np.sqrt(n), abs=2e-5)


@given(values=binary | scores, data=st.data())
def test_errors_with_clusters_are_those_of_one_pair(values, data):
    n = values.shape[0]
    clusters = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    found = all_pairs(values, clusters=clusters)
    for i, j in pairs(values):
        a, b, held = shared(values, i, j)
        expected = cluster_variance(b - a, clusters=clusters[held]) if held.any() else Undefined("none")
        assert found.known[i, j] == (not isinstance(expected, Undefined))
        if isinstance(expected, Undefined):
            assert found.se[i, j] == 0
        else:
            assert found.se[i, j] == pytest.approx(np.sqrt(expected.variance), abs=1e-7)


@given(values=binary)
def test_the_mirror_of_a_pair(values):
    found = all_pairs(values)
    assert (found.fixed == found.broke.T).all()
    assert (found.difference == -found.difference.T).all()
    assert not found.difference.diagonal().any()


def test_blocks_give_what_one_piece_gives(monkeypatch):
    rng = np.random.default_rng(0)
    for values in (rng.integers(0, 2, (500, 7)).astype(float), rng.normal(size=(500, 7))):
        values[rng.random(values.shape) < 0.1] = np.nan
        whole = all_pairs(values)
        with monkeypatch.context() as patch:
            patch.setattr(pair_matrices, "_HELD", 7 * 33)
            pieces = all_pairs(values)
        assert (whole.n == pieces.n).all()
        assert np.allclose(whole.se, pieces.se, atol=1e-12)
        assert whole.both is None or (whole.fixed == pieces.fixed).all()


@pytest.mark.parametrize("kind", [bool, np.int8, np.float32, np.float64])
def test_any_kind_of_number(kind):
    values = np.array([[1, 0], [1, 1], [0, 0], [1, 0]]).astype(kind)
    found = all_pairs(values)
    assert (found.both[0, 1], found.broke[0, 1], found.fixed[0, 1], found.neither[0, 1]) == (1, 2, 0, 1)
    assert found.difference[0, 1] == -0.5


def test_large_scores_keep_the_digits_of_their_differences():
    values = 1e6 + np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 4.0]])
    found = all_pairs(values)
    assert found.difference[0, 1] == pytest.approx(7 / 3, abs=1e-9)
    # d = 1, 2, 4: s² = 7/3, se = √(7/9)
    assert found.se[0, 1] == pytest.approx(np.sqrt(7 / 9), abs=1e-9)


def test_the_limits_of_all_pairs_come_from_the_matrices():
    values = np.random.default_rng(1).integers(0, 2, (60, 4))
    found = all_pairs(values)
    low, high = tango_limits(found.fixed, found.broke, found.n, z=2.5)
    one = tango(int(found.fixed[0, 3]), int(found.broke[0, 3]), 60, z=2.5)
    assert (low[0, 3], high[0, 3]) == (pytest.approx(one.low), pytest.approx(one.high))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: all_pairs([1, 0, 1]), "must be a matrix"),
        (lambda: all_pairs([["a", "b"]]), "must be a matrix"),
        (lambda: all_pairs(np.empty((0, 3))), "must be a matrix"),
        (lambda: all_pairs([[1, np.inf]]), "holds inf"),
        (lambda: all_pairs([[1, 0], [0, 1]], clusters=[1]), "one label"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
