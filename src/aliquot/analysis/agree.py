"""Labels of several raters become one finding: how far they agree, beyond chance, and where they do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aliquot.analysis.agreement_remarks import find_agreement_warnings
from aliquot.analysis.label_spread import spread_of
from aliquot.analysis.margins import check_level
from aliquot.analysis.ratings import Ratings, ratings_of
from aliquot.analysis.software import versions
from aliquot.evidence.labels import Labels
from aliquot.findings.agreement import (
    ClassLine,
    Coefficient,
    Disagreement,
    Measured,
    RaterAgreement,
    RaterLine,
    RaterPair,
    TwoByTwo,
)
from aliquot.findings.agreement_words import title_of_measure, write_agreement
from aliquot.stats.agreement import cohen_kappa
from aliquot.stats.agreement_many import agreement_coefficients, raw_agreement
from aliquot.stats.agreement_records import Agreement
from aliquot.stats.confusion_tables import Confusion, confusion
from aliquot.stats.correlations import Correlation, kendall_tau, pearson_correlation, spearman_correlation
from aliquot.stats.icc import Form, RaterICC, rater_icc
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.results import Estimate, Undefined

MOST_LISTED: Final = 50
"""Disagreements that a finding lists."""

MOST_PAIRED: Final = 12
"""Raters up to which each two are held against each other, and each one's agreement with the others is resampled."""

RESAMPLES: Final = 1999
"""Resamples behind each interval of a page with many; the main measure takes the method's own default."""

SAYS: Final = {
    "cohen_kappa": "by chance each draws from their own labels",
    "scott_pi": "by chance both draw from the labels of both",
    "fleiss_kappa": "by chance all draw from the labels of all",
    "conger_kappa": "by chance each draws from their own labels",
    "krippendorff_alpha": "any raters and gaps; chance draws without replacement",
    "gwet_ac": "hardly moved by a frequent label",
    "brennan_prediger": "by chance every label is as likely",
    "icc1": "one rating, raters differ from answer to answer",
    "icc2": "one rating, raters a sample of many; levels count",
    "icc2k": "the mean of these raters; levels count",
    "icc3": "one rating, these raters; their levels do not count",
    "pearson": "on a line",
    "spearman": "in the same order, by ranks",
    "kendall_tau": "pairs in the same order, ties allowed for",
}

ICC: Final[tuple[Form, ...]] = ("ICC1", "ICC2", "ICC2k", "ICC3")
CORRELATIONS: Final = {
    "pearson": pearson_correlation,
    "spearman": spearman_correlation,
    "kendall_tau": kendall_tau,
}

_TWO: Final = ("cohen_kappa", "krippendorff_alpha", "gwet_ac", "scott_pi", "brennan_prediger")
_MANY: Final = ("krippendorff_alpha", "fleiss_kappa", "conger_kappa", "gwet_ac", "brennan_prediger")


@dataclass(frozen=True, slots=True)
class AgreementChoices:
    """What the caller may decide.

    Attributes:
        levels: all labels there are, in order, used or not; empty for those that occur.
        measured: what distances between labels mean; None for nothing between names, and the order of numbers.
        level: confidence level.
        seed: seed of everything random.
    """

    levels: tuple[str, ...] = ()
    measured: Measured | None = None
    level: float = 0.95
    seed: int = DEFAULT_SEED


def agree_raters(labels: Labels, *, choices: AgreementChoices, command: str = "") -> RaterAgreement:
    """Return how far raters agree on the answers that two or more of them labelled.

    Args:
        labels: of one question.
        choices: what the caller decided.
        command: the command line that reproduces the finding.

    Raises:
        UsageError: a label that is none of the levels, or distances asked of names.
        InputError: too many raters or labels.
    """
    check_level(choices.level)
    ratings = ratings_of(labels, levels=choices.levels, measured=choices.measured)
    shared = (ratings.codes >= 0).sum(axis=1) >= 2
    observed = _observed(ratings, choices)
    coefficients = measures(ratings, choices)
    constant, share = _constant(ratings, shared)
    table = _table(ratings)
    differing = _differing(ratings)
    clusters = None if ratings.clusters is None else int(np.unique(ratings.clusters[shared]).size)
    return RaterAgreement(
        question=labels.questions[0],
        labels=ratings.labels,
        measured=ratings.measured,
        raters=tuple(_raters(ratings, choices)),
        n_answers=len(ratings.answers),
        n_shared=ratings.shared,
        n_clusters=clusters,
        observed=observed,
        constant=constant,
        constant_share=share,
        coefficients=coefficients,
        pairs=tuple(_pairs(ratings, choices)),
        two_by_two=None if table is None else _two_by_two(table),
        confusion=() if table is None else tuple(map(tuple, table.counts.tolist())),
        classes=() if table is None else tuple(_classes(table, ratings.labels)),
        spread=spread_of(labels),
        disagreements=tuple(_disagreement(ratings, place) for place in differing[:MOST_LISTED]),
        n_disagreements=len(differing),
        level=choices.level,
        warnings=(*labels.notes, *find_agreement_warnings(labels, ratings, n_clusters=clusters)),
        why=_why(ratings),
        estimand="How far these raters, with these instructions, say the same of answers like these.",
        verdict=write_agreement(observed, coefficients, constant=constant, constant_share=share),
        seed=choices.seed,
        versions=versions(),
        command=command,
    )


