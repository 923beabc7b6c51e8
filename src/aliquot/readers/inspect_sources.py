"""Where an Inspect log keeps its samples, and one of them brought from there when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from aliquot.evidence.transcripts import MAX_TURNS
from aliquot.files.archives import Archive
from aliquot.files.text import read_bounded
from aliquot.files.typed_json import decode_document
from aliquot.readers.inspect_records import (
    ANYTHING,
    ATTACHMENTS,
    SAMPLE_RECORD,
    SAMPLE_TEXTS,
    TEXTS_DOCUMENT,
    SampleRecord,
    SampleTexts,
)
from aliquot.readers.inspect_samples import FOLDER, member_name, shell_name

Sample = TypeVar("Sample", SampleTexts, SampleRecord)


class SampleSource(Protocol):
    """Where a log keeps the texts of its samples."""

    def sample(self, item: str, epoch: int) -> SampleTexts | None:
        """Return a sample's texts, or None when the log does not keep them."""
        ...

    def record(self, item: str, epoch: int) -> SampleRecord | None:
        """Return a sample's scores, metadata and messages, or None when the log does not keep them."""
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

    def record(self, item: str, epoch: int) -> SampleRecord | None:
        """Return a sample's scores, metadata and messages, or None when the log does not keep them."""
        for name in (member_name(item, epoch), shell_name(item, epoch)):
            if name in self.archive.members:
                found = decode_document(
                    self.archive.read(name), SAMPLE_RECORD, file=f"{self.archive.path}, member {name!r}"
                )
                if (str(found.id), found.epoch) == (item, epoch):
                    return self._with_pieces(self._with_attachments(found, item, epoch), item, epoch)
        return None

    def _with_pieces(self, record: SampleRecord, item: str, epoch: int) -> SampleRecord:
        """Return the record with the metadata and the messages that are kept in pieces beside it."""
        folder = f"{FOLDER}{item}_epoch_{epoch}/"
        if record.metadata is None and f"{folder}metadata.json" in self.archive.members:
            record.metadata = self._piece(f"{folder}metadata.json")
        if record.messages is None:
            messages: list[Any] = []
            while (name := f"{folder}messages/{len(messages)}.json") in self.archive.members:
                piece = self._piece(name)
                if not isinstance(piece, list) or not piece or len(messages) > MAX_TURNS:
                    break
                messages += piece
            record.messages = messages or None
        return record

    def _piece(self, name: str) -> Any:
        return decode_document(
            self.archive.read(name), ANYTHING, file=f"{self.archive.path}, member {name!r}"
        )

    def _with_attachments(self, sample: Sample, item: str, epoch: int) -> Sample:
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
        part = self._part(item, epoch)
        return None if part is None else self._decode(part)

    def record(self, item: str, epoch: int) -> SampleRecord | None:
        """Return a sample's scores, metadata and messages, or None when the log does not keep them."""
        part = self._part(item, epoch)
        return None if part is None else decode_document(bytes(part), SAMPLE_RECORD, file=str(self.path))

    def _part(self, item: str, epoch: int) -> msgspec.Raw | None:
        if self._parts is None:
            document = decode_document(read_bounded(self.path), TEXTS_DOCUMENT, file=str(self.path))
            self._parts = {}
            for part in document.samples or ():
                found = self._decode(part)
                self._parts[str(found.id), found.epoch] = part
        return self._parts.get((item, epoch))

    def _decode(self, part: msgspec.Raw) -> SampleTexts:
        return decode_document(bytes(part), SAMPLE_TEXTS, file=str(self.path))
