"""The bytes of a samples file, in blocks of whole lines: bounded, and found again without an index of lines."""

from __future__ import annotations

import bisect
import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from aliquot.errors import InputError
from aliquot.files.text import MAX_LINE_BYTES, read_bounded
from aliquot.files.writing import machine_errors

BLOCK_BYTES: Final = 256 << 10
"""Bytes read at once, so few that they are decoded while they are in the cache; a long line makes a longer block."""

_SPACE: Final = b" \t\r\n"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block lies in its file.

    Attributes:
        offset: of its first byte.
        size: in bytes.
        array: whether it is one JSON array (the whole file) and not lines.
    """

    offset: int
    size: int
    array: bool = False


def read_blocks(path: Path) -> Iterator[tuple[Place, bytes]]:
    """Yield the file's blocks with their places; the last may end in the middle of a line.

    Harness versions before 0.4.3 wrote one indented JSON array into a file named like lines.

    Raises:
        InputError: a line is too long, or an array too large.
        MachineError: the machine refuses to read it.
    """
    with machine_errors(path), path.open("rb") as file:
        start = file.read(len(codecs.BOM_UTF8))
        first = offset = len(start) if start == codecs.BOM_UTF8 else 0
        file.seek(first)
        while data := file.read(BLOCK_BYTES):
            if offset == first and data.lstrip(_SPACE).startswith(b"["):
                whole = read_bounded(path)[first:]
                yield Place(first, len(whole), array=True), whole
                return
            rest = b"" if data.endswith(b"\n") else file.readline(MAX_LINE_BYTES + 1)
            if len(rest) > MAX_LINE_BYTES:
                raise InputError(f"has a line of more than {MAX_LINE_BYTES:,} bytes", file=str(path))
            data += rest
            yield Place(offset, len(data)), data
            offset += len(data)


def split_records(data: bytes, *, array: bool) -> list[bytes]:
    r"""Return the records of a block: its lines that are not blank, or the members of its array.

    Raises:
        ValueError: not an array.
        RecursionError: nested too deeply.

    Examples:
        >>> split_records(b'{"a":1}\n\n{"a":2}\n', array=False)
        [b'{"a":1}', b'{"a":2}']
        >>> split_records(b'[{"a":1}, {"a":2}]', array=True)
        [b'{"a":1}', b'{"a":2}']
    """
    if array:
        try:
            return [bytes(raw) for raw in msgspec.json.decode(data, type=list[msgspec.Raw])]
        except msgspec.DecodeError:
            return [json.dumps(part).encode() for part in json.loads(data)]  # bare NaN
    return [line for line in data.split(b"\n") if line.strip(_SPACE)]


def read_record(path: Path, places: list[Place], first_rows: list[int], row: int) -> bytes | None:
    """Return the record of a row, or None when the file no longer holds it.

    Args:
        path: the file.
        places: its blocks.
        first_rows: the number of each block's first row, rising.
        row: the row, counted from 0.

    Raises:
        MachineError: the machine refuses to read it.
    """
    block = bisect.bisect_right(first_rows, row) - 1
    if block < 0:
        return None
    place = places[block]
    with machine_errors(path), path.open("rb") as file:
        file.seek(place.offset)
        data = file.read(place.size)
    try:
        records = split_records(data, array=place.array)
    except (ValueError, RecursionError):
        return None
    index = row - first_rows[block]
    return records[index] if index < len(records) else None
