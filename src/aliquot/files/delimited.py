"""Delimited text: cells between commas, semicolons, tabs or bars, quoted ones over several lines."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import Final

from aliquot.errors import InputError, NoRowsError, UsageError
from aliquot.evidence.tables import Note
from aliquot.files.rows import MAX_COLUMNS, Cell, Rows
from aliquot.files.text import MAX_LINE_BYTES

DELIMITERS: Final = (",", ";", "\t", "|")
"""Delimiters looked for, the likeliest first."""

ESCAPED: Final = "aliquot.escaped"
"""A column of tables written by this package: in rows marked 1, a text like a formula has an apostrophe more."""

_KEPT: Final = re.compile(r"'+[=+\-@\t\r]")
_SAMPLE_ROWS: Final = 20
_SAMPLE_CHARACTERS: Final = 1 << 20


def read_delimited(text: str, *, file: str, delimiter: str | None = None) -> Rows:
    """Read delimited text with a header.

    An empty cell is None; every other cell is the text it is, also NA, null and nan. A last row cut off in
    the middle is left out and noted.

    Args:
        text: the whole text.
        file: its name, for messages.
        delimiter: between cells; found when not given.

    Raises:
        InputError: no header, a repeated or empty column name, a row with more or fewer cells than the
            header.
    """
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '\r\n"'):
        raise UsageError(f"a delimiter is one character, not a line break or a quote; got {delimiter!r}")
    delimiter = delimiter or find_delimiter(text)
    records = _records(text, delimiter=delimiter, file=file)
    _, header = next(records, (0, []))
    _check_header(header, file=file)
    rows = Rows(file=file, delimiter=delimiter)
    rows.columns = {name: [] for name in header}
    columns = list(rows.columns.values())
    torn: tuple[int, list[str]] | None = None
    for line, cells in records:
        if torn is not None:
            raise _ragged(torn, len(header), row=len(rows.lines) + 1, file=file)
        if len(cells) != len(header):
            torn = line, cells
            continue
        rows.lines.append(line)
        for column, cell in zip(columns, cells, strict=True):
            column.append(cell or None)
    if torn is not None:
        if text.endswith(("\n", "\r")) or len(torn[1]) > len(header):
            raise _ragged(torn, len(header), row=len(rows.lines) + 1, file=file)
        rows.notes.append(Note("torn_line", f"line {torn[0]} is cut off in the middle; it is left out"))
    _unescape(rows.columns)
    return rows


def _unescape(columns: dict[str, list[Cell]]) -> None:
    """Take away the apostrophes that kept texts from being formulas."""
    marks = columns.pop(ESCAPED, [])
    for index in (index for index, mark in enumerate(marks) if mark == "1"):
        for column in columns.values():
            cell = column[index]
            if isinstance(cell, str) and _KEPT.match(cell):
                column[index] = cell[1:]


def find_delimiter(text: str) -> str:
    r"""Return the delimiter under which the first rows have the most cells, all as many as the header.

    Examples:
        >>> find_delimiter("item;score\na;0,5\nb;1,0\n")
        ';'
    """
    sample = text[:_SAMPLE_CHARACTERS]
    scores: list[tuple[bool, int, int]] = []
    for place, delimiter in enumerate(DELIMITERS):
        widths = _widths(sample, delimiter)
        even = bool(widths) and widths[0] > 1 and len(set(widths)) == 1
        scores.append((even, widths[0] if widths else 0, -place))
    return DELIMITERS[-max(scores)[2]]


def _widths(sample: str, delimiter: str) -> list[int]:
    """Return the number of cells of the first rows, but for the last: the sample may cut it."""
    widths: list[int] = []
    try:
        for _, cells in _records(sample, delimiter=delimiter, file=""):
            widths.append(len(cells))
            if len(widths) > _SAMPLE_ROWS:
                break
    except InputError:
        return widths  # reading it in earnest names the place
    return widths[:-1] if len(widths) > 2 else widths


def _records(text: str, *, delimiter: str, file: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line it starts on, cells) of each record that is not an empty line."""
    before = csv.field_size_limit(MAX_LINE_BYTES)
    start = 1
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        for cells in reader:
            if cells:
                yield start, cells
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"the text from line {start} on is not delimited by {delimiter!r}: {error}",
            file=file,
            remedy="Check its quotation marks",
        ) from error
    finally:
        csv.field_size_limit(before)


def _check_header(header: list[str], *, file: str) -> None:
    if not header:
        raise NoRowsError("is empty", file=file)
    if len(header) > MAX_COLUMNS:
        raise InputError(f"has more than {MAX_COLUMNS:,} columns", file=file)
    seen: set[str] = set()
    for place, name in enumerate(header, start=1):
        if name in seen:
            raise InputError(f"two columns are called {name!r}", file=file, remedy="Rename one of them")
        seen.add(name)
        if not name and place > 1:
            raise InputError(f"column {place} has no name", file=file, remedy="Give it one in the first line")


def _ragged(
    record: tuple[int, list[Cell]] | tuple[int, list[str]], width: int, *, row: int, file: str
) -> InputError:
    line, cells = record
    return InputError(
        f"has {len(cells)} cells where the header has {width} (line {line})",
        file=file,
        row=row,
        remedy="Quote cells that hold the delimiter, or name another one (--delimiter)",
    )
