"""A finding of any kind as one HTML file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aliquot.findings.comparison import Comparison
from aliquot.findings.finding import Finding
from aliquot.reports.comparison_page import page_of_comparison
from aliquot.reports.page import render_page
from aliquot.reports.page_content import Page
from aliquot.reports.sheet_page import page_of_sheet
from aliquot.reports.sheets import sheet_of

if TYPE_CHECKING:
    from aliquot.findings.rows import Rows


def render_html(finding: Finding, *, methods: Sequence[str] = (), rows: Rows | None = None) -> str:
    """Return a finding as a self-contained page that opens from disk, prints, and is readable without scripts.

    Args:
        finding: of any kind.
        methods: sentences on the methods, with their citations.
        rows: the items behind it, to filter, read and note; None for none.
    """
    items = None
    if rows is not None and rows.rows:
        from aliquot.reports.items_view import items_view  # noqa: PLC0415 - only where there are items

        items = items_view(rows)
    return render_page(page_of(finding), methods=methods, items=items)


def page_of(finding: Finding) -> Page:
    """Return what the page of a finding holds."""
    if isinstance(finding, Comparison):
        return page_of_comparison(finding)
    return page_of_sheet(sheet_of(finding), finding)
