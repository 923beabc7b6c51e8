"""Whether a judge may stand in for a second labeller: its agreement with people against people's with each other."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from aliquot.analysis.corrected import passed
from aliquot.analysis.judged import Judged
from aliquot.analysis.ratings import Ratings, ratings_of
from aliquot.evidence.labels import ANSWER
from aliquot.findings.agreement import Measured
from aliquot.findings.agreement_words import title_of_measure
from aliquot.findings.calibration import RaterStanding, SecondLabeller, Standing
from aliquot.stats.agreement_pairs import second_labeller
from aliquot.stats.noise_limits import noise_limit
from aliquot.stats.results import Undefined

WORDS: Final[dict[str, Standing]] = {"as good": "as_good", "below": "below", "undecided": "undecided"}

MOST_PEOPLE: Final = 12
"""People of whom each two are held against each other; the ones with the most labels, where there are more."""


def beside_people(judged: Judged, *, margin: float, level: float, seed: int) -> SecondLabeller | None:
    """Return how the judge stands to people on the answers that two of them or more labelled; None without any.

    Args:
        judged: the answers.
        margin: how far below people's own agreement still counts as as good.
        level: confidence level.
        seed: seed of the resamples.
    """
    if not judged.on_one_scale:
        return None
    people = ratings_of(judged.labels)
    counts = (people.codes >= 0).sum(axis=0)
    chosen = np.sort(np.argsort(-counts, kind="stable")[:MOST_PEOPLE])
    verdicts = _verdicts(judged, people)
    kept = (~np.isnan(verdicts)) & ((people.codes[:, chosen] >= 0).sum(axis=1) >= 2)
    if not kept.any():
        return None
    measured: Measured = "nominal" if judged.binary else "interval"
    said = np.column_stack([verdicts, people.values[:, chosen]])[kept]
    found = second_labeller(
        said,
        0,
        margin=margin,
        scale=measured,
        clusters=None if people.clusters is None else people.clusters[kept],
        level=level,
        rng=seed,
    )
    if isinstance(found, Undefined):
        return None
    names = (judged.metric, *(people.raters[place] for place in chosen))
    consensus = found.consensus
    people_each = float((people.codes[kept][:, chosen] >= 0).sum(axis=1).mean())
    limit = noise_limit(min(1.0, found.individual.first), raters=people_each)
    return SecondLabeller(
        measure=title_of_measure("cohen_kappa", measured),
        judge=found.individual.second,
        people=found.individual.first,
        difference=found.individual.difference,
        consensus=consensus if isinstance(consensus, Undefined) else consensus.difference,
        margin=margin,
        word=WORDS[found.word],
        n=int(kept.sum()),
        raters=tuple(
            RaterStanding(name, int((~np.isnan(said[:, place])).sum()), found.by_rater.get(place))
            for place, name in enumerate(names)
        ),
        limit=None if isinstance(limit, Undefined) else (limit.single, limit.mean),
    )


def _verdicts(judged: Judged, people: Ratings) -> np.ndarray:
    """Return the judge's verdict on each answer that people labelled; NaN where it gave none."""
    rows = judged.frame.with_columns(given=passed(judged) if judged.binary else pl.col("verdict"))
    known = {tuple(row[:-1]): row[-1] for row in rows.select(*ANSWER, "given").iter_rows()}
    found = (known.get(answer) for answer in people.answers)
    return np.array([np.nan if value is None else value for value in found], dtype=float)
