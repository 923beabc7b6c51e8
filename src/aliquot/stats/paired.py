"""Difference of two systems on shared items: binary or graded, with clusters or weights.

Baseline first, candidate second; every difference is candidate minus baseline. Binary data take Tango's score
interval, with clusters or weights on an effective number of items; graded data take t, joined with Tango's
interval when so few items differ that t is too narrow.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.effective import as_rows
from aliquot.stats.inputs import Floats, as_array, as_binary, as_level, as_values, as_weights
from aliquot.stats.paired_forms import effective_tango, graded_interval, left_of_pool
from aliquot.stats.paired_score import tango
from aliquot.stats.results import Estimate, Undefined


def paired_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    low: float | None = None,
    high: float | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    pool: float | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Difference of means on shared items: binary when all values are 0 or 1 (and no other bounds are given).

    Args:
        a: the baseline's value on each item.
        b: the candidate's value on the same items.
        low: smallest value a score can take; None for binary or unbounded scores.
        high: largest value a score can take.
        clusters: one label an item; None when items are independent.
        weights: one non-negative weight an item.
        pool: number of items in the finite pool these were drawn from; None for items like these.
        level: confidence level.

    Raises:
        UsageError: lengths differ, only one bound is given, or a value lies outside the bounds.

    References:
        Tango (1998), Statistics in Medicine 17:891-908; effective n: design of this package; of scores
        Student (1908) Biometrika 6:1.

    Examples:
        >>> print(paired_difference([1] * 31 + [0] * 29, [1] * 31 + [1] * 6 + [0] * 23))
        0.1000 [0.0338, 0.2015] 95% tango, n = 60
        >>> print(paired_difference([0.2, 0.5, 0.9, 0.4], [0.3, 0.7, 0.9, 0.6], low=0, high=1))
        0.1250 [-0.4261, 0.6042] 95% t_tango_hull, n = 4
    """
    options = {"clusters": clusters, "weights": weights}
    if (low, high) in {(None, None), (0, 1)} and all(
        np.isin(as_array(side, name=name), (0, 1)).all() for name, side in (("a", a), ("b", b))
    ):
        return paired_binary_difference(a, b, **options, pool=pool, level=level)
    return paired_graded_difference(a, b, low=low, high=high, **options, pool=pool, level=level)


def paired_binary_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    pool: float | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Difference of two pass rates on shared items: Tango, on effective n with clusters or weights.

    With clusters n_eff = min(n, (ψ̂ − d̂²)/V) and Tango is asked at n* = n_eff (z/t_ν)² (arguments as in
    :func:`paired_difference`). Undefined with one cluster.

    Raises:
        UsageError: lengths differ or a value is not 0 or 1.

    References:
        Tango (1998), Statistics in Medicine 17:891-908; effective n: design of this package.

    Examples:
        >>> a, b = [1, 0, 0, 1, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0, 1, 0]
        >>> print(paired_binary_difference(a, b, clusters=[1, 1, 1, 2, 2, 3, 3, 4]))
        0.1250 [-0.7575, 0.8362] 95% tango_effective_n, n = 8
    """
    level = as_level(level)
    a, b = as_binary(a, name="a"), as_binary(b, name="b")
    rows = as_rows(differences(a, b), clusters=clusters, weights=weights)
    d = rows.y
    if rows.plain:
        shrink = left_of_pool(pool, d.size)
        if isinstance(shrink, Undefined):
            return shrink
        fixed, broke = float((d > 0).sum()), float((d < 0).sum())
        found = tango(fixed / shrink, broke / shrink, d.size / shrink, level=level)
        return replace(found, n=float(d.size), n_eff=d.size / shrink) if pool else found
    v = cluster_variance(d, clusters=rows.clusters, weights=rows.weights)
    if isinstance(v, Undefined):
        return v
    return effective_tango(v, psi=float(as_weights(rows.weights, d.size) @ d**2), level=level, pool=pool)


def paired_graded_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    low: float | None = None,
    high: float | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    pool: float | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Difference of two mean scores on shared items: t, joined with Tango's interval when few items differ.

    Without bounds it is t alone, which is very wide under 12 items. With bounds, d is divided by high − low;
    when (Σd²)²/Σd⁴ < 10 or nothing varies, the hull of t and of Tango at ψ̂ = max(mean d², abs d̂) is given, so
    the width is never zero (arguments as in :func:`paired_difference`). Undefined with one item or one
    cluster, and without bounds and variation.

    Raises:
        UsageError: lengths differ, only one bound is given, or a value lies outside the bounds.

    References:
        Student (1908) Biometrika 6:1, joined with Tango (1998), Statistics in Medicine 17:891-908: design of
        this package.

    Examples:
        >>> print(paired_graded_difference([2.0, 3.5, 3.0, 4.0], [2.5, 3.0, 4.5, 4.5]))
        0.5000 [-0.7992, 1.7992] 95% t, n = 4
    """
    level = as_level(level)
    if (low is None) != (high is None):
        raise UsageError("give both low and high, or neither")
    if low is not None and high is not None and not low < high:
        raise UsageError(f"low must lie below high; got {low} and {high}")
    d = differences(as_values(a, name="a", low=low, high=high), as_values(b, name="b", low=low, high=high))
    scale = None if low is None or high is None else high - low
    rows = as_rows(d / (scale or 1.0), clusters=clusters, weights=weights)
    v = cluster_variance(rows.y, clusters=rows.clusters, weights=rows.weights)
    if isinstance(v, Undefined):
        return v
    square = as_weights(rows.weights, rows.y.size) * rows.y**2
    return graded_interval(v, square=square, plain=rows.plain, scale=scale, level=level, pool=pool)


def differences(a: Floats, b: Floats) -> Floats:
    """Return candidate minus baseline of each item."""
    if a.size != b.size:
        raise UsageError(
            f"a and b must hold the same items in the same order; got {a.size} and {b.size} values"
        )
    return b - a
