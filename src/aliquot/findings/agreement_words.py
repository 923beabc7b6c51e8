"""The first sentence about agreement: how often raters say the same, and how much of that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aliquot.findings.agreement import Coefficient, Measured
from aliquot.findings.numbers import write_percent, write_plain
from aliquot.findings.verdict import Verdict
from aliquot.stats.results import Estimate, Undefined

SYMBOLS: Final = {
    "cohen_kappa": "Cohen's κ",
    "fleiss_kappa": "Fleiss' κ",
    "conger_kappa": "Conger's κ",
    "krippendorff_alpha": "Krippendorff's α",
    "gwet_ac": "Gwet's AC1",
    "scott_pi": "Scott's π",
    "brennan_prediger": "Brennan-Prediger",
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall_tau": "Kendall's τ-b",
    "item_accuracy": "pairs by item",
    "item_correlation": "τ-b by item",
    "system_accuracy": "pairs of systems",
    "system_correlation": "r of systems",
    "icc1": "ICC(1)",
    "icc2": "ICC(2)",
    "icc2k": "ICC(2,k)",
    "icc3": "ICC(3)",
}
"""What the measures are called on a page, where labels are the same or not."""

_WEIGHTED: Final = {
    "cohen_kappa": "weighted κ",
    "fleiss_kappa": "weighted Fleiss' κ",
    "conger_kappa": "weighted Conger's κ",
    "krippendorff_alpha": "Krippendorff's α",
    "gwet_ac": "Gwet's AC2",
    "scott_pi": "weighted π",
    "brennan_prediger": "weighted Brennan-Prediger",
}
"""What those are called in which nearer labels count as nearer."""

_WEIGHTS: Final[dict[Measured, str]] = {
    "ordinal": "quadratic, by ranks",
    "interval": "quadratic",
    "ratio": "quadratic, by ratios",
}
"""How far apart two labels count: the square of the distance of their ranks or values, or of their relative one."""


def write_agreement(
    observed: Estimate | Undefined,
    coefficients: Sequence[Coefficient],
    *,
    constant: str | None,
    constant_share: float | None,
) -> Verdict:
    """Return the verdict about agreement.

    Args:
        observed: share of pairs of labels that are the same.
        coefficients: the measures, the main one first.
        constant: the label that always giving it would agree with most.
        constant_share: share of the labels that are it.
    """
    if isinstance(observed, Undefined):
        return Verdict("nothing_to_judge", text=f"NOTHING TO JUDGE: {observed.reason}.")
    low, high = (write_percent(x, decimals=0) for x in (observed.low, observed.high))
    said = f"{write_percent(observed.point, decimals=0)}% of pairs of labels are the same ({low} to {high})"
    always = ""
    if constant is not None and constant_share is not None:
        always = f"; always giving {constant!r} would agree with {write_percent(constant_share, decimals=0)}%"
    main = coefficients[0]
    if isinstance(main.estimate, Undefined):
        return Verdict(
            "undecided",
            text=f"{_without(main, main.estimate, always_same=observed.point == 1)}. {said}{always}.",
        )
    text = f"{main.title} {write_coefficient(main.estimate)}"
    if main.estimate.low > 0:
        return Verdict("estimated", text=f"RATERS AGREE BEYOND CHANCE: {text}. {said}{always}.")
    if main.estimate.high < 0:
        return Verdict("worse", text=f"RATERS AGREE LESS THAN BY CHANCE: {text}. {said}{always}.")
    return Verdict("undecided", text=f"NOT SHOWN TO AGREE BEYOND CHANCE: {text}. {said}{always}.")


def _without(main: Coefficient, undefined: Undefined, *, always_same: bool) -> str:
    """Say what is known of a measure that has no interval."""
    if main.point is None:
        return f"AGREEMENT BEYOND CHANCE IS UNDEFINED: {undefined.reason}"
    head = "RATERS AGREE" if always_same else "NOT SHOWN TO AGREE BEYOND CHANCE"
    return f"{head}: {main.title} is {write_plain(main.point)} without an interval, as {undefined.reason}"


def title_of_measure(name: str, measured: Measured = "nominal") -> str:
    """Return what a measure is called on a page.

    Args:
        name: as ``explain`` lists it.
        measured: what distances between labels mean.

    Examples:
        >>> title_of_measure("cohen_kappa"), title_of_measure("cohen_kappa", "interval")
        ("Cohen's κ", 'weighted κ (quadratic)')
    """
    if measured == "nominal" or name not in _WEIGHTED:
        return SYMBOLS.get(name, name)
    return f"{_WEIGHTED[name]} ({_WEIGHTS[measured]})"


def write_coefficient(estimate: Estimate) -> str:
    """Write a measure with its interval, to two decimals.

    Examples:
        >>> write_coefficient(Estimate(0.6667, 0.449, 0.84, 0.95, "x", 80))
        '0.67 (0.45 to 0.84)'
    """
    return f"{write_plain(estimate.point)} ({write_plain(estimate.low)} to {write_plain(estimate.high)})"
