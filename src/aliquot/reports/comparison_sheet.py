"""A comparison as a sheet, for the forms that show every kind of finding alike."""

from __future__ import annotations

from collections.abc import Iterator

from aliquot.findings.comparison import Comparison
from aliquot.reports.comparison_blocks import comparison_blocks
from aliquot.reports.plain import name_some
from aliquot.reports.sheet import Block, Grid, Sheet
from aliquot.reports.view import View, view_of

_NAMED = 2000
"""Characters of item names in one sentence."""


def sheet_of(comparison: Comparison) -> Sheet:
    """Return the text of a comparison."""
    view = view_of(comparison)
    return Sheet(
        headline=view.verdict,
        blocks=tuple(_blocks(comparison, view)),
        warnings=tuple(note.text for note in comparison.warnings),
        details=tuple(_details(comparison, view)),
        footer=view.footer,
    )


def main_grid(view: View) -> Grid:
    """Return the table that carries the claim: both systems, and the difference with its interval and p."""
    rated = any(row.rate for row in view.systems)
    head = ("system", view.count_title, *(("rate",) if rated else ()), view.interval_title, "answered", "p")
    difference = view.difference
    moved = (difference.moved, difference.point) if rated else (difference.point,)
    rows = (
        *(
            (row.system, row.count, *((row.rate,) if rated else ()), row.interval, row.answered, "")
            for row in view.systems
        ),
        ("difference", *moved, difference.interval, "", difference.p.removeprefix("p ")),
    )
    return Grid("", head, rows)


def grid_of_tests(view: View, *, title: str = "") -> Grid:
    """Return a row for each test that was made: its p, and which decides."""
    rows = tuple(
        (name, p.removeprefix("p "), "; ".join(filter(None, ("decides" if decides else "", floor))))
        for name, p, floor, decides in view.tests
    )
    return Grid(title, ("test", "p", "note"), rows, names=3)


def _blocks(comparison: Comparison, view: View) -> Iterator[Block]:
    yield main_grid(view)
    yield f"Task {comparison.task}, metric {comparison.metric}. {view.methods}"
    if view.missing:
        yield view.missing
    if view.recorded:
        yield f"Same: {view.same}. Differs: {view.differs}."
    if view.also:
        yield f"Also: {view.also}"
    yield from (text for text in (view.noise, view.reweighted, view.settles) if text)
    yield from (f"{text}." for text in comparison.reconciliation)


def _details(comparison: Comparison, view: View) -> Iterator[Block]:
    for title, names in view.moved:
        if names:
            yield f"{title} ({len(names)}): {name_some(names, limit=_NAMED)}"
    if view.tests:
        yield grid_of_tests(view, title="Tests")
    yield f"Why these: {comparison.why}."
    yield f"Estimand: {comparison.estimand}"
    yield f"Matching: {view.matching}"
    yield from (f"Responses of {system}: {text}." for system, text in view.statuses)
    yield from comparison_blocks(comparison)
    yield Grid("Reporting checklist", ("point", "value"), view.checklist, names=2)
    yield from (f"Not checked: {note.text}." for note in comparison.not_checked)
