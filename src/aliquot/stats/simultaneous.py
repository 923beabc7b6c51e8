"""Many paired differences at once: intervals that hold together, and p-values that allow for the number of looks.

Single-step max-T by sign flips. Columns may be systems, metrics or segments; their dependence is kept, as a unit
takes the same sign in all of them.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.decision import decided_interval
from aliquot.stats.distributions import p_value, two_sided_z
from aliquot.stats.flips import TIE, ColumnUnits, column_norms, column_units, enumerable, sign_sums
from aliquot.stats.inputs import Floats, RandomSource, as_array, as_count, as_generator, as_level
from aliquot.stats.paired import paired_difference
from aliquot.stats.results import Estimate, HypothesisTest, Record, Undefined


@dataclass(frozen=True, slots=True)
class MaxT(Record):
    """How far K paired differences must lie from 0 when all are looked at.

    Attributes:
        critical: c*, which takes the place of z in every column's own interval; never below z.
        level: confidence level of all intervals together.
        p: adjusted p-value of each column; 1 where nothing differs.
        statistics: Σ w d / √Σ T² of each column, T the sum of a unit.
        floors: the smallest p each column could have given alone.
        constant: columns without variation, which c* leaves out.
        n_resamples: random flips behind c*; None when all sign patterns were counted.
        p_resamples: the same for p.
        units: items or clusters flipped.
    """

    critical: float
    level: float
    p: tuple[float, ...]
    statistics: tuple[float, ...]
    floors: tuple[float, ...]
    constant: tuple[int, ...]
    n_resamples: int | None
    p_resamples: int | None
    units: int

    @property
    def column_level(self) -> float:
        """2Φ(c*) − 1: asked for at this level, an interval made of z or of t_ν has c* or t_ν(Φ(c*)) in their place."""
        return min(1 - float(2 * special.ndtr(-self.critical)), math.nextafter(1.0, 0.0))

    def test(self, column: int) -> HypothesisTest:
        """Return one column's test."""
        return HypothesisTest(
            name="max_t",
            p=self.p[column],
            statistic=self.statistics[column],
            floor=self.floors[column],
            n_resamples=self.p_resamples,
            null="each unit's differences are, in all columns together, as likely of either sign",
            settings={"columns": len(self.p), "critical": self.critical},
        )


