"""What the missing rows could hide: the verdict under the extreme readings of them."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from aliquot.analysis.arrays import filled_sample, filled_system, items_of_either
from aliquot.analysis.method import Analysed, analyse_pairs
from aliquot.analysis.unpaired import analyse_unpaired
from aliquot.evidence.units import Pairs
from aliquot.findings.comparison import MissingReadings, Reading
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Verdict, read_verdict


def read_missing(
    pairs: Pairs, scale: Scale, *, level: float, margin: float | None, seed: int, verdict: Verdict
) -> MissingReadings | None:
    """Return the readings of the missing rows, and of items only one system has.

    None when nothing is missing, when nothing could be judged, or when the metric has no bounds to fill in.

    Args:
        pairs: the shared items.
        scale: the metric's scale; "failed" is its worse bound, "passed" its better one.
        level: confidence level.
        margin: margin of the verdict.
        seed: seed of the tests.
        verdict: the verdict over what was measured.
    """
    rows = items_of_either(pairs).filter((pl.col("missing_a") > 0) | (pl.col("missing_b") > 0)).height

    def analyse(fill_a: float, fill_b: float) -> Analysed:
        return analyse_pairs(
            filled_sample(pairs, fill_a=fill_a, fill_b=fill_b), scale, level=level, seed=seed
        )

    return _readings(analyse, rows, scale, margin=margin, verdict=verdict)


def read_missing_unpaired(
    pairs: Pairs, scale: Scale, *, level: float, margin: float | None, seed: int, verdict: Verdict
) -> MissingReadings | None:
    """Return the readings of the rows each system lacks among its own items; otherwise as ``read_missing``."""
    sides = (pairs.baseline, pairs.candidate)
    rows = sum(side.frame.filter(pl.col("missing") > 0).height for side in sides)

    def analyse(fill_a: float, fill_b: float) -> Analysed:
        a, b = (filled_system(side, fill=fill) for side, fill in zip(sides, (fill_a, fill_b), strict=True))
        return analyse_unpaired(a, b, scale, level=level, seed=seed, why="")

    return _readings(analyse, rows, scale, margin=margin, verdict=verdict)


def _readings(
    analyse: Callable[[float, float], Analysed],
    rows: int,
    scale: Scale,
    *,
    margin: float | None,
    verdict: Verdict,
) -> MissingReadings | None:
    """Return the four readings from the analysis of the rows filled with a value for each side."""
    if rows == 0 or scale.low is None or scale.high is None or verdict.word == "nothing_to_judge":
        return None
    failed, passed = (scale.high, scale.low) if scale.better == "lower" else (scale.low, scale.high)

    def reading(fill_a: float, fill_b: float) -> Reading:
        found = analyse(fill_a, fill_b).difference
        return Reading(found, read_verdict(found, margin=margin, better=scale.better)[0])

    readings = {
        "all_failed": reading(failed, failed),
        "all_passed": reading(passed, passed),
        "least": reading(passed, failed),
        "most": reading(failed, passed),
    }
    return MissingReadings(
        **readings, rows=rows, changes_verdict=any(found.word != verdict.word for found in readings.values())
    )
