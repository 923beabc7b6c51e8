"""Correlation of two measurements of the same rows: Pearson, Spearman and Kendall with intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aliquot.errors import UsageError
from aliquot.stats.agreement_intervals import RESAMPLED
from aliquot.stats.bootstrap_intervals import percentile_interval
from aliquot.stats.distributions import normal_two_sided, p_value, t_two_sided, two_sided_z
from aliquot.stats.inputs import (
    DEFAULT_SEED,
    Floats,
    Integers,
    RandomSource,
    as_array,
    as_choice,
    as_codes,
    as_count,
    as_generator,
    as_level,
)
from aliquot.stats.ranks import PairCounts, count_pairs, kendall_exact_tail, middle_ranks
from aliquot.stats.results import Estimate, HypothesisTest, Record, Undefined

_EXACT_BELOW = 50
_PERFECT = 1 - 1e-12
_FISHER = {"pearson": 3.0, "spearman": 3.0, "kendall": 4.0}


@dataclass(frozen=True, slots=True)
class Correlation(Record):
    """A correlation with its interval and test.

    Attributes:
        point: the coefficient, −1 to 1.
        interval: the same with its interval, or why there is none.
        test: the test that there is none, or why it cannot be made; Undefined with clusters.
        n: rows with both values.
        left_out: rows without one of them.
    """

    point: float
    interval: Estimate | Undefined
    test: HypothesisTest | Undefined
    n: int
    left_out: int

    def __str__(self) -> str:
        return str(self.interval) if self.interval else f"{self.point:.4f}, interval {self.interval}"


def pearson_correlation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Correlation | Undefined:
    """Pearson's correlation with Fisher's interval and the t test; with clusters, whole clusters are resampled.

    Args:
        x: one number a row; NaN is missing, and rows with a value missing are left out and counted.
        y: the other number of the same rows in the same order.
        clusters: one label a row.
        level: confidence level.
        n_resamples: resamples, with clusters.
        rng: seed or generator, with clusters.

    Returns:
        The correlation; Undefined with fewer than 3 rows or when one variable is constant.

    Raises:
        UsageError: different lengths, anything but numbers.

    References:
        Fisher (1921) Metron 1:3; the t test of Student (1908) Biometrika 6:302.

    Examples:
        >>> found = pearson_correlation([44.4, 45.9, 41.9, 53.3, 44.7, 44.1], [2.6, 3.1, 2.5, 5.0, 3.6, 4.0])
        >>> print(found, "p =", round(found.test.p, 3))
        0.8268 [0.0463, 0.9805] 95% pearson_fisher, n = 6 p = 0.042
    """
    return _correlation("pearson", x, y, clusters=clusters, level=level, n_resamples=n_resamples, rng=rng)


def spearman_correlation(
    x: ArrayLike,
    y: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Correlation | Undefined:
    """Spearman's correlation of ranks; interval on Fisher's scale with Bonett and Wright's error.

    Arguments and errors are those of :func:`pearson_correlation`.

    References:
        Spearman (1904) American Journal of Psychology 15:72; Bonett & Wright (2000) Psychometrika 65:23.

    Examples:
        >>> y = [21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19]
        >>> x = [67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51]
        >>> print(spearman_correlation(x, y))
        0.8700 [0.5841, 0.9638] 95% spearman_bonett_wright, n = 15
    """
    return _correlation("spearman", x, y, clusters=clusters, level=level, n_resamples=n_resamples, rng=rng)


def kendall_tau(
    x: ArrayLike,
    y: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> Correlation | Undefined:
    """Kendall's τ-b, which allows for ties; exact test below 50 rows without ties, else the normal one.

    Arguments and errors are those of :func:`pearson_correlation`.

    References:
        Kendall (1970) Rank Correlation Methods, chapters 3 to 5; Bonett & Wright (2000) for the interval.

    Examples:
        >>> print(kendall_tau([1, 2, 3, 4, 5, 6, 7], [1, 3, 2, 4, 5, 7, 6]))
        0.8095 [0.3606, 0.9539] 95% kendall_bonett_wright, n = 7
    """
    return _correlation("kendall", x, y, clusters=clusters, level=level, n_resamples=n_resamples, rng=rng)


def correlation_interval(
    r: float, n: float, *, coefficient: str = "pearson", level: float = 0.95
) -> Estimate | Undefined:
    """Interval of a printed correlation of n rows, on Fisher's scale.

    The error of atanh r is 1/√(n − 3) for Pearson, √((1 + r²/2)/(n − 3)) for Spearman, √(.437/(n − 4)) for Kendall.

    Args:
        r: the correlation, −1 to 1.
        n: rows.
        coefficient: ``pearson``, ``spearman`` or ``kendall``.
        level: confidence level.

    Returns:
        The interval; Undefined at −1 and 1 and for too few rows: it would have no width, or no end.

    Raises:
        UsageError: an argument out of range.

    References:
        Fisher (1921) Metron 1:3; Bonett & Wright (2000) Psychometrika 65:23, eq. 2 to 4.

    Examples:
        >>> print(correlation_interval(0.192, 28))
        0.1920 [-0.1950, 0.5273] 95% pearson_fisher, n = 28
    """
    as_choice(coefficient, list(_FISHER), name="coefficient")
    level, n = as_level(level), as_count(n, name="n", at_least=1)
    if not -1 <= r <= 1:
        raise UsageError(f"a correlation lies between −1 and 1; got {r}")
    least = _FISHER[coefficient]
    if n <= least:
        return Undefined(f"an interval of a correlation needs more than {least:g} rows; got {n:g}")
    if abs(r) >= _PERFECT:
        return Undefined(
            f"all {n:g} rows lie on one line or in one order, so how far it might be otherwise cannot be seen"
        )
    factor = {"pearson": 1.0, "spearman": 1 + r * r / 2, "kendall": 0.437}[coefficient]
    se = math.sqrt(factor / (n - least))
    z, half = math.atanh(r), two_sided_z(level) * se
    name = f"{coefficient}_fisher" if coefficient == "pearson" else f"{coefficient}_bonett_wright"
    return Estimate(r, math.tanh(z - half), math.tanh(z + half), level, name, n, se=(1 - r * r) * se)


def paired_numbers(*columns: ArrayLike, names: str) -> tuple[list[Floats], NDArray[np.bool_]]:
    """Columns of numbers of the same rows without those that miss one, and which rows were kept."""
    arrays = [_numbers(column, name=name) for column, name in zip(columns, names, strict=True)]
    if len({array.size for array in arrays}) > 1:
        sizes = ", ".join(str(array.size) for array in arrays)
        raise UsageError(f"{', '.join(names)} must measure the same rows; got {sizes} values")
    kept = np.logical_and.reduce([np.isfinite(array) for array in arrays])
    return [array[kept] for array in arrays], kept


def _numbers(values: ArrayLike, *, name: str) -> Floats:
    array = as_array(values, name=name)
    if array.dtype.kind == "O":
        try:
            array = np.array(
                [math.nan if value is None else float(value) for value in array.ravel().tolist()]
            )
        except (TypeError, ValueError) as error:
            raise UsageError(f"{name} must be numbers, with None or NaN where one is missing") from error
    if array.dtype.kind not in "biuf":
        raise UsageError(f"{name} must be numbers; got an array of {array.dtype}")
    if array.ndim != 1:
        raise UsageError(f"{name} must be one-dimensional; got shape {array.shape}")
    array = array.astype(np.float64)
    if np.isinf(array).any():
        raise UsageError(f"{name} must be finite numbers, with None or NaN where one is missing")
    return array


def correlation_of(coefficient: str, x: Floats, y: Floats) -> float:
    """The coefficient of two columns; nan when one is constant."""
    if coefficient == "kendall":
        return count_pairs(x, y).tau_b
    if coefficient == "spearman":
        x, y = middle_ranks(x), middle_ranks(y)
    return _product_moment(x, y)


def _product_moment(x: Floats, y: Floats) -> float:
    if x.size < 2 or x.min() == x.max() or y.min() == y.max():
        return math.nan
    x, y = _standard(x), _standard(y)
    return max(-1.0, min(1.0, float(x @ y)))


def _standard(x: Floats) -> Floats:
    x = x / np.abs(x).max()  # twice, so that neither huge nor tiny numbers leave the range of a double
    x = x - x.mean()
    x = x / np.abs(x).max()
    return x / math.sqrt(float(x @ x))


def resample_rows(
    statistic: Callable[[Integers], float], codes: Integers, n_resamples: int, rng: RandomSource
) -> Floats:
    """A statistic of the rows of clusters drawn with replacement, as many as there are."""
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(int(codes.max()) + 2))
    rows_of = [order[start:stop] for start, stop in pairwise(starts)]
    generator, groups = as_generator(rng), len(rows_of)
    return np.array(
        [
            statistic(np.concatenate([rows_of[g] for g in generator.integers(0, groups, size=groups)]))
            for _ in range(n_resamples)
        ]
    )


def resampled_interval(
    values: Floats,
    point: float,
    *,
    name: str,
    n: int,
    clusters: int | None,
    level: float,
    rng: RandomSource,
    units: str = "items",
) -> Estimate | Undefined:
    """Percentile limits of resampled values, unless too few have a value or none differs."""
    kept = values[np.isfinite(values)]
    lacking = 1 - kept.size / values.size
    if lacking > (1 - level) / 2:
        return Undefined(f"{lacking:.0%} of the resamples have no value, as nothing varies in them")
    found = percentile_interval(kept, point, level=level)
    if not found.high - found.low > 1e-12:
        return Undefined("resamples do not differ, so how far it might be otherwise cannot be seen")
    seed = DEFAULT_SEED if rng is None else rng
    return replace(
        found,
        low=min(found.low, point),
        high=max(found.high, point),
        method=name + RESAMPLED,
        n=n,
        clusters=clusters,
        settings={**found.settings, "units": units, **({"seed": seed} if isinstance(seed, int) else {})},
    )


def _correlation(
    name: str,
    x: ArrayLike,
    y: ArrayLike,
    *,
    clusters: ArrayLike | None,
    level: float,
    n_resamples: int,
    rng: RandomSource,
) -> Correlation | Undefined:
    level, size = as_level(level), int(as_count(n_resamples, name="n_resamples", at_least=99))
    (a, b), kept = paired_numbers(x, y, names="xy")
    n, left_out = a.size, int((~kept).sum())
    labels = None if clusters is None else as_codes(clusters, kept.size, name="clusters")[kept]
    if n < 3:
        return Undefined(f"a correlation needs three rows with both values; there are {n}")
    point = correlation_of(name, a, b)
    if math.isnan(point):
        return Undefined(
            f"all {n} values of {'x' if a.min() == a.max() else 'y'} are equal, so nothing can go with it"
        )
    if labels is None:
        return Correlation(
            point,
            correlation_interval(point, n, coefficient=name, level=level),
            _test(name, point, a, b),
            n,
            left_out,
        )
    codes = as_codes(labels, n, name="clusters")
    groups = int(codes.max()) + 1
    interval: Estimate | Undefined = Undefined("one cluster only: how clusters differ cannot be seen")
    if groups > 1:
        drawn = resample_rows(lambda rows: correlation_of(name, a[rows], b[rows]), codes, size, rng)
        interval = resampled_interval(drawn, point, name=name, n=n, clusters=groups, level=level, rng=rng)
    nothing = Undefined("rows of a cluster are not independent; read the interval")
    return Correlation(point, interval, nothing, n, left_out)


def _test(name: str, point: float, x: Floats, y: Floats) -> HypothesisTest | Undefined:
    null, n = "the two do not go together", x.size
    if name == "kendall":
        return _kendall_test(count_pairs(x, y), x, y, null)
    if abs(point) >= _PERFECT:
        return Undefined("all rows lie on one line, where the t test does not hold")
    t = point * math.sqrt((n - 2) / ((1 - point) * (1 + point)))
    return HypothesisTest(f"{name}_t", p_value(t_two_sided(t, n - 2)), statistic=t, df=n - 2, null=null)


def _kendall_test(found: PairCounts, x: Floats, y: Floats, null: str) -> HypothesisTest:
    """Exact without ties below 50 rows, else normal with the variance for ties: Kendall (1970), eq. 4.3."""
    n = x.size
    if n < _EXACT_BELOW and found.tied_x == found.tied_y == 0:
        p = kendall_exact_tail(found.score, n)
        return HypothesisTest("kendall_exact", p_value(p), statistic=float(found.score), null=null)
    t, u = (np.unique(column, return_counts=True)[1].astype(np.float64) for column in (x, y))
    first = [float((c * (c - 1) * (2 * c + 5)).sum()) for c in (np.array([float(n)]), t, u)]
    second = [float((c * (c - 1) * (c - 2)).sum()) for c in (t, u)]
    third = [float((c * (c - 1)).sum()) for c in (t, u)]
    variance = (first[0] - first[1] - first[2]) / 18 + second[0] * second[1] / (9.0 * n * (n - 1) * (n - 2))
    variance += third[0] * third[1] / (2.0 * n * (n - 1))
    z = found.score / math.sqrt(variance)
    return HypothesisTest("kendall_z", p_value(normal_two_sided(z)), statistic=z, null=null)
