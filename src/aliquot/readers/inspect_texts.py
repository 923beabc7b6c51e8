"""Texts of an Inspect log, read from the file one sample at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aliquot.evidence.bounds import MAX_NOTE, bounded_fields, bounded_text
from aliquot.evidence.messages import turns_of
from aliquot.evidence.transcripts import Turn, is_conversation
from aliquot.readers.inspect_records import Message, SampleRecord, SampleTexts
from aliquot.readers.inspect_sources import SampleSource

ATTACHMENT: Final = re.compile(r"attachment://([0-9a-zA-Z]{1,64})")
MAX_RESOLVED: Final = 64 << 20
"""Characters of attachments that are put into one text."""

MAX_READ: Final = 80
"""Longest answer that a scorer's note repeats; a longer one is the response itself."""


@dataclass(slots=True)
class _Last:
    """The record opened last, as what is read of a sample is read together."""

    key: tuple[str, int] | None = None
    record: SampleRecord | None = None


@dataclass(frozen=True, slots=True)
class InspectTexts:
    """Texts of the logs of one run.

    Attributes:
        system: the system's name.
        task: the task's name.
        sources: the logs, the one that counts first.
        epochs: attempts an item may have.
        held: (item, attempt) → place of the log that counts for it, where that is not the first.
    """

    system: str
    task: str
    sources: Sequence[SampleSource]
    epochs: int = 1
    held: Mapping[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    _last: _Last = field(default_factory=_Last, repr=False, compare=False)

    def inputs(self, task: str, item: str) -> str | None:
        """Return what an item asks: its text, or its messages one after another, and its choices."""
        found = self._any(task, item)
        if found is None:
            return None
        asked = found.input if isinstance(found.input, str) else _conversation(found.input)
        choices = [
            f"{chr(ord('A') + place % 26)}) {choice}" for place, choice in enumerate(found.choices or ())
        ]
        return _resolved("\n".join((asked, *choices)), found)

    def reference(self, task: str, item: str) -> str | None:
        """Return an item's target; several stand on lines of their own."""
        found = self._any(task, item)
        if found is None:
            return None
        return _resolved(found.target if isinstance(found.target, str) else "\n".join(found.target), found)

    def response(self, system: str, task: str, item: str, attempt: int) -> str | None:
        """Return what the model said in the end."""
        if (system, task) != (self.system, self.task):
            return None
        found = self._sample(item, attempt)
        if found is None:
            return None
        text = _answer(found)
        return None if text is None else _resolved(text, found)

    def note(self, system: str, task: str, item: str, attempt: int, metric: str) -> str | None:
        """Return a scorer's explanation, and before it the answer it read where it says that too."""
        found = self._record(item, attempt) if (system, task) == (self.system, self.task) else None
        if found is None or not isinstance(found.scores, Mapping):
            return None
        scorers = [name for name in found.scores if metric == name or metric.startswith(f"{name}.")]
        score = found.scores[max(scorers, key=len)] if scorers else None
        return _resolved(_note(score), found) or None if isinstance(score, Mapping) else None

    def transcript(self, system: str, task: str, item: str, attempt: int) -> tuple[Turn, ...] | None:
        """Return the sample's messages, None when they are a question and one answer."""
        found = self._record(item, attempt) if (system, task) == (self.system, self.task) else None
        if found is None:
            return None
        turns = turns_of(found.messages, change=lambda text: _resolved(text, found))
        return turns if turns is not None and is_conversation(turns) else None

    def options(self, system: str, task: str, item: str, attempt: int) -> None:
        """Return nothing: choices are answered in writing."""

    def metadata(self, task: str, item: str) -> Mapping[str, str]:
        """Return the sample's metadata."""
        epochs = range(1, self.epochs + 1) if task == self.task else ()
        found = next((one for epoch in epochs if (one := self._record(item, epoch)) is not None), None)
        if found is None or not isinstance(found.metadata, Mapping):
            return {}
        resolved = {
            name: _resolved(value, found) if isinstance(value, str) else value
            for name, value in found.metadata.items()
        }
        return bounded_fields(resolved)

    def _record(self, item: str, epoch: int) -> SampleRecord | None:
        if self._last.key != (item, epoch):
            place = self.held.get((item, epoch), 0)
            record = self.sources[place].record(item, epoch) if self.sources else None
            self._last.key, self._last.record = (item, epoch), record
        return self._last.record

    def _any(self, task: str, item: str) -> SampleTexts | None:
        if task != self.task:
            return None
        found = (self._sample(item, epoch) for epoch in range(1, self.epochs + 1))
        return next((sample for sample in found if sample is not None), None)

    def _sample(self, item: str, epoch: int) -> SampleTexts | None:
        place = self.held.get((item, epoch), 0)
        return self.sources[place].sample(item, epoch) if self.sources else None


def _note(score: Mapping[Any, Any]) -> str:
    """Return what a scorer said: the answer it read, and its explanation."""
    explanation, answer = (
        bounded_text(score.get(name), limit=MAX_NOTE) for name in ("explanation", "answer")
    )
    short = answer is not None and len(answer) <= MAX_READ and answer != explanation
    read = f"read as: {answer}" if short else None
    return "\n".join(filter(None, (read, explanation)))


def _answer(sample: SampleTexts) -> str | None:
    output = sample.output
    if output is not None:
        if output.completion:
            return output.completion
        first = output.choices[0].message if output.choices else None
        if first is not None:
            return _content(first)
    said = [message for message in sample.messages or () if message.role == "assistant"]
    return _content(said[-1]) if said else None


def _conversation(messages: Sequence[Message]) -> str:
    return "\n\n".join(f"{message.role}: {_content(message)}" for message in messages)


def _content(message: Message) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part.text if part.text is not None else f"({part.type})" for part in message.content)


def _resolved(text: str, sample: SampleTexts | SampleRecord) -> str:
    """Return a text with the attachments it names in their place, as long as it stays within bounds."""
    attachments = sample.attachments or {}
    parts: list[str] = []
    end = size = 0
    for found in ATTACHMENT.finditer(text):
        named = attachments.get(found[1])
        if named is None or size + len(named) > MAX_RESOLVED:  # one long text may be named a million times
            continue
        parts += (text[end : found.start()], named)
        end, size = found.end(), size + len(named)
    return "".join((*parts, text[end:]))
