"""Curves that a sum stays under at every time at once, and the interval for a rate that comes from one of them."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, xlog1py, xlogy, zeta

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, as_count, as_level, as_values
from aliquot.stats.results import Estimate

LEAST_PRECISION: Final = 1e-3
"""Least weight of the prior, in items, when the interval is asked to be sharpest before it can be."""
_TINY: Final = 1e-12


def mixture_precision(planned: float, *, level: float = 0.95) -> float:
    """ρ with which the two-sided normal mixture is narrowest near one time.

    ρ = v/(2 log(1/α) + log(1 + 2 log(1/α))) at α = 1 − level.

    Args:
        planned: v, the variance of the sum at that time (items times the variance of one).
        level: confidence level.

    Raises:
        UsageError: a number out of range.

    References:
        Howard, Ramdas, McAuliffe & Sekhon (2021) Annals of Statistics 49:1055, section 3.5.

    Examples:
        >>> round(mixture_precision(100), 5)
        12.60056
    """
    spent = 2 * math.log(1 / (1 - as_level(level)))
    return as_count(planned, name="planned", at_least=1e-300) / (spent + math.log1p(spent))


def normal_mixture_log(total: ArrayLike, v: ArrayLike, *, rho: float) -> Floats:
    """Log of the two-sided normal mixture: what a gambler on either side of zero has, in a sub-Gaussian game.

    Args:
        total: sum of the deviations so far; a number or an array.
        v: variance of the sum so far, of the same shape.
        rho: precision of the mixture, as from :func:`mixture_precision`.

    Raises:
        UsageError: a number out of range.

    References:
        Howard, Ramdas, McAuliffe & Sekhon (2021) Annals of Statistics 49:1055, proposition 5.

    Examples:
        >>> float(normal_mixture_log(10, 100, rho=12.60056).round(6))
        -0.651005
    """
    rho = as_count(rho, name="rho", at_least=1e-300)
    s, spread = np.asarray(total, dtype=np.float64), _as_variance(v) + rho
    return np.asarray(0.5 * np.log(rho / spread) + s**2 / (2 * spread))


def normal_mixture_bound(v: ArrayLike, *, rho: float, level: float = 0.95) -> Floats:
    """Bound that the absolute sum of sub-Gaussian deviations stays under at all times, with chance ``level``.

    √((v + ρ) log((v + ρ)/(ρ α²))), α = 1 − level (arguments as in :func:`normal_mixture_log`).

    Raises:
        UsageError: a number out of range.

    References:
        Howard, Ramdas, McAuliffe & Sekhon (2021) Annals of Statistics 49:1055, eq. 14.

    Examples:
        >>> float(normal_mixture_bound(100, rho=12.60056).round(5))
        30.35209
    """
    rho, alpha = as_count(rho, name="rho", at_least=1e-300), 1 - as_level(level)
    spread = _as_variance(v) + rho
    return np.asarray(np.sqrt(spread * (np.log(spread / rho) - 2 * math.log(alpha))))


def stitched_bound(
    v: ArrayLike, *, least: float, scale: float = 0.0, level: float = 0.95, s: float = 1.4, eta: float = 2.0
) -> Floats:
    """Bound on one side that grows as √(v log log v): polynomial stitching for sub-gamma deviations.

    Args:
        v: variance of the sum so far.
        least: v from which the bound is meant to be sharp; below it, it is that of ``least``.
        scale: c of the sub-gamma law; 0 for sub-Gaussian, negative where the other tail is the long one.
        level: chance with which the sum stays under the bound at all times.
        s: how fast the error is spent over the epochs, above 1.
        eta: ratio of the ends of an epoch, above 1.

    Raises:
        UsageError: a number out of range.

    References:
        Howard, Ramdas, McAuliffe & Sekhon (2021) Annals of Statistics 49:1055, eq. 10.

    Examples:
        >>> float(stitched_bound(100, least=10, scale=3).round(5))
        64.48755
    """
    least = as_count(least, name="least", at_least=1e-300)
    if not (s > 1 and eta > 1 and math.isfinite(scale)):
        raise UsageError(f"s and eta must lie above 1 and scale be finite; got {s}, {eta} and {scale}")
    now = np.maximum(_as_variance(v), least)
    spent = math.log(float(zeta(s)) / ((1 - as_level(level)) * math.log(eta) ** s))
    ell = s * np.log(np.log(eta * now / least)) + spent
    k1, k2 = (eta**0.25 + eta**-0.25) / math.sqrt(2), (math.sqrt(eta) + 1) / 2
    return np.asarray(np.sqrt(k1**2 * now * ell + (k2 * scale * ell) ** 2) + k2 * scale * ell)


def anytime_rate(x: float, n: float, *, planned: float = 100, level: float = 0.95) -> Estimate:
    """Interval for a rate from x of n that may be looked at after every item: beta-binomial mixture.

    A rate p is left out when a gambler who knows p as the centre of his Beta prior has made 1/(1 − level) of his
    stake. Over all n at once the intervals hold the rate with chance ``level``; of one n, Wilson's is narrower.

    Args:
        x: items that pass, among the first n in an order fixed beforehand.
        n: items so far, at least 1; independent.
        planned: n near which the interval is narrowest.
        level: confidence level.

    Raises:
        UsageError: counts out of range.

    References:
        Howard, Ramdas, McAuliffe & Sekhon (2021) Annals of Statistics 49:1055, proposition 7.

    Examples:
        >>> print(anytime_rate(5, 50, planned=50))
        0.1000 [0.0130, 0.2693] 95% beta_binomial_mixture, n = 50
    """
    n, x = as_count(n, name="n", at_least=1), as_count(x, name="x")
    if x > n:
        raise UsageError(f"x must lie between 0 and n; got {x:g} of {n:g}")
    level, planned = as_level(level), as_count(planned, name="planned", at_least=1)
    low, high = anytime_rate_limits(x, n, weight=prior_weight(planned), level=level)
    return Estimate(
        point=x / n,
        low=float(low[0]),
        high=float(high[0]),
        level=level,
        method="beta_binomial_mixture",
        n=n,
        settings={"planned": planned},
    )


def prior_weight(planned: float) -> float:
    """Items that the Beta prior is worth when the interval is to be narrowest at ``planned``; tuned at 95%."""
    return max(mixture_precision(planned) - 1, LEAST_PRECISION)


def anytime_rate_limits(x: ArrayLike, n: ArrayLike, *, weight: float, level: float) -> tuple[Floats, Floats]:
    """Limits of the beta-binomial mixture, of arrays: rates that leave the gambler below 1/(1 − level)."""
    passed, size = (
        np.atleast_1d(np.asarray(x, dtype=np.float64)),
        np.atleast_1d(np.asarray(n, dtype=np.float64)),
    )
    needed = -math.log(1 - level)
    lower = _lower_rates(passed, size, weight, needed)
    upper = 1 - _lower_rates(size - passed, size, weight, needed)
    return lower, upper


def _lower_rates(x: Floats, n: Floats, weight: float, needed: float) -> Floats:
    """The smallest rates that are not left out, by halving the way from 0 to the rate seen."""

    def excess(p: Floats) -> Floats:
        a, b = weight * p, weight * (1 - p)
        told = xlogy(x, p) + xlog1py(n - x, -p)
        return np.asarray(betaln(a + x, b + n - x) - betaln(a, b) - told - needed)

    low, high = np.full(x.size, _TINY), np.clip(x / n, _TINY, 1 - _TINY)
    none = (x == 0) | (excess(low) <= 0)
    for _ in range(60):
        middle = (low + high) / 2
        out = excess(middle) > 0
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return np.where(none, 0.0, (low + high) / 2)


def _as_variance(v: ArrayLike) -> Floats:
    return as_values(np.atleast_1d(np.asarray(v)), name="v", low=0.0).reshape(np.shape(v))
