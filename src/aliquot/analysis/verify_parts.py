"""What HELM prints of a part of the items (``mean, sub_split=p1``), held against the rows of that part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from aliquot.analysis.arrays import system_sample
from aliquot.analysis.parts import SEGMENT
from aliquot.analysis.verify_errors import trial_means
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.verification import Check

DEVIATION = "stddev"

ONLY_TRIALS = (
    "HELM's stddev is the population deviation over trials, 0 where there is one trial; it is no error of the mean, "
    "which the rows give. Here: "
)
"""What is to be said once where a log prints it."""


def check_parts(
    evidence: Evidence, side: Units, printed: Mapping[str, float], *, name: str
) -> Iterator[tuple[str, Check]]:
    """Return each statistic of a part, or of all items, that can be recomputed, with its check.

    Args:
        evidence: the tables.
        side: one system's items under one metric.
        printed: statistic → value.
        name: of what they were printed.
    """
    for statistic, value in printed.items():
        base, *conditions = statistic.split(", ")
        if base not in {"mean", DEVIATION} or (base == "mean" and not conditions):
            continue
        part = _part(side, conditions)
        sample = None if part is None else system_sample(part)
        if part is None or sample is None or sample.n == 0:
            continue
        ours = (
            float(np.mean(sample.values))
            if base == "mean"
            else float(np.std(trial_means(evidence, part, sample)))
        )
        fits = abs(ours - value) <= 1e-9
        cause = "" if fits else "the rows give another number"
        yield (
            statistic,
            Check(
                f"{name}, {statistic}", f"{value:.6g}", f"{ours:.6g}", "fits" if fits else "differs", cause
            ),
        )


def remark_deviations(side: Units, printed: Mapping[str, float]) -> Iterator[str]:
    """Say what error of the mean stands behind a printed deviation over trials that is smaller than it.

    Args:
        side: one system's items under one metric.
        printed: statistic → value.
    """
    for statistic, value in printed.items():
        base, *conditions = statistic.split(", ")
        part = _part(side, conditions) if base == DEVIATION else None
        sample = None if part is None else system_sample(part)
        if sample is None or sample.n < 2:
            continue
        due = float(np.std(sample.values, ddof=1)) / sample.n**0.5
        if value < due:
            yield (
                f"{ONLY_TRIALS}{side.system}, {side.task}, {side.metric}, {statistic} {value:.4g}; the error of that "
                f"mean over {sample.n} items is {due:.4g}."
            )


def _part(side: Units, conditions: list[str]) -> Units | None:
    """Return the items that meet ``field=value`` conditions; None where the items have no such field."""
    frame = side.frame
    for condition in conditions:
        field, equals, text = condition.partition("=")
        if not equals or f"{SEGMENT}{field}" not in frame.columns:
            return None
        frame = frame.filter(pl.col(f"{SEGMENT}{field}") == text)
    return replace(side, frame=frame)
