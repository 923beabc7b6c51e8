"""Tests of p = p₀ for one proportion: exact, mid-p and score."""

from __future__ import annotations

import math
from typing import get_args

from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.distributions import normal_two_sided, p_value
from aliquot.stats.inputs import as_choice, as_count
from aliquot.stats.results import Alternative, HypothesisTest


def binomial_exact(
    x: int, n: int, *, p0: float = 0.5, alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Exact binomial test; two-sided is twice the smaller tail, so that it agrees with Clopper–Pearson.

    R's ``binom.test`` adds the outcomes at most as likely as x instead; the two are equal at p₀ = ½.

    Args:
        x: successes, a whole number from 0 to n.
        n: trials, a whole number of at least 1.
        p0: the proportion of the null, strictly between 0 and 1.
        alternative: ``two-sided``, or p ``greater`` or ``less`` than p₀.

    Raises:
        UsageError: counts that are not whole or out of range, or p₀ outside 0 to 1.

    References:
        Clopper & Pearson (1934) Biometrika 26:404.

    Examples:
        >>> print(binomial_exact(13, 16))
        binomial_exact: p = 0.02127 (two-sided)
    """
    below, at, above = _tails(x, n, p0, alternative)
    return _result("binomial_exact", below + at, at + above, p0, alternative)


def binomial_mid_p(
    x: int, n: int, *, p0: float = 0.5, alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Mid-p binomial test: half the probability of x itself in each tail; agrees with the mid-p interval.

    Arguments and errors as in :func:`binomial_exact`.

    References:
        Fagerland, Lydersen & Laake (2017) Statistical Analysis of Contingency Tables, section 2.4; the interval that
        agrees: Newcombe (1998a) Stat Med 17:857, method 6.

    Examples:
        >>> print(binomial_mid_p(13, 16))
        binomial_mid_p: p = 0.01273 (two-sided)
    """
    below, at, above = _tails(x, n, p0, alternative)
    return _result("binomial_mid_p", below + at / 2, at / 2 + above, p0, alternative)


def binomial_score(
    x: float, n: float, *, p0: float = 0.5, alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Score test z = (p̂ − p₀)/√(p₀(1 − p₀)/n); agrees with the Wilson interval; counts may be fractional.

    Arguments and errors as in :func:`binomial_exact`.

    References:
        Wilson (1927) JASA 22:209.

    Examples:
        >>> binomial_score(13, 16).statistic
        2.5
    """
    x, n = _checked(x, n, p0, alternative)
    z = (x / n - p0) / math.sqrt(p0 * (1 - p0) / n)
    p = {"two-sided": normal_two_sided(z), "greater": float(special.ndtr(-z)), "less": float(special.ndtr(z))}
    return HypothesisTest(
        "binomial_score", p_value(p[alternative]), alternative, statistic=z, null=f"p = {p0:g}"
    )


def _checked(x: float, n: float, p0: float, alternative: Alternative) -> tuple[float, float]:
    as_choice(alternative, get_args(Alternative), name="alternative")
    n, x = as_count(n, name="n"), as_count(x, name="x")
    if n == 0 or x > n:
        raise UsageError(f"x must be at most n and n above 0; got {x:g} of {n:g}")
    if not 0 < p0 < 1:
        raise UsageError(f"p0 must lie strictly between 0 and 1; got {p0!r}")
    return x, n


def _tails(x: float, n: float, p0: float, alternative: Alternative) -> tuple[float, float, float]:
    """P(X < x), P(X = x) and P(X > x); each tail is computed by itself, for the small one loses no digits."""
    x, n = _checked(x, n, p0, alternative)
    if x % 1 or n % 1:
        raise UsageError(
            f"x and n must be whole numbers (the score test takes fractions); got {x:g} of {n:g}"
        )
    below = float(special.betaincc(x, n - x + 1, p0)) if x > 0 else 0.0
    above = float(special.betainc(x + 1, n - x, p0)) if x < n else 0.0
    log_at = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    at = math.exp(log_at + x * math.log(p0) + (n - x) * math.log1p(-p0))
    return below, at, above


def _result(name: str, lower: float, upper: float, p0: float, alternative: Alternative) -> HypothesisTest:
    p = {"two-sided": 2 * min(lower, upper), "greater": upper, "less": lower}[alternative]
    return HypothesisTest(name, p_value(p), alternative, null=f"p = {p0:g}")
