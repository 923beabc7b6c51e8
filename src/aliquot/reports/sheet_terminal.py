"""A sheet in the terminal: the answer first, plain characters, 80 columns unless numbers need more; -v for the rest."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.reports.plain import WIDTH, neutralise, short_name, wrap
from aliquot.reports.sheet import Block, Grid, Sheet

MAX_ROWS = 40
"""Rows of a grid shown without ``-v``."""

_LONGEST_NAME = 30
_LONGEST_CELL = 60
_SHORTEST_NAME = 10
"""Names are cut to no less than this to fit a grid into the width."""


def render_sheet(sheet: Sheet, *, verbose: bool = False) -> str:
    """Return a sheet as plain text.

    Args:
        sheet: the sheet.
        verbose: also the details and every warning.
    """
    lines = wrap(neutralise(sheet.headline, limit=400), indent="")
    lines += blocks_lines(sheet.blocks, most=None if verbose else MAX_ROWS)
    if verbose:
        lines += blocks_lines(sheet.details, most=None)
        lines += [line for text in sheet.warnings for line in _warning(text)]
        lines += ["", *wrap(sheet.footer)]
    elif sheet.warnings:
        more = len(sheet.warnings) - 1
        lines += _warning(sheet.warnings[0] + (f" (+{more} more, -v)" if more else ""))
    return "\n".join(lines) + "\n"


def blocks_lines(blocks: Sequence[Block], *, most: int | None) -> list[str]:
    """Return grids and sentences as lines, grids set apart by an empty one."""
    lines: list[str] = []
    for block in blocks:
        if isinstance(block, Grid):
            lines += ["", *_grid(block, most=most), ""]
        else:
            lines += wrap(neutralise(block, limit=600))
    while lines and not lines[-1]:
        lines.pop()
    return [line for i, line in enumerate(lines) if line or i == 0 or lines[i - 1]]


def _warning(text: str) -> list[str]:
    return wrap(neutralise(text, limit=600), first="  ! ", indent="    ")


def _grid(grid: Grid, *, most: int | None) -> list[str]:
    shown = grid.rows if most is None else grid.rows[:most]
    widths = _widths(grid, shown)
    cells = [
        [
            _cell(text, name=place < grid.names or not body, limit=widths[place])
            for place, text in enumerate(row)
        ]
        for body, row in enumerate((grid.columns, *shown))
    ]
    lines = wrap(neutralise(grid.title)) if grid.title else []
    lines += [
        "  "
        + "  ".join(
            text.ljust(width) if place < grid.names else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]
    left = len(grid.rows) - len(shown)
    return [*lines, f"  ... {left} more rows (-v)"] if left else lines


def _widths(grid: Grid, rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column: names, and headings wider than their numbers, give way until the grid fits."""
    widths: list[int] = []
    fewest: list[int] = []
    for place, heading in enumerate(grid.columns):
        name = place < grid.names
        telling = _telling([row[place] for row in rows]) if name else _SHORTEST_NAME
        limit = max(telling, _LONGEST_NAME) if name else _LONGEST_CELL
        body = max((len(_cell(row[place], name=name, limit=limit)) for row in rows), default=0)
        head = len(_cell(heading, name=True, limit=_LONGEST_NAME))
        widths.append(max(body, head))
        fewest.append(min(widths[-1], telling if name else max(body, _SHORTEST_NAME)))
    while sum(widths) + 2 * len(widths) > WIDTH and widths != fewest:
        place = max(range(len(widths)), key=lambda i: (widths[i] > fewest[i], widths[i]))
        widths[place] -= 1
    return widths


def _telling(names: Sequence[str]) -> int:
    """Return the shortest length to which names can be cut and still be told apart, up to that of a long cell."""
    different = set(names)
    for limit in range(_SHORTEST_NAME, _LONGEST_CELL):
        if len({short_name(name, limit=limit) for name in different}) == len(different):
            return limit
    return _LONGEST_CELL


def _cell(text: str, *, name: bool, limit: int) -> str:
    return short_name(text, limit=limit) if name else neutralise(text, limit=limit)
