"""The grammar of verdicts: one sentence for each word, written for an engineer and exact for a statistician."""

from __future__ import annotations

from aliquot.findings.numbers import difference_unit, write_difference
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Word
from aliquot.stats.results import Estimate, Undefined


def read_against(margin: float | None) -> tuple[float, ...]:
    """Return what the limits of a difference are read against: 0 and the margin on both sides.

    Args:
        margin: in the units of the difference; None without one.
    """
    return (0.0,) if margin is None else (0.0, margin, -margin)


def _range(low: float, high: float, scale: Scale, *, width: float, margin: float | None) -> str:
    """Write "2.2 to 10.9 points" for two magnitudes of the same direction."""
    ends = (
        write_difference(end, scale, width=width, apart_from=read_against(margin)).lstrip("+")
        for end in (low, high)
    )
    return f"{' to '.join(ends)}{difference_unit(scale)}"


def _between(difference: Estimate, scale: Scale, margin: float | None) -> str:
    low, high = (
        write_difference(limit, scale, width=difference.width, apart_from=read_against(margin))
        for limit in (difference.low, difference.high)
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
    size = _range(*((low, high) if low >= 0 else (-high, -low)), scale, width=difference.width, margin=margin)
    between = f"{candidate} minus {baseline} lies between {_between(difference, scale, margin)} ({level})"
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
