"""What was planned beside what was done."""

from __future__ import annotations

from dataclasses import dataclass


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
    """

    path: str
    written: str
    lines: tuple[PlanLine, ...]

    @property
    def departures(self) -> tuple[str, ...]:
        """Names of the points that were not kept to."""
        return tuple(line.name for line in self.lines if not line.holds)
