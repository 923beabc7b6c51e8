"""What people's labels make of a number that a judge gave: as judged, as people say, and corrected, side by side."""

from __future__ import annotations

from dataclasses import dataclass

from aliquot.stats.results import Estimate, Undefined

ELSEWHERE = Undefined("none of these answers is labelled")
"""What people say alone, where they labelled other answers."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A rate, a mean or a difference three ways, side by side.

    Attributes:
        what: the system, or ``candidate minus baseline`` by their names.
        raw: as the judge counts.
        people: as the labelled answers say alone.
        corrected: judge and labels together.
        why: how the last one was made.
        labelled: labelled units it rests on.
        judged: units judged.
    """

    what: str
    raw: Estimate | Undefined
    people: Estimate | Undefined
    corrected: Estimate | Undefined
    why: str
    labelled: int
    judged: int
