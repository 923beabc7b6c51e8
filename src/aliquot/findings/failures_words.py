"""The first sentence about failures: what moved, or what is most frequent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aliquot.findings.failures import Base, FailureKind, FailureSide
from aliquot.findings.numbers import write_count, write_difference, write_percent
from aliquot.findings.scale import Scale
from aliquot.findings.verdict import Verdict
from aliquot.stats.results import Estimate

SCALE: Final = Scale("binary", 0.0, 1.0, "none")

WHAT: Final = {"answers": "answer", "failures": "failure read", "read": "answer read"}
PLURAL: Final = {"answers": "answers", "failures": "failures read", "read": "answers read"}


def write_failures(
    sides: Sequence[FailureSide], kinds: Sequence[FailureKind], *, base: Base, level: float
) -> Verdict:
    """Return the verdict about kinds of failure, the most frequent first.

    Args:
        sides: the systems or runs.
        kinds: the kinds.
        base: what their shares are of.
        level: confidence level.
    """
    if len(sides) != 2:
        return Verdict(
            "estimated", text=f"MOST FREQUENT: {_most(sides[-1], kinds, len(sides) - 1, base=base)}."
        )
    moved = [kind for kind in kinds if kind.moved in {"more", "fewer"}]
    whole = write_count(len(kinds), "kind")
    if not moved:
        text = (
            f"NO KIND IS SHOWN TO HAVE MOVED from {sides[0].name} to {sides[1].name} ({whole}, {100 * level:g}% "
            "together). "
            f"Most frequent in {sides[1].name}: {_most(sides[1], kinds, 1, base=base)}."
        )
        return Verdict("undecided", text=text)
    first = max(
        moved, key=lambda kind: abs(kind.difference.point) if isinstance(kind.difference, Estimate) else 0.0
    )
    others = "" if len(moved) == 1 else f" {len(moved)} of {whole} moved."
    word = "worse" if first.moved == "more" else "better"
    return Verdict(word, text=f"{(first.moved or '').upper()} {_change(first, sides, base=base)}.{others}")


def _most(side: FailureSide, kinds: Sequence[FailureKind], place: int, *, base: Base) -> str:
    first = max(kinds, key=lambda kind: kind.counts[place])
    share = first.shares[place]
    tail = ""
    if isinstance(share, Estimate):
        point, low, high = (write_percent(x) for x in (share.point, share.low, share.high))
        tail = f" ({point}%, {low} to {high})"
    return f"{first.code}, {first.counts[place]} of {write_count(side.read, WHAT[base], plural=PLURAL[base])}{tail}"


def _change(kind: FailureKind, sides: Sequence[FailureSide], *, base: Base) -> str:
    before, after = (
        f"{write_percent(share.point)}%" if isinstance(share, Estimate) else "-" for share in kind.shares
    )
    text = f"{kind.code}: {after} of the {PLURAL[base]} in {sides[1].name}, {before} in {sides[0].name}"
    if not isinstance(kind.difference, Estimate):
        return text
    point, interval = write_change(kind.difference)
    return f"{text} ({point} points, {interval})"


def write_change(difference: Estimate) -> tuple[str, str]:
    """Return a difference in points, and its interval.

    Args:
        difference: of two shares.
    """
    point, low, high = (
        write_difference(x, SCALE, width=difference.width)
        for x in (difference.point, difference.low, difference.high)
    )
    return point, f"{low} to {high}"
