"""How a metric's numbers are read."""

from __future__ import annotations

import polars as pl

from aliquot.evidence.tables import Evidence
from aliquot.findings.scale import Scale


def scale_of(evidence: Evidence, metric: str) -> Scale:
    """Return how a metric's numbers are read."""
    row = evidence.metrics.filter(pl.col("metric") == metric).row(0, named=True)
    return Scale(kind=row["kind"], low=row["low"], high=row["high"], better=row["better"])
