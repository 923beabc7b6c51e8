"""Tables of RAGAS as evidence: a row an item, a metric a column."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import content_hash, inputs_text, text_of
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, OUTCOMES, RESPONSES, SETTINGS, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.files.tables import Table
from aliquot.readers.cells import ids, values
from aliquot.readers.options import Duplicates, ReadOptions
from aliquot.readers.ragas_columns import ID, Columns, find_columns, judge_of, messages_of, value_of

TASK: Final = "ragas"
SCORER: Final = "ragas"
_OUTCOME: Final = ("system", "task", "item", "attempt", "metric", "scorer", "value", "status", "by")


@dataclass(frozen=True, slots=True)
class Log:
    """One table.

    Attributes:
        system: its name.
        file: the file, for messages.
        table: what it holds.
        dataset: the columns of the data set it was made from.
        source: where it came from.
    """

    system: str
    file: str
    table: Table
    dataset: tuple[str, ...]
    source: Source


@dataclass(slots=True)
class _Read:
    """A table as understood: of each row its item, attempt and texts."""

    log: Log
    columns: Columns
    names: list[str]
    attempts: list[int]
    asked: list[str | None]
    expected: list[str | None]
    answered: list[str | None]
    contents: list[str | None]
    notes: list[Note]


def evidence_of(logs: Sequence[Log], options: ReadOptions) -> Evidence:
    """Return the evidence in tables.

    Raises:
        UsageError: a column the user named is not there.
        InputError: an id is empty or stands for two rows.
    """
    read = [_read(log, options) for log in logs]
    rows = [row for one in read for row in _outcomes(one, options)]
    outcomes = pl.DataFrame(rows, schema={name: OUTCOMES[name] for name in _OUTCOME}, orient="row")
    items: dict[str, dict[str, Any]] = {}
    for row in (row for one in read for row in _items(one, options)):
        items.setdefault(row["item"], row)
    settings = [(one.log.system, "harness", "ragas") for one in read]
    return assemble(
        outcomes,
        items=pl.DataFrame(list(items.values()), infer_schema_length=None),
        responses=pl.DataFrame([row for one in read for row in _responses(one)], schema=dict(RESPONSES)),
        metrics=pl.DataFrame(list(_metrics(outcomes, options)), schema=dict(METRICS)),
        settings=pl.DataFrame(settings, schema=dict(SETTINGS), orient="row"),
        sources=[one.log.source for one in read],
        notes=tuple(
            dict.fromkeys(
                note for one in read for note in (*one.notes, *one.log.table.notes, *_missing(one, outcomes))
            )
        ),
        texts=_texts(read),
    )


def _read(log: Log, options: ReadOptions) -> _Read:
    table = log.table
    for name in (options.item, options.cluster, options.stratum, *options.segments):
        if name is not None and name not in table.columns:
            raise UsageError(f"{log.file}: there is no column {name!r}. {nearest(name, table.columns)}")
    columns = find_columns(table.columns, dataset=log.dataset)
    empty: Sequence[Any] = [None] * table.height
    fields = {name: [value_of(cell) for cell in table.columns[name]] for name in columns.asked}
    asked = [_asked({name: cells[row] for name, cells in fields.items()}) for row in range(table.height)]
    expected = [text_of(value_of(cell)) for cell in table.columns.get(columns.expected or "", empty)]
    answered = [text_of(value_of(cell)) for cell in table.columns.get(columns.answered or "", empty)]
    if columns.answered is None and len(fields) == 1:
        answered = [_transcript(value) for value in next(iter(fields.values()))]
    contents = [content_hash(*pair) if pair[0] else None for pair in zip(asked, expected, strict=True)]
    names, attempts, notes = _name_rows(log, contents, options)
    return _Read(log, columns, names, attempts, asked, expected, answered, contents, notes)


def _asked(fields: Mapping[str, Any]) -> str | None:
    """Return what a row asks; of a conversation what the person says, as the rest is the system's."""
    plain: dict[str, object] = {}
    for name, value in fields.items():
        said = messages_of(value)
        plain[name] = value if said is None else [text for side, text in said if side in {"human", "user"}]
    return inputs_text(plain) or None


