"""What always giving the most frequent right answer would reach: the least that a rate has to be held against."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TELLING: Final = 0.1
"""Rate from which the majority baseline is said beside every rate."""
LEAST: Final = 5
"""Items of one reference from which it is; two or three equal ones make no class."""


@dataclass(frozen=True, slots=True)
class Majority:
    """The most frequent reference of some items. Its words are left out, as findings are forwarded.

    Attributes:
        items: items that share it; at least two.
        of: items there are.
        rate: what always answering it reaches, a share.
    """

    items: int
    of: int
    rate: float

    @property
    def telling(self) -> bool:
        """Whether it is said beside a number without being asked for: lower, nobody takes it for an achievement."""
        return self.rate >= TELLING and self.items >= LEAST


def write_majority(majority: Majority) -> str:
    """Say what the most frequent reference reaches.

    Examples:
        >>> write_majority(Majority(45, 48, 45 / 48))
        'Always giving the most frequent right answer would pass 45 of 48 (93.75%).'
    """
    share = write_share(majority.rate)
    return f"Always giving the most frequent right answer would pass {majority.items} of {majority.of} ({share})."


def write_share(rate: float) -> str:
    """Write a rate with the four digits by which two shares of the same items are told to be equal.

    Examples:
        >>> write_share(0.9375), write_share(2 / 3), write_share(1.0)
        ('93.75%', '66.67%', '100%')
    """
    return f"{100 * rate:.4g}%"
