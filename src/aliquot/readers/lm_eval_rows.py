"""A samples file as rows: one for each document and filter, with numbers, marks and the fields asked for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.identity import text_of
from aliquot.evidence.tables import Note
from aliquot.readers.lm_eval_blocks import Place, read_blocks
from aliquot.readers.lm_eval_records import KNOWN, Record, RecordDecoder, distinct_names, names_of, path_in
from aliquot.readers.lm_eval_values import read_numbers

OK, UNPARSED, EMPTY, ERROR = range(4)
"""Marks of a row, the worst last: an answer; no answer found in the text by the filter; no text; no reply."""

NO_ANSWER: Final = b"LMEVAL_MODEL_NONE_ANSWER_PLACEHOLDER"
"""What the harness writes for an answer that the API did not give; it scores the text as wrong."""

INVALID: Final = b"[invalid]"
"""What the harness's filters return when they find no answer in the text."""

BATCH_ROWS: Final = 20_000
"""Rows made into columns at once."""

SAMPLE_BYTES: Final = 8 << 20
"""Bytes of a file looked at for fields that may name clusters."""

MAX_ROWS: Final = 100_000_000
"""Rows a samples file may have."""

_TAKEN_APART: Final = frozenset({"resps", "filtered_resps", "metrics", "doc", "filter"})


@dataclass(slots=True)
class Rows:
    """The rows of one samples file.

    Attributes:
        frame: row, hash, doc_id, filter, mark, ``value.<metric>``,
            ``parts.<metric>`` and ``repeats.<metric>`` where there are any, ``field.<path>``.
        metrics: filter → the metrics it scored, in the log's order.
        places: where the blocks lie in the file.
        first_rows: the first row of each block.
        texts: metrics whose parts are texts → rows.
        not_finite: values that are infinite.
        notes: what reading has to say.
    """

    frame: pl.DataFrame
    metrics: dict[str | None, list[str]] = field(default_factory=dict[str | None, list[str]])
    places: list[Place] = field(default_factory=list[Place])
    first_rows: list[int] = field(default_factory=list[int])
    texts: dict[str, int] = field(default_factory=dict[str, int])
    not_finite: int = 0
    notes: list[Note] = field(default_factory=list[Note])


def read_rows(path: Path, *, fields: Sequence[str]) -> Rows:
    """Return the rows of a samples file.

    Args:
        path: the file.
        fields: dotted paths of fields wanted, in the record (``doc.id``, ``doc_id``) or its document (``id``).

    Raises:
        InputError: a record that is none, or no record at all.
        MachineError: the machine refuses to read it.
    """
    decoder = RecordDecoder(path, with_doc=any(name != "doc_id" for name in fields))
    rows, frames, height = Rows(frame=pl.DataFrame()), list[pl.DataFrame](), 0
    cells: dict[str, list[Any]] = {}
    for place, data in read_blocks(path):
        records = decoder.decode(place, data)
        if not records:
            continue
        rows.places.append(place)
        rows.first_rows.append(height)
        height += len(records)
        if height > MAX_ROWS:
            raise InputError(f"has more than {MAX_ROWS:,} rows", file=str(path))
        found = _cells(records, rows, fields)
        if cells and (len(cells["mark"]) >= BATCH_ROWS or cells.keys() != found.keys()):
            frames.append(_frame(cells, decoder.metrics, rows))
            cells = {}
        for name, column in found.items():
            cells.setdefault(name, []).extend(column)
    if not cells:
        raise InputError("holds no samples", file=str(path))
    frames.append(_frame(cells, decoder.metrics, rows))
    rows.frame = pl.concat(frames, how="diagonal_relaxed").with_row_index("row")
    rows.notes = _notes(decoder, rows.not_finite)
    return rows


def _cells(records: list[Record], rows: Rows, fields: Sequence[str]) -> dict[str, Iterable[Any]]:
    """Return a block's records by column, while they are in the cache."""
    filters = _column(records, "filter")
    _note_metrics(rows, filters, _column(records, "metrics"))
    kept = [name for name in records[0].__struct_fields__ if name not in _TAKEN_APART]
    columns: dict[str, Iterable[Any]] = {name: map(attrgetter(name), records) for name in kept}
    columns |= {"filter": filters, "mark": _marks(records)}
    return columns | {f"field.{name}": _field(records, name) for name in fields}


def _frame(cells: dict[str, list[Any]], metrics: Sequence[str], rows: Rows) -> pl.DataFrame:
    """Return a batch of records as typed columns."""
    columns: dict[str, pl.Series] = {
        "hash": pl.Series(cells["doc_hash"], dtype=pl.String),
        "doc_id": _doc_ids(cells["doc_id"]),
        "filter": _filters(cells["filter"]),
        "mark": pl.Series(cells["mark"], dtype=pl.UInt8),
    }
    for place, name in enumerate(metrics):
        if f"m{place}" in cells:  # else it was learned after these records
            columns |= _metric(name, cells[f"m{place}"], rows)
    scores = cells["scores_per_repeat"]
    if scores.count(None) < len(scores):
        columns |= _repeats(scores, metrics)
    fields = {
        name: pl.Series(column, dtype=pl.String)
        for name, column in cells.items()
        if name.startswith("field.")
    }
    return pl.DataFrame(columns | fields)