def measures(ratings: Ratings, choices: AgreementChoices) -> tuple[Coefficient, ...]:
    """Return the measures of agreement that fit, the main one first.

    Args:
        ratings: the labels as arrays.
        choices: the level and the seed.
    """
    names = _TWO if len(ratings.raters) == 2 else _MANY
    if len(ratings.raters) < 2:
        return (_measure(_MANY[0], Undefined(nothing_shared(ratings)), ratings),)
    found = agreement_coefficients(
        ratings.given,
        coefficients=names,
        labels=ratings.kinds,
        scale=ratings.measured,
        clusters=ratings.clusters,
        level=choices.level,
        rng=choices.seed,
    )
    return (
        *(_measure(name, one, ratings) for name, one in found.items()),
        *(numeric_measures(ratings, choices) if ratings.measured != "nominal" else ()),
    )


def numeric_measures(ratings: Ratings, choices: AgreementChoices) -> Iterator[Coefficient]:
    """Yield what numbers have beside labels: intraclass correlations, and of two raters how they go together.

    Args:
        ratings: the labels as arrays, in order.
        choices: the level and the seed.
    """
    for form in ICC:
        found = rater_icc(ratings.values, form=form, level=choices.level)
        yield _measure(form.lower(), found, ratings)
    if len(ratings.raters) == 2:
        a, b = ratings.values.T
        for name, correlation in CORRELATIONS.items():
            yield _measure(
                name,
                correlation(
                    a,
                    b,
                    clusters=ratings.clusters,
                    level=choices.level,
                    n_resamples=RESAMPLES,
                    rng=choices.seed,
                ),
                ratings,
            )


def _measure(
    name: str, found: Agreement | RaterICC | Correlation | Undefined, ratings: Ratings
) -> Coefficient:
    title = title_of_measure(name, ratings.measured)
    if isinstance(found, Undefined):
        return Coefficient(name, title, SAYS[name], None, found)
    return Coefficient(name, title, SAYS[name], found.point, found.interval)


def nothing_shared(ratings: Ratings) -> str:
    """Say that no answer has two ratings, with the counts of each rater."""
    counts = (ratings.codes >= 0).sum(axis=0)
    said = ", ".join(f"{name} {count}" for name, count in zip(ratings.raters[:5], counts, strict=False))
    more = f" and {len(ratings.raters) - 5} more raters" if len(ratings.raters) > 5 else ""
    return f"no answer has two ratings (labels by rater: {said}{more})"


def _observed(ratings: Ratings, choices: AgreementChoices) -> Estimate | Undefined:
    if not ratings.shared:
        return Undefined(nothing_shared(ratings))
    return raw_agreement(ratings.given, labels=ratings.kinds, clusters=ratings.clusters, level=choices.level)


def _constant(ratings: Ratings, shared: NDArray[np.bool_]) -> tuple[str | None, float | None]:
    """Return the label that always giving it would agree with most, and with how many of the labels."""
    given = ratings.codes[shared]
    counts = np.bincount(given[given >= 0], minlength=len(ratings.labels))
    if not counts.sum():
        return None, None
    place = int(counts.argmax())
    return ratings.labels[place], float(counts[place] / counts.sum())


def _raters(ratings: Ratings, choices: AgreementChoices) -> Iterator[RaterLine]:
    for place, name in enumerate(ratings.raters):
        given = ratings.codes[:, place]
        repeated, same = ratings.repeats[place]
        yield RaterLine(
            name=name,
            labels=int((given >= 0).sum()),
            counts=tuple(np.bincount(given[given >= 0], minlength=len(ratings.labels)).tolist()),
            others=with_others(ratings, place, choices),
            repeated=repeated,
            same=same,
        )


