"""What must be said beside agreement: too few units, a sample picked because raters agreed, a rubric that changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from aliquot.analysis.ratings import Ratings
from aliquot.evidence.labels import Labels
from aliquot.evidence.tables import Note

FEWEST_CLUSTERS: Final = 50
"""Resampled units below which their intervals cover too little."""

SUSPICIOUS: Final = 20
"""Answers labelled by several raters without one disagreement from which that is remarkable."""


def find_agreement_warnings(labels: Labels, ratings: Ratings, *, n_clusters: int | None) -> Iterator[Note]:
    """Yield what must be said beside the agreement of raters.

    Args:
        labels: of one question.
        ratings: the same as arrays.
        n_clusters: clusters of the shared answers; None when nothing names one.
    """
    units = ratings.shared if n_clusters is None else n_clusters
    what = "answers are shared" if n_clusters is None else "clusters"
    if 0 < units < FEWEST_CLUSTERS and not (
        len(ratings.raters) == len(ratings.labels) == 2 and n_clusters is None
    ):
        yield Note(
            "few_units", f"only {units} {what}; intervals from fewer than {FEWEST_CLUSTERS} are too narrow"
        )
    yield from picked_by_agreement(ratings)
    yield from rubric_changed(labels)
    yield from _nearly_one(ratings)
    if ratings.measured == "ordinal" and labels.numeric:
        yield Note(
            "read_as_ordinal",
            f"labels {ratings.labels[0]} to {ratings.labels[-1]} are read by their order; where they are names, say "
            "--measured nominal, where their differences count, --measured interval",
        )


def _nearly_one(ratings: Ratings) -> Iterator[Note]:
    """Say when labels differ in capitals or spaces alone, which count as different."""
    alike: dict[str, list[str]] = {}
    for label in ratings.labels:
        alike.setdefault("".join(label.casefold().split()), []).append(label)
    named = [" and ".join(map(repr, several)) for several in alike.values() if len(several) > 1]
    if named:
        yield Note(
            "labels_alike",
            f"labels that differ in capitals or spaces alone count as different: {', '.join(named[:4])}",
        )


def picked_by_agreement(ratings: Ratings) -> Iterator[Note]:
    """Yield a note when raters never differ, as in a sample that was picked because they agreed."""
    there = ratings.codes >= 0
    shared = there.sum(axis=1) >= 2
    high = np.where(there, ratings.codes, -1).max(axis=1, initial=-1)
    low = np.where(there, ratings.codes, len(ratings.labels)).min(axis=1, initial=len(ratings.labels))
    used = np.unique(ratings.codes[there]).size
    if shared.sum() >= SUSPICIOUS and used > 1 and bool((high[shared] == low[shared]).all()):
        yield Note(
            "picked_by_agreement",
            f"raters never differ on {int(shared.sum())} answers; if answers were kept because raters agreed, every "
            "measure here is too high, for the raters and for a judge",
        )


def rubric_changed(labels: Labels) -> Iterator[Note]:
    """Yield a note when labels were given under several rubrics."""
    rubrics = labels.frame["rubric"].drop_nulls().unique(maintain_order=True).to_list()
    if len(rubrics) > 1:
        named = ", ".join(str(one) for one in rubrics[:4])
        yield Note(
            "rubric_changed",
            f"labels were given under {len(rubrics)} rubrics ({named}), which may not mean the same",
        )
