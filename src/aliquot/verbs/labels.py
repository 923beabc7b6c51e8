"""Labels of what was answered: of files, and of logs in which people rated answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from aliquot.analysis.corrected import PeoplesLabels
from aliquot.analysis.scales import scale_of
from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import headline_metric, require, tasks
from aliquot.evidence.labels import Labels, joined, labels_in
from aliquot.evidence.passing import Passing, as_passes, passing_of, require_use
from aliquot.evidence.tables import Evidence
from aliquot.readers.labels import read_labels
from aliquot.readers.options import ReadOptions
from aliquot.stats.judged_rows import Drawn
from aliquot.verbs.judge_errors import errors_elsewhere


def people_labels(
    source: str | Path | Evidence | Labels,
    files: Sequence[str | Path | Labels] = (),
    *,
    options: ReadOptions | None = None,
) -> Labels:
    """Return what people said: of the files, with the key of the answers in the source; else of the source itself.

    Raises:
        InputError: nobody labelled anything, or a label is of an answer that is not in the source.
    """
    if not isinstance(source, Evidence):
        return _labels(source, options)
    files = listed(files)
    if not files:
        found = labels_in(source)
        if found.frame.is_empty():
            raise InputError(
                "nobody labelled any of these answers",
                file=", ".join(one.path for one in source.sources),
                remedy="Give labels: --labels FILE (a table with item and label)",
            )
        return found
    own = ReadOptions(
        missing=options.missing if options else ()
    )  # the columns named are those of the answers
    return stacked([joined(_labels(one, own), source) for one in files])


def listed(files: Sequence[str | Path | Labels] | str | Path | Labels) -> Sequence[str | Path | Labels]:
    """Return files of labels as several, also where one stands alone.

    Raises:
        UsageError: a data frame, which is no file.
    """
    if isinstance(files, str | Path | Labels):
        return [files]
    if not isinstance(files, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance] - what a caller passes is not checked
        raise _no_labels(files)
    return files


def _labels(one: str | Path | Labels, options: ReadOptions | None) -> Labels:
    if isinstance(one, Labels):
        return one
    if not isinstance(one, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance] - what a caller passes is not checked
        raise _no_labels(one)
    return read_labels(Path(one), options)


def _no_labels(given: object) -> UsageError:
    return UsageError(
        f"{type(given).__name__} is no path and no labels. Of a data frame, labels_from(frame) makes them"
    )


def correcting_labels(
    evidence: Evidence,
    files: Sequence[str | Path | Labels],
    *,
    drawn: Drawn,
    passing: Passing,
    judged: bool,
    options: ReadOptions | None = None,
) -> PeoplesLabels | None:
    """Return labels with which a judge's numbers are corrected; None without any.

    Args:
        evidence: what the judge read.
        files: of labels.
        drawn: how the answers to label were drawn.
        passing: what passes.
        judged: whether the metric is a graded one, read as a rate.
        options: what the columns of a table mean.

    Raises:
        InputError: a label is of an answer that is not there.
        UsageError: the labels answer several questions, or a file says only how the judge erred on other answers.
    """
    if not files:
        return None
    known = errors_elsewhere(files)
    if known is not None:
        raise UsageError(
            f"{known.file} says how the judge erred on other answers. That corrects rates (aliquot summarize); a "
            "difference needs labels of these answers, since errors that are not alike for both systems look like one"
        )
    told = people_labels(evidence, files, options=options).about(None)
    require_use(passing, told, judged=judged)
    return PeoplesLabels(as_passes(told, passing), drawn)


def passing_labels(
    score: float | None, words: str | Sequence[str], files: Sequence[str | Path | Labels]
) -> Passing:
    """Return what passes, as it was given: a score, words, or one word.

    Raises:
        UsageError: nothing is labelled, so that there is nothing to say it of.
    """
    passing = passing_of(score, words)
    if passing != Passing() and not files:
        raise UsageError(
            "--pass-from and --passes say what labels mean, and go with --labels FILE; of a metric alone: --metric "
            "'score >= 4'"
        )
    return passing


def rate_metric(evidence: Evidence, metric: str | None, *, task: str | None, passing: Passing) -> str | None:
    """Return the metric as a rate: where it is graded and a score is said, the share of answers from that score on.

    Args:
        evidence: the tables.
        metric: as named; None for the log's own headline.
        task: as named; None for the first.
        passing: what passes.
    """
    if passing.score is None:
        return metric
    name = metric or headline_metric(evidence, task or tasks(evidence)[0])
    return metric if scale_of(evidence, name).kind == "binary" else f'"{name}" >= {passing.score:.15g}'


def judged_labels(evidence: Evidence, metric: str, beside: Labels) -> Labels:
    """Return the outcomes of a metric as one more rater's labels, under the question that people answered.

    Raises:
        UsageError: there is no such metric.
    """
    require(metric, evidence.metrics["metric"].to_list(), what="metric")
    found = labels_in(evidence, metric=metric)
    frame = found.frame.with_columns(rater=pl.lit(metric), metric=pl.lit(beside.questions[0]))
    return replace(found, frame=frame)


def judge_metric(evidence: Evidence, named: str | None) -> str:
    """Return the metric of the judge: as named, else the one that a judge gave, else the log's own headline.

    Raises:
        UsageError: there is no such metric, or several were given by judges and none is named.
    """
    if named is not None:
        require(named, evidence.metrics["metric"].to_list(), what="metric")
        return named
    judged = evidence.outcomes.filter(pl.col("by") == "judge")["metric"].unique(maintain_order=True).to_list()
    if len(judged) > 1:
        raise UsageError(
            f"several metrics were given by judges. Name one: --judge {', '.join(sorted(judged))}."
        )
    if judged:
        return judged[0]
    rated = evidence.outcomes.filter(pl.col("by") != "person")["metric"].unique(maintain_order=True).to_list()
    if len(rated) == 1:
        return rated[0]
    return headline_metric(evidence, tasks(evidence)[0])


def stacked(parts: Sequence[Labels]) -> Labels:
    """Return labels of several sources as one."""
    return Labels(
        frame=pl.concat([part.frame for part in parts]),
        sources=tuple(source for part in parts for source in part.sources),
        notes=tuple(note for part in parts for note in part.notes),
    )
