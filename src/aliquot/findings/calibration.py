"""The finding about a judge: what it gets right and wrong against people, and what that makes of its rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from aliquot.findings.agreement import Coefficient
from aliquot.findings.corrected import Corrected
from aliquot.findings.finding import Finding
from aliquot.findings.scale import Scale
from aliquot.stats.judged_rows import Drawn
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

Standing: TypeAlias = Literal["as_good", "below", "undecided"]
"""What the judge is beside a second labeller."""


@dataclass(frozen=True, slots=True)
class JudgeLine:
    """What a judge gets right and wrong on some of the labelled answers.

    Attributes:
        by: what the answers have in common: ``system``, a segment's name; "" for all.
        name: which one.
        labelled: labelled answers with a verdict.
        true_pass: both pass.
        false_pass: the judge passes what people fail.
        false_fail: the judge fails what people pass.
        true_fail: both fail.
        sensitivity: share of people's passes that the judge passes.
        specificity: share of people's failures that the judge fails.
        ppv: share of the judge's passes that people pass.
        npv: share of the judge's failures that people fail.
    """

    by: str
    name: str
    labelled: int
    true_pass: int
    false_pass: int
    false_fail: int
    true_fail: int
    sensitivity: Estimate | Undefined
    specificity: Estimate | Undefined
    ppv: Estimate | Undefined
    npv: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class EqualErrors:
    """Whether a judge errs alike for several systems, on several slices or at several dates: the two furthest apart.

    Attributes:
        by: what they are: ``system``, a field's name, ``date of the labels``.
        share: ``sensitivity`` or ``specificity``.
        first: the one.
        second: the other.
        difference: of the share, second minus first.
        test: of none.
        adjusted: its p, adjusted for all that were looked at.
    """

    by: str
    share: str
    first: str
    second: str
    difference: Estimate | Undefined
    test: HypothesisTest | Undefined
    adjusted: float | None


@dataclass(frozen=True, slots=True)
class JudgeBias:
    """What moves the verdict although people see no difference.

    Attributes:
        feature: what it is: ``length``, a trait of style.
        says: what the estimate is, in words.
        estimate: how much more often the judge passes such an answer than others with the same label.
        test: of no effect.
        shift: what it does to the judged difference of two systems; None where there are not two.
    """

    feature: str
    says: str
    estimate: Estimate | Undefined
    test: HypothesisTest | Undefined
    shift: Estimate | Undefined | None


@dataclass(frozen=True, slots=True)
class RaterStanding:
    """The judge or one rater, held against people on the same answers.

    Attributes:
        name: who.
        labels: answers labelled.
        agreement: agreement beyond chance with each of the (other) people, on average; None where it is undefined.
    """

    name: str
    labels: int
    agreement: float | None


@dataclass(frozen=True, slots=True)
class SecondLabeller:
    """Whether the judge agrees with people as well as people do with each other, on the same answers.

    Attributes:
        measure: what the agreement is measured by, as it is called on a page.
        judge: agreement of the judge with each person beyond chance, on average.
        people: agreement of people with each other, likewise.
        difference: judge minus people.
        consensus: the same against what the other people say together; Undefined below three people.
        margin: how far below still counts as as good.
        word: what may be said, read from ``difference``.
        n: answers with a verdict and two labels or more.
        raters: the judge and each person.
        limit: how far a judge without any error could correlate with one person, and with the mean of them, if people's
            errors were independent noise and their kappa their correlation; None where they do not agree.
    """

    measure: str
    judge: float
    people: float
    difference: Estimate | Undefined
    consensus: Estimate | Undefined
    margin: float
    word: Standing
    n: int
    raters: tuple[RaterStanding, ...]
    limit: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class MoreLabels:
    """What more labels would bring.

    Attributes:
        labels: labels in all.
        width: expected width of the interval of the corrected rate.
    """

    labels: int
    width: float


@dataclass(frozen=True, slots=True, repr=False)
class Calibration(Finding):
    """A judge held against people.

    Attributes:
        judge: the metric that the judge gives.
        question: what people were asked.
        scale: of the labels.
        passes: what a pass and a failure are called.
        n_judged: answers judged.
        n_labelled: of those, answers that people labelled.
        n_raters: people.
        n_clusters: clusters of the labelled answers; None when nothing names one.
        tied: answers on which people split evenly, where the first one's label counts.
        drawn: how the answers to label were drawn.
        agreement: measures of judge and people, the main one first.
        ranking: whether the metric orders answers and systems as people do.
        constant: the label that always giving it would agree with most.
        constant_share: share of the labels that are it.
        lines: the judge's errors, over all labelled answers first.
        equal_errors: tests of equal errors.
        biases: what moves the verdict given the label.
        second: the judge beside a second labeller; None where no answer has two labels.
        corrected: rates of the systems three ways.
        difference: of two systems three ways; None with other than two.
        factor: share of a true difference that the judge shows (sensitivity + specificity − 1).
        more_labels: what more labels would bring.
        let_through: answers that the judge passes and people fail.
        held_back: answers that the judge fails and people pass.
        level: confidence level.
        why: one line on the method.
        estimand: what the numbers are about.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "calibration"

    judge: str
    question: str
    scale: Scale
    passes: tuple[str, str] | None
    n_judged: int
    n_labelled: int
    n_raters: int
    n_clusters: int | None
    tied: int
    drawn: Drawn
    agreement: tuple[Coefficient, ...]
    ranking: tuple[Coefficient, ...]
    constant: str | None
    constant_share: float | None
    lines: tuple[JudgeLine, ...]
    equal_errors: tuple[EqualErrors, ...]
    biases: tuple[JudgeBias, ...]
    second: SecondLabeller | None
    corrected: tuple[Corrected, ...]
    difference: Corrected | None
    factor: Estimate | Undefined
    more_labels: tuple[MoreLabels, ...]
    let_through: tuple[str, ...]
    held_back: tuple[str, ...]
    level: float
    why: str
    estimand: str
    seed: int
