"""The finding of a table: tasks × systems against one baseline, all differences together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from aliquot.findings.comparison import Detectable
from aliquot.findings.finding import Finding
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Word
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


@dataclass(frozen=True, slots=True)
class TableRow:
    """One candidate against the baseline on one task.

    Attributes:
        task: the task.
        metric: its metric.
        scale: how the metric's numbers are read.
        candidate: the system compared with the baseline.
        n_items: shared items with a value on both sides.
        n_clusters: clusters they lie in, or None.
        baseline_rate: the baseline's rate or mean over these items.
        candidate_rate: the candidate's.
        difference: candidate minus baseline, with an interval that holds for all rows together (max-T); of a single row
            its own.
        test: the deciding test of this row alone.
        p_max_t: its p-value adjusted by max-T; of a single row that of its deciding test.
        p_holm: the deciding p-value adjusted by Holm.
        word: the verdict, read from the joint interval; "undecided" is a tie, not shown to differ.
        detectable: the smallest difference this row shows, alone.
    """

    task: str
    metric: str
    scale: Scale
    candidate: str
    n_items: int
    n_clusters: int | None
    baseline_rate: Estimate | Undefined
    candidate_rate: Estimate | Undefined
    difference: Estimate | Undefined
    test: HypothesisTest | None
    p_max_t: HypothesisTest | None
    p_holm: float | None
    word: Word
    detectable: Detectable | Undefined


@dataclass(frozen=True, slots=True)
class GroupMean:
    """A mean over the tasks of the table, with the error that fits its weighting.

    Attributes:
        weighting: ``tasks as strata`` (each task weighs alike, the tasks are fixed) or ``items pooled`` (each item
            weighs alike, one sample).
        candidate: the system compared with the baseline.
        baseline_rate: the baseline's mean.
        candidate_rate: the candidate's.
        difference: candidate minus baseline, with its own interval (not one of the joint ones).
    """

    weighting: str
    candidate: str
    baseline_rate: Estimate | Undefined
    candidate_rate: Estimate | Undefined
    difference: Estimate | Undefined


@dataclass(frozen=True, slots=True, repr=False)
class Table(Finding):
    """Tasks × systems against a baseline.

    Attributes:
        baseline: the system every other is compared with.
        rows: one for each task and candidate.
        groups: means over tasks, when the metrics are of one kind.
        left_out: task → why it is not in the table.
        level: confidence level of all intervals together.
        critical: c*, in the place of z in every interval.
        comparisons: differences made.
        scale: of the group means.
        why: one line on the method.
        estimand: what the numbers are about.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "table"

    baseline: str
    rows: tuple[TableRow, ...]
    groups: tuple[GroupMean, ...]
    left_out: Mapping[str, str]
    level: float
    critical: float
    comparisons: int
    scale: Scale | None
    why: str
    estimand: str
    seed: int
