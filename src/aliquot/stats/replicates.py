"""Bootstrap replicates of a mean over rows, clusters or weighted rows: drawn, or all of them enumerated.

Every such mean is a ratio ΣS/ΣM over resampled units: S = y, M = 1 for rows; the sum and the size of a
cluster; w·y and w for weighted rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from aliquot.stats.effective import Rows, as_rows
from aliquot.stats.inputs import Floats, RandomSource, as_count
from aliquot.stats.resampling import collapse, draw_totals, enumerate_totals


@dataclass(frozen=True, slots=True)
class Units:
    """What is drawn: numerators S and denominators M, one a unit; M is None when all have ``size``."""

    numerators: Floats
    denominators: Floats | None
    size: float
    point: float

    @property
    def columns(self) -> Floats:
        """The units as a matrix, one a row."""
        if self.denominators is None:
            return self.numerators[:, None]
        return np.stack([self.numerators, self.denominators], axis=1)

    @property
    def influence(self) -> Floats:
        """Empirical influence values L_g = (S_g − t₀M_g)/M̄ (Davison & Hinkley 1997, section 2.7.2)."""
        sizes = self.size if self.denominators is None else self.denominators
        return (self.numerators - self.point * sizes) / self.size

    @property
    def linear_se(self) -> float:
        """√(ΣL²)/G, which for a mean is the standard error of infinitely many resamples."""
        return math.sqrt(float((self.influence**2).sum())) / self.numerators.size


def resample_mean(
    y: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Floats:
    """Bootstrap replicates of the mean, for a statistic of your own; arguments as for :func:`bootstrap_mean`.

    References:
        Davison & Hinkley (1997), chapter 2.

    Examples:
        >>> resample_mean([2.0, 2.0], n_resamples=3)
        array([2., 2., 2.])
    """
    units = units_of(as_rows(y, clusters=clusters, weights=weights))
    return draw_replicates(units, int(as_count(n_resamples, name="n_resamples", at_least=1)), rng)[0]


def exact_resamples(y: ArrayLike, *, clusters: ArrayLike | None = None) -> tuple[Floats, Floats]:
    """The whole bootstrap distribution of the mean of a few rows (or clusters): its values and probabilities.

    Args:
        y: any real values, one a row.
        clusters: one label a row; whole clusters are drawn.

    Raises:
        UsageError: there are too many different resamples to enumerate.

    Examples:
        >>> values, probabilities = exact_resamples([0, 1])
        >>> values.tolist(), probabilities.round(6).tolist()
        ([0.0, 0.5, 1.0], [0.25, 0.5, 0.25])
    """
    units = units_of(as_rows(y, clusters=clusters, weights=None))
    totals, probabilities = enumerate_totals(units.columns)
    divisor = units.size * units.numerators.size if units.denominators is None else totals[:, 1]
    return totals[:, 0] / divisor, probabilities


def units_of(rows: Rows) -> Units:
    """Units of checked rows."""
    sums = rows.y if rows.weights is None else rows.y * rows.weights
    sizes = rows.weights
    if rows.clusters is not None:
        sums = np.bincount(rows.clusters, sums).astype(np.float64)
        sizes = np.bincount(rows.clusters, sizes).astype(np.float64)
    if sizes is None or sizes.min() == sizes.max():
        size = 1.0 if sizes is None else float(sizes[0])
        return Units(sums, None, size, float(sums.sum() / (size * sums.size)))
    return Units(sums, sizes, float(sizes.mean()), float(sums.sum() / sizes.sum()))


def draw_replicates(
    units: Units, n_resamples: int, rng: RandomSource, *, pivotal: bool = False
) -> tuple[Floats, Floats]:
    """Replicates t* and, when asked for, the pivots (t* − t₀)/se*."""
    cells = collapse(units.columns)
    columns = cells.values
    if pivotal:
        sizes = units.size if units.denominators is None else columns[:, 1]
        r = columns[:, 0] - units.point * sizes
        columns = np.column_stack([columns, r * r, r * sizes, np.square(sizes) + np.zeros_like(r)])
    totals = draw_totals(replace(cells, values=columns), n_resamples=n_resamples, rng=rng)
    n_units = units.numerators.size
    divisor = np.full(n_resamples, units.size * n_units) if units.denominators is None else totals[:, 1]
    drawn = totals[:, 0] / divisor
    if not pivotal:
        return drawn, drawn
    shift = drawn - units.point
    rr, rm, mm = totals[:, -3:].T
    # Σ(r − δM)² over the resample, 0 when its units are all alike; rounding must not make it a tiny number
    squares = rr - 2 * shift * rm + shift * shift * mm
    squares[squares <= 1e-12 * rr] = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        pivots = shift * divisor / np.sqrt(squares)
    return drawn, np.where(np.isnan(pivots), 0.0, pivots)
