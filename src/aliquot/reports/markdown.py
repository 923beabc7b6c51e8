"""A comparison as Markdown for a pull request: verdict, table, folded details; names and numbers only."""

from __future__ import annotations

from aliquot.findings.comparison import Comparison
from aliquot.reports.comparison_blocks import comparison_blocks
from aliquot.reports.markdown_blocks import block_markdown, escape_markdown, list_markdown
from aliquot.reports.markdown_limit import fit_markdown
from aliquot.reports.view import View, view_of

_NAMES_SHOWN = 50
"""Item names listed in a folded block before "and N more"."""

_LONGEST_NAME = 120


def render_markdown(comparison: Comparison) -> str:
    """Return a comparison as GitHub-flavoured Markdown; texts of items and answers are never part of it."""
    view = view_of(comparison)
    blocks = [
        f"**{escape_markdown(view.verdict)}**",
        escape_markdown(view.missing),
        _table(view),
        *(_folded(title.lower(), names) for title, names in view.moved if names),
        f"Same: {escape_markdown(view.same)}. Differs: {escape_markdown(view.differs)}.",
        f"Also: {escape_markdown(view.also)}" if view.also else "",
        escape_markdown(view.noise),
        escape_markdown(view.settles),
        *(f"{escape_markdown(text)}." for text in comparison.reconciliation),
    ]
    return fit_markdown(
        blocks,
        warnings=list_markdown([note.text for note in comparison.warnings]),
        folded=[block_markdown(block) for block in comparison_blocks(comparison)],
        footer=f"<sub>{escape_markdown(view.methods)} {escape_markdown(view.footer)}</sub>",
        command=comparison.command,
    )


def _table(view: View) -> str:
    head = f"| | {view.count_title} | rate | {view.interval_title} | answered |\n|---|---|---|---|---|"
    rows = [
        f"| {escape_markdown(row.system)} | {row.count} | {row.rate} | {row.interval} | {row.answered} |"
        for row in view.systems
    ]
    difference = view.difference
    moved = (
        f"{difference.moved} | {difference.point} | {escape_markdown(difference.interval)} | {difference.p}"
    )
    return "\n".join([head, *rows, f"| difference | {moved} |"])


def _folded(title: str, names: tuple[str, ...]) -> str:
    shown = ", ".join(escape_markdown(name, limit=_LONGEST_NAME) for name in names[:_NAMES_SHOWN])
    more = f", and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"<details><summary>{len(names)} {title}</summary>\n\n{shown}{more}\n\n</details>"
