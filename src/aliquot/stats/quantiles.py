"""Quantiles (median, p95, p99) by order statistics, of one system or of paired differences, and by bootstrap.

No distribution is assumed. A limit that the data are too few to give is Undefined and says what would be
enough: 72 values for a finite upper limit of p95 at 95%, two-sided, and 368 for p99.
"""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.bootstrap_intervals import percentile_interval
from aliquot.stats.effective import Rows, as_rows, effective_size
from aliquot.stats.inputs import (
    DEFAULT_SEED,
    Floats,
    RandomSource,
    as_choice,
    as_count,
    as_generator,
    as_level,
    as_values,
)
from aliquot.stats.results import Alternative, Estimate, Undefined
from aliquot.stats.roots import bisect

HELD = 2_000_000
"""Numbers held at once while resampling."""


def quantile(
    y: ArrayLike,
    *,
    q: float = 0.5,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Estimate | Undefined:
    """Quantile with an interval between two order statistics; covers with at least ``level``.

    With clusters the ranks are those of n* independent rows, n* from the share of rows at or below the point
    as for a rate; the guarantee is then approximate.

    Args:
        y: any real values, one a row.
        q: which quantile, strictly between 0 and 1.
        clusters: one label a row; None when rows are independent.
        level: confidence level.
        alternative: ``two-sided``; ``greater`` for a lower limit, ``less`` for an upper limit only.

    Returns:
        The estimate; the point is numpy's linear quantile. Undefined when there are too few values for a
        limit, or one cluster.

    Raises:
        UsageError: an argument has the wrong shape or range.

    References:
        David & Nagaraja (2003) Order Statistics, section 7.1; Woodruff (1952) JASA 47:635 for clusters.

    Examples:
        >>> print(quantile(range(1, 101)))
        50.5000 [40.0000, 61.0000] 95% order_statistics, n = 100
        >>> print(quantile(range(50), q=0.95))
        undefined: 50 values are too few for an upper limit of the 0.95 quantile; it needs 72
    """
    q, level = _as_quantile(q), as_level(level)
    two_sided = as_choice(alternative, get_args(Alternative), name="alternative") == "two-sided"
    tail = (1 - level) / (2 if two_sided else 1)
    rows = as_rows(y, clusters=clusters, weights=None)
    ordered = np.sort(rows.y)
    point = float(np.quantile(ordered, q))
    size = _rank_size(rows, point, level)
    if isinstance(size, Undefined):
        return size
    n_star, n_clusters, df = size
    low, high = -math.inf, math.inf
    if alternative != "less":
        rank = _lower_rank(n_star, q, tail) * ordered.size / n_star
        if rank < 1:
            return _too_few(ordered.size, n_star, 1 - q, tail, f"a lower limit of the {q:g} quantile")
        low = float(ordered[math.floor(rank) - 1])
    if alternative != "greater":
        rank = _upper_rank(n_star, q, tail) * ordered.size / n_star
        if rank > ordered.size:
            return _too_few(ordered.size, n_star, q, tail, f"an upper limit of the {q:g} quantile")
        high = float(ordered[math.ceil(rank) - 1])
    return Estimate(
        point,
        low,
        high,
        level,
        "order_statistics" if n_clusters is None else "order_statistics_effective_n",
        ordered.size,
        df=df,
        clusters=n_clusters,
        settings={"q": q, "n_star": n_star, "alternative": alternative},
        why="no distribution is assumed",
    )


def smallest_n(q: float, *, level: float = 0.95, alternative: Alternative = "two-sided") -> int:
    """Fewest values for finite limits of a quantile: the n with max(q, 1 − q)ⁿ at most the tail.

    Args:
        q: which quantile, strictly between 0 and 1.
        level: confidence level.
        alternative: ``two-sided``; ``greater`` for a lower limit, ``less`` for an upper limit only.

    Raises:
        UsageError: an argument has the wrong range or name.

    References:
        David & Nagaraja (2003) Order Statistics, section 7.1.

    Examples:
        >>> smallest_n(0.95), smallest_n(0.99), smallest_n(0.5)
        (72, 368, 6)
    """
    q, level = _as_quantile(q), as_level(level)
    as_choice(alternative, get_args(Alternative), name="alternative")
    tail = (1 - level) / (2 if alternative == "two-sided" else 1)
    share = {"two-sided": max(q, 1 - q), "less": q, "greater": 1 - q}[alternative]
    return _needed(share, tail)


def paired_quantile(
    a: ArrayLike,
    b: ArrayLike,
    *,
    q: float = 0.5,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    alternative: Alternative = "two-sided",
) -> Estimate | Undefined:
    """Quantile of the paired differences b − a, such as the median change of latency of an item.

    It is not the difference of the two quantiles: see :func:`quantile_difference`. Arguments, returns and
    errors as in :func:`quantile`.

    References:
        David & Nagaraja (2003) Order Statistics, section 7.1.

    Examples:
        >>> print(paired_quantile([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.5, 2.1, 3.9, 4.2, 5.3, 6.4]))
        0.3500 [0.1000, 0.9000] 95% order_statistics, n = 6
    """
    first, second = _paired(a, b)
    return quantile(second - first, q=q, clusters=clusters, level=level, alternative=alternative)


def quantile_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    q: float = 0.5,
    paired: bool = True,
    level: float = 0.95,
    n_resamples: int = 1999,
    rng: RandomSource = None,
) -> Estimate | Undefined:
    """Difference of two quantiles, q of b minus q of a, with a percentile bootstrap interval.

    Args:
        a: baseline values.
        b: candidate values; in the order of ``a`` when paired.
        q: which quantile, strictly between 0 and 1.
        paired: draw pairs whole; False draws each side by itself.
        level: confidence level.
        n_resamples: number of resamples.
        rng: seed or generator; None for the fixed default seed.

    Returns:
        The estimate, or Undefined when a side has too few values for limits of its own quantile, or no
        resample differs from another.

    Raises:
        UsageError: an argument has the wrong shape or range, or paired sides of different lengths.

    References:
        Davison & Hinkley (1997), eq. 5.18.

    Examples:
        >>> quantile_difference(range(100), range(10, 110), paired=False, rng=1).point
        10.0
        >>> print(quantile_difference(range(50), range(50), q=0.95))
        undefined: 50 values are too few for limits of the 0.95 quantile; it needs 72
    """
    q, level = _as_quantile(q), as_level(level)
    n_resamples = int(as_count(n_resamples, name="n_resamples", at_least=2))
    first, second = _paired(a, b) if paired else (as_values(a, name="a"), as_values(b, name="b"))
    fewest, needed = min(first.size, second.size), smallest_n(q, level=level)
    if fewest < needed:
        return Undefined(f"{fewest} values are too few for limits of the {q:g} quantile; it needs {needed}")
    drawn = _resampled_differences(first, second, q, n_resamples, rng, paired=paired)
    if drawn.min() == drawn.max():
        return Undefined("every resample gives the same difference, so its error cannot be seen")
    point = float(np.quantile(second, q) - np.quantile(first, q))
    found = percentile_interval(drawn, point, level=level)
    seed = {} if isinstance(rng, np.random.Generator) else {"seed": DEFAULT_SEED if rng is None else rng}
    settings = {"q": q, "paired": paired, "n_resamples": n_resamples, **seed}
    return Estimate(
        point, found.low, found.high, level, "bootstrap_percentile", fewest, se=found.se, settings=settings
    )


