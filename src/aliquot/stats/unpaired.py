"""Difference of two systems that share no items: score interval for rates, Welch for scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from aliquot.stats.clusters import ClusterVariance, cluster_variance, t_interval
from aliquot.stats.distributions import p_value, t_two_sided
from aliquot.stats.effective import Rows, as_rows, effective_size
from aliquot.stats.inputs import as_binary, as_level, as_values
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from aliquot.stats.unpaired_score import miettinen_nurminen


def unpaired_rates(
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters_a: ArrayLike | None = None,
    clusters_b: ArrayLike | None = None,
    weights_a: ArrayLike | None = None,
    weights_b: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Difference of two pass rates on different items, b − a: Miettinen–Nurminen on each side's n*.

    Without clusters and weights n* is n. With them n* = n_eff (z/t_ν)², as for the rate of one system.
    Clusters are taken as different ones on the two sides, whatever their labels.

    Args:
        a: the baseline's outcomes, 0 or 1.
        b: the candidate's outcomes, on other items.
        clusters_a: one label a row of ``a``; None when rows are independent.
        clusters_b: one label a row of ``b``.
        weights_a: one non-negative weight a row of ``a``.
        weights_b: one non-negative weight a row of ``b``.
        level: confidence level.

    Raises:
        UsageError: a value is not 0 or 1, or labels or weights do not fit.

    References:
        Miettinen & Nurminen (1985), Statistics in Medicine 4:213-226; effective n: design of this package.

    Examples:
        >>> print(unpaired_rates([1] * 12 + [0] * 8, [1] * 17 + [0] * 5))
        0.1727 [-0.1105, 0.4372] 95% miettinen_nurminen, n = 42
    """
    level = as_level(level)
    sides = [
        as_rows(as_binary(a, name="a"), clusters=clusters_a, weights=weights_a),
        as_rows(as_binary(b, name="b"), clusters=clusters_b, weights=weights_b),
    ]
    sizes: list[tuple[float, float]] = []
    for rows in sides:
        size = _sizes(rows, level=level)
        if isinstance(size, Undefined):
            return size
        sizes.append(size)
    (p_a, n_a), (p_b, n_b) = sizes
    found = miettinen_nurminen(p_a * n_a, n_a, p_b * n_b, n_b, level=level)
    if all(rows.plain for rows in sides):
        return found
    v = _summed(*sides)
    return replace(
        found,
        point=p_b - p_a,
        method="miettinen_nurminen_effective_n",
        n=float(sum(rows.y.size for rows in sides)),
        se=None if isinstance(v, Undefined) else v.se,
        clusters=None if isinstance(v, Undefined) or not v.clustered else v.n_clusters,
        settings={"n_star_a": n_a, "n_star_b": n_b},
        why="rows of a cluster are not independent"
        if any(r.clusters is not None for r in sides)
        else "weighted rows",
    )


def unpaired_means(
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters_a: ArrayLike | None = None,
    clusters_b: ArrayLike | None = None,
    weights_a: ArrayLike | None = None,
    weights_b: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Difference of two means on different items, b − a: Welch, with clusters from CR2 variances.

    V = V_A + V_B and ν = V²/(V_A²/ν_A + V_B²/ν_B); arguments as in :func:`unpaired_rates`, values any real
    numbers. Undefined when a side holds one value or one cluster, or when neither side varies.

    Raises:
        UsageError: values that are not numbers, or labels or weights that do not fit.

    References:
        Welch (1947) Biometrika 34:28; Satterthwaite (1946) Biometrics Bulletin 2:110.

    Examples:
        >>> print(unpaired_means([2.1, 3.0, 2.6, 3.3], [3.4, 3.9, 2.9, 4.1, 3.6]))
        0.8300 [0.0209, 1.6391] 95% welch, n = 9
    """
    level = as_level(level)
    v = _summed(
        as_rows(as_values(a, name="a"), clusters=clusters_a, weights=weights_a),
        as_rows(as_values(b, name="b"), clusters=clusters_b, weights=weights_b),
    )
    if isinstance(v, Undefined):
        return v
    if v.variance == 0:
        return Undefined("neither side varies, so the error of the difference cannot be seen")
    why = "rows of a cluster are not independent" if v.clustered else ""
    return t_interval(v, level=level, method="welch_cr2" if v.clustered else "welch", why=why)


def welch_test(
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters_a: ArrayLike | None = None,
    clusters_b: ArrayLike | None = None,
    weights_a: ArrayLike | None = None,
    weights_b: ArrayLike | None = None,
) -> HypothesisTest | Undefined:
    """Welch's two-sided t test of equal means; arguments and Undefined as in :func:`unpaired_means`.

    Raises:
        UsageError: values that are not numbers, or labels or weights that do not fit.

    References:
        Welch (1947) Biometrika 34:28.

    Examples:
        >>> print(welch_test([2.1, 3.0, 2.6, 3.3], [3.4, 3.9, 2.9, 4.1, 3.6]))
        welch: p = 0.04586 (two-sided)
    """
    v = _summed(
        as_rows(as_values(a, name="a"), clusters=clusters_a, weights=weights_a),
        as_rows(as_values(b, name="b"), clusters=clusters_b, weights=weights_b),
    )
    if isinstance(v, Undefined):
        return v
    if v.variance == 0:
        return Undefined("neither side varies, so the error of the difference cannot be seen")
    t = v.mean / v.se
    return HypothesisTest(
        name="welch_cr2" if v.clustered else "welch",
        p=p_value(t_two_sided(t, v.df)),
        statistic=t,
        df=v.df,
        null="the two means are equal",
    )


def _summed(*sides: Rows) -> ClusterVariance | Undefined:
    """Variance of the difference of two independent means, with Welch's degrees of freedom."""
    found = [cluster_variance(rows.y, clusters=rows.clusters, weights=rows.weights) for rows in sides]
    a, b = found
    if isinstance(a, Undefined) or isinstance(b, Undefined):
        side, reason = ("a", a) if isinstance(a, Undefined) else ("b", b)
        return Undefined(f"side {side} holds {str(reason).removeprefix('undefined: ')}")
    variance = a.variance + b.variance
    share = a.variance / variance if variance > 0 else 0.0  # a share, as squares of V leave the floats
    df = 1 / (share**2 / a.df + (1 - share) ** 2 / b.df) if variance > 0 else min(a.df, b.df)
    return ClusterVariance(
        mean=b.mean - a.mean,
        variance=variance,
        df=df,
        n=a.n + b.n,
        n_clusters=a.n_clusters + b.n_clusters,
        kish_n=1 / (1 / a.kish_n + 1 / b.kish_n),
        clustered=a.clustered or b.clustered,
    )


def _sizes(rows: Rows, *, level: float) -> tuple[float, float] | Undefined:
    """Rate and n* of one side; n itself when rows are independent and of equal weight."""
    p = float(np.average(rows.y, weights=rows.weights))
    if rows.plain:
        return p, float(rows.y.size)
    size = effective_size(rows, spread=p * (1 - p), level=level)
    return size if isinstance(size, Undefined) else (p, size.n_star)
