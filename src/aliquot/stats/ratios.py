"""A ratio of two means, such as the cost of one extra pass: Fieller's confidence set, and the linear form."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.clusters import ClusterVariance, cluster_variance
from aliquot.stats.distributions import two_sided_t, two_sided_z
from aliquot.stats.inputs import as_count, as_level, as_values
from aliquot.stats.results import Estimate, Undefined


@dataclass(frozen=True, slots=True)
class UnboundedRatio(Undefined):
    """A confidence set of a ratio that is not an interval, because the denominator may be 0.

    Attributes:
        reason: the set in words.
        point: the ratio of the means; None when the denominator is exactly 0.
        kind: ``exclusive`` (everything outside a gap), ``half_line`` or ``whole_line``.
        gap: the excluded open interval of an exclusive set; its ends may be infinite for a half line.
        level: confidence level.
        n: rows in the means.
    """

    point: float | None
    kind: Literal["exclusive", "half_line", "whole_line"]
    gap: tuple[float, float] | None
    level: float
    n: float

    def __str__(self) -> str:
        return f"undefined: {self.reason}"


def fieller(
    numerator: ArrayLike,
    denominator: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Ratio of two means measured on the same rows, with Fieller's confidence set.

    For the cost per extra pass give the paired differences of cost and of success, one a row.

    Args:
        numerator: one value a row.
        denominator: one value a row, in the same order.
        clusters: one label a row; None when rows are independent.
        level: confidence level.

    Returns:
        The estimate; :class:`UnboundedRatio` when the denominator is not told from 0 at this level; Undefined
        for one row or cluster, and when neither part varies.

    Raises:
        UsageError: an argument has the wrong shape or range.

    References:
        Fieller (1954) JRSS B 16:175.

    Examples:
        >>> print(fieller([143, 104, 69, 260, 75], [138, 93, 61, 179, 48]))
        1.2543 [0.7653, 1.5852] 95% fieller, n = 5
        >>> print(fieller([0.02, 0.05, 0.03, 0.04], [1, -1, 0, 1]).kind)
        exclusive
    """
    x, y, level = (
        as_values(numerator, name="numerator"),
        as_values(denominator, name="denominator"),
        as_level(level),
    )
    if x.size != y.size:
        raise UsageError(
            f"numerator and denominator must be paired row by row; got {x.size} and {y.size} values"
        )
    moments = _moments(x, y, clusters)
    if isinstance(moments, Undefined):
        return moments
    vx, vy, covariance = moments
    return fieller_from_moments(
        vx.mean,
        vy.mean,
        variances=(vx.variance, vy.variance),
        covariance=covariance,
        df=vx.df,
        n=vx.n,
        level=level,
        clusters=vx.n_clusters if vx.clustered else None,
    )


def fieller_from_moments(
    numerator: float,
    denominator: float,
    *,
    variances: tuple[float, float],
    covariance: float = 0.0,
    df: float = math.inf,
    n: float = 0,
    level: float = 0.95,
    clusters: int | None = None,
) -> Estimate | Undefined:
    """Fieller's confidence set from two means, the variances of these means and their covariance.

    It holds the θ with (x̄ − θȳ)² ≤ t² (v_x − 2θ v_xy + θ² v_y); see :func:`fieller`.

    Args:
        numerator: mean x̄.
        denominator: mean ȳ.
        variances: variances of the two means.
        covariance: covariance of the two means.
        df: degrees of freedom; infinite for the normal quantile.
        n: rows in the means, for the record.
        level: confidence level.
        clusters: number of clusters, for the record.

    Raises:
        UsageError: a number is not finite, a variance is negative, or the covariance impossible.

    References:
        Fieller (1954) JRSS B 16:175.

    Examples:
        >>> print(fieller_from_moments(4.0, 2.0, variances=(0.04, 0.01), n=100))
        2.0000 [1.7402, 2.2986] 95% fieller, n = 100
    """
    vx, vy = (as_count(v, name="a variance") for v in variances)
    if not all(map(math.isfinite, (numerator, denominator, covariance))):
        raise UsageError("numerator, denominator and covariance must be finite numbers")
    if covariance**2 > vx * vy * (1 + 1e-9):
        raise UsageError(f"covariance {covariance:g} is impossible with variances {vx:g} and {vy:g}")
    if vx == 0 and vy == 0:
        return Undefined("neither part of the ratio varies, so its error cannot be seen")
    t = two_sided_t(as_level(level), df)
    square = denominator**2 - t * t * vy
    half_linear = numerator * denominator - t * t * covariance
    constant = numerator**2 - t * t * vx
    if square <= 0:
        return _unbounded(numerator, denominator, (square, half_linear, constant), level=level, n=n)
    point = numerator / denominator
    root = math.sqrt(max(0.0, half_linear**2 - square * constant))
    se = math.sqrt(max(0.0, vx - 2 * point * covariance + point * point * vy)) / abs(denominator)
    if root == 0:
        return Undefined("numerator and denominator are exactly proportional, so the error cannot be seen")
    low, high = (half_linear - root) / square, (half_linear + root) / square
    settings = {"g": t * t * vy / denominator**2}
    return Estimate(point, low, high, level, "fieller", n, se=se, df=df, clusters=clusters, settings=settings)


