"""What the missing rows could hide: the verdict under the extreme readings of them."""

from __future__ import annotations

import polars as pl

from aliquot.analysis.arrays import filled_sample, items_of_either
from aliquot.analysis.method import analyse_pairs
from aliquot.evidence.units import Pairs
from aliquot.findings.comparison import MissingReadings, Reading, Scale
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
    if rows == 0 or scale.low is None or scale.high is None or verdict.word == "nothing_to_judge":
        return None
    failed, passed = (scale.high, scale.low) if scale.better == "lower" else (scale.low, scale.high)

    def reading(fill_a: float, fill_b: float) -> Reading:
        sample = filled_sample(pairs, fill_a=fill_a, fill_b=fill_b)
        found = analyse_pairs(sample, scale, level=level, seed=seed).difference
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
