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

    At a rate of 0 or 1 the approximation does not hold (30 items, .80 against 1: .745, Fisher's exact power is
    .5725) and is refused: see :func:`aliquot.stats.power_exact_unpaired.unpaired_exact_power`.

    Args:
        n_a: items of the baseline (may be an effective number).
        rate_a: true rate of the baseline, neither 0 nor 1.
        rate_b: true rate of the candidate, neither 0 nor 1.
        n_b: items of the candidate; as many as the baseline when left out.
        level: confidence level; the test rejects at 1 − level.
        wrong_way: whether rejections in the direction that is not true count too.

    Returns:
        The power.

    Raises:
        UsageError: rates not strictly between 0 and 1, n below 1.

    References:
        Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions, chapter 4, pooled null
        variance.

    Examples:
        >>> round(unpaired_z_power(200, rate_a=0.8, rate_b=0.85), 4)
        0.2593
    """
    size_a = as_count(n_a, name="n_a", at_least=1)
    size_b = size_a if n_b is None else as_count(n_b, name="n_b", at_least=1)
    a, b = _as_inner_rate(rate_a, name="rate_a"), _as_inner_rate(rate_b, name="rate_b")
    return _power(size_a, size_b, a, b, z=two_sided_z(as_level(level)), wrong_way=wrong_way)


def unpaired_arcsine_power(
    n_a: float,
    *,
    rate_a: float,
    rate_b: float,
    n_b: float | None = None,
    level: float = 0.95,
    wrong_way: bool = False,
) -> float:
    """Chance that a two-sided test of two rates rejects, by Cohen's h; arguments as in :func:`unpaired_z_power`.

    Raises:
        UsageError: rates not strictly between 0 and 1, n below 1.

    References:
        Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, 6.2: h = 2 asin √b − 2 asin √a.

    Examples:
        >>> round(unpaired_arcsine_power(200, rate_a=0.8, rate_b=0.85, wrong_way=True), 4)
        0.2613
    """
    size_a = as_count(n_a, name="n_a", at_least=1)
    size_b = size_a if n_b is None else as_count(n_b, name="n_b", at_least=1)
    a, b = _as_inner_rate(rate_a, name="rate_a"), _as_inner_rate(rate_b, name="rate_b")
    h = abs(2 * math.asin(math.sqrt(b)) - 2 * math.asin(math.sqrt(a)))
    effect, z = h / math.sqrt(1 / size_a + 1 / size_b), two_sided_z(as_level(level))
    power = float(special.ndtr(effect - z))
    return power + float(special.ndtr(-effect - z)) if wrong_way else power


def unpaired_sample_size(rate_a: float, rate_b: float, *, power: float = 0.8, level: float = 0.95) -> float:
    """Items for each of two systems that the pooled z test needs, unrounded; round up.

    Args:
        rate_a: true rate of the baseline, neither 0 nor 1.
        rate_b: true rate of the candidate, neither 0 nor 1.
        power: wanted chance of rejecting in the true direction.
        level: confidence level; the two-sided test rejects at 1 − level.

    Returns:
        Items a system.

    Raises:
        UsageError: equal rates, rates not strictly between 0 and 1, a power or level outside (0, 1).

    References:
        Fleiss, Levin & Paik (2003), chapter 4, without continuity correction.

    Examples:
        >>> round(unpaired_sample_size(0.8, 0.85), 1)
        905.4
    """
    for name, rate in (("rate_a", rate_a), ("rate_b", rate_b)):
        _as_inner_rate(rate, name=name)
    return formula_sample_size(rate_a, rate_b, power=power, level=level)


def formula_sample_size(rate_a: float, rate_b: float, *, power: float, level: float) -> float:
    """Return the same at any rates: where a search by exact power starts."""
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
        rate: rate of the baseline, neither 0 nor 1.
        power: wanted chance of rejecting in the true direction.
        level: confidence level; the two-sided test rejects at 1 − level.
        direction: ``up`` for a better candidate, ``down`` for a worse one.

    Returns:
        The size of the difference; Undefined when even a rate of 1 (or 0) would not be found.

    Raises:
        UsageError: a rate not strictly between 0 and 1, n below 1, a power or level outside (0, 1).

    References:
        Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions, chapter 4.

    Examples:
        >>> round(unpaired_detectable(100, rate=0.8), 3)
        0.134
    """
    size, base = as_count(n, name="n", at_least=1), _as_inner_rate(rate, name="rate")
    wanted, up = as_power(power), as_choice(direction, ("up", "down"), name="direction") == "up"
    low, high = 0.0, 1 - base if up else base
    side, z = 1 if up else -1, two_sided_z(as_level(level))

    def found(difference: float) -> bool:
        other = min(1.0, max(0.0, base + side * difference))
        return _power(size, size, base, other, z=z, wrong_way=False) >= wanted

    if not found(high):
        return Undefined(
            f"{size:g} items a system are too few: not even a rate of {base + side * high:g} against "
            f"{base:g} would be found with power {wanted:g}"
        )
    while high - low > _PRECISION:
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def _power(n_a: float, n_b: float, a: float, b: float, *, z: float, wrong_way: bool) -> float:
    """Normal power of the pooled z test; a rate of 0 or 1 is the limit that a search may touch."""
    pooled = (n_a * a + n_b * b) / (n_a + n_b)
    needed = z * math.sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    se, gap = math.sqrt(a * (1 - a) / n_a + b * (1 - b) / n_b), abs(b - a)
    power = float(special.ndtr((gap - needed) / se))
    return power + float(special.ndtr((-gap - needed) / se)) if wrong_way else power


def _as_inner_rate(rate: float, *, name: str) -> float:
    """Return a rate at which a proportion is near normal in large samples at all."""
    value = as_rate(rate, name=name)
    if value in {0.0, 1.0}:
        raise UsageError(
            f"the normal approximation does not hold at {name} = {value:g}; use the exact power "
            "(unpaired_exact_power, unpaired_exact_sample_size, unpaired_exact_detectable)"
        )
    return value
