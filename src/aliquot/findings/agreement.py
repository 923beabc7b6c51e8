"""The finding about agreement: how far raters say the same of the same answers, and where they do not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from aliquot.findings.finding import Finding
from aliquot.stats.results import Estimate, Undefined

Measured: TypeAlias = Literal["nominal", "ordinal", "interval", "ratio"]
"""What distances between labels mean: none, their order, their difference, their ratio."""


@dataclass(frozen=True, slots=True)
class Coefficient:
    """One measure of agreement.

    Attributes:
        name: as ``explain`` lists it.
        title: what it is called on a page, with what distances between labels weigh in it.
        says: what it is, in a few words.
        point: the measure, None where it is undefined; it may be known where an interval is not.
        estimate: with its interval, or why there is none.
    """

    name: str
    title: str
    says: str
    point: float | None
    estimate: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class RaterLine:
    """One rater.

    Attributes:
        name: who.
        labels: answers labelled.
        counts: how often each label was given, in the order of ``RaterAgreement.labels``.
        others: agreement with each of the other raters on the answers they share, beyond chance, on average.
        repeated: answers labelled more than once.
        same: of those, how many were given the same label again.
    """

    name: str
    labels: int
    counts: tuple[int, ...]
    others: Estimate | Undefined
    repeated: int
    same: int


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters on the answers both labelled.

    Attributes:
        a: the one.
        b: the other.
        n: answers.
        observed: share with the same label.
        chance_corrected: the same beyond chance.
    """

    a: str
    b: str
    n: int
    observed: float
    chance_corrected: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class TwoByTwo:
    """What a table of two raters and two labels shows of why a chance-corrected coefficient is what it is.

    Attributes:
        prevalence: difference between the shares of the two labels among agreements and disagreements (0 to 1).
        bias: how much more often one rater gives the first label than the other (0 to 1).
        pabak: kappa at equal shares and without bias, 2 × observed − 1.
    """

    prevalence: float
    bias: float
    pabak: float


@dataclass(frozen=True, slots=True)
class ClassLine:
    """One label of the second rater, held against the first as reference.

    Attributes:
        label: the label.
        support: answers to which the first rater gave it.
        precision: share of the second rater's labels of this kind that the first gave too.
        recall: share of the first rater's that the second gave too.
        f1: their harmonic mean.
    """

    label: str
    support: int
    precision: float | Undefined
    recall: float | Undefined
    f1: float | Undefined


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One answer on which raters differ.

    Attributes:
        answer: what it is called.
        labels: what each rater said, in the order of ``RaterAgreement.raters``; "" where nothing.
    """

    answer: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """One thing that labels differ by.

    Attributes:
        name: ``item``, ``system``, ``rater``, two of them behind a colon, or ``within`` for what is left.
        variance: of one label.
        share: of the whole.
    """

    name: str
    variance: float
    share: float


@dataclass(frozen=True, slots=True)
class BuyNext:
    """One thing doubled.

    Attributes:
        facet: ``item`` or ``rater`` (labels of each answer).
        levels: from how many to how many.
        se: the standard error then.
        labels: labels more.
    """

    facet: str
    levels: tuple[int, int]
    se: float
    labels: int


@dataclass(frozen=True, slots=True)
class LabelSpread:
    """What the variance of a label is made of, and what more of each would buy.

    Attributes:
        sources: the parts.
        target: of what the standard error is.
        se: the standard error as it is.
        steps: what takes most variance off for a label comes first.
    """

    sources: tuple[Source, ...]
    target: str
    se: float
    steps: tuple[BuyNext, ...]


@dataclass(frozen=True, slots=True, repr=False)
class RaterAgreement(Finding):
    """How far raters agree.

    Attributes:
        question: what they were asked.
        labels: the labels, in order.
        measured: what distances between labels mean.
        raters: each rater.
        n_answers: answers with a label.
        n_shared: of those, answers with labels of two raters or more; agreement is about these.
        n_clusters: clusters of the shared answers; None when nothing names one.
        observed: share of pairs of labels that are the same.
        constant: the label that always giving it would agree with most; None when nothing is shared.
        constant_share: share of the labels of shared answers that are it.
        coefficients: the measures, the main one first.
        pairs: each two raters.
        two_by_two: of two raters and two labels.
        confusion: counts of two raters, rows the first one's labels; empty with other than two.
        classes: of two raters, the second held against the first.
        spread: what labels differ by, and what more would buy; None where labels are names.
        disagreements: answers on which raters differ, the widest apart first.
        n_disagreements: how many there are.
        level: confidence level.
        why: one line on the method.
        estimand: what the numbers are about.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "agreement"

    question: str
    labels: tuple[str, ...]
    measured: Measured
    raters: tuple[RaterLine, ...]
    n_answers: int
    n_shared: int
    n_clusters: int | None
    observed: Estimate | Undefined
    constant: str | None
    constant_share: float | None
    coefficients: tuple[Coefficient, ...]
    pairs: tuple[RaterPair, ...]
    two_by_two: TwoByTwo | None
    confusion: tuple[tuple[int, ...], ...]
    classes: tuple[ClassLine, ...]
    spread: LabelSpread | None
    disagreements: tuple[Disagreement, ...]
    n_disagreements: int
    level: float
    why: str
    estimand: str
    seed: int
