"""Markdown that GitHub takes: blocks as long as they fit, and a sentence on those that did not."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.reports.plain import neutralise

GITHUB_LIMIT = 65_536
"""Characters of a comment or a pull request that GitHub takes."""

LIMIT = 65_000
"""Characters of what is written here: a bot's own lines fit beside it."""

_FOLD = ("<details><summary>details</summary>", "</details>")
_LONGEST_COMMAND = 300


def fit_markdown(
    blocks: Sequence[str], *, warnings: str, folded: Sequence[str], footer: str, command: str
) -> str:
    """Join blocks of Markdown to at most ``LIMIT`` characters; whole blocks are left out, and counted, not cut.

    The first block, the footer and the warnings come first when not everything fits; then the others in reading order.

    Args:
        blocks: what everyone sees; the first is the verdict.
        warnings: the warnings; may be empty.
        folded: what is folded away.
        footer: the last line.
        command: the command that makes the finding again; may be empty.
    """
    first, *others = blocks
    ranked = [first, footer, warnings, *others, *folded]
    room = LIMIT - len(_left_out(len(ranked), command)) - sum(len(tag) + 2 for tag in _FOLD) - 2
    keeps: list[bool] = []
    for block in ranked:
        keeps.append(len(block) + 2 <= room)
        room -= (len(block) + 2) * keeps[-1]
    kept = [block if keep else "" for block, keep in zip(ranked, keeps, strict=True)]
    inside = [block for block in kept[3 + len(others) :] if block]
    shown = [kept[0], *kept[3 : 3 + len(others)], kept[2]]
    shown += [_FOLD[0], *inside, _FOLD[1]] if inside else []
    left = keeps.count(False)
    shown += [_left_out(left, command) if left else "", kept[1]]
    return "\n\n".join(block for block in shown if block) + "\n"


def _left_out(parts: int, command: str) -> str:
    whole = "Its text with `-v` holds them."
    if command:
        whole = f"They are in: <code>{escape_code(command)} -v</code>"
    return f"{parts} parts are left out here, as GitHub takes {GITHUB_LIMIT:,} characters. {whole}"


def escape_code(text: str) -> str:
    """Return text for a ``<code>`` element in Markdown; each character that could be markup is a reference."""
    shown = neutralise(text, limit=_LONGEST_COMMAND)
    return "".join(char if char.isalnum() or char in " -./,'=" else f"&#{ord(char)};" for char in shown)