def _transcript(value: Any) -> str | None:
    said = messages_of(value)
    return None if said is None else "\n\n".join(f"{side}: {text}" for side, text in said)


def _name_rows(
    log: Log, contents: Sequence[str | None], options: ReadOptions
) -> tuple[list[str], list[int], list[Note]]:
    """Return each row's item and attempt: by a column of ids, else by what it asks and expects."""
    table = log.table
    column = options.item or (ID if _is_key(table.columns.get(ID, ())) else None)
    if column is not None:
        names = ids(table.columns[column], place=table.place, file=log.file, column=column)
        key = f"the column {column!r}"
        _refuse_other_questions(names, contents, file=log.file, column=column)
    elif all(contents):
        names, key = [one or "" for one in contents], "the hash of the question and the right answer"
    else:
        names = [f"{log.system}, row {row + 1}" for row in range(table.height)]
        text = "the rows say neither question nor id, so they cannot be paired with another file's"
        return names, [1] * len(names), [Note("item_key", "the file and row"), Note("no_questions", text)]
    numbered, attempts, notes = _number(names, keyed=options.item is not None, duplicates=options.duplicates)
    return numbered, attempts, [Note("item_key", key), *notes]


def _refuse_other_questions(
    names: Sequence[str], contents: Sequence[str | None], *, file: str, column: str
) -> None:
    asked: dict[str, str | None] = {}
    for row, (name, content) in enumerate(zip(names, contents, strict=True), start=1):
        if asked.setdefault(name, content) != content:
            problem = f"the id {name!r} stands for rows that ask different things"
            raise InputError(problem, file=file, row=row, field=column, remedy="Name another column of ids")


def _is_key(cells: Sequence[Any]) -> bool:
    found = [text_of(cell) for cell in cells]
    return bool(found) and all(found) and len(set(found)) == len(found)


def _number(
    names: Sequence[str], *, keyed: bool, duplicates: Duplicates
) -> tuple[list[str], list[int], list[Note]]:
    """Return items and attempts: rows that all repeat equally often are attempts, other copies are items."""
    counts, seen = Counter(names), Counter[str]()
    places = [seen.update([name]) or seen[name] for name in names]
    if max(counts.values(), default=1) == 1:
        return list(names), places, []
    if duplicates == "attempts" or keyed or len(set(counts.values())) == 1:
        text = f"rows that ask the same are attempts at one item, up to {max(places)} of them"
        return list(names), places, [Note("repeats", text)]
    copies = sum(count > 1 for count in counts.values())
    text = f"{copies} items are there more than once, and nothing says they are repeats; each is an item (hash#2, …)"
    numbered = [name if place == 1 else f"{name}#{place}" for name, place in zip(names, places, strict=True)]
    return numbered, [1] * len(names), [Note("copies", text)]


def _outcomes(read: _Read, options: ReadOptions) -> Iterator[tuple[Any, ...]]:
    log, table = read.log, read.log.table
    for metric in read.columns.metrics:
        found, _ = values(
            table.columns[metric], place=table.place, file=log.file, column=metric, missing=options.missing
        )
        judge = judge_of(metric)
        by = "judge" if judge else "rule"
        for item, attempt, value in zip(read.names, read.attempts, found, strict=True):
            status = "missing" if value is None else "ok"
            yield log.system, TASK, item, attempt, metric, judge or SCORER, value, status, by


def _responses(read: _Read) -> Iterator[dict[str, Any]]:
    asked = read.columns.answered is not None
    for item, attempt, answer in zip(read.names, read.attempts, read.answered, strict=True):
        empty = asked and not answer
        yield {
            "system": read.log.system, "task": TASK, "item": item, "attempt": attempt,
            "status": "failed" if empty else "ok", "reason": "empty answer" if empty else None,
        }  # fmt: skip


