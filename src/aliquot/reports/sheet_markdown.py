"""A sheet as GitHub-flavoured Markdown: details folded, names and numbers only."""

from __future__ import annotations

from aliquot.reports.markdown_blocks import block_markdown, escape_markdown, list_markdown
from aliquot.reports.markdown_limit import fit_markdown
from aliquot.reports.sheet import Sheet


def render_sheet_markdown(sheet: Sheet, *, command: str = "") -> str:
    """Return a sheet as Markdown.

    Args:
        sheet: the sheet of a finding.
        command: the command that makes the finding again; may be empty.
    """
    return fit_markdown(
        [f"**{escape_markdown(sheet.headline)}**", *map(block_markdown, sheet.blocks)],
        warnings=list_markdown(sheet.warnings),
        folded=[block_markdown(block) for block in sheet.details],
        footer=f"<sub>{escape_markdown(sheet.footer)}</sub>",
        command=command,
    )
