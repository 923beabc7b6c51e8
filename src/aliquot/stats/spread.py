"""How much a mean moves when the same items are asked in another way: wordings, formats, orders, seeds as a factor.

The crossed two-way design, items × columns: each column (a prompt's wording) meets every item.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.inputs import Floats, as_codes, as_level, as_values
from aliquot.stats.repeats import variance_components
from aliquot.stats.results import Estimate, Record, Undefined
from aliquot.stats.selection import expected_maximum

ITEM, COLUMN, BOTH, WITHIN = "item", "column", "item:column", "within"


@dataclass(frozen=True, slots=True)
class CrossedSpread(Record):
    """What the column does to the mean, and to the value of one item.

    Attributes:
        means: mean of each column.
        sd: standard deviation between columns like these, the items' sampling error taken out, with its interval.
        share: share of the columns in the variance of one value, with its interval.
        shares: share of each source: column, item, item:column (with one row a cell all that is left), within.
        range: largest mean minus smallest.
        by_chance: the range to be expected of as many columns that are all the same.
    """

    means: Floats
    sd: Estimate | Undefined
    share: Estimate | Undefined
    shares: Mapping[str, float]
    range: float
    by_chance: float


def crossed_spread(
    y: ArrayLike,
    *,
    items: ArrayLike,
    columns: ArrayLike,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    low: float | None = None,
    high: float | None = None,
    level: float = 0.95,
) -> CrossedSpread | Undefined:
    """Variance between the columns of items × columns, all columns a sample of others like them.

    With S² the variance of the K column means and E the mean of V(d)/2 over all pairs, V the (CR2) variance of a
    pair's difference, σ² = S² − E; with independent items of one row each that is the analysis of variance. Its
    interval is Williams's and Tukey's: (K−1)S²/χ² (1 − F·E/S²) with K − 1 and (K−1)ν̄ degrees of freedom, ν̄ the pairs'
    mean; the upper limit is never below E and a standard deviation never above half the range of the values. The
    share holds the other sources (Henderson's first method) at their estimates: they rest on all items, the columns'
    on K of them. By chance alone the means of K like columns range over 2 e_K √E, e_K the expected maximum of K
    standard normals.

    Args:
        y: one value a row; several rows of an item in a column are attempts.
        items: one label a row.
        columns: one label a row; every item needs a row in every column.
        clusters: one label a row, the same for all rows of an item.
        weights: one weight a row, the same for all rows of an item; the shares of other sources take none.
        low: smallest value a score can take.
        high: largest value a score can take.
        level: confidence level.

    Returns:
        The spread; Undefined with one column or one unit.

    Raises:
        UsageError: an argument has the wrong shape or range, or an item lacks a column.

    References:
        Williams (1962) Biometrika 49:278; Tukey (1951) Biometrics 7:33; Searle, Casella & McCulloch (1992) ch. 4;
        Tippett (1925) Biometrika 17:364.

    Examples:
        >>> y = [1, 1, 0, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0]
        >>> found = crossed_spread(y, items=list("aaabbbcccdddeeefff"), columns=[1, 2, 3] * 6, low=0, high=1)
        >>> found.means.round(3).tolist(), round(found.range, 3), round(found.by_chance, 3)
        ([0.833, 0.5, 0.167], 0.667, 0.309)
        >>> print(found.sd)
        0.2789 [0.0000, 0.5000] 95% crossed_components, n = 3
    """
    level = as_level(level)
    values = as_values(y, name="y")
    rows, places = (
        as_codes(labels, values.size, name=name) for labels, name in ((items, "items"), (columns, "columns"))
    )
    table, firsts = _table(values, rows, places)
    if table.shape[1] < 2:
        return Undefined("one column has no spread")
    of_item = _Units(
        None if clusters is None else as_codes(clusters, values.size, name="clusters")[firsts],
        None if weights is None else as_values(weights, name="weights", low=0.0)[firsts],
    )
    noise = _noise(table, of_item)
    if isinstance(noise, Undefined):
        return noise
    error, df = noise
    means = (
        table.mean(axis=0) if of_item.weights is None else np.average(table, axis=0, weights=of_item.weights)
    )
    scatter = float(means.var(ddof=1))
    others = _others(values, rows, places)
    between = max(0.0, scatter - error)
    shares = _shares(others, between)
    reach = math.inf if low is None or high is None else (high - low) / 2
    settings = {"columns": means.size, "units": table.shape[0], "error": error}
    sd: Estimate | Undefined = Undefined("the columns agree on every item")
    share: Estimate | Undefined = sd
    if scatter > 0 or error > 0:
        limits = _limits(scatter, error, df1=means.size - 1, df2=df * (means.size - 1), level=level)
        three = (between, *(min(limit, reach**2) for limit in limits))
        sd = _estimate([math.sqrt(part) for part in three], level=level, settings=settings)
        rest = sum(max(0.0, value) for value in others.values())
        parts = [part / (part + rest) if part + rest > 0 else 0.0 for part in three]
        share = _estimate(parts, level=level, settings=settings)
    return CrossedSpread(
        means=means,
        sd=sd,
        share=share,
        shares=shares,
        range=float(np.ptp(means)),
        by_chance=2 * expected_maximum(means.size) * math.sqrt(error),
    )


@dataclass(frozen=True, slots=True)
class _Units:
    """Cluster and weight of each item."""

    clusters: np.ndarray | None
    weights: Floats | None


def _table(values: Floats, rows: np.ndarray, places: np.ndarray) -> tuple[Floats, np.ndarray]:
    """Cell means, items × columns, and the first row of each item."""
    shape = int(rows.max()) + 1, int(places.max()) + 1
    cells = rows * shape[1] + places
    counts = np.bincount(cells, minlength=shape[0] * shape[1])
    if not counts.all():
        raise UsageError("every item needs a row in every column; leave out items that lack one")
    sums = np.bincount(cells, values, minlength=counts.size)
    return (sums / counts).reshape(shape), np.unique(rows, return_index=True)[1]


def _noise(table: Floats, units: _Units) -> tuple[float, float] | Undefined:
    """Error of one column's mean against the others', E, and the mean degrees of freedom of the pairs."""
    found: list[tuple[float, float]] = []
    for one, other in combinations(range(table.shape[1]), 2):
        apart = table[:, other] - table[:, one]
        variance = cluster_variance(apart, clusters=units.clusters, weights=units.weights)
        if isinstance(variance, Undefined):
            return variance
        found.append((variance.variance / 2, variance.df))
    errors, dfs = zip(*found, strict=True)
    return float(np.mean(errors)), float(np.mean(dfs))


def _others(values: Floats, rows: np.ndarray, places: np.ndarray) -> dict[str, float]:
    """Variance of the sources other than the columns."""
    found = variance_components(values, factors={ITEM: rows, COLUMN: places}, residual=WITHIN)
    if isinstance(found, Undefined):
        return {}
    return {name: value for name, value in found.components.items() if name != COLUMN}


def _shares(others: Mapping[str, float], between: float) -> dict[str, float]:
    positive = {COLUMN: between} | {name: max(0.0, value) for name, value in others.items()}
    total = sum(positive.values())
    return {name: value / total if total > 0 else 0.0 for name, value in positive.items()}


def _limits(scatter: float, error: float, *, df1: float, df2: float, level: float) -> tuple[float, float]:
    """Limits of S² − E (Williams 1962; Tukey 1951)."""
    tail = (1 - level) / 2
    lower = df1 / special.chdtri(df1, tail) * (scatter - error * special.fdtri(df1, df2, 1 - tail))
    upper = df1 / special.chdtri(df1, 1 - tail) * (scatter - error * special.fdtri(df1, df2, tail))
    return max(0.0, float(lower)), max(error, float(upper))


def _estimate(three: Sequence[float], *, level: float, settings: Mapping[str, object]) -> Estimate:
    """Return point, low and high as an estimate; n counts the columns, of which it is a sample."""
    point, low, high = three
    return Estimate(
        point=point,
        low=min(low, point),
        high=max(high, point),
        level=level,
        method="crossed_components",
        n=int(str(settings["columns"])),
        settings=settings,
    )
