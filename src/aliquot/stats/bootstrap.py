"""Bootstrap intervals of a mean: of rows, whole clusters, weighted rows and paired differences."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.bootstrap_intervals import (
    Convention,
    acceleration_constant,
    basic_interval,
    bca_interval,
    normal_interval,
    percentile_interval,
    studentized_interval,
)
from aliquot.stats.distributions import normal_quantile
from aliquot.stats.effective import Rows, as_rows, without_variation
from aliquot.stats.inputs import DEFAULT_SEED, Floats, RandomSource, as_choice, as_count, as_level, as_values
from aliquot.stats.replicates import Units, draw_replicates, units_of
from aliquot.stats.results import Alternative, Estimate, Undefined

BootstrapMethod: TypeAlias = Literal["bca", "percentile", "basic", "normal", "studentized"]


def bootstrap_mean(
    y: ArrayLike,
    *,
    method: BootstrapMethod = "bca",
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    convention: Convention = "scipy",
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Estimate | Undefined:
    """Mean with a bootstrap interval; cost follows the distinct values (or clusters), memory is bounded.

    The same seed gives the same answer at any size. For scores with limits :func:`mean_bounded` covers
    better: near the ceiling every bootstrap interval is too narrow.

    Args:
        y: any real values, one a row.
        method: ``bca``, ``percentile``, ``basic``, ``normal`` or ``studentized``.
        clusters: one label a row; whole clusters are drawn.
        weights: one non-negative weight a row; rows are drawn with their weights.
        level: confidence level.
        alternative: ``two-sided``; ``greater`` for a lower limit, ``less`` for an upper limit only.
        convention: ``scipy`` or ``boot``: how quantiles and z₀ are read from the replicates.
        n_resamples: number of resamples, at least 2.
        rng: seed or generator; None for the fixed default seed.

    Returns:
        The estimate with the bootstrap standard error, or Undefined for one value or cluster and for data
        without variation.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Efron & Tibshirani (1993); Davison & Hinkley (1997), chapters 2 and 5.

    Examples:
        >>> print(bootstrap_mean([3.1, 4.7, 5.0, 5.6, 6.2], method="normal", rng=1))
        4.9200 [4.0145, 5.8428] 95% bootstrap_normal, n = 5
        >>> print(bootstrap_mean([1, 1, 1]))
        undefined: all 3 values equal 1: data without variation do not show the error of their mean
    """
    return _bootstrap(
        as_rows(y, clusters=clusters, weights=weights),
        method=method,
        level=level,
        alternative=alternative,
        convention=convention,
        n_resamples=n_resamples,
        rng=rng,
    )


def bootstrap_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    method: BootstrapMethod = "bca",
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    convention: Convention = "scipy",
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Estimate | Undefined:
    """Mean of the paired differences b − a with a bootstrap interval: pairs are drawn whole.

    Args:
        a: baseline, one value a row.
        b: candidate, in the order of ``a``.
        method: as for :func:`bootstrap_mean`, and so are the arguments that follow.
        clusters: one label a pair.
        weights: one weight a pair.
        level: confidence level.
        alternative: which limits are given.
        convention: ``scipy`` or ``boot``.
        n_resamples: number of resamples.
        rng: seed or generator.

    Raises:
        UsageError: lengths differ, or as for :func:`bootstrap_mean`.

    References:
        Davison & Hinkley (1997), chapters 2 and 5, eq. 5.5 to 5.23.

    Examples:
        >>> bootstrap_difference([0, 0, 1, 1, 0, 1], [1, 0, 1, 1, 1, 1], rng=1).point
        0.3333333333333333
    """
    first, second = as_values(a, name="a"), as_values(b, name="b")
    if first.size != second.size:
        raise UsageError(f"a and b must be paired row by row; got {first.size} and {second.size} values")
    d = second - first
    plain = clusters is None and weights is None
    return _bootstrap(
        Rows(d, None, None) if plain else as_rows(d, clusters=clusters, weights=weights),
        method=method,
        level=level,
        alternative=alternative,
        convention=convention,
        n_resamples=n_resamples,
        rng=rng,
    )


def abc_interval(y: ArrayLike, *, level: float = 0.95) -> Estimate | Undefined:
    """ABC (approximate bootstrap confidence) interval of a mean: BCa without resampling.

    For a mean, which is linear in the weights, the quadratic and bias terms vanish and the limits are
    t₀ + σ̂ (a + z)/(1 − a(a + z))².

    Args:
        y: any real values, one a row.
        level: confidence level.

    Returns:
        The estimate, or Undefined for one value or data without variation.

    Raises:
        UsageError: an argument has the wrong shape or range.

    References:
        DiCiccio & Efron (1992) Biometrika 79:231, eq. 1.8; R ``boot::abc.ci``.

    Examples:
        >>> print(abc_interval([3.1, 4.7, 5.0, 5.6, 6.2]))
        4.9200 [3.7741, 5.6723] 95% bootstrap_abc, n = 5
    """
    level = as_level(level)
    rows = as_rows(y, clusters=None, weights=None)
    constant = without_variation(rows)
    if constant is not None:
        return constant
    units = units_of(rows)
    a = acceleration_constant(units.influence)
    if isinstance(a, Undefined):
        return a
    shifted = [a + normal_quantile(p) for p in (0.5 - level / 2, 0.5 + level / 2)]
    low, high = (units.point + units.linear_se * w / (1 - a * w) ** 2 for w in shifted)
    return Estimate(
        units.point,
        low,
        high,
        level,
        "bootstrap_abc",
        rows.y.size,
        se=units.linear_se,
        settings={"acceleration": a},
    )


def _bootstrap(
    rows: Rows,
    *,
    method: BootstrapMethod,
    level: float,
    alternative: Alternative,
    convention: Convention,
    n_resamples: int,
    rng: RandomSource,
) -> Estimate | Undefined:
    as_choice(method, get_args(BootstrapMethod), name="method")
    as_choice(alternative, get_args(Alternative), name="alternative")
    as_choice(convention, get_args(Convention), name="convention")
    level, n_resamples = as_level(level), int(as_count(n_resamples, name="n_resamples", at_least=2))
    units = units_of(rows)
    reason = without_variation(rows)
    reason = _alike(units, rows) if reason is None else reason
    if reason is not None:
        return reason
    drawn, pivots = draw_replicates(units, n_resamples, rng, pivotal=method == "studentized")
    found = _interval(
        method, units, drawn, pivots, level=level, alternative=alternative, convention=convention
    )
    if isinstance(found, Undefined):
        return found
    seed = {"seed": DEFAULT_SEED if rng is None else rng} if rng is None or isinstance(rng, int) else {}
    return replace(
        found,
        n=rows.y.size,
        se=float(drawn.std(ddof=1)),
        clusters=None if rows.clusters is None else units.numerators.size,
        settings={**found.settings, "convention": convention, **seed},
    )


def _alike(units: Units, rows: Rows) -> Undefined | None:
    """Why clusters that differ in nothing cannot show the error; rounding in their sums does not count."""
    if rows.plain:
        return None
    if units.numerators.size == 1:
        return Undefined(
            "one cluster only: how clusters differ, and so the error of their mean, cannot be seen"
        )
    scale = max(float(rows.y.max()), -float(rows.y.min()))
    if float(np.abs(units.influence).max()) <= 1e-12 * scale:
        return Undefined("every cluster has the same mean, so its error cannot be seen")
    return None


def _interval(
    method: str,
    units: Units,
    drawn: Floats,
    pivots: Floats,
    *,
    level: float,
    alternative: Alternative,
    convention: Convention,
) -> Estimate | Undefined:
    point = units.point
    if method == "normal":
        return normal_interval(drawn, point, level=level, alternative=alternative)
    if method == "studentized":
        return _studentized(pivots, units, level=level, alternative=alternative, convention=convention)
    if method == "bca":
        a = acceleration_constant(units.influence)
        if isinstance(a, Undefined):
            return a
        return bca_interval(
            drawn, point, acceleration=a, level=level, alternative=alternative, convention=convention
        )
    interval = percentile_interval if method == "percentile" else basic_interval
    return interval(drawn, point, level=level, alternative=alternative, convention=convention)


def _studentized(
    pivots: Floats, units: Units, *, level: float, alternative: Alternative, convention: Convention
) -> Estimate | Undefined:
    """Resamples without variation have infinite pivots; they may fill a tail only short of its limit."""
    infinite = np.isinf(pivots)
    tail = (1 - level) / (2 if alternative == "two-sided" else 1)
    worst = max(int((infinite & (pivots > 0)).sum()), int((infinite & (pivots < 0)).sum()))
    if worst + 1 >= tail * pivots.size:
        return Undefined("too many resamples show no variation for a studentized limit at this level")
    finite = pivots[~infinite]
    held = np.clip(pivots, finite.min(), finite.max())
    return studentized_interval(
        held, units.point, se=units.linear_se, level=level, alternative=alternative, convention=convention
    )
