"""Score intervals and the score test for two rates on different items: Miettinen–Nurminen and Mee."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.distributions import normal_quantile, p_value, two_sided_z
from aliquot.stats.inputs import Floats, as_choice, as_count, as_level
from aliquot.stats.results import Alternative, Estimate, HypothesisTest

_HALVINGS = 120
_POLISH = 3
_SLACK = 1e-9  # effective counts are products of floats; they may exceed n by rounding only


def miettinen_nurminen(
    x_a: float,
    n_a: float,
    x_b: float,
    n_b: float,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    z: float | None = None,
) -> Estimate:
    """Difference of two rates on different items, candidate minus baseline, with the score interval.

    The interval holds every difference that the score test, with its variance times N/(N − 1), does not
    reject. It never has zero width; with N of 1 or less (effective counts) it is the whole range.

    Args:
        x_a: items the baseline gets right; may be fractional (effective counts).
        n_a: items of the baseline, or their effective number.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        level: confidence level.
        alternative: ``greater`` gives a lower limit only, ``less`` an upper limit only.
        z: critical value in place of the normal quantile (simultaneous intervals); ``level`` is then only
            recorded.

    Returns:
        The estimate; ``se`` is that of the raw difference.

    Raises:
        UsageError: negative counts, more right than items, no items on a side.

    References:
        Miettinen & Nurminen (1985), Statistics in Medicine 4:213-226; restricted estimates in closed form as
        in Farrington & Manning (1990), Statistics in Medicine 9:1447-1454, appendix.

    Examples:
        >>> print(miettinen_nurminen(1, 34, 7, 34))
        0.1765 [0.0270, 0.3453] 95% miettinen_nurminen, n = 68
    """
    return _score(x_a, n_a, x_b, n_b, level=level, alternative=alternative, z=z, method="miettinen_nurminen")


def mee(
    x_a: float,
    n_a: float,
    x_b: float,
    n_b: float,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    z: float | None = None,
) -> Estimate:
    """Miettinen and Nurminen's interval without the factor N/(N − 1).

    Arguments, result and errors as in :func:`miettinen_nurminen`.

    References:
        Mee (1984), Biometrics 40:1175-1176.

    Examples:
        >>> print(mee(1, 34, 7, 34))
        0.1765 [0.0284, 0.3439] 95% mee, n = 68
    """
    return _score(x_a, n_a, x_b, n_b, level=level, alternative=alternative, z=z, method="mee")


def mn_score_test(
    x_a: float, n_a: float, x_b: float, n_b: float, *, alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Miettinen and Nurminen's score test of equal rates: the pooled z with variance times N/(N − 1).

    Args:
        x_a: items the baseline gets right.
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        alternative: ``greater`` when only a better candidate counts, ``less`` when only a worse one does.

    Returns:
        The test; p is 1 when all items, or none, are right.

    Raises:
        UsageError: negative counts, more right than items, no items on a side.

    References:
        Miettinen & Nurminen (1985), Statistics in Medicine 4:213-226.

    Examples:
        >>> print(mn_score_test(3, 10, 9, 10))
        mn_score: p = 0.007602 (two-sided)
    """
    x_a, n_a, x_b, n_b = as_unpaired_counts(x_a, n_a, x_b, n_b)
    total = n_a + n_b
    shrink = math.sqrt(max(0.0, total - 1) / total)
    return pooled_test(x_a, n_a, x_b, n_b, shrink=shrink, alternative=alternative, name="mn_score")


def pooled_test(
    x_a: float, n_a: float, x_b: float, n_b: float, *, shrink: float, alternative: Alternative, name: str
) -> HypothesisTest:
    """Normal test of equal rates with the pooled variance, z times ``shrink``; trusts its counts."""
    as_choice(alternative, ("two-sided", "less", "greater"), name="alternative")
    pooled = (x_a + x_b) / (n_a + n_b)
    variance = pooled * (1 - pooled) * (1 / n_a + 1 / n_b)
    z = shrink * (x_b / n_b - x_a / n_a) / math.sqrt(variance) if variance > 0 else 0.0
    tail = -abs(z) if alternative == "two-sided" else -z if alternative == "greater" else z
    p = 1.0 if variance <= 0 else float(special.ndtr(tail)) * (2 if alternative == "two-sided" else 1)
    return HypothesisTest(
        name=name,
        p=p_value(p),
        alternative=alternative,
        statistic=z,
        null="the two rates are equal",
        settings={"x_a": x_a, "n_a": n_a, "x_b": x_b, "n_b": n_b},
    )


def score_limits(
    x_a: ArrayLike, n_a: ArrayLike, x_b: ArrayLike, n_b: ArrayLike, *, z: ArrayLike, inflate: bool = True
) -> tuple[Floats, Floats]:
    """Both limits for arrays of counts that broadcast; trusts its input.

    Args:
        x_a: items the baseline gets right.
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        z: critical values.
        inflate: variance times N/(N − 1) (Miettinen–Nurminen); without it, Mee.

    Returns:
        Lower and upper limits of candidate minus baseline.

    Examples:
        >>> low, high = score_limits([0, 1], 34, [0, 7], 34, z=1.96)
        >>> high.round(3).tolist()
        [0.103, 0.345]
    """
    a, m, b, n, critical = np.broadcast_arrays(
        *(np.asarray(v, dtype=np.float64) for v in (x_a, n_a, x_b, n_b, z))
    )
    total = m + n
    grow = np.divide(total, total - 1, out=np.full_like(total, np.inf), where=total > 1) if inflate else 1.0
    k = critical**2 * grow
    # the lower limit is the upper one of the exchanged systems, mirrored
    mirrored = _upper_limit(np.stack([b, a]), np.stack([n, m]), np.stack([a, b]), np.stack([m, n]), k)
    return -mirrored[0], mirrored[1]


