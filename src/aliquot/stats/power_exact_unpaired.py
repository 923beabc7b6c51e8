"""Exact power of tests of two rates on different items, and the items and differences that follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from aliquot.errors import UsageError
from aliquot.stats.discordance import as_items, as_power, as_rate
from aliquot.stats.distributions import binomial_pmf
from aliquot.stats.inputs import Floats, as_choice, as_level
from aliquot.stats.power import DesignErrors
from aliquot.stats.power_unpaired import Direction, formula_sample_size
from aliquot.stats.results import Undefined
from aliquot.stats.sawtooth import stays_from
from aliquot.stats.unpaired_exact import BOSCHLOO_LIMIT
from aliquot.stats.unpaired_regions import (
    boschloo_region,
    fisher_region,
    likely_counts,
    mn_region,
)

UnpairedTest: TypeAlias = Literal["deciding", "boschloo", "fisher", "fisher_mid_p", "mn_score"]

_METHODS = ("deciding", "boschloo", "fisher", "fisher_mid_p", "mn_score")
_MOST_TABLES = 9_000_000
_MOST_ITEMS = 20_000
_PRECISION = 1e-6


def unpaired_exact_power(
    n_a: float,
    *,
    rate_a: float,
    rate_b: float,
    n_b: float | None = None,
    level: float = 0.95,
    method: UnpairedTest = "deciding",
) -> float:
    """Chance that a two-sided test of two rates on different items rejects, by summing over the tables.

    Unlike the normal approximation it holds at rates of 0 and 1, and for few items.

    Args:
        n_a: items of the baseline; an effective number is rounded down.
        rate_a: true rate of the baseline.
        rate_b: true rate of the candidate.
        n_b: items of the candidate; as many as the baseline when left out.
        level: confidence level; the test rejects at 1 − level.
        method: ``deciding`` (Boschloo up to n_a·n_b = 10⁵, Miettinen–Nurminen beyond), ``boschloo``,
            ``fisher``, ``fisher_mid_p`` or ``mn_score``.

    Raises:
        UsageError: rates outside [0, 1], n below 1, or more tables than can be summed.

    References:
        Fagerland, Lydersen & Laake (2017), Statistical Analysis of Contingency Tables, chapter 4; Boschloo (1970),
        Statistica Neerlandica 24:1-9.

    Examples:
        >>> round(unpaired_exact_power(30, rate_a=0.8, rate_b=1, method="fisher"), 4)
        0.5725
    """
    laws = _tables(n_a, n_b, rate_a, rate_b, level=level, method=method)
    return min(1.0, float(laws.chance_a @ laws.rejected @ laws.chance_b))


def unpaired_design_errors(
    n_a: float,
    *,
    rate_a: float,
    rate_b: float,
    n_b: float | None = None,
    level: float = 0.95,
    method: UnpairedTest = "deciding",
) -> DesignErrors | Undefined:
    """Power with the exaggeration (type M) and the wrong-sign rate (type S) of significant results, exactly.

    Arguments as in :func:`unpaired_exact_power`; Undefined when the test can never reject on so few items.

    Raises:
        UsageError: equal rates, rates outside [0, 1], n below 1, or more tables than can be summed.

    References:
        Gelman & Carlin (2014), Perspectives on Psychological Science 9:641-651.

    Examples:
        >>> errors = unpaired_design_errors(100, rate_a=0.8, rate_b=0.85)
        >>> round(errors.power, 2), round(errors.type_m, 1), round(errors.type_s, 3)
        (0.14, 2.7, 0.011)
    """
    if rate_a == rate_b:
        raise UsageError("type M and type S errors need a true difference other than 0")
    laws = _tables(n_a, n_b, rate_a, rate_b, level=level, method=method)
    seen = laws.share_b - laws.share_a[:, None]
    chance = laws.chance_a[:, None] * laws.rejected * laws.chance_b
    power = float(chance.sum())
    if power == 0:
        return Undefined(
            "the test can never reject on so few items, so there is no significant result to describe"
        )
    difference = rate_b - rate_a
    return DesignErrors(
        power=min(1.0, power),
        type_m=float((chance * np.abs(seen)).sum()) / power / abs(difference),
        type_s=float(chance[seen * difference < 0].sum()) / power,
    )


def unpaired_exact_sample_size(
    rate_a: float,
    rate_b: float,
    *,
    power: float = 0.8,
    level: float = 0.95,
    method: UnpairedTest = "deciding",
) -> int | Undefined:
    """Fewest items for each of two systems from which on the exact power stays at or above the target.

    Args:
        rate_a: true rate of the baseline.
        rate_b: true rate of the candidate.
        power: wanted chance of rejecting.
        level: confidence level; the two-sided test rejects at 1 − level.
        method: as in :func:`unpaired_exact_power`.

    Returns:
        Items a system; Undefined beyond 20,000, or beyond Boschloo's reach when it is named.

    Raises:
        UsageError: equal rates, rates outside [0, 1], a power or level outside (0, 1).

    Examples:
        >>> unpaired_exact_sample_size(0.5, 0.9), unpaired_exact_sample_size(0.5, 0.9, method="fisher")
        (20, 23)
    """
    start = formula_sample_size(rate_a, rate_b, power=power, level=level)
    as_choice(method, _METHODS, name="method")
    most = int(BOSCHLOO_LIMIT**0.5) if method == "boschloo" else _MOST_ITEMS

    def power_of(n: int) -> float:
        return unpaired_exact_power(n, rate_a=rate_a, rate_b=rate_b, level=level, method=method)

    # Fisher's conditioning costs about 2/Δ items (Casagrande, Pike & Smith 1978), the others next to nothing
    slack = (4 if method.startswith("fisher") else 2) / abs(rate_b - rate_a)
    return stays_from(power_of, power=power, start=start, slack=slack, most=most)


def unpaired_exact_detectable(
    n_a: float,
    *,
    rate: float,
    n_b: float | None = None,
    power: float = 0.8,
    level: float = 0.95,
    direction: Direction = "up",
    method: UnpairedTest = "deciding",
) -> float | Undefined:
    """Smallest difference from ``rate`` that a test of two rates on different items would find, exactly.

    Args:
        n_a: items of the baseline; an effective number is rounded down.
        rate: rate of the baseline; 0 and 1 are allowed.
        n_b: items of the candidate; as many as the baseline when left out.
        power: wanted chance of rejecting.
        level: confidence level; the two-sided test rejects at 1 − level.
        direction: ``up`` for a better candidate, ``down`` for a worse one.
        method: as in :func:`unpaired_exact_power`.

    Returns:
        The size of the difference; Undefined when even a rate of 1 (or 0) would not be found.

    Raises:
        UsageError: a rate outside [0, 1], n below 1, a power or level outside (0, 1).

    Examples:
        >>> round(unpaired_exact_detectable(50, rate=1, direction="down"), 3)
        0.131
    """
    base, wanted = as_rate(rate, name="rate"), as_power(power)
    up = as_choice(direction, ("up", "down"), name="direction") == "up"
    low, high = 0.0, 1 - base if up else base

    def found(difference: float) -> bool:
        other = min(1.0, max(0.0, base + difference if up else base - difference))
        chance = unpaired_exact_power(n_a, rate_a=base, rate_b=other, n_b=n_b, level=level, method=method)
        return chance >= wanted

    if high == 0 or not found(high):
        return Undefined(
            f"{n_a:g} items are too few: not even a rate of {1 if up else 0} against {base:g} would be found "
            f"with power {wanted:g}"
        )
    while high - low > _PRECISION:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class _Tables:
    """The likely counts of both sides as shares, their probabilities, and the tables that the test rejects."""

    share_a: Floats
    share_b: Floats
    chance_a: Floats
    chance_b: Floats
    rejected: Floats


def _tables(
    n_a: float, n_b: float | None, rate_a: float, rate_b: float, *, level: float, method: str
) -> _Tables:
    size_a = as_items(n_a)
    size_b = size_a if n_b is None else as_items(n_b)
    a, b = as_rate(rate_a, name="rate_a"), as_rate(rate_b, name="rate_b")
    chosen = as_choice(method, _METHODS, name="method")
    alpha = round(1 - as_level(level), 12)
    within_reach = size_a * size_b <= BOSCHLOO_LIMIT
    if chosen == "deciding":
        chosen = "boschloo" if within_reach else "mn_score"
    x_a, x_b = likely_counts(size_a, a), likely_counts(size_b, b)
    if x_a.size * x_b.size > _MOST_TABLES or (chosen == "boschloo" and not within_reach):
        raise UsageError(
            f"{chosen} on {size_a:,} and {size_b:,} items has too many tables to sum; use unpaired_z_power"
        )
    if chosen == "boschloo":
        region = boschloo_region(size_a, size_b, alpha=alpha)
        region = region[int(x_a[0]) : int(x_a[-1]) + 1, int(x_b[0]) : int(x_b[-1]) + 1]
    elif chosen == "mn_score":
        region = mn_region(x_a, x_b, size_a, size_b, alpha=alpha)
    else:
        region = fisher_region(x_a, x_b, size_a, size_b, alpha=alpha, mid_p=chosen == "fisher_mid_p")
    return _Tables(
        share_a=x_a / size_a,
        share_b=x_b / size_b,
        chance_a=binomial_pmf(x_a, size_a, a),
        chance_b=binomial_pmf(x_b, size_b, b),
        rejected=region.astype(np.float64),
    )
