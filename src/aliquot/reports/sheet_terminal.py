"""A sheet in the terminal: the answer first, plain characters, 80 columns unless numbers need more; -v for the rest."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.reports.grid_terminal import grid_lines
from aliquot.reports.plain import neutralise, wrap
from aliquot.reports.sheet import Block, Grid, Sheet

MAX_ROWS = 40
"""Rows of a grid shown without ``-v``."""


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
    lines = wrap(neutralise(grid.title)) if grid.title else []
    lines += grid_lines(grid, most=most)
    left = len(grid.rows) - len(grid.rows[:most])
    return [*lines, f"  ... {left} more rows (-v)"] if left else lines
