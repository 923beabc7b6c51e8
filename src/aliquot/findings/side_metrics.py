"""What else changed between two systems: other metrics, time, tokens, money and failures, each with its interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from aliquot.evidence.tables import Note
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

Statistic: TypeAlias = Literal["mean", "class_rate", "corpus", "median", "p95", "p99"]

Trade: TypeAlias = Literal[
    "dominates",
    "costs_more_for_more",
    "better_cost_undecided",
    "costs_less_for_less",
    "dominated",
    "worse_cost_undecided",
    "cheaper_quality_undecided",
    "dearer_quality_undecided",
    "undecided",
]
"""Quality and cost of the candidate together, each read from its own interval."""


@dataclass(frozen=True, slots=True)
class SideMetric:
    """One thing beside the headline, on the shared items.

    Attributes:
        name: the metric, or ``latency``, ``first token``, ``tokens out``, ``cost`` …; of a class rate the metric.
        statistic: what the numbers are: means or rates, the rate of one class, a value of the whole corpus, quantiles.
        label: the class of a class rate; ``corpus`` for the value of the whole where items have values too; else empty.
        unit: of the numbers: ``s``, ``tokens``, a currency …; empty for a metric's own units.
        scale: how the numbers are read, with the direction that is better.
        n: items.
        points: the baseline's number and the candidate's, known also where they have no interval; None for a
            corpus without a value.
        a: the baseline's number with its interval.
        b: the candidate's.
        difference: candidate minus baseline; of a median the median of the items' differences.
        ratio: candidate over baseline, for means of what cannot be negative; None for the rest.
        test: the test that the difference was reconciled with, where one was made.
    """

    name: str
    statistic: Statistic
    label: str
    unit: str
    scale: Scale
    n: int
    points: tuple[float | None, float | None]
    a: Estimate | Undefined
    b: Estimate | Undefined
    difference: Estimate | Undefined
    ratio: Estimate | Undefined | None
    test: HypothesisTest | None


@dataclass(frozen=True, slots=True)
class Failures:
    """Responses of one system that have no answer, by status, stage and reason."""

    system: str
    status: str
    stage: str
    reason: str
    rows: int


@dataclass(frozen=True, slots=True)
class SideMetrics:
    """Everything beside the headline.

    Attributes:
        metrics: the task's other metrics.
        costs: latency, tokens, steps, calls, length and money.
        per_pass: cost of one additional pass by Fieller (``UnboundedRatio`` when its set is no interval); None when no
            cost is known or the metric is not passed or failed.
        currency: of the costs; None when none or several are known.
        trade: quality and cost together; None without costs.
        failures: what did not answer, the most frequent first.
        notes: what limits these numbers: cached rows left out, unlike load, parts that cannot be added up.
        comparisons: differences estimated here.
        cost_source: by whose word the systems' costs are known; None where that is not recorded.
        other_costs: what was paid beside the systems' own answers, to a judge, in words.
    """

    metrics: tuple[SideMetric, ...]
    costs: tuple[SideMetric, ...]
    per_pass: Estimate | Undefined | None
    currency: str | None
    trade: Trade | None
    failures: tuple[Failures, ...]
    notes: tuple[Note, ...]
    comparisons: int
    cost_source: str | None = None
    other_costs: tuple[str, ...] = ()
