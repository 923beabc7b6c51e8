"""A comparison as a page: the verdict, the defensible table, the pictures, and what the claim hangs on."""

from __future__ import annotations

from collections.abc import Iterator

from aliquot.evidence.assembly import DEFAULTS
from aliquot.findings.comparison import Comparison
from aliquot.reports.comparison_blocks import comparison_blocks
from aliquot.reports.comparison_charts import beside_charts, difference_charts
from aliquot.reports.comparison_sheet import grid_of_tests, main_grid
from aliquot.reports.page_content import Bullets, Commands, Names, Page, Part, Section
from aliquot.reports.sheet import Grid
from aliquot.reports.view import View, view_of


def page_of_comparison(comparison: Comparison) -> Page:
    """Return the page of a comparison."""
    view = view_of(comparison)
    first, *others = (*difference_charts(comparison), None)
    return Page(
        word=comparison.verdict.word,
        headline=view.verdict,
        lead=tuple(
            part
            for part in (
                view.missing,
                f"{_about(comparison)}. {view.methods}",
                main_grid(view),
                first,
                view.settles,
            )
            if part
        ),
        sections=(
            Section("Warnings", _bullets(note.text for note in comparison.warnings)),
            Section("What was the same, what differs", tuple(_settings(view))),
            Section("What moved", tuple(Names(title, names) for title, names in view.moved)),
            Section("Pictures", tuple(one for one in (*others, *beside_charts(comparison)) if one)),
            Section("Beside the difference", comparison_blocks(comparison)),
            Section("Tests", tuple(_tests(comparison, view))),
            Section("What the claim is about", (comparison.estimand,)),
            Section("Counts", tuple(_counts(comparison, view))),
            Section(
                "Reporting checklist", (Grid("", ("point", "said"), view.checklist, names=2),), folded=True
            ),
            Section("Not checked", _bullets(note.text for note in comparison.not_checked)),
            Section("Reproduce", tuple(_commands(comparison, view))),
        ),
        footer=view.footer,
    )


def _about(comparison: Comparison) -> str:
    """Return the task, unless the log names none, and the metric."""
    named = "" if comparison.task == DEFAULTS["task"] else f"task {comparison.task}, "
    text = f"{named}metric {comparison.metric}"
    return text[0].upper() + text[1:]


def _bullets(texts: Iterator[str]) -> tuple[Part, ...]:
    found = tuple(texts)
    return (Bullets(found),) if found else ()


def _settings(view: View) -> Iterator[Part]:
    if view.recorded:
        yield f"Same: {view.same}."
        yield f"Differs: {view.differs}."
    else:
        yield "The settings of the two systems are not recorded."
    if view.also:
        yield f"Also: {view.also}"
    if view.noise:
        yield view.noise


def _tests(comparison: Comparison, view: View) -> Iterator[Part]:
    if view.tests:
        yield grid_of_tests(view)
        yield f"Why these: {comparison.why}."


def _counts(comparison: Comparison, view: View) -> Iterator[Part]:
    yield f"Matching: {view.matching}"
    yield Bullets(tuple(f"Responses of {system}: {text}." for system, text in view.statuses))
    yield from (f"{text}." for text in comparison.reconciliation)


def _commands(comparison: Comparison, view: View) -> Iterator[Part]:
    if comparison.command:
        yield Commands(
            (
                ("this finding", comparison.command),
                ("the rows behind it, both answers side by side", view.rows_command),
            )
        )
