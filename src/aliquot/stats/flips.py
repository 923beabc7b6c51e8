"""Sign flips of many columns of differences at once: a unit takes the same sign in every column.

A column is a system, a metric or a segment; a row is an item. What belongs to one unit (item or cluster) is
summed first; a random flip of all columns is then one row of a matrix product with random bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_codes
from aliquot.stats.inputs import Floats, Integers, as_array, as_values, as_weights

HELD = 2_000_000
"""Random bits held at once."""
TIE = 1e-9
"""Sums this close, relative to Σ|T|, are ties; flips that tie with the data count as extreme."""
_CONSTANT = 1e-12
"""Residuals below this share of the sums they come from are rounding."""
_EXACT_SUM = 2**24
"""Whole numbers up to this size are summed exactly in single precision."""

_COLLAPSE_FROM = 4096
"""Units from which equal rows are looked for."""
_BITS_PER_COUNT = 32
"""A binomial count costs about as much as this many random bits in the product."""


@dataclass(frozen=True, slots=True)
class ColumnUnits:
    """Sums by unit (rows) and column.

    Attributes:
        sums: Σ w d.
        sizes: Σ w over the rows that the column has.
        means: d̂ of each column.
    """

    sums: Floats
    sizes: Floats
    means: Floats

    @property
    def residuals(self) -> Floats:
        """Σ w (d − d̂) of each unit; a column without variation is exactly 0."""
        expected = self.means * self.sizes
        residuals = self.sums - expected
        norm = np.sqrt((residuals**2).sum(axis=0))
        constant = norm <= _CONSTANT * np.sqrt((self.sums**2 + expected**2).sum(axis=0))
        residuals[:, constant] = 0.0
        return residuals


def column_units(
    differences: ArrayLike, *, clusters: ArrayLike | None, weights: ArrayLike | None
) -> ColumnUnits:
    """Check a matrix of differences (NaN: the column does not have the row) and sum it by unit.

    Raises:
        UsageError: not a matrix, an infinite value, an empty column, or a wrong shape of the others.
    """
    d = _as_matrix(differences)
    w = np.ones(d.shape[0]) if weights is None else as_weights(weights, d.shape[0])
    held = ~np.isnan(d) & (w > 0)[:, None]
    empty = np.flatnonzero(~held.any(axis=0))
    if empty.size:
        raise UsageError(f"column {empty[0]} of differences has no value; leave it out")
    sums, sizes = np.where(held, d, 0.0) * w[:, None], held * w[:, None]
    means = sums.sum(axis=0) / sizes.sum(axis=0)
    if clusters is not None:
        codes = cluster_codes(clusters, d.shape[0])
        sums, sizes = (_by_cluster(part, codes) for part in (sums, sizes))
    kept = sizes.any(axis=1)
    return ColumnUnits(sums[kept], sizes[kept], means)


def sign_sums(units: Floats, *, draws: int, rng: np.random.Generator) -> Iterator[Floats]:
    """Σ ± u of each column under all sign patterns when they are no more than ``draws``, else random ones.

    All patterns are half of the 2^G there are: the other half has the opposite sums.
    """
    whole = np.abs(units).sum(axis=0).max(initial=0.0) < _EXACT_SUM and bool((np.rint(units) == units).all())
    kind = np.float32 if whole else np.float64
    total = units.sum(axis=0)
    if enumerable(units, draws=draws):
        batches = iter([_all_patterns(units.shape[0])])
    else:
        units, counts = _collapsed(units)
        batches = (
            _random_bits(units.shape[0], draws=draws, rng=rng)
            if counts is None
            else _random_counts(counts, draws=draws, rng=rng)
        )
    typed = units.astype(kind)
    for plus in batches:
        yield 2.0 * (plus.astype(kind) @ typed).astype(np.float64) - total


def column_norms(units: Floats) -> Floats:
    """√Σ T² of each column, which no flip changes."""
    return np.sqrt((units**2).sum(axis=0))


def enumerable(units: Floats, *, draws: int) -> bool:
    """Whether all sign patterns of these units are no more than ``draws``."""
    return units.shape[0] <= 40 and 2 ** max(0, units.shape[0] - 1) <= draws


def _collapsed(units: Floats) -> tuple[Floats, Integers | None]:
    """Rows that differ and how often each occurs, where that saves work; else the rows as they are, and None."""
    if units.shape[0] < _COLLAPSE_FROM:
        return units, None
    # sorting numbers is much faster than sorting rows, and unlike rows of one number are found out
    keys = units @ np.sqrt(np.arange(2.0, units.shape[1] + 2.0))
    _, firsts, kind, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    if counts.size * _BITS_PER_COUNT > units.shape[0] or (units != units[firsts][kind]).any():
        return units, None
    return units[firsts], counts


def _random_counts(counts: Integers, *, draws: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """How many units of each kind take the sign +."""
    step = max(1, HELD // counts.size)
    for start in range(0, draws, step):
        yield rng.binomial(counts, 0.5, size=(min(step, draws - start), counts.size))


def _all_patterns(units: int) -> NDArray[np.int64]:
    patterns = np.arange(2 ** max(0, units - 1))
    return ((patterns[:, None] >> np.arange(units)) & 1).astype(np.int64)


def _random_bits(units: int, *, draws: int, rng: np.random.Generator) -> Iterator[NDArray[np.uint8]]:
    width, step = (units + 7) // 8, max(1, HELD // units)
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        packed = np.frombuffer(rng.bytes(rows * width), dtype=np.uint8).reshape(rows, width)
        yield np.unpackbits(packed, axis=1, count=units)


def _as_matrix(differences: ArrayLike) -> Floats:
    array = as_array(differences, name="differences", wanted="a matrix: a row an item, a column a comparison")
    if array.ndim != 2 or array.dtype.kind not in "biuf" or not array.size:
        raise UsageError(
            "differences must be a matrix of numbers, a row an item and a column a comparison; "
            f"got shape {array.shape} of {array.dtype}"
        )
    matrix = array.astype(np.float64)
    as_values(matrix[~np.isnan(matrix)], name="differences", at_least=0)
    return matrix


def _by_cluster(rows: Floats, codes: Integers) -> Floats:
    return np.stack([np.bincount(codes, column).astype(np.float64) for column in rows.T], axis=1)
