"""Two rates on different items: the intervals and tests offered by name, and all of them side by side."""

from __future__ import annotations

import math

from aliquot.stats.decision import decided_interval
from aliquot.stats.distributions import chi2_upper, two_sided_z
from aliquot.stats.family import Family, disagreement
from aliquot.stats.inputs import as_level
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Alternative, Estimate, HypothesisTest, Undefined
from aliquot.stats.unpaired_exact import fisher, unpaired_test
from aliquot.stats.unpaired_score import (
    as_unpaired_counts,
    mee,
    miettinen_nurminen,
    mn_score_test,
    pooled_test,
)


def newcombe_unpaired(x_a: float, n_a: float, x_b: float, n_b: float, *, level: float = 0.95) -> Estimate:
    """Difference of two rates on different items with Newcombe's hybrid of two Wilson intervals.

    Args:
        x_a: items the baseline gets right; may be fractional (effective counts).
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        level: confidence level.

    Returns:
        Candidate minus baseline.

    Raises:
        UsageError: negative counts, more right than items, no items on a side.

    References:
        Newcombe (1998b), Statistics in Medicine 17:873-890, method 10.

    Examples:
        >>> print(newcombe_unpaired(48, 80, 56, 70))
        0.2000 [0.0524, 0.3339] 95% newcombe_unpaired, n = 150
    """
    x_a, n_a, x_b, n_b = as_unpaired_counts(x_a, n_a, x_b, n_b)
    a, b = wilson(x_a, n_a, level=level), wilson(x_b, n_b, level=level)
    rate_a, rate_b = x_a / n_a, x_b / n_b
    difference = rate_b - rate_a
    return Estimate(
        point=difference,
        low=difference - math.hypot(rate_b - b.low, a.high - rate_a),
        high=difference + math.hypot(b.high - rate_b, rate_a - a.low),
        level=level,
        method="newcombe_unpaired",
        n=n_a + n_b,
    )


def wald_unpaired(
    x_a: float, n_a: float, x_b: float, n_b: float, *, level: float = 0.95
) -> Estimate | Undefined:
    """Difference of two rates on different items, normal approximation: too narrow near 0 and 1.

    Args:
        x_a: items the baseline gets right; may be fractional (effective counts).
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        level: confidence level.

    Returns:
        Candidate minus baseline, cut to [−1, 1]; Undefined where its standard error is 0.

    Raises:
        UsageError: negative counts, more right than items, no items on a side.

    References:
        Newcombe (1998b), Statistics in Medicine 17:873-890, method 1.

    Examples:
        >>> print(wald_unpaired(0, 10, 10, 10))
        undefined: the Wald interval has no width when each system gets all or none of its items right
    """
    x_a, n_a, x_b, n_b = as_unpaired_counts(x_a, n_a, x_b, n_b)
    rate_a, rate_b = x_a / n_a, x_b / n_b
    se = math.sqrt(rate_a * (1 - rate_a) / n_a + rate_b * (1 - rate_b) / n_b)
    half = two_sided_z(as_level(level)) * se
    if se == 0:
        return Undefined(
            "the Wald interval has no width when each system gets all or none of its items right"
        )
    difference = rate_b - rate_a
    return Estimate(
        point=difference,
        low=max(-1.0, difference - half),
        high=min(1.0, difference + half),
        level=level,
        method="wald_unpaired",
        n=n_a + n_b,
        se=se,
    )


def z_pooled(
    x_a: float, n_a: float, x_b: float, n_b: float, *, alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Test equal rates on different items by the normal approximation with the pooled variance.

    Args:
        x_a: items the baseline gets right.
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        alternative: ``greater`` when only a better candidate counts, ``less`` when only a worse one does.

    Returns:
        The test with its z; p is 1 when all items, or none, are right.

    Raises:
        UsageError: negative counts, more right than items, no items on a side.

    References:
        Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions, chapter 4.

    Examples:
        >>> test = z_pooled(102, 200, 115, 200)
        >>> round(test.statistic, 3), round(test.p, 3)
        (1.305, 0.192)
    """
    return pooled_test(
        *as_unpaired_counts(x_a, n_a, x_b, n_b), shrink=1.0, alternative=alternative, name="z_pooled"
    )


def chi_squared(x_a: float, n_a: float, x_b: float, n_b: float) -> HypothesisTest:
    """Pearson's chi-squared test of the 2×2 table, without correction: the square of the pooled z.

    Args:
        x_a: items the baseline gets right.
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.

    Returns:
        The test with its statistic on one degree of freedom.

    Raises:
        UsageError: negative counts, more right than items, no items on a side.

    References:
        Pearson (1900) Philosophical Magazine 50:157.

    Examples:
        >>> print(chi_squared(3, 10, 9, 10))
        chi_squared: p = 0.00617 (two-sided)
    """
    z = z_pooled(x_a, n_a, x_b, n_b)
    statistic = (z.statistic or 0.0) ** 2
    p = max(chi2_upper(statistic, 1.0), z.p)
    return HypothesisTest(
        name="chi_squared", p=p, statistic=statistic, df=1.0, null=z.null, settings=z.settings
    )


def unpaired_binary(x_a: int, n_a: int, x_b: int, n_b: int, *, level: float = 0.95) -> Family:
    """Compare two rates on different items by every method; Boschloo and Miettinen–Nurminen decide.

    Args:
        x_a: items the baseline gets right.
        n_a: items of the baseline.
        x_b: items the candidate gets right.
        n_b: items of the candidate.
        level: confidence level of the intervals; a test rejects at 1 − level.

    Returns:
        A family whose ``decided`` interval follows the verdict rule; every difference is candidate minus
        baseline.

    Raises:
        UsageError: counts that are negative or not whole, more right than items, no items on a side.

    Examples:
        >>> print(unpaired_binary(40, 60, 54, 60).decided)
        0.2333 [0.0892, 0.3754] 95% miettinen_nurminen, n = 120
    """
    counts = (x_a, n_a, x_b, n_b)
    decisive = unpaired_test(*counts)
    estimates: dict[str, Estimate | Undefined] = {
        "miettinen_nurminen": miettinen_nurminen(*counts, level=level),
        "mee": mee(*counts, level=level),
        "newcombe_unpaired": newcombe_unpaired(*counts, level=level),
        "wald_unpaired": wald_unpaired(*counts, level=level),
    }
    others = (
        fisher(*counts),
        fisher(*counts, method="mid_p"),
        mn_score_test(*counts),
        z_pooled(*counts),
        chi_squared(*counts),
    )
    tests: dict[str, HypothesisTest | Undefined] = {test.name: test for test in (decisive, *others)}
    decided = decided_interval(estimates["miettinen_nurminen"], decisive)
    disagree = disagreement(estimates, tests, level=level)
    rule = f"The rule was fixed in advance: {decisive.name} decides, with miettinen_nurminen."
    return Family(
        title=f"unpaired binary, {x_a} of {n_a} against {x_b} of {n_b}",
        point=x_b / n_b - x_a / n_a,
        estimates=estimates,
        tests=tests,
        interval="miettinen_nurminen",
        test=decisive.name,
        decided=decided,
        notes=(disagree, rule) if disagree else (),
    )
