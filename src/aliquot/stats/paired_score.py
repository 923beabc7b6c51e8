"""Tango's score interval for a paired difference, on which every binary comparison of shared items rests."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.distributions import normal_quantile, two_sided_z
from aliquot.stats.inputs import Floats, as_choice, as_count, as_level
from aliquot.stats.results import Alternative, Estimate

_HALVINGS = (
    120  # 2^-120 of an interval no longer than 2: below the spacing of floats for every limit that is not 0
)
_SLACK = 1e-9  # effective counts are products of floats; they may exceed n by rounding only


def tango(
    fixed: float,
    broke: float,
    n: float,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    z: float | None = None,
) -> Estimate:
    """Difference of two rates on shared items, candidate minus baseline, with Tango's score interval.

    The interval holds every difference that the score test does not reject, so it never has zero width, stays
    within −1 and 1, and excludes 0 exactly when McNemar's uncorrected asymptotic test rejects.

    Args:
        fixed: items the candidate gets right and the baseline wrong; may be fractional (effective counts).
        broke: items the baseline gets right and the candidate wrong; may be fractional.
        n: all shared items, or their effective number; at least ``fixed + broke``.
        level: confidence level.
        alternative: ``greater`` gives a lower limit only, ``less`` an upper limit only.
        z: critical value in place of the normal quantile (simultaneous intervals); ``level`` is then only
            recorded.

    Returns:
        The estimate; ``se`` is √((ψ̂ − d̂²)/n), which is 0 when all or no items differ in one direction.

    Raises:
        UsageError: a negative count, more discordant items than items, n of 0, a bad level.

    References:
        Tango (1998), Statistics in Medicine 17:891-908, the score statistic and its restricted estimate.

    Examples:
        >>> print(tango(16, 6, 161))
        0.0621 [0.0054, 0.1240] 95% tango, n = 161
    """
    fixed, broke, n = as_paired_counts(fixed, broke, n)
    level = as_level(level)
    as_choice(alternative, ("two-sided", "less", "greater"), name="alternative")
    settings: dict[str, object] = {"fixed": fixed, "broke": broke, "alternative": alternative}
    if z is None:
        z = two_sided_z(level) if alternative == "two-sided" else normal_quantile(level)
    else:
        settings["z"] = z = as_count(z, name="z", at_least=1e-6)
    low, high = (float(limit) for limit in tango_limits(fixed, broke, n, z=z))
    difference, psi = (fixed - broke) / n, (fixed + broke) / n
    return Estimate(
        point=difference,
        low=-math.inf if alternative == "less" else low,
        high=math.inf if alternative == "greater" else high,
        level=level,
        method="tango",
        n=n,
        se=math.sqrt(max(0.0, psi - difference**2) / n),
        settings=settings,
    )


def tango_limits(fixed: ArrayLike, broke: ArrayLike, n: ArrayLike, *, z: ArrayLike) -> tuple[Floats, Floats]:
    """Both limits for arrays of counts that broadcast; trusts its input (see :func:`tango` for one table).

    Args:
        fixed: numbers of items fixed.
        broke: numbers of items broke.
        n: numbers of items, at least ``fixed + broke``.
        z: critical values.

    Returns:
        Lower and upper limits of candidate minus baseline.

    Examples:
        >>> low, high = tango_limits([0, 16], [0, 6], [100, 161], z=1.96)
        >>> high.round(3).tolist()
        [0.037, 0.124]
    """
    x, y, size, critical = np.broadcast_arrays(
        *(np.asarray(v, dtype=np.float64) for v in (fixed, broke, n, z))
    )
    u, v = x / size, y / size
    mirrored = _upper_limit(np.stack([v, u]), np.stack([u, v]), critical**2 / size)
    return -mirrored[0], mirrored[1]


def as_paired_counts(fixed: float, broke: float, n: float) -> tuple[float, float, float]:
    """Return counts of fixed and broke items and of all items, with at least as many items as differ."""
    fixed, broke = as_count(fixed, name="fixed"), as_count(broke, name="broke")
    n = as_count(n, name="n")
    if n == 0:
        raise UsageError("n must be positive; there is no shared item to compare on")
    if fixed + broke > n * (1 + _SLACK):
        raise UsageError(f"fixed + broke must not exceed n; got {fixed:g} + {broke:g} of {n:g}")
    return fixed, broke, max(n, fixed + broke)


def _upper_limit(u: Floats, v: Floats, k: Floats) -> Floats:
    """Largest difference not rejected, by bisection between the estimate u − v and 1; k is z²/n."""
    inside = np.asarray(u - v)
    outside = np.ones_like(inside)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if np.all((middle == inside) | (middle == outside)):
            break
        accepted = (middle - (u - v)) ** 2 <= k * score_variance(u, v, middle)
        inside, outside = np.where(accepted, middle, inside), np.where(accepted, outside, middle)
    return outside


def score_variance(u: Floats, v: Floats, delta: Floats) -> Floats:
    """Variance of √n (û − v̂) at its restricted estimate when the true difference is ``delta``.

    Tango (1998): q solves 2q² + Bq + C = 0 with B = −u − v + (2 − u + v)δ and C = −vδ(1−δ); the variance is
    2q + δ(1−δ). A negative δ is the mirror image (u and v change places), which keeps C ≤ 0 and the root free
    of cancellation.
    """
    first, second, size = np.where(delta < 0, v, u), np.where(delta < 0, u, v), np.abs(delta)
    spread = size * (1 - size)
    b = -first - second + (2 - first + second) * size
    root = np.sqrt(b**2 + 8 * second * spread)
    total = root + np.abs(b)
    stable = np.divide(2 * second * spread, total, out=np.zeros_like(total), where=total > 0)
    return 2 * np.where(b > 0, stable, (root - b) / 4) + spread
