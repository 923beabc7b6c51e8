"""Quantiles and tails on scipy.special alone: scipy.stats takes a second to import and none of it is needed here."""

from __future__ import annotations

import sys

import numpy as np
from scipy import special


def normal_quantile(p: float) -> float:
    """Quantile of the standard normal distribution."""
    return float(special.ndtri(p))


def normal_two_sided(z: float) -> float:
    """Two-sided tail probability of ``|z|``."""
    return float(2 * special.ndtr(-abs(z)))


def two_sided_z(level: float) -> float:
    """Return z such that (−z, z) holds ``level`` of the standard normal."""
    return normal_quantile(0.5 + level / 2)


def t_quantile(p: float, df: float) -> float:
    """Quantile of Student's t; the normal quantile when ``df`` is infinite."""
    return normal_quantile(p) if np.isinf(df) else float(special.stdtrit(df, p))


def two_sided_t(level: float, df: float) -> float:
    """Return t such that (−t, t) holds ``level`` of Student's t with ``df`` degrees of freedom."""
    return t_quantile(0.5 + level / 2, df)


def t_two_sided(t: float, df: float) -> float:
    """Two-sided tail probability of ``|t|`` with ``df`` degrees of freedom."""
    return normal_two_sided(t) if np.isinf(df) else float(2 * special.stdtr(df, -abs(t)))


def beta_quantile(p: float, a: float, b: float) -> float:
    """Quantile of the beta distribution."""
    return float(special.betaincinv(a, b, p))


def binomial_pmf(k: np.ndarray | float, n: float, p: np.ndarray | float) -> np.ndarray:
    """Probability of exactly ``k`` successes of ``n``, computed on the log scale."""
    k = np.asarray(k, dtype=np.float64)
    log_choose = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.exp(log_choose + special.xlogy(k, p) + special.xlog1py(n - k, -p))


def binomial_cdf(k: float, n: float, p: float) -> float:
    """Probability of at most ``k`` successes of ``n``; both may be fractional."""
    below = np.floor(k)
    if below < 0:
        return 0.0
    if n == int(n):  # newer scipy warns when n comes as a float
        return float(special.bdtr(below, int(n), p))
    return float(special.betaincc(below + 1, n - below, p)) if below < n else 1.0


def p_value(p: float) -> float:
    """Keep a p-value in (0, 1]: a tail too small for a float is still not 0."""
    return min(1.0, max(p, sys.float_info.min))


def chi2_upper(x: float, df: float) -> float:
    """Upper tail of the chi-squared distribution."""
    return float(special.chdtrc(df, x))
