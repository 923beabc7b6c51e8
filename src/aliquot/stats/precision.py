"""Items for an interval of a wanted half-width: one rate, and a paired difference."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, TypeAlias

from aliquot.errors import UsageError
from aliquot.stats.discordance import as_discordance, as_rate
from aliquot.stats.distributions import two_sided_z
from aliquot.stats.inputs import as_choice, as_count, as_level
from aliquot.stats.paired_score import tango
from aliquot.stats.results import Undefined

RateWidth: TypeAlias = Literal["wilson", "normal"]

_MOST_ITEMS = 10_000_000


def rate_half_width(n: float, *, rate: float, level: float = 0.95, method: RateWidth = "wilson") -> float:
    """Half the width of the interval of a rate when ``rate`` of ``n`` items are right.

    Args:
        n: items (may be an effective number).
        rate: planned rate.
        level: confidence level.
        method: ``wilson`` (never 0), or ``normal``, the rule of thumb z√(p(1 − p)/n), refused at 0 and 1.

    Raises:
        UsageError: a rate outside [0, 1], n below 1, the normal form at a rate of 0 or 1.

    References:
        Wilson (1927), JASA 22:209-212.

    Examples:
        >>> round(rate_half_width(100, rate=0.8), 4), round(rate_half_width(100, rate=0.8, method="normal"), 4)
        (0.0777, 0.0784)
    """
    size, p = as_count(n, name="n", at_least=1), as_rate(rate, name="rate")
    z = two_sided_z(as_level(level))
    if as_choice(method, ("wilson", "normal"), name="method") == "wilson":
        return z * math.sqrt(p * (1 - p) / size + (z / size / 2) ** 2) / (1 + z * z / size)
    if p in {0.0, 1.0}:
        raise UsageError(f"the normal approximation does not hold at rate = {p:g}; use method='wilson'")
    return z * math.sqrt(p * (1 - p) / size)


def rate_precision_size(
    half_width: float, *, rate: float, level: float = 0.95, method: RateWidth = "wilson"
) -> int | Undefined:
    """Fewest items at which the interval of a rate is no wider than ± ``half_width``.

    Args:
        half_width: wanted half of the width, between 0 and 1.
        rate: planned rate; 0.5 is the worst case.
        level: confidence level.
        method: as in :func:`rate_half_width`.

    Returns:
        The number; Undefined beyond ten million.

    Raises:
        UsageError: a half-width outside (0, 1), a rate outside [0, 1], the normal form at a rate of 0 or 1.

    References:
        Wilson (1927) JASA 22:209.

    Examples:
        >>> rate_precision_size(0.03, rate=0.8), rate_precision_size(0.03, rate=0.8, method="normal")
        (682, 683)
    """
    wanted = _as_half_width(half_width)
    return _fewest(lambda n: rate_half_width(n, rate=rate, level=level, method=method) <= wanted)


def paired_half_width(n: float, *, psi: float, difference: float = 0.0, level: float = 0.95) -> float:
    """Half the width of Tango's interval when the two differ on a share ψ of ``n`` items, by Δ on balance.

    Args:
        n: shared items (may be an effective number).
        psi: planned share of items on which the two differ.
        difference: planned difference.
        level: confidence level.

    Raises:
        UsageError: a difference larger than psi, n below 1.

    References:
        Tango (1998), Statistics in Medicine 17:891-908.

    Examples:
        >>> round(paired_half_width(200, psi=0.2, difference=0.05), 4)
        0.0632
    """
    size = as_count(n, name="n", at_least=1)
    psi, difference = as_discordance(psi, difference)
    fixed, broke = size * (psi + difference) / 2, size * (psi - difference) / 2
    return tango(fixed, broke, size, level=level).width / 2


def paired_precision_size(
    half_width: float, *, psi: float, difference: float = 0.0, level: float = 0.95
) -> int | Undefined:
    """Fewest shared items at which Tango's interval is no wider than ± ``half_width``.

    Args:
        half_width: wanted half of the width, between 0 and 1.
        psi: planned share of items on which the two differ.
        difference: planned difference.
        level: confidence level.

    Returns:
        The number; Undefined beyond ten million.

    Raises:
        UsageError: a half-width outside (0, 1), a difference larger than psi.

    References:
        Tango (1998), Statistics in Medicine 17:891-908.

    Examples:
        >>> paired_precision_size(0.03, psi=0.2)
        865
    """
    wanted = _as_half_width(half_width)
    return _fewest(lambda n: paired_half_width(n, psi=psi, difference=difference, level=level) <= wanted)


def _as_half_width(half_width: float) -> float:
    wanted = as_count(half_width, name="half_width")
    if not 0 < wanted < 1:
        raise UsageError(f"half_width must lie strictly between 0 and 1 (0.03, not 3); got {half_width!r}")
    return wanted


def _fewest(narrow: Callable[[int], bool]) -> int | Undefined:
    """Least n that is narrow enough: the width falls in n when the shares are held."""
    high = 1
    while not narrow(high):
        high *= 2
        if high > _MOST_ITEMS:
            return Undefined(f"more than {_MOST_ITEMS:,} items would be needed")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if narrow(middle) else (middle, high)
    return high
