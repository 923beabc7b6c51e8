"""What a judge gets right and wrong: over all labelled answers, by system and by slice, and whether it errs alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from aliquot.analysis.corrected import passed
from aliquot.analysis.judged import ALL, Judged
from aliquot.findings.calibration import JudgeLine
from aliquot.stats.diagnostics import JudgeAccuracy, judge_accuracy

MOST_LEVELS: Final = 12
"""Levels of a field up to which it is told apart."""

FEWEST: Final = 10
"""Labelled answers below which a slice is not told apart."""


def judge_lines(judged: Judged, *, level: float) -> Iterator[JudgeLine]:
    """Yield the judge's errors: over all labelled answers, then by system and by each field of the items.

    Args:
        judged: the answers; labels pass or fail.
        level: confidence level.
    """
    rows = judged.frame.with_columns(passed=passed(judged)).filter(pl.col("label").is_not_null())
    yield _line(rows, "", ALL, level=level)
    for by, column in fields_told(judged):
        levels = rows[column].drop_nulls().unique().sort().to_list()
        if not 1 < len(levels) <= MOST_LEVELS:
            continue
        for name in levels:
            part = rows.filter(pl.col(column) == name)
            if part.height >= FEWEST:
                yield _line(part, by, str(name), level=level)


def fields_told(judged: Judged) -> list[tuple[str, str]]:
    """Return the fields by which answers are told apart, with their columns."""
    return [("system", "system"), *((name, f"segment.{name}") for name in judged.segments)]


def accuracy_of(rows: pl.DataFrame, *, level: float) -> JudgeAccuracy:
    """Return the judge's accuracy on labelled rows with a column ``passed``.

    Args:
        rows: the rows.
        level: confidence level.
    """
    weights = None
    if rows["probability"].null_count() == 0:
        weights = (1 / rows["probability"]).to_numpy()
    return judge_accuracy(
        rows["label"].to_numpy(),
        rows["passed"].cast(pl.Float64).fill_null(float("nan")).to_numpy(),
        clusters=row_clusters(rows),
        weights=weights,
        level=level,
    )


def row_clusters(rows: pl.DataFrame) -> list[str] | None:
    """Return what holds answers together: their cluster, else their item where several answers are of one."""
    if rows["cluster"].null_count() == rows.height:
        return rows["item"].to_list() if rows["item"].n_unique() < rows.height else None
    return rows.select(pl.coalesce("cluster", pl.format("item {}", "item")))["cluster"].to_list()


def _line(rows: pl.DataFrame, by: str, name: str, *, level: float) -> JudgeLine:
    found = accuracy_of(rows, level=level)
    pairs = rows.select("label", "passed").drop_nulls()

    def count(label: float, verdict: float) -> int:
        return pairs.filter(pl.col("label") == label, pl.col("passed") == verdict).height

    return JudgeLine(
        by=by,
        name=name,
        labelled=pairs.height,
        true_pass=count(1, 1),
        false_pass=count(0, 1),
        false_fail=count(1, 0),
        true_fail=count(0, 0),
        sensitivity=found.sensitivity,
        specificity=found.specificity,
        ppv=found.ppv,
        npv=found.npv,
    )
