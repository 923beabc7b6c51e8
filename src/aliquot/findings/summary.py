"""The finding of a summary: what each system reached, how much it answered, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from aliquot.evidence.tables import Note
from aliquot.findings.classes import ClassTable
from aliquot.findings.comparison import Quantiles
from aliquot.findings.corrected import Corrected
from aliquot.findings.finding import Finding
from aliquot.findings.majority import Majority
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Word
from aliquot.stats.repeats import Precision
from aliquot.stats.results import Estimate, Undefined


@dataclass(frozen=True, slots=True)
class Floor:
    """Whether a rate is at least what was asked for, by the two-sided Clopper–Pearson interval.

    Attributes:
        asked: the rate asked for.
        estimate: the rate with that interval.
        word: ``met`` when its lower limit reaches it, ``not_met`` when its upper limit does not, else ``undecided``.
        hangs_on_missing: whether the word would be another if all rows without a value had failed, or passed.
    """

    asked: float
    estimate: Estimate | Undefined
    word: Word
    hangs_on_missing: bool = False


@dataclass(frozen=True, slots=True)
class Repeats:
    """What several attempts at each item show.

    Attributes:
        attempts: fewest and most attempts an item.
        varying: items whose attempts disagree.
        between: variance between items (0 when its estimate is negative).
        within: variance between the attempts at an item.
        precision: empty when the variances are not known; standard errors of other numbers of items and attempts.
        pass_at: k → chance that at least one of k attempts passes (pass@k); binary metrics only.
        pass_hat: k → chance that all of k attempts pass (pass^k); binary metrics only.
    """

    attempts: tuple[int, int]
    varying: int
    between: float | Undefined
    within: float | Undefined
    precision: tuple[Precision, ...]
    pass_at: Mapping[int, Estimate | Undefined]
    pass_hat: Mapping[int, Estimate | Undefined]


@dataclass(frozen=True, slots=True)
class Steps:
    """How many steps an agent took to an answer.

    Attributes:
        mean: steps of an answer.
        p95: their 95th percentile.
        tool_calls: calls of tools of an answer; None where they were not recorded.
        tool_errors: share of these that failed; None likewise.
        cost: of one step, in ``currency``; None where answers have no cost.
        currency: of that cost.
        answers: answers that tell their steps.
    """

    mean: float
    p95: float
    tool_calls: float | None
    tool_errors: float | None
    cost: float | None
    currency: str | None
    answers: int


@dataclass(frozen=True, slots=True)
class SystemLine:
    """One system on one task under one metric.

    Attributes:
        system: its name.
        task: the task.
        metric: the metric.
        scale: how the metric's numbers are read.
        estimate: the rate or mean.
        total: the sum of the values over attempts.
        n_items: items with a value.
        n_clusters: clusters they lie in, or None.
        rows: attempts.
        answered: share of the attempts whose response has status ok.
        statuses: attempts by response status.
        over_answered: the same estimate over the answered attempts alone; None when all were answered.
        if_missing: the estimate if every missing row had failed, and had passed; None when none is missing or the
            metric has no bounds.
        missing: attempts without a value.
        repeats: what several attempts show; None with one.
        floor: whether a floor is met; None when none was asked for.
        latency: of its responses, when known.
        cost: mean cost of an item, when known.
        currency: of that cost.
        cost_source: by whose word it is known: prices of the evaluation, a dated price list, the system itself.
        other_costs: what was paid beside the system's own answers, to a judge, in words.
        judge: the model that judged, when one did.
        majority: what always giving the most frequent right answer would reach; None where that is not known.
        classes: right and given classes against each other; None where the items fall into no classes.
        steps: steps, calls of tools and what a step costs; None where no answer tells its steps.
        corrected: what people's labels make of a judge's rate, which the estimate then is; None without labels.
    """

    system: str
    task: str
    metric: str
    scale: Scale
    estimate: Estimate | Undefined
    total: float | None
    n_items: int
    n_clusters: int | None
    rows: int
    answered: float
    statuses: Mapping[str, int]
    over_answered: Estimate | Undefined | None
    if_missing: tuple[Estimate | Undefined, Estimate | Undefined] | None
    missing: int
    repeats: Repeats | None
    floor: Floor | None
    latency: Quantiles | None
    cost: float | None
    currency: str | None
    judge: str | None
    majority: Majority | None = None
    cost_source: str | None = None
    other_costs: tuple[str, ...] = ()
    classes: ClassTable | None = None
    corrected: Corrected | None = None
    steps: Steps | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Summary(Finding):
    """What the systems of a source reached, one line for each system and task; nothing is compared.

    Attributes:
        lines: the chosen metric of each system and task.
        others: the other metrics of each.
        level: confidence level.
        reconciliation: a sentence for each number the log's own tool printed.
        not_checked: checks that were not made, with what each would need.
        why: one line on the method.
        estimand: what the numbers are about.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "summary"

    lines: tuple[SystemLine, ...]
    others: tuple[SystemLine, ...]
    level: float
    reconciliation: tuple[str, ...]
    not_checked: tuple[Note, ...]
    why: str
    estimand: str
    seed: int
