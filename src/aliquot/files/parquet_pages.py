"""Checks a Parquet file before it is decoded: its size, and that its pages are as large as they say.

A decoder that believes a page's header reserves what it claims; with a number of values below 0 that is more than
any machine has, and Polars then ends the whole process.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, Final

from aliquot.errors import InputError
from aliquot.files.parquet_footer import Chunk, Footer, Group, read_footer
from aliquot.files.rows import MAX_COLUMNS
from aliquot.files.text import MAX_FILE_BYTES
from aliquot.files.thrift import FAULTS, Compact
from aliquot.files.writing import machine_errors

MAX_CELLS: Final = 1 << 30
"""Rows times columns a file may have, and values its pages may hold."""

MAX_GROUP_BYTES: Final = MAX_FILE_BYTES
"""Largest row group, unpacked."""

MAX_HEADER_BYTES: Final = 1 << 20
"""Largest header of a page; it may hold its smallest and largest value."""

ENCODINGS: Final = frozenset({0, 2, 3, 4, 5, 6, 7, 8, 9})
"""How values may be encoded (parquet.thrift, ``Encoding``; 1 was never used)."""

_FIRST_READ: Final = 512
_DATA, _INDEX, _DICTIONARY, _DATA_2 = range(4)


def check_parquet(path: Path) -> Footer:
    """Return what a Parquet file says of itself; refuse one too large to read, or with pages that contradict it.

    Raises:
        InputError: it is no Parquet file, is damaged, or larger than the limits.
        MachineError: the machine refuses to read it.
    """
    footer = read_footer(path)
    limits = (
        (footer.columns, MAX_COLUMNS, "columns"),
        (footer.rows * max(footer.columns, 1), MAX_CELLS, "cells"),
        (sum(chunk.values for group in footer.groups for chunk in group.chunks), MAX_CELLS, "values"),
        (max((group.size for group in footer.groups), default=0), MAX_GROUP_BYTES, "bytes in one row group"),
    )
    for found, limit, what in limits:
        if found > limit:
            remedy = "Keep the columns that are needed, or pass it lazily (from_frame)"
            raise InputError(f"holds {found:,} {what}; the limit is {limit:,}", file=str(path), remedy=remedy)
    with machine_errors(path), path.open("rb") as file:
        try:
            for group in footer.groups:
                _check_group(file, group)
        except FAULTS as error:
            raise InputError("is damaged: a page is not what its header says", file=str(path)) from error
    return footer


def _check_group(file: BinaryIO, group: Group) -> None:
    size = sum(_check_pages(file, chunk) for chunk in group.chunks)
    if size > MAX_GROUP_BYTES:
        raise ValueError


def _check_pages(file: BinaryIO, chunk: Chunk) -> int:
    """Return the unpacked bytes of a chunk's pages; raise one of ``FAULTS`` unless they hold its values inside it."""
    position, values, unpacked = chunk.start, 0, 0
    while values < chunk.values:
        header, length = _header(file, position, chunk.stop)
        position += length + header[3]
        if header[3] < 0 or position > chunk.stop or header[2] < 0:
            raise ValueError
        values += _values(header, limit=chunk.values - values)
        unpacked += header[2]
    return unpacked


def _header(file: BinaryIO, start: int, stop: int) -> tuple[dict[int, Any], int]:
    """Return the header of the page at ``start`` and the header's length."""
    size = _FIRST_READ
    while True:
        file.seek(start)
        compact = Compact(file.read(min(size, stop - start)))
        try:
            return compact.struct(), compact.position
        except FAULTS:
            if size >= min(stop - start, MAX_HEADER_BYTES):
                raise
        size *= 16


def _values(header: Mapping[int, Any], *, limit: int) -> int:
    """Return how many of its column's values a page holds.

    Source: parquet.thrift, ``PageHeader`` (fields 1 to 8), ``DataPageHeader``, ``DictionaryPageHeader`` and
    ``DataPageHeaderV2``.
    """
    if header[1] == _INDEX:
        return 0
    about = header[{_DATA: 5, _DICTIONARY: 7, _DATA_2: 8}[header[1]]]
    encoding = about[4 if header[1] == _DATA_2 else 2]
    most = (
        8 * header[2] if header[1] == _DICTIONARY else limit
    )  # a value of a dictionary takes a bit at least
    if not 0 <= about[1] <= most or encoding not in ENCODINGS:
        raise ValueError
    if header[1] == _DICTIONARY:
        return 0
    if header[1] == _DATA_2:
        _check_levels(header, about)
    return about[1]


def _check_levels(header: Mapping[int, Any], about: Mapping[int, Any]) -> None:
    if min(about[2], about[3], about[5], about[6]) < 0 or max(about[2], about[3]) > about[1]:
        raise ValueError
    if about[5] + about[6] > min(header[2], header[3]):
        raise ValueError
