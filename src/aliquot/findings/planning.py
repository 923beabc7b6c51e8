"""The finding of a plan: how many items, attempts, minutes and how much money a difference would take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from aliquot.findings.finding import Finding
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, Undefined

Goal: TypeAlias = Literal["differ", "not_worse"]


@dataclass(frozen=True, slots=True)
class Needed:
    """Items needed under one assumption.

    Attributes:
        goal: to show a difference, or that the candidate is not worse by the margin.
        psi: share of items on which the systems differ that was assumed; None for graded metrics.
        items: items needed; Undefined when out of reach.
        seconds: what asking both systems for them takes, one after the other; None where not known.
        cost: what it costs.
    """

    goal: Goal
    psi: float | None
    items: int | Undefined
    seconds: float | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class PowerPoint:
    """What a number of items is worth.

    Attributes:
        items: the number.
        power: chance to show the difference planned for; None when none was named.
        detectable: smallest difference shown with the wanted power.
        type_m: how exaggerated a shown difference would be; None at a power of 50% and more.
        type_s: chance that a shown one has the wrong sign.
    """

    items: int
    power: float | None
    detectable: float | Undefined
    type_m: float | None
    type_s: float | None


@dataclass(frozen=True, slots=True)
class AttemptsOption:
    """Items needed when each is attempted several times, and the answers that makes for both systems."""

    attempts: int
    items: int | Undefined
    answers: int | None


@dataclass(frozen=True, slots=True)
class LabelsOption:
    """People's labels that are needed when a judge reads all answers and is corrected by them.

    Attributes:
        judged: items whose answers the judge reads.
        labels: of these, the items whose answers people label too.
    """

    judged: int
    labels: int


@dataclass(frozen=True, slots=True)
class LabelCell:
    """Answers among which labels are drawn at random.

    Attributes:
        segment: the slice they lie in; "" where none was named.
        verdict: what the judge said of them.
        rows: answers there are.
        passes: share of them that people are guessed to pass.
        labels: labels to draw.
    """

    segment: str
    verdict: str
    rows: int
    passes: float
    labels: int


@dataclass(frozen=True, slots=True)
class LabelDesign:
    """Labels for the corrected rate of one system.

    Attributes:
        system: whose rate.
        judged: answers that the judge read.
        labelled: labels there are already.
        half_width_now: half width to expect of the corrected interval with as many, drawn at random.
        half_width: the one asked for; None when none was asked for.
        labels: labels for it, drawn by verdict and segment; Undefined when all answers together do not give it.
        alone: labels for it without a judge.
        cells: where to draw them.
        judge_first: the judge on a sample of designed size, when both costs are known.
    """

    system: str
    judged: int
    labelled: int
    half_width_now: float
    half_width: float | None
    labels: int | Undefined
    alone: int | None
    cells: tuple[LabelCell, ...]
    judge_first: JudgeFirst | None


@dataclass(frozen=True, slots=True)
class JudgeFirst:
    """How many answers to judge and how many of them to label, at the least cost for the half width asked for.

    Attributes:
        judged: answers the judge reads.
        labelled: of these, labelled.
        cost: of both.
        alone: labels that would do it without a judge.
        cost_alone: what those would cost.
        worth_it: whether the judge is worth its cost.
    """

    judged: int
    labelled: int
    cost: float
    alone: int
    cost_alone: float
    worth_it: bool


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Finding):
    """How much a difference would take.

    Attributes:
        task: the task of the pilot.
        metric: the metric.
        scorer: the scoring rule of the pilot; empty without one.
        scale: how its numbers are read.
        level: confidence level.
        power: the power wanted.
        difference: the difference planned for, in the metric's units; None when none was named.
        margin: the margin; None when none was named.
        psi: the share of differing items seen in the pilot or named.
        psi_range: its Wilson limits, when a pilot gave it.
        sd: standard deviation of the differences of items, for graded metrics.
        design_effect: items that one independent item takes in this design.
        pilot_items: items of the pilot; None without one.
        needed: items under each assumption.
        at: what numbers of items are worth, rising.
        simulated: power at the items at hand by resampling the pilot's own; None without a pilot of two systems.
        attempts: items against attempts; empty without repeats in the pilot.
        labels: items judged against items labelled; empty without a judge that errs.
        corrected: labels for the corrected rate of each system; empty without labels of a judge's answers.
        comparisons: comparisons of which this is one, each at its share of the error.
        half_width: items for the half width asked for; None when none was asked for.
        half_width_asked: that half width.
        budget_items: items that the budget pays for; None when none was named or prices are not known.
        currency: of the costs.
        fit: what the number of items at hand is fit for.
        sentence: what to write when the number needed is out of reach; empty otherwise.
        why: one line on the method.
    """

    kind: ClassVar[str] = "plan"

    task: str
    metric: str
    scorer: str
    scale: Scale
    level: float
    power: float
    difference: float | None
    margin: float | None
    psi: float | None
    psi_range: tuple[float, float] | None
    sd: float | None
    design_effect: float
    pilot_items: int | None
    needed: tuple[Needed, ...]
    at: tuple[PowerPoint, ...]
    simulated: Estimate | None
    attempts: tuple[AttemptsOption, ...]
    labels: tuple[LabelsOption, ...]
    corrected: tuple[LabelDesign, ...]
    comparisons: int
    half_width: int | Undefined | None
    half_width_asked: float | None
    budget_items: int | None
    currency: str | None
    fit: str
    sentence: str
    why: str
