"""What a rater sees of an answer: the question, the text or conversation, and nothing that tells whose it is."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from aliquot.evidence.bounds import shorten
from aliquot.evidence.messages import read_turns
from aliquot.evidence.tables import Evidence
from aliquot.evidence.transcripts import Turn, bounded_turns
from aliquot.reports.inert_text import inert_lines

MOST_SHOWN: Final = 400_000
"""Characters of a text that a page can show; the rest is counted."""

_CALL: Final = 20_000
"""Characters of the arguments of a call."""


class Call(msgspec.Struct, frozen=True, omit_defaults=True):
    """A call of a tool."""

    name: str
    text: str


class Part(msgspec.Struct, frozen=True, omit_defaults=True):
    """A piece of text.

    Attributes:
        text: what it says; nothing in it acts or hides.
        role: who speaks, in a conversation.
        calls: the tools called.
    """

    text: str
    role: str = ""
    calls: tuple[Call, ...] = ()


class View(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is seen of an answer, or of a pair of answers.

    Attributes:
        asks: what the item asks.
        answers: one answer, or the two of a pair, the first system's first.
        expects: the reference; empty when there is none.
        points: the questions of a checklist whose points the item lists.
    """

    asks: tuple[Part, ...]
    answers: tuple[tuple[Part, ...], ...]
    expects: str = ""
    points: tuple[str, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text there is to read."""
        parts = [part for side in (self.asks, *self.answers) for part in side]
        return (
            *(part.text for part in parts),
            *(call.text for part in parts for call in part.calls),
            self.expects,
        )

    @property
    def characters(self) -> int:
        """Characters of all texts."""
        return sum(map(len, self.texts))

    @property
    def words(self) -> int:
        """Words there are to read, roughly: characters of scripts without spaces count as half a word."""
        return sum(map(count_words, self.texts))


def count_words(text: str) -> int:
    """Return about how many words a text has.

    Examples:
        >>> count_words("to be or not"), count_words("東京都庁")
        (4, 2)
    """
    dense = sum("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7af" for char in text)
    return dense // 2 + len([word for word in text.split() if not "\u3040" <= word[0] <= "\u9fff"])


def view_of(
    evidence: Evidence, task: str, item: str, answers: Sequence[tuple[str, int]], *, field: str | None = None
) -> View:
    """Return what a rater sees.

    Args:
        evidence: with its texts.
        task: the task.
        item: the item.
        answers: system and attempt of each answer.
        field: the field of the item that lists the points of a checklist.
    """
    texts = evidence.texts
    if texts is None:
        return View((), tuple(() for _ in answers))
    inputs, expects = texts.inputs(task, item), texts.reference(task, item)
    asked = read_turns(inputs)
    return View(
        asks=_turns(asked) if asked else (_part(inputs),) if inputs is not None else (),
        answers=tuple(_answer(evidence, system, task, item, attempt) for system, attempt in answers),
        expects="" if expects is None else _pretty(expects),
        points=() if field is None else _points(texts.metadata(task, item).get(field, "")),
    )


def _answer(evidence: Evidence, system: str, task: str, item: str, attempt: int) -> tuple[Part, ...]:
    texts = evidence.texts
    if texts is None:
        return ()
    turns = texts.transcript(system, task, item, attempt)
    if turns:
        return _turns(turns)
    text = texts.response(system, task, item, attempt)
    return () if text is None else (_part(text),)


def _turns(turns: Sequence[Turn]) -> tuple[Part, ...]:
    return tuple(
        Part(
            _pretty(turn.text),
            role=inert_lines(f"{turn.role} {turn.tool}".strip()),
            calls=tuple(
                Call(inert_lines(call.name), _pretty(shorten(call.arguments, limit=_CALL)))
                for call in turn.calls
            ),
        )
        for turn in bounded_turns(turns, characters=MOST_SHOWN)
    )


def _part(text: str) -> Part:
    return Part(_pretty(text))


def _pretty(text: str) -> str:
    """Return a text for reading: JSON is laid out in lines, everything that could act or hide is written out."""
    cut = shorten(text, limit=MOST_SHOWN)
    if text[:1] in {"{", "["} and len(text) <= MOST_SHOWN:
        try:
            cut = json.dumps(json.loads(text), ensure_ascii=False, indent=2)
        except (ValueError, RecursionError):
            cut = text
    return inert_lines(cut)


def _points(told: str) -> tuple[str, ...]:
    try:
        listed: Any = json.loads(told)
    except (ValueError, RecursionError):
        return ()
    known = listed if isinstance(listed, list) else []
    return tuple(inert_lines(str(one)) for one in known if isinstance(one, str | int | float))[:200]


def pack(view: View) -> bytes:
    """Return a view as it is stored."""
    return zlib.compress(msgspec.json.encode(view))


def unpack(data: bytes) -> View:
    """Return a stored view."""
    return msgspec.json.decode(zlib.decompress(data), type=View)
