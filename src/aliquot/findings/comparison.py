"""The finding of a comparison: candidate against baseline, with everything that carries the claim."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, ClassVar

from aliquot.evidence.tables import Better, Kind, Note
from aliquot.evidence.units import Attrition
from aliquot.findings.verdict import Verdict
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

if TYPE_CHECKING:
    from aliquot.findings.answered import Answered
    from aliquot.findings.cluster_search import ClusterSearch
    from aliquot.findings.composite import Composite
    from aliquot.findings.contrast import MethodContrast
    from aliquot.findings.item_tests import ItemTests
    from aliquot.findings.looks import Looks
    from aliquot.findings.noise import RememberedNoise
    from aliquot.findings.plan_check import PlanCheck
    from aliquot.findings.power_seen import PowerSeen, RepeatsWorth
    from aliquot.findings.scoring_rule import ScoringRules
    from aliquot.findings.segments import SegmentScan
    from aliquot.findings.shares import Reweighted
    from aliquot.findings.side_metrics import SideMetrics


@dataclass(frozen=True, slots=True)
class Scale:
    """How a metric's numbers are read.

    Attributes:
        kind: binary, ordinal, bounded, real or category.
        low: smallest possible value, when there is one.
        high: largest possible value, when there is one.
        better: which direction is better.
    """

    kind: Kind
    low: float | None
    high: float | None
    better: Better

    def span(self) -> float | None:
        """Return the width of the scale, or None when it has no bounds."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def in_points(self) -> bool:
        """Whether values are shares between 0 and 1, printed as percent and their differences as points."""
        return self.kind in ("binary", "bounded") and self.low == 0 and self.high == 1


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Median and 95th percentile of a cost of answering, in ``unit``, over ``n`` responses."""

    median: float
    p95: float
    n: int
    unit: str


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
class Comparison:
    """One analysed claim about two systems on one task and metric; every difference is candidate minus baseline.

    What follows ``command`` was found beside the difference, and is None where there was nothing to look at:
    ``assumptions`` behind the number; ``answered``, each system's rate over what it answered; ``item_tests``, items
    told apart one by one; ``clusters_tried``, fields that might be clusters; ``scoring``, the difference under other
    scoring rules; ``segments``, the difference on every segment, and ``reweighted``, at given shares of them;
    ``contrast``, what analyses that do not fit would have said; ``power_seen`` and ``repeats_worth``, what this design
    could show; ``side_metrics``, what else changed; ``composite``, how the winner depends on the weights of several
    metrics; ``noise``, what the suite was seen to move by itself; ``looks``, how often these items were looked at;
    ``plan``, what was planned beside what was done.
    """

    kind: ClassVar[str] = "comparison"

    baseline: SystemSummary
    candidate: SystemSummary
    task: str
    metric: str
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
    warnings: tuple[Note, ...]
    not_checked: tuple[Note, ...]
    checklist: tuple[Point, ...]
    why: str
    estimand: str
    verdict: Verdict
    seed: int
    versions: Mapping[str, str]
    command: str = ""
    assumptions: tuple[str, ...] = ()
    answered: Answered | None = None
    item_tests: ItemTests | None = None
    clusters_tried: ClusterSearch | None = None
    scoring: ScoringRules | None = None
    segments: SegmentScan | None = None
    reweighted: Reweighted | None = None
    contrast: MethodContrast | None = None
    power_seen: PowerSeen | None = None
    repeats_worth: RepeatsWorth | None = None
    side_metrics: SideMetrics | None = None
    composite: Composite | None = None
    noise: RememberedNoise | None = None
    looks: Looks | None = None
    plan: PlanCheck | None = None

    def __repr__(self) -> str:
        return f"<Comparison of {self.candidate.system} with {self.baseline.system}: {self.verdict.text}>"

    def __str__(self) -> str:
        return self.verdict.text

    def _repr_html_(self) -> str:
        return f"<p><strong>{escape(self.verdict.text)}</strong></p>"

    @property
    def deciding(self) -> HypothesisTest | None:
        """The test that owns the verdict, or None when nothing could be tested."""
        return next((named.test for named in self.tests if named.decides), None)
