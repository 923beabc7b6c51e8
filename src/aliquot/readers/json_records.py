"""Files of JSON records, whole or one a line, packed or not: what most tools write, typed by their readers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from aliquot.errors import InputError
from aliquot.evidence.tables import Note
from aliquot.files.compressed import plain_suffix, read_head, read_plain
from aliquot.files.json_documents import JsonReading
from aliquot.files.text import MAX_LINE_BYTES, decode

Record = TypeVar("Record")

SUFFIXES: Final = (".json", ".jsonl", ".ndjson")
HEAD_BYTES: Final = 1 << 20
MAX_BYTES: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class JsonRecords:
    """Records as they stand in a file.

    Attributes:
        records: the objects.
        lines: the line of each, for files of lines.
        document: what was around them: the members of the one object that held the list.
        file: the file's name.
        sha256: of the file's bytes, unpacked.
        notes: what reading had to say.
    """

    records: tuple[Any, ...]
    lines: tuple[int, ...]
    document: dict[str, Any]
    file: str
    sha256: str
    notes: tuple[Note, ...]

    def place(self, index: int) -> str:
        """Return where a record stands."""
        return f"line {self.lines[index]}" if self.lines else f"record {index + 1}"

    def typed(self, kind: type[Record]) -> list[Record]:
        """Return the records as a type.

        Raises:
            InputError: one is none, named with its place and member.
        """
        found: list[Record] = []
        for index, record in enumerate(self.records):
            try:
                found.append(msgspec.convert(record, kind))
            except msgspec.ValidationError as error:
                raise InputError(f"{self.place(index)}: {error}", file=self.file, row=index + 1) from error
            except RecursionError as error:
                raise InputError(f"{self.place(index)} is nested too deeply", file=self.file) from error
        return found


def holds_records(path: Path, *keys: str, without: Sequence[str] = ()) -> bool:
    """Tell whether the head of a file of JSON has all of these keys and none of the others.

    Args:
        path: the file.
        keys: member names that must occur.
        without: member names that must not.
    """
    if plain_suffix(path) not in SUFFIXES or not path.is_file():
        return False
    head = read_head(path, size=HEAD_BYTES)
    there = (f'"{key}"'.encode() in head for key in keys)
    return (
        head.lstrip().startswith((b"[", b"{"))
        and all(there)
        and not any(f'"{key}"'.encode() in head for key in without)
    )


def read_json_records(
    path: Path, *, encoding: str | None = None, members: Sequence[str] = (), limit: int = MAX_BYTES
) -> JsonRecords:
    """Read the objects of a JSON list, of a list held by a member of one object, or of lines.

    Args:
        path: the file.
        encoding: of its text.
        members: names under which an object may hold the list.
        limit: the most bytes it may have, unpacked.

    Raises:
        InputError: it is none of these, is damaged, or too large.
        MachineError: the machine refuses to read it.
    """
    file, reading = str(path), JsonReading()
    data = read_plain(path, limit=limit)
    text = decode(data, file=file, encoding=encoding)
    document: dict[str, Any] = {}
    records, lines = (None, []) if text.lstrip().startswith("[") else _lines(text, reading, file=file)
    if records is None or len(records) == 1:
        whole = reading.parse(text, file=file) if records is None else records[0]
        records, lines = whole, []
        if isinstance(whole, dict):
            held = next((name for name in members if isinstance(whole.get(name), list)), None)
            records = whole[held] if held else [whole]
            document = {name: part for name, part in whole.items() if name != held} if held else {}
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        raise InputError("is no list of JSON objects", file=file)
    if not records:
        raise InputError("holds no record", file=file)
    return JsonRecords(
        tuple(records), tuple(lines), document, file, hashlib.sha256(data).hexdigest(), reading.notes()
    )


def _lines(text: str, reading: JsonReading, *, file: str) -> tuple[list[Any] | None, list[int]]:
    """Return an object a line, or None when the first line is no whole object: then the text is one document."""
    records: list[Any] = []
    numbers: list[int] = []
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if len(line) > MAX_LINE_BYTES:
            raise InputError(f"line {number} has more than {MAX_LINE_BYTES:,} characters", file=file)
        try:
            record = reading.parse(line, file=file)
        except InputError as error:
            if not records:
                return None, []
            if number < len(lines):
                raise InputError(f"line {number} is no JSON object", file=file) from error
            reading.torn_line = number
            break
        records.append(record)
        numbers.append(number)
    return records, numbers