def _items(read: _Read, options: ReadOptions) -> Iterator[dict[str, Any]]:
    columns = read.log.table.columns
    names = dict.fromkeys((*options.segments, *(name for name in _SLICES if name in columns)))
    for row, (item, content) in enumerate(zip(read.names, read.contents, strict=True)):
        known: dict[str, Any] = {"task": TASK, "item": item, "content": content}
        known["cluster"] = text_of(columns[options.cluster][row]) if options.cluster else None
        known["stratum"] = text_of(columns[options.stratum][row]) if options.stratum else None
        yield known | {f"segment.{name}": text_of(columns[name][row]) for name in names}


_SLICES: Final = ("persona_name", "query_style", "query_length", "synthesizer_name")
"""Columns of generated test sets that are reporting slices."""


def _metrics(outcomes: pl.DataFrame, options: ReadOptions) -> Iterator[dict[str, Any]]:
    for place, name in enumerate(outcomes["metric"].unique(maintain_order=True)):
        found = outcomes.filter(pl.col("metric") == name)["value"]
        kind = options.kind or ("real" if found.null_count() == len(found) else None)
        row = metric_row(
            name,
            found,
            kind=kind,
            low=options.low,
            high=options.high,
            better=options.better,
            headline=place == 0,
        )
        yield row | {"judge": judge_of(name)}


def _missing(read: _Read, outcomes: pl.DataFrame) -> Iterator[Note]:
    own = outcomes.filter(pl.col("system") == read.log.system)
    for metric in read.columns.metrics:
        found = own.filter(pl.col("metric") == metric)["value"]
        if empty := found.null_count():
            text = (
                f"{read.log.system}: {empty} of {len(found)} rows have no {metric}: unmeasured, not 0. RAGAS's mean "
                "leaves them out without a word, so means of two runs may be over different items"
            )
            yield Note("unmeasured", text)
    if read.columns.others:
        yield Note("columns_left_out", f"columns that hold no values: {', '.join(read.columns.others)}")


def _texts(read: Sequence[_Read]) -> HeldTexts:
    items: dict[tuple[str, str], tuple[str | None, str | None]] = {}
    answers: dict[tuple[str, str, str, int], str] = {}
    for one in read:
        rows = zip(one.names, one.attempts, one.asked, one.expected, one.answered, strict=True)
        for item, attempt, asked, expected, answer in rows:
            items.setdefault((TASK, item), (asked, expected))
            if answer is not None:
                answers[one.log.system, TASK, item, attempt] = answer
    return HeldTexts(
        items=items,
        responses=answers,
        notes={key: note for one in read for key, note in _said(one)},
        told={(TASK, item): _told(one, row) for one in read for row, item in enumerate(one.names)},
        spoken={key: partial(value_of, cell) for one in read for key, cell in _spoken(one)},
    )


def _said(read: _Read) -> Iterator[tuple[tuple[str, str, str, int, str], str]]:
    """Yield what a metric said of a row, where the table has a column of its reasons."""
    table = read.log.table.columns
    for metric in read.columns.metrics:
        reasons = next(
            (table[name] for name in (f"{metric}_reason", f"{metric}.reason") if name in table), ()
        )
        for item, attempt, reason in zip(read.names, read.attempts, reasons, strict=False):
            if isinstance(reason, str) and reason:
                yield (read.log.system, TASK, item, attempt, metric), reason


def _told(read: _Read, row: int) -> dict[str, Any]:
    """Return a row's other columns: what was retrieved, and what is no value."""
    used = {*read.columns.asked, *read.columns.metrics, read.columns.expected, read.columns.answered}
    return {name: cells[row] for name, cells in read.log.table.columns.items() if name not in used}


def _spoken(read: _Read) -> Iterator[tuple[tuple[str, str, str, int], Any]]:
    """Yield the conversations of rows that are conversations."""
    if read.columns.answered is None and len(read.columns.asked) == 1:
        cells = read.log.table.columns[read.columns.asked[0]]
        for item, attempt, cell in zip(read.names, read.attempts, cells, strict=True):
            yield (read.log.system, TASK, item, attempt), cell
