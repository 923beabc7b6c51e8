"""Answers that a judge read and people labelled in part: one row an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
import polars as pl
from numpy.typing import NDArray

from aliquot.analysis.scales import scale_of
from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.contents import systems as systems_of
from aliquot.evidence.contents import tasks
from aliquot.evidence.labels import ANSWER, Labels
from aliquot.evidence.reduction import EACH_ITEM
from aliquot.evidence.status import resolve
from aliquot.evidence.tables import Evidence
from aliquot.findings.scale import Scale

Floats: TypeAlias = NDArray[np.float64]

ALL: Final = "all"
"""What the line over all labelled answers is called."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Answers of one task with the judge's verdict, and people's label where there is one.

    Attributes:
        metric: the metric that the judge gives.
        question: what people were asked.
        labels: what each person said, with the key of the answers.
        frame: a row an answer, sorted: system, task, item, attempt, verdict (null where the judge gave none), label
            (null where there is none: what most people said and, where they split evenly, the first of them; their mean
            where labels are grades), people (how many
            labelled it), probability, at, cluster (null where none), stratum, weight, ``segment.*``.
        scale: of the labels.
        cut: the verdict from which on the judge passes; None where labels are grades.
        passes: what a pass and a failure are called; None where labels are grades.
        tied: answers on which people split evenly.
        systems: the systems, in the order of the evidence: the baseline of two is the first.
    """

    metric: str
    question: str
    labels: Labels
    frame: pl.DataFrame
    scale: Scale
    cut: float | None
    passes: tuple[str, str] | None
    tied: int
    systems: tuple[str, ...]

    @property
    def binary(self) -> bool:
        """Whether labels are pass or fail."""
        return self.passes is not None

    @property
    def on_one_scale(self) -> bool:
        """Whether the judge gives the grades that people give, at least half of the time."""
        if self.binary:
            return True
        rows = self.labelled.filter(pl.col("verdict").is_not_null())
        levels = self.labels.frame["value"].drop_nulls().unique()
        return 2 * rows["verdict"].is_in(levels.implode()).sum() >= rows.height

    @property
    def segments(self) -> list[str]:
        """Fields that are reporting slices."""
        return [name.removeprefix("segment.") for name in self.frame.columns if name.startswith("segment.")]

    @property
    def labelled(self) -> pl.DataFrame:
        """Rows with a label."""
        return self.frame.filter(pl.col("label").is_not_null())

    def of(self, system: str) -> pl.DataFrame:
        """Return a system's rows."""
        return self.frame.filter(pl.col("system") == system)


def judged_answers(
    evidence: Evidence,
    labels: Labels,
    *,
    metric: str,
    task: str | None = None,
    systems: Sequence[str] = (),
    cut: float | None = None,
    cluster: str | None = None,
) -> Judged:
    """Return the answers under a metric with what people said of them.

    Args:
        evidence: of the judge.
        labels: of one question, with the key of the answers.
        metric: the metric that the judge gives.
        task: the task; by default the one that was labelled.
        systems: only these; by default all.
        cut: the score from which on the judge passes an answer, where it gives grades and people pass or fail.
        cluster: field that names the cluster of an item; ``item`` for none.

    Raises:
        UsageError: an unknown task or cluster; grades of a judge beside labels that pass or fail, and no cut; a cut
            beside labels that are grades.
        InputError: nothing that was judged is labelled, or the labels are names.
    """
    rows = _verdicts(evidence, metric, systems)
    task = _task(evidence, rows, labels, task)
    rows = rows.filter(pl.col("task") == task)
    told = labels.frame.filter(pl.col("repeat") == 1, pl.col("task") == task)
    if not labels.numeric:
        kinds = labels.frame.filter(pl.col("value").is_null())["label"].unique().sort().head(3)
        raise InputError(
            f"the labels are names ({', '.join(kinds)}), neither numbers nor yes and no",
            remedy="Say which pass (every other label fails): --passes WORD; aliquot agree compares names",
        )
    values = told["value"].drop_nulls()
    binary = bool(values.is_in([0.0, 1.0]).all())
    people = told.group_by(*ANSWER, maintain_order=True).agg(
        label=pl.col("value").mean(),
        first=pl.col("value").first(),
        people=pl.len(),
        probability=pl.col("probability").first(),
        at=pl.col("at").min(),
        told=pl.col("cluster").first(),
    )
    tied = people.filter(pl.col("label") == 0.5).height if binary else 0
    if binary:
        majority = (pl.col("label") > 0.5).cast(pl.Float64)
        people = people.with_columns(label=pl.when(pl.col("label") == 0.5).then("first").otherwise(majority))
    frame = rows.join(people, on=list(ANSWER), how="left").join(
        _items(evidence, task, cluster), on=["task", "item"], how="left"
    )
    frame = frame.with_columns(
        people=pl.col("people").fill_null(0), cluster=pl.coalesce("cluster", "told")
    ).drop("told", "first")
    if frame["label"].null_count() == frame.height:
        raise _nothing_labelled(metric, systems, told)
    scale = Scale("binary", 0.0, 1.0, "higher") if binary else _graded(evidence, metric, values)
    return Judged(
        metric=metric,
        question=labels.questions[0],
        labels=labels,
        frame=frame.sort(*ANSWER),
        scale=scale,
        cut=_cut(frame["verdict"], scale_of(evidence, metric), metric, cut) if binary else None,
        passes=_names(told) if binary else None,
        tied=tied,
        systems=tuple(name for name in systems or systems_of(evidence) if name in set(frame["system"])),
    )


