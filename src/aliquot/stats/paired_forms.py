"""The two interval forms of a paired difference, from the mean, its variance V and what V rests on.

``effective_tango`` serves binary values and attempts, ``graded_interval`` scores; the public functions beside
this module reduce items, clusters, weights and strata to what these need.
"""

from __future__ import annotations

import math
from dataclasses import replace

from aliquot.stats.clusters import ClusterVariance
from aliquot.stats.distributions import two_sided_t, two_sided_z
from aliquot.stats.inputs import Floats, as_count
from aliquot.stats.paired_score import tango
from aliquot.stats.results import Estimate, Undefined

_FEW = 10.0
"""Below this many items' worth of differences, (Σd²)²/Σd⁴, the t interval alone covers too little."""


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
        n_eff = most * min(1.0, v.kish_n / v.n)
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


def graded_interval(
    v: ClusterVariance,
    *,
    square: Floats,
    plain: bool,
    scale: float | None,
    level: float,
    pool: float | None = None,
) -> Estimate | Undefined:
    """T for the mean of score differences, joined with Tango's interval when few items differ.

    When (Σ w d²)²/Σ (w d²)² < 10 or nothing varies the hull of t and of Tango at ψ̂ = max(mean d², abs d̂) is
    given: on n items when ``plain``, else on n_eff as in :func:`effective_tango`.

    Args:
        v: variance of the mean difference, scores divided by ``scale``.
        square: w d² of each item, on the same scale.
        plain: whether items are independent and of equal weight.
        scale: high − low of the scores; None for unbounded scores, where t stands alone.
        level: confidence level.
        pool: size of a finite pool of items.
    """
    shrink = left_of_pool(pool, v.n)
    if isinstance(shrink, Undefined):
        return shrink
    t = _t_interval(v, shrink=shrink, scale=scale or 1.0, level=level, pool=pool)
    if scale is None:
        constant = Undefined("the difference does not vary and has no bounds, so its error cannot be seen")
        return t if v.variance > 0 else constant
    if v.variance > 0 and square.sum() ** 2 >= _FEW * (square**2).sum():
        return replace(t, low=max(t.low, -scale), high=min(t.high, scale))
    psi = max(float(square.sum()), abs(v.mean))
    if plain:
        return _hull(t, _tango_of_shares(psi, v.mean, n=v.n / shrink, level=level), scale=scale, psi=psi)
    return _hull(t, effective_tango(v, psi=psi, level=level, pool=pool), scale=scale, psi=psi)


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
