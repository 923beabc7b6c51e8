"""What a test that is running knows of its own earlier runs; loads nothing, as every test session may import it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Kept:
    """What one expectation of a test saw so far.

    Attributes:
        rows: outcomes of every run of the test: item, value or None, and what went wrong.
        look: how many runs there were.
        findings: floor → the last decision.
    """

    rows: list[tuple[str, float | None, str]] = field(default_factory=list[tuple[str, float | None, str]])
    look: int = 0
    findings: dict[float, Any] = field(default_factory=dict[float, Any])

    def settled(self, planned: int) -> bool:
        """Tell whether nothing more is asked: everything was decided, or every run that was planned is over."""
        decided = all(one.decision in ("pass", "fail") for one in self.findings.values())
        return bool(self.findings) and (decided or self.look >= planned)

    def add(self, rows: list[tuple[str, float | None, str]]) -> None:
        """Take the attempts of one more run; what was decided stays, what was open is decided anew."""
        self.rows += rows
        self.look += 1
        self.findings = {
            floor: found for floor, found in self.findings.items() if found.decision in ("pass", "fail")
        }


@dataclass(slots=True)
class Looks:
    """The runs of one test, which add attempts and share the error.

    Attributes:
        planned: runs there may be, known before the first: one, and one for each rerun.
        when_undecided: told the sentence of a decision that is open; returns whether the test goes on as passed.
        say: told what every decision comes to, for the report of the test.
        kept: what each expectation saw, in the order of the test.
        place: which expectation of this run comes next.
    """

    planned: int
    when_undecided: Callable[[str], bool]
    say: Callable[[str], None]
    kept: list[Kept] = field(default_factory=list[Kept])
    place: int = 0

    def next_kept(self) -> Kept:
        """Return what the expectation that comes next saw in earlier runs."""
        if self.place == len(self.kept):
            self.kept.append(Kept())
        self.place += 1
        return self.kept[self.place - 1]


CURRENT: ContextVar[Looks | None] = ContextVar("aliquot_looks", default=None)
"""Of the test that runs; None outside of pytest."""
