"""Variance of a mean when the rows come in clusters: CR0 to CR3 and the Bell–McCaffrey degrees of freedom.

For a weighted mean everything follows from three numbers a cluster: Σw, Σw² and the residual sum Σwe. The
degrees of freedom need Σ P_gh² over all pairs of clusters; its closed form below takes time and memory linear
in the number of clusters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.distributions import two_sided_t
from aliquot.stats.inputs import (
    Floats,
    Integers,
    as_array,
    as_choice,
    as_codes,
    as_level,
    as_values,
    as_weights,
)
from aliquot.stats.results import Estimate, Record, Undefined

Correction: TypeAlias = Literal["CR0", "CR1", "CR2", "CR3"]

_ROUNDING = 1e-12
"""Residual sums below this share of the largest value count as 0: V = 0 is a case of its own."""

_LEAST_REST = 1e-9
"""With less than this share of the weight outside one cluster, that cluster is the only one."""


@dataclass(frozen=True, slots=True)
class ClusterVariance(Record):
    """A mean, its cluster-robust variance and the degrees of freedom of that variance.

    Attributes:
        mean: the (weighted) mean.
        variance: V, the variance of the mean; exactly 0 when every cluster has the same mean.
        df: ν, Satterthwaite degrees of freedom (Bell–McCaffrey); at most ``n_clusters`` − 1.
        n: rows in the mean (rows of weight 0 are not).
        n_clusters: clusters in the mean; ``n`` when every row is its own.
        kish_n: (Σw)²/Σw², the number of equal rows the weights are worth.
        correction: ``CR0`` to ``CR3``.
        clustered: whether the caller named clusters.
    """

    mean: float
    variance: float
    df: float
    n: float
    n_clusters: int
    kish_n: float
    correction: Correction = "CR2"
    clustered: bool = False

    @property
    def se(self) -> float:
        """Standard error, √V."""
        return math.sqrt(self.variance)


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """Sufficient statistics of a weighted mean by cluster; weights sum to 1 over all of them.

    Attributes:
        mean: Σ w y.
        residuals: S_g = Σ w (y − mean) of each cluster.
        shares: q_g = Σ w of each cluster.
        squares: u_g = Σ w² of each cluster.
        n: rows with a positive weight.
        clustered: whether the caller named clusters.
    """

    mean: float
    residuals: Floats
    shares: Floats
    squares: Floats
    n: float
    clustered: bool


def cluster_variance(
    y: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    correction: Correction = "CR2",
) -> ClusterVariance | Undefined:
    """Variance of a mean with its Satterthwaite degrees of freedom.

    CR2 (the default) is unbiased when rows are independent and of equal variance; it is exact for equal
    weights and close otherwise. Without clusters and weights it is s²/n with n − 1 degrees of freedom. CR0
    takes no correction, CR1 multiplies by G/(G−1), CR3 is close to the jackknife over clusters.

    Args:
        y: one value a row, any range.
        clusters: one label a row; None when every row is its own cluster.
        weights: one non-negative weight a row, of any scale.
        correction: ``CR0``, ``CR1``, ``CR2`` or ``CR3``.

    Returns:
        The variance, or Undefined when fewer than two clusters carry weight.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Bell & McCaffrey (2002) Survey Methodology 28:169; Pustejovsky & Tipton (2018) JBES 36:672.

    Examples:
        >>> v = cluster_variance([9, 12, 10, 13, 15, 14, 8, 7, 9], clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3])
        >>> round(v.se, 4), round(v.df, 4)
        (1.7462, 2.0)
    """
    as_choice(correction, get_args(Correction), name="correction")
    return variance_of_sums(sum_clusters(y, clusters=clusters, weights=weights), correction=correction)


def sum_clusters(
    y: ArrayLike, *, clusters: ArrayLike | None = None, weights: ArrayLike | None = None
) -> ClusterSums:
    """Reduce rows to the sums by cluster the variance needs; arguments as in :func:`cluster_variance`."""
    values = as_values(y, name="y")
    n, scale = values.size, float(max(values.max(), -values.min()))
    codes = None if clusters is None else cluster_codes(clusters, n)
    w = None if weights is None else as_weights(weights, n)
    mean = float(values.mean() if w is None else w @ values)
    values -= mean  # in place: at a million rows each further array costs as much as the sums
    if w is None:
        counts = np.ones(n) if codes is None else np.bincount(codes).astype(np.float64)
        sums = (values if codes is None else np.bincount(codes, values)) / n
        return _cleaned(
            sums, counts / n, counts / n**2, mean=mean, scale=scale, n=n, clustered=codes is not None
        )
    parts = [w * values, w, w * w]
    if codes is not None:
        parts = [np.bincount(codes, part).astype(np.float64) for part in parts]
    rows = int(np.count_nonzero(w))
    return _cleaned(*parts, mean=mean, scale=scale, n=rows, clustered=codes is not None)


def sums_from_totals(totals: ArrayLike, sizes: ArrayLike, *, squares: ArrayLike | None = None) -> ClusterSums:
    """Take the sums by cluster as a database returns them: Σ w y, Σ w and, when weighted, Σ w².

    Args:
        totals: Σ w y of each cluster (Σ y when unweighted).
        sizes: Σ w of each cluster (its number of rows when unweighted).
        squares: Σ w² of each cluster; None when every weight is 1.

    Raises:
        UsageError: lengths differ, or no cluster has a positive size.

    Examples:
        >>> v = variance_of_sums(sums_from_totals([31, 42, 24], [3, 3, 3]))
        >>> round(v.se, 4), round(v.mean, 4)
        (1.7462, 10.7778)
    """
    t, q = as_values(totals, name="totals"), as_values(sizes, name="sizes", low=0.0)
    u = q if squares is None else as_values(squares, name="squares", low=0.0)
    if not t.size == q.size == u.size:
        raise UsageError(
            f"totals, sizes and squares must be of one length; got {t.size}, {q.size} and {u.size}"
        )
    total = float(q.sum())
    if not total > 0:
        raise UsageError("sizes must not all be zero")
    mean = float(t.sum() / total)
    scale = float(np.abs(np.divide(t, q, out=np.zeros_like(t), where=q > 0)).max())
    rows = total if squares is None else float(total**2 / u.sum())
    return _cleaned(
        (t - mean * q) / total, q / total, u / total**2, mean=mean, scale=scale, n=rows, clustered=True
    )


def variance_of_sums(sums: ClusterSums, *, correction: Correction = "CR2") -> ClusterVariance | Undefined:
    """Variance and degrees of freedom from the sums by cluster; see :func:`cluster_variance`."""
    q, u = sums.shares, sums.squares
    n_clusters = int(np.count_nonzero(q))
    unit = "cluster" if sums.clustered else "value"
    if n_clusters < 2 or 1 - q.max() < _LEAST_REST:
        return Undefined(
            f"one {unit} only: how {unit}s differ, and so the error of their mean, cannot be seen"
        )
    squared = sums.residuals**2
    variance = {
        "CR0": squared.sum(),
        "CR1": squared.sum() * n_clusters / (n_clusters - 1),
        "CR2": (squared / (1 - q)).sum(),
        "CR3": (squared / (1 - q) ** 2).sum(),
    }[correction]
    return ClusterVariance(
        mean=sums.mean,
        variance=float(variance),
        df=_satterthwaite(q, u),
        n=sums.n,
        n_clusters=n_clusters,
        kish_n=float(1 / u.sum()),
        correction=correction,
        clustered=sums.clustered,
    )


def clustered_mean(
    y: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    correction: Correction = "CR2",
) -> Estimate | Undefined:
    """Mean of any real values with clusters or weights: t with the cluster-robust variance and its df.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Bell & McCaffrey (2002) Survey Methodology 28:169, eq. 10.

    Examples:
        >>> print(clustered_mean([9, 12, 10, 13, 15, 14, 8, 7, 9], clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3]))
        10.7778 [3.2643, 18.2913] 95% t_cr2, n = 9
    """
    level = as_level(level)
    v = cluster_variance(y, clusters=clusters, weights=weights, correction=correction)
    if isinstance(v, Undefined):
        return v
    if v.variance == 0:
        return Undefined("every cluster has the same mean, so its error cannot be seen")
    why = "rows of a cluster are not independent" if v.clustered else "weighted rows"
    return t_interval(v, level=level, method=f"t_{correction.lower()}", why=why)


def t_interval(
    v: ClusterVariance,
    *,
    level: float,
    method: str,
    why: str,
    settings: Mapping[str, object] = MappingProxyType({}),
) -> Estimate:
    """Return a mean ± t times its standard error, t of the degrees of freedom of its variance."""
    half = two_sided_t(level, v.df) * v.se
    return Estimate(
        point=v.mean,
        low=v.mean - half,
        high=v.mean + half,
        level=level,
        method=method,
        n=v.n,
        se=v.se,
        df=v.df,
        clusters=v.n_clusters if v.clustered else None,
        settings=dict(settings),
        why=why,
    )


def cluster_codes(labels: ArrayLike, n: int) -> Integers:
    """Codes of the clusters; whole numbers of a narrow range are codes already, which saves a sort."""
    array = as_array(labels, name="clusters", wanted="a list of labels")
    if array.shape == (n,) and array.dtype.kind in "iu" and n:
        first, last = int(array.min()), int(array.max())
        if last - first < 2 * n + 1000:
            return array.astype(np.int64, copy=False) - first if first else array.astype(np.int64, copy=False)
    return as_codes(labels, n, name="clusters")


def _cleaned(
    residuals: Floats,
    shares: Floats,
    squares: Floats,
    *,
    mean: float,
    scale: float,
    n: float,
    clustered: bool,
) -> ClusterSums:
    """Set residual sums that are rounding to exactly 0."""
    residuals[np.abs(residuals) <= _ROUNDING * scale * shares] = 0.0
    return ClusterSums(mean, residuals, shares, squares, n, clustered)


def _satterthwaite(q: Floats, u: Floats) -> float:
    """ν = (Σ P_gg)² / Σ P_gh² (Bell & McCaffrey 2002, eq. 10 with independent rows of equal variance).

    With a = q/√(1−q), b = u/√(1−q), c = u/(1−q), U = Σu: P = diag(c) − ab' − ba' + U aa', whose Frobenius
    norm needs only the sums Σa², Σb² and Σab.
    """
    root = np.sqrt(1 - q)
    a, b, c, total = q / root, u / root, u / (1 - q), u.sum()
    aa, bb, ab = a @ a, b @ b, a @ b
    low_rank = 2 * aa * bb + 2 * ab**2 - 4 * total * aa * ab + total**2 * aa**2
    off = total * a**2 - 2 * a * b
    nu = float((c + off).sum() ** 2 / (low_rank + (c * (c + 2 * off)).sum()))
    return min(
        max(nu, 1.0), float(np.count_nonzero(q) - 1)
    )  # the rank of P bounds it; this takes rounding off