def _filters(names: list[str | None]) -> pl.Series:
    if names.count(names[0]) == len(names):
        return pl.repeat(names[0], len(names), dtype=pl.String, eager=True)
    return pl.Series(names, dtype=pl.String)


def _column(records: list[Record], name: str) -> list[Any]:
    return list(map(attrgetter(name), records))


def sample_fields(path: Path) -> tuple[str, ...]:
    """Return the fields of the documents that may name a cluster or slice: short values that recur.

    Only the first few megabytes are looked at.

    Raises:
        InputError: a record that is none.
        MachineError: the machine refuses to read it.
    """
    decoder = RecordDecoder(path, with_doc=True)
    docs: dict[str, Any] = {}
    for place, data in read_blocks(path):
        docs |= {record.doc_hash: record.doc for record in decoder.decode(place, data)}
        if place.offset + place.size > SAMPLE_BYTES:
            break
    values: dict[str, list[str]] = {}
    for doc in docs.values():
        for name, cell in (doc if isinstance(doc, dict) else {}).items():
            if isinstance(cell, str | int) and (text := text_of(cell)):
                values.setdefault(name, []).append(text)
    return tuple(f"doc.{name}" for name, found in values.items() if _recurs(found, len(docs)))


def _recurs(values: Sequence[str], documents: int) -> bool:
    distinct = set(values)
    return 2 <= len(distinct) <= documents / 2 and max(map(len, distinct)) <= 200 and len(values) == documents


def _note_metrics(rows: Rows, filters: Sequence[str | None], written: Sequence[msgspec.Raw]) -> None:
    """Add what each filter scored."""
    named = distinct_names(written)
    if len(named) == 1:
        pairs = zip(dict.fromkeys(filters), repeat(named[0]))
    else:
        pairs = (
            (name, names_of(raw))
            for name, raw in dict.fromkeys(zip(filters, map(bytes, written), strict=True))
        )
    for name, metrics in pairs:
        known = rows.metrics.setdefault(name, [])
        known += [metric for metric in metrics or () if metric not in known and metric not in KNOWN]


def _metric(name: str, cells: Sequence[Any], rows: Rows) -> dict[str, pl.Series]:
    numbers = read_numbers(name, cells)
    if numbers.texts:
        rows.texts[name] = rows.texts.get(name, 0) + numbers.texts
    rows.not_finite += numbers.not_finite
    columns = {f"value.{name}": numbers.values}
    return columns if numbers.parts is None else columns | {f"parts.{name}": numbers.parts}


def _repeats(scores: Sequence[dict[str, list[Any]] | None], metrics: Sequence[str]) -> dict[str, pl.Series]:
    """Return the values of each metric scored attempt by attempt."""
    columns: dict[str, pl.Series] = {}
    for name in metrics:
        lists = [
            read_numbers(name, one[name]).values.to_list()
            if one and isinstance(one.get(name), list)
            else None
            for one in scores
        ]
        if any(one is not None for one in lists):
            columns[f"repeats.{name}"] = pl.Series(lists, dtype=pl.List(pl.Float64))
    return columns


def _doc_ids(cells: list[Any]) -> pl.Series:
    try:
        return pl.Series(cells, dtype=pl.Int64)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series([None] * len(cells), dtype=pl.Int64)


def _field(records: list[Record], name: str) -> list[str | None]:
    path = name.removeprefix("doc.")
    cells = [record.doc_id if name == "doc_id" else path_in(record.doc, path) for record in records]
    return [text_of(cell) if isinstance(cell, str | int | float) else None for cell in cells]


def _marks(records: list[Record]) -> Iterable[int]:
    """Return a mark a record: whether there is an answer, and whether the filter found one in it."""
    answers = b"".join(map(attrgetter("resps"), records))
    found = b"".join(map(attrgetter("filtered_resps"), records))
    if b'""' in answers or NO_ANSWER in answers or NO_ANSWER in found or INVALID in found:
        return map(_mark, records)
    return repeat(OK, len(records))


def _mark(record: Record) -> int:
    answers, found = (
        [text.encode() if isinstance(text, str) else b"null" for text in flat(_decoded(raw))]
        for raw in (record.resps, record.filtered_resps)
    )
    if NO_ANSWER in found or (answers and answers.count(NO_ANSWER) == len(answers)):
        return ERROR
    if answers and not any(answers):
        return EMPTY
    return UNPARSED if found and found.count(INVALID) == len(found) else OK


def _decoded(raw: bytes) -> Any:
    """Return a part of a record that was not decoded with it; letters that are no UTF-8 are replaced."""
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return msgspec.json.decode(bytes(raw).decode("utf-8", "replace"))


def flat(nested: Any) -> list[Any]:
    """Return what is in lists of lists, in order.

    Examples:
        >>> flat([["a"], ["b", None]])
        ['a', 'b', None]
    """
    found: list[Any] = []
    waiting = [nested]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(reversed(part))
        else:
            found.append(part)
    return found


def _notes(decoder: RecordDecoder, strange: int) -> list[Note]:
    notes = [note for note in decoder.reading.notes() if note.code != "not_a_number"]
    if count := strange + decoder.reading.not_numbers:
        text = f"{count} values are NaN or infinite; they count as missing, not as 0"
        notes.append(Note("not_a_number", text))
    if decoder.torn:
        notes.append(Note("torn_line", "the last line is cut off in the middle; it is left out"))
    return notes
