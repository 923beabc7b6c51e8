"""Sign-flip tests of paired differences, for items or whole clusters, exact wherever that is possible.

Under the null hypothesis the sign of each unit's sum T is as likely + as −; the statistic is ΣT/√ΣT², whose
denominator no flip changes. Exact p-values come from the binomial (one distinct size of T, as with binary
pairs), from convolution (T in whole steps), or from counting all sign patterns in two halves; else
p = (r + 1)/(B + 1).
"""

from __future__ import annotations

import math
import sys
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_codes
from aliquot.stats.distributions import binomial_cdf, binomial_pmf, p_value
from aliquot.stats.inputs import (
    Floats,
    Integers,
    RandomSource,
    as_choice,
    as_count,
    as_generator,
    as_values,
    as_weights,
)
from aliquot.stats.results import Alternative, HypothesisTest

FlipMethod: TypeAlias = Literal["auto", "exact", "monte_carlo"]

_TIE = 1e-9
"""Sums this close, relative to Σ|T|, are ties; flips that tie with the data count as extreme."""
_HALVES = 34
_CONVOLUTION = 200_000_000


def sign_flip(
    d: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    method: FlipMethod = "auto",
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> HypothesisTest:
    """Test whether paired differences are symmetric about 0, by flipping signs of items or whole clusters.

    For binary pairs without clusters p equals the exact McNemar test at any n. With G' units whose sum is not
    0 the smallest possible two-sided p is 2^(1−G'), given as ``floor``; with Monte Carlo 1/(B+1) when that is
    larger. For strata pass the weights W_h/n_h.

    Args:
        d: candidate minus baseline on each item.
        clusters: one label an item; sums Σ w d of whole clusters are flipped.
        weights: one non-negative weight an item, of any scale.
        alternative: ``two-sided``, ``less`` or ``greater``.
        method: ``auto`` (exact when cheap), ``exact`` (refused when not cheap) or ``monte_carlo``.
        n_resamples: B, random flips when the test is not exact.
        rng: seed or generator for the random flips.

    Returns:
        ``sign_flip`` or ``cluster_sign_flip``; ``settings`` holds ``units`` (G') and ``how`` p was found. All
        differences 0: p = 1.

    Raises:
        UsageError: an argument has the wrong shape, range or name, or an exact p is asked that is not cheap.

    References:
        Fisher (1935) The Design of Experiments, sec. 21; Phipson & Smyth (2010) SAGMB 9:39, (r + 1)/(B + 1).

    Examples:
        >>> test = sign_flip([0.3, 0.1, 0.2, 0.4, 0.1, 0.25])
        >>> test.p, test.floor
        (0.03125, 0.03125)
        >>> sign_flip([1, 1, 1, 1, 1, 0, 0]).p
        0.0625
    """
    as_choice(alternative, get_args(Alternative), name="alternative")
    as_choice(method, get_args(FlipMethod), name="method")
    draws = int(as_count(n_resamples, name="n_resamples", at_least=1))
    units = _unit_sums(as_values(d, name="d"), clusters=clusters, weights=weights)
    exact = None if method == "monte_carlo" and units.size else _exact_p(units, alternative)
    if exact is None and method == "exact":
        raise UsageError(
            f"an exact p-value over {units.size} units of many sizes is out of reach; use method='auto'"
        )
    how, p = exact or ("monte_carlo", _random_p(units, alternative, draws=draws, rng=as_generator(rng)))
    least = 2.0 ** ((alternative == "two-sided") - units.size) if units.size else 1.0
    floor = max(least, 1 / (draws + 1)) if exact is None else least
    return HypothesisTest(
        name="sign_flip" if clusters is None else "cluster_sign_flip",
        p=p_value(p),
        alternative=alternative,
        statistic=_statistic(units),
        floor=max(floor, sys.float_info.min),
        n_resamples=draws if exact is None else None,
        null=(
            "each item's difference is as likely of either sign"
            if clusters is None
            else "exchangeable within clusters: each cluster's summed difference is as likely of either sign"
        ),
        settings={"units": units.size, "exact_floor": least, "how": how},
    )


def _statistic(units: Floats) -> float:
    """ΣT/√ΣT², of units scaled to at most 1 so that no square leaves the range of floats."""
    if not units.size:
        return 0.0
    scaled = units / np.abs(units).max()
    return float(scaled.sum() / math.sqrt(scaled @ scaled))


def _unit_sums(d: Floats, *, clusters: ArrayLike | None, weights: ArrayLike | None) -> Floats:
    """Σ w d of each unit, without the units where it is 0 (up to rounding)."""
    weighted = d if weights is None else d * as_weights(weights, d.size)
    codes = None if clusters is None else cluster_codes(clusters, d.size)
    sums, size = weighted, np.abs(weighted)
    if codes is not None:
        sums, size = (np.bincount(codes, part).astype(np.float64) for part in (sums, size))
    return sums[np.abs(sums) > 1e-12 * size]


def _exact_p(units: Floats, alternative: str) -> tuple[str, float] | None:
    """Exact p-value and how it was found; None when none of the three ways is cheap."""
    if units.size == 0:
        return "nothing differs", 1.0
    steps = _whole_steps(np.abs(units))
    if steps is not None:
        sizes, counts = np.unique(steps, return_counts=True)
        observed = int((np.sign(units) * steps).sum())
        if sizes.size == 1:
            return "binomial", _binomial_p(observed // int(sizes[0]), units.size, alternative)
        total = int(sizes @ counts)
        if total * total <= _CONVOLUTION:
            return "convolution", _convolved_p(sizes, counts, observed, alternative)
    if units.size <= _HALVES:
        return "enumeration", _enumerated_p(units, alternative)
    return None


def _whole_steps(sizes: Floats) -> Integers | None:
    """Sizes as whole multiples of one step, or None when there is no such step near."""
    least = sizes.min()
    for divisor in range(1, 13):
        steps = sizes * (divisor / least)
        whole = np.rint(steps)
        if whole.max() < 2**40 and np.all(np.abs(steps - whole) <= 1e-9 * whole):
            return whole.astype(np.int64)
    return None


def _binomial_p(net: int, n: int, alternative: str) -> float:
    """Tail of the net number of + signs among n: exact McNemar when the differences are binary."""
    plus = (n + net) // 2
    upper, lower = binomial_cdf(n - plus, n, 0.5), binomial_cdf(plus, n, 0.5)
    return {"greater": upper, "less": lower, "two-sided": min(1.0, 2 * min(upper, lower))}[alternative]


def _convolved_p(sizes: Integers, counts: Integers, observed: int, alternative: str) -> float:
    """Distribution of Σ ± T by convolving one binomial for each distinct size."""
    pmf = np.ones(1)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        spread = np.zeros(size * count + 1)
        spread[::size] = binomial_pmf(np.arange(count + 1), count, 0.5)
        pmf = np.convolve(pmf, spread)
    sums = 2 * np.arange(pmf.size) - (pmf.size - 1)
    return min(1.0, float(pmf[_extreme(sums, observed, alternative, slack=0)].sum()))


def _enumerated_p(units: Floats, alternative: str) -> float:
    """Count all 2^G' sign patterns: the sums of one half sorted, searched for each sum of the other."""
    left, right = (_all_sums(half) for half in np.array_split(units, 2))
    right.sort()
    observed, slack = units.sum(), _TIE * np.abs(units).sum()

    def at_least(threshold: float) -> int:
        return int((right.size - np.searchsorted(right, threshold - left)).sum())

    if alternative == "two-sided":
        edge = abs(observed) - slack
        return min(1.0, 2 * at_least(edge) / 2.0**units.size) if edge > 0 else 1.0
    return at_least((observed if alternative == "greater" else -observed) - slack) / 2.0**units.size


def _all_sums(units: Floats) -> Floats:
    sums = np.zeros(1)
    for unit in units:
        sums = np.concatenate([sums - unit, sums + unit])
    return sums


def _random_p(units: Floats, alternative: str, *, draws: int, rng: np.random.Generator) -> float:
    """(r + 1)/(B + 1) over random flips: a binomial for each size, or a table of sums for each eight units."""
    sizes, counts = np.unique(np.abs(units), return_counts=True)
    sums = np.zeros(draws)
    if 4 * sizes.size <= units.size:
        for size, count in zip(sizes, counts, strict=True):
            sums += size * (2 * rng.binomial(count, 0.5, size=draws) - count)
    else:
        for start in range(0, units.size, 8):
            table = _all_sums(units[start : start + 8])
            sums += table[rng.integers(0, table.size, size=draws)]
    slack = _TIE * float(np.abs(units).sum())
    reached = np.count_nonzero(_extreme(sums, float(units.sum()), alternative, slack=slack))
    return (int(reached) + 1) / (draws + 1)


def _extreme(sums: np.ndarray, observed: float, alternative: str, *, slack: float) -> np.ndarray:
    """Which sums are at least as extreme as what was observed."""
    if alternative == "two-sided":
        return np.abs(sums) >= abs(observed) - slack
    return sums >= observed - slack if alternative == "greater" else sums <= observed + slack