def max_t(
    differences: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> MaxT:
    """Single-step max-T over columns of paired differences, by flipping the signs of whole units.

    c* is z or, when larger, the ⌈level (B + 1)⌉-th smallest of max_j |Σ_i s_i (d_ij − d̂_j)| / √Σ_i (d_ij − d̂_j)².
    p comes from the same maxima of differences that are not centred, ties counted, as (r + 1)/(B + 1). All sign
    patterns are counted when they are no more than B. Give c* to an interval by :attr:`MaxT.column_level`.

    Args:
        differences: candidate minus baseline, shape (items, columns); NaN where a column does not have the item.
        clusters: one label an item; sums of whole clusters are flipped.
        weights: one non-negative weight an item.
        level: confidence level of all columns together.
        n_resamples: B.
        rng: seed or generator of the flips.

    Raises:
        UsageError: an argument has the wrong shape or range, a column is empty, or B is too small for the level.

    References:
        Westfall & Young (1993) Resampling-Based Multiple Testing, algorithm 2.5 (single step); Romano & Wolf (2005)
        JASA 100:94, intervals from the centred maxima; Phipson & Smyth (2010) SAGMB 9:39, (r + 1)/(B + 1).

    Examples:
        >>> found = max_t([[1, 0], [1, 1], [1, 0], [0, -1], [1, 0], [1, 1], [1, 0]])
        >>> found.p, round(found.critical, 3)
        ((0.03125, 1.0), 1.96)
    """
    level, draws = as_level(level), int(as_count(n_resamples, name="n_resamples", at_least=1))
    if _order_of(level, draws) > draws:
        least = math.ceil(level / (1 - level))
        raise UsageError(f"n_resamples must be at least {least} at level {level:g}; got {draws}")
    units = column_units(differences, clusters=clusters, weights=weights)
    generator = as_generator(rng)
    residuals, norms = units.residuals, column_norms(units.sums)
    maxima = _maxima(units, residuals, norms, draws=draws, rng=generator)
    active = units.sums[units.sums.any(axis=1)]
    raw, p_exact = maxima.raw, enumerable(active, draws=draws)
    if p_exact and not maxima.exact:
        raw = np.concatenate(
            [_largest(sums, norms) for sums in sign_sums(active, draws=draws, rng=generator)]
        )
    observed = units.sums.sum(axis=0)
    return MaxT(
        critical=_critical(maxima, level=level),
        level=level,
        p=tuple(
            _p_of(raw, abs(total) / norm - TIE * size / norm, exact=p_exact) if norm else 1.0
            for total, norm, size in zip(observed, norms, np.abs(units.sums).sum(axis=0), strict=True)
        ),
        statistics=tuple((observed / np.where(norms > 0, norms, 1.0)).tolist()),
        floors=_floors_of(units.sums, n_resamples=None if p_exact else draws),
        constant=tuple(np.flatnonzero(~residuals.any(axis=0)).tolist()),
        n_resamples=None if maxima.exact else draws,
        p_resamples=None if p_exact else draws,
        units=units.sums.shape[0],
    )


def simultaneous_interval(
    estimate: Estimate | Undefined, found: MaxT, *, column: int
) -> Estimate | Undefined:
    """Return a column's own interval as one that holds together with the others, reconciled with its test.

    Args:
        estimate: the column's interval, asked for at ``level=found.column_level``.
        found: the max-T of all columns.
        column: which column it is.

    Returns:
        The same limits at the joint level; where the max-T test does not reject, the limit nearest to 0 is held at 0.

    Raises:
        UsageError: the interval was not made at ``found.column_level``, or there is no such column.

    References:
        Romano & Wolf (2005) JASA 100:94, about the interval of each column.

    Examples:
        >>> found = max_t([[1, 0], [1, 1], [1, 0], [0, -1], [1, 0], [1, 1], [1, 0]])
        >>> own = paired_difference([0] * 7, [1, 1, 1, 0, 1, 1, 1], level=found.column_level)
        >>> print(simultaneous_interval(own, found, column=0))
        0.8571 [0.1991, 0.9743] 95% tango_max_t, n = 7
    """
    if not 0 <= column < len(found.p):
        raise UsageError(f"column must be one of 0 to {len(found.p) - 1}; got {column}")
    if isinstance(estimate, Undefined):
        return estimate
    if estimate.level != found.column_level:
        raise UsageError(
            f"the interval was made at level {estimate.level:.6g}; ask for it at level=found.column_level, "
            f"{found.column_level:.6g}"
        )
    joint = replace(
        estimate,
        level=found.level,
        method=f"{estimate.method}_max_t",
        settings={**estimate.settings, "critical": found.critical, "columns": len(found.p)},
    )
    return decided_interval(joint, found.test(column))


def simultaneous_intervals(
    a: ArrayLike,
    b: ArrayLike,
    *,
    low: float | None = None,
    high: float | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> tuple[Estimate | Undefined, ...]:
    """Paired differences of K columns with intervals that hold together: each column's own method at z = c*.

    Args:
        a: the baseline's values, shape (items, columns); NaN where a column does not have the item.
        b: the candidate's values, in the same form.
        low: smallest value a score can take, as in :func:`aliquot.stats.paired.paired_difference`.
        high: largest value a score can take.
        clusters: one label an item.
        weights: one non-negative weight an item.
        level: confidence level of all intervals together.
        n_resamples: B.
        rng: seed or generator of the flips.

    Raises:
        UsageError: as in :func:`max_t` and ``paired_difference``, or NaN at different places in a and b.

    References:
        Romano & Wolf (2005) JASA 100:94, about the interval of each column.

    Examples:
        >>> a, b = [[0, 1], [0, 0], [0, 1], [1, 1], [0, 0], [0, 1]], [[1, 1], [1, 0], [1, 1], [1, 0], [1, 0], [1, 1]]
        >>> for estimate in simultaneous_intervals(a, b):
        ...     print(estimate)
        0.8333 [0.0000, 0.9699] 95% tango_max_t, limit held at 0 by max_t, n = 6
        -0.1667 [-0.5635, 0.2887] 95% tango_max_t, n = 6
    """
    first, second = (as_array(side, name=name) for name, side in (("a", a), ("b", b)))
    if first.shape != second.shape or first.ndim != 2:
        raise UsageError(
            f"a and b must be matrices of one shape, (items, columns); got {first.shape} and {second.shape}"
        )
    first, second = first.astype(np.float64), second.astype(np.float64)
    if not np.array_equal(np.isnan(first), np.isnan(second)):
        raise UsageError("a and b must lack (NaN) the same items in the same columns; pair them first")
    found = max_t(
        second - first, clusters=clusters, weights=weights, level=level, n_resamples=n_resamples, rng=rng
    )

    def of_column(j: int) -> Estimate | Undefined:
        held = ~np.isnan(first[:, j])
        own = paired_difference(
            first[held, j],
            second[held, j],
            low=low,
            high=high,
            clusters=None if clusters is None else np.asarray(clusters)[held],
            weights=None if weights is None else np.asarray(weights)[held],
            level=found.column_level,
        )
        return simultaneous_interval(own, found, column=j)

    return tuple(map(of_column, range(first.shape[1])))


def _order_of(level: float, draws: int) -> int:
    """⌈level (B + 1)⌉, protected from the rounding of level in floats."""
    return math.ceil(round(level * (draws + 1), 9))


def _largest(sums: Floats, norms: Floats) -> Floats:
    """Largest |Σ ± T| / √Σ T² over the columns that have one."""
    kept = norms > 0
    if not kept.any():
        return np.zeros(sums.shape[0])
    return (np.abs(sums[:, kept]) / norms[kept]).max(axis=1)


def _floors_of(sums: Floats, *, n_resamples: int | None) -> tuple[float, ...]:
    """Smallest two-sided p of each column alone, 2^(1−G') with G' units whose sum is not 0."""
    drawn = 0.0 if n_resamples is None else 1 / (n_resamples + 1)
    counts = np.count_nonzero(sums, axis=0)
    return tuple(max(drawn, sys.float_info.min, 2.0 ** (1.0 - max(1, int(count)))) for count in counts)


class _Maxima(NamedTuple):
    """Maxima over columns, of differences as they are and of centred ones, under each flip."""

    raw: Floats
    centred: Floats
    exact: bool


def _maxima(
    units: ColumnUnits, residuals: Floats, norms: Floats, *, draws: int, rng: np.random.Generator
) -> _Maxima:
    """Both maxima from one product: Σ s (d − d̂) = Σ s d − d̂ Σ s, and columns of the same items share Σ s."""
    columns, spread = units.sums.shape[1], column_norms(residuals)
    alike = bool((units.sizes == units.sizes[:, :1]).all())
    sizes = units.sizes[:, :1] if alike else units.sizes
    stacked = np.concatenate([units.sums, sizes], axis=1)
    raw, centred = list[Floats](), list[Floats]()
    for flipped in sign_sums(stacked, draws=draws, rng=rng):
        sums = flipped[:, :columns]
        raw.append(_largest(sums, norms))
        centred.append(_largest(sums - units.means * flipped[:, columns:], spread))
    return _Maxima(np.concatenate(raw), np.concatenate(centred), exact=enumerable(stacked, draws=draws))


def _critical(maxima: _Maxima, *, level: float) -> float:
    """The order statistic of the centred maxima; of all patterns, the least that ``level`` of them do not exceed."""
    values = maxima.centred
    order = math.ceil(round(level * values.size, 9)) if maxima.exact else _order_of(level, values.size)
    found = float(np.partition(values, order - 1)[order - 1])
    return max(two_sided_z(level), round(found, 9))  # rounded: a matrix product's last bits are not ours


def _p_of(maxima: Floats, threshold: float, *, exact: bool) -> float:
    reached = int(np.count_nonzero(maxima >= threshold))
    return p_value(reached / maxima.size if exact else (reached + 1) / (maxima.size + 1))
