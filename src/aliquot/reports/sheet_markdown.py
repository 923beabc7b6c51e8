"""A sheet as GitHub-flavoured Markdown: details folded, names and numbers only."""

from __future__ import annotations

from aliquot.reports.markdown import escape_markdown
from aliquot.reports.sheet import Block, Grid, Sheet

_MAX_ROWS = 200


def render_sheet_markdown(sheet: Sheet) -> str:
    """Return a sheet as Markdown."""
    blocks = [f"**{escape_markdown(sheet.headline)}**", *map(block_markdown, sheet.blocks)]
    blocks += ["\n".join(f"- {escape_markdown(text)}" for text in sheet.warnings)]
    if sheet.details:
        folded = "\n\n".join(map(block_markdown, sheet.details))
        blocks.append(f"<details><summary>details</summary>\n\n{folded}\n\n</details>")
    blocks.append(f"<sub>{escape_markdown(sheet.footer)}</sub>")
    return "\n\n".join(block for block in blocks if block) + "\n"


def block_markdown(block: Block) -> str:
    """Return a grid as a table, a sentence as a paragraph."""
    if not isinstance(block, Grid):
        return escape_markdown(block)
    head = f"| {' | '.join(escape_markdown(name) for name in block.columns)} |"
    rule = "|---" * block.names + "|---:" * (len(block.columns) - block.names) + "|"
    rows = [f"| {' | '.join(escape_markdown(cell) for cell in row)} |" for row in block.rows[:_MAX_ROWS]]
    left = len(block.rows) - len(rows)
    title = [f"{escape_markdown(block.title)}\n"] if block.title else []
    return "\n".join([*title, head, rule, *rows, *([f"\n{left} more rows"] if left > 0 else [])])
