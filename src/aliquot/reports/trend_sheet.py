"""A trend as a sheet: the runs, oldest first, with the level each lies on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from aliquot.findings.numbers import write_count, write_difference, write_value
from aliquot.findings.trend import Trend, TrendPoint
from aliquot.reports.cells import value_cells
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Undefined

_SHOWN: Final = 12
"""Runs shown without ``-v``, the last ones."""


def sheet_of(found: Trend) -> Sheet:
    """Return the text of a trend."""
    return lay_out(found, _blocks(found), _details(found))


def _blocks(found: Trend) -> Iterator[Block]:
    cut = f", the last {_SHOWN} of {len(found.points)}" if len(found.points) > _SHOWN else ""
    system = f" of {found.system}" if found.system else ""
    yield _runs(found, found.points[-_SHOWN:], title=f"{found.metric}{system} on {found.task}{cut}")
    if len(found.changes) > 1:
        yield _changes(found)
    if not isinstance(found.tau, Undefined) and not isinstance(found.tau_p, Undefined):
        p = "< 0.0001" if found.tau_p < 0.0001 else f"{found.tau_p:.2g}"
        way = "rises" if found.tau > 0 else "falls"
        yield f"With time it {way}: Kendall's tau {found.tau:+.2f}, p {p}; a step gives that too."


def _runs(found: Trend, points: Sequence[TrendPoint], *, title: str) -> Grid:
    rows = tuple(
        (
            point.run,
            point.when[:16] or "-",
            f"{point.n_items:,}",
            *value_cells(point.estimate, found.scale),
            str(point.level),
        )
        for point in points
    )
    head = ("run", "asked", "items", "rate or mean", f"{100 * found.level:g}% interval", "level")
    return Grid(title, head, rows, names=2)


def _changes(found: Trend) -> Grid:
    rows = tuple(
        (
            change.run,
            *(
                write_value(value, found.scale, width=abs(change.after - change.before))
                for value in (change.before, change.after)
            ),
            write_difference(
                change.after - change.before, found.scale, width=abs(change.after - change.before)
            ),
            f"{change.p:.2g}",
        )
        for change in found.changes
    )
    return Grid("Changes of level", ("since", "before", "after", "diff.", "p"), rows)


def _details(found: Trend) -> Iterator[Block]:
    if len(found.points) > _SHOWN:
        yield _runs(found, found.points[:-_SHOWN], title="The runs before")
    if found.changes and len(found.changes) == 1:
        yield _changes(found)
    yield (
        "Method: the best split of the runs by between-parts sum of squares, held against the best splits of random "
        f"orders, then each part in the same way; {write_count(len(found.points), 'run')}. The intervals are for items "
        "like these; the runs share their items, so their own spread decides what is a step. The size of a step that "
        "was picked is biased away from 0."
    )
