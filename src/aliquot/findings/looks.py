"""How often these items were looked at, and what that does to a winner."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Looks:
    """Variants tried on one item set.

    Attributes:
        runs: runs kept beside each other with these items.
        variants: systems in them that differ in more than their name.
        by_chance: lead of the best of that many variants over the baseline if none were any better, in the metric's
            units; None where the difference has no error.
    """

    runs: int
    variants: int
    by_chance: float | None
