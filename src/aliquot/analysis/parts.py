"""The items' fields, and the part of a paired sample that holds some of its items."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray

from aliquot.analysis.arrays import PairedSample
from aliquot.errors import UsageError, nearest
from aliquot.evidence.units import Pairs
from aliquot.stats.inputs import Integers

SEGMENT: Final = "segment."


def fields_of(pairs: Pairs) -> tuple[str, ...]:
    """Return the names of the items' fields, in the order of the columns."""
    return tuple(name.removeprefix(SEGMENT) for name in pairs.frame.columns if name.startswith(SEGMENT))


def labels_of(pairs: Pairs, sample: PairedSample, field: str) -> tuple[str | None, ...]:
    """Return the value of a field for each item of a sample.

    Raises:
        UsageError: the items have no such field.
    """
    name = field.removeprefix(SEGMENT)
    if name not in fields_of(pairs):
        raise UsageError(f"the items have no field {field!r}. {nearest(name, fields_of(pairs))}")
    known = pairs.frame.select("item", label=pl.col(SEGMENT + name))
    items = pl.DataFrame({"item": sample.items}, schema={"item": pl.String})
    return tuple(items.join(known, on="item", how="left", maintain_order="left")["label"].to_list())


def part_of(sample: PairedSample, kept: NDArray[np.bool_]) -> PairedSample:
    """Return the items a mask picks; clusters of one item each and equal weights say nothing and become None."""
    clusters, weights = sample.clusters, sample.weights
    if clusters is not None:
        clusters = _codes(clusters[kept])
        clusters = None if np.unique(clusters).size == clusters.size else clusters
    if weights is not None:
        weights = None if np.ptp(weights[kept]) == 0 else weights[kept]
    return replace(
        sample,
        items=sample.ids_where(kept),
        clusters=clusters,
        strata=None if sample.strata is None else _codes(sample.strata[kept]),
        weights=weights,
        a=sample.a[kept],
        b=sample.b[kept],
        k_a=sample.k_a[kept],
        k_b=sample.k_b[kept],
    )


def _codes(labels: Integers) -> Integers:
    return np.unique(labels, return_inverse=True)[1].astype(np.int64)