def ratio_linear(
    numerator: ArrayLike, denominator: ArrayLike, *, level: float = 0.95
) -> Estimate | Undefined:
    """Ratio of two means with its linear (delta-method) variance ΣL²/n² and a normal interval.

    Symmetric, and wrong when the denominator is near 0: :func:`fieller` is the default.

    Args:
        numerator: one value a row.
        denominator: one value a row, in the same order.
        level: confidence level.

    Raises:
        UsageError: an argument has the wrong shape or range.

    References:
        Davison & Hinkley (1997), section 2.7.2.

    Examples:
        >>> print(ratio_linear([143, 104, 69, 260, 75], [138, 93, 61, 179, 48]))
        1.2543 [1.0618, 1.4469] 95% ratio_linear, n = 5
    """
    x, u, level = (
        as_values(numerator, name="numerator"),
        as_values(denominator, name="denominator"),
        as_level(level),
    )
    if x.size != u.size:
        raise UsageError(
            f"numerator and denominator must be paired row by row; got {x.size} and {u.size} values"
        )
    mean = float(u.mean())
    if mean == 0:
        return Undefined("the denominator's mean is 0")
    point = float(x.mean()) / mean
    influence = (x - point * u) / mean
    se = float(np.sqrt((influence**2).sum())) / x.size
    if se == 0:
        return Undefined("numerator and denominator are exactly proportional, so the error cannot be seen")
    half = two_sided_z(level) * se
    return Estimate(point, point - half, point + half, level, "ratio_linear", x.size, se=se)


def _moments(
    x: ArrayLike, y: ArrayLike, clusters: ArrayLike | None
) -> tuple[ClusterVariance, ClusterVariance, float] | Undefined:
    """Variances of both means and their covariance, by v(x + y) = v(x) + v(y) + 2 cov after scaling."""
    x, y = np.asarray(x), np.asarray(y)
    vx, vy = cluster_variance(x, clusters=clusters), cluster_variance(y, clusters=clusters)
    if isinstance(vx, Undefined) or isinstance(vy, Undefined):
        return vx if isinstance(vx, Undefined) else Undefined("the error of the denominator cannot be seen")
    if vx.variance == 0 or vy.variance == 0:
        return vx, vy, 0.0
    both = cluster_variance(x / vx.se + y / vy.se, clusters=clusters)
    correlation = both.variance / 2 - 1 if isinstance(both, ClusterVariance) else 0.0
    return vx, vy, max(-1.0, min(1.0, correlation)) * vx.se * vy.se


def _unbounded(
    numerator: float,
    denominator: float,
    quadratic: tuple[float, float, float],
    *,
    level: float,
    n: float,
) -> UnboundedRatio:
    """The set {θ: aθ² − 2bθ + c ≤ 0} when a ≤ 0."""
    a, b, c = quadratic
    point = numerator / denominator if denominator else None
    cause = f"the denominator is not told from 0 at {level:.0%}"
    inside = b * b - a * c
    if a == 0 and b != 0:
        edge = c / (2 * b)
        gap = (-math.inf, edge) if b > 0 else (edge, math.inf)
        reason = f"{cause}; the confidence set is everything {'above' if b > 0 else 'below'} {edge:.4g}"
        return UnboundedRatio(reason, point, "half_line", gap, level, n)
    if a == 0 or inside <= 0:
        reason = f"{cause}, nor the numerator; any ratio is compatible with the data"
        return UnboundedRatio(reason, point, "whole_line", None, level, n)
    root = math.sqrt(inside)
    gap = ((b + root) / a, (b - root) / a)
    reason = f"{cause}; the confidence set is everything outside {gap[0]:.4g} to {gap[1]:.4g}"
    return UnboundedRatio(reason, point, "exclusive", gap, level, n)
