"""The finding of a comparison: candidate against baseline, with everything that carries the claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from aliquot.evidence.tables import Note
from aliquot.evidence.units import Attrition
from aliquot.findings.beside import Beside
from aliquot.findings.finding import Finding
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


@dataclass(frozen=True, slots=True)
class Quantiles:
    """A cost of answering over responses.

    Attributes:
        median: its median.
        p95: its 95th percentile.
        n: responses.
        unit: of the numbers.
        steps: its quantiles at 0, 5, 10, … 100 percent.
    """

    median: float
    p95: float
    n: int
    unit: str
    steps: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class SystemSummary:
    """One system in the comparison: its own rate or mean over the shared items, and how much it answered."""

    system: str
    estimate: Estimate | Undefined
    total: float | None
    rows: int
    answered: float
    statuses: Mapping[str, int]
    latency: Quantiles | None


@dataclass(frozen=True, slots=True)
class PairTable:
    """Items by what the two systems did: both right, broke (only A right), fixed (only B right), neither."""

    both: int
    broke: int
    fixed: int
    neither: int


@dataclass(frozen=True, slots=True)
class NamedTest:
    """A test made for the finding; ``decides`` marks the one that owns the verdict."""

    test: HypothesisTest
    decides: bool


@dataclass(frozen=True, slots=True)
class Detectable:
    """The smallest difference this design shows, at the observed disagreement and at its upper limit."""

    low: float
    high: float
    power: float
    method: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """What would settle the observed difference: items in total, and the missing ones at this run's own prices."""

    items: int
    power: float
    seconds: float | None
    cost: float | None
    currency: str | None
    method: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The difference and its verdict's word under one extreme reading of the rows that are missing."""

    difference: Estimate | Undefined
    word: str


@dataclass(frozen=True, slots=True)
class MissingReadings:
    """What the missing rows could hide.

    Attributes:
        all_failed: every missing row of both systems failed.
        all_passed: every missing row of both systems passed.
        least: the bound against the candidate: its missing rows failed and the baseline's passed.
        most: the bound for the candidate: its missing rows passed and the baseline's failed.
        rows: items with a missing row on either side.
        changes_verdict: whether any of the four readings has another verdict than the one over what was measured.
    """

    all_failed: Reading
    all_passed: Reading
    least: Reading
    most: Reading
    rows: int
    changes_verdict: bool


NOT_RECORDED = "not recorded"
"""Value of a point of the checklist that the evidence does not fill."""


@dataclass(frozen=True, slots=True)
class Point:
    """One point of the reporting checklist; ``value`` is "not recorded" when the evidence does not say."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Finding, Beside):
    """One analysed claim about two systems on one task and metric; every difference is candidate minus baseline."""

    kind: ClassVar[str] = "comparison"

    baseline: SystemSummary
    candidate: SystemSummary
    task: str
    metric: str
    scorer: str
    scale: Scale
    level: float
    margin: float | None
    n_items: int
    n_clusters: int | None
    attempts: tuple[int, int]
    paired: bool
    difference: Estimate | Undefined
    tests: tuple[NamedTest, ...]
    table: PairTable | None
    fixed: tuple[str, ...]
    broke: tuple[str, ...]
    detectable: Detectable | Undefined
    to_settle: Settlement | Undefined
    matching: Attrition
    if_missing: MissingReadings | None
    same: tuple[str, ...]
    differs: tuple[str, ...]
    reconciliation: tuple[str, ...]
    comparisons: int
    not_checked: tuple[Note, ...]
    checklist: tuple[Point, ...]
    why: str
    estimand: str
    seed: int
    assumptions: tuple[str, ...] = ()

    @property
    def deciding(self) -> HypothesisTest | None:
        """The test that owns the verdict, or None when nothing could be tested."""
        return next((named.test for named in self.tests if named.decides), None)
