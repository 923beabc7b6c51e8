"""McNemar's test in its four forms, and the 2×2 table of items that it reads."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.distributions import binomial_pmf, chi2_upper, p_value
from aliquot.stats.inputs import as_array, as_binary, as_choice, as_count
from aliquot.stats.results import Alternative, HypothesisTest

McnemarMethod: TypeAlias = Literal["exact", "mid_p", "asymptotic", "asymptotic_corrected"]
PairedTable: TypeAlias = tuple[tuple[int, int], tuple[int, int]]

_NAMES = {
    "exact": "mcnemar_exact",
    "mid_p": "mcnemar_midp",
    "asymptotic": "mcnemar_asymptotic",
    "asymptotic_corrected": "mcnemar_asymptotic_corrected",
}
_FLOOR_SHOWN = 0.001


def mcnemar(
    fixed: int, broke: int, *, method: McnemarMethod = "exact", alternative: Alternative = "two-sided"
) -> HypothesisTest:
    """Test whether candidate and baseline have the same rate on shared items.

    Only the discordant items speak: under the null hypothesis each of them was as likely fixed as broke.

    Args:
        fixed: items the candidate gets right and the baseline wrong.
        broke: items the baseline gets right and the candidate wrong.
        method: ``exact`` (binomial; twice the smaller tail, at most 1), ``mid_p`` (half the observed
            probability is left out; may exceed the level a little), ``asymptotic`` (chi-squared) or
            ``asymptotic_corrected`` (Edwards' continuity correction).
        alternative: ``greater`` when only a better candidate counts, ``less`` when only a worse one does.

    Returns:
        The test; p is 1 when nothing is discordant. ``statistic`` is the chi-squared of the asymptotic forms.
        ``floor`` is the least p that this number of discordant items allows, where it is .001 or more.

    Raises:
        UsageError: counts that are negative or not whole, an unknown method or alternative.

    References:
        McNemar (1947), Psychometrika 12:153; Fagerland, Lydersen & Laake (2013), BMC Med Res
        Methodol 13:91 (mid-p).

    Examples:
        >>> print(mcnemar(5, 0))
        mcnemar_exact: p = 0.0625 (two-sided)
    """
    as_choice(method, tuple(_NAMES), name="method")
    as_choice(alternative, ("two-sided", "less", "greater"), name="alternative")
    gained, lost = as_whole(fixed, name="fixed"), as_whole(broke, name="broke")
    exact = method in {"exact", "mid_p"}
    statistic = None if exact else _chi_squared(gained, lost, corrected=method == "asymptotic_corrected")
    p = _conditional_p if exact else _asymptotic_p
    least = (
        p(gained + lost, 0, method, alternative)
        if alternative != "less"
        else p(0, gained + lost, method, "less")
    )
    return HypothesisTest(
        name=_NAMES[method],
        p=p(gained, lost, method, alternative),
        alternative=alternative,
        statistic=statistic,
        df=None if exact else 1.0,
        floor=least if least >= _FLOOR_SHOWN else None,
        null="an item on which the two differ is as likely fixed as broke",
        settings={"fixed": gained, "broke": lost},
    )


def paired_table(a: ArrayLike, b: ArrayLike) -> PairedTable:
    """Count the 2×2 table of two systems on the same items.

    Args:
        a: outcomes of the baseline, 0 or 1, one an item.
        b: outcomes of the candidate on the same items in the same order.

    Returns:
        ``((both, broke), (fixed, neither))``: rows are the baseline right and wrong, columns the candidate.

    Raises:
        UsageError: values other than 0 and 1, or different lengths.

    Examples:
        >>> paired_table([1, 1, 0, 0], [1, 0, 1, 1])
        ((1, 1), (2, 0))
    """
    baseline, candidate = as_binary(a, name="a"), as_binary(b, name="b")
    if baseline.size != candidate.size:
        raise UsageError(
            "a and b must hold the same items in the same order; "
            f"got {baseline.size} and {candidate.size} values"
        )
    cells = np.bincount((2 * (1 - baseline) + (1 - candidate)).astype(np.int64), minlength=4).tolist()
    return (cells[0], cells[1]), (cells[2], cells[3])


def as_table(table: Sequence[Sequence[int]] | ArrayLike) -> PairedTable:
    """Return a table ``((both, broke), (fixed, neither))`` of whole counts, at least one of them positive."""
    cells = as_array(table, name="the table", wanted="[[both, broke], [fixed, neither]], 2 rows of 2 counts")
    if cells.shape != (2, 2) or cells.dtype.kind not in "iuf":
        raise UsageError(
            f"the table must be [[both, broke], [fixed, neither]]; got shape {cells.shape} of {cells.dtype}. "
            "For two arrays of outcomes call paired_table(a, b) first"
        )
    both, broke, fixed, neither = (
        as_whole(value, name=name)
        for value, name in zip(cells.ravel().tolist(), ("both", "broke", "fixed", "neither"), strict=True)
    )
    if both + broke + fixed + neither == 0:
        raise UsageError("the table is empty; there is no shared item to compare on")
    return (both, broke), (fixed, neither)


def as_whole(value: float, *, name: str) -> int:
    """Return a whole count of at least 0."""
    count = as_count(value, name=name)
    if count != int(count):
        raise UsageError(f"{name} must be a whole number of items; got {value!r}")
    return int(count)


def _conditional_p(fixed: int, broke: int, method: str, alternative: str) -> float:
    """Binomial tail on the discordant items; mid-p leaves out half the probability of what was seen."""
    total = fixed + broke
    if total == 0:
        return 1.0
    count = broke if alternative == "greater" else fixed if alternative == "less" else min(fixed, broke)
    tail, seen = float(special.bdtr(count, total, 0.5)), float(binomial_pmf(count, total, 0.5))
    if alternative != "two-sided":
        return p_value(tail - (0.5 * seen if method == "mid_p" else 0.0))
    if method == "exact":
        return p_value(2 * tail)
    # Fagerland et al. (2013): the two tails overlap in the observed value when the counts are equal
    return p_value(1 - 0.5 * seen if fixed == broke else 2 * tail - seen)


def _asymptotic_p(fixed: int, broke: int, method: str, alternative: str) -> float:
    """Upper tail of the chi-squared, or the normal tail on the side of the alternative."""
    statistic = _chi_squared(fixed, broke, corrected=method == "asymptotic_corrected")
    if fixed + broke == 0:
        return 1.0
    if alternative == "two-sided":
        return p_value(chi2_upper(statistic, 1.0))
    z = math.copysign(math.sqrt(statistic), fixed - broke)
    return p_value(float(special.ndtr(-z if alternative == "greater" else z)))


def _chi_squared(fixed: int, broke: int, *, corrected: bool) -> float:
    """McNemar's statistic; 0 when nothing is discordant."""
    total = fixed + broke
    gap = max(0, abs(fixed - broke) - (1 if corrected else 0))
    return gap**2 / total if total else 0.0
