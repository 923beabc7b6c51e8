"""Permutation tests of two systems that share no items: of rows, or of whole clusters (studentised)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.stats.clusters import cluster_codes
from aliquot.stats.inputs import Floats, RandomSource, as_choice, as_count, as_generator, as_values
from aliquot.stats.results import Alternative, HypothesisTest, Undefined

_TIE = 1e-9
_ALL = 20_000
"""All regroupings are counted up to this number, random ones drawn above it."""
_BATCH = 1_000_000


def permutation_means(
    a: ArrayLike,
    b: ArrayLike,
    *,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> HypothesisTest:
    """Test whether two independent samples come from one distribution, by the difference of their means.

    Exact while there are at most 20,000 ways to choose the groups, else p = (r + 1)/(B + 1).

    Args:
        a: the baseline's values.
        b: the candidate's values, on other items.
        alternative: ``two-sided``, ``less`` or ``greater`` (candidate above baseline).
        n_resamples: B, random regroupings when the test is not exact.
        rng: seed or generator for them.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Fisher (1935) The Design of Experiments, sec. 21; Phipson & Smyth (2010) SAGMB 9:39, (r + 1)/(B + 1).

    Examples:
        >>> print(permutation_means([2.1, 3.0, 2.6, 3.3], [3.4, 3.9, 2.9, 4.1, 3.6]))
        permutation: p = 0.05556 (two-sided)
    """
    first, second = as_values(a, name="a"), as_values(b, name="b")
    pooled = np.concatenate([first, second])
    pooled = pooled - pooled.mean()
    scale = 1 / first.size + 1 / second.size

    def difference(chosen: Floats) -> Floats:
        return (chosen @ pooled) * scale  # mean(b) − mean(a) when pooled values sum to 0

    return _permuted(
        difference,
        (first.size, second.size),
        tolerance=_TIE * float(np.abs(pooled).max(initial=0.0)) * scale * pooled.size,
        name="permutation",
        null="both systems' values come from one distribution",
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
    )


def cluster_permutation(
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters_a: ArrayLike | None = None,
    clusters_b: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> HypothesisTest | Undefined:
    """Permute whole clusters between two systems; the statistic is the difference over its CR2 error.

    Studentised, so that clusters of other size or spread on one side do not make it reject in large samples.
    Exact while there are at most 20,000 regroupings. Without clusters every row is its own; arguments else as
    in :func:`permutation_means`. Undefined when a side has fewer than two clusters.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Janssen (1997) Statist. Probab. Lett. 36:9; Chung & Romano (2013) Annals of Statistics 41:484.

    Examples:
        >>> a, b = [0, 1, 0, 0, 1, 0, 0, 0], [1, 1, 1, 0, 1, 1, 1, 1]
        >>> groups = [1, 1, 2, 2, 3, 3, 4, 4]
        >>> print(cluster_permutation(a, b, clusters_a=groups, clusters_b=groups))
        cluster_permutation: p = 0.08571 (two-sided)
    """
    sides = [_cluster_sums(a, clusters_a, name="a"), _cluster_sums(b, clusters_b, name="b")]
    counts = (sides[0][1].size, sides[1][1].size)
    if min(counts) < 2:
        return Undefined("a side with one cluster does not show how clusters differ")
    totals, sizes = (np.concatenate(parts) for parts in zip(*sides, strict=True))
    totals = totals - sizes * (totals.sum() / sizes.sum())

    def studentised(chosen: Floats) -> Floats:
        (mean_a, v_a), (mean_b, v_b) = (
            _mean_and_variance(who, totals, sizes) for who in (1 - chosen, chosen)
        )
        difference, variance = mean_b - mean_a, v_a + v_b
        floor = 1e-24 * float((np.abs(totals).max(initial=0.0) / sizes.min()) ** 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = difference / np.sqrt(np.where(variance > floor, variance, 0.0))
        return np.where(np.abs(difference) ** 2 <= floor, 0.0, t)

    return _permuted(
        studentised,
        counts,
        tolerance=_TIE,
        name="cluster_permutation",
        null="whole clusters are exchangeable between the systems",
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
    )


def _permuted(
    statistic: Callable[[Floats], Floats],
    counts: tuple[int, int],
    *,
    tolerance: float,
    name: str,
    null: str,
    alternative: Alternative,
    n_resamples: int,
    rng: RandomSource,
) -> HypothesisTest:
    """Compare the observed grouping (the candidate's units are the last) with all or random ones."""
    as_choice(alternative, get_args(Alternative), name="alternative")
    draws = int(as_count(n_resamples, name="n_resamples", at_least=1))
    total, ways = sum(counts), math.comb(sum(counts), counts[1])
    exact = ways <= _ALL
    observed = float(statistic((np.arange(total)[None, :] >= counts[0]).astype(np.float64))[0])
    reached = 0
    groupings = _every(counts) if exact else _random(counts, draws=draws, rng=as_generator(rng))
    for chosen in groupings:
        reached += _as_extreme(statistic(chosen), observed, alternative, tolerance)
    return HypothesisTest(
        name=name,
        p=reached / ways if exact else (reached + 1) / (draws + 1),
        alternative=alternative,
        statistic=observed if math.isfinite(observed) else None,
        floor=1 / ways if exact else 1 / (draws + 1),
        n_resamples=None if exact else draws,
        null=null,
        settings={
            "units_a": counts[0],
            "units_b": counts[1],
            "how": "enumeration" if exact else "monte_carlo",
        },
    )


def _as_extreme(values: Floats, observed: float, alternative: str, tolerance: float) -> int:
    if alternative == "two-sided":
        values, observed = np.abs(values), abs(observed)
    elif alternative == "less":
        values, observed = -values, -observed
    slack = tolerance * max(1.0, abs(observed)) if math.isfinite(observed) else 0.0
    return int(np.count_nonzero(values >= observed - slack))


def _every(counts: tuple[int, int]) -> Iterator[Floats]:
    """All ways to choose the candidate's units, in one batch (there are at most 20,000)."""
    picks = np.array(list(itertools.combinations(range(sum(counts)), counts[1])))
    chosen = np.zeros((len(picks), sum(counts)))
    np.put_along_axis(chosen, picks, 1.0, axis=1)
    yield chosen


def _random(counts: tuple[int, int], *, draws: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Random ways to choose the candidate's units (those of the least keys), in batches of bounded memory."""
    total = sum(counts)
    batch = max(1, _BATCH // total)
    for start in range(0, draws, batch):
        keys = rng.random((min(batch, draws - start), total))
        yield (keys < np.partition(keys, counts[1], axis=1)[:, [counts[1]]]).astype(np.float64)


def _cluster_sums(values: ArrayLike, clusters: ArrayLike | None, *, name: str) -> tuple[Floats, Floats]:
    """Total and size of each cluster."""
    y = as_values(values, name=name)
    codes = np.arange(y.size) if clusters is None else cluster_codes(clusters, y.size)
    sizes = np.bincount(codes).astype(np.float64)
    kept = sizes > 0
    return np.bincount(codes, y).astype(np.float64)[kept], sizes[kept]


def _mean_and_variance(chosen: Floats, totals: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    """Mean and CR2 variance V = Σ S_g²/(1 − q_g) of each row's chosen clusters."""
    n = chosen @ sizes
    mean = (chosen @ totals) / n
    residuals = (totals - mean[:, None] * sizes) / n[:, None]
    return mean, (chosen * residuals**2 / (1 - chosen * sizes / n[:, None])).sum(axis=1)