def with_others(ratings: Ratings, place: int, choices: AgreementChoices) -> Estimate | Undefined:
    """Return a rater's agreement beyond chance with each of the others, over all pairs of their labels.

    Args:
        ratings: the labels as arrays.
        place: which rater.
        choices: the level and the seed.
    """
    values, others = ratings.given, np.arange(len(ratings.raters)) != place
    there = ratings.codes >= 0
    mine, theirs = np.repeat(values[:, [place]], others.sum(), axis=1), values[:, others]
    both = there[:, [place]] & there[:, others]
    rows = np.nonzero(both)[0]
    if rows.size == 0:
        return Undefined("no answer labelled by another rater too")
    groups = rows if ratings.clusters is None else ratings.clusters[rows]
    alone = both.sum() == np.unique(rows).size and ratings.clusters is None
    found = cohen_kappa(
        mine[both],
        theirs[both],
        labels=ratings.kinds,
        scale=ratings.measured,
        clusters=None if alone else groups,
        method="default" if len(ratings.raters) <= MOST_PAIRED else "normal",
        level=choices.level,
        n_resamples=RESAMPLES,
        rng=choices.seed,
    )
    return found if isinstance(found, Undefined) else found.interval


def _pairs(ratings: Ratings, choices: AgreementChoices) -> Iterator[RaterPair]:
    if len(ratings.raters) > MOST_PAIRED:
        return
    values, there = ratings.given, ratings.codes >= 0
    for a, b in combinations(range(len(ratings.raters)), 2):
        both = there[:, a] & there[:, b]
        if not both.any():
            continue
        found = cohen_kappa(
            values[both, a],
            values[both, b],
            labels=ratings.kinds,
            scale=ratings.measured,
            clusters=None if ratings.clusters is None else ratings.clusters[both],
            level=choices.level,
            n_resamples=RESAMPLES,
            rng=choices.seed,
        )
        yield RaterPair(
            a=ratings.raters[a],
            b=ratings.raters[b],
            n=int(both.sum()),
            observed=float((values[both, a] == values[both, b]).mean()),
            chance_corrected=found if isinstance(found, Undefined) else found.interval,
        )


def _table(ratings: Ratings) -> Confusion | None:
    """Return the table of two raters; None with other than two, or when they share nothing."""
    if len(ratings.raters) != 2:
        return None
    first, second = ratings.given.T
    found = confusion(first, second, labels=ratings.kinds)
    return None if isinstance(found, Undefined) else found


def _two_by_two(table: Confusion) -> TwoByTwo | None:
    if isinstance(table.prevalence_index, Undefined) or isinstance(table.bias_index, Undefined):
        return None
    pabak = table.pabak
    return (
        None
        if isinstance(pabak, Undefined)
        else TwoByTwo(prevalence=abs(table.prevalence_index), bias=abs(table.bias_index), pabak=pabak)
    )


def _classes(table: Confusion, names: Sequence[str]) -> Iterator[ClassLine]:
    """Yield each label of the second rater, the first as reference."""
    for name, one in zip(names, table.classes.values(), strict=True):
        yield ClassLine(name, one.present, one.precision, one.recall, one.f1)


def _differing(ratings: Ratings) -> list[int]:
    """Return the answers on which raters differ, the widest apart first: by distance, or by how evenly they split."""
    there = ratings.codes >= 0
    k = len(ratings.labels)
    counts = np.stack([(ratings.codes == place).sum(axis=1) for place in range(k)], axis=1).astype(float)
    n = there.sum(axis=1)
    differ = np.flatnonzero((counts > 0).sum(axis=1) > 1)
    if ratings.measured == "nominal":
        apart = 1 - (counts**2).sum(axis=1) / np.maximum(n, 1) ** 2
    else:
        worth = np.asarray(ratings.worth)
        mean = counts @ worth / np.maximum(n, 1)
        apart = counts @ worth**2 / np.maximum(n, 1) - mean**2
    return sorted(differ.tolist(), key=lambda place: (-round(float(apart[place]), 12), place))


def _disagreement(ratings: Ratings, place: int) -> Disagreement:
    said = tuple("" if code < 0 else ratings.labels[code] for code in ratings.codes[place])
    return Disagreement(answer=ratings.name(place), labels=said)


def _why(ratings: Ratings) -> str:
    kind = {
        "nominal": "labels are names, the same or not",
        "ordinal": "labels have an order, and nearer ones count as nearer",
        "interval": "labels are numbers whose differences count",
        "ratio": "labels are numbers whose ratios count",
    }[ratings.measured]
    unit = "answers" if ratings.clusters is None else "clusters of answers"
    two = len(ratings.raters) == 2 and len(ratings.labels) == 2 and ratings.clusters is None
    how = "the quantiles of what the table allows (Dirichlet)" if two else f"resampled {unit}"
    return f"{kind}; intervals from {how}"
