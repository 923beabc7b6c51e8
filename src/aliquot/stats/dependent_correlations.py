"""Two correlations that share a variable, of the same rows: does one metric follow the people better than another?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.correlations import (
    correlation_interval,
    correlation_of,
    paired_numbers,
    resample_rows,
    resampled_interval,
)
from aliquot.stats.distributions import normal_two_sided, p_value, t_two_sided, two_sided_z
from aliquot.stats.inputs import Floats, RandomSource, as_choice, as_codes, as_count, as_level
from aliquot.stats.results import Estimate, HypothesisTest, Record, Undefined

Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]
_NULL = "the two correlations are equal"


@dataclass(frozen=True, slots=True)
class CorrelationDifference(Record):
    """The second correlation less the first, of the same rows with the same third variable.

    Attributes:
        first: the correlation of the first with the target.
        second: the correlation of the second with the target.
        difference: second less first, with its interval.
        tests: tests that they are equal, by name; the first decides.
        n: rows with all three values.
        left_out: rows without one of them.
    """

    first: float
    second: float
    difference: Estimate | Undefined
    tests: dict[str, HypothesisTest | Undefined]
    n: int
    left_out: int

    def __str__(self) -> str:
        return str(self.difference)


def correlation_difference(
    target: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    coefficient: Coefficient = "pearson",
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> CorrelationDifference | Undefined:
    """Does ``second`` follow ``target`` better than ``first`` does, on the same rows?

    Pearson and independent rows: the interval of Zou, the test of Williams, beside those of Steiger and of Meng,
    Rosenthal and Rubin. Otherwise rows or whole clusters are resampled, and the test is read from the same resamples.

    Args:
        target: what both are held against (ratings of people); NaN is missing.
        first: one measurement of the same rows.
        second: another.
        coefficient: ``pearson``, ``spearman`` or ``kendall``.
        clusters: one label a row.
        level: confidence level.
        n_resamples: resamples.
        rng: seed or generator.

    Returns:
        The difference; Undefined with fewer than 4 rows or when a variable is constant.

    Raises:
        UsageError: different lengths, anything but numbers.

    References:
        Williams (1959), Steiger (1980), Zou (2007): as for :func:`printed_correlation_difference`.

    Examples:
        >>> people = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        >>> found = correlation_difference(people, [2, 1, 5, 3, 8, 4, 9, 6, 7, 10], [1, 3, 2, 4, 5, 7, 6, 8, 10, 9])
        >>> print(found, round(found.tests["williams"].p, 3))
        0.1576 [0.0221, 0.5926] 95% zou, n = 10 0.042
    """
    as_choice(coefficient, get_args(Coefficient), name="coefficient")
    level, size = as_level(level), int(as_count(n_resamples, name="n_resamples", at_least=99))
    columns, kept = paired_numbers(target, first, second, names="tfs")
    n, left_out = columns[0].size, int((~kept).sum())
    if n < 4:
        return Undefined(f"comparing two correlations needs four rows with all values; there are {n}")
    t, a, b = columns
    r = [correlation_of(coefficient, *pair) for pair in ((t, a), (t, b), (a, b))]
    if any(math.isnan(value) for value in r):
        return Undefined("one of the three does not vary, so nothing can go with it")
    if coefficient == "pearson" and clusters is None:
        found = printed_correlation_difference(r[0], r[1], r[2], n, level=level)
        return CorrelationDifference(found.first, found.second, found.difference, found.tests, n, left_out)
    codes = (
        np.arange(n)
        if clusters is None
        else as_codes(as_codes(clusters, kept.size, name="clusters")[kept], n, name="clusters")
    )
    groups = int(codes.max()) + 1
    if groups < 2:
        return CorrelationDifference(
            r[0], r[1], Undefined("one cluster only: how clusters differ cannot be seen"), {}, n, left_out
        )
    drawn = resample_rows(_difference_on(coefficient, t, a, b), codes, size, rng)
    difference = resampled_interval(
        drawn,
        r[1] - r[0],
        name=f"{coefficient}_difference",
        n=n,
        clusters=None if clusters is None else groups,
        level=level,
        rng=rng,
    )
    test = resampling_test(drawn, r[1] - r[0], null=_NULL)
    return CorrelationDifference(r[0], r[1], difference, {"bootstrap": test}, n, left_out)


def _difference_on(coefficient: str, t: Floats, a: Floats, b: Floats) -> Callable[..., float]:
    def difference(rows: np.ndarray) -> float:
        return correlation_of(coefficient, t[rows], b[rows]) - correlation_of(coefficient, t[rows], a[rows])

    return difference


def resampling_test(drawn: Floats, point: float, *, null: str) -> HypothesisTest | Undefined:
    """Two-sided: how often a resample lies as far from the estimate as that from 0; Davison & Hinkley (1997), 4.4."""
    kept = drawn[np.isfinite(drawn)]
    if kept.size < drawn.size / 2 or float(np.ptp(kept)) <= 1e-12:
        return Undefined("resamples do not differ")
    further = int((np.abs(kept - point) >= abs(point) - 1e-12).sum())
    p = (1 + further) / (1 + kept.size)
    return HypothesisTest("bootstrap", p, n_resamples=kept.size, floor=1 / (1 + kept.size), null=null)


def printed_correlation_difference(
    first: float, second: float, between: float, n: float, *, level: float = 0.95
) -> CorrelationDifference:
    """Two printed Pearson correlations with the same variable, of the same n rows.

    Args:
        first: correlation of the first with the target.
        second: correlation of the second with the target.
        between: correlation of the first with the second.
        n: rows, at least 4.
        level: confidence level.

    Returns:
        Second less first with Zou's interval; the tests ``williams`` (t with n − 3 degrees of freedom), ``steiger`` and
        ``meng`` (z). Where a correlation is −1 or 1 they are Undefined.

    Raises:
        UsageError: values out of range, or three correlations that no data can have.

    References:
        Williams (1959) JRSS B 21:396; Steiger (1980) Psychological Bulletin 87:245, eq. 3, 10, 14; Meng, Rosenthal
        & Rubin (1992) Psychological Bulletin 111:172; Zou (2007) Psychological Methods 12:399.

    Examples:
        >>> found = printed_correlation_difference(0.4, 0.3, 0.5, 100)
        >>> print({name: round(test.statistic, 4) for name, test in found.tests.items()})
        {'williams': -1.0767, 'steiger': -1.0718, 'meng': -1.0707}
    """
    level, n = as_level(level), as_count(n, name="n", at_least=4)
    r = (float(first), float(second), float(between))
    if any(not -1 <= value <= 1 for value in r):
        raise UsageError(f"correlations lie between −1 and 1; got {r}")
    determinant = 1 - r[0] ** 2 - r[1] ** 2 - r[2] ** 2 + 2 * r[0] * r[1] * r[2]
    if determinant < -1e-9:
        raise UsageError(f"no data have the correlations {r[0]:g}, {r[1]:g} and {r[2]:g} together")
    if max(abs(value) for value in r) >= 1 - 1e-12 or determinant <= 1e-15:
        nothing = Undefined(
            "one of the three follows from the others, so how far they differ by chance cannot be seen"
        )
        return CorrelationDifference(
            r[0], r[1], nothing, dict.fromkeys(("williams", "steiger", "meng"), nothing), int(n), 0
        )
    tests: dict[str, HypothesisTest | Undefined] = {
        "williams": _williams(r, n, determinant),
        "steiger": _steiger(r, n),
        "meng": _meng(r, n, level),
    }
    return CorrelationDifference(r[0], r[1], _zou(r, n, level), tests, int(n), 0)


def _williams(r: tuple[float, float, float], n: float, determinant: float) -> HypothesisTest:
    mean = (r[0] + r[1]) / 2
    below = 2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r[2]) ** 3
    t = (r[1] - r[0]) * math.sqrt((n - 1) * (1 + r[2]) / below)
    return HypothesisTest("williams", p_value(t_two_sided(t, n - 3)), statistic=t, df=n - 3, null=_NULL)


def _covariance(a: float, b: float, c: float) -> float:
    """Correlation of two sample correlations a and b with a variable in common: Steiger (1980), eq. 3."""
    top = c * (1 - a * a - b * b) - a * b * (1 - a * a - b * b - c * c) / 2
    return top / ((1 - a * a) * (1 - b * b))


def _steiger(r: tuple[float, float, float], n: float) -> HypothesisTest:
    """Both covariances at the mean of the two correlations: eq. 14."""
    mean = (r[0] + r[1]) / 2
    z = (math.atanh(r[1]) - math.atanh(r[0])) * math.sqrt((n - 3) / (2 - 2 * _covariance(mean, mean, r[2])))
    return HypothesisTest("steiger", p_value(normal_two_sided(z)), statistic=z, null=_NULL)


def _meng(r: tuple[float, float, float], n: float, level: float) -> HypothesisTest:
    square = (r[0] ** 2 + r[1] ** 2) / 2
    f = min(1.0, (1 - r[2]) / (2 * (1 - square)))
    h = (1 - f * square) / (1 - square)
    se = math.sqrt(2 * (1 - r[2]) * h / (n - 3))
    gap = math.atanh(r[1]) - math.atanh(r[0])
    limits = [gap + sign * two_sided_z(level) * se for sign in (-1, 1)]
    z = gap / se
    return HypothesisTest(
        "meng",
        p_value(normal_two_sided(z)),
        statistic=z,
        null=_NULL,
        settings={"z_low": limits[0], "z_high": limits[1]},
    )


def _zou(r: tuple[float, float, float], n: float, level: float) -> Estimate | Undefined:
    """From the limits of both correlations and the correlation of their estimates: Zou (2007), eq. 15."""
    a, b = (correlation_interval(value, n, level=level) for value in r[:2])
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        return a if isinstance(a, Undefined) else b
    shared = _covariance(r[0], r[1], r[2])

    def reach(x: float, y: float) -> float:
        return math.sqrt(max(0.0, x * x + y * y - 2 * shared * x * y))

    low = b.point - a.point - reach(b.point - b.low, a.high - a.point)
    high = b.point - a.point + reach(b.high - b.point, a.point - a.low)
    return Estimate(r[1] - r[0], low, high, level, "zou", n)
