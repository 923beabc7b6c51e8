"""Exact tests of two rates on different items, and the choice of the one that decides."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.distributions import p_value
from aliquot.stats.inputs import Floats, as_choice
from aliquot.stats.paired_tests import as_whole
from aliquot.stats.results import Alternative, HypothesisTest
from aliquot.stats.unpaired_score import as_unpaired_counts, mn_score_test

FisherMethod: TypeAlias = Literal["exact", "mid_p"]

BOSCHLOO_LIMIT = 100_000
"""Largest n_a·n_b at which Boschloo's test decides: scipy takes 3.9 s at 500 a side."""

_TIES = 1 + 1e-7  # R's fisher.test counts a table as equally probable within this factor


def fisher(
    x_a: int,
    n_a: int,
    x_b: int,
    n_b: int,
    *,
    method: FisherMethod = "exact",
    alternative: Alternative = "two-sided",
) -> HypothesisTest:
    """Fisher's test of equal rates, given the total number right.

    Args:
        x_a: items the baseline gets right.
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        method: ``exact`` (two-sided: all tables no more probable than the one seen) or ``mid_p`` (half the
            probability of the table seen, two-sided also of those as probable, is left out).
        alternative: ``greater`` when only a better candidate counts, ``less`` when only a worse one does.

    Returns:
        The test, named ``fisher_exact`` or ``fisher_midp``.

    Raises:
        UsageError: counts that are negative or not whole, more right than items, no items on a side.

    References:
        Fagerland, Lydersen & Laake (2017), Statistical Analysis of Contingency Tables, chapter 4.

    Examples:
        >>> print(fisher(3, 10, 9, 10))
        fisher_exact: p = 0.01977 (two-sided)
    """
    as_choice(method, ("exact", "mid_p"), name="method")
    as_choice(alternative, ("two-sided", "less", "greater"), name="alternative")
    a, m, b, n = _whole_counts(x_a, n_a, x_b, n_b)
    values, probabilities = _hypergeometric(a + b, m, n)
    seen = float(probabilities[values == b][0])
    ties = probabilities >= seen / _TIES
    if alternative == "two-sided":
        p = float(probabilities[probabilities <= seen * _TIES].sum())
        # the mirror table, where it is as probable, is halved with the one seen
        seen = float(probabilities[(probabilities <= seen * _TIES) & ties].sum())
    else:
        p = float(probabilities[values >= b if alternative == "greater" else values <= b].sum())
    return HypothesisTest(
        name="fisher_exact" if method == "exact" else "fisher_midp",
        p=p_value(p - (seen / 2 if method == "mid_p" else 0.0)),
        alternative=alternative,
        null="the two rates are equal",
        settings={"x_a": a, "n_a": m, "x_b": b, "n_b": n},
    )


def boschloo(
    x_a: int, n_a: int, x_b: int, n_b: int, *, alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Boschloo's unconditional exact test of equal rates: Fisher's p as the statistic, never less powerful.

    Args:
        x_a: items the baseline gets right.
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        alternative: ``greater`` when only a better candidate counts, ``less`` when only a worse one does.

    Returns:
        The test; ``statistic`` is the one-sided Fisher p it rests on, and two-sided p is twice the smaller
        tail.

    Raises:
        UsageError: counts that are negative or not whole, more right than items, no items on a side, or
            tables beyond :data:`BOSCHLOO_LIMIT`.

    References:
        Boschloo (1970), Statistica Neerlandica 24:1-9; computed by scipy.stats.boschloo_exact.

    Examples:
        >>> print(boschloo(3, 10, 9, 10))
        boschloo: p = 0.007956 (two-sided)
    """
    as_choice(alternative, ("two-sided", "less", "greater"), name="alternative")
    a, m, b, n = _whole_counts(x_a, n_a, x_b, n_b)
    if m * n > BOSCHLOO_LIMIT:
        raise UsageError(
            f"Boschloo's test on {m} and {n} items would take too long; "
            "use mn_score_test, or unpaired_test to choose"
        )
    p, statistic = 1.0, None
    if 0 < a + b < m + n:
        # scipy.stats takes a second to import, and this test alone needs it
        from scipy.stats import boschloo_exact  # noqa: PLC0415

        found = boschloo_exact([[b, a], [n - b, m - a]], alternative=alternative)
        p, statistic = float(found.pvalue), float(found.statistic)
    return HypothesisTest(
        name="boschloo",
        p=p_value(p),
        alternative=alternative,
        statistic=statistic,
        null="the two rates are equal",
        settings={"x_a": a, "n_a": m, "x_b": b, "n_b": n},
    )


def unpaired_test(
    x_a: int, n_a: int, x_b: int, n_b: int, *, alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Return the test that decides: Boschloo up to n_a·n_b = 10⁵, then Miettinen–Nurminen's score test.

    Args:
        x_a: items the baseline gets right.
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        alternative: ``greater`` when only a better candidate counts, ``less`` when only a worse one does.

    Returns:
        The test, under its own name.

    Raises:
        UsageError: counts that are negative or not whole, more right than items, no items on a side.

    References:
        Boschloo (1970), Statistica Neerlandica 24:1-9; Miettinen & Nurminen (1985), Statistics in Medicine
        4:213-226.

    Examples:
        >>> unpaired_test(800, 1000, 850, 1000).name
        'mn_score'
    """
    a, m, b, n = _whole_counts(x_a, n_a, x_b, n_b)
    if m * n > BOSCHLOO_LIMIT:
        return mn_score_test(a, m, b, n, alternative=alternative)
    return boschloo(a, m, b, n, alternative=alternative)


def _whole_counts(x_a: int, n_a: int, x_b: int, n_b: int) -> tuple[int, int, int, int]:
    as_unpaired_counts(x_a, n_a, x_b, n_b)
    a, m = as_whole(x_a, name="x_a"), as_whole(n_a, name="n_a")
    return a, m, as_whole(x_b, name="x_b"), as_whole(n_b, name="n_b")


def _hypergeometric(right: int, n_a: int, n_b: int) -> tuple[Floats, Floats]:
    """Numbers right of B, given the total right, with their probabilities under equal rates."""
    values = np.arange(max(0, right - n_a), min(right, n_b) + 1, dtype=np.float64)

    def log_factorial(value: Floats) -> Floats:
        return special.gammaln(value + 1)

    log_p = -log_factorial(values) - log_factorial(n_b - values)
    log_p -= log_factorial(right - values) + log_factorial(n_a - right + values)
    weights = np.exp(log_p - log_p.max())
    return values, weights / weights.sum()
