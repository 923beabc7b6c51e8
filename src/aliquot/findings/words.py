"""The grammar of verdicts: one sentence for each word, written for an engineer and exact for a statistician."""

from __future__ import annotations

from aliquot.findings.numbers import difference_unit, write_difference
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Word
from aliquot.stats.results import Estimate, Undefined


def _range(low: float, high: float, scale: Scale, *, width: float) -> str:
    """Write "2.2 to 10.9 points" for two magnitudes of the same direction."""
    return (
        f"{write_difference(low, scale, width=width).lstrip('+')} to "
        f"{write_difference(high, scale, width=width).lstrip('+')}{difference_unit(scale)}"
    )


def _between(difference: Estimate, scale: Scale) -> str:
    low, high = (
        write_difference(limit, scale, width=difference.width) for limit in (difference.low, difference.high)
    )
    return f"{low} and {high}{difference_unit(scale)}"


def _margin(margin: float, scale: Scale) -> str:
    shown = f"{100 * margin:g}" if scale.in_points else f"{margin:g}"
    return f"{shown}{difference_unit(scale)}"


def write_verdict(  # noqa: PLR0911 - a sentence for each word
    word: Word,
    difference: Estimate | Undefined,
    *,
    baseline: str,
    candidate: str,
    scale: Scale,
    margin: float | None = None,
    within_margin: bool = False,
    n_items: int = 0,
) -> str:
    """Return the verdict as one sentence; it never says more than the interval does.

    Args:
        word: the verdict's word, from ``read_verdict``.
        difference: the interval it was read from.
        baseline: name of the baseline.
        candidate: name of the candidate.
        scale: the metric's scale.
        margin: the margin, in the metric's units.
        within_margin: for ``worse``: the loss stays within the margin.
        n_items: shared items with a value on both sides.
    """
    if isinstance(difference, Undefined) or word == "nothing_to_judge":
        reason = difference.reason if isinstance(difference, Undefined) else "no valid row is left"
        return f"NOTHING TO JUDGE: {reason}."
    low, high = difference.low, difference.high
    level = f"{100 * difference.level:g}% interval"
    size = _range(*((low, high) if low >= 0 else (-high, -low)), scale, width=difference.width)
    between = f"{candidate} minus {baseline} lies between {_between(difference, scale)} ({level})"
    match word:
        case "better":
            return f"BETTER: {candidate} beats {baseline} by {size} ({level})."
        case "worse":
            tail = (
                f"; worse, within the margin of {_margin(margin, scale)}" if within_margin and margin else ""
            )
            return f"WORSE: {candidate} trails {baseline} by {size} ({level}){tail}."
        case "higher" | "lower":
            side = "above" if word == "higher" else "below"
            return f"{word.upper()}: {candidate} is {side} {baseline} by {size} ({level}); neither is called better."
        case "equivalent":
            return f"EQUIVALENT within {_margin(margin or 0, scale)}: {between}."
        case "not_worse":
            return f"NOT WORSE by {_margin(margin or 0, scale)}, NOT SHOWN BETTER: {between}."
        case _:
            if scale.better == "none":
                return f"UNDECIDED: {between}; {n_items} items cannot settle which is higher."
            what = "which is better" if margin is None else f"a margin of {_margin(margin, scale)}"
            return f"UNDECIDED: {between}; {n_items} items cannot settle {what}."
