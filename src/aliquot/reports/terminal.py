"""A comparison in the terminal: the answer first, 15 lines of 80 columns, plain characters; the rest behind ``-v``."""

from __future__ import annotations

from collections.abc import Iterable

from aliquot.findings.comparison import Comparison
from aliquot.reports.plain import name_some, neutralise, short_name, wrap
from aliquot.reports.view import SystemRow, View, view_of

MAX_LINES = 15
"""The line budget of a comparison without ``-v``."""


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
    lines = wrap(neutralise(view.verdict, limit=240), indent="", lines=3)
    if comparison.if_missing is not None and comparison.if_missing.changes_verdict:
        lines += wrap(view.missing, indent="", lines=2)
    return lines


def _table(view: View) -> list[str]:
    names = [short_name(row.system) for row in view.systems]
    first = max(len(name) for name in [*names, "difference"]) + 2
    difference = view.difference
    heading = SystemRow(
        "", view.count_title, "rate" if view.systems[0].rate else "", view.interval_title, "answered"
    )
    rows = [_columns("", heading, first)]
    rows += [_columns(name, row, first) for name, row in zip(names, view.systems, strict=True)]
    shown = f"{difference.moved}  {difference.point} [{difference.interval}]  {difference.p}".strip()
    return [*rows, f"  {'difference':<{first}}{neutralise(shown)}"]


def _columns(name: str, row: SystemRow, first: int) -> str:
    return f"  {name:<{first}}{row.count:<12}{row.rate:>7}   {row.interval:<15}{row.answered:>9}".rstrip()


def _body(comparison: Comparison, view: View, *, room: int) -> list[str]:
    """Return the blocks below the table in reading order, without the least important ones when they do not fit."""
    moved = [f"  {title}: {name_some(names, limit=68)}" for title, names in view.moved if _any_moved(view)]
    settings = wrap(f"Same: {neutralise(view.same)}.  Differs: {neutralise(view.differs)}.", lines=2)
    settings = settings if view.recorded else []
    latency = wrap(f"Latency: {view.latency}.") if view.latency else []
    settles = wrap(view.settles, lines=2)
    closing = wrap(f"{view.methods} -v for all.")
    if len(closing) > 1:
        closing = wrap(view.methods, lines=2)
    warnings = _warnings(comparison)
    spare = room - sum(map(len, (moved, settings, latency, settles, closing, warnings)))
    if spare < 0:
        latency, spare = [], spare + len(latency)
    if spare < 0 and settings:
        settings = wrap(f"Differs: {neutralise(view.differs)}.", lines=1)
        spare = room - sum(map(len, (moved, settings, settles, closing, warnings)))
    return [*moved[: len(moved) + min(0, spare)], *settings, *latency, *settles, *warnings, *closing]


def _any_moved(view: View) -> bool:
    return any(names for _, names in view.moved)


def _warnings(comparison: Comparison) -> list[str]:
    """Return the first warning, cut to two lines, and how many more ``-v`` shows."""
    texts = [neutralise(note.text, limit=300) for note in comparison.warnings]
    if not texts:
        return []
    more = f" (+{len(texts) - 1} more, -v)" if len(texts) > 1 else ""
    first = wrap(f"! {texts[0]}{more}")
    return first if len(first) <= 2 else wrap(f"! {texts[0][: 130 - len(more)]} ...{more}", lines=2)


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
        *(line for text in comparison.reconciliation for line in wrap(neutralise(text))),
        *wrap(view.footer),
    ]


def _hanging(text: str) -> list[str]:
    return wrap(text, indent="      ", first="    ")


def _notes(title: str, texts: Iterable[str]) -> list[str]:
    found = [
        line for text in texts for line in wrap(neutralise(text, limit=500), indent="      ", first="    - ")
    ]
    return [f"  {title}:", *found] if found else []
