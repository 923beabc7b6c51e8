"""Intervals for paired rates that are offered by name beside Tango's: differences and ratios."""

from __future__ import annotations

import math

from scipy import special

from aliquot.stats.distributions import beta_quantile, normal_quantile, two_sided_z
from aliquot.stats.inputs import as_choice, as_level
from aliquot.stats.paired_score import as_paired_counts
from aliquot.stats.paired_tests import as_table, as_whole
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Alternative, Estimate, Undefined

_NO_WIDTH = 1e-12


def newcombe_paired(
    both: int, broke: int, fixed: int, neither: int, *, level: float = 0.95, corrected: bool = True
) -> Estimate | Undefined:
    """Difference of paired rates with Newcombe's hybrid of two Wilson intervals.

    Args:
        both: items both get right.
        broke: items only the baseline gets right.
        fixed: items only the candidate gets right.
        neither: items neither gets right.
        level: confidence level.
        corrected: continuity-corrected φ (method 10); without it, method 8.

    Returns:
        Candidate minus baseline.

    Raises:
        UsageError: counts that are negative or not whole, an empty table.

    References:
        Newcombe (1998c), Statistics in Medicine 17:2635-2650, methods 8 and 10.

    Examples:
        >>> print(newcombe_paired(20, 12, 2, 16))
        -0.2000 [-0.3292, -0.0562] 95% newcombe_paired, n = 50
    """
    as_table([[both, broke], [fixed, neither]])
    n = both + broke + fixed + neither
    phi = _phi(both, broke, fixed, neither, corrected=corrected)
    rate_a, rate_b = (both + broke) / n, (both + fixed) / n
    a, b = wilson(both + broke, n, level=level), wilson(both + fixed, n, level=level)
    difference = (fixed - broke) / n
    below = _hybrid(rate_b - b.low, a.high - rate_a, phi)
    above = _hybrid(b.high - rate_b, rate_a - a.low, phi)
    if below + above < _NO_WIDTH:
        return Undefined(
            "method 8 has no width when both are right on the same half of the items; use corrected=True"
        )
    settings: dict[str, object] = {"corrected": corrected, "phi": phi}
    low, high = difference - below, difference + above
    return _difference(difference, low, high, level=level, method="newcombe_paired", n=n, settings=settings)


