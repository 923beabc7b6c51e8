"""Turns of a conversation in the terminal: the last ones, every one cut to a few lines; nothing in them acts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from aliquot.evidence.bounds import shorten
from aliquot.evidence.transcripts import TOOL, Turn
from aliquot.reports.plain import neutralise

_TURN_CHARACTERS: Final = 300
_CHARACTERS: Final = 1_500
_CALLS: Final = 10
"""How much is shown of a turn, of a conversation, and of the calls in one turn; the rest is counted."""

_LINE: Final = 3_500
"""Longest line of a turn, every character of it written out."""


def turn_lines(turns: Sequence[Turn], *, width: int) -> list[str]:
    """Return the last turns as lines of a width: who speaks and what, calls after an arrow; earlier ones are counted.

    Examples:
        >>> turn_lines([Turn("user", "2+2?"), Turn("assistant", "4")], width=20)
        ['user: 2+2?', 'assistant: 4']
    """
    shown: list[list[str]] = []
    size = 0
    for turn in reversed(turns):
        lines = [part for line in _said(turn) for part in _wrapped(line, width)]
        size += sum(map(len, lines))
        if shown and size > _CHARACTERS:
            break
        shown.append(lines)
    earlier = len(turns) - len(shown)
    first = [f"({earlier} earlier turn{'s' if earlier > 1 else ''})"] if earlier else []
    return [*first, *(line for lines in reversed(shown) for line in lines)]


def one_line(turns: Sequence[Turn]) -> str:
    """Return what a conversation says, on one line."""
    return " ".join(line.strip() for turn in turns[:_CALLS] for line in _said(turn))


def _said(turn: Turn) -> Iterator[str]:
    speaker = f"{turn.role} {turn.tool}".strip() if turn.role == TOOL else turn.role
    if turn.text or not turn.calls:
        first, *rest = shorten(turn.text, limit=_TURN_CHARACTERS).split("\n")
        yield f"{neutralise(speaker, limit=60)}: {neutralise(first, limit=_LINE)}"
        yield from (f"  {neutralise(line, limit=_LINE)}" for line in rest)
    for call in turn.calls[:_CALLS]:
        arguments = neutralise(call.arguments, limit=_TURN_CHARACTERS)
        yield f"{neutralise(speaker, limit=60)} -> {neutralise(call.name, limit=60)} {arguments}"
    if (more := len(turn.calls) - _CALLS) > 0:
        yield f"({more} more calls)"


def _wrapped(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent="  ") or [""]
