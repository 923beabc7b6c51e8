"""Rows become arrays here and nowhere else: the samples that the methods are handed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypedDict

import numpy as np
import polars as pl

from aliquot.evidence.units import Pairs, Units
from aliquot.stats.inputs import Floats, Integers


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What is known of the items of a sample, sorted by id, whatever was measured on them.

    Attributes:
        items: ids.
        clusters: cluster code of each item, or None when none is known.
        strata: stratum code of each item, or None.
        weights: weight of each item, or None when all weigh the same.
        places: place of each item in the order in which a run could stop; None when it could not.
        largest: rows of the largest cluster of such a run's items.
    """

    items: tuple[str, ...]
    clusters: Integers | None = None
    strata: Integers | None = None
    weights: Floats | None = None
    places: Integers | None = None
    largest: int = 1

    @property
    def n(self) -> int:
        """Number of items."""
        return len(self.items)

    @property
    def n_clusters(self) -> int | None:
        """Number of clusters, or None when none is known."""
        return None if self.clusters is None else int(np.unique(self.clusters).size)

    @property
    def repeated(self) -> bool:
        """Whether any item has more than one attempt."""
        raise NotImplementedError

    def ids_where(self, mask: np.ndarray) -> tuple[str, ...]:
        """Return the ids of the items a mask picks."""
        return tuple(self.items[i] for i in np.flatnonzero(mask))


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSample(Sample):
    """Items on which one system has a value.

    Attributes:
        values: the system's mean over attempts, one an item.
        attempts: attempts with a value behind each mean.
    """

    values: Floats
    attempts: Integers

    @property
    def repeated(self) -> bool:
        """Whether any item has more than one attempt."""
        return bool(self.attempts.max(initial=1) > 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedSample(Sample):
    """Items with a value on both sides.

    Attributes:
        a: the baseline's mean over attempts, one an item.
        b: the candidate's.
        k_a: attempts with a value of the baseline.
        k_b: attempts with a value of the candidate.
    """

    a: Floats
    b: Floats
    k_a: Integers
    k_b: Integers

    @property
    def d(self) -> Floats:
        """Candidate minus baseline, one an item."""
        return self.b - self.a

    @property
    def repeated(self) -> bool:
        """Whether any item has more than one attempt on either side."""
        return bool(max(self.k_a.max(initial=1), self.k_b.max(initial=1)) > 1)

    def sides(self) -> tuple[Floats, Floats]:
        """Return the values of baseline and candidate."""
        return self.a, self.b

    def baseline(self) -> SystemSample:
        """Return the baseline's part."""
        return self._side(self.a, self.k_a)

    def candidate(self) -> SystemSample:
        """Return the candidate's part."""
        return self._side(self.b, self.k_b)

    def _side(self, values: Floats, attempts: Integers) -> SystemSample:
        return SystemSample(
            items=self.items,
            clusters=self.clusters,
            strata=self.strata,
            weights=self.weights,
            places=self.places,
            largest=self.largest,
            values=values,
            attempts=attempts,
        )


def _codes(column: pl.Series, ids: pl.Series) -> Integers | None:
    """Return integer codes for a label column; an item without a label is a group of its own; None without labels."""
    if column.null_count() == column.len():
        return None
    own = pl.concat_str(pl.lit("item:"), ids)
    labels = pl.select(pl.coalesce(pl.concat_str(pl.lit("label:"), column), own)).to_series()
    return np.unique(labels.to_numpy(), return_inverse=True)[1].astype(np.int64)


def _weights(column: pl.Series) -> Floats | None:
    values = column.fill_null(1.0).to_numpy().astype(np.float64)
    return None if values.size == 0 or np.ptp(values) == 0 else values


class _Known(TypedDict):
    """What the evidence says of the items, as arrays."""

    items: tuple[str, ...]
    clusters: Integers | None
    strata: Integers | None
    weights: Floats | None
    places: Integers | None
    largest: int


def _known(frame: pl.DataFrame) -> _Known:
    clusters = _codes(frame["cluster"], frame["item"])
    return _Known(
        items=tuple(frame["item"].to_list()),
        clusters=None if clusters is None or np.unique(clusters).size == clusters.size else clusters,
        strata=_codes(frame["stratum"], frame["item"]),
        weights=_weights(frame["weight"]),
        places=_places(frame),
        largest=int(frame["largest"].max() or 1) if "largest" in frame.columns else 1,  # pyright: ignore[reportArgumentType] - a column of whole numbers
    )


def _places(frame: pl.DataFrame) -> Integers | None:
    """Return the items' places in an order in which a run could stop; None when any of them has none."""
    if "place" not in frame.columns or frame["place"].null_count():
        return None
    return frame["place"].to_numpy().astype(np.int64)


def paired_sample(pairs: Pairs) -> PairedSample:
    """Return the items of a pairing that have a value on both sides."""
    frame = pairs.frame.drop_nulls(["a", "b"])
    return PairedSample(
        **_known(frame),
        a=frame["a"].to_numpy().astype(np.float64),
        b=frame["b"].to_numpy().astype(np.float64),
        k_a=frame["k_a"].to_numpy().astype(np.int64),
        k_b=frame["k_b"].to_numpy().astype(np.int64),
    )


def system_sample(units: Units) -> SystemSample:
    """Return the items on which one system has a value."""
    frame = units.frame.drop_nulls("mean")
    return SystemSample(
        **_known(frame),
        values=frame["mean"].to_numpy().astype(np.float64),
        attempts=frame["k"].to_numpy().astype(np.int64),
    )


def filled_system(units: Units, *, fill: float) -> SystemSample:
    """Return every item a system was given, with its missing attempts counted as ``fill``."""
    attempts = pl.col("k") + pl.col("missing")
    total = pl.col("mean").fill_null(0.0) * pl.col("k") + fill * pl.col("missing")
    frame = units.frame.with_columns((total / attempts).alias("mean"), attempts.alias("k"))
    return system_sample(replace(units, frame=frame))


def filled_sample(pairs: Pairs, *, fill_a: float, fill_b: float) -> PairedSample:
    """Return every item of either system with its missing attempts counted as ``fill_a`` and ``fill_b``."""

    def filled(mean: str, k: str, missing: str, fill: float) -> tuple[pl.Expr, pl.Expr]:
        attempts = pl.col(k) + pl.col(missing)
        total = pl.col(mean).fill_null(0.0) * pl.col(k) + fill * pl.col(missing)
        return (total / attempts).alias(mean), attempts.alias(k)

    frame = items_of_either(pairs).with_columns(
        *filled("a", "k_a", "missing_a", fill_a), *filled("b", "k_b", "missing_b", fill_b)
    )
    return paired_sample(replace(pairs, frame=frame))


def items_of_either(pairs: Pairs) -> pl.DataFrame:
    """Return the shared items and those that one system alone has: its attempts are missing on the other side."""
    a = pairs.baseline.frame.rename({"mean": "a", "k": "k_a", "missing": "missing_a"})
    b = pairs.candidate.frame.rename({"mean": "b", "k": "k_b", "missing": "missing_b"})
    only_a = a.join(b, on="item", how="anti").with_columns(
        k_b=0, missing_b=pl.col("k_a") + pl.col("missing_a")
    )
    only_b = b.join(a, on="item", how="anti").with_columns(
        k_a=0, missing_a=pl.col("k_b") + pl.col("missing_b")
    )
    return pl.concat([pairs.frame, only_a, only_b], how="diagonal_relaxed").sort("item")
