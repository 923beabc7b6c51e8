"""A judge that was probed as a sheet: what each probe showed, the slot, people, and another judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from aliquot.findings.numbers import write_count, write_p, write_percent
from aliquot.findings.probe import JudgeAudit, PositionLine, ProbeLine
from aliquot.findings.probe_words import slot_words
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

EXPECTED: Final = {
    "tie": "0",
    "not_win": "0",
    "lose": "0",
    "same": "0",
    "win": "> 50%",
    "even": "50%",
}
"""What each probe should show."""

_SHOWN = 6
"""Pairs of systems shown without ``-v``."""


def sheet_of(found: JudgeAudit) -> Sheet:
    """Return the text of a finding about a judge that was probed."""
    return lay_out(found, _blocks(found), _details(found))


def _blocks(found: JudgeAudit) -> Iterator[Block]:
    if found.lines:
        rows = tuple(_line(one) for one in found.lines)
        columns = ("what was counted", "items", "share", f"{100 * found.level:g}% interval", "expected", "")
        yield Grid(_title(found), columns, rows)
    else:
        yield f"{_title(found)}."
    yield from _slot(found)
    yield from (_agreement(one.what, one.items, one.share) for one in found.agreements)
    if any(one.probe == "order" for one in found.lines):
        yield _smallest_gap(found.smallest_gap)
    if found.contrasts:
        yield _contrasts(found)


def _smallest_gap(gap: float | Undefined) -> str:
    said = "The smallest gap that as many pairs could show with this judge"
    if isinstance(gap, Undefined):
        return f"{said}: none ({gap.reason})."
    wins = write_percent(0.5 + gap / 2, decimals=0)
    return (
        f"{said}: one system wins {wins}% of the pairs with one winner in both orders "
        f"({100 * gap:.0f} points; 80% power)."
    )


def _title(found: JudgeAudit) -> str:
    clusters = "" if found.n_clusters is None else f" in {write_count(found.n_clusters, 'cluster')}"
    how = "two answers at once" if found.pairwise else "one answer at a time"
    model = f" with {found.model}" if found.model else ""
    return f"{found.judge}{model}, {how}: {write_count(found.n_items, 'item')}{clusters}, {found.asked:,} verdicts"


def _line(one: ProbeLine) -> tuple[str, ...]:
    if isinstance(one.share, Undefined):
        return (one.counts, "0", "-", "not asked" if one.declined else "-", EXPECTED[one.expected], "-")
    low, high = (write_percent(x) for x in (one.share.low, one.share.high))
    return (
        one.counts,
        _count(one, one.share),
        f"{write_percent(one.share.point)}%",
        f"{low} to {high}",
        EXPECTED[one.expected],
        one.word,
    )


def _count(one: ProbeLine, share: Estimate) -> str:
    """Write the count of items; halves are kept, as an item may be won in one of two orders."""
    return f"{round(share.point * one.items, 1):g} of {one.items}"


def _slot(found: JudgeAudit) -> Iterator[Block]:
    if not found.positions:
        return
    whole, *others = found.positions
    if isinstance(whole.effect, Undefined):
        yield f"Slot: {whole.effect.reason}."
    else:
        need = " Both orders have to be asked." if found.both_orders else ""
        yield f"Slot: {slot_words(whole.effect)}; {_first(whole)}.{need}"
    if others:
        yield _positions(others[:_SHOWN], more=len(others) - _SHOWN)


def _first(one: PositionLine) -> str:
    if isinstance(one.first_slot, Undefined):
        return "the share of the first slot is undefined"
    low, high = (write_percent(x) for x in (one.first_slot.low, one.first_slot.high))
    return f"what stands first wins {write_percent(one.first_slot.point)}% ({low} to {high})"


def _positions(lines: Sequence[PositionLine], *, more: int = 0) -> Grid:
    tail = f" ({more} more with -v)" if more > 0 else ""
    columns = ("pair", "items", "both orders", "first minus second", "95% interval")
    return Grid(f"Points gained by standing first{tail}", columns, tuple(map(_position, lines)))


def _position(one: PositionLine) -> tuple[str, ...]:
    if isinstance(one.effect, Undefined):
        return (one.what, str(one.items), str(one.both_orders), "-", "-")
    point, low, high = (f"{100 * x:+.1f}" for x in (one.effect.point, one.effect.low, one.effect.high))
    return (one.what, str(one.items), str(one.both_orders), point, f"{low} to {high}")


def _agreement(what: str, items: int, share: Estimate | Undefined) -> str:
    start = f"{what[0].upper()}{what[1:]}"
    if isinstance(share, Undefined):
        return f"{start}: {share.reason}."
    point, low, high = (write_percent(x) for x in (share.point, share.low, share.high))
    return f"{start}: the same winner on {point}% ({low} to {high}) of {write_count(items, 'item')}."


def _contrasts(found: JudgeAudit) -> Grid:
    columns = ("probe", "items", "both", "only this", "only the other", "neither", "p", "adjusted")
    rows = tuple(
        (
            one.probe, str(one.items), str(one.both), str(one.only_first), str(one.only_second), str(one.neither),
            write_p(one.test).removeprefix("p = ").removeprefix("p "), f"{one.adjusted:.2g}",
        )
        for one in found.contrasts
    )  # fmt: skip
    return Grid(
        f"What counts against this judge and against {found.against}, on the same items", columns, rows
    )


def _details(found: JudgeAudit) -> Iterator[Block]:
    asked = [one for one in found.lines if one.items]
    if asked:
        columns = ("probe", "plain", "changed", "neither", "split", "no answer", "shows from")
        rows = tuple(
            (
                one.probe, str(one.plain), str(one.changed), str(one.neither), str(one.split), str(one.unanswered),
                "-" if isinstance(one.shows, Undefined) else f"{write_percent(one.shows, decimals=0)}%",
            )
            for one in asked
        )  # fmt: skip
        yield Grid(
            "Winners by item (split: the orders differ), and the true share that would show with 80% power",
            columns,
            rows,
        )
    for one in found.lines:
        if one.named and one.expected != "even":
            yield f"{one.probe}, {one.counts}: {', '.join(one.named)}."
        if one.declined:
            told = "; ".join(f"{count} {reason}" for reason, count in one.declined.items())
            yield f"{one.probe}, items that could not be changed: {told}."
    if len(found.positions) > 1:
        yield _positions(found.positions)
    for one in found.positions[:1]:
        if isinstance(one.test, HypothesisTest):
            yield f"No effect of the slot: {one.test.name}, {write_p(one.test)}."
    yield f"Method: {found.why}."
    yield f"Estimand: {found.estimand}"
