"""How many independent rows clustered or weighted rows are worth: the design's n_eff and n*.

One correction and never two: n_eff carries the variance, n* adds only the factor (z/t)² for the degrees of
freedom that variance rests on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aliquot.stats.clusters import ClusterVariance, cluster_variance
from aliquot.stats.distributions import two_sided_t, two_sided_z
from aliquot.stats.inputs import Floats, Integers, as_codes, as_values, as_weights
from aliquot.stats.results import Undefined

FEWEST_CLUSTERS = 3
"""With the rarer outcome in fewer clusters than this, the correlation within clusters cannot be seen."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows that carry weight; ``clusters`` (codes 0 to G − 1) and ``weights`` are None when they change nothing."""

    y: Floats
    clusters: Integers | None
    weights: Floats | None

    @property
    def plain(self) -> bool:
        """Whether every row counts alike and for itself."""
        return self.clusters is None and self.weights is None

    @property
    def mean(self) -> float:
        """The (weighted) mean; exactly the common value when all are equal."""
        if self.y.min() == self.y.max():
            return float(self.y[0])
        return float(np.average(self.y, weights=self.weights))


@dataclass(frozen=True, slots=True)
class EffectiveSize:
    """The effective number of rows of a mean, and what it was computed from.

    Attributes:
        n_eff: independent rows that would give the same variance.
        n_star: n_eff (z/t_ν)², the size to put into a score interval.
        variance: the cluster-robust variance of the mean.
        why: the rule that decided, in one line.
    """

    n_eff: float
    n_star: float
    variance: ClusterVariance
    why: str


def as_rows(y: ArrayLike, *, clusters: ArrayLike | None, weights: ArrayLike | None) -> Rows:
    """Check values with their clusters and weights; rows of weight 0 are not in the mean and are left out.

    Clusters of one row each and weights that are all equal say nothing and become None.

    Raises:
        UsageError: an argument has the wrong shape or range.
    """
    values = as_values(y, name="y")
    codes = None if clusters is None else as_codes(clusters, values.size, name="clusters")
    shares = None if weights is None else as_weights(weights, values.size)
    if shares is not None and not shares.all():
        kept = shares > 0
        values, shares = values[kept], shares[kept]
        codes = None if codes is None else as_codes(codes[kept], values.size, name="clusters")
    if codes is not None and codes.max() + 1 == values.size:
        codes = None
    if shares is not None and shares.min() == shares.max():
        shares = None
    return Rows(values, codes, shares)


def effective_size(rows: Rows, *, spread: float, level: float) -> EffectiveSize | Undefined:
    """Effective size of the mean of ``rows`` when one independent row has variance ``spread`` at most.

    Args:
        rows: checked rows, scaled to [0, 1].
        spread: m(1 − m), the largest variance a row of mean m can have; for 0/1 rows their variance.
        level: the level whose z and t are compared.

    Returns:
        The size, or Undefined when there is one cluster only.
    """
    v = cluster_variance(rows.y, clusters=rows.clusters, weights=rows.weights)
    if isinstance(v, Undefined):
        return v
    # V never falls below the variance of independent rows: clustering cannot add information.
    variance = max(v.variance, _independent_variance(rows))
    if rows.y.min() == rows.y.max() or variance == 0:  # equal, or apart by less than a float can square
        n_eff, why = min(float(v.n_clusters), v.kish_n), "no variation: every cluster counts once"
    else:
        n_eff, why = spread / variance, "variance by cluster (CR2)"
        if rows.clusters is not None and rarer_unseen(rows.y, rows.clusters) and n_eff > v.n_clusters:
            n_eff, why = float(v.n_clusters), "the rarer outcome lies in fewer than 3 clusters"
    ratio = two_sided_z(level) / two_sided_t(level, v.df)
    return EffectiveSize(n_eff, n_eff * ratio**2, v, why)


def row_variance(rows: Rows) -> ClusterVariance | Undefined:
    """Cluster-robust variance of the mean, or Undefined when the rows do not show one."""
    constant = without_variation(rows)
    if constant is not None:
        return constant
    v = cluster_variance(rows.y, clusters=rows.clusters, weights=rows.weights)
    if isinstance(v, ClusterVariance) and v.variance == 0:
        return Undefined("every cluster has the same mean, so its error cannot be seen")
    return v


def without_variation(rows: Rows) -> Undefined | None:
    """Why the rows cannot show the error of their mean, when they are all equal or there is one only."""
    if rows.y.size == 1:
        return Undefined("one value only: how values differ, and so the error of their mean, cannot be seen")
    if rows.y.min() < rows.y.max():
        return None
    return Undefined(
        f"all {rows.y.size} values equal {rows.y[0]:g}: "
        "data without variation do not show the error of their mean"
    )


def _independent_variance(rows: Rows) -> float:
    """Variance of the mean were rows independent and equal: pq/n for 0/1 rows, s²/n for others."""
    n, mean = rows.y.size, rows.mean
    if np.isin(rows.y, (0.0, 1.0)).all():
        return mean * (1 - mean) / n
    return float(np.average((rows.y - mean) ** 2, weights=rows.weights)) / (n - 1)


def rarer_unseen(y: Floats, clusters: Integers) -> bool:
    """Whether the rarer outcome lies in fewer than three clusters: then no more rows count than clusters.

    Rarer is all but the commonest value; of two values equally common the one that fewer clusters hold.
    """
    values, counts = np.unique(y, return_counts=True)
    commonest = values[counts == counts.max()][:2]
    holding = (int(np.count_nonzero(np.bincount(clusters[y != value]))) for value in commonest)
    return min(holding) < FEWEST_CLUSTERS
