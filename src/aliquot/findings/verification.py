"""The finding of a verification: printed numbers held against rows, or against arithmetic alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from aliquot.findings.finding import Finding

Outcome: TypeAlias = Literal["fits", "explained", "differs", "cannot_be", "not_checked"]
"""The number comes out as printed; it comes out by another reading that is named; it does not; no data could give it;
nothing here tells."""


@dataclass(frozen=True, slots=True)
class Check:
    """One printed number.

    Attributes:
        claim: what was printed of what.
        printed: the number as printed.
        expected: what the rows or arithmetic give, in words; empty when they give the same.
        outcome: how the two stand to each other.
        cause: the likely cause in plain words; empty when it fits.
    """

    claim: str
    printed: str
    expected: str
    outcome: Outcome
    cause: str


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Finding):
    """Printed numbers, one by one.

    Attributes:
        checks: the numbers.
        remarks: what follows from several of them together.
    """

    kind: ClassVar[str] = "verification"

    checks: tuple[Check, ...]
    remarks: tuple[str, ...]

    def count(self, outcome: Outcome) -> int:
        """Return how many numbers came out so."""
        return sum(check.outcome == outcome for check in self.checks)
