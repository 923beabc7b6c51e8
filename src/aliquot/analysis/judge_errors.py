"""A judge's errors, known from labels of other answers, and what they make of the rates it gives here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from aliquot.errors import InputError, UsageError
from aliquot.evidence.units import Units
from aliquot.findings.corrected import ELSEWHERE, Corrected
from aliquot.findings.scale import Scale
from aliquot.stats.apparent import lang_reiczigel
from aliquot.stats.results import Estimate, Undefined


@dataclass(frozen=True, slots=True)
class Share:
    """A share that a judge gets right, with the labelled answers that it rests on.

    Attributes:
        point: the share.
        n: labelled answers, or how many independent ones they are worth.
    """

    point: float
    n: float


@dataclass(frozen=True, slots=True)
class JudgeErrors:
    """What ``calibrate`` found about a judge on other answers.

    Attributes:
        judge: the metric that the judge gives.
        sensitivity: of people's passes, the share that it passes.
        specificity: of people's failures, the share that it fails.
        labelled: labelled answers.
        file: the finding they were read from.
    """

    judge: str
    sensitivity: Share
    specificity: Share
    labelled: int
    file: str


def rate_under_errors(
    side: Units, scale: Scale, raw: Estimate | Undefined, known: JudgeErrors, *, level: float
) -> Corrected:
    """Return a system's rate as the judge counts, and corrected for errors known from other answers.

    Args:
        side: the system under the judge's metric.
        scale: of the metric.
        raw: the rate as the judge counts; with clusters or attempts its effective n counts.
        known: the judge's errors.
        level: confidence level.

    Raises:
        InputError: the errors are of another judge.
        UsageError: the judge grades.
    """
    if side.metric != known.judge:
        raise InputError(
            f"it says what the judge {known.judge!r} gets wrong, and these are scores of {side.metric!r}",
            file=known.file,
            remedy=f"Name the metric (--metric {known.judge}), or calibrate {side.metric!r}",
        )
    if scale.kind != "binary":
        raise UsageError(
            f"{side.metric!r} is graded: errors known from other answers correct a rate of passes. "
            "Label some of these answers"
        )
    if isinstance(raw, Undefined):
        return Corrected(side.system, raw, ELSEWHERE, raw, raw.reason, known.labelled, 0)
    n, se, sp = raw.n_eff or raw.n, known.sensitivity, known.specificity
    found = lang_reiczigel(
        raw.point * n,
        n,
        true_passes=se.point * se.n,
        passes=se.n,
        true_failures=sp.point * sp.n,
        failures=sp.n,
        level=level,
    )
    why = (
        f"Rogan-Gladen with the limits of Lang and Reiczigel: {known.labelled} labels of other answers ({known.file}); "
        "the judge is taken to err here as it did there, and labels of these answers would be about twice as sharp"
    )
    return Corrected(
        what=side.system,
        raw=raw,
        people=ELSEWHERE,
        corrected=replace(found, n=raw.n, n_eff=raw.n_eff, clusters=raw.clusters, why=why)
        if isinstance(found, Estimate)
        else found,
        why=why if isinstance(found, Estimate) else found.reason,
        labelled=known.labelled,
        judged=round(raw.n),
    )
