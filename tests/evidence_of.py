"""Small evidence for tests, written out row by row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Evidence

Value = float | None


def evidence_of(
    systems: Mapping[str, Sequence[Value] | Sequence[Sequence[Value]]],
    *,
    clusters: Sequence[str | None] | None = None,
    statuses: Mapping[str, Sequence[str]] | None = None,
    settings: Mapping[str, Mapping[str, str]] | None = None,
    latency: Mapping[str, float] | None = None,
    metrics: pl.DataFrame | None = None,
) -> Evidence:
    """Return evidence of one task with items q-000, q-001 …; a value is a number, None, or a list of attempts."""
    rows: list[dict[str, Any]] = []
    for system, values in systems.items():
        for i, value in enumerate(values):
            attempts = value if isinstance(value, Sequence) else [value]
            for k, one in enumerate(attempts, start=1):
                status = (
                    statuses[system][i]
                    if statuses and system in statuses
                    else "ok"
                    if one is not None
                    else "missing"
                )
                rows.append(
                    {"system": system, "item": f"q-{i:03d}", "attempt": k, "value": one, "status": status}
                )
    outcomes = pl.DataFrame(rows, schema_overrides={"value": pl.Float64})
    size = max(len(values) for values in systems.values())
    items = pl.DataFrame(
        {"item": [f"q-{i:03d}" for i in range(size)], "cluster": clusters or [None] * size},
        schema_overrides={"cluster": pl.String},
    )
    responses = None
    if latency:
        responses = outcomes.select("system", "item", "attempt", "status").with_columns(
            pl.col("system").replace_strict(latency, default=None).alias("latency_s")
        )
    named = [
        {"system": system, "name": name, "value": value}
        for system, pairs in (settings or {}).items()
        for name, value in pairs.items()
    ]
    return assemble(
        outcomes,
        items=items,
        responses=responses,
        metrics=metrics,
        settings=pl.DataFrame(named) if named else None,
    )


def pass_fail(both: int, broke: int, fixed: int, neither: int) -> dict[str, list[float]]:
    """Return the values of systems main and pr with this table."""
    return {
        "main": [1.0] * (both + broke) + [0.0] * (fixed + neither),
        "pr": [1.0] * both + [0.0] * broke + [1.0] * fixed + [0.0] * neither,
    }
