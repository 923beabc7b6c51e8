"""Intraclass correlation and design effect: how alike the rows of a cluster are, and what it costs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_codes, sum_clusters, variance_of_sums
from aliquot.stats.inputs import as_array, as_count, as_values
from aliquot.stats.results import Record, Undefined


@dataclass(frozen=True, slots=True)
class Intraclass(Record):
    """One-way random-effects intraclass correlation with what it is made of.

    Attributes:
        icc: between/(between + within); negative when clusters are more alike than chance.
        between: variance component between clusters (may be negative).
        within: variance component within clusters.
        ms_between: mean square between clusters.
        ms_within: mean square within clusters.
        n0: (N − Σm²/N)/(G − 1), the size that makes ``between`` unbiased.
        n: rows.
        n_clusters: clusters.
    """

    icc: float
    between: float
    within: float
    ms_between: float
    ms_within: float
    n0: float
    n: int
    n_clusters: int


@dataclass(frozen=True, slots=True)
class DesignEffect(Record):
    """How much clustering inflates the variance of a mean, two ways.

    Attributes:
        formula: 1 + (m* − 1) ICC with m* = Σm²/Σm, the size of the cluster an average row is in.
        empirical: cluster-robust variance over that of independent rows (both without correction).
        m_star: Σm²/Σm.
        n_eff: n over the formula's effect, at most n.
        n: rows.
    """

    formula: float
    empirical: float
    m_star: float
    n_eff: float
    n: float


def intraclass(y: ArrayLike, *, clusters: ArrayLike) -> Intraclass | Undefined:
    """One-way random-effects ICC by analysis of variance, for clusters of unequal size.

    Pass 0/1 values for the ICC of a rate, differences for that of a paired difference; it is the second that
    says how clusters act on a comparison.

    Args:
        y: one value a row.
        clusters: one label a row.

    Returns:
        The ICC, or Undefined with one cluster, no cluster of two rows, or no variation.

    Raises:
        UsageError: an argument has the wrong shape or range.

    References:
        Donner (1986) International Statistical Review 54:67, eqs. 2.1 to 2.3.

    Examples:
        >>> found = intraclass([9, 12, 10, 13, 15, 14, 8, 7, 9], clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3])
        >>> round(found.icc, 4), round(found.ms_between, 4)
        (0.8571, 27.4444)
    """
    values = as_values(y, name="y")
    codes = cluster_codes(clusters, values.size)
    m = np.bincount(codes).astype(np.float64)
    kept = m > 0
    residual = values - values.mean()
    sums, m = np.bincount(codes, residual)[kept], m[kept]
    n, groups = values.size, m.size
    if groups < 2:
        return Undefined("one cluster only: how clusters differ cannot be seen")
    if groups == n:
        return Undefined("no cluster holds two rows, so likeness within clusters cannot be seen")
    if values.min() == values.max():
        return Undefined("all values are equal, so there is no variance to share")
    ss_between = float((sums**2 / m).sum())
    ms_between = ss_between / (groups - 1)
    ms_within = max(0.0, float(residual @ residual) - ss_between) / (n - groups)
    n0 = (n - float(m @ m) / n) / (groups - 1)
    between = (ms_between - ms_within) / n0
    total = between + ms_within
    if total <= 0:
        return Undefined("the variance components sum to nothing, so their ratio does not exist")
    return Intraclass(between / total, between, ms_within, ms_between, ms_within, n0, n, groups)


def design_effect(y: ArrayLike, *, clusters: ArrayLike) -> DesignEffect | Undefined:
    """Design effect of the mean of clustered rows, by formula and as found; see :func:`intraclass`.

    Raises:
        UsageError: an argument has the wrong shape or range.

    References:
        Kish (1965) Survey Sampling, eq. 5.4.1; Donner (1986) International Statistical Review 54:67.

    Examples:
        >>> found = design_effect([9, 12, 10, 13, 15, 14, 8, 7, 9], clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3])
        >>> round(found.formula, 3), round(found.empirical, 3), round(found.n_eff, 2)
        (2.714, 2.591, 3.32)
    """
    found = intraclass(y, clusters=clusters)
    if isinstance(found, Undefined):
        return found
    clustered = variance_of_sums(sum_clusters(y, clusters=clusters), correction="CR0")
    independent = variance_of_sums(sum_clusters(y), correction="CR0")
    if isinstance(clustered, Undefined) or isinstance(independent, Undefined):
        return Undefined("one cluster only: how clusters differ cannot be seen")
    m = np.bincount(cluster_codes(clusters, found.n))
    m_star = float(m @ m) / found.n
    formula = design_effect_of(found.icc, m_star)
    return DesignEffect(
        formula=formula,
        empirical=clustered.variance / independent.variance,
        m_star=m_star,
        n_eff=found.n / max(1.0, formula),
        n=found.n,
    )


def design_effect_of(icc: float, m_star: float) -> float:
    """Design effect 1 + (m* − 1) ICC of clusters of (average) size m*; Kish (1965), eq. 5.4.1.

    Raises:
        UsageError: an ICC above 1 or a size below 1 (unequal clusters can bring an estimate below −1).

    Examples:
        >>> design_effect_of(0.3, 20)
        6.7
    """
    if not (math.isfinite(icc) and icc <= 1):
        raise UsageError(f"icc must be a number of at most 1; got {icc}")
    return 1 + (as_count(m_star, name="m_star", at_least=1) - 1) * icc


def shrout_fleiss(ratings: ArrayLike) -> dict[str, float | Undefined]:
    """All six intraclass correlations of Shrout and Fleiss for a full table of targets by raters.

    ``ICC1`` one-way, ``ICC2`` raters random (absolute agreement), ``ICC3`` raters fixed (consistency); a
    final ``k`` is the reliability of the mean over the k raters.

    Args:
        ratings: targets × raters, no missing cell.

    Returns:
        ``ICC1, ICC2, ICC3, ICC1k, ICC2k, ICC3k``, each Undefined where its denominator is 0.

    Raises:
        UsageError: fewer than two targets or raters, or a missing cell.

    References:
        Shrout & Fleiss (1979) Psychological Bulletin 86:420, table 3 and pp. 423-426.

    Examples:
        >>> table = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
        >>> {name: round(value, 2) for name, value in shrout_fleiss(table).items()}
        {'ICC1': 0.17, 'ICC2': 0.29, 'ICC3': 0.71, 'ICC1k': 0.44, 'ICC2k': 0.62, 'ICC3k': 0.91}
    """
    squares = mean_squares(ratings)
    n, k = squares.n, squares.k
    bms, jms, wms, ems = squares.between, squares.raters, squares.within, squares.error
    parts = {
        "ICC1": (bms - wms, bms + (k - 1) * wms),
        "ICC2": (bms - ems, bms + (k - 1) * ems + k * (jms - ems) / n),
        "ICC3": (bms - ems, bms + (k - 1) * ems),
        "ICC1k": (bms - wms, bms),
        "ICC2k": (bms - ems, bms + (jms - ems) / n),
        "ICC3k": (bms - ems, bms),
    }
    return {
        name: top / bottom if bottom > 1e-12 * squares.total else Undefined("the targets do not differ")
        for name, (top, bottom) in parts.items()
    }


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Analysis of variance of a full table of targets by raters.

    Attributes:
        n: targets.
        k: raters.
        between: mean square between targets, n − 1 degrees of freedom.
        raters: between raters, k − 1.
        within: within targets, n(k − 1).
        error: what is left of it, (n − 1)(k − 1).
        total: sum of squares about the mean.
    """

    n: int
    k: int
    between: float
    raters: float
    within: float
    error: float
    total: float


