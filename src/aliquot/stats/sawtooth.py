"""The smallest number of items from which on an exact power, a sawtooth in n, stays at its target."""

from __future__ import annotations

import math
from collections.abc import Callable

from aliquot.stats.results import Undefined


def stays_from(
    power_of: Callable[[int], float], *, power: float, start: float, slack: float, most: int
) -> int | Undefined:
    """Return one more than the last n whose power falls short.

    The scan runs downwards from a little above ``start`` and stops at the first n that falls short.

    Args:
        power_of: power at n items.
        power: the target.
        start: items by a formula.
        slack: items above the formula at which the scan starts: what discreteness can cost, and one tooth.
        most: largest n to look at.

    Returns:
        The number of items; Undefined above ``most``.

    Examples:
        >>> stays_from(lambda n: (n - n % 3) / 100, power=0.8, start=75, slack=10, most=1000)
        81
    """
    last = math.ceil(1.02 * start + slack) + 8
    while last <= most and power_of(last) < power:
        last += last // 16 + 8
    if last > most:
        return Undefined(f"more than {most:,} items would be needed (about {start:,.0f})")
    n = last
    while n > 1 and power_of(n - 1) >= power:
        n -= 1
    return n
