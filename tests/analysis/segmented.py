"""Pairs of systems main and pr whose items have fields, for the tests of segments, shares and composites."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from aliquot.analysis.arrays import PairedSample, paired_sample
from aliquot.evidence.assembly import assemble
from aliquot.evidence.matching import pair
from aliquot.evidence.units import Pairs
from aliquot.findings.scale import Scale

BINARY = Scale(kind="binary", low=0.0, high=1.0, better="higher")
SCORE = Scale(kind="bounded", low=0.0, high=1.0, better="higher")


def segmented(
    main: Sequence[float | Sequence[float]],
    pr: Sequence[float | Sequence[float]],
    *,
    clusters: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
    **fields: Sequence[str | None],
) -> tuple[Pairs, PairedSample]:
    """Return pairs and sample of items q-000, q-001 …; a value is a number or a list of attempts."""
    rows = [
        {"system": system, "item": f"q-{i:03d}", "attempt": k, "value": one}
        for system, values in (("main", main), ("pr", pr))
        for i, value in enumerate(values)
        for k, one in enumerate(value if isinstance(value, Sequence) else [value], start=1)
    ]
    known: Mapping[str, object] = {
        "item": [f"q-{i:03d}" for i in range(len(main))],
        **({"cluster": clusters} if clusters else {}),
        **({"weight": weights} if weights else {}),
        **{f"segment.{name}": values for name, values in fields.items()},
    }
    evidence = assemble(pl.DataFrame(rows, schema_overrides={"value": pl.Float64}), items=pl.DataFrame(known))
    pairs = pair(evidence, "main", "pr", task="task", metric="value")
    return pairs, paired_sample(pairs)
