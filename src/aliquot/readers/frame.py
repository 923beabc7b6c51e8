"""Data frames as evidence: pandas, Polars, Arrow, and whatever else narwhals knows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import narwhals as nw
import numpy as np
import polars as pl

from aliquot.errors import InputError, NoRowsError, UsageError
from aliquot.evidence.labels import Labels
from aliquot.evidence.tables import Evidence, Source
from aliquot.files.tables import Table, table_of
from aliquot.readers.labels import labels_of
from aliquot.readers.lazy import lazy_evidence
from aliquot.readers.options import ReadOptions
from aliquot.readers.outcomes import evidence_of

FRAME: Final = "the frame"
"""What a frame is called in messages."""


def from_frame(
    frame: Any,
    *,
    item: str | None = None,
    value: str | None = None,
    system: str | None = None,
    name: str = "system",
    options: ReadOptions | None = None,
) -> Evidence:
    """Return the evidence in a data frame with a row an outcome.

    Args:
        frame: anything narwhals takes. A lazy one (Polars, DuckDB, PySpark) stays lazy: its rows are reduced
            where they are, and it must bring its item ids.
        item: the column of the items' ids.
        value: the column of the values.
        system: the column of the systems' names.
        name: the system's name when no column says it.
        options: what the other columns mean, as for files.

    Raises:
        UsageError: not a frame, or the columns cannot be told.
        InputError: a row or cell cannot be used as it stands.

    Examples:
        >>> frame = pl.DataFrame({"case": ["a", "b"], "right": [True, False]})
        >>> from_frame(frame, item="case", value="right").outcomes["value"].to_list()
        [1.0, 0.0]
    """
    native = _native(frame)
    given = {"item": item, "value": value, "system": system}
    chosen = replace(options or ReadOptions(), **{key: column for key, column in given.items() if column})
    kind = str(native.implementation).removeprefix("Implementation.").lower()
    source = Source(path="", format=kind)
    if isinstance(native, nw.LazyFrame):
        return lazy_evidence(native, chosen, name=chosen.name or name, source=source)
    return evidence_of(_table(native), chosen, file=FRAME, name=chosen.name or name, source=source)


def labels_from(frame: Any, *, options: ReadOptions | None = None) -> Labels:
    """Return the labels in a data frame: a row a label, or a row an answer and a column a rater.

    Args:
        frame: anything narwhals takes; a lazy one is collected.
        options: what the columns mean, as for files.

    Raises:
        UsageError: not a frame, or a named column does not exist.
        InputError: it holds no labels, or a row cannot be used as it stands.

    Examples:
        >>> labels_from(pl.DataFrame({"item": ["1", "2"], "ana": [1, 0], "ben": [1, 1]})).raters
        ['ana', 'ben']
    """
    native = _native(frame)
    held = native.collect() if isinstance(native, nw.LazyFrame) else native
    return labels_of(_table(held), options or ReadOptions(), file=FRAME)


def _native(frame: Any) -> nw.DataFrame[Any] | nw.LazyFrame[Any]:
    try:
        return nw.from_native(frame)
    except TypeError as error:
        kind = type(frame).__name__
        raise UsageError(
            f"{kind} is no data frame. Pass one of pandas, Polars, Arrow, DuckDB or PySpark."
        ) from error


def _table(native: nw.DataFrame[Any]) -> Table:
    try:
        table = table_of(_from_pandas(native) if native.implementation.is_pandas() else native.to_polars())
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:  # Arrow's errors are the first two
        problem = str(error).strip().splitlines()[0]
        raise InputError(f"a column mixes kinds: {problem}", remedy="Give each column one type") from error
    if table.height == 0:
        raise NoRowsError("the frame has no rows")
    return table


def _from_pandas(frame: nw.DataFrame[Any]) -> pl.DataFrame:
    """Return a pandas frame as Polars, column by column; Polars' own way needs pyarrow."""
    return pl.DataFrame([_series(column) for column in frame.iter_columns()])


def _series(column: nw.Series[Any]) -> pl.Series:
    """Return a column; NaN, NaT, NA and None are all missing."""
    name = str(column.name)
    if isinstance(column.to_native().dtype, np.dtype) and (plain := column.to_numpy()).dtype.kind in "biufM":
        return pl.Series(name, plain, nan_to_null=True)
    cells = zip(column.to_list(), column.is_null().to_list(), strict=True)
    values = [None if missing else cell.item() if hasattr(cell, "item") else cell for cell, missing in cells]
    kinds = {type(value) for value in values if value is not None}
    return pl.Series(name, values, dtype=pl.Float64 if kinds == {int, float} else None, strict=True)