def as_unpaired_counts(x_a: float, n_a: float, x_b: float, n_b: float) -> tuple[float, float, float, float]:
    """Return counts of right items and of items for both sides, with at least as many items as right ones."""
    checked: list[float] = []
    for side, x, n in (("a", x_a, n_a), ("b", x_b, n_b)):
        right, size = as_count(x, name=f"x_{side}"), as_count(n, name=f"n_{side}")
        if size == 0:
            raise UsageError(f"n_{side} must be positive; there is no item on this side")
        if right > size * (1 + _SLACK):
            raise UsageError(f"x_{side} must not exceed n_{side}; got {right:g} of {size:g}")
        checked += [min(right, size), size]
    return checked[0], checked[1], checked[2], checked[3]


def _score(
    x_a: float,
    n_a: float,
    x_b: float,
    n_b: float,
    *,
    level: float,
    alternative: Alternative,
    z: float | None,
    method: str,
) -> Estimate:
    x_a, n_a, x_b, n_b = as_unpaired_counts(x_a, n_a, x_b, n_b)
    level = as_level(level)
    as_choice(alternative, ("two-sided", "less", "greater"), name="alternative")
    settings: dict[str, object] = {"x_a": x_a, "n_a": n_a, "x_b": x_b, "n_b": n_b, "alternative": alternative}
    if z is None:
        z = two_sided_z(level) if alternative == "two-sided" else normal_quantile(level)
    else:
        settings["z"] = z = as_count(z, name="z", at_least=1e-6)
    low, high = score_limits(x_a, n_a, x_b, n_b, z=z, inflate=method == "miettinen_nurminen")
    rate_a, rate_b = x_a / n_a, x_b / n_b
    return Estimate(
        point=rate_b - rate_a,
        low=-math.inf if alternative == "less" else float(low),
        high=math.inf if alternative == "greater" else float(high),
        level=level,
        method=method,
        n=n_a + n_b,
        se=math.sqrt(rate_a * (1 - rate_a) / n_a + rate_b * (1 - rate_b) / n_b),
        settings=settings,
    )


def _upper_limit(x_a: Floats, n_a: Floats, x_b: Floats, n_b: Floats, k: Floats) -> Floats:
    """Largest difference B − A not rejected, by bisection between the estimate and 1; k is z² N/(N − 1)."""
    difference = x_b / n_b - x_a / n_a
    inside, outside = difference, np.ones_like(difference)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if np.all((middle == inside) | (middle == outside)):
            break
        variance = restricted_variance(x_a, n_a, x_b, n_b, middle)
        # an infinite k (N of 1 or less) accepts everything, also where the variance is 0
        accepted = np.isinf(k) | ((middle - difference) ** 2 <= np.where(np.isinf(k), 0.0, k) * variance)
        inside, outside = np.where(accepted, middle, inside), np.where(accepted, outside, middle)
    return outside


def restricted_variance(x_a: Floats, n_a: Floats, x_b: Floats, n_b: Floats, delta: Floats) -> Floats:
    """Variance of the difference at the restricted estimates, when B − A is ``delta``."""
    a = _restricted_rate(x_a, n_a, x_b, n_b, delta)
    b = np.clip(a + delta, 0.0, 1.0)
    return a * (1 - a) / n_a + b * (1 - b) / n_b


def _restricted_rate(x_a: Floats, n_a: Floats, x_b: Floats, n_b: Floats, delta: Floats) -> Floats:
    """Maximum-likelihood rate of A when B − A is ``delta``: the trigonometric root of the likelihood's cubic.

    Farrington & Manning (1990), appendix; Newton steps, where they help, restore the digits the arc cosine
    loses near ±1.
    """
    total, right = n_a + n_b, x_a + x_b
    c2 = ((n_b + 2 * n_a) * delta - total - right) / total
    c1 = ((n_a * delta - total - 2 * x_a) * delta + right) / total
    c0 = x_a * delta * (1 - delta) / total
    v = c2**3 / 27 - c1 * c2 / 6 + c0 / 2
    u = np.copysign(np.sqrt(np.maximum(c2**2 / 9 - c1 / 3, 0.0)), v)
    ratio = np.divide(v, u**3, out=np.zeros_like(v), where=u**3 != 0)
    low, high = np.maximum(0.0, -delta), np.minimum(1.0, 1 - delta)
    rate = np.clip(2 * u * np.cos((np.pi + np.arccos(np.clip(ratio, -1, 1))) / 3) - c2 / 3, low, high)
    value = ((rate + c2) * rate + c1) * rate + c0
    for _ in range(_POLISH):
        slope = (3 * rate + 2 * c2) * rate + c1
        step = np.divide(value, slope, out=np.zeros_like(value), where=slope != 0)
        moved = np.clip(rate - step, low, high)
        left = ((moved + c2) * moved + c1) * moved + c0
        better = np.abs(left) < np.abs(value)
        rate, value = np.where(better, moved, rate), np.where(better, left, value)
    return rate
