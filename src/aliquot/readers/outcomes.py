"""A table of outcomes as evidence: rows keyed, tries settled, each fact in its table."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import DEFAULTS, assemble
from aliquot.evidence.identity import content_hash, text_of
from aliquot.evidence.long_table import CONTENT, METRIC, ORDER, OUTCOME, RESPONSE
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, RESPONSES, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.files.rows import Cell
from aliquot.files.tables import Table
from aliquot.readers.cells import decimal_mark, holds_values, ids, parts, statuses, values
from aliquot.readers.columns import Mapped, map_columns
from aliquot.readers.options import ReadOptions
from aliquot.readers.repetition import ROW_KEY, refuse_contradictions, settle_rows

NUMBERS: Final = frozenset(
    {
        "cost",
        "latency_s",
        "weight",
        "response.first_token_s",
        "response.log_probability",
        "metric.low",
        "metric.high",
        "metric.on_failure",
    }
)
WHOLE_NUMBERS: Final = frozenset(
    {"tokens_in", "tokens_out", "attempt", "try", "outcome.repeat", "response.tokens_reasoning",
     "response.tokens_cached", "response.steps", "response.tool_calls", "response.tool_errors",
     "response.log_probability_tokens", *ORDER}
)  # fmt: skip
TRUTHS: Final = frozenset({"response.cached", "metric.headline"})
STATUS: Final = frozenset({"status", "outcome.status"})
TEXTS: Final = ("inputs", "reference", "response", "note")
OWN_NAMES: Final = {**OUTCOME, **RESPONSE, **ORDER, CONTENT: "content"}
"""What a column of the long table is called in its own table."""


def evidence_of(table: Table, options: ReadOptions, *, file: str, name: str, source: Source) -> Evidence:
    """Return the evidence in a table of outcomes.

    Args:
        table: the table.
        options: what the user said about it.
        file: for messages.
        name: the system's name when no column says it.
        source: where the table came from.

    Raises:
        UsageError: the columns cannot be told, or the metric is not what the user said.
        InputError: a cell cannot be used, a row is there twice, or an item contradicts itself.
    """
    mapped = map_columns(list(table.columns), options, file=file)
    reading = _Reading(table=table, mapped=mapped, options=options, file=file)
    rows = reading.rows(name)
    for columns, within in reading.item_facts:
        refuse_contradictions(rows, columns, place=table.place, file=file, within=within)
    rows, notes = settle_rows(rows, place=table.place, file=file, duplicates=options.duplicates)
    rows = _with_answered(rows)
    own = [pl.col(name) for name in ("by", "label", "parts") if name in rows.columns]
    outcomes = rows.select(*ROW_KEY, "value", pl.col("outcome status").alias("status"), *own)
    attempt = ("system", "task", "item", "attempt")
    said = [
        name for name in rows.columns if name in RESPONSES and name not in {*attempt, "status", "content"}
    ]
    return assemble(
        outcomes,
        items=_first(rows, ("task", "item"), reading.item_columns),
        responses=_first(rows, attempt, said, status=_response_status(), content=pl.col("answered").first()),
        metrics=_metrics(rows, options),
        sources=(source,),
        notes=(*table.notes, *mapped.notes, *reading.notes, *notes),
        texts=_texts(rows),
    )


@dataclass(slots=True)
class _Reading:
    """A table on its way to typed rows."""

    table: Table
    mapped: Mapped
    options: ReadOptions
    file: str
    notes: tuple[Note, ...] = ()

    @property
    def item_columns(self) -> list[str]:
        """What the rows say of their items."""
        described = [name for name in ("cluster", "stratum", "weight") if name in self.mapped.columns]
        content = ["content"] if {"inputs", "reference", CONTENT} & set(self.mapped.columns) else []
        described += [own for shown, own in ORDER.items() if shown in self.mapped.columns]
        return [*content, *described, *(f"segment.{name}" for name in self.mapped.segments)]

    @property
    def item_facts(self) -> tuple[tuple[list[str], tuple[str, ...]], ...]:
        """Columns that say one thing, and of what: a table written of several logs holds what each system was asked."""
        own = ["content"] if CONTENT in self.mapped.columns else []
        shared = [name for name in self.item_columns if name not in own]
        return (shared, ("task", "item")), (own, ("system", "task", "item"))

    def rows(self, name: str) -> pl.DataFrame:
        """Return typed rows: the key columns, value, status, and whatever else is known; ``row`` counts from 0."""
        table, columns = self.table, self.mapped.columns
        data: dict[str, Sequence[Any]] = {"row": range(table.height), "item": self._items()}
        for meaning, column in columns.items():
            if meaning == "outcome.status":
                data["outcome status"] = self._typed(meaning, column)
            elif meaning not in {"item", "value", "system"}:
                data[OWN_NAMES.get(meaning, meaning)] = self._typed(meaning, column)
        for segment, column in self.mapped.segments.items():
            data[f"segment.{segment}"] = [text_of(cell) for cell in table.columns[column]]
        frame = pl.DataFrame(data, infer_schema_length=None)
        frame = self._with_values(frame, name).with_columns(
            pl.col(column).fill_null(default) if column in data else pl.lit(default).alias(column)
            for column, default in self._defaults().items()
        )
        return self._with_content(self._with_status(frame))

    def _defaults(self) -> dict[str, object]:
        names = ("task", "attempt", "metric", "scorer", "repeat")
        return {name: self.mapped.metric if name == "metric" else DEFAULTS[name] for name in names}

    def _items(self) -> list[str]:
        columns = self.mapped.columns
        if "item" in columns:
            return ids(self._cells("item"), place=self.table.place, file=self.file, column=columns["item"])
        if "inputs" not in columns:
            raise self._unmapped("the items' ids", "--item-column NAME")
        self.notes += (Note("item_key", f"hash of {columns['inputs']!r} and the reference"),)
        references = self._cells("reference") if "reference" in columns else [None] * self.table.height
        return [content_hash(*pair) for pair in zip(self._cells("inputs"), references, strict=True)]

    def _unmapped(self, what: str, flags: str) -> UsageError:
        listed = ", ".join(map(repr, self.table.columns))
        return UsageError(
            f"{self.file}: no column holds {what}. Name it: {flags}. The columns are: {listed}."
        )

    def _cells(self, meaning: str) -> Sequence[Cell]:
        return self.table.columns[self.mapped.columns[meaning]]

    def _typed(self, meaning: str, column: str) -> Sequence[Any]:
        """Return a column other than id, system and value as numbers, status words or text."""
        cells = self.table.columns[column]
        if meaning in STATUS:
            return statuses(cells, place=self.table.place, file=self.file, column=column)
        if meaning in NUMBERS:
            return self._numbers(column)
        if meaning in WHOLE_NUMBERS:
            return [
                None if number is None else self._whole(number, column) for number in self._numbers(column)
            ]
        if meaning in TRUTHS:
            return [None if number is None else number != 0 for number in self._numbers(column)]
        if meaning == "outcome.parts":
            return parts(cells, place=self.table.place, file=self.file, column=column)
        return [text_of(cell) for cell in cells]

    def _numbers(self, column: str) -> list[float | None]:
        cells = self.table.columns[column]
        decimal = self.options.decimal or decimal_mark(
            cells, delimiter=self.table.delimiter, file=self.file, column=column
        )
        found, not_numbers = values(
            cells,
            place=self.table.place,
            file=self.file,
            column=column,
            decimal=decimal,
            missing=self.options.missing,
        )
        if not_numbers and column == self.mapped.columns.get("weight"):
            raise InputError(
                f"{not_numbers} weights are NaN or infinite",
                file=self.file,
                field=column,
                remedy="Write positive numbers",
            )
        if not_numbers:
            text = f"{not_numbers} cells of {column!r} are NaN or infinite; they count as missing, not as 0"
            self.notes += (Note("not_a_number", text),)
        return found

    def _whole(self, number: float, column: str) -> int:
        if not number.is_integer():
            raise InputError(f"{number:g} is no whole number", file=self.file, field=column)
        return int(number)

    def _with_values(self, frame: pl.DataFrame, name: str) -> pl.DataFrame:
        """Return the rows with system and value; a wide table gives a row for each of its systems."""
        columns = self.mapped.columns
        if self.options.wide:
            parts = [
                self._value(frame, column).with_columns(system=pl.lit(column)) for column in self.options.wide
            ]
            return pl.concat(parts)
        if "value" not in columns:
            wide = self._like_values()
            each = " ".join(f"--wide {shlex.quote(column)}" for column in wide)
            known = f"aliquot read {shlex.quote(self.file)} {each} for a column a system"
            raise self._unmapped(
                "the values",
                f"--value-column NAME, or {known if wide else '--wide A --wide B for a column a system'}",
            )
        system = pl.lit(name)
        if "system" in columns:
            names = [text_of(cell) or name for cell in self._cells("system")]
            system = pl.Series("system", names, dtype=pl.String)
        return self._value(frame, columns["value"]).with_columns(system=system)

    def _like_values(self) -> list[str]:
        """Return the columns not taken for anything that hold numbers or truth values alone, when there are several."""
        used = {*self.mapped.columns.values(), *self.mapped.segments.values()}
        found = [
            column
            for column, cells in self.table.columns.items()
            if column not in used and holds_values(cells, missing=self.options.missing)
        ]
        return found if len(found) > 1 else []

    def _value(self, frame: pl.DataFrame, column: str) -> pl.DataFrame:
        found = self._numbers(column)
        if empty := sum(value is None for value in found):
            self.notes += (
                Note("missing_values", f"{empty} of {len(found)} cells of {column!r} hold no value"),
            )
        return frame.with_columns(value=pl.Series(found, dtype=pl.Float64))

    def _with_status(self, frame: pl.DataFrame) -> pl.DataFrame:
        derived = pl.when(pl.col("value").is_null()).then(pl.lit("missing")).otherwise(pl.lit("ok"))
        none = pl.lit(None, dtype=pl.String)
        given, own = (
            pl.col(name) if name in frame.columns else none for name in ("status", "outcome status")
        )
        frame = frame.with_columns(given.cast(pl.String).alias("given status"))
        frame = frame.with_columns(status=pl.coalesce("given status", derived))
        return frame.with_columns(pl.coalesce(own.cast(pl.String), "status").alias("outcome status"))

    def _with_content(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return the rows with the hash of what each item asks, when the table says it."""
        if "content" not in self.item_columns or "content" in frame.columns:
            return frame
        parts = [
            frame[name] if name in frame.columns else [None] * frame.height
            for name in ("inputs", "reference")
        ]
        return frame.with_columns(
            content=pl.Series([content_hash(*pair) for pair in zip(*parts, strict=True)])
        )


