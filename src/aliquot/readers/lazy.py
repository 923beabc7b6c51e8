"""Lazy frames as evidence: the rows stay where they are; only items, names and checks are brought here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import narwhals as nw
import polars as pl

from aliquot.errors import InputError, NoRowsError, UsageError
from aliquot.evidence.assembly import DEFAULTS, KEYS, conform
from aliquot.evidence.long_table import ORDER
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.status import STATUSES
from aliquot.evidence.tables import METRICS, OUTCOMES, RESPONSES, Evidence, LazyTable, Note, Source
from aliquot.readers.columns import Mapped, map_columns
from aliquot.readers.options import ReadOptions

FILE: Final = "the frame"

COLLECT: Final = "Collect the frame first."

_ROW: Final = ("system", "task", "item", "attempt", "metric", "scorer")
_TEXT: Final = ("task", "metric", "scorer", "cluster", "stratum", "reason", "started", "currency", "stage")
_REAL: Final = ("cost", "latency_s", "first_token_s", "log_probability", "weight")


def lazy_evidence(frame: nw.LazyFrame[Any], options: ReadOptions, *, name: str, source: Source) -> Evidence:
    """Return evidence whose responses and outcomes stay in the frame's engine until they are reduced.

    Three reductions run at once: the items with what is said of them, the names and ranges of the metrics, and a
    search for rows that are there twice. The status of an attempt with several rows is ok when one of them is.

    Args:
        frame: a row an outcome, or a row an item with ``options.wide``.
        options: what the columns mean; an item column is needed.
        name: the system's name when no column says it.
        source: where the frame came from.

    Raises:
        UsageError: the columns cannot be told or have another type than needed, or the options need rows in order.
        InputError: a row without an id, rows of one key, an item that contradicts itself, an unknown status.
    """
    schema = frame.collect_schema()
    mapped = map_columns(schema.names(), options, file=FILE)
    _refuse_ordered(options, mapped)
    reading = _Lazily(frame=frame, schema=dict(schema.items()), mapped=mapped, options=options, name=name)
    rows = reading.rows()
    items, ranges = reading.items(rows), _ranges(rows)
    reading.refuse_duplicates(rows)
    attempts = ranges.select("system", "task").unique(maintain_order=True)
    scored = ranges.select("system", "task", "metric", "scorer")
    return Evidence(
        items=items,
        responses=LazyTable(_responses(rows), attempts, RESPONSES, KEYS["responses"]),
        outcomes=LazyTable(_outcomes(rows), scored, OUTCOMES, KEYS["outcomes"]),
        metrics=_metrics(ranges, options),
        sources=(source,),
        notes=(*mapped.notes, *_notes(ranges)),
    )


@dataclass(frozen=True, slots=True)
class _Lazily:
    """A lazy frame on its way to typed rows."""

    frame: nw.LazyFrame[Any]
    schema: Mapping[str, Any]
    mapped: Mapped
    options: ReadOptions
    name: str

    def rows(self) -> nw.LazyFrame[Any]:
        """Return a row an outcome: every column of responses and outcomes, and what is said of the item."""
        columns = self.mapped.columns
        if self.options.wide:
            parts = [self._typed(column, nw.lit(column)) for column in self.options.wide]
            return nw.concat(parts, how="vertical")
        system = (
            self._text(columns["system"]).fill_null(self.name) if "system" in columns else nw.lit(self.name)
        )
        return self._typed(columns["value"], system)

    def _typed(self, value: str, system: nw.Expr) -> nw.LazyFrame[Any]:
        known: dict[str, nw.Expr] = {
            meaning: self._expression(meaning, column)
            for meaning, column in self.mapped.columns.items()
            if meaning in {*RESPONSES, *_TEXT, "attempt", "weight"} and meaning not in {"system", "status"}
        }
        known |= {
            own: nw.col(self.mapped.columns[shown]).cast(nw.Int64)
            for shown, own in ORDER.items()
            if shown in self.mapped.columns
        }
        defaults = {name: DEFAULTS[name] for name in ("task", "attempt", "metric", "scorer")}
        defaults["metric"] = self.mapped.metric
        for name, default in defaults.items():
            known[name] = known[name].fill_null(default) if name in known else _literal(default, name)
        segments = {place: self._text(self.mapped.segments[name]) for place, name in self._segments().items()}
        number = self._number(value)
        finite = nw.when(number.is_finite()).then(number)
        selected = self.frame.select(
            system=system, value=finite, bad=(~number.is_finite()).cast(nw.Int64), status=self._status(),
            **known, **segments,
        )  # fmt: skip
        derived = nw.when(nw.col("value").is_null()).then(nw.lit("missing")).otherwise(nw.lit("ok"))
        filled = nw.when(nw.col("status").is_null()).then(derived).otherwise(nw.col("status"))
        return selected.with_columns(status=filled)

    def _status(self) -> nw.Expr:
        column = self.mapped.columns.get("status")
        if column is None:
            return nw.lit(None, dtype=nw.String)
        return self._text(column).str.to_lowercase()

    def _expression(self, meaning: str, column: str) -> nw.Expr:
        if meaning == "item" or meaning in _TEXT:
            return self._text(column)
        if meaning in _REAL:
            return self._number(column)
        return nw.col(column).cast(nw.Boolean if meaning == "cached" else nw.Int64)

    def _text(self, column: str) -> nw.Expr:
        kind = self.schema[column]
        if not (
            kind == nw.String or kind.is_integer() or kind == nw.Categorical or isinstance(kind, nw.Enum)
        ):
            raise UsageError(
                f"{FILE}: column {column!r} of type {kind} cannot name anything. Cast it to text."
            )
        return nw.col(column).cast(nw.String)

    def _number(self, column: str) -> nw.Expr:
        kind = self.schema[column]
        if not (kind.is_numeric() or kind == nw.Boolean):
            raise UsageError(
                f"{FILE}: column {column!r} of type {kind} holds no numbers. Cast it, or collect the frame."
            )
        return nw.col(column).cast(nw.Float64)

    def items(self, rows: nw.LazyFrame[Any]) -> pl.DataFrame:
        """Return the table of items."""
        said = [name for name in ("cluster", "stratum", "weight") if name in self.mapped.columns]
        said += [own for shown, own in ORDER.items() if shown in self.mapped.columns]
        said += self._segments()
        lows = [nw.col(name).min().alias(name) for name in said]
        highs = [nw.col(name).max().alias(f"high {name}") for name in said]
        found = _here(rows.group_by("task", "item").agg(nw.len().alias("rows"), *lows, *highs)).sort(
            "task", "item"
        )
        if found["item"].null_count() or (found["item"] == "").any():
            raise InputError("a row has no id", file=FILE, field=self.mapped.columns["item"])
        for name in said:
            differing = found.filter(pl.col(name) != pl.col(f"high {name}"))
            if differing.height:
                what = self._segments().get(name, name)
                raise InputError(f"item {differing['item'][0]!r} has more than one {what}", file=FILE)
        names = {place: f"segment.{name}" for place, name in self._segments().items()}
        return conform("items", found.drop("rows", *(f"high {name}" for name in said)).rename(names))

    def _segments(self) -> dict[str, str]:
        """Return a name for each segment that every engine takes (Spark reads a dot as a step into a record)."""
        return {f"segment_{place}": name for place, name in enumerate(self.mapped.segments)}

    def refuse_duplicates(self, rows: nw.LazyFrame[Any]) -> None:
        """Raise InputError when rows of one key are there, or a status is unknown."""
        counted = rows.group_by(*_ROW).agg(nw.len().alias("rows"))
        repeated = _here(counted.filter(nw.col("rows") > 1).head(1))
        if repeated.height:
            system, _, item = repeated.select("system", "task", "item").row(0)
            remedy = (
                "Name the column that counts attempts (options.attempt), or collect the frame to settle them"
            )
            raise InputError(f"item {item!r} of {system!r} has more than one row", file=FILE, remedy=remedy)
        if "status" in self.mapped.columns:
            unknown = _here(rows.filter(~nw.col("status").is_in(STATUSES)).select("status").head(1))
            if unknown.height:
                remedy = f"Known: {', '.join(STATUSES)}"
                raise InputError(f"there is no status {unknown['status'][0]!r}", file=FILE, remedy=remedy)


def _refuse_ordered(options: ReadOptions, mapped: Mapped) -> None:
    """Raise UsageError for what only rows at hand can do."""
    if "item" not in mapped.columns:
        raise UsageError(
            f"{FILE}: a lazy frame must bring its item ids. Name their column (item=). {COLLECT}"
        )
    if "value" not in mapped.columns and not options.wide:
        raise UsageError(f"{FILE}: no column holds the values. Name it (value=). {COLLECT}")
    if "try" in mapped.columns or options.duplicates != "error" or options.missing:
        raise UsageError(
            f"{FILE}: tries, duplicates and texts for missing are settled on rows at hand. {COLLECT}"
        )


def _ranges(rows: nw.LazyFrame[Any]) -> pl.DataFrame:
    """Return the names with the smallest, largest and a not binary value, and how many are missing or not finite."""
    other = nw.when((nw.col("value") != 0.0) & (nw.col("value") != 1.0)).then(nw.col("value"))
    found = (
        rows.with_columns(other=other)
        .group_by("system", "task", "metric", "scorer")
        .agg(
            nw.col("value").min().alias("low"),
            nw.col("value").max().alias("high"),
            nw.col("other").min(),
            nw.len().cast(nw.Int64).alias("rows"),
            nw.col("value").is_null().cast(nw.Int64).sum().alias("missing"),
            nw.col("bad").sum().cast(nw.Int64),
        )
    )
    ranges = _here(found).sort("system", "task", "metric", "scorer")
    if not ranges.height:
        raise NoRowsError("the frame has no rows")
    return ranges


def _metrics(ranges: pl.DataFrame, options: ReadOptions) -> pl.DataFrame:
    given: dict[str, Any] = {name: getattr(options, name) for name in ("kind", "low", "high", "better")}
    rows = [
        metric_row(name, pl.concat([own[column] for column in ("low", "high", "other")]), **given)
        for name in ranges["metric"].unique(maintain_order=True)
        for own in [ranges.filter(pl.col("metric") == name)]
    ]
    return pl.DataFrame(rows, schema=dict(METRICS))


def _notes(ranges: pl.DataFrame) -> tuple[Note, ...]:
    missing, bad, rows = (int(ranges[name].sum()) for name in ("missing", "bad", "rows"))
    notes: list[Note] = []
    if bad:
        notes.append(
            Note("not_a_number", f"{bad} values are NaN or infinite; they count as missing, not as 0")
        )
    if missing:
        notes.append(Note("missing_values", f"{missing} of {rows} rows hold no value"))
    return tuple(notes)


def _responses(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Return a row an attempt."""
    held = rows.collect_schema().names()
    said = [name for name in RESPONSES if name in held and name not in {*KEYS["responses"], "status"}]
    attempts = rows.group_by(*KEYS["responses"]).agg(
        (nw.col("status") == "ok").any().alias("any_ok"),
        nw.col("status").min().alias("first"),
        *(nw.col(name).max() for name in said),
    )
    status = nw.when(nw.col("any_ok")).then(nw.lit("ok")).otherwise(nw.col("first"))
    return _shaped(
        attempts.with_columns(status=status), RESPONSES, known={*KEYS["responses"], "status", *said}
    )


def _outcomes(rows: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    return _shaped(rows, OUTCOMES, known={*_ROW, "value", "status"})


def _shaped(
    rows: nw.LazyFrame[Any], schema: Mapping[str, pl.DataType], *, known: set[str]
) -> nw.LazyFrame[Any]:
    """Return the rows with exactly the columns of a table; ``parts`` stays out, an engine may have no lists."""
    names = [name for name in schema if name != "parts"]
    return rows.select(
        *(nw.col(name) if name in known else _literal(DEFAULTS.get(name), name) for name in names)
    )


def _literal(value: Any, name: str) -> nw.Expr:
    kind = ({**RESPONSES, **OUTCOMES})[name]
    return nw.lit(value, dtype=_TYPES[type(kind)]).alias(name)


_TYPES: Final[Mapping[type, Any]] = {
    pl.String: nw.String,
    pl.Float64: nw.Float64,
    pl.Int64: nw.Int64,
    pl.Boolean: nw.Boolean,
}


def _here(rows: nw.LazyFrame[Any]) -> pl.DataFrame:
    return rows.collect(backend="polars").to_native()
