"""Who is held against whom, and one condition before it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from aliquot.analysis.compare import Choices
from aliquot.evidence.tables import Evidence
from aliquot.findings.comparison import Comparison
from aliquot.findings.gate import Of
from aliquot.findings.scale import Scale
from aliquot.gates.decision import Shown
from aliquot.stats.results import Estimate, Undefined

RATE: Final = Scale(kind="binary", low=0.0, high=1.0, better="higher")
RATIO: Final = Scale(kind="real", low=None, high=None, better="lower")


@dataclass(frozen=True, slots=True)
class Sides:
    """Who is held against whom, and by which choices.

    Attributes:
        evidence: of both, without what is quarantined.
        baseline: system A; empty when there is none.
        candidate: system B.
        task: the task.
        choices: as for a comparison; metric and margin are taken from the policy.
    """

    evidence: Evidence
    baseline: str
    candidate: str
    task: str
    choices: Choices


@dataclass(frozen=True, slots=True)
class Held:
    """One condition before it is read: what the data show, and everything that is told of it.

    Attributes:
        name: as in ``Condition``.
        of: as there.
        shown: what the rule reads.
        scale: how the numbers are read.
        unit: as in ``Condition``.
        n: items.
        sides: both sides' own numbers.
        if_failed: whether it would still pass with every missing row a failure; None when none is missing.
        comparison: the comparison it comes from; None for a floor.
    """

    name: str
    of: Of
    shown: Shown
    scale: Scale
    unit: str
    n: int
    sides: tuple[Estimate | Undefined | None, Estimate | Undefined | None]
    if_failed: bool | None
    comparison: Comparison | None
