"""Small evidence for the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from aliquot.evidence.assembly import assemble
from aliquot.evidence.tables import Evidence


def scored(system: str, scores: dict[str, float | None], **items: Sequence[object]) -> Evidence:
    """Return one system's values by item; ``items`` adds columns to the table of items."""
    outcomes = pl.DataFrame({"system": system, "item": list(scores), "value": list(scores.values())},
                            schema_overrides={"value": pl.Float64})  # fmt: skip
    return assemble(outcomes, items=pl.DataFrame({"item": list(scores), **items}) if items else None)