def mean_squares(ratings: ArrayLike) -> MeanSquares:
    """Mean squares of targets × raters; Shrout & Fleiss (1979), table 1.

    Raises:
        UsageError: fewer than two targets or raters, or a missing cell.
    """
    given = as_array(ratings, name="ratings", wanted="a table of targets by raters")
    if given.dtype.kind not in "biuf":
        raise UsageError(f"ratings must be numbers; got an array of {given.dtype}")
    table = given.astype(np.float64)
    if table.ndim != 2 or min(table.shape) < 2:
        raise UsageError(f"ratings must be a table of at least two targets by two raters; got {table.shape}")
    if not np.isfinite(table).all():
        raise UsageError("ratings must have no missing cell; Krippendorff's alpha takes ragged ratings")
    n, k = table.shape
    centred = table - table.mean()
    ss_rows = k * float((centred.mean(axis=1) ** 2).sum())
    ss_columns = n * float((centred.mean(axis=0) ** 2).sum())
    ss_total = float((centred**2).sum())
    return MeanSquares(
        n=n,
        k=k,
        between=ss_rows / (n - 1),
        raters=ss_columns / (k - 1),
        within=max(0.0, ss_total - ss_rows) / (n * (k - 1)),
        error=max(0.0, ss_total - ss_rows - ss_columns) / ((n - 1) * (k - 1)),
        total=ss_total,
    )
