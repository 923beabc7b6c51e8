"""What a judge gets right and wrong: over all labelled answers, by system and by slice, and whether it errs alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import polars as pl

from aliquot.analysis.corrected import passed
from aliquot.analysis.judged import ALL, Judged, row_clusters
from aliquot.findings.calibration import JudgeLine
from aliquot.stats.diagnostics import JudgeAccuracy, judge_accuracy
from aliquot.stats.judged_rows import Drawn, draw_weights
from aliquot.stats.results import Undefined

MOST_LEVELS: Final = 12
"""Levels of a field up to which it is told apart."""

FEWEST: Final = 10
"""Labelled answers below which a slice is not told apart."""


def judge_lines(judged: Judged, *, drawn: Drawn, level: float) -> Iterator[JudgeLine]:
    """Yield the judge's errors: over all labelled answers, then by system and by each field of the items.

    Args:
        judged: the answers; labels pass or fail.
        drawn: how the answers to label were drawn.
        level: confidence level.
    """
    rows = weighed(judged, drawn=drawn)
    yield _line(rows, "", ALL, level=level)
    for by, column in fields_told(judged):
        levels = rows[column].drop_nulls().unique().sort().to_list()
        if not 1 < len(levels) <= MOST_LEVELS:
            continue
        for name in levels:
            part = rows.filter(pl.col(column) == name)
            if part.height >= FEWEST:
                yield _line(part, by, str(name), level=level)


def weighed(judged: Judged, *, drawn: Drawn) -> pl.DataFrame:
    """Return the labelled rows with ``passed`` and ``stands_for``: how many judged answers each of them stands for.

    Labels drawn by verdict hold more of the rarer verdict than the answers do, so that unweighted they would show
    another sensitivity. Of labels that were picked nothing of the kind is known, and each stands for itself.

    Args:
        judged: the answers; labels pass or fail.
        drawn: how the answers to label were drawn, within each system.

    Raises:
        UsageError: strata are asked for and the items name none.
    """
    rows = judged.frame.with_columns(passed=passed(judged))
    labelled = rows["label"].is_not_null()
    verdict = "verdict" if rows["verdict"].n_unique() <= MOST_LEVELS else "passed"
    cells = rows.select("system", verdict).hash_rows().rank("dense").cast(pl.Int64).to_numpy() - 1
    named = rows["stratum"].null_count() == 0
    known = rows.filter(labelled)["probability"].null_count() == 0
    stands_for = draw_weights(
        rows["label"].fill_null(float("nan")).to_numpy(),
        cells,
        strata=rows["stratum"].rank("dense").cast(pl.Int64).to_numpy() - 1 if named else None,
        drawn=drawn,
        chances=rows["probability"].to_numpy() if known else None,
    )
    told = 1.0 if isinstance(stands_for, Undefined) else pl.Series(stands_for)
    return rows.filter(labelled).with_columns(stands_for=told)


def fields_told(judged: Judged) -> list[tuple[str, str]]:
    """Return the fields by which answers are told apart, with their columns."""
    return [("system", "system"), *((name, f"segment.{name}") for name in judged.segments)]


def accuracy_of(rows: pl.DataFrame, *, level: float) -> JudgeAccuracy:
    """Return the judge's accuracy on labelled rows as ``weighed`` gives them.

    Args:
        rows: the rows.
        level: confidence level.
    """
    weights = rows["stands_for"].to_numpy()
    return judge_accuracy(
        rows["label"].to_numpy(),
        rows["passed"].fill_null(float("nan")).to_numpy(),
        clusters=row_clusters(rows),
        weights=None if np.ptp(weights) == 0 else weights,
        level=level,
    )


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
