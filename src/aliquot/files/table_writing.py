"""Writing a table: Parquet, JSON lines, or CSV that no spreadsheet takes for formulas."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

import polars as pl

from aliquot.errors import InputError, UsageError
from aliquot.files.delimited import ESCAPED
from aliquot.files.writing import write_whole

ENDINGS: Final = (".parquet", ".csv", ".jsonl")
"""Endings of a name that say how a table is written."""

SAMPLES: Final = "_samples.jsonl"
"""The end of a name that stands for samples of Every Eval Ever, and for no table."""

_FORMULA: Final = r"^'*[=+\-@\t\r]"
"""A text that a spreadsheet would run as a formula, or one that was kept from it."""


def write_table(path: Path, frame: pl.DataFrame) -> None:
    """Write a frame as the end of its name says; a reader sees the old file or the new one.

    In CSV a text that begins with ``= + - @``, a tab or a carriage return gets an apostrophe in front, and so does one
    that begins so after apostrophes; the column ``aliquot.escaped`` marks the rows, and reading takes it away again.

    Args:
        path: ends in ``.parquet``, ``.csv`` or ``.jsonl``.
        frame: columns of text, numbers and truth values; in text formats lists become JSON.

    Raises:
        UsageError: another ending.
        InputError: CSV cannot hold a cell.
        MachineError: the machine refuses.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise UsageError(f"{path}: a table is written to a name that ends in {', '.join(ENDINGS)}.")
    data = io.BytesIO()
    if ending == ".parquet":
        frame.write_parquet(data)
    elif ending == ".jsonl":
        _flat(frame).write_ndjson(data)
    else:
        data.write(csv_bytes(frame, file=str(path)))
    write_whole(path, data.getvalue())


def csv_bytes(frame: pl.DataFrame, *, file: str) -> bytes:
    """Return a frame as CSV that no spreadsheet takes for formulas, as ``write_table`` writes it.

    Args:
        frame: columns of text, numbers and truth values.
        file: its name, for messages.

    Raises:
        InputError: CSV cannot hold a cell.
    """
    data = io.BytesIO()
    _neutral(_flat(frame), file=file).write_csv(data, quote_style="non_numeric")
    return data.getvalue()


def _flat(frame: pl.DataFrame) -> pl.DataFrame:
    lists = [name for name, kind in frame.schema.items() if isinstance(kind, pl.List)]
    joined = [
        pl.format("[{}]", pl.col(name).cast(pl.List(pl.String)).list.join(",")).alias(name) for name in lists
    ]
    return frame.with_columns(joined)


def _neutral(frame: pl.DataFrame, *, file: str) -> pl.DataFrame:
    """Return the frame with no text that begins like a formula."""
    texts = [name for name, kind in frame.schema.items() if kind == pl.String]
    formula = {name: pl.col(name).str.contains(_FORMULA).fill_null(value=False) for name in texts}
    for name in texts:
        if frame[name].str.contains("\0", literal=True).any():
            remedy = "Write Parquet or JSON lines"
            raise InputError("CSV cannot hold a NUL character", file=file, field=name, remedy=remedy)
    if not texts:
        return frame
    marks = frame.select(pl.any_horizontal(*formula.values())).to_series()
    if not marks.any():
        return frame
    return frame.with_columns(marks.cast(pl.Int8).alias(ESCAPED)).with_columns(
        pl.when(found).then(pl.concat_str(pl.lit("'"), name)).otherwise(pl.col(name)).alias(name)
        for name, found in formula.items()
    )
