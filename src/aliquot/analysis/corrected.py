"""Rates and differences that a judge measured, corrected by what people said of some of the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from aliquot.analysis.judged import Floats, Judged, judged_answers, row_clusters
from aliquot.errors import InputError
from aliquot.evidence.labels import Labels
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.corrected import Corrected
from aliquot.stats.corrected import CorrectedRate, corrected_rate
from aliquot.stats.corrected_means import CorrectedMean, corrected_mean
from aliquot.stats.corrected_pairs import CorrectedDifference, corrected_difference
from aliquot.stats.judged_rows import Drawn
from aliquot.stats.results import Estimate, Undefined


@dataclass(frozen=True, slots=True)
class PeoplesLabels:
    """Labels with which a judge's numbers are corrected.

    Attributes:
        labels: of one question, with the key of the answers.
        drawn: how the answers to label were drawn.
    """

    labels: Labels
    drawn: Drawn = "at random"


def corrected_rate_of(
    evidence: Evidence, side: Units, told: PeoplesLabels, *, cluster: str | None, level: float
) -> Corrected:
    """Return a system's rate or mean on one task three ways.

    Args:
        evidence: the tables.
        side: the system under the judge's metric.
        told: the labels.
        cluster: field that names the cluster; None for the evidence's own.
        level: confidence level.

    Raises:
        InputError: none of its answers is labelled.
    """
    judged = judged_answers(
        evidence, told.labels, metric=side.metric, task=side.task, systems=[side.system], cluster=cluster
    )
    return corrected_system(judged, side.system, drawn=told.drawn, level=level)


def corrected_difference_of(
    evidence: Evidence, sides: tuple[Units, Units], told: PeoplesLabels, *, cluster: str | None, level: float
) -> Corrected:
    """Return the difference of two systems on one task three ways.

    Args:
        evidence: the tables.
        sides: baseline and candidate under the judge's metric.
        told: the labels.
        cluster: field that names the cluster; None for the evidence's own.
        level: confidence level.

    Raises:
        InputError: no answer of these two is labelled.
    """
    names = [side.system for side in sides]
    judged = judged_answers(
        evidence, told.labels, metric=sides[0].metric, task=sides[0].task, systems=names, cluster=cluster
    )
    return corrected_contrast(judged, *names, drawn=told.drawn, level=level)


def corrected_system(judged: Judged, system: str, *, drawn: Drawn, level: float) -> Corrected:
    """Return a system's rate or mean as the judge counts, as people say, and corrected.

    Args:
        judged: the answers.
        system: whose.
        drawn: how the answers to label were drawn.
        level: confidence level.

    Raises:
        InputError: some labels have a probability of being drawn and some have none.
    """
    rows = judged.of(system)
    options = _options(rows, drawn=drawn, level=level)
    labels, verdicts = (rows[name].to_numpy().astype(float) for name in ("label", "verdict"))
    found: CorrectedRate | CorrectedMean
    if judged.binary:
        told, passes = _levels(judged, verdicts)
        found = corrected_rate(labels, told, passes=passes, **options)
    else:
        found = corrected_mean(labels, verdicts, low=judged.scale.low, high=judged.scale.high, **options)
    return _side_by_side(system, found)


def corrected_contrast(
    judged: Judged, baseline: str, candidate: str, *, drawn: Drawn, level: float
) -> Corrected:
    """Return the difference of two systems on the items both were judged on, three ways.

    Attempts are averaged within an item, which then has a label when every attempt of it has one.

    Args:
        judged: the answers.
        baseline: system A.
        candidate: system B.
        drawn: how the answers to label were drawn.
        level: confidence level.

    Raises:
        InputError: some labels have a probability of being drawn and some have none.
    """
    rows = (
        _items(judged, baseline)
        .join(_items(judged, candidate), on="item", how="inner", suffix="_b")
        .sort("item")
    )
    what = f"{candidate} minus {baseline}"
    if rows.is_empty():
        nothing = Undefined("the judge read no item of both systems")
        return Corrected(what, nothing, nothing, nothing, nothing.reason, 0, 0)
    options = _options(
        rows.with_columns(
            label=pl.col("label") + pl.col("label_b"),
            probability=_both_drawn(rows),
        ),
        drawn=drawn,
        level=level,
    )
    names = ("label", "label_b", "verdict", "verdict_b")
    a, b, seen_a, seen_b = (rows[name].to_numpy().astype(float) for name in names)
    if judged.binary and judged.cut is not None and not rows["several"].any():
        seen_a, seen_b = (_passed(side, judged.cut) for side in (seen_a, seen_b))
    found = corrected_difference(
        a, b, seen_a, seen_b, low=judged.scale.low, high=judged.scale.high, **options
    )
    return _side_by_side(what, found)


def _both_drawn(rows: pl.DataFrame) -> pl.Expr:
    """Return the probability with which both answers to an item were drawn: of the item, or of each by itself."""
    of_items = rows.filter(
        (pl.col("label").is_null() != pl.col("label_b").is_null())
        | (pl.col("probability") != pl.col("probability_b"))
    ).is_empty()
    return pl.col("probability") if of_items else pl.col("probability") * pl.col("probability_b")


def passed(judged: Judged) -> pl.Series:
    """Return of each row whether the judge passes it: 1, 0, or null where it gave no verdict."""
    return judged.frame.select(
        pl.when(pl.col("verdict").is_not_null())
        .then((pl.col("verdict") >= judged.cut).cast(pl.Float64))
        .alias("passed")
    )["passed"]


def _passed(verdicts: Floats, cut: float) -> Floats:
    return np.where(np.isnan(verdicts), np.nan, (verdicts >= cut).astype(float))


def _levels(judged: Judged, verdicts: Floats) -> tuple[list[float | None], list[float]]:
    """Return the verdict of each row, passes and failures alone where there are many grades, and which ones pass."""
    cut = 0.5 if judged.cut is None else judged.cut
    seen = np.unique(verdicts[~np.isnan(verdicts)])
    if seen.size > 10:
        verdicts = _passed(verdicts, cut)
        seen, cut = np.unique(verdicts[~np.isnan(verdicts)]), 0.5
    told = [None if np.isnan(one) else float(one) for one in verdicts]
    return told, [float(one) for one in seen if one >= cut]


def _items(judged: Judged, system: str) -> pl.DataFrame:
    """Return a row an item of a system, attempts averaged."""
    label = pl.when(pl.col("label").is_null().any()).then(None).otherwise(pl.col("label").mean())
    rest = ("probability", "cluster", "stratum", "weight")
    return (
        judged.of(system)
        .group_by("item", maintain_order=True)
        .agg(
            *(pl.col(name).first() for name in rest),
            label=label,
            verdict=pl.col("verdict").mean(),
            several=pl.len() > 1,
        )
    )


def _options(rows: pl.DataFrame, *, drawn: Drawn, level: float) -> dict[str, Any]:
    """Return how rows hang together and how they were drawn, as the estimators take it."""
    options: dict[str, Any] = {"drawn": drawn, "level": level}
    clusters = row_clusters(rows)
    if clusters is not None:
        options["clusters"] = clusters
    weights = rows["weight"].fill_null(1.0).to_numpy()
    strata = rows["stratum"]
    if np.ptp(weights) > 0:
        options["weights"] = weights
    elif strata.null_count() == 0 and strata.n_unique() > 1:
        options["strata"] = strata.to_numpy()
    known = rows.filter(pl.col("label").is_not_null())["probability"]
    if known.null_count() < known.len():
        if known.null_count():
            raise InputError(
                f"{known.null_count()} of {known.len()} labelled answers have no probability of being drawn",
                remedy="Give every labelled answer one (column probability), or none",
            )
        options["chances"] = rows["probability"].to_numpy()
    return options


def _side_by_side(what: str, found: CorrectedRate | CorrectedMean | CorrectedDifference) -> Corrected:
    corrected = found.corrected
    return Corrected(
        what=what,
        raw=found.raw,
        people=found.people,
        corrected=corrected,
        why=corrected.why if isinstance(corrected, Estimate) else corrected.reason,
        labelled=found.labelled,
        judged=found.judged,
    )
