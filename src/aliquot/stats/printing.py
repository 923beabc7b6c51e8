"""Tables as text and as HTML: results print themselves with these, and nothing here computes."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence


def as_text(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A title line and an aligned table; columns of numbers stand to the right."""
    widths = [max(len(row[place]) for row in (columns, *rows)) for place in range(len(columns))]
    right = [bool(rows) and all(_is_number(row[place]) for row in rows) for place in range(len(columns))]
    lines = [
        "  ".join(
            cell.rjust(width) if left else cell.ljust(width)
            for cell, width, left in zip(row, widths, right, strict=True)
        )
        for row in (columns, *rows)
    ]
    return "\n".join(line.rstrip() for line in (title, *(f"  {line}" for line in lines)))


def as_html(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The same as an HTML table, every cell escaped."""
    head = html_row(columns, tag="th") if any(columns) else ""
    return f"<table><caption>{html.escape(title)}</caption>{head}{''.join(map(html_row, rows))}</table>"


def html_row(cells: Sequence[str], *, tag: str = "td") -> str:
    """One row of an HTML table."""
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell.strip())}</{tag}>' for cell in cells)}</tr>"


def as_cell(value: object) -> str:
    """One value as a reader wants it: four significant digits, parts of a mapping by name."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {as_cell(part)}" for name, part in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _is_number(cell: str) -> bool:
    return cell == "-" or cell.lstrip("+-").replace(".", "", 1).replace("e-", "", 1).isdigit()
