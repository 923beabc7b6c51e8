"""The zero of a monotone function, by halving: slower than cleverer methods and never wrong."""

from __future__ import annotations

from collections.abc import Callable


def bisect(function: Callable[[float], float], low: float, high: float, *, steps: int = 200) -> float:
    """Return where ``function`` changes sign between ``low`` and ``high``.

    Args:
        function: monotone on the bracket.
        low: one end of the bracket.
        high: the other end, above ``low``.
        steps: halvings at most; some 60 exhaust a double.

    Raises:
        ArithmeticError: the function has the same sign at both ends.

    Examples:
        >>> round(bisect(lambda x: x * x - 2, 0, 2), 6)
        1.414214
    """
    at_low, at_high = function(low), function(high)
    if at_low == 0:
        return low
    if at_high == 0:
        return high
    if (at_low > 0) == (at_high > 0):
        raise ArithmeticError(f"no change of sign between {low} and {high}")
    for _ in range(steps):
        middle = low + (high - low) / 2
        if middle in (low, high):
            break
        if (function(middle) > 0) == (at_low > 0):
            low = middle
        else:
            high = middle
    return low + (high - low) / 2
