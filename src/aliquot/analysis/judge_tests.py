"""Whether a judge errs alike for every system, on every slice and at every date; where not, a difference moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from aliquot.analysis.corrected import passed
from aliquot.analysis.judge_lines import FEWEST, fields_told
from aliquot.analysis.judged import Judged, row_clusters
from aliquot.findings.calibration import EqualErrors
from aliquot.stats.error_gaps import equal_errors
from aliquot.stats.results import HypothesisTest

MOST_LEVELS: Final = 6
"""Levels of a field up to which each two are tested."""

DATE: Final = "date of the labels"
"""What the halves before and after the middle date are called."""


def errors_apart(judged: Judged, *, level: float, seed: int) -> Iterator[EqualErrors]:
    """Yield the tests of equal errors between systems, levels of each field of the items, and dates.

    Of several levels it is the pair that differs most, with its p adjusted for all of them (Holm).

    Args:
        judged: the answers; labels pass or fail.
        level: confidence level.
        seed: seed of the permutations.
    """
    rows = judged.frame.with_columns(passed=passed(judged)).filter(pl.col("label").is_not_null())
    rows = _with_halves(rows)
    for by, column in (*fields_told(judged), (DATE, "half")):
        told = rows.filter(pl.col(column).is_not_null())
        counts = told[column].value_counts()
        kept = counts.filter(pl.col("count") >= FEWEST)[column].to_list()
        if not 2 <= len(kept) <= MOST_LEVELS:
            continue
        yield from _tested(told.filter(pl.col(column).is_in(kept)), by, column, level=level, seed=seed)


def _tested(rows: pl.DataFrame, by: str, column: str, *, level: float, seed: int) -> Iterator[EqualErrors]:
    found = equal_errors(
        rows["label"].to_numpy(),
        rows["passed"].fill_null(float("nan")).to_numpy(),
        by=rows[column].to_list(),
        items=rows["item"].to_list() if by == "system" else None,
        clusters=None
        if by == "system" and rows["cluster"].null_count() == rows.height
        else row_clusters(rows),
        level=level,
        rng=seed,
    )
    for share in ("sensitivity", "specificity"):
        tested = [gap for gap in found if gap.share == share and isinstance(gap.test, HypothesisTest)]
        if not tested:
            continue
        first = min(tested, key=lambda gap: gap.adjusted if isinstance(gap.adjusted, float) else 1.0)
        yield EqualErrors(
            by=by,
            share=share,
            first=first.first,
            second=first.second,
            difference=first.difference,
            test=first.test,
            adjusted=first.adjusted if isinstance(first.adjusted, float) else None,
        )


def _with_halves(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with ``half``: labelled before or from the middle date on; null without two dates."""
    days = rows["at"].drop_nulls().str.slice(0, 10).sort()
    if days.n_unique() < 2:
        return rows.with_columns(half=pl.lit(None, dtype=pl.String))
    middle = days[days.len() // 2]
    if middle == days[0]:
        middle = days.filter(days > middle)[0]
    before = pl.col("at").str.slice(0, 10) < middle
    half = pl.when(before).then(pl.lit(f"before {middle}")).otherwise(pl.lit(f"from {middle}"))
    return rows.with_columns(half=pl.when(pl.col("at").is_not_null()).then(half))
