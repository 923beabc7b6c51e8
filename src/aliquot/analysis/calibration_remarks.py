"""What must be said beside a judge's errors: too few labels of a kind, a picked sample, systems above the labellers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from aliquot.analysis.agreement_remarks import SUSPICIOUS, picked_by_agreement, rubric_changed
from aliquot.analysis.judged import Judged
from aliquot.analysis.ratings import ratings_of
from aliquot.evidence.tables import Note
from aliquot.findings.corrected import Corrected
from aliquot.findings.numbers import write_percent
from aliquot.stats.judged_rows import Drawn
from aliquot.stats.results import Estimate

FEWEST: Final = 10
"""Labels of one kind below which the judge's error on it is hardly known."""

SHARED_RANGE: Final = 0.5
"""Share of the wider range of grades below which judge and people are said to use two scales."""

SHARE_UNJUDGED: Final = 0.05
"""Share of labelled answers without a verdict from which that is said."""


def find_calibration_warnings(
    judged: Judged,
    corrected: Sequence[Corrected],
    *,
    drawn: Drawn,
) -> Iterator[Note]:
    """Yield what must be said beside a judge held against people.

    Args:
        judged: the answers.
        corrected: the systems' rates three ways.
        drawn: how the answers to label were drawn.
    """
    if drawn == "unknown":
        yield Note(
            "picked_labels",
            "how the labelled answers were chosen is not known, so they speak for no others: rates are not corrected",
        )
    elif judged.labelled["probability"].null_count() and drawn == "at random" and _partial(judged):
        yield Note(
            "taken_as_random",
            "the labelled answers are taken as a random part of those judged; if they were picked, say --drawn unknown",
        )
    if drawn not in {"at random", "unknown"} or not judged.labelled["probability"].null_count():
        yield Note(
            "measures_of_the_sample",
            "labels were not drawn alike: errors and rates are weighed for that, while kappa, equal errors and biases "
            "speak of the labelled answers as they were drawn",
        )
    if not judged.on_one_scale:
        yield Note(
            "another_scale",
            f"{judged.metric!r} gives other numbers than people do, so it is held against them by order alone",
        )
    yield from _few(judged)
    yield from _other_scale(judged)
    yield from _same(judged)
    yield from _unjudged(judged)
    yield from _above(judged, corrected)
    if judged.tied:
        yield Note(
            "people_split",
            f"people split evenly on {judged.tied} answers, where the first one's label counts",
        )
    yield from rubric_changed(judged.labels)
    if len(judged.labels.raters) > 1:
        yield from picked_by_agreement(ratings_of(judged.labels))


def _partial(judged: Judged) -> bool:
    return judged.labelled.height < judged.frame.height


def _few(judged: Judged) -> Iterator[Note]:
    if judged.passes is None:
        return
    labels = judged.labelled["label"]
    for value, name in zip((1.0, 0.0), judged.passes, strict=True):
        count = int((labels == value).sum())
        if count < FEWEST:
            yield Note(
                "few_of_a_kind",
                f"only {count} labelled answers are {name!r}, so what the judge makes of such answers is hardly known",
            )


def _other_scale(judged: Judged) -> Iterator[Note]:
    """Say when a judge's grades and people's hardly lie on one scale, which agreement takes for errors."""
    if judged.binary:
        return
    verdicts, labels = (judged.labelled[name].drop_nulls().to_numpy() for name in ("verdict", "label"))
    if not verdicts.size:
        return
    shared = min(verdicts.max(), labels.max()) - max(verdicts.min(), labels.min())
    if shared < SHARED_RANGE * max(np.ptp(verdicts), np.ptp(labels)):
        yield Note(
            "scales_differ",
            f"the judge gives {verdicts.min():g} to {verdicts.max():g} and people {labels.min():g} to "
            f"{labels.max():g}: measures of agreement take another scale for errors; put both on one, or read how they "
            "rank (-v)",
        )


def _same(judged: Judged) -> Iterator[Note]:
    rows = judged.labelled
    if rows.height >= SUSPICIOUS and (rows["label"] == rows["verdict"]).fill_null(value=False).all():
        yield Note(
            "labels_are_the_verdicts",
            f"people's labels are the judge's verdicts on all {rows.height} answers: is it the same column twice?",
        )


def _unjudged(judged: Judged) -> Iterator[Note]:
    rows = judged.labelled
    lost = rows["verdict"].null_count()
    if lost >= SHARE_UNJUDGED * rows.height:
        yield Note(
            "no_verdict",
            f"the judge gave no verdict on {lost} of {rows.height} labelled answers; they count as a verdict of their "
            "own, and not in its errors",
        )


def _above(judged: Judged, corrected: Sequence[Corrected]) -> Iterator[Note]:
    """Say when a judge scores a system above what people themselves reach by their own labels."""
    if not judged.binary:
        return
    for one in corrected:
        raw, people = one.raw, one.people
        if isinstance(raw, Estimate) and isinstance(people, Estimate) and raw.point > people.high:
            yield Note(
                "above_the_labellers",
                f"the judge passes {write_percent(raw.point)}% of {one.what}, more than any rate that people's labels "
                f"allow (up to {write_percent(people.high)}%)",
            )
