"""A finding in a notebook: a fragment of HTML without a script or a style, everything from logs escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from aliquot.errors import MachineError, UsageError
from aliquot.findings.finding import Finding
from aliquot.reports.plain import neutralise
from aliquot.reports.render import charts_of, render
from aliquot.reports.sheet import Block, Grid
from aliquot.reports.sheets import sheet_of
from aliquot.stats.printing import as_html

if TYPE_CHECKING:
    import altair as alt

_MAX_ROWS = 200
"""Rows of a table shown; the rest are counted."""

_LONGEST_TEXT = 2000
_LONGEST_CELL = 500


def notebook_html(finding: Finding) -> str:
    """Return a finding of any kind as an HTML fragment: verdict, tables, warnings, and the details folded."""
    sheet = sheet_of(finding)
    parts = [f"<p><strong>{_text(sheet.headline)}</strong></p>", *map(_block, sheet.blocks)]
    if sheet.warnings:
        parts.append(f"<ul>{''.join(f'<li>{_text(text)}</li>' for text in sheet.warnings)}</ul>")
    if sheet.details:
        folded = "".join(map(_block, sheet.details))
        parts.append(f"<details><summary>Details</summary>{folded}</details>")
    parts.append(f"<p><small>{' '.join(_closing(finding, sheet.footer))}</small></p>")
    return f"<div>{''.join(parts)}</div>"


def notebook_markdown(finding: Finding) -> str:
    """Return a finding of any kind as Markdown."""
    return render(finding, form="markdown")


def notebook_plot(finding: Finding) -> alt.TopLevelMixin:
    """Return the pictures of a finding as an Altair chart.

    Raises:
        MachineError: Altair is not installed.
        UsageError: a finding that has no picture.
    """
    try:
        from aliquot.reports.altair_charts import draw  # noqa: PLC0415 - a named optional extra
    except ModuleNotFoundError as error:
        raise MachineError(
            "Pictures in a notebook need an extra. Run: pip install 'aliquot[plot]'"
        ) from error
    charts = charts_of(finding)
    if not charts:
        raise UsageError(f"there is nothing to draw of this {finding.kind}")
    return draw(charts)


def _closing(finding: Finding, footer: str) -> Iterator[str]:
    if finding.command:
        yield f"Reproduce: <code>{_text(finding.command)}</code>."
    yield _text(footer)


def _block(block: Block) -> str:
    if not isinstance(block, Grid):
        return f"<p>{_text(block)}</p>"
    shown = [[neutralise(cell, limit=_LONGEST_CELL) for cell in row] for row in block.rows[:_MAX_ROWS]]
    columns = [neutralise(name, limit=_LONGEST_CELL) for name in block.columns]
    left = len(block.rows) - len(shown)
    more = f"<p>{left:,} more rows; to_frame() holds all.</p>" if left else ""
    return as_html(neutralise(block.title, limit=_LONGEST_CELL), columns, shown) + more


def _text(text: str) -> str:
    return escape(neutralise(text, limit=_LONGEST_TEXT))
