"""A sheet as a page."""

from __future__ import annotations

from aliquot.findings.finding import Finding
from aliquot.reports.page_content import Bullets, Commands, Page, Section
from aliquot.reports.sheet import Sheet


def page_of_sheet(sheet: Sheet, finding: Finding) -> Page:
    """Return the page of a finding that has a sheet.

    Args:
        sheet: what is shown.
        finding: what it is about, for the colour of its verdict and the command that makes it again.
    """
    first, *others = sheet.charts or (None,)
    return Page(
        word=finding.verdict.word,
        headline=sheet.headline,
        lead=(*sheet.blocks[:1], *([first] if first else []), *sheet.blocks[1:]),
        sections=(
            Section("Read this before you rely on it", (Bullets(sheet.warnings),) if sheet.warnings else ()),
            Section("Pictures", tuple(chart for chart in others if chart)),
            Section("Details", sheet.details),
            Section(
                "Reproduce", (Commands((("this finding", finding.command),)),) if finding.command else ()
            ),
        ),
        footer=sheet.footer,
    )
