"""A judge held against people becomes one finding: its errors, its standing, and what they make of its rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl

from aliquot.analysis.agree import AgreementChoices, measures
from aliquot.analysis.calibration_remarks import find_calibration_warnings
from aliquot.analysis.corrected import corrected_contrast, corrected_system, passed
from aliquot.analysis.judge_lines import accuracy_of, judge_lines, weighed
from aliquot.analysis.judge_tests import errors_apart
from aliquot.analysis.judged import Judged, row_clusters
from aliquot.analysis.label_plan import more_labels
from aliquot.analysis.margins import check_level
from aliquot.analysis.metric_against_people import metric_against_people
from aliquot.analysis.ratings import Ratings
from aliquot.analysis.second_labeller import beside_people
from aliquot.analysis.software import versions
from aliquot.analysis.verdict_bias import verdict_biases
from aliquot.evidence.tables import Evidence
from aliquot.findings.agreement import Coefficient
from aliquot.findings.calibration import Calibration, EqualErrors, JudgeBias, JudgeLine, MoreLabels
from aliquot.findings.calibration_words import write_calibration
from aliquot.findings.corrected import Corrected
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.judged_rows import Drawn
from aliquot.stats.results import Estimate, Undefined

MOST_NAMED: Final = 20
"""Answers named of each kind of error."""


@dataclass(frozen=True, slots=True)
class CalibrationChoices:
    """What the caller may decide.

    Attributes:
        drawn: how the answers to label were drawn.
        margin: how far below people's own agreement still counts as as good as a second labeller.
        level: confidence level.
        seed: seed of everything random.
    """

    drawn: Drawn = "at random"
    margin: float = 0.1
    level: float = 0.95
    seed: int = DEFAULT_SEED


def calibrate_judge(
    evidence: Evidence, judged: Judged, *, choices: CalibrationChoices, command: str = ""
) -> Calibration:
    """Return what a judge gets right and wrong against people, and the systems' rates corrected for it.

    Args:
        evidence: of the judge, for what answers say.
        judged: the answers, with labels on some.
        choices: what the caller decided.
        command: the command line that reproduces the finding.

    Raises:
        UsageError: a level that is none.
        InputError: labels of which only some have a probability of being drawn.
    """
    check_level(choices.level)
    ranking = tuple(metric_against_people(judged, level=choices.level, seed=choices.seed))
    agreement = _agreement(judged, choices) if judged.on_one_scale else ranking[:1]
    errors = _errors(evidence, judged, choices) if judged.binary else _Errors()
    factor = _factor(judged, choices)
    second = beside_people(judged, margin=choices.margin, level=choices.level, seed=choices.seed)
    corrected = _rates(judged, choices)
    labels = judged.labelled["label"]
    constant, share = _constant(judged, labels)
    return Calibration(
        judge=judged.metric,
        question=judged.question,
        scale=judged.scale,
        passes=judged.passes,
        n_judged=judged.frame.height,
        n_labelled=labels.len(),
        n_raters=len(judged.labels.raters),
        n_clusters=_clusters(judged),
        tied=judged.tied,
        drawn=choices.drawn,
        agreement=agreement,
        ranking=ranking,
        constant=constant,
        constant_share=share,
        lines=errors.lines,
        equal_errors=errors.equal,
        biases=errors.biases,
        second=second,
        corrected=corrected,
        difference=_contrast(judged, choices),
        factor=factor,
        more_labels=errors.more_labels,
        let_through=_named(judged, label=0.0, verdict=1.0),
        held_back=_named(judged, label=1.0, verdict=0.0),
        level=choices.level,
        warnings=(*judged.labels.notes, *find_calibration_warnings(judged, corrected, drawn=choices.drawn)),
        why=_why(judged, corrected),
        estimand=_estimand(judged),
        verdict=write_calibration(
            judged.metric,
            line=errors.lines[0] if errors.lines else None,
            factor=factor,
            agreement=agreement,
            second=second,
            passes=judged.passes,
        ),
        seed=choices.seed,
        versions=versions(),
        command=command,
    )


@dataclass(frozen=True, slots=True)
class _Errors:
    """What is said of a judge that passes and fails; of one that grades nothing of it.

    Attributes:
        lines: its errors, over all labelled answers first.
        equal: tests of equal errors.
        biases: what moves the verdict given the label.
        more_labels: what more labels would bring.
    """

    lines: tuple[JudgeLine, ...] = ()
    equal: tuple[EqualErrors, ...] = ()
    biases: tuple[JudgeBias, ...] = ()
    more_labels: tuple[MoreLabels, ...] = ()


def _rates(judged: Judged, choices: CalibrationChoices) -> tuple[Corrected, ...]:
    return tuple(
        corrected_system(judged, system, drawn=choices.drawn, level=choices.level)
        for system in judged.systems
    )


def _errors(evidence: Evidence, judged: Judged, choices: CalibrationChoices) -> _Errors:
    level = choices.level
    return _Errors(
        lines=tuple(judge_lines(judged, drawn=choices.drawn, level=level)),
        equal=tuple(errors_apart(judged, level=level, seed=choices.seed)),
        biases=tuple(verdict_biases(evidence, judged, level=level)),
        more_labels=tuple(more_labels(judged, level=level)),
    )


def judge_and_people(judged: Judged) -> Ratings:
    """Return the judge's verdicts and what most people said as two raters of the labelled answers.

    Args:
        judged: the answers.
    """
    rows = judged.frame.with_columns(given=passed(judged) if judged.binary else pl.col("verdict"))
    rows = rows.filter(pl.col("label").is_not_null(), pl.col("given").is_not_null())
    people, judge = (rows[name].to_numpy() for name in ("label", "given"))
    worth = np.unique(np.concatenate([people, judge])) if not judged.binary else np.array([0.0, 1.0])
    told = row_clusters(rows)
    clusters = None if told is None else np.unique(told, return_inverse=True)[1]
    return Ratings(
        answers=tuple(rows.select("system", "task", "item", "attempt").iter_rows()),
        raters=("people", judged.metric),
        labels=tuple(f"{value:g}" for value in worth),
        worth=tuple(worth.tolist()),
        codes=np.stack([np.searchsorted(worth, people), np.searchsorted(worth, judge)], axis=1),
        repeats=((0, 0), (0, 0)),
        clusters=clusters,
        measured="nominal" if judged.binary else "interval",
    )


def _agreement(judged: Judged, choices: CalibrationChoices) -> tuple[Coefficient, ...]:
    ratings = judge_and_people(judged)
    return measures(ratings, AgreementChoices(level=choices.level, seed=choices.seed))


def _factor(judged: Judged, choices: CalibrationChoices) -> Estimate | Undefined:
    if not judged.binary:
        return Undefined("labels are grades, which have no sensitivity and specificity")
    return accuracy_of(weighed(judged, drawn=choices.drawn), level=choices.level).youden


def _contrast(judged: Judged, choices: CalibrationChoices) -> Corrected | None:
    if len(judged.systems) != 2:
        return None
    baseline, candidate = judged.systems
    return corrected_contrast(judged, baseline, candidate, drawn=choices.drawn, level=choices.level)


def _constant(judged: Judged, labels: pl.Series) -> tuple[str | None, float | None]:
    if judged.passes is None:
        return None, None
    share = float(labels.mean())  # type: ignore[arg-type] - there are labels, and they are numbers
    return (judged.passes[0], share) if share >= 0.5 else (judged.passes[1], 1 - share)


def _clusters(judged: Judged) -> int | None:
    rows = judged.labelled
    if rows["cluster"].null_count() == rows.height:
        return None
    return len(set(row_clusters(rows) or ()))


def _named(judged: Judged, *, label: float, verdict: float) -> tuple[str, ...]:
    """Return the answers on which label and verdict are these, by item, and system and attempt where there are more."""
    if not judged.binary:
        return ()
    rows = judged.frame.with_columns(passed=passed(judged)).filter(
        pl.col("label") == label, pl.col("passed") == verdict
    )
    several, again = len(judged.systems) > 1, judged.frame["attempt"].n_unique() > 1
    return tuple(
        f"{item}{f' of {system}' if several else ''}{f' attempt {attempt}' if again else ''}"
        for item, system, attempt in rows.select("item", "system", "attempt").head(MOST_NAMED).iter_rows()
    )


def _why(judged: Judged, corrected: tuple[Corrected, ...]) -> str:
    told = next((one.why for one in corrected if one.why), "")
    errors = "shares with Wilson intervals" if judged.binary else "grades compared as numbers"
    return f"{errors}; corrected: {told}" if told else errors


def _estimand(judged: Judged) -> str:
    what = "passes" if judged.binary else "mean label"
    return (
        f"What people like these raters would say of answers like these: errors of this judge, and the {what} of each "
        "system as people would count."
    )
