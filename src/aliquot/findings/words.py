"""The grammar of verdicts: one sentence for each word, written for an engineer and exact for a statistician."""

from __future__ import annotations

from aliquot.findings.comparison import Scale
from aliquot.findings.numbers import difference_unit, write_difference
from aliquot.findings.verdict import Word
from aliquot.stats.results import Estimate, Undefined


def _range(low: float, high: float, scale: Scale, *, width: float) -> str:
    """Write "2.2 to 10.9 points" for two magnitudes of the same direction."""
    return (
        f"{write_difference(low, scale, width=width).lstrip('+')} to "
        f"{write_difference(high, scale, width=width).lstrip('+')}{difference_unit(scale)}"
    )


def _between(difference: Estimate, scale: Scale) -> str:
    low, high = (write_difference(limit, scale, width=difference.width) for limit in (difference.low, difference.high))
    return f"{low} and {high}{difference_unit(scale)}"


def _margin(margin: float, scale: Scale) -> str:
    shown = f"{100 * margin:g}" if scale.in_points else f"{margin:g}"
    return f"{shown}{difference_unit(scale)}"


def write_verdict(
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
    name = f"{candidate} against {baseline}"
    low, high, width = difference.low, difference.high, difference.width
    level = f"{100 * difference.level:g}% interval"
    size = _range(*((low, high) if low >= 0 else (-high, -low)), scale, width=width)
    match word:
        case "better" | "worse":
            tail = f"; worse, within the margin of {_margin(margin, scale)}" if within_margin and margin else ""
            return f"{word.upper()}: {name} by {size} ({level}){tail}."
        case "higher" | "lower":
            return f"{word.upper()}: {name} by {size} ({level}); neither direction is called better."
        case "equivalent":
            return (
                f"EQUIVALENT within {_margin(margin or 0, scale)}: {name}, between {_between(difference, scale)} ({level})."
            )
        case "not_worse":
            return (
                f"NOT WORSE by {_margin(margin or 0, scale)} or more, and not shown better: {name}, "
                f"between {_between(difference, scale)} ({level})."
            )
        case _:
            return (
                f"UNDECIDED: {name}, between {_between(difference, scale)} ({level}); {n_items} items cannot settle "
                f"{'which is better' if margin is None else f'a margin of {_margin(margin, scale)}'}."
            )