def bonett_price(
    fixed: float, broke: float, n: float, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Estimate | Undefined:
    """Difference of paired rates, Wald form after one item is added to each discordant cell (n grows by two).

    Not for a gate: the size of the test it implies reaches .060.

    Args:
        fixed: items only the candidate gets right.
        broke: items only the baseline gets right.
        n: all shared items.
        level: confidence level.
        alternative: ``greater`` gives a lower limit only, ``less`` an upper limit only.

    Returns:
        Candidate minus baseline; the point is the raw difference, the interval is centred nearer to 0.

    Raises:
        UsageError: negative counts or more discordant items than items.

    References:
        Bonett & Price (2012), J Educ Behav Stat 37:479-488.

    Examples:
        >>> print(bonett_price(7, 1, 21))
        0.2857 [0.0134, 0.5084] 95% bonett_price, n = 21
    """
    return _adjusted_wald(
        fixed, broke, n, added=1.0, level=level, alternative=alternative, method="bonett_price"
    )


def agresti_min(
    fixed: float, broke: float, n: float, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Estimate | Undefined:
    """Difference of paired rates, Wald form after half an item is added to each of the four cells.

    Args:
        fixed: items only the candidate gets right.
        broke: items only the baseline gets right.
        n: all shared items.
        level: confidence level.
        alternative: ``greater`` gives a lower limit only, ``less`` an upper limit only.

    Returns:
        Candidate minus baseline.

    Raises:
        UsageError: negative counts or more discordant items than items.

    References:
        Agresti & Min (2005), Statistics in Medicine 24:729-740.

    Examples:
        >>> print(agresti_min(7, 1, 21))
        0.2857 [0.0285, 0.4932] 95% agresti_min, n = 21
    """
    return _adjusted_wald(
        fixed, broke, n, added=0.5, level=level, alternative=alternative, method="agresti_min"
    )


def wald_paired(
    fixed: float, broke: float, n: float, *, level: float = 0.95, alternative: Alternative = "two-sided"
) -> Estimate | Undefined:
    """Difference of paired rates, normal approximation: too narrow on small or lopsided tables.

    Args:
        fixed: items only the candidate gets right.
        broke: items only the baseline gets right.
        n: all shared items.
        level: confidence level.
        alternative: ``greater`` gives a lower limit only, ``less`` an upper limit only.

    Returns:
        Candidate minus baseline; Undefined where its standard error is 0.

    Raises:
        UsageError: negative counts or more discordant items than items.

    Examples:
        >>> print(wald_paired(0, 0, 40))
        undefined: the Wald interval has no width when no item differs, or every item in one direction
    """
    return _adjusted_wald(
        fixed, broke, n, added=0.0, level=level, alternative=alternative, method="wald_paired"
    )


def discordant_ratio(fixed: int, broke: int, *, level: float = 0.95) -> Estimate | Undefined:
    """Items fixed for each item broke: the conditional odds ratio, with the exact interval.

    Args:
        fixed: items only the candidate gets right.
        broke: items only the baseline gets right.
        level: confidence level.

    Returns:
        The ratio and the Clopper–Pearson limits of fixed/(fixed + broke) as odds; Undefined when nothing
        broke, as the ratio then has no finite value (the reason gives its lower limit).

    Raises:
        UsageError: counts that are negative or not whole.

    References:
        Fagerland, Lydersen & Laake (2014), Statistics in Medicine 33:2850-2875, transformed Clopper–Pearson.

    Examples:
        >>> print(discordant_ratio(25, 2))
        12.5000 [3.1169, 108.8892] 95% discordant_ratio, n = 27
    """
    fixed, broke = as_whole(fixed, name="fixed"), as_whole(broke, name="broke")
    tail = (1 - as_level(level)) / 2
    if fixed + broke == 0:
        return Undefined("no item differs, so there is no ratio of fixed to broke")
    low = beta_quantile(tail, fixed, broke + 1) if fixed else 0.0
    if broke == 0:
        return Undefined(
            f"nothing broke, so the ratio has no finite value; it is at least {low / (1 - low):.4g}"
        )
    high = beta_quantile(1 - tail, fixed + 1, broke)
    return Estimate(
        point=fixed / broke,
        low=low / (1 - low),
        high=high / (1 - high),
        level=level,
        method="discordant_ratio",
        n=fixed + broke,
    )


def rate_ratio_paired(
    both: int, broke: int, fixed: int, neither: int, *, level: float = 0.95
) -> Estimate | Undefined:
    """Rate of the candidate over the rate of the baseline on shared items, by Bonett and Price's hybrid.

    Args:
        both: items both get right.
        broke: items only the baseline gets right.
        fixed: items only the candidate gets right.
        neither: items neither gets right; it does not enter, as the ratio does not depend on it.
        level: confidence level.

    Returns:
        The ratio; Undefined when the baseline gets nothing right.

    Raises:
        UsageError: counts that are negative or not whole, an empty table.

    References:
        Bonett & Price (2006), Statistics in Medicine 25:3039-3047, hybrid Wilson score interval.

    Examples:
        >>> print(rate_ratio_paired(59, 6, 16, 80))
        1.1538 [1.0090, 1.3194] 95% rate_ratio_paired, n = 161
    """
    as_table([[both, broke], [fixed, neither]])
    z = two_sided_z(as_level(level))
    right_a, right_b, total = both + broke, both + fixed, both + broke + fixed
    if right_a == 0:
        return Undefined("the baseline gets nothing right, so there is no ratio to its rate")
    joint = math.sqrt((broke + fixed + 2) / ((right_a + 1) * (right_b + 1)))
    apart = sum(math.sqrt((1 - (right + 1) / (total + 2)) / (right + 1)) for right in (right_a, right_b))
    # z is scaled so that the two Wilson intervals together have the width of one for the paired log ratio
    each = 2 * float(special.ndtr(z * joint / apart)) - 1
    a, b = wilson(right_a, total, level=each), wilson(right_b, total, level=each)
    return Estimate(
        point=right_b / right_a,
        low=b.low / a.high,
        high=b.high / a.low,
        level=level,
        method="rate_ratio_paired",
        n=total + neither,
    )


def _phi(both: int, broke: int, fixed: int, neither: int, *, corrected: bool) -> float:
    """Correlation of the two outcomes; 0 when a margin is empty (Newcombe 1998c)."""
    margins = math.prod((both + broke, fixed + neither, both + fixed, broke + neither))
    if margins == 0:
        return 0.0
    product = both * neither - broke * fixed
    if corrected and product > 0:
        return max(product - (both + broke + fixed + neither) / 2, 0.0) / math.sqrt(margins)
    return product / math.sqrt(margins)


def _hybrid(first: float, second: float, phi: float) -> float:
    """Square and add two one-sided widths that are correlated by φ."""
    return math.sqrt(max(0.0, first**2 - 2 * phi * first * second + second**2))


def _adjusted_wald(
    fixed: float, broke: float, n: float, *, added: float, level: float, alternative: Alternative, method: str
) -> Estimate | Undefined:
    """Wald interval after ``added`` items in each discordant cell and, if that is not 0, two in all."""
    fixed, broke, n = as_paired_counts(fixed, broke, n)
    as_choice(alternative, ("two-sided", "less", "greater"), name="alternative")
    z = two_sided_z(as_level(level)) if alternative == "two-sided" else normal_quantile(as_level(level))
    size = n + 2 if added else n
    gain, loss = (fixed + added) / size, (broke + added) / size
    se = math.sqrt(max(0.0, gain + loss - (gain - loss) ** 2) / size)
    if se == 0:
        return Undefined(
            "the Wald interval has no width when no item differs, or every item in one direction"
        )
    centre = gain - loss
    low = -math.inf if alternative == "less" else centre - z * se
    high = math.inf if alternative == "greater" else centre + z * se
    settings: dict[str, object] = {"fixed": fixed, "broke": broke, "alternative": alternative}
    point = (fixed - broke) / n
    return _difference(point, low, high, level=level, method=method, n=n, settings=settings, se=se)


def _difference(
    point: float,
    low: float,
    high: float,
    *,
    level: float,
    method: str,
    n: float,
    settings: dict[str, object],
    se: float | None = None,
) -> Estimate:
    """Cut an interval to the differences there are; infinite limits (one-sided) stay."""
    low = low if low == -math.inf else max(-1.0, low)
    high = high if high == math.inf else min(1.0, high)
    return Estimate(
        point=point, low=low, high=high, level=level, method=method, n=n, se=se, settings=settings
    )
