"""The part of evidence that belongs to some items: a segment, or everything but what is quarantined."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import narwhals as nw
import polars as pl

from aliquot.evidence.tables import Evidence, LazyTable

SEGMENT = "segment."
"""Begins the columns of the items that are reporting slices."""


def with_items(evidence: Evidence, items: Collection[str], *, kept: bool = True) -> Evidence:
    """Return the evidence on these items only, or on all others.

    Args:
        evidence: the tables.
        items: ids.
        kept: False takes these items out.
    """
    wanted = list(items)

    def chosen(held: pl.DataFrame | LazyTable) -> pl.DataFrame | LazyTable:
        if isinstance(held, LazyTable):
            these = nw.col("item").is_in(wanted)
            return replace(held, rows=held.rows.filter(these if kept else ~these))
        return _filtered(held, wanted, kept=kept)

    return evidence.revise(
        items=_filtered(evidence.items, wanted, kept=kept),
        responses=chosen(evidence.held("responses")),
        outcomes=chosen(evidence.held("outcomes")),
    )


def _filtered(frame: pl.DataFrame, items: list[str], *, kept: bool) -> pl.DataFrame:
    these = pl.col("item").is_in(items)
    return frame.filter(these if kept else ~these)


def levels_of(evidence: Evidence, field: str, *, task: str) -> dict[str, list[str]]:
    """Return the levels of a field of the items with their items, by name; empty when there is no such field."""
    column = f"{SEGMENT}{field}"
    if column not in evidence.items.columns:
        return {}
    rows = evidence.items.filter(pl.col("task") == task).drop_nulls(column)
    grouped = rows.group_by(column, maintain_order=True).agg("item")
    return dict(sorted(grouped.iter_rows()))
