"""A comparison as Markdown for a pull request: verdict, table, folded details; names and numbers only."""

from __future__ import annotations

import re

from aliquot.findings.comparison import Comparison
from aliquot.reports.plain import neutralise
from aliquot.reports.view import View, view_of

_NAMES_SHOWN = 50
"""Item names listed in a folded block before "and N more"."""


def render_markdown(comparison: Comparison) -> str:
    """Return a comparison as GitHub-flavoured Markdown; texts of items and answers are never part of it."""
    view = view_of(comparison)
    blocks = [
        f"**{escape_markdown(view.verdict)}**",
        view.missing and escape_markdown(view.missing),
        _table(view),
    ]
    blocks += [_folded(title.lower(), names) for title, names in view.moved if names]
    blocks += [
        f"Same: {escape_markdown(view.same)}. Differs: {escape_markdown(view.differs)}.",
        f"Also: {escape_markdown(view.also)}" if view.also else "",
        view.noise,
        view.settles,
        *(f"{escape_markdown(text)}." for text in comparison.reconciliation),
        "\n".join(f"- {escape_markdown(note.text)}" for note in comparison.warnings),
        f"<sub>{escape_markdown(view.methods)} {escape_markdown(view.footer)}</sub>",
    ]
    return "\n\n".join(block for block in blocks if block) + "\n"


def escape_markdown(text: str, *, limit: int = 500) -> str:
    r"""Return text that Markdown and HTML show as it stands: markup, mentions and links are inert.

    Examples:
        >>> escape_markdown("<b>*x*</b> @team")
        '&lt;b&gt;\\*x\\*&lt;/b&gt; &#64;team'
    """
    inert = neutralise(text, limit=limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    inert = re.sub(r"([\\`*_{}\[\]|~#])", r"\\\1", inert)
    return inert.replace("@", "&#64;").replace("://", ":&#47;&#47;")


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
    shown = ", ".join(escape_markdown(name) for name in names[:_NAMES_SHOWN])
    more = f", and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return f"<details><summary>{len(names)} {title}</summary>\n\n{shown}{more}\n\n</details>"
