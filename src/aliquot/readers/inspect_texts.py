"""Texts of an Inspect log, read from the file one sample at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

import msgspec

from aliquot.files.archives import Archive
from aliquot.files.text import read_bounded
from aliquot.files.typed_json import decode_document
from aliquot.readers.inspect_records import (
    ATTACHMENTS,
    SAMPLE_TEXTS,
    TEXTS_DOCUMENT,
    Message,
    SampleTexts,
)
from aliquot.readers.inspect_samples import FOLDER, member_name, shell_name

ATTACHMENT: Final = re.compile(r"attachment://([0-9a-zA-Z]{1,64})")


class SampleSource(Protocol):
    """Where a log keeps the texts of its samples."""

    def sample(self, item: str, epoch: int) -> SampleTexts | None:
        """Return a sample's texts, or None when the log does not keep them."""
        ...


@dataclass(frozen=True, slots=True)
class ArchivedSamples:
    """Samples that are members of an archive, whole or in pieces."""

    archive: Archive

    def sample(self, item: str, epoch: int) -> SampleTexts | None:
        """Return a sample's texts, or None when the log does not keep them."""
        for name in (member_name(item, epoch), shell_name(item, epoch)):
            if name in self.archive.members:
                found = decode_document(
                    self.archive.read(name), SAMPLE_TEXTS, file=f"{self.archive.path}, member {name!r}"
                )
                if (str(found.id), found.epoch) == (item, epoch):
                    return self._with_attachments(found, item, epoch)
        return None

    def _with_attachments(self, sample: SampleTexts, item: str, epoch: int) -> SampleTexts:
        """Return the sample with the attachments that are kept in pieces beside it, each named by its place."""
        if sample.attachments is not None:
            return sample
        folder = f"{FOLDER}{item}_epoch_{epoch}/attachments/"
        found: dict[str, str] = {}
        for name in self.archive.members:
            start = name.removeprefix(folder).removesuffix(".json")
            if name.startswith(folder) and start.isdecimal():
                texts = decode_document(
                    self.archive.read(name), ATTACHMENTS, file=f"{self.archive.path}, member {name!r}"
                )
                found |= {str(int(start) + place): text for place, text in enumerate(texts)}
        sample.attachments = found
        return sample


@dataclass(slots=True)
class DocumentSamples:
    """Samples of a log that is one JSON document; it is taken apart when the first text is asked for."""

    path: Path
    _parts: dict[tuple[str, int], msgspec.Raw] | None = field(default=None, repr=False)

    def sample(self, item: str, epoch: int) -> SampleTexts | None:
        """Return a sample's texts, or None when the log does not keep them."""
        if self._parts is None:
            document = decode_document(read_bounded(self.path), TEXTS_DOCUMENT, file=str(self.path))
            self._parts = {}
            for part in document.samples or ():
                found = self._decode(part)
                self._parts[str(found.id), found.epoch] = part
        part = self._parts.get((item, epoch))
        return None if part is None else self._decode(part)

    def _decode(self, part: msgspec.Raw) -> SampleTexts:
        return decode_document(bytes(part), SAMPLE_TEXTS, file=str(self.path))


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

    def _any(self, task: str, item: str) -> SampleTexts | None:
        if task != self.task:
            return None
        found = (self._sample(item, epoch) for epoch in range(1, self.epochs + 1))
        return next((sample for sample in found if sample is not None), None)

    def _sample(self, item: str, epoch: int) -> SampleTexts | None:
        place = self.held.get((item, epoch), 0)
        return self.sources[place].sample(item, epoch) if self.sources else None


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


def _resolved(text: str, sample: SampleTexts) -> str:
    """Return a text with the attachments it names in their place."""
    attachments = sample.attachments or {}
    return ATTACHMENT.sub(lambda found: attachments.get(found[1], found[0]), text)
