"""Grids, sentences and lists as GitHub-flavoured Markdown in which nothing from a log is markup."""

from __future__ import annotations

import re
from collections.abc import Sequence

from aliquot.reports.plain import neutralise
from aliquot.reports.sheet import Block, Grid

_MAX_ROWS = 200
_MAX_CHARACTERS = 15_000
"""Rows of a table, and characters of them; the rest are counted."""

_MAX_LISTED = 20
_LONGEST_CELL = 200


def escape_markdown(text: str, *, limit: int = 500) -> str:
    r"""Return text that Markdown and HTML show as it stands: markup, mentions and links are inert.

    Examples:
        >>> escape_markdown("<b>*x*</b> @team")
        '&lt;b&gt;\\*x\\*&lt;/b&gt; &#64;team'
    """
    inert = neutralise(text, limit=limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    inert = re.sub(r"([\\`*_{}\[\]|~#])", r"\\\1", inert)
    return inert.replace("@", "&#64;").replace("://", ":&#47;&#47;")


def block_markdown(block: Block) -> str:
    """Return a grid as a table, a sentence as a paragraph."""
    if not isinstance(block, Grid):
        return escape_markdown(block)
    head = f"| {' | '.join(map(_cell, block.columns))} |"
    rule = "|---" * block.names + "|---:" * (len(block.columns) - block.names) + "|"
    rows = _rows(block)
    left = len(block.rows) - len(rows)
    title = [f"{escape_markdown(block.title)}\n"] if block.title else []
    return "\n".join([*title, head, rule, *rows, *([f"\n{left:,} more rows"] if left > 0 else [])])


def list_markdown(texts: Sequence[str]) -> str:
    """Return texts as a list, the first of many."""
    left = len(texts) - _MAX_LISTED
    more = [f"- {left} more"] if left > 0 else []
    return "\n".join([*(f"- {escape_markdown(text)}" for text in texts[:_MAX_LISTED]), *more])


def _rows(grid: Grid) -> list[str]:
    rows: list[str] = []
    room = _MAX_CHARACTERS
    for row in grid.rows[:_MAX_ROWS]:
        shown = f"| {' | '.join(map(_cell, row))} |"
        room -= len(shown)
        if room < 0:
            break
        rows.append(shown)
    return rows


def _cell(text: str) -> str:
    return escape_markdown(text, limit=_LONGEST_CELL)
