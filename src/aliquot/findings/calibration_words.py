"""The first sentence about a judge: what it gets wrong, and what it may be used for."""

from __future__ import annotations

from typing import Final

from aliquot.findings.agreement import Coefficient
from aliquot.findings.agreement_words import write_coefficient
from aliquot.findings.calibration import Calibration, JudgeLine, SecondLabeller
from aliquot.findings.numbers import write_count, write_percent, write_plain
from aliquot.findings.verdict import Verdict, Word
from aliquot.stats.results import Estimate, Undefined

FEW: Final = 10
"""Labels of one kind below which a judge's error on it is not put into words."""

HARDLY: Final = 0.3
"""Share of a true difference that a judge must be known not to reach before it is called no better than chance."""


def write_calibration(
    judge: str,
    *,
    line: JudgeLine | None,
    factor: Estimate | Undefined,
    agreement: tuple[Coefficient, ...],
    second: SecondLabeller | None,
    passes: tuple[str, str] | None,
) -> Verdict:
    """Return the verdict on a judge.

    Args:
        judge: its metric.
        line: its errors over all labelled answers; None where labels are grades.
        factor: sensitivity + specificity − 1.
        agreement: measures of judge and people, the main one first.
        second: the judge beside a second labeller.
        passes: what a pass and a failure are called.
    """
    if line is None or passes is None:
        return _graded(judge, agreement, second)
    if isinstance(factor, Undefined):
        return Verdict("undecided", text=f"UNDECIDED: {factor.reason}.")
    if factor.high <= 0:
        return Verdict("not_met", text=f"DO NOT USE: {judge} is worse than chance: {_youden(factor)}.")
    shows = f"shows {_points(factor)} of a true difference"
    if factor.point <= 0 and factor.high < HARDLY:
        return Verdict("not_met", text=f"DO NOT USE: {judge} is no better than chance; it {shows}.")
    if factor.low <= 0:
        return Verdict("undecided", text=f"NOT SHOWN TO BE BETTER THAN CHANCE: {judge} {shows}.")
    word, head = _standing(second)
    return Verdict(word, text=f"{head}: {judge} {_errors(line, passes)}; it {shows}.")


def _standing(second: SecondLabeller | None) -> tuple[Word, str]:
    """Return the word and the first words on a judge that is better than chance."""
    if second is not None and second.word == "as_good":
        return "met", "AS GOOD AS A SECOND LABELLER"
    if second is not None and second.word == "below":
        return "not_met", "USE WITH CARE, BELOW A SECOND LABELLER"
    return "estimated", "USE WITH CARE"


def _graded(judge: str, agreement: tuple[Coefficient, ...], second: SecondLabeller | None) -> Verdict:
    main = agreement[0]
    if isinstance(main.estimate, Undefined):
        return Verdict("undecided", text=f"UNDECIDED: {main.title} is undefined: {main.estimate.reason}.")
    said = f"{main.title} of {judge} with people {write_coefficient(main.estimate)}"
    if main.estimate.low <= 0:
        return Verdict("undecided", text=f"NOT SHOWN TO AGREE WITH PEOPLE BEYOND CHANCE: {said}.")
    word, head = _standing(second)
    return Verdict(word, text=f"{head}: {said}.")


def _errors(line: JudgeLine, passes: tuple[str, str]) -> str:
    good, bad = passes
    parts: list[str] = []
    for estimate, does, kind in (
        (line.specificity, good, bad),
        (line.sensitivity, bad, good),
    ):
        if isinstance(estimate, Estimate):
            share, low, high = (
                write_percent(1 - x, decimals=0) for x in (estimate.point, estimate.high, estimate.low)
            )
            parts.append(f"gives {does!r} to {share}% ({low} to {high}) of what people call {kind!r}")
    return " and ".join(parts)


def _youden(factor: Estimate) -> str:
    return f"sensitivity + specificity - 1 is {write_coefficient(factor)}"


def _points(factor: Estimate) -> str:
    low, high = (write_percent(max(x, 0.0), decimals=0) for x in (factor.low, factor.high))
    return f"{write_percent(max(factor.point, 0.0), decimals=0)}% ({low} to {high})"


def write_second(found: SecondLabeller) -> str:
    """Write how the judge stands beside a second labeller."""
    said = (
        f"Judge with people {write_plain(found.judge)}, people with each other {write_plain(found.people)} "
        f"({found.measure}, {found.n} answers with two labels or more)"
    )
    if isinstance(found.difference, Undefined):
        return f"{said}: {found.difference.reason}."
    words = {
        "as_good": "as good as a second labeller",
        "below": "below a second labeller",
        "undecided": "undecided whether as good as a second labeller",
    }
    return f"{said}: difference {write_coefficient(found.difference)}, {words[found.word]} (margin {found.margin:g})."


def title_of(found: Calibration) -> str:
    """Return what was held against what, in one line."""
    clusters = "" if found.n_clusters is None else f" in {write_count(found.n_clusters, 'cluster')}"
    by = write_count(found.n_raters, "person", plural="people")
    return f"{found.n_labelled} of {found.n_judged} judged answers labelled by {by}{clusters}"