def _first(rows: pl.DataFrame, key: Sequence[str], columns: Sequence[str], **others: pl.Expr) -> pl.DataFrame:
    """Return a row for each key with the first thing said in each column, and other columns as they are made."""
    said = [pl.col(name).drop_nulls().first() for name in columns]
    return rows.group_by(key, maintain_order=True).agg(*said, **others)


def _with_answered(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with the content an attempt answered, where that is not what its item says elsewhere."""
    if "content" not in rows.columns:
        return rows.with_columns(answered=pl.lit(None, dtype=pl.String))
    item = pl.col("content").drop_nulls().first().over("task", "item")
    return rows.with_columns(answered=pl.when(pl.col("content") != item).then(pl.col("content")))


def _response_status() -> pl.Expr:
    """Return an attempt's status: the first that is given, else ok when any of its rows has a value."""
    derived = pl.when(pl.col("value").is_not_null().any()).then(pl.lit("ok")).otherwise(pl.lit("missing"))
    return pl.coalesce(pl.col("given status").drop_nulls().first(), derived)


def _metrics(outcomes: pl.DataFrame, options: ReadOptions) -> pl.DataFrame:
    """Return the metrics: as the user says, as the table says, else as the values show."""
    given: dict[str, Any] = {
        "kind": options.kind,
        "low": options.low,
        "high": options.high,
        "better": options.better,
    }
    rows: list[dict[str, Any]] = []
    for name in outcomes["metric"].unique(maintain_order=True):
        own = outcomes.filter(pl.col("metric") == name)
        told = _told(own)
        said = {key: told.get(key) if value is None else value for key, value in given.items()}
        row = metric_row(name, own["value"], **said)
        unnamed = {key for key in told if given.get(key) is None and key not in {"kind", "better"}}
        rows.append(row | {key: told[key] for key in unnamed})
    return pl.DataFrame(rows, schema=dict(METRICS))


def _told(rows: pl.DataFrame) -> dict[str, Any]:
    """Return what the columns of the long table say of the metric of these rows."""
    columns = {short: shown for shown, short in METRIC.items() if shown in rows.columns}
    return {short: next(iter(rows[shown].drop_nulls()), None) for short, shown in columns.items()}


def _texts(rows: pl.DataFrame) -> HeldTexts | None:
    if not any(name in rows.columns for name in TEXTS):
        return None
    texts = rows.select(
        "system", "task", "item", "attempt", "metric",
        *(pl.col(name) if name in rows.columns else pl.lit(None, dtype=pl.String).alias(name) for name in
        TEXTS),
    )  # fmt: skip
    items = {(row[1], row[2]): (row[5], row[6]) for row in texts.iter_rows()}
    answers = {row[:4]: row[7] for row in texts.iter_rows() if row[7] is not None}
    notes = {row[:5]: row[8] for row in texts.iter_rows() if row[8]}
    return HeldTexts(items=items, responses=answers, notes=notes)
