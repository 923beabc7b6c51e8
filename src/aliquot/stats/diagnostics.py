"""How right a judge is against labels: sensitivity, specificity, predictive values, and what follows from them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, Integers, as_array, as_choice, as_codes, as_level, as_values
from aliquot.stats.judged_rows import as_labels
from aliquot.stats.proportions import clopper_pearson, jeffreys, wilson
from aliquot.stats.rates import rate_by_form
from aliquot.stats.results import Estimate, Record, Undefined

Form: TypeAlias = Literal["wilson", "clopper_pearson", "jeffreys"]
FORMS = {
    "wilson": wilson,
    "clopper_pearson": clopper_pearson,
    "jeffreys": partial(jeffreys, endpoint_rule=True),
}

CHANCE = (
    "the judge is no better than chance on these labels: sensitivity + specificity = {total:.3f}, at most 1"
)


@dataclass(frozen=True, slots=True)
class JudgeAccuracy(Record):
    """What a judge gets right, against labels of the same responses; a pass is 1.

    Attributes:
        sensitivity: share of labelled passes that the judge passes.
        specificity: share of labelled failures that the judge fails.
        ppv: positive predictive value, share of the judge's passes that are labelled passes.
        npv: negative predictive value, share of the judge's failures that are labelled failures.
        accuracy: share on which judge and label agree.
        prevalence: share of labelled passes.
        apparent: share of the judge's passes.
        youden: sensitivity + specificity − 1, the share of a true difference that the judge shows (attenuation).
        lr_positive: sensitivity/(1 − specificity), how much a pass of the judge raises the odds.
        lr_negative: (1 − sensitivity)/specificity.
        counts: (weighted) rows by ``true_pass``, ``false_fail``, ``false_pass``, ``true_fail``.
        n: rows with label and verdict.
        left_out: rows without a label or a verdict.
    """

    sensitivity: Estimate | Undefined
    specificity: Estimate | Undefined
    ppv: Estimate | Undefined
    npv: Estimate | Undefined
    accuracy: Estimate | Undefined
    prevalence: Estimate | Undefined
    apparent: Estimate | Undefined
    youden: Estimate | Undefined
    lr_positive: Estimate | Undefined
    lr_negative: Estimate | Undefined
    counts: Mapping[str, float]
    n: int
    left_out: int

    @property
    def factor(self) -> float | Undefined:
        """Attenuation se + sp − 1; Undefined when it cannot be seen, or the judge is no better than chance."""
        for one in (self.sensitivity, self.specificity):
            if isinstance(one, Undefined):
                return one
        total = cast("Estimate", self.sensitivity).point + cast("Estimate", self.specificity).point
        return total - 1 if total > 1 else Undefined(CHANCE.format(total=total))


def judge_accuracy(
    labels: ArrayLike | Sequence[float | None],
    verdicts: ArrayLike | Sequence[float | None],
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    method: Form = "wilson",
    level: float = 0.95,
) -> JudgeAccuracy:
    """Diagnostic accuracy of a judge that passes or fails, against people's labels.

    Shares have the interval named, on effective n with clusters or weights. Youden's index joins the limits of its two
    shares (MOVER), with their correlation over clusters; likelihood ratios are those limits on the log scale.

    Args:
        labels: 1 for a pass, 0 for a failure, None or NaN where there is no label.
        verdicts: the judge's, alike; None or NaN where it gave none.
        clusters: one label a row; None when rows are independent.
        weights: one non-negative weight a row, for labels that were not drawn alike (1/probability).
        method: ``wilson``, ``clopper_pearson`` (never covers less than its level) or ``jeffreys``.
        level: confidence level.

    Returns:
        The shares; each is Undefined where the labels hold nothing to divide by.

    Raises:
        UsageError: a value other than 0, 1 or missing, or an argument of the wrong shape or range.

    References:
        Newcombe (1998b) Stat Med 17:873, method 10, for Youden's index; Zou & Donner (2008) Stat Med 27:1693, MOVER;
        Simel, Samsa & Matchar (1991) J Clin Epidemiol 44:763, what likelihood ratios are.

    Examples:
        >>> labels = [1] * 27 + [0] * 53
        >>> verdicts = [1] * 19 + [0] * 8 + [1] * 8 + [0] * 45
        >>> found = judge_accuracy(labels, verdicts)
        >>> print(found.sensitivity)
        0.7037 [0.5152, 0.8415] 95% wilson, n = 27
        >>> print(found.youden)
        0.5528 [0.3295, 0.7084] 95% mover, n = 80
    """
    level = as_level(level)
    as_choice(method, list(FORMS), name="method")
    truth, said = as_pair(labels, verdicts)
    kept = ~(np.isnan(truth) | np.isnan(said))
    groups = None if clusters is None else as_codes(clusters, truth.size, name="clusters")[kept]
    mass = None if weights is None else as_values(weights, name="weights", at_least=0, low=0.0)
    if mass is not None and mass.size != truth.size:
        raise UsageError(f"weights must have one weight for each of the {truth.size} rows; got {mass.size}")
    rows = _Rows(truth[kept], said[kept], groups, None if mass is None else mass[kept], method, level)
    whole = np.ones(rows.truth.size, dtype=bool)
    right = rows.truth == rows.said
    sensitivity = rows.share(right, rows.truth == 1, nothing="no labelled row is a pass")
    specificity = rows.share(right, rows.truth == 0, nothing="no labelled row is a failure")
    overlap = rows.correlation(right)
    return JudgeAccuracy(
        sensitivity=sensitivity,
        specificity=specificity,
        ppv=rows.share(right, rows.said == 1, nothing="the judge passed no labelled row"),
        npv=rows.share(right, rows.said == 0, nothing="the judge failed no labelled row"),
        accuracy=rows.share(right, whole, nothing="no row has both a label and a verdict"),
        prevalence=rows.share(rows.truth == 1, whole, nothing="no row has both a label and a verdict"),
        apparent=rows.share(rows.said == 1, whole, nothing="no row has both a label and a verdict"),
        youden=_youden(sensitivity, specificity, overlap, n=rows.truth.size),
        lr_positive=_ratio(sensitivity, _complement(specificity), -overlap, n=rows.truth.size),
        lr_negative=_ratio(_complement(sensitivity), specificity, -overlap, n=rows.truth.size),
        counts=rows.counts(),
        n=int(kept.sum()),
        left_out=int((~kept).sum()),
    )


def accuracy_by(
    labels: ArrayLike | Sequence[float | None],
    verdicts: ArrayLike | Sequence[float | None],
    *,
    by: ArrayLike | Sequence[Hashable],
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    method: Form = "wilson",
    level: float = 0.95,
) -> dict[str, JudgeAccuracy]:
    """:func:`judge_accuracy` for each system, segment or date.

    Args:
        labels: as there.
        verdicts: as there.
        by: one label a row.
        clusters: as there.
        weights: as there.
        method: as there.
        level: confidence level.

    Returns:
        Accuracy by the text of the label, in their order.

    Raises:
        UsageError: as there.

    Examples:
        >>> found = accuracy_by([1, 1, 0, 0, 1, 0], [1, 0, 0, 0, 1, 1], by=list("aaabbb"))
        >>> {name: part.accuracy.point for name, part in found.items()}
        {'a': 0.6666666666666666, 'b': 0.6666666666666666}
    """
    truth, said = as_pair(labels, verdicts)
    codes, names = as_names(by, truth.size, name="by")
    groups = None if clusters is None else as_array(clusters, name="clusters", wanted="a list of labels")
    mass = None if weights is None else as_values(weights, name="weights", at_least=0, low=0.0)
    for name, given in (("clusters", groups), ("weights", mass)):
        if given is not None and given.shape != truth.shape:
            raise UsageError(
                f"{name} must have one for each of the {truth.size} rows; got shape {given.shape}"
            )
    return {
        name: judge_accuracy(
            truth[codes == place],
            said[codes == place],
            clusters=None if groups is None else groups[codes == place],
            weights=None if mass is None else mass[codes == place],
            method=method,
            level=level,
        )
        for place, name in enumerate(names)
    }


def as_pair(
    labels: ArrayLike | Sequence[float | None], verdicts: ArrayLike | Sequence[float | None]
) -> tuple[Floats, Floats]:
    """Return labels and verdicts of the same rows, 0, 1 or NaN."""
    truth, said = (
        as_labels(side, name=name, binary=True) for name, side in (("labels", labels), ("verdicts", verdicts))
    )
    if truth.size != said.size:
        raise UsageError(f"labels and verdicts must be of the same rows; got {truth.size} and {said.size}")
    return truth, said


def as_names(values: ArrayLike | Sequence[Hashable], n: int, *, name: str) -> tuple[Integers, list[str]]:
    """Return a code a row and the text of each code, in their order."""
    codes = as_codes(cast("ArrayLike", values), n, name=name)
    firsts = np.unique(codes, return_index=True)[1]
    given = as_array(values, name=name, wanted="a list of labels")
    return codes, [str(given[first]) for first in firsts]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows with label and verdict."""

    truth: Floats
    said: Floats
    clusters: Integers | None
    weights: Floats | None
    method: Form
    level: float

    def share(self, event: np.ndarray, among: np.ndarray, *, nothing: str) -> Estimate | Undefined:
        """Share of ``event`` among some of the rows."""
        if not among.any() or (self.weights is not None and not self.weights[among].any()):
            return Undefined(nothing)
        return rate_by_form(
            FORMS[self.method],
            event[among].astype(np.float64),
            clusters=None if self.clusters is None else self.clusters[among],
            weights=None if self.weights is None else self.weights[among],
            level=self.level,
            why="independent rows of equal weight",
        )

    def correlation(self, right: np.ndarray) -> float:
        """Correlation of the errors of sensitivity and specificity over clusters; 0 when rows are independent."""
        if self.clusters is None:
            return 0.0
        mass = np.ones(self.truth.size) if self.weights is None else self.weights
        sums, count = list[Floats](), int(self.clusters.max()) + 1 if self.clusters.size else 0
        for label in (1, 0):
            among = self.truth == label
            if not mass[among].any():
                return 0.0
            apart = right[among] - np.average(right[among], weights=mass[among])
            sums.append(
                np.bincount(self.clusters[among], mass[among] * apart, minlength=count).astype(np.float64)
            )
        size = math.sqrt(float(sums[0] @ sums[0]) * float(sums[1] @ sums[1]))
        return float(sums[0] @ sums[1]) / size if size > 0 else 0.0

    def counts(self) -> dict[str, float]:
        """Rows of the four kinds."""
        mass = np.ones(self.truth.size) if self.weights is None else self.weights
        kinds = {"true_pass": (1, 1), "false_fail": (1, 0), "false_pass": (0, 1), "true_fail": (0, 0)}
        return {
            kind: float(mass[(self.truth == label) & (self.said == verdict)].sum())
            for kind, (label, verdict) in kinds.items()
        }


