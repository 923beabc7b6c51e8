"""A comparison in the terminal: the answer first, 15 lines of 80 columns, plain characters; the rest behind ``-v``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from aliquot.findings.comparison import Comparison
from aliquot.reports.comparison_blocks import comparison_blocks
from aliquot.reports.plain import WIDTH, name_some, neutralise, short_name, wrap, wrap_name
from aliquot.reports.sheet_terminal import blocks_lines
from aliquot.reports.view import SystemRow, View, view_of

MAX_LINES = 15
"""The line budget of a comparison without ``-v``."""

_SHORTEST_NAME = 12
"""Characters that a line of a system's name has at least."""


def render_terminal(comparison: Comparison, *, verbose: bool = False) -> str:
    """Return a comparison as plain text of 80 columns.

    Args:
        comparison: the finding.
        verbose: also all tests, the checklist, every warning, and what was not checked.
    """
    view = view_of(comparison)
    head = [*_headline(comparison, view), "", *_table(view)]
    body = _body(comparison, view, room=MAX_LINES - len(head))
    gap = [""] if len(head) + len(body) < MAX_LINES else []
    lines = [*head, *gap, *body]
    if verbose:
        lines += ["", *_details(comparison, view)]
    return "\n".join(lines) + "\n"


def _headline(comparison: Comparison, view: View) -> list[str]:
    lines = wrap(neutralise(view.verdict, limit=300), indent="", lines=5)
    if comparison.if_missing is not None and comparison.if_missing.changes_verdict:
        lines += wrap(view.missing, indent="", lines=2)
    return lines


def _table(view: View) -> list[str]:
    difference = view.difference
    heading = SystemRow(
        "", view.count_title, "rate" if view.systems[0].rate else "", view.interval_title, "answered"
    )
    wide = max(12, *(len(row.count) + 1 for row in view.systems))
    shown = neutralise(
        f"{difference.moved}  {difference.point} [{difference.interval}]  {difference.p}".strip()
    )
    room = WIDTH - 4 - max(len(shown), *(len(_columns(row, wide)) for row in (heading, *view.systems)))
    names = [_in_lines(row.system, width=max(room, _SHORTEST_NAME)) for row in view.systems]
    first = max(len(line) for lines in (["difference"], *names) for line in lines) + 2
    rows = [f"  {'':<{first}}{_columns(heading, wide)}"]
    for lines, row in zip(names, view.systems, strict=True):
        rows += [f"  {lines[0]:<{first}}{_columns(row, wide)}", *(f"  {line}" for line in lines[1:])]
    return [*rows, f"  {'difference':<{first}}{shown}"]


def _in_lines(name: str, *, width: int) -> list[str]:
    """Return a name in two lines or three, cut in its middle when it needs more: the lines have a budget."""
    return wrap_name(short_name(name, limit=2 * width), width=width)


def _columns(row: SystemRow, wide: int) -> str:
    return f"{row.count:<{wide}}{row.rate:>7}   {row.interval:<15}{row.answered:>9}".rstrip()


def _body(comparison: Comparison, view: View, *, room: int) -> list[str]:
    """Return the blocks below the table in reading order, without the least important ones when they do not fit."""
    moved = [f"  {title}: {name_some(names, limit=68)}" for title, names in view.moved if _any_moved(view)]
    settings = wrap(f"Same: {neutralise(view.same)}.  Differs: {neutralise(view.differs)}.", lines=2)
    closing = wrap(f"{view.methods} -v for all.")
    blocks = [
        *(_Block(rank, [line]) for rank, line in zip((8, 4), moved, strict=False)),
        _Block(6, settings if view.recorded else [], wrap(f"Differs: {neutralise(view.differs)}.", lines=1)),
        _Block(3, wrap(f"Also: {neutralise(view.also)}", lines=2) if view.also else []),
        _Block(5, wrap(view.noise, lines=2) if view.noise else []),
        _Block(8, wrap(view.reweighted, lines=2) if view.reweighted else []),
        _Block(7, wrap(view.settles, lines=2), wrap(_first_sentence(view.settles), lines=1)),
        *_reconciled(comparison),
        _Block(9, _warnings(comparison)),
        _Block(10, closing if len(closing) == 1 else wrap(view.methods, lines=2)),
    ]
    return [line for block in _fit(blocks, room=room) for line in block.lines]


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines that stand or fall together: how much they matter, and a shorter form of them."""

    rank: int
    lines: list[str]
    short: list[str] = field(default_factory=list[str])


def _fit(blocks: list[_Block], *, room: int) -> list[_Block]:
    """Return the blocks that fit: the least important ones give way, first to their short form."""
    while sum(len(block.lines) for block in blocks) > room:
        least = min((block for block in blocks if block.lines), key=lambda block: block.rank)
        shorter = bool(least.short) and len(least.short) < len(least.lines)
        lines = least.short if shorter else []
        blocks = [replace(block, lines=lines, short=[]) if block is least else block for block in blocks]
    return blocks


def _reconciled(comparison: Comparison) -> list[_Block]:
    """Return the harness's own numbers: of more weight where they are others than ours."""
    texts = [neutralise(text, limit=300) for text in comparison.reconciliation]
    differ = any("the same" not in text for text in texts)
    return [_Block(8 if differ else 2, wrap(f"{text}.", lines=2), wrap(text, lines=1)) for text in texts[:2]]


def _first_sentence(text: str) -> str:
    return f"{text.split('. ', maxsplit=1)[0].removesuffix('.')}." if text else ""


def _any_moved(view: View) -> bool:
    return any(names for _, names in view.moved)


def _warnings(comparison: Comparison) -> list[str]:
    """Return the first warning, cut to two lines, and how many more ``-v`` shows."""
    texts = [neutralise(note.text, limit=300) for note in comparison.warnings]
    if not texts:
        return []
    more = f" (+{len(texts) - 1} more, -v)" if len(texts) > 1 else ""
    first = wrap(f"! {texts[0]}{more}")
    if len(first) <= 2:
        return first
    cut = texts[0][: 130 - len(more)].rsplit(" ", 1)[0]
    return wrap(f"! {cut} ...{more}", lines=2)


def _details(comparison: Comparison, view: View) -> list[str]:
    return [
        *wrap(f"Why: {neutralise(comparison.why, limit=500)}"),
        *wrap(f"Estimand: {neutralise(comparison.estimand, limit=500)}"),
        "  Tests:",
        *(
            f"    {name:<26}{p:<12}{floor}{'  decides' if decides else ''}".rstrip()
            for name, p, floor, decides in view.tests
        ),
        *wrap(f"Matching: {view.matching}"),
        *(
            line
            for system, text in view.statuses
            for line in wrap(f"Responses of {short_name(system)}: {text}.")
        ),
        *(wrap(f"Missing: {view.missing}") if view.missing else []),
        "  Checklist:",
        *(line for name, value in view.checklist for line in _hanging(f"{name}: {neutralise(value)}")),
        *_notes("Warnings", (note.text for note in comparison.warnings)),
        *_notes("Not checked", (note.text for note in comparison.not_checked)),
        *(line for text in comparison.reconciliation for line in wrap(f"{neutralise(text, limit=400)}.")),
        *blocks_lines(comparison_blocks(comparison), most=None),
        "",
        *wrap(view.footer),
    ]


def _hanging(text: str) -> list[str]:
    return wrap(text, indent="      ", first="    ")


def _notes(title: str, texts: Iterable[str]) -> list[str]:
    found = [
        line for text in texts for line in wrap(neutralise(text, limit=500), indent="      ", first="    - ")
    ]
    return [f"  {title}:", *found] if found else []
