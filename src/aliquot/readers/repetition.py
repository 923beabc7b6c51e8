"""Rows that are there more than once: tries, attempts, copies and contradictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.matching import spelling_notes
from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.evidence.tables import Note
from aliquot.readers.options import Duplicates

ROW_KEY: Final = ("system", "task", "item", "attempt", "metric", "scorer", "repeat")
"""What makes a row of outcomes unique."""


def settle_rows(
    rows: pl.DataFrame, *, place: Callable[[int], str], file: str, duplicates: Duplicates
) -> tuple[pl.DataFrame, tuple[Note, ...]]:
    """Return one row for each key, and what was done to come to that.

    Args:
        rows: the key columns, value, status, perhaps ``try``, and ``row``, the place in the table counted
            from 0.
        place: names a row of the table.
        file: for messages.
        duplicates: what to do with rows of one key (see ``ReadOptions``).

    Raises:
        InputError: rows of one key remain.
    """
    notes = list(spelling_notes(rows["item"].unique()))
    if "try" in rows.columns:
        rows, settled = _settle_tries(rows)
        notes += settled
    if duplicates == "attempts":
        rows = rows.with_columns(
            attempt=pl.int_range(1, pl.len() + 1).over(*_without("attempt"), order_by="row")
        )
    if duplicates == "drop":
        told = [name for name in rows.columns if name != "row"]
        kept = rows.unique(told, keep="first", maintain_order=True)
        if dropped := rows.height - kept.height:
            notes.append(Note("duplicates_dropped", f"{dropped} exact copies of rows were dropped"))
        rows = kept
    _refuse_duplicates(rows, place=place, file=file)
    return rows, tuple(notes)


def refuse_contradictions(
    rows: pl.DataFrame,
    columns: Sequence[str],
    *,
    place: Callable[[int], str],
    file: str,
    within: Sequence[str] = ("task", "item"),
) -> None:
    """Raise InputError when two rows say different things of one item.

    Args:
        rows: the rows, with ``row``, the place in the table counted from 0.
        columns: what may be said once.
        place: names a row of the table.
        file: for messages.
        within: columns whose rows must agree; with the system among them, systems may differ.

    Raises:
        InputError: they do; both rows are named.
    """
    for column in columns:
        said = rows.filter(pl.col(column).is_not_null())
        first = pl.col(column).first().over(within)
        differing = said.with_columns(before=pl.col("row").first().over(within)).filter(
            pl.col(column) != first
        )
        if differing.height:
            item, row, before = differing.select("item", "row", "before").row(0)
            what = "inputs or reference" if column == "content" else column.removeprefix("segment.")
            raise InputError(
                f"item {item!r} has one {what} in {place(before)} and another in {place(row)}",
                file=file,
                remedy="An id names one item: correct the ids or the rows",
            )


def _without(name: str) -> list[str]:
    return [column for column in ROW_KEY if column != name]


def _settle_tries(rows: pl.DataFrame) -> tuple[pl.DataFrame, list[Note]]:
    """Return the last complete try of each attempt; one that failed stands below, one that was lost lowest."""
    rank = (
        pl.when(pl.col("value").is_null() & pl.col("status").is_in(MEASUREMENT_SIDE))
        .then(0)
        .when(pl.col("value").is_null() & pl.col("status").is_in(("timeout", "failed")))
        .then(1)
        .otherwise(2)
    )
    ordered = rows.with_columns(rank=rank).sort("rank", "try", "row")
    settled = ordered.unique(ROW_KEY, keep="last", maintain_order=True).drop("rank", "try").sort("row")
    earlier = rows.height - settled.height
    text = (
        f"{earlier} of {rows.height} rows are other tries of the same attempt; the last complete one counts"
    )
    return settled, [Note("tries", text)] if earlier else []


def _refuse_duplicates(rows: pl.DataFrame, *, place: Callable[[int], str], file: str) -> None:
    repeated = rows.filter(rows.select(ROW_KEY).is_duplicated())
    if not repeated.height:
        return
    key = repeated.select(ROW_KEY).row(0)
    same = repeated.filter(*(pl.col(name) == value for name, value in zip(ROW_KEY, key, strict=True)))
    first, second = same["row"][0], same["row"][1]
    copies = same.drop("row").unique().height == 1
    what = "the same row" if copies else "different rows"
    remedy = "Name the column that counts attempts (--attempt-column), or take them as attempts (--duplicates attempts)"
    if copies:
        remedy += ", or drop copies (--duplicates drop)"
    items = repeated["item"].n_unique()
    raise InputError(
        f"item {key[2]!r} of {key[0]!r} has {what} in {place(first)} and {place(second)}"
        f" ({items} items are there more than once)",
        file=file,
        remedy=remedy,
    )
