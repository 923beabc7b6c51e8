"""What missing outcomes could hide: the worst and best case, and Imbens–Manski intervals around them.

Here, and only here, NaN in the input stands for a missing value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.clusters import ClusterVariance, cluster_variance
from aliquot.stats.distributions import normal_quantile
from aliquot.stats.inputs import Floats, as_array, as_count, as_level, as_values
from aliquot.stats.results import Estimate, Record, Undefined
from aliquot.stats.roots import bisect


@dataclass(frozen=True, slots=True)
class MissingBounds(Record):
    """The range a mean could take, whatever the missing values are.

    Attributes:
        observed: mean of the rows that have a value; Undefined when none has.
        worst: the mean when every missing value is the worst for it.
        best: the mean when every missing value is the best for it.
        n: rows, missing ones included.
        n_missing: rows without a value (pairs that lack either, for a difference).
        interval: interval for the mean whatever the missing values are; its point is the middle of the range.
    """

    observed: float | Undefined
    worst: float
    best: float
    n: int
    n_missing: int
    interval: Estimate | Undefined


def mean_bounds(
    y: ArrayLike,
    *,
    low: float = 0.0,
    high: float = 1.0,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> MissingBounds:
    """Worst and best case of a rate or of a mean of bounded scores with missing values.

    Args:
        y: scores from ``low`` to ``high``, NaN where missing, one a row.
        low: smallest possible score.
        high: largest possible score.
        clusters: one label a row; None when rows are independent.
        level: confidence level.

    Raises:
        UsageError: a score outside the limits, or an argument of the wrong shape or range.

    References:
        Manski (1989) J Human Resources 24:343; Imbens & Manski (2004) Econometrica 72:1845.

    Examples:
        >>> bounds = mean_bounds([1.0, 0.5, float("nan"), float("nan")])
        >>> bounds.observed, bounds.worst, bounds.best, bounds.n_missing
        (0.75, 0.375, 0.875, 2)
    """
    values = _partial(y, name="y", low=low, high=high)
    known = ~np.isnan(values)
    worst, best = np.where(known, values, low), np.where(known, values, high)
    return _bounds(values[known], worst, best, clusters=clusters, level=level, limits=(low, high))


def difference_bounds(
    a: ArrayLike,
    b: ArrayLike,
    *,
    low: float = 0.0,
    high: float = 1.0,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> MissingBounds:
    """Worst and best case of the mean paired difference b − a with values missing on either side.

    Worst puts ``low`` for a missing b and ``high`` for a missing a; best the reverse.

    Args:
        a: baseline, scores from ``low`` to ``high``, NaN where missing.
        b: candidate, in the order of ``a``.
        low: smallest possible score.
        high: largest possible score.
        clusters: one label a pair; None when pairs are independent.
        level: confidence level.

    Raises:
        UsageError: as in :func:`mean_bounds`, or sides of different lengths.

    References:
        Manski (1989) J Human Resources 24:343; Imbens & Manski (2004) Econometrica 72:1845, eq. 6 and 7.

    Examples:
        >>> nan = float("nan")
        >>> bounds = difference_bounds([1, 0, nan, 1], [1, 1, 1, nan])
        >>> bounds.observed, bounds.worst, bounds.best, bounds.n_missing
        (0.5, 0.0, 0.5, 2)
    """
    first = _partial(a, name="a", low=low, high=high)
    second = _partial(b, name="b", low=low, high=high)
    if first.size != second.size:
        raise UsageError(f"a and b must be paired row by row; got {first.size} and {second.size} values")
    no_a, no_b = np.isnan(first), np.isnan(second)
    worst = np.where(no_b, low, second) - np.where(no_a, high, first)
    best = np.where(no_b, high, second) - np.where(no_a, low, first)
    span = high - low
    return _bounds(
        (second - first)[~(no_a | no_b)], worst, best, clusters=clusters, level=level, limits=(-span, span)
    )


def imbens_manski(
    worst: float,
    best: float,
    *,
    se_worst: float,
    se_best: float,
    level: float = 0.95,
    n: float = 0,
) -> Estimate | Undefined:
    """Interval that covers the true value, wherever it lies between two estimated bounds.

    [worst − c se_worst, best + c se_best] with c from Φ(c + (best − worst)/max(se)) − Φ(−c) = level: the
    two-sided quantile when the bounds meet, falling to the one-sided one as they part.

    Args:
        worst: estimated lower bound.
        best: estimated upper bound, at least ``worst``.
        se_worst: standard error of the lower bound.
        se_best: standard error of the upper bound.
        level: confidence level.
        n: rows, for the record.

    Returns:
        The estimate, whose point is the middle of the bounds; Undefined when the bounds meet without error.

    Raises:
        UsageError: bounds in the wrong order, or a negative standard error.

    References:
        Imbens & Manski (2004) Econometrica 72:1845, eq. 6 and 7.

    Examples:
        >>> found = imbens_manski(0.4, 0.6, se_worst=0.05, se_best=0.05)
        >>> round(found.low, 4), round(found.high, 4), round(found.settings["c"], 4)
        (0.3178, 0.6822, 1.6449)
    """
    se_worst, se_best = as_count(se_worst, name="se_worst"), as_count(se_best, name="se_best")
    if not (math.isfinite(worst) and math.isfinite(best) and worst <= best):
        raise UsageError(f"worst must be at most best; got {worst!r} and {best!r}")
    level = as_level(level)
    larger = max(se_worst, se_best)
    if larger == 0 and worst == best:
        return Undefined("the bounds meet and neither shows an error")
    c = _critical(math.inf if larger == 0 else (best - worst) / larger, level)
    return Estimate(
        point=(worst + best) / 2,
        low=worst - c * se_worst,
        high=best + c * se_best,
        level=level,
        method="imbens_manski",
        n=n,
        settings={"c": c, "worst": worst, "best": best},
        why="missing values could lie anywhere",
    )


def _critical(gap: float, level: float) -> float:
    """The c of eq. 7, between the one-sided and the two-sided normal quantile."""
    one_sided, two_sided = normal_quantile(level), normal_quantile(0.5 + level / 2)
    if gap == 0:
        return two_sided

    def excess(c: float) -> float:
        return float(special.ndtr(c + gap) - special.ndtr(-c)) - level

    if excess(two_sided) <= 0:  # a gap lost in rounding
        return two_sided
    return one_sided if excess(one_sided) >= 0 else bisect(excess, one_sided, two_sided)


def _bounds(
    observed: Floats,
    worst: Floats,
    best: Floats,
    *,
    clusters: ArrayLike | None,
    level: float,
    limits: tuple[float, float],
) -> MissingBounds:
    variances = [cluster_variance(filled, clusters=clusters) for filled in (worst, best)]
    lower = float(worst.mean())
    upper = max(lower, float(best.mean()))
    found: Estimate | Undefined = Undefined("one row or cluster only: the error of the bounds cannot be seen")
    se = [v.se for v in variances if isinstance(v, ClusterVariance)]
    if len(se) == 2:
        found = imbens_manski(lower, upper, se_worst=se[0], se_best=se[1], level=level, n=worst.size)
    if isinstance(found, Estimate):  # a mean beyond its limits is impossible, so cutting loses no coverage
        found = replace(found, low=max(limits[0], found.low), high=min(limits[1], found.high))
    return MissingBounds(
        observed=float(observed.mean()) if observed.size else Undefined("no row has a value"),
        worst=lower,
        best=upper,
        n=worst.size,
        n_missing=worst.size - observed.size,
        interval=found,
    )


def _partial(values: ArrayLike, *, name: str, low: float, high: float) -> Floats:
    """Check what is known of a partly missing array; NaN stays."""
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"low and high must be finite with low below high; got {low!r} and {high!r}")
    array = as_array(values, name=name)
    if array.dtype.kind not in "biuf" or array.ndim != 1 or array.size == 0:
        return as_values(values, name=name)
    array = array.astype(np.float64)
    known = array[~np.isnan(array)]
    if known.size:
        as_values(known, name=name, low=low, high=high)
    return array
