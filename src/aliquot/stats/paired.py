"""Difference of two systems on shared items: binary or graded, with clusters or weights.

Baseline first, candidate second; every difference is candidate minus baseline. Binary data take Tango's score
interval, with clusters or weights on an effective number of items; graded data take t, joined with Tango's
interval when so few items differ that t is too narrow.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.clusters import ClusterVariance, cluster_variance
from aliquot.stats.distributions import two_sided_t, two_sided_z
from aliquot.stats.inputs import Floats, as_binary, as_count, as_level, as_values, as_weights
from aliquot.stats.paired_score import tango
from aliquot.stats.results import Estimate, Undefined

_FEW = 10.0
"""Below this many items' worth of differences, (Σd²)²/Σd⁴, the t interval alone covers too little."""


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

    Examples:
        >>> print(paired_difference([1] * 31 + [0] * 29, [1] * 31 + [1] * 6 + [0] * 23))
        0.1000 [0.0338, 0.2015] 95% tango, n = 60
        >>> print(paired_difference([0.2, 0.5, 0.9, 0.4], [0.3, 0.7, 0.9, 0.6], low=0, high=1))
        0.1250 [-0.4261, 0.6042] 95% t_tango_hull, n = 4
    """
    options = {"clusters": clusters, "weights": weights}
    if (low, high) in {(None, None), (0, 1)} and all(
        np.isin(np.asarray(side), (0, 1)).all() for side in (a, b)
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

    Examples:
        >>> a, b = [1, 0, 0, 1, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0, 1, 0]
        >>> print(paired_binary_difference(a, b, clusters=[1, 1, 1, 2, 2, 3, 3, 4]))
        0.1250 [-0.7575, 0.8362] 95% tango_effective_n, n = 8
    """
    level = as_level(level)
    a, b = as_binary(a, name="a"), as_binary(b, name="b")
    d = _differences(a, b)
    if clusters is None and weights is None:
        shrink = left_of_pool(pool, d.size)
        if isinstance(shrink, Undefined):
            return shrink
        fixed, broke = float((d > 0).sum()), float((d < 0).sum())
        found = tango(fixed / shrink, broke / shrink, d.size / shrink, level=level)
        return replace(found, n=float(d.size), n_eff=d.size / shrink) if pool else found
    v = cluster_variance(d, clusters=clusters, weights=weights)
    if isinstance(v, Undefined):
        return v
    return effective_tango(v, psi=float(as_weights(weights, d.size) @ d**2), level=level, pool=pool)


