"""A sheet as one HTML file."""

from __future__ import annotations

from aliquot.findings.finding import Finding
from aliquot.reports.page import render_page
from aliquot.reports.sheet import Sheet


def render_sheet_html(sheet: Sheet, finding: Finding) -> str:
    """Return a sheet as a self-contained page.

    Args:
        sheet: what is shown.
        finding: what it is about, for the colour of its verdict and the command that makes it again.
    """
    return render_page("sheet.html.j2", sheet=sheet, word=finding.verdict.word, command=finding.command)
