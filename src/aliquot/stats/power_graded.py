"""Power of the t test of a mean paired difference, from the standard deviation of the differences."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.discordance import as_power
from aliquot.stats.distributions import normal_quantile, two_sided_t, two_sided_z
from aliquot.stats.inputs import Floats, as_count, as_level
from aliquot.stats.power import DesignErrors
from aliquot.stats.results import Undefined
from aliquot.stats.roots import bisect

_FEW = 30
_LARGE = 1e6  # degrees of freedom from which t is normal to the digits shown


def paired_t_power(
    n: float,
    *,
    difference: float,
    sd: float,
    low: float | None = None,
    high: float | None = None,
    level: float = 0.95,
) -> float:
    """Chance that the two-sided t test of a mean paired difference rejects.

    Args:
        n: shared items, at least 2 (may be an effective number).
        difference: true mean difference.
        sd: standard deviation of the differences of items.
        low: smallest possible score; with ``high`` an sd that such scores cannot have is refused.
        high: largest possible score.
        level: confidence level; the test rejects at 1 − level.

    Raises:
        UsageError: n below 2, an sd that is not positive or that the bounds do not allow, a bad level.

    References:
        Student (1908) Biometrika 6:1; noncentral t, both tails, as R's ``pwr.t.test(type = "paired")``.

    Examples:
        >>> round(paired_t_power(199, difference=0.2, sd=1), 4)
        0.8017
    """
    size = as_count(n, name="n", at_least=2)
    effect = abs(_as_difference(difference)) / as_spread(sd, difference=difference, low=low, high=high)
    return _power(size, effect, level=as_level(level))


def paired_t_sample_size(
    difference: float,
    *,
    sd: float,
    low: float | None = None,
    high: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
) -> float:
    """Shared items that the t test of a mean paired difference needs, unrounded; round up.

    Args:
        difference: true mean difference, not 0.
        sd: standard deviation of the differences of items.
        low: smallest possible score, as in :func:`paired_t_power`.
        high: largest possible score.
        power: wanted chance of rejecting.
        level: confidence level; the two-sided test rejects at 1 − level.

    Returns:
        The number, at least 2.

    Raises:
        UsageError: a difference of 0, an sd that is not positive or that the bounds do not allow, a power or level
            outside (0, 1).

    References:
        Student (1908) Biometrika 6:1; the noncentral t of its power.

    Examples:
        >>> round(paired_t_sample_size(0.2, sd=1), 2)
        198.15
    """
    if _as_difference(difference) == 0:
        raise UsageError("no number of items finds a difference of 0; name the smallest one that matters")
    effect = abs(difference) / as_spread(sd, difference=difference, low=low, high=high)
    wanted, level = as_power(power), as_level(level)
    start = ((two_sided_z(level) + normal_quantile(wanted)) / effect) ** 2 if wanted > 1 - level else 2.0
    if _power(2.0, effect, level=level) >= wanted:
        return 2.0
    most = 4 * start + 8
    while _power(most, effect, level=level) < wanted:
        most *= 2
    return bisect(lambda n: _power(n, effect, level=level) - wanted, 2.0, most)


def paired_t_detectable(n: float, *, sd: float, power: float = 0.8, level: float = 0.95) -> float | Undefined:
    """Smallest mean paired difference that the t test on ``n`` shared items would find.

    Args:
        n: shared items (may be an effective number).
        sd: standard deviation of the differences of items.
        power: wanted chance of rejecting.
        level: confidence level; the two-sided test rejects at 1 − level.

    Returns:
        The size of the difference; Undefined below two items.

    Raises:
        UsageError: n below 1, an sd that is not positive, a power or level outside (0, 1).

    References:
        Student (1908) Biometrika 6:1; the noncentral t of its power.

    Examples:
        >>> round(paired_t_detectable(100, sd=0.5), 4)
        0.1415
    """
    size, wanted, level = as_count(n, name="n", at_least=1), as_power(power), as_level(level)
    spread = as_spread(sd, difference=0.0)
    if size < 2:
        return Undefined("one item has no standard error")
    if wanted <= 1 - level:
        return 0.0
    most = 1.0
    while _power(size, most, level=level) < wanted:
        most *= 2
    return spread * bisect(lambda effect: _power(size, effect, level=level) - wanted, 0.0, most)


def paired_t_errors(n: float, *, difference: float, sd: float, level: float = 0.95) -> DesignErrors:
    """Power with the exaggeration (type M) and the wrong-sign rate (type S) of significant mean differences.

    Args:
        n: shared items, at least 2 (may be an effective number).
        difference: true mean difference, not 0.
        sd: standard deviation of the differences of items.
        level: confidence level; the test rejects at 1 − level.

    Raises:
        UsageError: a difference of 0, n below 2, an sd that is not positive.

    References:
        Gelman & Carlin (2014), Perspectives on Psychological Science 9:641-651; integrated over s, not simulated.

    Examples:
        >>> errors = paired_t_errors(50, difference=0.05, sd=0.3)
        >>> round(errors.power, 2), round(errors.type_m, 1), round(errors.type_s, 3)
        (0.21, 2.1, 0.004)
    """
    size = as_count(n, name="n", at_least=2)
    if _as_difference(difference) == 0:
        raise UsageError("type M and type S errors need a true difference other than 0")
    shift = math.sqrt(size) * abs(difference) / as_spread(sd, difference=difference)
    s, weight = sd_law(size - 1)
    limit = two_sided_t(as_level(level), size - 1) * s
    right, wrong = special.ndtr(shift - limit), special.ndtr(-shift - limit)
    # E[x; x > c] of a normal with mean μ and variance 1 is φ(c − μ) + μ Φ(μ − c)
    above = np.exp(-((limit - shift) ** 2) / 2) + np.exp(-((limit + shift) ** 2) / 2)
    seen = float(weight @ (above / math.sqrt(2 * math.pi) + shift * (right - wrong)))
    power = float(weight @ (right + wrong))
    return DesignErrors(
        power=min(1.0, power), type_m=seen / power / shift, type_s=float(weight @ wrong) / power
    )


def as_spread(sd: float, *, difference: float, low: float | None = None, high: float | None = None) -> float:
    """Return a positive standard deviation of differences that scores within the bounds can have.

    Differences of scores of width w = high − low lie within ±w, so sd² ≤ w² − difference².
    """
    spread = as_count(sd, name="sd")
    if spread == 0:
        raise UsageError("sd must be positive; differences that do not vary need no test")
    if (low is None) != (high is None):
        raise UsageError("give both low and high, or neither")
    if low is not None and high is not None:
        width = high - low
        if not width > 0 or abs(difference) > width:
            raise UsageError(
                f"a difference of {difference:g} is impossible for scores from {low:g} to {high:g}"
            )
        if spread**2 > (width**2 - difference**2) * (1 + 1e-9):
            raise UsageError(
                f"scores from {low:g} to {high:g} whose mean difference is {difference:g} have differences of sd "
                f"{math.sqrt(width**2 - difference**2):.3g} at the most; got {spread:g}"
            )
    return spread


def _as_difference(difference: float) -> float:
    if not math.isfinite(difference):
        raise UsageError(f"difference must be a finite number; got {difference!r}")
    return float(difference)


def _power(n: float, effect: float, *, level: float) -> float:
    """Both tails of the noncentral t with n − 1 degrees of freedom and noncentrality √n·effect."""
    df, shift = n - 1, math.sqrt(n) * effect
    t = two_sided_t(level, df)
    s, weight = sd_law(df)
    return min(1.0, float(weight @ (special.ndtr(shift - t * s) + special.ndtr(-shift - t * s))))


def sd_law(df: float, *, bend: float | None = None) -> tuple[Floats, Floats]:
    """Values of s/σ with ``df`` degrees of freedom and their weights: what a t statistic is integrated over.

    ``bend`` is a value at which what is integrated has a corner, so that no panel lies across it.

    scipy's noncentral t gives NaN far from its centre; the mean of a normal tail over s has no such places. With few
    degrees of freedom t is large and small s matter: the panels then halve towards 0.
    """
    if df > _LARGE:
        return np.ones(1), np.ones(1)
    low, high = (
        math.sqrt(2 * float(inverse(df / 2, 1e-17)) / df)
        for inverse in (special.gammaincinv, special.gammainccinv)
    )
    few = df < _FEW
    edges = np.append(0.0, high * 0.5 ** np.arange(40.0, -1, -1)) if few else np.linspace(low, high, 11)
    if bend is not None and edges[0] < bend < edges[-1]:
        edges = np.unique(np.append(edges, bend))
    node, weight = _nodes()
    half = np.diff(edges)[:, None] / 2
    s = (edges[:-1, None] + half * (node + 1)).ravel()
    log_density = (df - 1) * np.log(s) - df * s**2 / 2
    law = (half * weight).ravel() * np.exp(log_density - log_density.max())
    return s, law / law.sum()


@lru_cache(maxsize=1)
def _nodes() -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(24)
