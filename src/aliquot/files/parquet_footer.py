"""What a Parquet file says of itself before it is read: rows, columns, bytes and where they lie, from its footer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from aliquot.errors import InputError
from aliquot.files.thrift import FAULTS, Compact
from aliquot.files.writing import machine_errors

MAX_FOOTER_BYTES: Final = 64 << 20
MAGIC: Final = b"PAR1"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Where the values of one column of one row group lie.

    Attributes:
        start: offset of its first page.
        stop: offset after its last page.
        values: number of values, nulls counted.
    """

    start: int
    stop: int
    values: int


@dataclass(frozen=True, slots=True)
class Group:
    """A row group.

    Attributes:
        rows: number of rows.
        size: unpacked bytes.
        chunks: one for each column.
    """

    rows: int
    size: int
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class Footer:
    """What a file says of itself.

    Attributes:
        rows: number of rows.
        columns: number of columns, those inside structures too.
        groups: its row groups.
    """

    rows: int
    columns: int
    groups: tuple[Group, ...]


def read_footer(path: Path) -> Footer:
    """Return what a Parquet file says of itself.

    Source: parquet.thrift, ``FileMetaData`` (fields 2 to 4), ``RowGroup`` (1 to 3), ``ColumnChunk`` (1, 3) and
    ``ColumnMetaData`` (5, 7, 9, 11), in Thrift's compact protocol.

    Raises:
        InputError: it is no Parquet file, or its parts contradict each other or lie outside of it.
        MachineError: the machine refuses to read it.
    """
    data, offset = _footer(path)
    try:
        return _parsed(Compact(data).struct(), offset=offset)
    except FAULTS as error:
        raise InputError("is not a Parquet file: its footer is damaged", file=str(path)) from error


def _footer(path: Path) -> tuple[bytes, int]:
    """Return the footer and its offset."""
    with machine_errors(path), path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 8))
        tail = file.read(8)
        if len(tail) < 8 or tail[4:] != MAGIC:
            raise InputError("is not a Parquet file", file=str(path))
        length = int.from_bytes(tail[:4], "little")
        if length > min(size - 8, MAX_FOOTER_BYTES):
            raise InputError("is not a Parquet file: its footer is damaged", file=str(path))
        offset = file.seek(size - 8 - length)
        return file.read(length), offset


def _parsed(metadata: Mapping[int, Any], *, offset: int) -> Footer:
    columns = sum(1 for element in metadata[2] if 5 not in element)
    groups = tuple(_group(group, columns=columns, offset=offset) for group in metadata[4])
    length = sum(chunk.stop - chunk.start for group in groups for chunk in group.chunks)
    if metadata[3] != sum(group.rows for group in groups) or length > offset:  # chunks do not overlap
        raise ValueError
    return Footer(rows=int(metadata[3]), columns=columns, groups=groups)


def _group(group: Mapping[int, Any], *, columns: int, offset: int) -> Group:
    if len(group[1]) != columns or min(group[2], group[3]) < 0:
        raise ValueError
    chunks = tuple(_chunk(column, offset=offset) for column in group[1])
    return Group(rows=int(group[3]), size=int(group[2]), chunks=chunks)


def _chunk(column: Mapping[int, Any], *, offset: int) -> Chunk:
    about = column[3]
    if column.get(1):  # the column lies in another file
        raise ValueError
    start = about[9] if 11 not in about else min(about[9], about[11] or about[9])
    stop = start + about[7]
    if not len(MAGIC) <= start <= stop <= offset or about[5] < 0:
        raise ValueError
    return Chunk(start=start, stop=stop, values=int(about[5]))
