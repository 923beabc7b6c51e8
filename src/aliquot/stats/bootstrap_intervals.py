"""From given bootstrap replicates to an interval: percentile, basic, normal, BCa, studentized.

Two conventions give different answers from the same replicates. ``scipy``: linear quantiles, and a replicate
equal to the estimate counts half in z₀. ``boot`` (the R package): the order statistic (R + 1)α, interpolated
on the normal scale, and a strict "below" in z₀. Here n counts replicates.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.distributions import normal_quantile
from aliquot.stats.inputs import Floats, as_choice, as_level, as_values
from aliquot.stats.results import Alternative, Estimate, Undefined

Convention: TypeAlias = Literal["scipy", "boot"]


def percentile_interval(
    replicates: ArrayLike,
    point: float,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    convention: Convention = "scipy",
) -> Estimate:
    """Percentile interval: quantiles of the replicates.

    Args:
        replicates: the statistic on each resample.
        point: the statistic on the data.
        level: confidence level.
        alternative: ``two-sided``; ``greater`` for a lower limit, ``less`` for an upper limit only.
        convention: ``scipy`` or ``boot``, see the module.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Davison & Hinkley (1997), eq. 5.18.

    Examples:
        >>> print(percentile_interval(range(1, 1000), 500.0, convention="boot"))
        500.0000 [25.0000, 975.0000] 95% bootstrap_percentile, n = 999
    """
    values = _checked(replicates, convention)
    low, high = _quantiles(values, _probabilities(level, alternative), convention)
    return _estimate("percentile", values, point, (low, high), level=level, alternative=alternative)


def basic_interval(
    replicates: ArrayLike,
    point: float,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    convention: Convention = "scipy",
) -> Estimate:
    """Basic interval: the percentile interval turned about the estimate; arguments as there.

    References:
        Davison & Hinkley (1997), eq. 5.6.

    Examples:
        >>> print(basic_interval([1, 2, 2, 3, 7], 2.0, level=0.6))
        2.0000 [0.2000, 2.2000] 60% bootstrap_basic, n = 5
    """
    values = _checked(replicates, convention)
    low, high = _quantiles(values, _probabilities(level, alternative), convention)
    limits = (2 * point - high, 2 * point - low)
    return _estimate("basic", values, point, limits, level=level, alternative=alternative)


def normal_interval(
    replicates: ArrayLike, point: float, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Estimate:
    """Normal interval with bias correction: 2t₀ − mean(t*) ± z sd(t*); arguments as for the percentile form.

    References:
        Davison & Hinkley (1997), eq. 5.5.

    Examples:
        >>> print(normal_interval([1.0, 2.0, 3.0], 2.0))
        2.0000 [0.0400, 3.9600] 95% bootstrap_normal, n = 3
    """
    values = _checked(replicates, "boot")
    centre, spread = 2 * point - values.mean(), values.std(ddof=1)
    limits = [centre + normal_quantile(p) * spread for p in _probabilities(level, alternative)]
    return _estimate("normal", values, point, (limits[0], limits[1]), level=level, alternative=alternative)


def bca_interval(
    replicates: ArrayLike,
    point: float,
    *,
    acceleration: float,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    convention: Convention = "scipy",
) -> Estimate | Undefined:
    """Bias-corrected and accelerated interval.

    Args:
        replicates: the statistic on each resample.
        point: the statistic on the data.
        acceleration: a, from :func:`acceleration_constant`.
        level: confidence level.
        alternative: as for :func:`percentile_interval`.
        convention: ``scipy`` or ``boot``, see the module.

    Returns:
        The estimate, or Undefined when all replicates lie on one side of the estimate.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Efron (1987) JASA 82:171; Davison & Hinkley (1997), eq. 5.21 and 5.22.

    Examples:
        >>> print(bca_interval([1, 2, 2, 3, 7], 2.0, acceleration=0.05, level=0.6))
        2.0000 [1.3931, 2.5515] 60% bootstrap_bca, n = 5
    """
    values = _checked(replicates, convention)
    z0 = bias_correction(values, point, convention=convention)
    if isinstance(z0, Undefined):
        return z0
    shifted = np.array([z0 + normal_quantile(p) for p in _probabilities(level, alternative)])
    if (acceleration * shifted >= 1).any():
        return Undefined(f"the acceleration {acceleration:.3g} is too large for a BCa limit at this level")
    adjusted = special.ndtr(z0 + shifted / (1 - acceleration * shifted))
    low, high = _quantiles(values, (float(adjusted[0]), float(adjusted[1])), convention)
    constants = {"z0": z0, "acceleration": acceleration}
    return _estimate(
        "bca", values, point, (low, high), level=level, alternative=alternative, constants=constants
    )


def studentized_interval(
    pivots: ArrayLike,
    point: float,
    *,
    se: float,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    convention: Convention = "scipy",
) -> Estimate:
    """Studentized (bootstrap-t) interval: t₀ − se × quantile of the pivots.

    Args:
        pivots: (t* − t₀)/se* of each resample.
        point: the statistic on the data, t₀.
        se: its standard error on the data.
        level: confidence level.
        alternative: as for :func:`percentile_interval`.
        convention: ``scipy`` or ``boot``, see the module.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Davison & Hinkley (1997), eq. 5.7.

    Examples:
        >>> print(studentized_interval([-3.0, -1.0, 0.0, 1.0, 2.0], 10.0, se=2.0, level=0.5))
        10.0000 [8.0000, 12.0000] 50% bootstrap_studentized, n = 5
    """
    values = _checked(pivots, convention)
    low, high = _quantiles(values, _probabilities(level, alternative), convention)
    limits = (point - se * high, point - se * low)
    found = _estimate("studentized", values, point, limits, level=level, alternative=alternative)
    return Estimate(
        found.point, found.low, found.high, found.level, found.method, found.n, se=se, settings=found.settings
    )


def bias_correction(
    replicates: ArrayLike, point: float, *, convention: Convention = "scipy"
) -> float | Undefined:
    """z₀, the normal quantile of the share of replicates below the estimate (Davison & Hinkley, eq. 5.22).

    Examples:
        >>> bias_correction([1, 2, 3], 2.0)
        0.0
    """
    values = _checked(replicates, convention)
    below = (values < point).mean()
    if convention == "scipy":
        below = (below + (values <= point).mean()) / 2
    if not 0 < below < 1:
        return Undefined("every bootstrap replicate lies on one side of the estimate")
    return normal_quantile(float(below))


def acceleration_constant(influence: ArrayLike) -> float | Undefined:
    """Acceleration a = ΣL³/(6 (ΣL²)^1.5) from influence values, empirical or by the jackknife.

    References:
        Davison & Hinkley (1997), eq. 5.23.

    Examples:
        >>> round(acceleration_constant([-1.0, -1.0, 2.0]), 6)
        0.068041
    """
    values = as_values(influence, name="influence")
    largest = float(np.abs(values).max())
    if largest == 0:
        return Undefined("all influence values are 0: the data do not vary")
    scaled = values / largest  # cubes of tiny or huge values would leave the range of a double
    squares = scaled * scaled
    return float((squares * scaled).sum() / (6 * squares.sum() ** 1.5))


def _checked(replicates: ArrayLike, convention: str) -> Floats:
    as_choice(convention, get_args(Convention), name="convention")
    return as_values(replicates, name="replicates", at_least=2)


def _probabilities(level: float, alternative: Alternative) -> tuple[float, float]:
    """Where the two limits are read; a one-sided interval spends all on one side."""
    as_choice(alternative, get_args(Alternative), name="alternative")
    outside = 1 - as_level(level)
    tail = outside / 2 if alternative == "two-sided" else outside
    return tail, 1 - tail


def _quantiles(values: Floats, probabilities: tuple[float, float], convention: str) -> tuple[float, float]:
    if convention == "scipy":
        low, high = np.quantile(values, probabilities)
        return float(low), float(high)
    ordered = np.sort(values)
    return _normal_interpolated(ordered, probabilities[0]), _normal_interpolated(ordered, probabilities[1])


def _normal_interpolated(ordered: Floats, p: float) -> float:
    """Order statistic (R + 1)p, interpolated on the normal scale (Davison & Hinkley 1997, eq. 5.8)."""
    r = ordered.size
    rank = (r + 1) * p
    nearest = round(rank)
    k = nearest if math.isclose(rank, nearest, rel_tol=1e-10) else math.floor(rank)
    if k < 1 or k >= r:
        return float(ordered[0] if k < 1 else ordered[-1])
    if k == nearest and math.isclose(rank, nearest, rel_tol=1e-10):
        return float(ordered[k - 1])
    at, below, above = (normal_quantile(q) for q in (p, k / (r + 1), (k + 1) / (r + 1)))
    return float(ordered[k - 1] + (at - below) / (above - below) * (ordered[k] - ordered[k - 1]))


def _estimate(
    name: str,
    values: Floats,
    point: float,
    limits: tuple[float, float],
    *,
    level: float,
    alternative: Alternative,
    constants: Mapping[str, object] | None = None,
) -> Estimate:
    if not math.isfinite(point):
        raise UsageError(f"point must be a finite number; got {point!r}")
    low, high = limits
    return Estimate(
        point=point,
        low=-math.inf if alternative == "less" else float(low),
        high=math.inf if alternative == "greater" else float(high),
        level=level,
        method=f"bootstrap_{name}",
        n=values.size,
        se=float(values.std(ddof=1)),
        settings={"n_resamples": values.size, "alternative": alternative, **(constants or {})},
    )