def _youden(
    sensitivity: Estimate | Undefined, specificity: Estimate | Undefined, correlation: float, *, n: int
) -> Estimate | Undefined:
    """Sum of two shares less 1, by the limits of both (Zou & Donner 2008, eq. 3)."""
    for one in (sensitivity, specificity):
        if isinstance(one, Undefined):
            return one
    a, b = cast("Estimate", sensitivity), cast("Estimate", specificity)
    point = a.point + b.point - 1
    below = _joined(a.point - a.low, b.point - b.low, correlation)
    above = _joined(a.high - a.point, b.high - b.point, correlation)
    low, high = max(-1.0, point - below), min(1.0, point + above)
    return Estimate(point, low, high, a.level, "mover", n, settings={"correlation": correlation})


def _ratio(
    top: Estimate | Undefined, bottom: Estimate | Undefined, correlation: float, *, n: int
) -> Estimate | Undefined:
    """Ratio of two shares, by their limits on the log scale (Zou & Donner 2008, section 3)."""
    for one in (top, bottom):
        if isinstance(one, Undefined):
            return one
    a, b = cast("Estimate", top), cast("Estimate", bottom)
    if b.point == 0:
        least = a.low / b.high
        return Undefined(f"it divides by 0: no error of the kind was seen; it is at least {least:.3g}")
    log = math.log(a.point / b.point) if a.point > 0 else -math.inf
    below = _joined(_log_gap(a.low, a.point), _log_gap(b.point, b.high), -correlation)
    above = _joined(_log_gap(a.point, a.high), _log_gap(b.low, b.point), -correlation)
    low = math.exp(log - below) if math.isfinite(log) else 0.0
    high = math.exp(log + above) if math.isfinite(log) else a.high / b.low if b.low > 0 else math.inf
    return Estimate(math.exp(log), low, high, a.level, "mover_log", n, settings={"correlation": correlation})


def _log_gap(low: float, high: float) -> float:
    return math.log(high / low) if low > 0 else math.inf


def _joined(one: float, other: float, correlation: float) -> float:
    """√(a² + b² + 2rab); an infinite part makes it infinite."""
    if math.isinf(one) or math.isinf(other):
        return math.inf
    return math.sqrt(max(0.0, one**2 + other**2 + 2 * correlation * one * other))


def _complement(share: Estimate | Undefined) -> Estimate | Undefined:
    if isinstance(share, Undefined):
        return share
    return Estimate(1 - share.point, 1 - share.high, 1 - share.low, share.level, share.method, share.n)
