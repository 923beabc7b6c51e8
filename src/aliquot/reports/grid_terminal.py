"""A grid in the terminal: numbers in one line, names whole in as many as they need: any part may tell two apart."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from aliquot.reports.plain import WIDTH, short_name, wrap_name
from aliquot.reports.sheet import Grid

LONGEST_CELL: Final = 60
"""Characters of a cell that is no name in one line."""

LONGEST_HEADING: Final = 30
"""Characters of a heading over numbers in one line."""

_MOST_OF_A_NAME: Final = 200
_SHORTEST_NAME: Final = 10
"""Names are wrapped to no less than this to fit a grid into the width."""


def grid_lines(grid: Grid, *, most: int | None, width: int = WIDTH) -> list[str]:
    """Return the headings and rows of a grid.

    Args:
        grid: the grid; its title is not part of it.
        most: rows at most; None for all.
        width: columns of the terminal; more are taken when the numbers need them.

    Examples:
        >>> grid = Grid("", ("condition", "main"), (("accuracy of critical items", "75.3%"),))
        >>> grid_lines(grid, most=None, width=24)
        ['  condition         main', '  accuracy of      75.3%', '  critical items']
    """
    texts = [
        [short_name(cell, limit=_MOST_OF_A_NAME) for cell in row] for row in (grid.columns, *grid.rows[:most])
    ]
    widths = _widths(texts, names=grid.names, width=width)
    return [line for row in texts for line in _row(row, widths, names=grid.names)]


def _row(cells: Sequence[str], widths: Sequence[int], *, names: int) -> Iterator[str]:
    parts = [wrap_name(text, width=width) for text, width in zip(cells, widths, strict=True)]
    for line in zip_longest(*parts, fillvalue=""):
        placed = (
            text.ljust(width) if place < names else text.rjust(width)
            for place, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        yield f"  {'  '.join(placed)}".rstrip()


def _widths(texts: Sequence[Sequence[str]], *, names: int, width: int) -> list[int]:
    """Return the width of each column: the widest names and headings give way until the grid fits."""
    widths: list[int] = []
    fewest: list[int] = []
    for place, (heading, *body) in enumerate(zip(*texts, strict=True)):
        longest = max((len(text) for text in body), default=0)
        if place < names:
            widths.append(max(longest, len(heading)))
            fewest.append(min(widths[-1], _SHORTEST_NAME))
        else:
            longest = min(longest, LONGEST_CELL)
            widths.append(max(longest, min(len(heading), LONGEST_HEADING)))
            fewest.append(max(longest, min(widths[-1], _longest_word(heading))))
    while sum(widths) + 2 * len(widths) > width and widths != fewest:
        place = max(range(len(widths)), key=lambda i: (widths[i] > fewest[i], widths[i]))
        widths[place] -= 1
    return widths


def _longest_word(heading: str) -> int:
    """Return the width a heading is not cut below, so that short words stay whole."""
    return min(_SHORTEST_NAME, max(map(len, re.split(r"\s+", heading))))
