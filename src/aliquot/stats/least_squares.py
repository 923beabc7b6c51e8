"""Least squares with errors robust to unequal variance and clusters: CR2, Bell–McCaffrey degrees of freedom.

A linear fit of a 0/1 value is in points of its rate, adds up over covariates, and has no separation to fail on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aliquot.stats.inputs import Floats, Integers
from aliquot.stats.results import Undefined

_SINGULAR = 1e-10
_LEVERAGE = 1e-8


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients with what their errors need.

    Attributes:
        coefficients: one a column.
        covariance: their CR2 covariance.
        bread: (X'X)⁻¹.
        pulls: X'AX of each cluster, A = (I − H_gg)^−½.
        squares: X'A²X of each cluster.
        residual: y − Xβ.
        clusters: how many.
    """

    coefficients: Floats
    covariance: Floats
    bread: Floats
    pulls: Floats
    squares: Floats
    residual: Floats
    clusters: int

    def df(self, contrast: Floats) -> float:
        """Satterthwaite degrees of freedom of a combination of the coefficients (Bell & McCaffrey 2002, eq. 10)."""
        c = self.bread @ contrast
        sums = self.pulls @ c  # B_g = X_g' p_g
        own = np.einsum("i,gij,j->g", c, self.squares, c)  # p_g' p_g
        across = np.einsum("gi,ij,gj->g", sums, self.bread, sums)
        moment = self.bread @ (sums.T @ sums)
        trace = float((own - across).sum())
        squared = float((own**2 - 2 * own * across).sum() + np.trace(moment @ moment))
        return min(max(trace**2 / squared, 1.0), self.clusters - 1.0) if squared > 0 else 1.0


def least_squares(x: Floats, y: Floats, *, clusters: Integers) -> Fit | Undefined:
    """Fit y on the columns of x; ``clusters`` are codes 0 to G − 1, one a row when rows are independent.

    Returns:
        The fit; Undefined when a column is a combination of the others, or there are too few rows or clusters.

    References:
        Bell & McCaffrey (2002) Survey Methodology 28:169; Pustejovsky & Tipton (2018) JBES 36:672, eq. 6 to 11.
    """
    rows, columns = x.shape
    count = int(clusters.max()) + 1 if rows else 0
    if rows <= columns or count < 2:
        return Undefined("too few rows, or one cluster only, for a fit")
    scale = np.sqrt((x**2).sum(axis=0))
    if not scale.all() or np.linalg.cond(x / scale) > 1 / _SINGULAR**0.5:
        return Undefined("the covariates cannot be told apart, or one does not vary")
    bread = np.asarray(np.linalg.inv(x.T @ x), dtype=np.float64)
    beta = bread @ (x.T @ y)
    residual = y - x @ beta
    half = np.asarray(np.linalg.cholesky(bread), dtype=np.float64)
    scores, pulls, squares = (
        _alone(x, residual, half) if count == rows else _clustered(x, residual, half, clusters)
    )
    middle = bread @ scores.T
    return Fit(beta, middle @ middle.T, bread, pulls, squares, residual, count)


_Sums = tuple[Floats, Floats, Floats]
"""By cluster: X'Ae, X'AX and X'A²X, with A = (I − H_gg)^−½."""


def _alone(x: Floats, residual: Floats, half: Floats) -> _Sums:
    """Each row its own cluster: A is 1/√(1 − h)."""
    rest = 1 - ((x @ half) ** 2).sum(axis=1)
    a = np.where(rest > _LEVERAGE, 1 / np.sqrt(np.where(rest > _LEVERAGE, rest, 1.0)), 1.0)
    outer = np.einsum("gi,gj->gij", x, x)
    return x * (a * residual)[:, None], outer * a[:, None, None], outer * (a**2)[:, None, None]


def _clustered(x: Floats, residual: Floats, half: Floats, clusters: Integers) -> _Sums:
    """A = I + U (1/√(1 − s²) − 1) U' with the singular values s of X_g (X'X)^−½."""
    count, columns = int(clusters.max()) + 1, x.shape[1]
    scores, pulls, squares = (
        np.zeros((count, columns)),
        *(np.zeros((count, columns, columns)) for _ in range(2)),
    )
    order = np.argsort(clusters, kind="stable")
    for group, place in enumerate(np.split(order, np.cumsum(np.bincount(clusters, minlength=count))[:-1])):
        block = x[place]
        u, s, _ = np.linalg.svd(block @ half, full_matrices=False)
        rest = 1 - s**2
        more = np.where(rest > _LEVERAGE, 1 / np.sqrt(np.where(rest > _LEVERAGE, rest, 1.0)), 1.0) - 1
        adjusted = block + u @ (more[:, None] * (u.T @ block))
        scores[group] = adjusted.T @ residual[place]
        pulls[group], squares[group] = block.T @ adjusted, adjusted.T @ adjusted
    return scores, pulls, squares
