"""Likeness within clusters against a plain permutation test, its forms against each other."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import stats

from aliquot.analysis.likeness import likeness_test


def clustered(rng, *, groups, size, share, psi=0.6):
    """Return differences of which ``share`` follow their cluster, and the clusters."""
    codes = np.repeat(np.arange(groups), size)
    chances = [psi / 2, 1 - psi, psi / 2]
    common = rng.choice([-1.0, 0.0, 1.0], p=chances, size=groups)[codes]
    own = rng.choice([-1.0, 0.0, 1.0], p=chances, size=codes.size)
    return np.where(rng.random(codes.size) < share, common, own), codes


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.5])
def test_the_p_value_agrees_with_a_plain_permutation_test(weighted, share):
    rng = np.random.default_rng(21)
    d, codes = clustered(rng, groups=15, size=4, share=share)
    weights = rng.choice([1.0, 2.0], size=60) if weighted else np.ones(60)
    test = likeness_test(d, codes, weights=weights, seed=1)

    def likeness(values):
        w = weights / weights.sum()
        mean = (w * values).sum()
        return sum((w * (values - mean))[codes == g].sum() ** 2 for g in range(15))

    plain = random.Random(4)
    shuffled = [likeness(np.array(plain.sample(d.tolist(), 60))) for _ in range(2000)]
    p = np.mean([value >= likeness(d) - 1e-12 for value in shuffled])
    assert test.statistic == pytest.approx(likeness(d))
    assert test.n_resamples is not None
    # two Monte-Carlo estimates of one p; the first stops at its 20th extreme draw, an error of p/√20
    error = np.sqrt(p * (1 - p) / 2000 + p**2 / 20 + 1 / test.n_resamples**2)
    assert abs(test.p - p) < 4 * error


def test_drawing_stops_once_enough_is_known():
    rng = np.random.default_rng(2)
    d, codes = clustered(rng, groups=15, size=4, share=0.0)
    test = likeness_test(d, codes, weights=None, seed=1)
    assert test.n_resamples is not None
    assert test.n_resamples < 1999
    assert test.p == 20 / test.n_resamples
    alike = likeness_test(
        np.repeat([1.0, -1.0, 1.0, -1.0, 0.0, 0.0] * 3, 5), np.arange(90) // 5, weights=None, seed=1
    )
    assert (alike.p, alike.n_resamples) == (1 / 2000, 1999)


def test_many_items_take_the_f_test():
    rng = np.random.default_rng(6)
    d, codes = clustered(rng, groups=1100, size=5, share=0.1)
    test = likeness_test(d, codes, weights=None, seed=1)
    rows = d.reshape(1100, 5)
    expected = stats.f_oneway(*rows)
    assert test.name == "likeness_f"
    assert test.statistic == pytest.approx(expected.statistic)
    assert test.p == pytest.approx(expected.pvalue)


def test_many_items_that_hardly_differ_are_still_permuted():
    d, codes = np.zeros(8000), np.arange(8000) // 8
    d[::400] = 1.0
    assert likeness_test(d, codes, weights=None, seed=1).p > 0.5  # no two of 20 share a cluster
    d[:] = 0.0
    d[[0, 1, 2, 80, 81, 82, 160, 161]] = 1.0
    test = likeness_test(d, codes, weights=None, seed=1)
    assert test.name == "likeness_permutation"
    assert test.p == 1 / 2000


def test_p_values_without_likeness_are_no_smaller_than_they_say():
    rng = np.random.default_rng(9)
    p = np.array(
        [
            likeness_test(
                *clustered(rng, groups=12, size=5, share=0.0), weights=None, seed=int(rng.integers(1e9))
            ).p
            for _ in range(300)
        ]
    )
    # at a rate of .1 43 of 300 and more come up in less than 1% of simulations
    assert (p <= 0.1).sum() < 45
    assert (p <= 0.5).sum() > 100
