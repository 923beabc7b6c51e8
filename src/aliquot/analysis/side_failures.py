"""The responses without an answer, by system, status, stage and reason."""

from __future__ import annotations

from typing import Any, Final

import narwhals as nw

from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Pairs
from aliquot.findings.side_metrics import Failures

MOST_REASONS: Final = 20
"""Kinds of failure told, the most frequent first."""


def find_failures(evidence: Evidence, pairs: Pairs) -> tuple[Failures, ...]:
    """Return the responses without an answer, by system, status, stage and reason.

    Args:
        evidence: the tables.
        pairs: the two systems.
    """
    found: list[Failures] = []
    key = ("status", "stage", "reason")
    for units in (pairs.baseline, pairs.candidate):
        if units.answered == 1:
            continue
        rows = evidence.scan("responses", system=units.system, task=units.task)
        named = rows.filter(nw.col("status") != "ok").select(
            "status", *(nw.col(name).fill_null("") for name in key[1:])
        )
        counts: Any = (
            named.group_by(*key).agg(nw.len().cast(nw.Int64).alias("rows")).collect(backend="polars")
        )
        ranked = counts.to_native().sort("rows", *key, descending=[True, False, False, False])
        found += [Failures(units.system, *row) for row in ranked.head(MOST_REASONS).iter_rows()]
    return tuple(found)
