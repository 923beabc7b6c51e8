"""Power of the pooled z test of two rates on different items, and what follows from it."""

from __future__ import annotations

import math
from typing import Literal, TypeAlias

from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.discordance import as_power, as_rate
from aliquot.stats.distributions import normal_quantile, two_sided_z
from aliquot.stats.inputs import as_choice, as_count, as_level
from aliquot.stats.results import Undefined

Direction: TypeAlias = Literal["up", "down"]

_PRECISION = 1e-9


def unpaired_z_power(
    n_a: float,
    *,
    rate_a: float,
    rate_b: float,
    n_b: float | None = None,
    level: float = 0.95,
    wrong_way: bool = False,
) -> float:
    """Chance that the two-sided pooled z test of two rates rejects, by the normal approximation.

    Args:
        n_a: items of the baseline (may be an effective number).
        rate_a: true rate of the baseline.
        rate_b: true rate of the candidate.
        n_b: items of the candidate; as many as the baseline when left out.
        level: confidence level; the test rejects at 1 − level.
        wrong_way: whether rejections in the direction that is not true count too.

    Returns:
        The power.

    Raises:
        UsageError: rates outside [0, 1], n below 1.

    References:
        Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions, chapter 4, pooled null
        variance.

    Examples:
        >>> round(unpaired_z_power(200, rate_a=0.8, rate_b=0.85), 4)
        0.2593
    """
    size_a = as_count(n_a, name="n_a", at_least=1)
    size_b = size_a if n_b is None else as_count(n_b, name="n_b", at_least=1)
    a, b = as_rate(rate_a, name="rate_a"), as_rate(rate_b, name="rate_b")
    pooled = (size_a * a + size_b * b) / (size_a + size_b)
    needed = two_sided_z(as_level(level)) * math.sqrt(pooled * (1 - pooled) * (1 / size_a + 1 / size_b))
    se = math.sqrt(a * (1 - a) / size_a + b * (1 - b) / size_b)
    gap = abs(b - a)
    if se == 0:
        return 1.0 if gap > needed else 0.0
    power = float(special.ndtr((gap - needed) / se))
    return power + float(special.ndtr((-gap - needed) / se)) if wrong_way else power


def unpaired_sample_size(rate_a: float, rate_b: float, *, power: float = 0.8, level: float = 0.95) -> float:
    """Items for each of two systems that the pooled z test needs, unrounded; round up.

    Args:
        rate_a: true rate of the baseline.
        rate_b: true rate of the candidate.
        power: wanted chance of rejecting in the true direction.
        level: confidence level; the two-sided test rejects at 1 − level.

    Returns:
        Items a system.

    Raises:
        UsageError: equal rates, rates outside [0, 1], a power or level outside (0, 1).

    References:
        Fleiss, Levin & Paik (2003), chapter 4, without continuity correction.

    Examples:
        >>> round(unpaired_sample_size(0.8, 0.85), 1)
        905.4
    """
    a, b = as_rate(rate_a, name="rate_a"), as_rate(rate_b, name="rate_b")
    if a == b:
        raise UsageError("no number of items tells equal rates apart; name the least difference that matters")
    mean = (a + b) / 2
    reach = two_sided_z(as_level(level)) * math.sqrt(2 * mean * (1 - mean))
    reach += normal_quantile(as_power(power)) * math.sqrt(a * (1 - a) + b * (1 - b))
    return (max(0.0, reach) / (b - a)) ** 2


def unpaired_detectable(
    n: float, *, rate: float, power: float = 0.8, level: float = 0.95, direction: Direction = "up"
) -> float | Undefined:
    """Smallest difference from ``rate`` that the pooled z test on ``n`` items a system would find.

    Args:
        n: items a system (may be an effective number).
        rate: rate of the baseline.
        power: wanted chance of rejecting in the true direction.
        level: confidence level; the two-sided test rejects at 1 − level.
        direction: ``up`` for a better candidate, ``down`` for a worse one.

    Returns:
        The size of the difference; Undefined when even a rate of 1 (or 0) would not be found.

    Raises:
        UsageError: a rate outside [0, 1], n below 1, a power or level outside (0, 1).

    Examples:
        >>> round(unpaired_detectable(100, rate=0.8), 3)
        0.134
    """
    size, base = as_count(n, name="n", at_least=1), as_rate(rate, name="rate")
    wanted, up = as_power(power), as_choice(direction, ("up", "down"), name="direction") == "up"
    low, high = 0.0, 1 - base if up else base
    side = 1 if up else -1

    def found(difference: float) -> bool:
        other = min(1.0, max(0.0, base + side * difference))
        return unpaired_z_power(size, rate_a=base, rate_b=other, level=level) >= wanted

    if high == 0 or not found(high):
        return Undefined(
            f"{size:g} items a system are too few: not even a rate of {base + side * high:g} against "
            f"{base:g} would be found with power {wanted:g}"
        )
    while high - low > _PRECISION:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high
