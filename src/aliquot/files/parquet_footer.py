"""What a Parquet file says of its size before it is read: rows, columns and bytes, from its footer alone."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aliquot.errors import InputError
from aliquot.files.rows import MAX_COLUMNS
from aliquot.files.text import MAX_FILE_BYTES
from aliquot.files.writing import machine_errors

MAX_CELLS: Final = 1 << 30
"""Rows times columns a file may have."""

MAX_GROUP_BYTES: Final = MAX_FILE_BYTES
"""Largest row group, unpacked."""

MAX_FOOTER_BYTES: Final = 64 << 20
MAX_DEPTH: Final = 32
MAGIC: Final = b"PAR1"

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


@dataclass(frozen=True, slots=True)
class ParquetSize:
    """What a file says of its size.

    Attributes:
        rows: number of rows.
        columns: number of columns, those inside structures too.
        groups: unpacked bytes of each row group.
    """

    rows: int
    columns: int
    groups: tuple[int, ...]


def check_parquet(path: Path) -> ParquetSize:
    """Return what a Parquet file says of its size, and refuse one too large to read.

    Raises:
        InputError: it is no Parquet file, or larger than the limits.
        MachineError: the machine refuses to read it.
    """
    size = parquet_size(path)
    limits = (
        (size.columns, MAX_COLUMNS, "columns"),
        (size.rows * max(size.columns, 1), MAX_CELLS, "cells"),
        (max(size.groups, default=0), MAX_GROUP_BYTES, "bytes in one row group"),
    )
    for found, limit, what in limits:
        if found > limit:
            remedy = "Keep the columns that are needed, or pass it lazily (from_frame)"
            raise InputError(f"holds {found:,} {what}; the limit is {limit:,}", file=str(path), remedy=remedy)
    return size


def parquet_size(path: Path) -> ParquetSize:
    """Return what a Parquet file says of its size.

    Source: parquet.thrift, ``FileMetaData`` (fields 2 to 4) and ``RowGroup`` (field 2), in Thrift's compact protocol.

    Raises:
        InputError: it is no Parquet file.
        MachineError: the machine refuses to read it.
    """
    footer = _footer(path)
    try:
        metadata = _Compact(footer).struct()
        groups = tuple(int(group[2]) for group in metadata[4])
        columns = sum(1 for element in metadata[2] if 5 not in element)
        return ParquetSize(rows=int(metadata[3]), columns=columns, groups=groups)
    except (IndexError, KeyError, TypeError, ValueError, struct.error) as error:
        raise InputError("is not a Parquet file: its footer is damaged", file=str(path)) from error


def _footer(path: Path) -> bytes:
    with machine_errors(path), path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 8))
        tail = file.read(8)
        if len(tail) < 8 or tail[4:] != MAGIC:
            raise InputError("is not a Parquet file", file=str(path))
        length = int.from_bytes(tail[:4], "little")
        if length > min(size - 8, MAX_FOOTER_BYTES):
            raise InputError("is not a Parquet file: its footer is damaged", file=str(path))
        file.seek(size - 8 - length)
        return file.read(length)


class _Compact:
    """Values in Thrift's compact protocol; whatever does not fit raises one of the errors that are caught above."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def byte(self) -> int:
        value = self.data[self.position]
        self.position += 1
        return value

    def varint(self) -> int:
        value = shift = 0
        while shift < 70:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise ValueError

    def whole(self) -> int:
        value = self.varint()
        return (value >> 1) ^ -(value & 1)  # zigzag

    def binary(self) -> bytes:
        length = self.varint()
        start, self.position = self.position, self.position + length
        if self.position > len(self.data):
            raise IndexError
        return self.data[start : self.position]

    def double(self) -> float:
        start, self.position = self.position, self.position + 8
        return struct.unpack_from("<d", self.data, start)[0]

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Return field number → value."""
        if depth > MAX_DEPTH:
            raise ValueError
        fields: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.whole()
            kind = head & 0xF
            fields[number] = kind == _TRUE if kind in {_TRUE, _FALSE} else self.value(kind, depth)
        return fields

    def value(self, kind: int, depth: int) -> Any:
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in {_LIST, _SET}:
            return self.values(depth + 1)
        readers: dict[int, Callable[[], Any]] = {
            _TRUE: self.byte, _FALSE: self.byte, _BYTE: self.byte, _I16: self.whole, _I32: self.whole,
            _I64: self.whole, _DOUBLE: self.double, _BINARY: self.binary,
        }  # fmt: skip
        return readers[kind]()

    def values(self, depth: int) -> list[Any]:
        head = self.byte()
        count = head >> 4 if head >> 4 != 0xF else self.varint()
        if count > len(self.data) or depth > MAX_DEPTH:
            raise ValueError
        return [self.value(head & 0xF, depth) for _ in range(count)]
