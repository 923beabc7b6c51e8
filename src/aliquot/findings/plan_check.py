"""What was planned beside what was done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Met: TypeAlias = Literal["met", "not_met", "undecided", "nothing_to_judge"]
"""Whether a criterion is met, read from the printed interval."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """One success criterion.

    Attributes:
        text: what was to be shown, in words.
        word: whether it was.
        hangs_on_missing: whether rows without a value could change the word.
    """

    text: str
    word: Met
    hangs_on_missing: bool = False


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One point of a plan.

    Attributes:
        name: what was planned.
        planned: as it was planned.
        done: as it was done.
        holds: whether what was done keeps to the plan.
    """

    name: str
    planned: str
    done: str
    holds: bool


@dataclass(frozen=True, slots=True)
class PlanCheck:
    """A plan held against the comparison that was made.

    Attributes:
        path: the plan's file.
        written: when it was written.
        lines: its points.
        criteria: what it counts as success; empty when it does not say.
        word: whether all of that was shown: met when each is, not met when one is not; None without criteria.
    """

    path: str
    written: str
    lines: tuple[PlanLine, ...]
    criteria: tuple[Criterion, ...] = ()
    word: Met | None = None

    @property
    def departures(self) -> tuple[str, ...]:
        """Names of the points that were not kept to."""
        return tuple(line.name for line in self.lines if not line.holds)