def effective_tango(
    v: ClusterVariance,
    *,
    psi: float,
    level: float,
    most: float | None = None,
    least: float = 0.0,
    none_differ: float | None = None,
    pool: float | None = None,
) -> Estimate | Undefined:
    """Tango on the effective number of items that gives the difference the variance V.

    n_eff = (ψ̂ − d̂²)/V held between ``least`` and ``most``; n* = n_eff (z/t_ν)² carries the uncertainty of V.
    With V = 0 the clusters say no more than that items might be independent: n_eff = ``most``. When nothing
    differs, agreement within clusters cannot be seen: n_eff is the number of clusters.

    Args:
        v: variance of the mean difference.
        psi: ψ̂, the (weighted) share of items on which the two differ.
        level: confidence level.
        most: upper bound of n_eff; None for n.
        least: lower bound of n_eff.
        none_differ: n_eff when ψ̂ = 0; None for the number of clusters.
        pool: size of a finite pool of items.
    """
    most = v.n if most is None else most
    shrink = left_of_pool(pool, v.n)
    if isinstance(shrink, Undefined):
        return shrink
    why = _reason(v)
    if psi == 0:
        n_eff = min(v.n_clusters, v.kish_n) if none_differ is None else none_differ
        why += "; nothing differs, so agreement within clusters could not be seen" if v.clustered else ""
    elif v.variance == 0:
        n_eff = most
    else:
        n_eff = max(least, min(most, (psi - v.mean**2) / v.variance))
    n_eff /= shrink
    n_star = n_eff * (two_sided_z(level) / two_sided_t(level, v.df)) ** 2
    return replace(
        _tango_of_shares(psi, v.mean, n=n_star, level=level),
        point=v.mean,
        method="tango_effective_n",
        n=v.n,
        se=math.sqrt(v.variance * shrink),
        df=v.df,
        clusters=v.n_clusters if v.clustered else None,
        n_eff=n_eff,
        settings={"n_star": n_star, "psi": psi, **({"pool": pool} if pool else {})},
        why=why,
    )


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

    Examples:
        >>> print(paired_graded_difference([2.0, 3.5, 3.0, 4.0], [2.5, 3.0, 4.5, 4.5]))
        0.5000 [-0.7992, 1.7992] 95% t, n = 4
    """
    level = as_level(level)
    if (low is None) != (high is None):
        raise UsageError("give both low and high, or neither")
    if low is not None and high is not None and not low < high:
        raise UsageError(f"low must lie below high; got {low} and {high}")
    d = _differences(as_values(a, name="a", low=low, high=high), as_values(b, name="b", low=low, high=high))
    scale = 1.0 if low is None or high is None else high - low
    v = cluster_variance(d / scale, clusters=clusters, weights=weights)
    if isinstance(v, Undefined):
        return v
    shrink = left_of_pool(pool, d.size)
    if isinstance(shrink, Undefined):
        return shrink
    t = _t_interval(v, shrink=shrink, scale=scale, level=level, pool=pool)
    if low is None:
        constant = Undefined("the difference does not vary and has no bounds, so its error cannot be seen")
        return t if v.variance > 0 else constant
    square = as_weights(weights, d.size) * (d / scale) ** 2
    plain = clusters is None and weights is None
    return _bounded(t, v, square=square, plain=plain, scale=scale, pool=pool, shrink=shrink)


def _bounded(
    t: Estimate,
    v: ClusterVariance,
    *,
    square: Floats,
    plain: bool,
    scale: float,
    pool: float | None,
    shrink: float,
) -> Estimate:
    """Join t with Tango when few items differ; ``square`` is w d² of each item, d on the scale −1 to 1."""
    if v.variance > 0 and square.sum() ** 2 >= _FEW * (square**2).sum():
        return replace(t, low=max(t.low, -scale), high=min(t.high, scale))
    psi = max(float(square.sum()), abs(v.mean))
    if plain:
        return _hull(t, _tango_of_shares(psi, v.mean, n=v.n / shrink, level=t.level), scale=scale, psi=psi)
    return _hull(t, effective_tango(v, psi=psi, level=t.level, pool=pool), scale=scale, psi=psi)


def _t_interval(
    v: ClusterVariance, *, shrink: float, scale: float, level: float, pool: float | None
) -> Estimate:
    se = scale * math.sqrt(v.variance * shrink)
    half = two_sided_t(level, v.df) * se
    return Estimate(
        point=v.mean * scale,
        low=v.mean * scale - half,
        high=v.mean * scale + half,
        level=level,
        method="t_cr2" if v.clustered else "t",
        n=v.n,
        se=se,
        df=v.df,
        clusters=v.n_clusters if v.clustered else None,
        settings={"pool": pool} if pool else {},
        why=_reason(v),
    )


def _hull(t: Estimate, other: Estimate | Undefined, *, scale: float, psi: float) -> Estimate:
    """Union of the two intervals, kept within what bounded scores allow."""
    if isinstance(other, Undefined):
        return t
    return replace(
        t,
        low=max(min(t.low, other.low * scale), -scale),
        high=min(max(t.high, other.high * scale), scale),
        method=f"{t.method}_tango_hull",
        n_eff=other.n_eff,
        settings={**t.settings, "psi": psi},
        why="; ".join(filter(None, ["few items differ, where t alone is too narrow", t.why])),
    )


def _tango_of_shares(psi: float, difference: float, *, n: float, level: float) -> Estimate:
    """Tango at fixed, broke = n (ψ̂ ± d̂)/2."""
    fixed, broke = (max(0.0, n * (psi + sign * difference) / 2) for sign in (1, -1))
    return tango(fixed, broke, n, level=level)


def _differences(a: Floats, b: Floats) -> Floats:
    if a.size != b.size:
        raise UsageError(
            f"a and b must hold the same items in the same order; got {a.size} and {b.size} values"
        )
    return b - a


def left_of_pool(pool: float | None, n: float) -> float | Undefined:
    """Return 1 − n/N, what sampling from a finite pool leaves of the variance; 1 without a pool."""
    if pool is None:
        return 1.0
    size = as_count(pool, name="pool", at_least=n)
    if size == n:
        return Undefined(
            "every item of the pool was asked, so no sampling error is left; that of repeated attempts is "
            "asked for with these items only"
        )
    return 1 - n / size


def _reason(v: ClusterVariance) -> str:
    if v.clustered:
        return f"items come in {v.n_clusters} clusters and are not independent"
    return "items are weighted" if not math.isclose(v.kish_n, v.n) else ""
