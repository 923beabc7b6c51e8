"""Whether a metric orders answers and systems as people do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypedDict

import numpy as np
import polars as pl

from aliquot.analysis.judged import Floats, Judged, row_clusters
from aliquot.findings.agreement import Coefficient
from aliquot.findings.agreement_words import title_of_measure
from aliquot.stats.correlations import Correlation, kendall_tau, pearson_correlation, spearman_correlation
from aliquot.stats.metric_ranking import (
    MetricAgreement,
    item_accuracy,
    item_correlation,
    system_accuracy,
    system_correlation,
)
from aliquot.stats.results import Undefined

FEWEST_SYSTEMS: Final = 3
"""Systems from which their order says something."""

RESAMPLES: Final = 1999

ANSWERS: Final = {
    "spearman": ("answers, by ranks", spearman_correlation),
    "pearson": ("answers, on a line", pearson_correlation),
    "kendall_tau": ("answers, by pairs", kendall_tau),
}


class _Asked(TypedDict):
    clusters: list[str] | None
    level: float
    n_resamples: int
    rng: int


def metric_against_people(judged: Judged, *, level: float, seed: int) -> Iterator[Coefficient]:
    """Yield how a metric goes with people: answer by answer, system by system within an item, and over systems.

    Args:
        judged: the answers.
        level: confidence level.
        seed: seed of the resamples.
    """
    rows = judged.frame.filter(pl.col("label").is_not_null(), pl.col("verdict").is_not_null())
    if rows["verdict"].n_unique() > 2 or rows["label"].n_unique() > 2:
        x, y = rows["verdict"].to_numpy(), rows["label"].to_numpy()
        for name, (says, correlation) in ANSWERS.items():
            found = correlation(
                x, y, clusters=row_clusters(rows), level=level, n_resamples=RESAMPLES, rng=seed
            )
            yield _measure(name, says, found)
    if len(judged.systems) < 2:
        return
    items = rows["item"].unique().sort().to_list()
    metric, people = (_cells(rows, items, judged.systems, column) for column in ("verdict", "label"))
    asked = _Asked(clusters=_item_clusters(rows, items), level=level, n_resamples=RESAMPLES, rng=seed)
    yield _measure(
        "item_accuracy",
        "two systems on an item, ties too",
        item_accuracy(metric, people, epsilon=_ties_up_to(rows), **asked),
    )
    yield _measure(
        "item_correlation",
        "systems within an item",
        item_correlation(metric, people, **asked),
    )
    if len(judged.systems) < FEWEST_SYSTEMS:
        return
    yield _measure(
        "system_accuracy",
        "two systems, by their means",
        system_accuracy(metric, people, **asked),
    )
    yield _measure(
        "system_correlation",
        "systems' means, on a line",
        system_correlation(metric, people, **asked),
    )


def _cells(rows: pl.DataFrame, items: list[str], systems: tuple[str, ...], column: str) -> Floats:
    """Return items × systems of a column, attempts averaged; NaN where there is none."""
    cells = np.full((len(items), len(systems)), np.nan)
    place = {item: at for at, item in enumerate(items)}
    means = rows.group_by("item", "system", maintain_order=True).agg(pl.col(column).mean())
    for item, system, value in means.iter_rows():
        cells[place[item], systems.index(system)] = value
    return cells


def _ties_up_to(rows: pl.DataFrame) -> float | None:
    """Return 0 for a judge that passes or fails, which has ties of its own; None to calibrate those of a score."""
    return 0.0 if rows["verdict"].n_unique() <= 2 else None


def _item_clusters(rows: pl.DataFrame, items: list[str]) -> list[str] | None:
    """Return the cluster of each item, an item without one being its own; None when nothing names any."""
    if rows["cluster"].null_count() == rows.height:
        return None
    named = dict(rows.filter(pl.col("cluster").is_not_null()).select("item", "cluster").iter_rows())
    return [f"cluster {named[item]}" if item in named else f"item {item}" for item in items]


def _measure(name: str, says: str, found: Correlation | MetricAgreement | Undefined) -> Coefficient:
    if isinstance(found, Undefined):
        return Coefficient(name, title_of_measure(name), says, None, found)
    return Coefficient(name, title_of_measure(name), says, found.point, found.interval)
