"""Scores of a metric and of people in the same cells, items × systems, and how they are drawn anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, Integers, RandomSource, as_array, as_generator
from aliquot.stats.resampling import draw_counts

_HELD = 4_000_000
"""Numbers held at once."""


@dataclass(frozen=True, slots=True)
class CellScores:
    """Cells that have both scores; zeros elsewhere."""

    metric: Floats
    human: Floats
    there: NDArray[np.bool_]
    left_out: int

    def means(self, by_item: Floats) -> tuple[Floats, Floats]:
        """Weighted means of each system for each row of weights of items."""
        held = by_item @ self.there.astype(np.float64)
        return divide(by_item @ self.metric, held), divide(by_item @ self.human, held)


def cell_scores(metric: ArrayLike, human: ArrayLike) -> CellScores:
    """Check two tables of the same items and systems.

    Raises:
        UsageError: different shapes, anything but finite numbers and gaps.
    """
    one, other = _table(metric, name="metric"), _table(human, name="human")
    if one.shape != other.shape:
        raise UsageError(
            f"metric and human must be of the same items and systems; got {one.shape} and {other.shape}"
        )
    there = np.isfinite(one) & np.isfinite(other)
    return CellScores(np.where(there, one, 0.0), np.where(there, other, 0.0), there, int((~there).sum()))


def _table(values: ArrayLike, *, name: str) -> Floats:
    array = as_array(values, name=name, wanted="a table of items by systems")
    if array.dtype.kind == "O":
        try:
            flat = [np.nan if value is None else float(value) for value in array.ravel().tolist()]
        except (TypeError, ValueError) as error:
            raise UsageError(f"{name} must be numbers, with None or NaN where one is missing") from error
        array = np.array(flat).reshape(array.shape)
    if array.dtype.kind not in "biuf" or array.ndim != 2:
        raise UsageError(
            f"{name} must be a table of numbers, items by systems; got {array.dtype} {array.shape}"
        )
    array = array.astype(np.float64)
    if np.isinf(array).any():
        raise UsageError(f"{name} must be finite numbers, with None or NaN where one is missing")
    return array


def divide(top: Floats, bottom: Floats) -> Floats:
    """Ratio, nan where nothing is to be divided by."""
    return np.divide(top, bottom, out=np.full(np.shape(top), np.nan), where=bottom > 0)


def order_of(gap: Floats) -> Floats:
    """−1, 0 or 1; means that differ by rounding only are equal."""
    return np.where(np.abs(gap) < 1e-12, 0.0, np.sign(gap))


def mean_over_items(by_item: Floats, each: Floats, known: NDArray[np.bool_]) -> Floats:
    """Means of columns over the items that have a value, for each row of weights of items."""
    weight = by_item * known
    return divide(
        weight @ each, np.broadcast_to(weight.sum(axis=1, keepdims=True), (weight.shape[0], each.shape[1]))
    )


def weighted_correlation(name: str, x: Floats, y: Floats, weight: Floats) -> Floats:
    """Correlation over systems for each row, a system counting as often as it was drawn."""
    lacking = np.isnan(x) | np.isnan(y)
    weight = np.where(lacking, 0.0, weight)
    x, y = np.where(lacking, 0.0, x), np.where(lacking, 0.0, y)
    if name == "kendall":
        one, other = np.triu_indices(x.shape[1], 1)
        pair = weight[:, one] * weight[:, other]
        a, b = order_of(x[:, other] - x[:, one]), order_of(y[:, other] - y[:, one])
        below = (pair * a * a).sum(axis=1) * (pair * b * b).sum(axis=1)
        return divide((pair * a * b).sum(axis=1), np.sqrt(below))
    if name == "spearman":
        x, y = (_weighted_ranks(values, weight) for values in (x, y))
    total = weight.sum(axis=1, keepdims=True)
    x, y = (values - (weight * values).sum(axis=1, keepdims=True) / total for values in (x, y))
    below = (weight * x * x).sum(axis=1) * (weight * y * y).sum(axis=1)
    spread = np.sqrt(below)
    return divide((weight * x * y).sum(axis=1), np.where(spread > 1e-14 * total[:, 0], spread, 0.0))


def _weighted_ranks(values: Floats, weight: Floats) -> Floats:
    gap = values[:, :, None] - values[:, None, :]
    below, same = gap > 1e-12, np.abs(gap) <= 1e-12
    return ((below + same / 2) * weight[:, None, :]).sum(axis=2)


def draw_values(
    statistic: Callable[[Floats, Floats], Floats],
    codes: Integers,
    systems: int,
    *,
    resample: str,
    n_resamples: int,
    rng: RandomSource,
) -> Floats:
    """The statistic on each resample; resamples go in batches whose size follows from the data alone."""
    generator, n, groups = as_generator(rng), codes.size, int(codes.max(initial=0)) + 1
    step = max(1, _HELD // max(n, systems * systems, 1))
    found: list[Floats] = []
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        by_item, by_system = np.ones((rows, n)), np.ones((rows, systems))
        if resample != "systems":
            by_item = draw_counts(generator, rows, groups)[:, codes]
        if resample != "items":
            by_system = draw_counts(generator, rows, systems)
        found.append(statistic(by_item, by_system))
    return np.concatenate(found)
