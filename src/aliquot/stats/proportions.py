"""Intervals for one proportion from a count: x of n, both possibly fractional (effective counts).

Every limit lies in [0, 1]. A one-sided interval (``greater``: lower limit only; ``less``: upper limit only)
is closed by the bound of the proportion itself, 1 or 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import get_args

from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.distributions import beta_quantile, normal_quantile
from aliquot.stats.inputs import as_choice, as_count, as_level
from aliquot.stats.results import Alternative, Estimate
from aliquot.stats.roots import bisect


def wilson(
    x: float,
    n: float,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    correction: bool = False,
) -> Estimate:
    """Wilson score interval: all p that the score test does not reject. The default for a rate.

    Its coverage dips at small n near the ends (.9245 at n = 20, p = .95).

    Args:
        x: successes, 0 to n.
        n: trials, above 0.
        level: confidence level.
        alternative: ``two-sided``; ``greater`` for a lower limit, ``less`` for an upper limit only.
        correction: with continuity correction (close to Clopper–Pearson, conservative).

    Raises:
        UsageError: n is not above 0, x lies outside 0 to n, or the level outside 0 to 1.

    References:
        Wilson (1927) JASA 22:209; Newcombe (1998a) Stat Med 17:857, methods 3 and 4.

    Examples:
        >>> print(wilson(87, 120))
        0.7250 [0.6391, 0.7970] 95% wilson, n = 120
    """
    x, n, tail = _checked(x, n, level, alternative)
    z = normal_quantile(1 - tail)
    if correction:
        low, high = _corrected_score_limits(x, n, z)
    else:
        centre, shrink = x + z * z / 2, n + z * z
        half = z * math.sqrt(x * (n - x) / n + z * z / 4)  # Newcombe (1998a) method 3, times n
        low, high = (centre - half) / shrink, (centre + half) / shrink
    low, high = (0.0 if x == 0 else low), (1.0 if x == n else high)
    method = "wilson_cc" if correction else "wilson"
    return _interval(x, n, (low, high), level=level, alternative=alternative, method=method)


def clopper_pearson(
    x: float, n: float, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Estimate:
    """Clopper–Pearson interval: covers with at least ``level`` at every p. Used for floors ("at least 90%").

    Arguments and errors as in :func:`wilson`.

    References:
        Clopper & Pearson (1934) Biometrika 26:404, by beta quantiles.

    Examples:
        >>> print(clopper_pearson(36, 36))
        1.0000 [0.9026, 1.0000] 95% clopper_pearson, n = 36
    """
    x, n, tail = _checked(x, n, level, alternative)
    low = 0.0 if x == 0 else beta_quantile(tail, x, n - x + 1)
    high = 1.0 if x == n else beta_quantile(1 - tail, x + 1, n - x)
    return _interval(x, n, (low, high), level=level, alternative=alternative, method="clopper_pearson")


def mid_p_interval(
    x: float, n: float, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Estimate:
    """Mid-p interval: the exact tails with half the probability of x itself; nominal on average only.

    Arguments and errors as in :func:`wilson`.

    References:
        Newcombe (1998a) Stat Med 17:857, method 6.

    Examples:
        >>> print(mid_p_interval(0, 20))
        0.0000 [0.0000, 0.1391] 95% mid_p, n = 20
    """
    x, n, tail = _checked(x, n, level, alternative)
    low = 0.0 if x == 0 else bisect(lambda p: _mid_upper_tail(x, n, p) - tail, 0.0, 1.0)
    high = 1.0 if x == n else bisect(lambda p: _mid_upper_tail(x, n, p) - (1 - tail), 0.0, 1.0)
    return _interval(x, n, (low, high), level=level, alternative=alternative, method="mid_p")


def jeffreys(
    x: float,
    n: float,
    *,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    endpoint_rule: bool = False,
) -> Estimate:
    """Jeffreys interval: quantiles of Beta(x + ½, n − x + ½).

    The raw quantiles leave out the point itself at 0 and n of n; the end-point rule puts the limit there
    at exactly 0 or 1.

    Args:
        x: successes, 0 to n.
        n: trials, above 0.
        level: confidence level.
        alternative: as in :func:`wilson`.
        endpoint_rule: low = 0 when x = 0 and high = 1 when x = n.

    Raises:
        UsageError: as in :func:`wilson`.

    References:
        Brown, Cai & DasGupta (2001) Statist Sci 16:101, section 3.1.3.

    Examples:
        >>> print(jeffreys(17, 20))
        0.8500 [0.6514, 0.9559] 95% jeffreys, n = 20
    """
    x, n, tail = _checked(x, n, level, alternative)
    low, high = (beta_quantile(p, x + 0.5, n - x + 0.5) for p in (tail, 1 - tail))
    if endpoint_rule:
        low, high = (0.0 if x == 0 else low), (1.0 if x == n else high)
    method = "jeffreys_endpoint_rule" if endpoint_rule else "jeffreys"
    return _interval(x, n, (low, high), level=level, alternative=alternative, method=method)


def agresti_coull(
    x: float, n: float, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Estimate:
    """Agresti–Coull interval: the Wald form after adding z²/2 successes and failures, cut to [0, 1].

    Arguments and errors as in :func:`wilson`.

    References:
        Agresti & Coull (1998) Am Stat 52:119.

    Examples:
        >>> print(agresti_coull(85, 100))
        0.8500 [0.7660, 0.9081] 95% agresti_coull, n = 100
    """
    x, n, tail = _checked(x, n, level, alternative)
    z = normal_quantile(1 - tail)
    trials = n + z * z
    p = (x + z * z / 2) / trials
    half = z * math.sqrt(p * (1 - p) / trials)
    low, high = max(0.0, p - half), min(1.0, p + half)
    return _interval(x, n, (low, high), level=level, alternative=alternative, method="agresti_coull")


METHODS: dict[str, Callable[..., Estimate]] = {
    "wilson": wilson,
    "wilson_cc": partial(wilson, correction=True),
    "clopper_pearson": clopper_pearson,
    "mid_p": mid_p_interval,
    "jeffreys": jeffreys,
    "jeffreys_endpoint_rule": partial(jeffreys, endpoint_rule=True),
    "agresti_coull": agresti_coull,
}
"""Methods of :func:`proportion` by name."""


def proportion(
    x: float,
    n: float,
    *,
    method: str = "wilson",
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Estimate:
    """Interval for x of n by the name of the method.

    Args:
        x: successes, 0 to n.
        n: trials, above 0.
        method: ``wilson``, ``wilson_cc``, ``clopper_pearson``, ``mid_p``, ``jeffreys``,
            ``jeffreys_endpoint_rule`` or ``agresti_coull``.
        level: confidence level.
        alternative: as in :func:`wilson`.

    Raises:
        UsageError: as in :func:`wilson`, or an unknown method (the error lists the known ones).

    Examples:
        >>> print(proportion(3, 10, method="clopper_pearson", level=0.9))
        0.3000 [0.0873, 0.6066] 90% clopper_pearson, n = 10
    """
    return METHODS[as_choice(method, list(METHODS), name="method")](
        x, n, level=level, alternative=alternative
    )


def _checked(x: float, n: float, level: float, alternative: Alternative) -> tuple[float, float, float]:
    """Return x, n and the probability left out at each limit."""
    n = as_count(n, name="n")
    if n == 0:
        raise UsageError("n must be above 0: a proportion of nothing has no value")
    x = as_count(x, name="x")
    if x > n:
        raise UsageError(f"x must be at most n; got {x:g} of {n:g}")
    outside = 1 - as_level(level)
    two_sided = as_choice(alternative, get_args(Alternative), name="alternative") == "two-sided"
    return x, n, outside / 2 if two_sided else outside


def _interval(
    x: float, n: float, limits: tuple[float, float], *, level: float, alternative: Alternative, method: str
) -> Estimate:
    low, high = limits
    if alternative == "greater":
        high = 1.0
    elif alternative == "less":
        low = 0.0
    settings = {} if alternative == "two-sided" else {"alternative": alternative}
    return Estimate(x / n, low, high, level, method, n, settings=settings)


def _corrected_score_limits(x: float, n: float, z: float) -> tuple[float, float]:
    """Newcombe (1998a) method 4; without R's exception that takes no correction at x = n/2."""
    p, shrink = x / n, 2 * (n + z * z)
    low_root = z * z - 2 - 1 / n + 4 * p * (n - x + 1)
    high_root = z * z + 2 - 1 / n + 4 * p * (n - x - 1)
    low = (2 * x + z * z - 1 - z * math.sqrt(max(0.0, low_root))) / shrink
    high = (2 * x + z * z + 1 + z * math.sqrt(max(0.0, high_root))) / shrink
    return max(0.0, low), min(1.0, high)


def _mid_upper_tail(x: float, n: float, p: float) -> float:
    """P(X > x) + ½ P(X = x), increasing in p, as the mean of two beta distribution functions."""
    at_least = 1.0 if x == 0 else float(special.betainc(x, n - x + 1, p))
    above = 0.0 if x == n else float(special.betainc(x + 1, n - x, p))
    return (at_least + above) / 2