def _resampled_differences(
    a: Floats, b: Floats, q: float, n_resamples: int, rng: RandomSource, *, paired: bool
) -> Floats:
    generator = as_generator(rng)
    # one generator a side, so that batches of any size draw the same numbers
    sides = [np.random.default_rng(int(seed)) for seed in generator.integers(2**63, size=2)]
    drawn = np.empty(n_resamples)
    step = max(1, HELD // max(a.size, b.size))
    for start in range(0, n_resamples, step):
        rows = min(step, n_resamples - start)
        at_a = sides[0].integers(0, a.size, size=(rows, a.size))
        at_b = at_a if paired else sides[1].integers(0, b.size, size=(rows, b.size))
        drawn[start : start + rows] = np.quantile(b[at_b], q, axis=1) - np.quantile(a[at_a], q, axis=1)
    return drawn


def _rank_size(rows: Rows, point: float, level: float) -> tuple[float, int | None, float | None] | Undefined:
    """Rows that the ranks are computed for, with the clusters and df behind them."""
    if rows.plain:
        return float(rows.y.size), None, None
    below = Rows((rows.y <= point).astype(np.float64), rows.clusters, None)
    size = effective_size(below, spread=below.mean * (1 - below.mean), level=level)
    if isinstance(size, Undefined):
        return size
    n_star = min(size.n_star, float(rows.y.size))
    return n_star, size.variance.n_clusters, size.variance.df


def _lower_rank(n: float, q: float, tail: float) -> float:
    """Largest k with P(Bin(n, q) < k) ≤ tail, k between whole numbers allowed; below 1 when there is none."""
    if (1 - q) ** n > tail:
        return 0.0
    if _at_least(n, n, q) >= 1 - tail:
        return n
    if _at_least(1.0, n, q) <= 1 - tail:  # equal but for rounding
        return 1.0
    return bisect(lambda k: _at_least(k, n, q) - (1 - tail), 1.0, n)


def _upper_rank(n: float, q: float, tail: float) -> float:
    """Smallest k with P(Bin(n, q) ≥ k) ≤ tail; above n when there is none."""
    if q**n > tail:
        return math.inf
    if _at_least(n, n, q) >= tail:  # equal but for rounding
        return n
    return bisect(lambda k: _at_least(k, n, q) - tail, 0.0, n)


def _at_least(k: float, n: float, q: float) -> float:
    """P(Bin(n, q) ≥ k) as a beta distribution function, for any real k from 0 to n."""
    return 1.0 if k <= 0 else float(special.betainc(k, n - k + 1, q))


def _needed(share: float, tail: float) -> int:
    n = math.ceil(math.log(tail) / math.log(share))
    return n if share**n <= tail else n + 1


def _too_few(n: int, n_star: float, share: float, tail: float, what: str) -> Undefined:
    values = f"{n} values" if n_star == n else f"{n} values worth {n_star:.1f} independent ones"
    return Undefined(f"{values} are too few for {what}; it needs {_needed(share, tail)}")


def _as_quantile(q: float) -> float:
    if not 0 < q < 1:
        raise UsageError(f"q must lie strictly between 0 and 1 (0.95 for p95); got {q!r}")
    return float(q)


def _paired(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    first, second = as_values(a, name="a"), as_values(b, name="b")
    if first.size != second.size:
        raise UsageError(f"a and b must be paired row by row; got {first.size} and {second.size} values")
    return first, second
