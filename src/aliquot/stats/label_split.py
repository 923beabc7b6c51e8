"""Which rows to label, drawn by a seed; and labels for tuning a judge kept apart from those that measure it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aliquot.errors import UsageError
from aliquot.stats.diagnostics import as_names
from aliquot.stats.inputs import (
    Floats,
    Integers,
    RandomSource,
    as_array,
    as_choice,
    as_codes,
    as_count,
    as_generator,
)
from aliquot.stats.judged_rows import as_labels, as_verdicts
from aliquot.stats.results import Record


@dataclass(frozen=True, slots=True)
class LabelSample(Record):
    """Rows drawn to be labelled.

    Attributes:
        rows: True for each row that is drawn.
        chances: probability with which each row was drawn, for ``chances`` of a corrected rate.
    """

    rows: NDArray[np.bool_]
    chances: Floats


def rows_to_label(
    cells: ArrayLike | Sequence[Hashable], by_cell: Mapping[str, int], *, rng: RandomSource = None
) -> LabelSample:
    """Draw rows at random within cells: so many of each verdict, system or segment, as a plan says.

    Args:
        cells: the cell of each row: its verdict, or verdict, system and segment joined to one text.
        by_cell: rows to draw by the text of a cell; those that are not named get none.
        rng: seed or generator; the same seed draws the same rows of the same order.

    Raises:
        UsageError: an unknown cell, or more rows wanted than it has.

    Examples:
        >>> sample = rows_to_label(["pass"] * 6 + ["fail"] * 2, {"pass": 2, "fail": 2}, rng=1)
        >>> int(sample.rows.sum()), sample.chances.round(2).tolist()
        (4, [0.33, 0.33, 0.33, 0.33, 0.33, 0.33, 1.0, 1.0])
    """
    codes, names = as_names(
        cells, len(as_array(cells, name="cells", wanted="a list of labels")), name="cells"
    )
    generator = as_generator(rng)
    rows, chances = np.zeros(codes.size, dtype=bool), np.zeros(codes.size)
    for name, wanted in by_cell.items():
        place = np.flatnonzero(codes == names.index(as_choice(name, names, name="cell")))
        n = int(as_count(wanted, name=f"rows of {name}"))
        if n > place.size:
            raise UsageError(f"{n} rows of {name} are wanted, and there are {place.size}")
        rows[generator.choice(place, size=n, replace=False)] = True
        chances[place] = n / place.size
    return LabelSample(rows, chances)


def development_rows(
    labels: ArrayLike | Sequence[float | None],
    verdicts: ArrayLike | Sequence[Hashable],
    *,
    share: float = 0.5,
    clusters: ArrayLike | None = None,
    rng: RandomSource = None,
) -> NDArray[np.bool_]:
    """Choose the labelled rows that a judge may be tuned on; the others measure it.

    What a judge was tuned on flatters it. The split is stratified by verdict and label, so that both parts hold errors
    of either kind, and leaves clusters whole: in random order each goes where it keeps the shares of the cells nearest
    to ``share``.

    Args:
        labels: people's labels, None or NaN where there is none; such rows are in neither part.
        verdicts: the judge's verdicts, of any kind; no verdict is a kind of its own.
        share: share of the labelled rows for tuning, strictly between 0 and 1.
        clusters: one label a row; None when rows are independent.
        rng: seed or generator; the same seed gives the same split of rows in the same order.

    Returns:
        True for rows to tune on; of the labelled rows the others are for the test.

    Raises:
        UsageError: fewer than two labelled rows or clusters, a share out of range, or arguments of the wrong shape.

    Examples:
        >>> labels, verdicts = [1] * 8 + [0] * 4 + [None] * 3, [1] * 6 + [0] * 2 + [1] * 2 + [0] * 2 + [1] * 3
        >>> tuning = development_rows(labels, verdicts, rng=1)
        >>> cells = (slice(6), slice(6, 8), slice(8, 10), slice(10, 12))
        >>> int(tuning.sum()), [int(tuning[cell].sum()) for cell in cells]
        (6, [3, 1, 1, 1])
    """
    if not 0 < share < 1:
        raise UsageError(f"share must lie strictly between 0 and 1; got {share!r}")
    truth = as_labels(labels, name="labels", binary=False)
    kinds = _kinds(verdicts, truth.size)
    groups = as_codes(clusters, truth.size, name="clusters")
    known = np.flatnonzero(~np.isnan(truth))
    if known.size < 2 or np.unique(groups[known]).size < 2:
        raise UsageError("a split needs at least two labelled rows, and two clusters when there are clusters")
    pairs = np.stack([kinds[known].astype(np.float64), truth[known]])
    cells = np.unique(pairs, axis=1, return_inverse=True)[1].reshape(-1)
    units = np.unique(groups[known], return_inverse=True)[1].reshape(-1)
    chosen = _chosen(units, cells, share, as_generator(rng))
    found = np.zeros(truth.size, dtype=bool)
    found[known[chosen[units]]] = True
    return found


def _kinds(verdicts: ArrayLike | Sequence[Hashable], n: int) -> Integers:
    """Codes of the verdicts; grades of more kinds than have names are put into ten groups of like size."""
    array = as_array(verdicts, name="verdicts", wanted="a list of verdicts")
    if array.shape == (n,) and array.dtype.kind in "iuf":
        values = array.astype(np.float64)
        given = ~np.isnan(values)
        if np.unique(values[given]).size > 10:
            edges = np.quantile(values[given], np.arange(0.1, 1, 0.1))
            return np.where(given, np.searchsorted(edges, values, side="right"), 10).astype(np.int64)
    return as_verdicts(verdicts, n)[0]


def _chosen(units: Integers, cells: Integers, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which units are for tuning: each, large ones first, goes where the cells stay nearest to their shares."""
    table = np.zeros((int(units.max()) + 1, int(cells.max()) + 1))
    np.add.at(table, (units, cells), 1.0)
    wanted = share * table.sum(axis=0)
    scale = np.maximum(table.sum(axis=0), 1.0)
    order = rng.permutation(table.shape[0])
    order = order[np.argsort(-table[order].sum(axis=1), kind="stable")]
    chosen, tuning, seen = (
        np.zeros(table.shape[0], dtype=bool),
        np.zeros(table.shape[1]),
        np.zeros(table.shape[1]),
    )
    for unit in order:
        seen += table[unit]
        with_it = float((((tuning + table[unit]) - share * seen) ** 2 / scale).sum())
        without = float(((tuning - share * seen) ** 2 / scale).sum())
        over = float(tuning.sum() + table[unit].sum() - wanted.sum())
        if with_it < without or (with_it == without and (over <= 0 and rng.random() < 0.5)):
            chosen[unit] = True
            tuning += table[unit]
    return _both(chosen, rng)


def _both(chosen: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.bool_]:
    """Neither part is empty."""
    if chosen.all() or not chosen.any():
        chosen[rng.integers(chosen.size)] ^= True
    return chosen
