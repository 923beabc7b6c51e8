"""Labels: who said what of which answer, from a file of labels or from the outcomes that people and judges gave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from aliquot.errors import InputError, UsageError, excerpt, nearest
from aliquot.evidence.tables import Evidence, Note, Source

LABELS: Final[Mapping[str, pl.DataType]] = {
    "system": pl.String(),
    "task": pl.String(),
    "item": pl.String(),
    "attempt": pl.Int64(),
    "metric": pl.String(),
    "rater": pl.String(),
    "repeat": pl.Int64(),
    "label": pl.String(),
    "value": pl.Float64(),
    "at": pl.String(),
    "rubric": pl.String(),
    "probability": pl.Float64(),
    "split": pl.String(),
    "cluster": pl.String(),
    "place": pl.String(),
}
"""Columns of labels. ``system``, ``task`` and ``attempt`` are null where the source does not say. ``label`` is null
where the rater gave none; ``value`` where it is a name, and no number or yes or no. ``metric`` is the question that was
answered. ``probability`` is that of the answer to be drawn for labelling; ``place`` is where the label stands."""

ANSWER: Final = ("system", "task", "item", "attempt")
"""What names an answer."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labels that raters gave to answers.

    Attributes:
        frame: the columns of ``LABELS``; a rater labels an answer once for each ``repeat``.
        sources: where they came from.
        notes: what reading them has to say.
    """

    frame: pl.DataFrame
    sources: tuple[Source, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def questions(self) -> list[str]:
        """What was asked of the raters, in the order of the source."""
        return self.frame["metric"].unique(maintain_order=True).to_list()

    @property
    def raters(self) -> list[str]:
        """Who labelled, in the order of the source."""
        return self.frame["rater"].unique(maintain_order=True).to_list()

    @property
    def numeric(self) -> bool:
        """Whether every label is a number or a truth value."""
        return self.frame.filter(pl.col("label").is_not_null())["value"].null_count() == 0

    def about(self, question: str | None) -> Labels:
        """Return the labels that answer one question, which need not be named when there is one alone.

        Raises:
            UsageError: there is no such question, or there are several and none is named.
        """
        known = self.questions
        if question is None and len(known) > 1:
            raise UsageError(f"the raters answered several questions. Name one: {', '.join(sorted(known))}.")
        if question is None:
            return self
        if question not in known:
            raise UsageError(f"no label answers {question!r}. {nearest(question, known)}")
        return replace(self, frame=self.frame.filter(pl.col("metric") == question))

    def by(self, raters: Sequence[str]) -> Labels:
        """Return the labels of these raters, in this order.

        Raises:
            UsageError: nobody of that name labelled anything.
        """
        known = self.raters
        for name in raters:
            if name not in known:
                raise UsageError(f"nobody called {name!r} labelled anything. {nearest(name, known)}")
        order = {name: place for place, name in enumerate(raters)}
        kept = self.frame.filter(pl.col("rater").is_in(list(raters)))
        return replace(self, frame=kept.sort(pl.col("rater").replace_strict(order), maintain_order=True))

    def part(self, split: str) -> Labels:
        """Return the labels of one part, such as ``dev`` or ``test``.

        Raises:
            UsageError: no label is in a part of that name.
        """
        known = self.frame["split"].drop_nulls().unique().sort().to_list()
        if split not in known:
            told = nearest(split, known) if known else "Give the labels a column split."
            raise UsageError(f"no label is in the part {split!r}. {told}")
        return replace(self, frame=self.frame.filter(pl.col("split") == split))


def labels_in(evidence: Evidence, *, metric: str | None = None) -> Labels:
    """Return outcomes as labels, their scorers as raters: what people gave, or everything under one metric.

    Args:
        evidence: of a log.
        metric: whose outcomes; by default those that persons gave, under any metric.
    """
    rows = evidence.outcomes
    rows = rows.filter(pl.col("by") == "person" if metric is None else pl.col("metric") == metric)
    said = {name: pl.col(name) for name in (*ANSWER, "metric", "repeat", "value")}
    said |= {name: pl.lit(None, dtype=LABELS[name]) for name in ("at", "rubric", "probability", "split")}
    said |= {"rater": pl.col("scorer"), "place": pl.format("the outcome of item {}", "item")}
    said["label"] = pl.when(pl.col("value").is_not_null()).then(as_text(pl.col("value"))).otherwise("label")
    frame = rows.with_columns(**said).join(
        evidence.items.select("task", "item", "cluster"), on=["task", "item"], how="left"
    )
    return Labels(frame.select(*LABELS), sources=evidence.sources)


def as_text(value: pl.Expr) -> pl.Expr:
    """Return numbers as labels are written: whole ones without a point."""
    whole = value.cast(pl.Int64, strict=False)
    return (
        pl.when(whole.cast(pl.Float64) == value).then(whole.cast(pl.String)).otherwise(value.cast(pl.String))
    )


def joined(labels: Labels, evidence: Evidence) -> Labels:
    """Return the labels with the whole key of the answers they are about.

    Args:
        labels: from a file; a column of the key that it lacks is found by what it has.
        evidence: the answers.

    Raises:
        InputError: a label is of an answer that is not there, or may be of several.
    """
    answers = evidence.rows("responses").select(*ANSWER).unique(maintain_order=True)
    lacks = pl.concat_str(pl.col(name).is_null().cast(pl.Int8) for name in ANSWER)
    parts = labels.frame.with_row_index("row").with_columns(lacks=lacks).partition_by("lacks")
    rows = pl.concat([_found(part, answers) for part in parts]).sort("row") if parts else labels.frame
    if parts:
        _refuse(rows, answers, labels)
    clusters = evidence.items.select("task", "item", own=pl.col("cluster"))
    frame = rows.join(clusters, on=["task", "item"], how="left", maintain_order="left")
    return replace(labels, frame=frame.with_columns(cluster=pl.coalesce("cluster", "own")).select(*LABELS))


def _found(part: pl.DataFrame, answers: pl.DataFrame) -> pl.DataFrame:
    """Return rows that lack the same columns of the key, filled from the one answer that has the others."""
    told = [name for name in ANSWER if part[name][0] is not None]
    lacking = [name for name in ANSWER if name not in told]
    first = [pl.col(name).first() for name in lacking]
    choices = answers.group_by(told).agg(*first, pl.len().alias("choices"))
    found = part.drop(*lacking).join(choices, on=told, how="left", maintain_order="left")
    return found.select(*part.columns, "choices")


def _refuse(rows: pl.DataFrame, answers: pl.DataFrame, labels: Labels) -> None:
    file = labels.sources[0].path if labels.sources else ""
    unknown = rows.filter(pl.col("choices").is_null())
    if unknown.height:
        row = unknown.row(0, named=True)
        wrong = next(
            (
                name
                for name in ("item", "task", "system")
                if row[name] is not None and row[name] not in set(answers[name])
            ),
            None,
        )
        what = "there is no such answer" if wrong is None else f"there is no {wrong} {excerpt(row[wrong])}"
        more = f", and neither those of {unknown.height - 1} more labels" if unknown.height > 1 else ""
        remedy = (
            nearest(row[wrong], answers[wrong].unique())
            if wrong
            else "Name system, task, item and attempt as the log does"
        )
        raise InputError(f"{what} ({row['place']}){more}", file=file, remedy=remedy)
    doubtful = rows.filter(pl.col("choices") > 1)
    if doubtful.height:
        row = doubtful.row(0, named=True)
        lacking = _told_apart_by(answers.filter(pl.col("item") == row["item"]), labels.frame)
        raise InputError(
            f"which answer to {excerpt(row['item'])} was labelled cannot be known: there are {row['choices']} "
            f"({row['place']})",
            file=file,
            remedy=f"Give the labels a column {lacking}, or name one system: --system NAME",
        )


def _told_apart_by(answers: pl.DataFrame, labels: pl.DataFrame) -> str:
    """Return the column that the labels lack and that tells these answers apart."""
    return next(
        (
            name
            for name in ("system", "task", "attempt")
            if labels[name].null_count() and answers[name].n_unique() > 1
        ),
        "system",
    )
