"""The first sentence about a judge that was probed: whether it may be used, and what it does wrong."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.findings.numbers import write_count, write_percent
from aliquot.findings.probe import PositionLine, ProbeLine
from aliquot.findings.verdict import Verdict
from aliquot.stats.results import Estimate, Undefined


def write_audit(judge: str, lines: Sequence[ProbeLine], positions: Sequence[PositionLine]) -> Verdict:
    """Return the verdict on a judge that was probed.

    Args:
        judge: its name.
        lines: the probes.
        positions: whether the slot decides.
    """
    asked = [one for one in lines if one.items]
    if not asked:
        unread = any(one.unanswered for one in lines)
        return _unread(judge) if unread else _slot_alone(judge, positions)
    by_name = {one.probe: one for one in asked}
    slot = _slot(positions)
    identical, weak, order = (by_name.get(name) for name in ("identical", "weak", "order"))
    if weak is not None and weak.word != "pass":
        head = "WORSE THAN CHANCE" if weak.word == "fail" else "NOT SHOWN TO BE BETTER THAN CHANCE"
        said = f"{head}: {judge} prefers the whole answer to a cut one on {_share(weak.share)}"
        return Verdict("not_met", text=f"DO NOT USE, {said}{slot}.")
    if identical is not None and identical.word == "fail":
        said = f"{judge} tells identical texts apart on {counted(identical)}"
        return Verdict("not_met", text=f"DO NOT USE: {said}{slot}.")
    failed = [one for one in asked if one.word == "fail" and one.probe != "order"]
    flips = order is not None and order.word == "fail"
    if failed:
        return _failed(judge, failed, slot=f"; ask both orders{slot}" if flips else slot)
    if flips and order is not None:
        return Verdict(
            "not_met",
            text=f"ASK BOTH ORDERS: the winner of {judge} changes with the order on {counted(order)}{slot}.",
        )
    return _nothing_found(judge, asked, slot)


def _failed(judge: str, failed: Sequence[ProbeLine], slot: str) -> Verdict:
    """Return the verdict on a judge that failed some probes, by how often it does what it must not."""
    mostly = [one for one in failed if _mostly(one)]
    named = [*mostly, *(one for one in failed if one not in mostly)]
    said = ", ".join(f"{one.counts} on {counted(one)}" for one in named[:3])
    more = f" and {len(named) - 3} more" if len(named) > 3 else ""
    head = "DO NOT USE, WRONG MORE OFTEN THAN NOT" if mostly else "USE WITH CARE"
    return Verdict("not_met", text=f"{head}, {judge}: {said}{more}{slot}.")


def _mostly(one: ProbeLine) -> bool:
    """Return whether what must not be is shown to be on more than half of the items."""
    return one.expected != "even" and isinstance(one.share, Estimate) and one.share.low > 0.5


def _unread(judge: str) -> Verdict:
    return Verdict("nothing_to_judge", text=f"NOTHING TO JUDGE: {judge} gave no verdict that could be read.")


def _slot_alone(judge: str, positions: Sequence[PositionLine]) -> Verdict:
    """Return what may be said where no probe but the slot was seen."""
    if not positions or isinstance(positions[0].effect, Undefined):
        why = "" if not positions else f" ({positions[0].effect.reason})"  # pyright: ignore[reportAttributeAccessIssue] - Undefined
        return Verdict(
            "nothing_to_judge", text=f"NOTHING TO JUDGE: no order of {judge} could be compared{why}."
        )
    effect = positions[0].effect
    if effect.low <= 0 <= effect.high:
        low, high = (f"{100 * x:+.1f}" for x in (effect.low, effect.high))
        said = f"UNDECIDED: standing first is worth {low} to {high} points to {judge}"
        return Verdict("undecided", text=f"{said}; nothing else was asked.")
    return Verdict("not_met", text=f"ASK BOTH ORDERS: {judge} prefers the {slot_words(effect)}.")


def _nothing_found(judge: str, asked: Sequence[ProbeLine], slot: str) -> Verdict:
    open_ones = [one.probe for one in asked if one.word == "undecided"]
    if not open_ones:
        return Verdict("met", text=f"PASSES: {judge} passes {write_count(len(asked), 'probe')}{slot}.")
    passed = len(asked) - len(open_ones)
    said = f"{judge} fails no probe and passes {passed} of {len(asked)}; not settled: {', '.join(open_ones)}"
    return Verdict("undecided", text=f"UNDECIDED: {said}{slot}.")


def counted(one: ProbeLine) -> str:
    """Write what a probe counted, of how many.

    Args:
        one: the probe.
    """
    if one.expected == "even":
        return _share(one.share)
    if isinstance(one.share, Undefined):
        return f"an unknown share ({one.share.reason})"
    low, high = (write_percent(x, decimals=0) for x in (one.share.low, one.share.high))
    return f"{round(one.share.point * one.items)} of {one.items} items ({low} to {high}%)"


def _share(share: Estimate | Undefined) -> str:
    if isinstance(share, Undefined):
        return f"an unknown share ({share.reason})"
    point, low, high = (write_percent(x, decimals=0) for x in (share.point, share.low, share.high))
    return f"{point}% of items ({low} to {high})"


def _slot(positions: Sequence[PositionLine]) -> str:
    """Say which slot is preferred, where one is shown to be."""
    if not positions or isinstance(positions[0].effect, Undefined):
        return ""
    effect = positions[0].effect
    if effect.low <= 0 <= effect.high:
        return ""
    return f"; it prefers the {slot_words(effect)}"


def slot_words(effect: Estimate) -> str:
    """Write which slot is preferred by how much.

    Args:
        effect: share of wins in the first slot minus in the second.

    Examples:
        >>> slot_words(Estimate(-0.12, -0.2, -0.05, 0.95, "tango", 60))
        'second slot by 12.0 points (5.0 to 20.0)'
    """
    which = "first" if effect.point > 0 else "second"
    low, high = sorted((abs(effect.low), abs(effect.high)))
    if effect.point == 0:
        return f"neither slot ({100 * effect.low:.1f} to {100 * effect.high:.1f} points)"
    if effect.low <= 0 <= effect.high:
        return f"{which} slot by {100 * abs(effect.point):.1f} points, which may be chance"
    return f"{which} slot by {100 * abs(effect.point):.1f} points ({100 * low:.1f} to {100 * high:.1f})"
