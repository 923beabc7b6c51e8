"""The mean of one system: t, the bounded form for scores with known limits, and the rule that picks one."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import get_args

from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.bootstrap import bootstrap_mean
from aliquot.stats.distributions import t_quantile
from aliquot.stats.effective import Rows, as_rows, effective_size, row_variance
from aliquot.stats.inputs import RandomSource, as_choice, as_level, as_values
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Alternative, Estimate, Undefined

T_FROM = 200
"""Rows from which the t interval replaces BCa for the mean of unbounded values."""


def mean_t(
    y: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Estimate | Undefined:
    """Mean with Student's t: s²/n and n − 1 df, or V and ν when rows are clustered or weighted.

    Args:
        y: any real values, one a row.
        clusters: one label a row; None when rows are independent.
        weights: one non-negative weight a row, of any scale.
        level: confidence level.
        alternative: ``two-sided``; ``greater`` for a lower limit, ``less`` for an upper limit only.

    Returns:
        The estimate, or Undefined for one value or cluster, and for data without variation.

    Raises:
        UsageError: an argument has the wrong shape or range.

    References:
        Student (1908) Biometrika 6:1; with clusters Bell & McCaffrey (2002) Survey Methodology 28:169.

    Examples:
        >>> print(mean_t([3.1, 4.7, 5.0, 5.6, 6.2]))
        4.9200 [3.4683, 6.3717] 95% t, n = 5
    """
    as_choice(alternative, get_args(Alternative), name="alternative")
    level = as_level(level)
    rows = as_rows(y, clusters=clusters, weights=weights)
    v = row_variance(rows)
    if isinstance(v, Undefined):
        return v
    half = t_quantile(0.5 + level / 2 if alternative == "two-sided" else level, v.df) * v.se
    return Estimate(
        point=v.mean,
        low=-math.inf if alternative == "less" else v.mean - half,
        high=math.inf if alternative == "greater" else v.mean + half,
        level=level,
        method="t" if rows.plain else "t_cr2",
        n=v.n,
        se=v.se,
        df=v.df,
        clusters=v.n_clusters if v.clustered else None,
        settings={} if alternative == "two-sided" else {"alternative": alternative},
        why=_why(rows),
    )


def mean_bounded(
    y: ArrayLike,
    *,
    low: float = 0.0,
    high: float = 1.0,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Mean of scores with known limits: the Wilson interval of m on n* rows, scaled back.

    n* = n_eff (z/t_ν)² with n_eff = m(1 − m)/(s²/n); with clusters or weights V stands for s²/n, never below
    it. When all scores are equal every row (every cluster) counts once. The interval lies within the limits
    and has a width even at the ceiling, where t and BCa collapse.

    Args:
        y: scores from ``low`` to ``high``, one a row.
        low: smallest possible score.
        high: largest possible score.
        clusters: one label a row; None when rows are independent.
        weights: one non-negative weight a row, of any scale.
        level: confidence level.

    Returns:
        The estimate, or Undefined when there is one row or one cluster only.

    Raises:
        UsageError: a score outside the limits, or an argument of the wrong shape or range.

    References:
        Wilson (1927) JASA 22:209, on n m(1 − m)/s² rows: design of this package.

    Examples:
        >>> print(mean_bounded([0.9, 1.0, 0.7, 0.8, 1.0, 0.95]))
        0.8917 [0.7072, 0.9656] 95% wilson_bounded, n = 6
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"low and high must be finite with low below high; got {low!r} and {high!r}")
    level = as_level(level)
    span = high - low
    unit = (as_values(y, name="y", low=low, high=high) - low) / span
    rows = as_rows(unit, clusters=clusters, weights=weights)
    m = min(1.0, float(rows.mean))
    size = effective_size(rows, spread=m * (1 - m), level=level)
    if isinstance(size, Undefined):
        return size
    scaled = wilson(m * size.n_star, size.n_star, level=level)
    v = size.variance
    return replace(
        scaled,
        point=low + span * m,
        low=low + span * scaled.low,
        high=low + span * scaled.high,
        method="wilson_bounded",
        n=v.n,
        se=span * v.se,
        df=v.df,
        clusters=v.n_clusters if v.clustered else None,
        n_eff=size.n_eff,
        settings={"low": low, "high": high, "n_star": size.n_star},
        why=f"scores from {low:g} to {high:g}; {size.why}",
    )


def mean(
    y: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Estimate | Undefined:
    """Mean of unbounded values by the default rule: BCa below 200 rows, t from there and when clustered.

    Args:
        y: any real values, one a row.
        clusters: one label a row; None when rows are independent.
        weights: one non-negative weight a row, of any scale.
        level: confidence level.
        n_resamples: resamples of the BCa interval.
        rng: seed or generator; None for the fixed default seed.

    Returns:
        The estimate, or Undefined for one value or cluster, and for data without variation.

    Raises:
        UsageError: an argument has the wrong shape or range.

    References:
        Efron (1987) JASA 82:171; Student (1908) Biometrika 6:1.

    Examples:
        >>> print(mean([3.1, 4.7, 5.0, 5.6, 6.2], clusters=["a", "a", "b", "b", "c"]))
        4.9200 [1.8955, 7.9445] 95% t_cr2, n = 5
        >>> print(mean([3.5, 3.5, 3.5]))
        undefined: all 3 values equal 3.5: data without variation do not show the error of their mean
    """
    rows = as_rows(y, clusters=clusters, weights=weights)
    if rows.plain and rows.y.size < T_FROM:
        found = bootstrap_mean(rows.y, level=level, n_resamples=n_resamples, rng=rng)
        return replace(found, why=f"fewer than {T_FROM} rows") if isinstance(found, Estimate) else found
    return mean_t(rows.y, clusters=rows.clusters, weights=rows.weights, level=level)


def _why(rows: Rows) -> str:
    if rows.plain:
        return "independent rows of equal weight"
    return "rows of a cluster are not independent" if rows.clusters is not None else "weighted rows"
