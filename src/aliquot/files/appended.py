"""A table that grows: only the rows that came since the last read, and never half of one."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from aliquot.errors import InputError, UsageError, nearest
from aliquot.files.delimited import find_delimiter, read_delimited
from aliquot.files.json_rows import read_json_lines
from aliquot.files.rows import Cell, Rows
from aliquot.files.tables import SUFFIXES, read_table
from aliquot.files.text import MAX_FILE_BYTES, decode
from aliquot.files.writing import machine_errors

HEAD: Final = 4096
"""Bytes at the beginning by which a log is known again."""


class Mark(msgspec.Struct, frozen=True):
    """How far a log was read.

    Attributes:
        offset: bytes read; of a format without lines, 0.
        rows: rows read.
        lines: lines read.
        headed: bytes that ``head`` is the hash of.
        head: SHA-256 of the beginning, by which the log is known again.
    """

    offset: int = 0
    rows: int = 0
    lines: int = 0
    headed: int = 0
    head: str = ""


@dataclass(frozen=True, slots=True)
class Appended:
    """What came since.

    Attributes:
        columns: name → cells of the new rows.
        first: number of the first of them, counted from 1 over the whole log.
        height: how many there are.
        mark: how far the log is read now.
        torn: whether something stands behind the last whole row that is left for the next read.
    """

    columns: Mapping[str, list[Cell]]
    first: int
    height: int
    mark: Mark
    torn: bool

    def rows(self) -> Iterator[dict[str, Cell]]:
        """Yield the new rows one by one."""
        names = list(self.columns)
        for cells in zip(*self.columns.values(), strict=True):
            yield dict(zip(names, cells, strict=True))


def read_appended(path: Path, mark: Mark, *, rotated: bool = False) -> Appended:
    """Return the rows that a log has had since a mark.

    A last line without an end is left for the next read, unless it is a whole JSON object already.

    Args:
        path: JSON lines or delimited text that grows at its end; a table of another format is read anew and its first
            rows are passed over.
        mark: how far it was read.
        rotated: the file is a new one that goes on from the one read before.

    Raises:
        InputError: it cannot be read, or is no longer the log that was read before.
        MachineError: the machine refuses.
    """
    form = SUFFIXES.get(path.suffix.lower())
    if form is None:
        raise UsageError(f"{path.name!r} is no table. {nearest(path.suffix.lower(), list(SUFFIXES))}")
    if not path.is_file():
        raise InputError("there is no such file", file=str(path))
    if form not in {"jsonl", "csv", "tsv"}:
        return _whole(path, Mark() if rotated else mark, counted=mark.rows if rotated else 0)
    mark = Mark(rows=mark.rows) if rotated else _known(path, mark)
    return _lines(path, mark, json=form == "jsonl")


def _known(path: Path, mark: Mark) -> Mark:
    """Return the mark, after checking that the log begins as it did."""
    if mark.head and (path.stat().st_size < mark.offset or _head(path, mark.headed) != mark.head):
        raise _another(path)
    return mark


def _another(path: Path) -> InputError:
    return InputError(
        "is not the log that was read before: its beginning changed, or it is shorter",
        file=str(path),
        remedy="--rotated goes on with it as a new log, --restart begins anew",
    )


def _head(path: Path, size: int) -> str:
    with machine_errors(path), path.open("rb") as file:
        return hashlib.sha256(file.read(size)).hexdigest()


def _lines(path: Path, mark: Mark, *, json: bool) -> Appended:
    with machine_errors(path), path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size - mark.offset > MAX_FILE_BYTES:
            raise InputError(
                f"has {size - mark.offset:,} new bytes", file=str(path), remedy="Split it, and read the parts"
            )
        header = b"" if json else file.readline()
        file.seek(max(mark.offset, len(header)))
        data = file.read(size - file.tell())
    whole = _whole_rows(data, json=json)
    begun = max(mark.offset, len(header) if header.endswith(b"\n") else 0)
    text, lines = decode(whole, file=str(path)) if whole else "", whole.count(b"\n")
    found = _parsed(text, header, mark, file=str(path), json=json)
    offset = begun + len(whole)
    headed = min(HEAD, offset)
    moved = Mark(
        offset=offset,
        rows=mark.rows + len(found.lines),
        lines=mark.lines + lines,
        headed=headed,
        head=_head(path, headed),
    )
    return Appended(
        found.columns,
        first=mark.rows + 1,
        height=len(found.lines),
        mark=moved,
        torn=bool(data[len(whole) :].strip()),
    )


def _whole_rows(data: bytes, *, json: bool) -> bytes:
    """Return the bytes up to the end of the last whole row."""
    end = data.rfind(b"\n") + 1
    if json:
        tail = data[end:].strip()
        return data if tail and _is_object(tail) else data[:end]
    while end and data[:end].count(b'"') % 2:  # the line ends within a quoted cell
        end = data.rfind(b"\n", 0, end - 1) + 1
    return data[:end]


def _is_object(tail: bytes) -> bool:
    try:
        return isinstance(msgspec.json.decode(tail), dict)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False


def _parsed(text: str, header: bytes, mark: Mark, *, file: str, json: bool) -> Rows:
    if not text.strip():
        return Rows(file=file)
    if json:  # empty lines in the place of those read before, so that errors name the line of the file
        return read_json_lines("\n" * mark.lines + text, file=file)
    named = decode(header, file=file)
    try:
        return read_delimited(named + text, file=file, delimiter=find_delimiter(named))
    except InputError as error:
        raise InputError(
            error.problem,
            file=file,
            row=None if error.row is None else error.row + mark.rows,
            field=error.field,
            remedy=f"{error.remedy or ''} (lines are counted from row {mark.rows + 1})".strip(),
        ) from error


def _whole(path: Path, mark: Mark, *, counted: int) -> Appended:
    """Read a table whole and pass over the rows that were read before."""
    table = read_table(path)
    first = hashlib.sha256(
        repr([(name, cells[0]) for name, cells in table.columns.items() if len(cells)]).encode(
            "utf-8", "surrogatepass"
        )
    ).hexdigest()
    if mark.head and (first != mark.head or table.height < mark.rows):
        raise _another(path)
    columns = {name: list(cells[mark.rows :]) for name, cells in table.columns.items()}
    new = table.height - mark.rows
    return Appended(
        columns if new else {},
        first=counted + mark.rows + 1,
        height=new,
        mark=Mark(rows=table.height, head=first),
        torn=False,
    )
