"""Coverage and size with clusters: the design's Tango on effective n and the cluster sign flip, naive beside them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from aliquot.stats.clusters import cluster_variance
from aliquot.stats.distributions import two_sided_t
from aliquot.stats.paired import paired_binary_difference
from aliquot.stats.paired_tests import mcnemar
from aliquot.stats.permutation import sign_flip
from aliquot.stats.results import Undefined

UNEQUAL = (1, 1, 1, 2, 2, 3, 5, 8, 13, 24)


def _sizes(n_clusters: int, *, equal: bool) -> np.ndarray:
    return np.full(n_clusters, 6) if equal else np.resize(UNEQUAL, n_clusters)


def _differences(
    rng: np.random.Generator, codes: np.ndarray, *, psi: float, delta: float, icc: float
) -> np.ndarray:
    """Each row copies its cluster's draw with chance √icc, else draws afresh: the correlation of two rows is icc."""
    chances = [(psi - delta) / 2, 1 - psi, (psi + delta) / 2]
    own = rng.choice([-1, 0, 1], p=chances, size=codes.size)
    shared = rng.choice([-1, 0, 1], p=chances, size=codes.max() + 1)[codes]
    return np.where(rng.random(codes.size) < math.sqrt(icc), shared, own)


def _outcomes(d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return (d < 0).astype(int), (d > 0).astype(int)


def _covers(low: float, high: float, truth: float) -> bool:
    return low <= truth <= high


@pytest.mark.parametrize("equal", [True, False], ids=["equal", "unequal"])
@pytest.mark.parametrize("n_clusters", [10, 20, 50])
def test_tango_on_effective_n_covers_where_few_items_differ_and_cr2_t_does_not(
    n_clusters: int, equal: bool
) -> None:
    reps, psi, delta = 150, 0.03, 0.03
    rng = np.random.default_rng([n_clusters, equal])
    codes = np.repeat(np.arange(n_clusters), _sizes(n_clusters, equal=equal))
    hits = hits_t = 0
    for _ in range(reps):
        d = _differences(rng, codes, psi=psi, delta=delta, icc=0.2)
        found = paired_binary_difference(*_outcomes(d), clusters=codes)
        assert not isinstance(found, Undefined)
        assert found.width > 0
        hits += _covers(found.low, found.high, delta)
        v = cluster_variance(d, clusters=codes)
        assert not isinstance(v, Undefined)
        half = two_sided_t(0.95, v.df) * v.se
        hits_t += _covers(v.mean - half, v.mean + half, delta)
    slack = 3 * math.sqrt(0.9 * 0.1 / reps)

    assert hits / reps >= 0.90 - slack
    if n_clusters < 50:
        assert hits_t / reps <= 0.85


@pytest.mark.parametrize("equal", [True, False], ids=["equal", "unequal"])
def test_tango_on_effective_n_covers_at_many_differing_items(equal: bool) -> None:
    reps, psi, delta = 200, 0.3, 0.1
    rng = np.random.default_rng(equal)
    codes = np.repeat(np.arange(20), _sizes(20, equal=equal))
    hits = 0
    for _ in range(reps):
        d = _differences(rng, codes, psi=psi, delta=delta, icc=0.3)
        found = paired_binary_difference(*_outcomes(d), clusters=codes)
        assert not isinstance(found, Undefined)
        hits += _covers(found.low, found.high, delta)

    assert hits / reps >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / reps)


def test_naive_mcnemar_rejects_a_true_clustered_null_and_the_cluster_sign_flip_does_not() -> None:
    reps = 800
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(20), 10)
    naive = flip = 0
    for _ in range(reps):
        d = _differences(rng, codes, psi=0.4, delta=0.0, icc=0.5)
        naive += mcnemar(int((d > 0).sum()), int((d < 0).sum())).p <= 0.05
        flip += sign_flip(d, clusters=codes).p <= 0.05

    assert naive / reps > 0.3
    assert flip / reps <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / reps)
