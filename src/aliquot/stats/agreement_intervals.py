"""Intervals of coefficients of agreement: imagined 2 × 2 tables, resampled items or clusters, the large-sample form."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from aliquot.stats.agreement_forms import Units, units_of, values_of
from aliquot.stats.agreement_scales import Scale
from aliquot.stats.bootstrap_intervals import acceleration_constant, bca_interval, percentile_interval
from aliquot.stats.distributions import two_sided_z
from aliquot.stats.inputs import DEFAULT_SEED, Floats, Integers, RandomSource, as_generator
from aliquot.stats.rater_tables import RatingTable
from aliquot.stats.resampling import Cells, draw_wide_totals
from aliquot.stats.results import Estimate, Undefined

RESAMPLED = "_bootstrap"
"""How the name of a method ends when items or clusters were drawn anew."""
_PRIOR = 0.5
"""Added to each cell of a 2 × 2 table: Jeffreys' choice for shares."""
_ROUNDING = 1e-12
_CELL_PAYS = 12
"""Joining equal units pays when there are fewer kinds than this share of the units."""


@dataclass(frozen=True, slots=True)
class Draws:
    """How an interval is made.

    Attributes:
        level: confidence level.
        n_resamples: draws.
        rng: seed or generator.
        clusters: code of the cluster of each item; None when items are independent.
    """

    level: float
    n_resamples: int
    rng: RandomSource
    clusters: Integers | None = None

    @property
    def settings(self) -> dict[str, object]:
        """What made the numbers, for the record."""
        seed = DEFAULT_SEED if self.rng is None else self.rng
        return {"n_resamples": self.n_resamples, **({"seed": seed} if isinstance(seed, int) else {})}


def standard_error(moved: Floats, clusters: Integers | None) -> float:
    """Large-sample standard error √ΣL²/n, over clusters √Σ(Σ_g L)²/n; divisor n as in tables of counts."""
    by_unit = moved if clusters is None else np.bincount(clusters, moved)
    return math.sqrt(float(by_unit @ by_unit)) / moved.size


def normal_interval_of(point: float, se: float, *, name: str, n: int, level: float) -> Estimate:
    """Normal interval, cut at −1 and 1."""
    half = two_sided_z(level) * se
    return Estimate(point, max(-1.0, point - half), min(1.0, point + half), level, f"{name}_normal", n, se=se)


def two_labels(table: RatingTable) -> Integers | None:
    """Codes of the two labels that two raters used, or could have used; None when there are not just two."""
    if table.codes.shape[1] != 2:
        return None
    used = np.unique(table.codes[table.present.all(axis=1)])
    if used.size == 2:
        return used
    return np.arange(2) if len(table.labels) == 2 else None


def imagined(table: RatingTable, coefficient: str, scale: Scale, two: Integers, draws: Draws) -> Floats:
    """Values of a coefficient over tables drawn from Dirichlet(counts + ½): two raters, two labels.

    The posterior of the four shares under Jeffreys' prior; totals are n times the shares.
    """
    both = np.searchsorted(two, table.codes[table.present.all(axis=1)])
    counts = np.bincount(both[:, 0] * 2 + both[:, 1], minlength=4) + _PRIOR
    four = replace(table, codes=two[np.array([[0, 0], [0, 1], [1, 0], [1, 1]])], items=tuple(range(4)))
    cells = units_of(four, coefficient, scale).values
    shares = as_generator(draws.rng).dirichlet(counts, size=draws.n_resamples)
    return values_of(units_of(table, coefficient, scale), both.shape[0] * (shares @ cells))


def cells_of(values: Floats, clusters: Integers | None) -> Cells:
    """Units to draw from: clusters summed up, or items with equal ones joined when that saves work."""
    if clusters is not None:
        summed = np.zeros((int(clusters.max(initial=-1)) + 1, values.shape[1]))
        np.add.at(summed, clusters, values)
        return Cells(summed, np.ones(summed.shape[0], dtype=np.int64))
    kinds, counts = np.unique(values, axis=0, return_counts=True)
    if counts.size * _CELL_PAYS > values.shape[0]:
        return Cells(values, np.ones(values.shape[0], dtype=np.int64))
    return Cells(kinds, counts.astype(np.int64))


def resampled(units: Units, draws: Draws) -> Floats:
    """Values of a coefficient over resamples of items or whole clusters; nan where one has no value."""
    totals = draw_wide_totals(
        cells_of(units.values, draws.clusters), n_resamples=draws.n_resamples, rng=draws.rng
    )
    return values_of(units, totals)


def interval_from(
    values: Floats, point: float, *, moved: Floats, name: str, n: int, draws: Draws
) -> Estimate | Undefined:
    """BCa limits of drawn values, unless too few have a value or none differs.

    Args:
        values: the statistic on each resample; nan where it has no value.
        point: the statistic on the data.
        moved: influence of each item on it, for the acceleration and the standard error.
        name: what the method is called.
        n: items.
        draws: level, seed and clusters.
    """
    kept = values[np.isfinite(values)]
    lacking = 1 - kept.size / values.size
    if lacking > (1 - draws.level) / 2:
        return Undefined(
            f"{lacking:.0%} of the resamples hold one label only and so have no value of their own"
        )
    if not float(np.ptp(kept)) > _ROUNDING:
        return Undefined("resamples do not differ, so how far it might be otherwise cannot be seen")
    by_unit = moved if draws.clusters is None else np.bincount(draws.clusters, moved)
    acceleration = acceleration_constant(by_unit)
    found: Estimate | Undefined = percentile_interval(kept, point, level=draws.level)
    if not isinstance(acceleration, Undefined):
        found = bca_interval(kept, point, acceleration=acceleration, level=draws.level) or found
    if isinstance(found, Undefined) or not found.high - found.low > _ROUNDING:
        return Undefined(
            "too few resamples differ for an interval, so how far it might be otherwise cannot be seen"
        )
    return replace(
        found,
        low=min(found.low, point),
        high=max(found.high, point),
        method=name + RESAMPLED,
        n=n,
        se=math.sqrt(float(by_unit @ by_unit)) / moved.size,
        clusters=None if draws.clusters is None else by_unit.size,
        settings={**found.settings, **draws.settings, "without_value": values.size - kept.size},
    )


def imagined_interval(
    values: Floats, point: float, *, se: float | None, name: str, n: int, draws: Draws
) -> Estimate:
    """Equal-tailed quantiles of the values over imagined tables; never of width 0."""
    low, high = np.quantile(values[np.isfinite(values)], [0.5 - draws.level / 2, 0.5 + draws.level / 2])
    limits = (min(float(low), point), max(float(high), point))
    return Estimate(point, *limits, draws.level, f"{name}_dirichlet", n, se=se, settings=draws.settings)
