"""What picking the best of several does to its number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_codes
from aliquot.stats.inputs import (
    Floats,
    RandomSource,
    as_array,
    as_choice,
    as_count,
    as_generator,
    as_values,
    as_weights,
)
from aliquot.stats.results import Record, Undefined

Best: TypeAlias = Literal["highest", "lowest"]

FOLDS = 10
"""Parts of which one is scored by what the others pick."""

_TIE = 1e-12
_REACH, _POINTS = 12.0, 24_001
"""Ends of the integration in standard deviations, and its points: the trapezoid is exact to 1e-13 there."""


def expected_maximum(k: float) -> float:
    """Mean of the largest of k independent standard normal values: what the best of k equals leads by, in errors.

    Args:
        k: how many there are.

    Raises:
        UsageError: k below 1.

    References:
        Tippett (1925) Biometrika 17:364; Harter (1961) Biometrika 48:151, table 1: ∫ x k φ(x) Φ(x)^(k−1) dx.

    Examples:
        >>> round(expected_maximum(10), 5), expected_maximum(1)
        (1.53875, 0.0)
    """
    size = as_count(k, name="k", at_least=1)
    if size == 1:
        return 0.0
    x = np.linspace(-_REACH, _REACH, _POINTS)
    log_density = np.log(size) - x**2 / 2 - np.log(2 * np.pi) / 2 + (size - 1) * special.log_ndtr(x)
    return float(np.trapezoid(x * np.exp(log_density), x))


@dataclass(frozen=True, slots=True)
class Picked(Record):
    """The best of several columns, and what it is worth on rows that did not pick it.

    Attributes:
        best: the column with the best mean on all rows; the first of those that tie.
        point: that mean, too good by having been picked.
        honest: mean of what the rows score under the column that other rows pick, averaged over the splits.
        chances: how often each column is the best of a random half of the units; ties share.
        folds: parts of a split.
        n_resamples: splits.
    """

    best: int
    point: float
    honest: float
    chances: tuple[float, ...]
    folds: int
    n_resamples: int


def picked_best(
    values: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    best: Best = "highest",
    n_resamples: int = 200,
    rng: RandomSource = None,
) -> Picked | Undefined:
    """Pick the best of K columns, and score the picking on rows that had no say in it.

    The units (rows, or whole clusters) are split at random into ten parts; what nine of them pick is scored on the
    tenth. Each value so scored is independent of the pick, so their mean is unbiased for what picking by nine tenths of
    such rows gives; the mean of the picked column itself is not. An interval for what was picked is that column's own
    at level^(1/K), as all K hold together then (Šidák), whichever is picked. How firm the pick is shows on random
    halves: the mean of half the units lies as far from that of all as theirs from the truth, so halves differ in their
    picks about as often as new samples of this size would.

    Args:
        values: shape (rows, columns), without gaps.
        clusters: one label a row.
        weights: one non-negative weight a row.
        best: whether the ``highest`` or the ``lowest`` mean is best.
        n_resamples: splits, of each kind.
        rng: seed or generator of the splits.

    Returns:
        What was picked; Undefined with one column or fewer than two units.

    Raises:
        UsageError: an argument has the wrong shape or range.

    References:
        Stone (1974) JRSS B 36:111 (cross-validatory assessment); McCarthy (1969) RISI 37:239 (half samples); Andrews,
        Kitagawa & McCloskey (2024) QJE 139:305 (the projection interval of a winner).

    Examples:
        >>> found = picked_best([[1, 0], [1, 1], [0, 1], [1, 0], [1, 0], [1, 1]], rng=1)
        >>> found.best, round(found.point, 3), round(found.honest, 3)
        (0, 0.833, 0.833)
    """
    table = as_array(values, name="values")
    if table.ndim != 2 or table.dtype.kind not in "biuf" or not np.isfinite(table).all():
        raise UsageError("values must be a matrix of numbers without gaps, (rows, columns)")
    table = table.astype(np.float64)
    rows, columns = table.shape
    as_values(table.reshape(-1), name="values")
    as_choice(best, get_args(Best), name="best")
    draws = int(as_count(n_resamples, name="n_resamples", at_least=1))
    w = as_weights(weights, rows)
    codes = np.arange(rows) if clusters is None else cluster_codes(clusters, rows)
    units = int(codes.max()) + 1
    if columns < 2 or units < 2:
        return Undefined("one column is no choice" if columns < 2 else "one unit alone cannot be split")
    sign = 1.0 if best == "highest" else -1.0
    sums = np.stack([np.bincount(codes, w * column, minlength=units) for column in (sign * table).T], axis=1)
    sizes = np.bincount(codes, w, minlength=units)
    generator, parts = as_generator(rng), min(FOLDS, units)
    credit, chances = np.zeros((units, columns)), np.zeros(columns)
    for _ in range(draws):
        part = generator.permutation(units) % parts
        inside = np.stack([np.bincount(part, column, minlength=parts) for column in (*sums.T, sizes)], axis=1)
        outside = inside.sum(axis=0) - inside
        credit += _best_of(outside[:, :-1], outside[:, -1:])[part]
        half = generator.permutation(units)[: units // 2]
        chances += _best_of(sums[half].sum(axis=0)[None, :], sizes[half].sum())[0]
    whole = sums.sum(axis=0)
    return Picked(
        best=int(np.argmax(_best_of(whole[None, :], 1.0)[0] > 0)),
        point=float(sign * whole.max()),
        honest=float(sign * (credit * sums).sum() / draws),
        chances=tuple((chances / draws).tolist()),
        folds=parts,
        n_resamples=draws,
    )


def _best_of(sums: Floats, sizes: Floats | float) -> Floats:
    """Return for each line which columns are best, 1 shared among those that tie."""
    means = sums / np.where(np.asarray(sizes) > 0, sizes, 1.0)
    top = means.max(axis=1, keepdims=True)
    best = (means >= top - _TIE * np.maximum(1.0, np.abs(top))).astype(np.float64)
    return best / best.sum(axis=1, keepdims=True)
