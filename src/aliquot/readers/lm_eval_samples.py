"""The samples of one task: its items, what was answered, and the outcomes, from one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.tables import Note
from aliquot.readers.lm_eval_items import name_filters, name_items
from aliquot.readers.lm_eval_outcomes import outcomes_of, responses_of
from aliquot.readers.lm_eval_rows import Rows, read_rows, sample_fields
from aliquot.readers.options import ReadOptions

HASH: Final = "doc_hash"
"""The format's own id: the hash of the whole document, inputs and reference."""

_ITEM_FIELDS: Final = ("cluster", "stratum", "weight")


@dataclass(frozen=True, slots=True)
class Samples:
    """What one samples file holds.

    Attributes:
        task: the task.
        path: the file.
        items: item, content, row, and cluster, stratum, weight and segment.* where they are known.
        responses: item, attempt, status, reason.
        outcomes: item, attempt, value, status, parts, metric, scorer; the task's own first metric first.
        metrics: metric → what the log's configuration calls it, in order.
        rows: the rows they come from.
        notes: what reading has to say.
    """

    task: str
    path: Path
    items: pl.DataFrame
    responses: pl.DataFrame
    outcomes: pl.DataFrame
    metrics: Mapping[str, str]
    rows: Rows
    notes: tuple[Note, ...]


def read_samples(path: Path, *, task: str, filters: Sequence[str], options: ReadOptions) -> Samples:
    """Return what a samples file holds.

    Args:
        path: the file.
        task: the task's name.
        filters: the task's filters in order, for logs that do not name the filter of a line.
        options: the user's item key, cluster, stratum, weight and segments, each a path such as ``doc.id``.

    Raises:
        InputError: the file holds no samples, or rows that contradict each other.
        MachineError: the machine refuses to read it.
    """
    said: dict[str, str] = {
        name: field for name in ("item", *_ITEM_FIELDS) if (field := getattr(options, name)) is not None
    }
    key = None if said.get("item") == HASH else said.pop("item", None)
    segments: tuple[str, ...] = tuple(dict.fromkeys((*options.segments, *sample_fields(path))))
    wanted: list[str] = [*([key] if key else []), *said.values(), *segments]
    rows = read_rows(path, fields=[name for name in dict.fromkeys(wanted) if name != HASH])
    name_filters(rows, filters)
    frame, notes = name_items(
        rows.frame, key, filters=len(rows.metrics), duplicates=options.duplicates, file=str(path)
    )
    described = {name: said[name] for name in _ITEM_FIELDS if name in said}
    items = _items(frame, described, segments, once=len(rows.metrics) == 1, file=str(path))
    outcomes, metrics, lost = outcomes_of(frame, rows)
    responses = responses_of(frame, filters=len(rows.metrics))
    rows.frame = pl.DataFrame()
    return Samples(
        task=task,
        path=path,
        items=items,
        responses=responses,
        outcomes=outcomes,
        metrics=metrics,
        rows=rows,
        notes=tuple(Note(note.code, f"{task}: {note.text}") for note in (*rows.notes, *notes, *lost)),
    )


def _items(
    frame: pl.DataFrame, described: Mapping[str, str], segments: Sequence[str], *, once: bool, file: str
) -> pl.DataFrame:
    """Return a row an item: the first row that names it, and what its document says of it."""
    firsts = frame
    if not once or frame["attempt"].max() != 1:
        firsts = frame.unique("item", keep="first", maintain_order=True)
    columns = {name: _field(path) for name, path in described.items()}
    columns |= {f"segment.{path}": _field(path) for path in segments}
    if "weight" in columns:
        columns["weight"] = columns["weight"].cast(pl.Float64, strict=False)
    items = firsts.select("item", "row", content=pl.col("hash"), **columns)
    if "weight" in columns and items["weight"].null_count():
        raise InputError("is not a number on every item", file=file, field=described["weight"])
    return items


def _field(path: str) -> pl.Expr:
    return pl.col("hash") if path == HASH else pl.col(f"field.{path}")
