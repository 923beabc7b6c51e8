"""Tables in files: rows of cells under named columns, with the place each row came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

import polars as pl

from aliquot.errors import InputError, UsageError
from aliquot.evidence.tables import Note
from aliquot.files.delimited import read_delimited
from aliquot.files.json_rows import read_json, read_json_lines
from aliquot.files.parquet_pages import check_parquet
from aliquot.files.rows import Cell, Rows
from aliquot.files.text import MAX_FILE_BYTES, decode, read_bounded
from aliquot.files.writing import machine_errors

TableFormat: TypeAlias = Literal["csv", "tsv", "jsonl", "json", "parquet"]

SUFFIXES: Final[Mapping[str, TableFormat]] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}
"""Which format the end of a file's name stands for."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as read.

    Attributes:
        columns: name → cells, all of one length. Cells of delimited files are text, or None when empty.
        lines: the line each row starts on; empty for formats without lines.
        stored: the format it was stored in.
        delimiter: between cells, for delimited text.
        notes: what reading it has to say.
    """

    columns: Mapping[str, Sequence[Cell]]
    lines: Sequence[int] = ()
    stored: TableFormat = "parquet"
    delimiter: str = ""
    notes: tuple[Note, ...] = ()

    @property
    def height(self) -> int:
        """Number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def place(self, index: int) -> str:
        """Return where a row stands, as an editor finds it.

        Examples:
            >>> Table({"id": ["a", "b"]}, lines=[2, 3], stored="csv").place(1)
            'row 2 (line 3)'
        """
        if not self.lines:
            return f"row {index + 1}"
        line = f"line {self.lines[index]}"
        return line if self.stored == "jsonl" else f"row {index + 1} ({line})"


def read_table(
    path: Path,
    *,
    stored: TableFormat | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> Table:
    """Read a table from a file; nothing in it is evaluated, and only an empty cell is missing.

    Args:
        path: the file.
        stored: its format; from the end of its name when not given.
        delimiter: between cells of delimited text; found among comma, semicolon, tab and bar when not given.
        encoding: of the text; UTF-8 or what a byte-order mark says when not given.

    Raises:
        UsageError: the name does not tell the format and none is given.
        InputError: the file is no such table; the message names the line.
        MachineError: the machine refuses to read it.
    """
    stored = stored or SUFFIXES.get(path.suffix.lower())
    if stored is None:
        raise UsageError(f"{path}: its name does not tell what it is. Known endings: {', '.join(SUFFIXES)}.")
    if stored == "parquet":
        return _read_parquet(path)
    text = decode(read_bounded(path), file=str(path), encoding=encoding)
    if stored == "jsonl":
        return _table(read_json_lines(text, file=str(path)), stored=stored)
    if stored == "json":
        return _table(read_json(text, file=str(path)), stored=stored)
    if delimiter is None and stored == "tsv":
        delimiter = "\t"
    return _table(read_delimited(text, file=str(path), delimiter=delimiter), stored=stored)


def _table(rows: Rows, *, stored: TableFormat) -> Table:
    return Table(
        columns=rows.columns,
        lines=rows.lines,
        stored=stored,
        delimiter=rows.delimiter,
        notes=tuple(rows.notes),
    )


def table_of(frame: pl.DataFrame) -> Table:
    """Return a Polars frame as a table; structures become dotted columns, lists become text."""
    while nested := [name for name, kind in frame.schema.items() if isinstance(kind, pl.Struct)]:
        for name in nested:
            parts = frame[name].struct.unnest()
            frame = frame.drop(name).hstack(parts.rename({part: f"{name}.{part}" for part in parts.columns}))
    columns = {name: _cells(frame[name]) for name in frame.columns}
    return Table(columns=columns)


def _cells(column: pl.Series) -> list[Cell]:
    if column.dtype.is_float():
        return column.fill_nan(None).to_list()
    if column.dtype.is_integer() or column.dtype == pl.Boolean or column.dtype == pl.String:  # noqa: PLR1714 - classes compare, they do not hash
        return column.to_list()
    if column.dtype.is_nested():
        return [None if value is None else str(value) for value in column.to_list()]
    return column.cast(pl.String).to_list()


def read_frame(path: Path) -> pl.DataFrame:
    """Return a Parquet file as a Polars frame, checked before it is decoded.

    Raises:
        InputError: there is none, or it is no Parquet file, is damaged or too large.
        MachineError: the machine refuses to read it.
    """
    if not path.is_file():
        raise InputError("there is no such file", file=str(path))
    check_parquet(path)
    with machine_errors(path):
        try:
            return pl.read_parquet(path)
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            raise InputError("is not a Parquet file, or is damaged", file=str(path)) from error


def _read_parquet(path: Path) -> Table:
    frame = read_frame(path)
    _check_texts(frame, file=str(path))
    try:
        return table_of(frame)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise InputError("is not a Parquet file, or is damaged", file=str(path)) from error


def _check_texts(frame: pl.DataFrame, *, file: str) -> None:
    """Raise InputError when texts that the file holds once would be too large written out in every row."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    for name in texts:
        size = int(frame[name].str.len_bytes().cast(pl.Int64).sum())
        if size > MAX_FILE_BYTES:
            raise InputError(
                f"holds {size:,} bytes of text; the limit is {MAX_FILE_BYTES:,}", file=file, field=name
            )
