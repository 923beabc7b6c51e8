"""Can this number be? Counts that give a printed rate, and sizes that several printed rates share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from aliquot.errors import UsageError
from aliquot.stats.discordance import as_rate
from aliquot.stats.inputs import as_count
from aliquot.stats.results import Record

_SLACK = 1e-12
"""Rounding of the division itself, in units of the last digit printed."""


@dataclass(frozen=True, slots=True)
class Attainable(Record):
    """Whether some count out of n gives a printed rate.

    Attributes:
        rate: the rate as printed.
        n: number of items.
        counts: the counts that round to it; empty when none does.
        nearest: the counts below and above, with the rates they give.
    """

    rate: float
    n: int
    counts: tuple[int, ...]
    nearest: tuple[tuple[int, float], ...]

    @property
    def possible(self) -> bool:
        """Whether a count gives it."""
        return bool(self.counts)


def attainable(rate: float, n: int, *, decimals: int) -> Attainable:
    """Counts out of n whose share rounds to a printed rate; halves may have been rounded either way.

    Args:
        rate: the printed rate, between 0 and 1.
        n: number of items.
        decimals: decimals of the rate as printed (of ``22.4 %``, 3).

    Raises:
        UsageError: a rate outside [0, 1], n below 1, negative decimals.

    References:
        Brown & Heathers (2017) Social Psychological and Personality Science 8:363, the GRIM test.

    Examples:
        >>> attainable(0.224, 124, decimals=3).possible, attainable(0.224, 125, decimals=3).counts
        (False, (28,))
    """
    share, size = as_rate(rate, name="rate"), int(as_count(n, name="n", at_least=1))
    places = int(as_count(decimals, name="decimals"))
    half = 0.5 * 10.0**-places
    low, high = (share - half - _SLACK) * size, (share + half + _SLACK) * size
    counts = tuple(range(max(0, math.ceil(low - _SLACK)), min(size, math.floor(high + _SLACK)) + 1))
    below = min(size, math.floor(share * size))
    nearest = tuple((count, count / size) for count in dict.fromkeys((below, min(size, below + 1))))
    return Attainable(share, size, counts, nearest)


def sizes_that_fit(
    rates: Sequence[float], *, decimals: Sequence[int], around: int, reach: float = 0.1
) -> tuple[int, ...]:
    """Numbers of items near one that was named, out of which every printed rate can come; the nearest first.

    Args:
        rates: printed rates, between 0 and 1.
        decimals: decimals of each as printed.
        around: the number of items that was named.
        reach: how far to look, as a share of it (5 items at least).

    Raises:
        UsageError: as for :func:`attainable`, or as many decimals as rates are not given.

    Examples:
        >>> sizes_that_fit([0.224, 0.272, 0.520], decimals=[3, 3, 3], around=124)
        (125,)
    """
    if len(rates) != len(decimals):
        raise UsageError(f"{len(rates)} rates and {len(decimals)} decimals; give one for each")
    size = int(as_count(around, name="around", at_least=1))
    far = max(5, math.floor(size * reach))
    near = sorted(range(max(1, size - far), size + far + 1), key=lambda n: (abs(n - size), n))
    pairs = list(zip(rates, decimals, strict=True))
    return tuple(
        n for n in near if all(attainable(rate, n, decimals=places).possible for rate, places in pairs)
    )


def rate_error(rate: float, n: int, *, divisor: str = "n - 1") -> float:
    """Standard error of a rate over n independent items, √(p(1−p)/(n−1)) or with the divisor n.

    Raises:
        UsageError: a rate outside [0, 1], n below 2, an unknown divisor.

    Examples:
        >>> round(rate_error(0.566667, 60), 6), round(rate_error(0.566667, 60, divisor="n"), 6)
        (0.064513, 0.063973)
    """
    share, size = as_rate(rate, name="rate"), as_count(n, name="n", at_least=2)
    if divisor not in {"n", "n - 1"}:
        raise UsageError(f"divisor is 'n' or 'n - 1'; got {divisor!r}")
    return math.sqrt(share * (1 - share) / (size if divisor == "n" else size - 1))
