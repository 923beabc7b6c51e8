"""``summarize``: what each system of a source reached, how much it answered, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aliquot.analysis.margins import share_of
from aliquot.analysis.summarize import SummaryChoices, summarize_systems
from aliquot.errors import UsageError
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.labels import Labels
from aliquot.evidence.tables import Evidence
from aliquot.findings.summary import Summary
from aliquot.readers.options import ReadOptions
from aliquot.stats.judged_rows import Drawn
from aliquot.verbs.clustering import cluster_field, reading_cluster
from aliquot.verbs.criteria import criteria_of, level_of, say_criteria
from aliquot.verbs.judge_errors import errors_elsewhere
from aliquot.verbs.labels import correcting_labels, listed, passing_labels, rate_metric
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line, given_options


def summarize(
    *sources: str | Path | Evidence,
    systems: Sequence[str] = (),
    task: str | None = None,
    metric: str | None = None,
    cluster: str | None = None,
    at_least: float | str | None = None,
    level: float | None = None,
    labels: Sequence[str | Path | Labels] = (),
    drawn: Drawn = "at random",
    pass_from: float | None = None,
    passes: Sequence[str] = (),
    options: ReadOptions | None = None,
) -> Summary:
    """Summarise the systems of one or more sources; nothing is compared.

    Args:
        *sources: paths of runs, logs or tables, or evidence already read.
        systems: only these systems.
        task: only this task.
        metric: the metric, or an expression such as ``all(g1, g2)``; by default the log's own headline.
        cluster: field that names the cluster of an item.
        at_least: a floor the pass rate should reach: ``0.9`` or ``"90%"``; by default that of a run's success criteria.
        level: confidence level; by default that of a run's success criteria, else 0.95.
        labels: files of people's labels of some answers, with which a judge's rates are corrected; or a finding of
            ``calibrate``, saved as JSON, when they labelled other answers.
        drawn: how the answers to label were drawn, as in ``calibrate``.
        pass_from: with ``labels``, the score from which on a grade passes, of people and of the judge.
        passes: labels that pass, every other label failing, where people said words such as good and bad.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: an unknown name, or a floor that is none.
        InputError: a source that cannot be read, or nothing that was scored.

    Examples:
        >>> import polars as pl
        >>> from aliquot import from_frame
        >>> rows = pl.DataFrame({"system": "pr", "item": list("abcd"), "value": [1, 1, 1, 0]})
        >>> summarize(from_frame(rows)).verdict.text
        'pr passed 75.0% (95% interval 30.1 to 95.4).'
    """
    given = given_options(summarize, locals(), named={"systems": "--system"})
    if not sources:
        raise UsageError("there is nothing to summarize. Name at least one file or folder.")
    labels = listed(labels)
    passing = passing_labels(pass_from, passes, labels)
    evidence = with_metric(load(sources, options=reading_cluster(options, cluster)), metric)
    criteria = criteria_of(evidence, task=task, metric=metric)
    rated = rate_metric(evidence, metric, task=task, passing=passing)
    evidence = with_metric(evidence, rated)
    floor = None if at_least is None else share_of(at_least)
    found = summarize_systems(
        evidence,
        choices=SummaryChoices(
            systems=tuple(systems),
            task=task,
            metric=rated,
            cluster=cluster_field(evidence, cluster),
            at_least=criteria.plan.at_least if floor is None and criteria else floor,
            level=level_of(level, criteria),
            labels=errors_elsewhere(labels)
            or correcting_labels(
                evidence, labels, drawn=drawn, passing=passing, judged=rated != metric, options=options
            ),
        ),
        command=command_line("summarize", sources, given, reading=options),
    )
    return found if criteria is None else say_criteria(found, criteria)
