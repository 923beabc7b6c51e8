"""A conversation as turns to read: who said what, which tools were called with what, and what they gave back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from aliquot.evidence.bounds import shorten

MAX_TURNS: Final = 500
"""Turns of a conversation that are handed on; the rest is counted."""

MAX_CHARACTERS: Final = 5_000_000
"""Characters of a conversation that are handed on, arguments of tools included."""

TOOL: Final = "tool"
"""The role of a turn that holds what a tool gave back."""

REASONING: Final = "(reasoning) "
"""Before what a model thought, in the text of its turn."""

ERROR: Final = "(error) "
"""Before what a tool said of its failure, in the text of its turn."""

LEFT_OUT: Final = "left out"
"""The role of the turn that says how much was left out."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool: its name, and its arguments as text."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation.

    Attributes:
        role: who speaks, in the log's own word; ``tool`` for what a tool gave back.
        text: what was said; what the model thought before stands in it, marked ``(reasoning)``.
        calls: the tools called.
        tool: the tool's name, in a turn of the role ``tool``.
    """

    role: str
    text: str
    calls: tuple[ToolCall, ...] = ()
    tool: str = ""

    @property
    def size(self) -> int:
        """Its characters."""
        said = len(self.role) + len(self.text) + len(self.tool)
        return said + sum(len(call.name) + len(call.arguments) for call in self.calls)


def bounded_turns(turns: Iterable[Turn], *, characters: int = MAX_CHARACTERS) -> tuple[Turn, ...]:
    """Return at most ``MAX_TURNS`` turns of so many characters in all; a last one says how many were left out.

    Examples:
        >>> bounded_turns(Turn("user", "hello") for _ in range(502))[-1].text
        '2 more turns'
    """
    kept: list[Turn] = []
    size = lost = 0
    for turn in turns:
        if lost or len(kept) == MAX_TURNS or size >= characters:
            lost += 1
            continue
        kept.append(_cut(turn, characters - size))
        size += turn.size
    if lost:
        kept.append(Turn(LEFT_OUT, f"{lost:,} more turn{'s' if lost > 1 else ''}"))
    return tuple(kept)


def _cut(turn: Turn, room: int) -> Turn:
    """Return a turn that fits: its text is cut, then its calls; what no longer fits is counted."""
    if turn.size <= room:
        return turn
    text = shorten(turn.text, limit=room)
    left = room - len(text)
    calls: list[ToolCall] = []
    for call in turn.calls:
        if left <= 0:
            break
        calls.append(ToolCall(shorten(call.name, limit=_NAME), shorten(call.arguments, limit=left)))
        left -= len(call.name) + len(call.arguments)
    if lost := len(turn.calls) - len(calls):
        text = f"{text}\n({lost:,} more calls)"
    role, tool = (shorten(name, limit=_NAME) for name in (turn.role, turn.tool))
    return replace(turn, role=role, text=text, calls=tuple(calls), tool=tool)


_NAME: Final = 200
"""Characters of a role or of a tool's name in a turn that is cut."""


def is_conversation(turns: Sequence[Turn]) -> bool:
    """Tell whether turns say more than a question and one answer: tools, thoughts, or several answers.

    Examples:
        >>> is_conversation([Turn("user", "2+2?"), Turn("assistant", "4")])
        False
    """
    spoken = [turn for turn in turns if turn.role == "assistant"]
    return len(spoken) > 1 or any(
        turn.calls or turn.role == TOOL or f"\n{REASONING}" in f"\n{turn.text}" for turn in turns
    )


def changed_texts(turns: Iterable[Turn], change: Callable[[str], str]) -> Iterator[Turn]:
    """Yield the turns with a function applied to every text and argument in them."""
    for turn in turns:
        calls = tuple(ToolCall(call.name, change(call.arguments)) for call in turn.calls)
        yield replace(turn, text=change(turn.text), calls=calls)
