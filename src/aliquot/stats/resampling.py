"""Totals of bootstrap resamples, exact in law, at a cost that follows the distinct units and not the rows.

N units are drawn N times with replacement and their columns added up. Three ways give the same law: counts of
the distinct units from a multinomial when they are few; an index a draw when N is small; else blocks of 256
units, whose draws go two at a time through a table of the sums of two. Memory is bounded by ``HELD`` and the
numbers do not depend on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, Integers, RandomSource, as_generator

HELD = 2_000_000
"""Numbers held at once."""
BLOCK = 256
"""Units in a block: two of them make a 16-bit index."""
BLOCKS_FROM = 4096
"""Units from which the table of blocks pays."""
DRAWS_PER_CELL = 12
"""A multinomial count costs about as much as this many drawn indices."""
WIDE = 12
"""Columns from which a product of matrices pays."""
ENUMERATED = 100_000
"""Most resamples that are enumerated."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Units to draw from: ``values`` (K, columns), and the units each row stands for."""

    values: Floats
    counts: Integers

    @property
    def size(self) -> int:
        """Units in all, which is also the number drawn."""
        return int(self.counts.sum())

    @property
    def single(self) -> bool:
        """Whether every row stands for one unit."""
        return self.counts.size == self.size


def collapse(units: Floats) -> Cells:
    """Join equal units, one or two columns, when that saves work; otherwise keep each as its own row."""
    n = units.shape[0]
    if units.shape[1] == 1:
        kinds, counts = np.unique(units[:, 0], return_counts=True)
        values = kinds[:, None]
    else:  # two columns sort as one complex number
        pairs, counts = np.unique(units[:, 0] + 1j * units[:, 1], return_counts=True)
        values = np.stack([pairs.real, pairs.imag], axis=1)
    if counts.size * DRAWS_PER_CELL > n:
        return Cells(units, np.ones(n, dtype=np.int64))
    return Cells(values, counts.astype(np.int64))


def draw_totals(cells: Cells, *, n_resamples: int, rng: RandomSource) -> Floats:
    """Column totals of each resample, shape (n_resamples, columns)."""
    generator = as_generator(rng)
    if not cells.single:
        return _draw_counts(cells, n_resamples, generator)
    if cells.size < BLOCKS_FROM:
        return _draw_indices(cells.values, n_resamples, generator)
    return _draw_blocks(cells.values, n_resamples, generator)


def draw_counts(generator: np.random.Generator, rows: int, units: int) -> Floats:
    """How often each unit is drawn in each of ``rows`` resamples, shape (rows, units)."""
    picks = generator.integers(0, units, size=(rows, units)) + np.arange(rows)[:, None] * units
    return np.bincount(picks.ravel(), minlength=rows * units).reshape(rows, units).astype(np.float64)


def draw_wide_totals(cells: Cells, *, n_resamples: int, rng: RandomSource) -> Floats:
    """The same as :func:`draw_totals`, as products of counts and columns: faster from about a dozen columns on.

    Batches follow from the data alone, so that a seed means one answer.
    """
    if not cells.single or cells.values.shape[1] < WIDE:
        return draw_totals(cells, n_resamples=n_resamples, rng=rng)
    generator, n = as_generator(rng), cells.size
    step = max(1, HELD // n)
    batches = [min(step, n_resamples - start) for start in range(0, n_resamples, step)]
    return np.concatenate([draw_counts(generator, rows, n) @ cells.values for rows in batches])


def enumerate_totals(units: Floats) -> tuple[Floats, Floats]:
    """All resamples of a few units: their column totals, shape (resamples, columns), and probabilities.

    Raises:
        UsageError: more than ``ENUMERATED`` different resamples.
    """
    n = units.shape[0]
    values, counts = np.unique(units, axis=0, return_counts=True)
    if math.comb(n + counts.size - 1, n) > ENUMERATED:
        raise UsageError(f"{n} units have too many resamples to enumerate; draw them instead")
    drawn = np.array(
        [
            np.bincount(picks, minlength=counts.size)
            for picks in combinations_with_replacement(range(counts.size), n)
        ]
    )
    log_ways = special.gammaln(n + 1) - special.gammaln(drawn + 1).sum(axis=1)
    return drawn @ values, np.exp(log_ways + drawn @ np.log(counts / n))


def _draw_counts(cells: Cells, n_resamples: int, generator: np.random.Generator) -> Floats:
    totals = np.empty((n_resamples, cells.values.shape[1]))
    shares = cells.counts / cells.size
    step = max(1, HELD // shares.size)
    for start in range(0, n_resamples, step):
        stop = min(start + step, n_resamples)
        counts = generator.multinomial(cells.size, shares, size=stop - start)
        for j, column in enumerate(cells.values.T):  # a sum a row, not a matrix product: bits must not
            totals[start:stop, j] = (counts * column).sum(axis=1)  # depend on how many rows go together
    return totals


def _draw_indices(values: Floats, n_resamples: int, generator: np.random.Generator) -> Floats:
    n = values.shape[0]
    totals = np.empty((n_resamples, values.shape[1]))
    step = max(1, HELD // n)
    for start in range(0, n_resamples, step):
        stop = min(start + step, n_resamples)
        picks = generator.integers(0, n, size=(stop - start, n))
        for j, column in enumerate(values.T):
            totals[start:stop, j] = column.take(picks, mode="clip").sum(axis=1)
    return totals


def _draw_blocks(values: Floats, n_resamples: int, generator: np.random.Generator) -> Floats:
    """Draw how many units come from each block, then the units of a block for many resamples at once."""
    n = values.shape[0]
    starts = np.arange(0, n, BLOCK)
    shares = np.diff(np.append(starts, n)) / n
    fast = np.random.Generator(np.random.SFC64(int(generator.integers(2**63))))
    totals = np.zeros((n_resamples, values.shape[1]))
    step = max(1, min(2048, 2 * HELD // starts.size))  # fixed by n, so that a seed means one answer
    for first in range(0, n_resamples, step):
        group = totals[first : first + step]
        counts = np.ascontiguousarray(fast.multinomial(n, shares, size=group.shape[0]).T)
        for start, drawn in zip(starts, counts, strict=True):
            _add_block(group, values[start : start + BLOCK], drawn, fast)
    return totals


def _add_block(group: Floats, block: Floats, drawn: Integers, fast: np.random.Generator) -> None:
    """Add ``drawn[r]`` units of the block to resample r."""
    if block.shape[0] < BLOCK:
        picks = fast.integers(0, block.shape[0], size=int(drawn.sum()))
        for j, column in enumerate(block.T):
            group[:, j] += _sum_runs(column, picks, drawn)
        return
    pairs, odd = drawn >> 1, np.flatnonzero(drawn & 1)
    n_pairs = int(pairs.sum())
    words = fast.bit_generator.random_raw(n_pairs // 4 + 1).view(np.uint16)[:n_pairs]
    rest = fast.integers(0, BLOCK, size=odd.size)
    for j, column in enumerate(block.T):
        group[:, j] += _sum_runs(np.add.outer(column, column).ravel(), words, pairs)
        group[odd, j] += column.take(rest)


def _sum_runs(values: Floats, picks: Integers | NDArray[np.uint16], lengths: Integers) -> Floats:
    """Sum the picked values in consecutive runs of the given lengths; an empty run sums to 0."""
    picked = np.empty(picks.size + 1)
    picked[-1] = 0.0  # where an empty last run starts
    values.take(picks, mode="clip", out=picked[:-1])
    sums = np.add.reduceat(picked, np.cumsum(lengths) - lengths)
    sums[lengths == 0] = 0.0
    return sums
