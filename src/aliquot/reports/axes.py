"""Axes of a picture: where values lie, and where the ticks stand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

_FEW = 1e-9


@dataclass(frozen=True, slots=True)
class Axis:
    """A straight axis.

    Attributes:
        low: the value at its start.
        high: the value at its end; above ``low``.
        start: where it starts in the picture.
        end: where it ends; below ``start`` for an axis that points up.
        log: whether values lie by their logarithm; then both are positive.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """Return where a value lies, to a tenth of a unit; what lies beyond is drawn at the end."""
        low, high, x = (
            math.log(v) if self.log else v for v in (self.low, self.high, max(value, _least(self)))
        )
        share = min(1.0, max(0.0, (x - low) / (high - low)))
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Yield where a tick stands, and its text."""
        values = list(_decades(self.low, self.high) if self.log else _steps(self.low, self.high))
        apart = min((b - a for a, b in pairwise(values)), default=abs(self.high - self.low))
        for value in values:
            yield self.at(value), _written(value, apart)


def axis_over(
    values: Iterable[float],
    *,
    start: float,
    end: float,
    log: bool = False,
    within: tuple[float, float] | None = None,
) -> Axis:
    """Return an axis that holds all values, with some air at both ends.

    Args:
        values: finite ones; positive when ``log``.
        start: where the axis starts in the picture.
        end: where it ends.
        log: whether values lie by their logarithm.
        within: limits that the air does not cross, as 0 and 100 percent.
    """
    known = list(values)
    low, high = min(known), max(known)
    if log:
        return Axis(low / 1.1, high * 1.1, start, end, log=True)
    air = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    least, most = within or (-math.inf, math.inf)
    return Axis(max(min(least, low), low - air), min(max(most, high), high + air), start, end)


def _least(axis: Axis) -> float:
    return axis.low if axis.log else -math.inf


def _steps(low: float, high: float, *, most: int = 6) -> Iterator[float]:
    """Yield multiples of 1, 2 or 5 times a power of ten within limits."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * (1 - _FEW))
    for place in range(math.ceil(low / step - _FEW), math.floor(high / step + _FEW) + 1):
        yield place * step


def _decades(low: float, high: float) -> Iterator[float]:
    """Yield 1, 2 and 5 times the powers of ten within limits; over three decades the powers alone."""
    factors = (1, 2, 5) if high / low <= 1000 else (1,)
    for exponent in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        yield from (f * 10.0**exponent for f in factors if low <= f * 10.0**exponent <= high)


def _written(value: float, apart: float) -> str:
    """Write a tick to the digits that tell it from its neighbour, and without the noise of binary fractions.

    Args:
        value: where the tick stands.
        apart: the least distance of two ticks.

    Examples:
        >>> _written(0.30000000000000004, 0.1), _written(2000.0, 500), _written(-0.0, 1), _written(1000.0002, 1e-4)
        ('0.3', '2,000', '0', '1,000.0002')
    """
    digits = 6
    if value and apart < abs(value):
        digits = min(15, max(6, 2 + math.ceil(math.log10(abs(value) / apart))))
    rounded = float(f"{value:.{digits}g}") + 0.0
    return f"{rounded:,.0f}" if rounded == int(rounded) else f"{rounded:,.{digits}g}"
