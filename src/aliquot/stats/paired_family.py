"""Two systems on the same items, right or wrong: every interval and test side by side."""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from aliquot.stats.decision import decided_interval
from aliquot.stats.family import Family, disagreement
from aliquot.stats.inputs import as_level
from aliquot.stats.paired_intervals import agresti_min, bonett_price, newcombe_paired, wald_paired
from aliquot.stats.paired_score import tango
from aliquot.stats.paired_tests import as_table, mcnemar
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

_WALD_NEEDS = 200


def paired_binary(table: Sequence[Sequence[int]] | ArrayLike, *, level: float = 0.95) -> Family:
    """Compare two systems on the same items by every method; exact McNemar and Tango's interval decide.

    Args:
        table: ``[[both, broke], [fixed, neither]]``: rows are the baseline right and wrong, columns the
            candidate. For two arrays of outcomes use ``paired_table(a, b)``.
        level: confidence level of the intervals; a test rejects at 1 − level.

    Returns:
        A family whose ``decided`` interval follows the verdict rule; every difference is candidate minus
        baseline.

    Raises:
        UsageError: a table that is not 2×2 of whole counts, or empty.

    Examples:
        >>> family = paired_binary([[31, 1], [7, 21]])
        >>> print(family.decided)
        0.1000 [0.0000, 0.2087] 95% tango, limit held at 0 by mcnemar_exact, n = 60
    """
    (both, broke), (fixed, neither) = as_table(table)
    level = as_level(level)
    n = both + broke + fixed + neither
    estimates: dict[str, Estimate | Undefined] = {
        "tango": tango(fixed, broke, n, level=level),
        "newcombe_paired": newcombe_paired(both, broke, fixed, neither, level=level),
        "bonett_price": bonett_price(fixed, broke, n, level=level),
        "agresti_min": agresti_min(fixed, broke, n, level=level),
        "wald_paired": wald_paired(fixed, broke, n, level=level),
    }
    made = [mcnemar(fixed, broke, method=m) for m in ("exact", "mid_p", "asymptotic", "asymptotic_corrected")]
    tests: dict[str, HypothesisTest | Undefined] = {test.name: test for test in made}
    decided = decided_interval(estimates["tango"], made[0])
    return Family(
        title=f"paired binary, n = {n}, {fixed + broke} discordant (fixed {fixed}, broke {broke})",
        point=(fixed - broke) / n,
        estimates=estimates,
        tests=tests,
        interval="tango",
        test="mcnemar_exact",
        decided=decided,
        notes=tuple(_notes(fixed + broke, n, decided, disagreement(estimates, tests, level=level))),
    )


def _notes(discordant: int, n: int, decided: Estimate | Undefined, disagree: str | None) -> list[str]:
    """Sentences on agreement, on the rule, and on what these counts cannot carry."""
    notes: list[str] = []
    if discordant == 0:
        notes.append("No item separates the two systems.")
    if disagree is not None:
        notes.append(disagree)
        notes.append("The rule was fixed in advance: exact McNemar decides, with Tango's interval.")
    if isinstance(decided, Estimate) and decided.method != "tango":
        notes.append(f"The verdict reads {decided.low:.4f} to {decided.high:.4f} ({decided.method}).")
    if n < _WALD_NEEDS:
        notes.append(f"wald_paired is not recommended below n = {_WALD_NEEDS}.")
    return notes
