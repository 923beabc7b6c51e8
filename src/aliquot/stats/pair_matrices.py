"""All pairs of K systems on the items each two share, by masked matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_codes
from aliquot.stats.inputs import Floats, Integers, as_array, as_values
from aliquot.stats.results import Record

_EXACT_SUM = 2**24
"""Counts up to this size are summed exactly in single precision."""
_HELD = 16_000_000
"""Cells of one block of items."""


@dataclass(frozen=True, slots=True)
class AllPairs(Record):
    """Every pair of K systems: row the baseline, column the candidate, so that every difference is column − row.

    Attributes:
        n: items that the two share.
        both: items that both get right; None for scores other than 0 and 1.
        broke: items that the row gets right and the column wrong.
        fixed: items that the column gets right and the row wrong.
        neither: items that both get wrong.
        difference: mean of column minus row over the shared items; 0 where there are none.
        se: √((ψ̂ − d̂²)/n) for 0 and 1, s/√n for scores, √V (CR2) with clusters; 0 where ``known`` is false.
        known: pairs whose difference and standard error exist: an item in common, two for scores, two clusters with
            clusters. The cells of the others hold 0 and mean nothing.
        systems: K.
    """

    n: Integers
    both: Integers | None
    broke: Integers | None
    fixed: Integers | None
    neither: Integers | None
    difference: Floats
    se: Floats
    known: NDArray[np.bool_]
    systems: int


def all_pairs(values: ArrayLike, *, clusters: ArrayLike | None = None) -> AllPairs:
    """Compare all pairs of systems on the items that each two share.

    Args:
        values: scores, shape (items, systems); NaN where a system has no value. Only 0 and 1: counts are given too.
        clusters: one label an item; standard errors are then cluster-robust.

    Returns:
        Matrices of shape (systems, systems). Counts are exact whatever the number of items. Limits for all pairs at
        once: ``tango_limits(found.fixed, found.broke, found.n, z=…)`` off the diagonal.

    Raises:
        UsageError: not a matrix of numbers, an infinite value, or a wrong number of labels.

    References:
        Bell & McCaffrey (2002), Survey Methodology 28:169, for the variance with clusters.

    Examples:
        >>> found = all_pairs([[1, 1, 0], [0, 1, 1], [0, 1, float("nan")], [1, 0, 1]])
        >>> found.n.tolist(), found.fixed[0].tolist(), found.broke[0].tolist()
        ([[4, 4, 3], [4, 4, 3], [3, 3, 3]], [0, 2, 1], [0, 1, 1])
        >>> found.difference[0].round(3).tolist()
        [0.0, 0.25, 0.0]
    """
    table = _as_table(values)
    codes = None if clusters is None else cluster_codes(clusters, table.shape[0])
    binary = bool(((table == 0) | (table == 1) | np.isnan(table)).all())
    if not binary:
        as_values(table[~np.isnan(table)], name="values", at_least=0)
    if binary:
        n, right, both = _binary_sums(table)
        broke = right - both  # right[i, j]: items that i gets right among those it shares with j
        fixed = np.ascontiguousarray(broke.T)
        total, square = (fixed - broke).astype(np.float64), (fixed + broke).astype(np.float64)
        counts = (both, broke, fixed, n - both - broke - fixed)
    else:
        n, total, square = _graded_sums(table)
        counts = (None, None, None, None)
    size = np.maximum(n, 1)
    difference = total / size
    if codes is not None:
        variance, known = _clustered(table, codes, n, difference)
    else:
        spread = np.maximum(0.0, square / size - difference**2)
        known = n >= (1 if binary else 2)
        variance = spread / (size if binary else np.maximum(1, size - 1))
    se = np.where(known, np.sqrt(variance), 0.0)
    return AllPairs(n, *counts, difference, se, known, table.shape[1])


def _as_table(values: ArrayLike) -> NDArray[Any]:
    """Return a matrix of numbers and NaN."""
    table = as_array(values, name="values", wanted="a matrix: a row an item, a column a system")
    if table.ndim != 2 or table.dtype.kind not in "biuf" or not table.size:
        raise UsageError(
            "values must be a matrix of numbers, a row an item and a column a system; "
            f"got shape {table.shape} of {table.dtype}"
        )
    return table


def _blocks(items: int, systems: int) -> Iterator[slice]:
    """Items in blocks of bounded memory, whose counts single precision holds exactly."""
    step = max(1, min(_EXACT_SUM - 1, _HELD // systems))
    return (slice(start, start + step) for start in range(0, items, step))


def _binary_sums(table: NDArray[Any]) -> tuple[Integers, Integers, Integers]:
    """Shared items, items that the row gets right among them, and items that both get right."""
    shape = (table.shape[1], table.shape[1])
    n, right, both = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    for rows in _blocks(*table.shape):
        block = table[rows]
        held = ~np.isnan(block)
        one = (block == 1).astype(np.float32)
        both += _counts(one, one)
        if held.all():
            n += block.shape[0]
            right += np.count_nonzero(one, axis=0)[:, None]
        else:
            mask = held.astype(np.float32)
            n += _counts(mask, mask)
            right += _counts(one, mask)
    return n, right, both


def _counts(one: NDArray[np.float32], other: NDArray[np.float32]) -> Integers:
    return np.rint(one.T @ other).astype(np.int64)


def _graded_sums(table: NDArray[Any]) -> tuple[Integers, Floats, Floats]:
    """Shared items, Σ (column − row) and Σ (column − row)² over them."""
    k = table.shape[1]
    n, total, square = np.zeros((k, k), dtype=np.int64), np.zeros((k, k)), np.zeros((k, k))
    centre = float(np.nanmean(table)) if not np.isnan(table).all() else 0.0
    for rows in _blocks(*table.shape):
        block = table[rows].astype(np.float64)
        held = ~np.isnan(block)
        mask, x = held.astype(np.float64), np.where(held, block - centre, 0.0)
        n += _counts(mask.astype(np.float32), mask.astype(np.float32))
        own = x.T @ mask  # Σ of the row over the shared items
        own_square = (x**2).T @ mask
        total += own.T - own
        square += own_square + own_square.T - 2 * (x.T @ x)
    np.fill_diagonal(square, 0.0)
    return n, total, square


def _clustered(
    table: NDArray[Any], codes: Integers, n: Integers, difference: Floats
) -> tuple[Floats, NDArray[np.bool_]]:
    """V = Σ_g (Σ_{i∈g} (d_i − d̂))²/(n² (1 − n_g/n)) of every pair, cluster by cluster."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    size = np.maximum(n, 1)
    variance, filled = np.zeros(n.shape), np.zeros(n.shape, dtype=np.int64)
    for rows in np.split(order, starts[1:]):
        block = table[rows].astype(np.float64)
        held = ~np.isnan(block)
        mask, x = held.astype(np.float64), np.where(held, block, 0.0)
        own, shared = x.T @ mask, mask.T @ mask
        share = shared / size
        residual = own.T - own - shared * difference
        variance += residual**2 / np.where(share < 1, 1 - share, 1.0)
        filled += shared > 0
    return variance / size.astype(np.float64) ** 2, filled >= 2
