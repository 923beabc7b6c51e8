"""``agree``: how far raters say the same of the same answers, beyond chance, and where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aliquot.analysis.agree import AgreementChoices, agree_raters
from aliquot.errors import UsageError
from aliquot.evidence.labels import Labels
from aliquot.evidence.passing import Passing, as_passes, graded, in_words, passing_of, require_use
from aliquot.evidence.tables import Evidence
from aliquot.findings.agreement import Measured, RaterAgreement
from aliquot.readers.options import ReadOptions
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.clustering import reading_cluster
from aliquot.verbs.labels import judged_labels, listed, people_labels, stacked
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line, given_options


def agree(
    *sources: str | Path | Evidence | Labels,
    labels: Sequence[str | Path | Labels] = (),
    judge: Sequence[str] = (),
    raters: Sequence[str] = (),
    rater_column: str | None = None,
    question: str | None = None,
    pass_from: float | None = None,
    passes: Sequence[str] = (),
    levels: Sequence[str] = (),
    measured: Measured | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    seed: int | None = None,
    options: ReadOptions | None = None,
) -> RaterAgreement:
    """Say how far raters agree, beyond chance, and list the answers on which they differ.

    Args:
        *sources: files of labels, or logs in which people rated answers; with ``judge`` or ``labels`` the logs that
            were labelled.
        labels: files of labels of the answers in the sources.
        judge: metrics of the sources whose outcomes are a rater's too.
        raters: only these raters, in this order.
        rater_column: the column that names who labelled.
        question: what they were asked, when the labels answer several.
        pass_from: the score from which on a grade passes: agreement is then about pass and fail.
        passes: labels that pass, every other label failing, where people said words such as good and bad.
        levels: all labels there are, in order, used or not.
        measured: what distances between labels mean: ``nominal``, ``ordinal``, ``interval``, ``ratio``; by default
            nothing for names and for two labels, else their order.
        cluster: the column of the labels, or field of the items, that names the cluster of an answer.
        level: confidence level.
        seed: seed of everything random; by default a fixed one.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: an unknown rater, question or metric.
        InputError: a source that cannot be read, or labels of answers that are not there.

    Examples:
        >>> import polars as pl
        >>> from aliquot import labels_from
        >>> rows = {"item": list("abcdef"), "ana": [1, 1, 0, 1, 0, 0], "ben": [1, 1, 0, 0, 0, 0]}
        >>> agree(labels_from(pl.DataFrame(rows))).coefficients[0].name
        'cohen_kappa'
    """
    given = given_options(agree, locals(), named={"raters": "--rater"}) | {
        "--levels": ",".join(levels) or None
    }
    if not sources:
        raise UsageError("there is nothing to compare. Name at least one file of labels.")
    passing = passing_of(pass_from, passes)
    labels, reading = listed(labels), reading_cluster(options, cluster)
    if rater_column is not None:
        reading = replace(reading, scorer=rater_column)
    if judge or labels:
        evidence = load(
            [one for one in sources if not isinstance(one, Labels)], options=reading_cluster(options, cluster)
        )
        people = people_labels(evidence, labels, options=options).about(question)
        judges = [judged_labels(evidence, name, people) for name in judge]
    else:
        people = stacked([people_labels(one, (), options=reading) for one in sources]).about(question)
        judges = []
    require_use(passing, people, judged=any(map(graded, judges)))
    told = stacked([as_passes(people, passing), *(as_passes(one, Passing(passing.score)) for one in judges)])
    if passing != Passing() and told.numeric and not graded(told):
        told = in_words(told)
    if raters:
        told = told.by(raters)
    return agree_raters(
        told,
        choices=AgreementChoices(
            levels=tuple(levels),
            measured=measured,
            level=level,
            seed=DEFAULT_SEED if seed is None else seed,
        ),
        command=command_line("agree", sources, given, reading=options),
    )