def _nothing_labelled(metric: str, systems: Sequence[str], told: pl.DataFrame) -> InputError:
    """Return the complaint that no judged answer has a label, and whose answers have some."""
    others = told["system"].unique().sort().to_list()
    if systems and others and not set(systems) & set(others):
        return InputError(
            f"no answer of {' or '.join(systems)} is labelled; the labels are of {', '.join(others[:4])}",
            remedy=f"Label answers of {' and '.join(systems)} too",
        )
    return InputError(
        f"no answer with an outcome under {metric!r} is labelled",
        remedy="Name the judge's metric: --judge METRIC",
    )


def _verdicts(evidence: Evidence, metric: str, systems: Sequence[str]) -> pl.DataFrame:
    """Return a row an answer under the metric: its verdict, the mean of several where the judge was asked again."""
    outcomes = evidence.rows("outcomes", metric=metric)
    if systems:
        known = outcomes["system"].unique().to_list()
        for name in systems:
            if name not in known:
                raise UsageError(f"there is no system {name!r} under {metric!r}. {nearest(name, known)}")
        outcomes = outcomes.filter(pl.col("system").is_in(list(systems)))
    found = resolve(outcomes, evidence.rows("responses"), evidence.metrics)
    return found.group_by(*ANSWER, maintain_order=True).agg(verdict=pl.col("value").mean())


def _task(evidence: Evidence, rows: pl.DataFrame, labels: Labels, task: str | None) -> str:
    known = tasks(evidence)
    if task is not None:
        if task not in known:
            raise UsageError(f"there is no task {task!r}. {nearest(task, known)}")
        return task
    told = set(labels.frame["task"].drop_nulls()) & set(rows["task"])
    if len(told) > 1:
        raise UsageError(
            f"answers of several tasks are labelled. Name one: --task {', '.join(sorted(told))}."
        )
    return next(iter(told), known[0])


def _items(evidence: Evidence, task: str, cluster: str | None) -> pl.DataFrame:
    items = evidence.items.filter(pl.col("task") == task).drop("content")
    if cluster is None or cluster == "cluster":
        return items
    if cluster == EACH_ITEM:
        return items.with_columns(cluster=pl.lit(None, dtype=pl.String))
    column = f"segment.{cluster}"
    if column not in items.columns:
        known = [
            "cluster",
            EACH_ITEM,
            *(name.removeprefix("segment.") for name in items.columns if "." in name),
        ]
        raise UsageError(f"the items have no field {cluster!r} to cluster by. {nearest(cluster, known)}")
    return items.with_columns(cluster=pl.col(column))


def _graded(evidence: Evidence, metric: str, values: pl.Series) -> Scale:
    """Return the scale of grades: the metric's own where the labels keep to it, else without limits."""
    own = scale_of(evidence, metric)
    low, high = (float(end) for end in (values.to_numpy().min(), values.to_numpy().max()))
    inside = own.low is not None and own.high is not None and own.low <= low and high <= own.high
    return own if inside else Scale("real", None, None, own.better)


def _cut(verdicts: pl.Series, own: Scale, metric: str, cut: float | None) -> float:
    """Return the score from which on the judge passes an answer."""
    if cut is not None:
        told = verdicts.drop_nulls().to_numpy()
        top = float(told.max(initial=-np.inf)) if own.high is None else own.high
        if not np.isfinite(cut) or cut > top:
            raise UsageError(f"from {cut:g} on no answer passes: the scores of {metric!r} go up to {top:g}")
        return cut
    if own.kind == "binary":
        return 0.5
    low, high = verdicts.min(), verdicts.max()
    raise UsageError(
        f"{metric!r} is graded ({low:g} to {high:g}) and the labels pass or fail: say from which score on the judge "
        f"passes an answer: --pass-from {high:g}"
    )


def _names(told: pl.DataFrame) -> tuple[str, str]:
    """Return what people called a pass and a failure."""
    words = [told.filter(pl.col("value") == value)["label"].unique().to_list() for value in (1.0, 0.0)]
    first, second = (one[0] if len(one) == 1 else "" for one in words)
    named = bool(first and second) and not {first, second} & {"1", "0"}
    return (first, second) if named else ("pass", "fail")


def row_clusters(rows: pl.DataFrame) -> list[str] | None:
    """Return what holds answers together: their cluster, else their item where several answers are of one.

    Args:
        rows: with item and cluster.
    """
    if rows["cluster"].null_count() == rows.height:
        return rows["item"].to_list() if rows["item"].n_unique() < rows.height else None
    return rows.select(pl.coalesce("cluster", pl.format("item {}", "item")))["cluster"].to_list()
