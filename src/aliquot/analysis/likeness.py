"""Whether values within a cluster are alike, tested without assuming how they are distributed."""

from __future__ import annotations

from typing import Final

import numpy as np
from scipy import special

from aliquot.stats.design_effects import intraclass
from aliquot.stats.distributions import p_value
from aliquot.stats.inputs import Floats, Integers, as_generator, as_weights
from aliquot.stats.results import HypothesisTest, Undefined

NULL: Final = "values of one cluster are no more alike than those of others"

_DRAWS: Final = 1999
_ENOUGH: Final = 20
_BATCH: Final = 50_000
_MANY_ITEMS: Final = 5_000
_MANY_VALUES: Final = 2_000


def likeness_test(d: Floats, clusters: Integers, *, weights: Floats | None, seed: int) -> HypothesisTest:
    """Test whether the values of a cluster are alike: Σ_g S_g² against permutations of the items.

    S_g is the (weighted) residual sum of a cluster (Commenges & Jacqmin 1994, Biometrics 50:517: a distribution-free
    test of an intraclass correlation). Drawing stops at the 20th permutation as extreme as the data, p = 20/draws
    (Besag & Clifford 1991, Biometrika 78:301), else p = (r + 1)/(B + 1); both are valid at any number of draws. Above
    5,000 items of which more than 2,000 differ from the commonest value it is the F test of analysis of variance.

    Args:
        d: one value an item.
        clusters: code of each item's cluster, from 0.
        weights: weight of each item, or None.
        seed: seed of the permutations.
    """
    values, counts = np.unique(d, return_counts=True)
    d = d - values[counts.argmax()]  # residuals do not change, and what is 0 need not be placed
    if d.size > _MANY_ITEMS and np.count_nonzero(d) > _MANY_VALUES:
        return _f_test(d, clusters)
    shares, rng = as_weights(weights, d.size), as_generator(seed)
    totals = np.bincount(clusters, shares).astype(np.float64)
    observed = float(_likeness(np.arange(d.size)[None, :], d, clusters, shares, totals)[0])
    moved = d[d != 0]
    reached, drawn = 0, 0
    while drawn < _DRAWS and reached < _ENOUGH:
        rows = min(max(1, _BATCH // d.size), _DRAWS - drawn)
        places = _draw(rng, rows, d.size, moved.size)
        likeness = _likeness(places, moved, clusters, shares, totals)
        extreme = np.flatnonzero(likeness >= observed * (1 - 1e-9))[: _ENOUGH - reached]
        reached += extreme.size
        drawn += int(extreme[-1]) + 1 if reached == _ENOUGH else rows
    return HypothesisTest(
        "likeness_permutation",
        reached / drawn if reached == _ENOUGH else (reached + 1) / (drawn + 1),
        alternative="greater",
        statistic=observed,
        floor=1 / (_DRAWS + 1),
        n_resamples=drawn,
        null=NULL,
        settings={"seed": seed},
    )


def _draw(rng: np.random.Generator, rows: int, items: int, size: int) -> Integers:
    """Return ``rows`` random choices of ``size`` items in random order; of many items without a shuffle of all."""
    if items > _MANY_ITEMS:
        return np.stack([rng.choice(items, size, replace=False) for _ in range(rows)])
    return rng.permuted(np.tile(np.arange(items), (rows, 1)), axis=1)[:, :size]


def _likeness(places: Integers, values: Floats, clusters: Integers, shares: Floats, totals: Floats) -> Floats:
    """Return Σ_g S_g² of each row of ``places``, the items at which ``values`` lie (all others hold 0)."""
    rows, groups = places.shape[0], totals.size
    weighted = shares[places] * values
    cells = clusters[places] + groups * np.arange(rows)[:, None]
    sums = np.bincount(cells.ravel(), weighted.ravel(), minlength=rows * groups).reshape(rows, groups)
    return ((sums - weighted.sum(axis=1)[:, None] * totals) ** 2).sum(axis=1)


def _f_test(d: Floats, clusters: Integers) -> HypothesisTest:
    found = intraclass(d, clusters=clusters)
    if isinstance(found, Undefined):
        return HypothesisTest("likeness_f", 1.0, alternative="greater", null=NULL)
    f = found.ms_between / found.ms_within if found.ms_within > 0 else np.inf
    df = found.n_clusters - 1
    p = float(special.fdtrc(df, found.n - found.n_clusters, f))
    return HypothesisTest("likeness_f", p_value(p), alternative="greater", statistic=f, df=df, null=NULL)
