"""The value that a metric has of the whole corpus where no item has one."""

from __future__ import annotations

import polars as pl

from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.stats.results import Estimate, Undefined


def value_of_all(
    evidence: Evidence, side: Units, *, level: float, seed: int
) -> tuple[Estimate | Undefined, int] | None:
    """Return the value that one system's parts make together and of how many items; None where there are no parts.

    Args:
        evidence: the tables.
        side: the system's items under the metric.
        level: confidence level.
        seed: seed of resampling.
    """
    if evidence.is_lazy:
        return None
    kept = pl.col("parts").is_not_null()
    if not evidence.outcomes.filter(pl.col("metric") == side.metric, kept).height:
        return None
    from aliquot.analysis.side_corpus import corpus_of

    return corpus_of(evidence, side, level=level, seed=seed)
