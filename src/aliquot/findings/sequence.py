"""How the interval of a run that could stop at any time narrowed as its items came in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """The difference after so many units.

    Attributes:
        units: items, or clusters, so far.
        point: the difference over them.
        low: its lower limit, the highest so far.
        high: its upper limit, the lowest so far.
    """

    units: int
    point: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class SequenceSeen:
    """A confidence sequence: all its intervals hold the truth together, with the chance stated.

    Attributes:
        rule: what the run was to stop at; empty where it is not known.
        unit: ``item`` or ``cluster``.
        units: units seen.
        level: confidence level of all steps together.
        steps: the sequence, at all units or at some on the way.
        settled: units after which the interval first left 0 out; None when it never did.
    """

    rule: str
    unit: str
    units: int
    level: float
    steps: tuple[Step, ...]
    settled: int | None
