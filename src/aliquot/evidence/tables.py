"""The tables of evidence: what is known about items, responses and outcomes, each fact once.

Keys are in parentheses: items (task, item), responses (system, task, item, attempt), outcomes (system, task, item,
attempt, metric, scorer, repeat), stages (system, task, item, attempt, place), votes (task, item, system_a, system_b,
rater, repeat), metrics (metric), reported (system, task, metric, statistic), settings (system, name). Ids are text
compared byte for byte. Texts (inputs, references, answers, notes) are held apart and read on demand. Responses and
outcomes may stay where they are (DuckDB, PySpark, lazy Polars) until they are reduced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeAlias

import narwhals as nw
import polars as pl

from aliquot.evidence.told_options import ToldOptions
from aliquot.evidence.transcripts import Turn

Kind: TypeAlias = Literal["binary", "ordinal", "bounded", "real", "category"]
Better: TypeAlias = Literal["higher", "lower", "none"]
ScoredBy: TypeAlias = Literal["rule", "judge", "person"]

ITEMS: Mapping[str, pl.DataType] = {
    "task": pl.String(),
    "item": pl.String(),
    "content": pl.String(),
    "cluster": pl.String(),
    "stratum": pl.String(),
    "weight": pl.Float64(),
}
"""Columns of ``items``; ``segment.<name>`` columns (text) may follow, and those of ``ORDERED``."""

ORDERED: Mapping[str, pl.DataType] = {"place": pl.Int64(), "largest": pl.Int64()}
"""Columns of the items of a run that could stop after each of them: the item's place in the order that was fixed before
the run, and the rows of the largest cluster of the whole set."""

RESPONSES: Mapping[str, pl.DataType] = {
    "system": pl.String(),
    "task": pl.String(),
    "item": pl.String(),
    "attempt": pl.Int64(),
    "status": pl.String(),
    "reason": pl.String(),
    "stage": pl.String(),
    "latency_s": pl.Float64(),
    "first_token_s": pl.Float64(),
    "tokens_in": pl.Int64(),
    "tokens_out": pl.Int64(),
    "tokens_reasoning": pl.Int64(),
    "tokens_cached": pl.Int64(),
    "cost": pl.Float64(),
    "currency": pl.String(),
    "steps": pl.Int64(),
    "tool_calls": pl.Int64(),
    "tool_errors": pl.Int64(),
    "log_probability": pl.Float64(),
    "log_probability_tokens": pl.Int64(),
    "started": pl.String(),
    "cached": pl.Boolean(),
    "content": pl.String(),
}
"""``log_probability`` is the natural logarithm of how probable a written answer was, summed over its
``log_probability_tokens`` tokens.
``content`` is set only where other inputs were answered than ``items.content`` says (after a merge)."""

OUTCOMES: Mapping[str, pl.DataType] = {
    "system": pl.String(),
    "task": pl.String(),
    "item": pl.String(),
    "attempt": pl.Int64(),
    "metric": pl.String(),
    "scorer": pl.String(),
    "repeat": pl.Int64(),
    "value": pl.Float64(),
    "label": pl.String(),
    "status": pl.String(),
    "by": pl.String(),
    "parts": pl.List(pl.Float64()),
}
"""``parts`` are the numbers from which a metric of the whole corpus is made; such a row may lack a value."""

STAGES: Mapping[str, pl.DataType] = {
    "system": pl.String(),
    "task": pl.String(),
    "item": pl.String(),
    "attempt": pl.Int64(),
    "place": pl.Int64(),
    "stage": pl.String(),
    "status": pl.String(),
    "reason": pl.String(),
    "latency_s": pl.Float64(),
    "values": pl.String(),
}
"""What each stage of a pipeline did on the way to an answer, where the system tells. ``place`` counts from 1 in the
order told; ``values`` is JSON: small facts to judge the stage by, such as the ids of what was retrieved."""

VOTES: Mapping[str, pl.DataType] = {
    "task": pl.String(),
    "item": pl.String(),
    "system_a": pl.String(),
    "system_b": pl.String(),
    "rater": pl.String(),
    "repeat": pl.Int64(),
    "verdict": pl.String(),
    "label": pl.String(),
    "status": pl.String(),
    "by": pl.String(),
    "shown_first": pl.String(),
    "session": pl.String(),
    "at": pl.String(),
}
"""Preferences between two systems. ``verdict`` is a, b, tie or both_bad, ``label`` the log's own word for it,
``shown_first`` a or b, ``at`` an ISO 8601 time."""

METRICS: Mapping[str, pl.DataType] = {
    "metric": pl.String(),
    "kind": pl.String(),
    "low": pl.Float64(),
    "high": pl.Float64(),
    "better": pl.String(),
    "on_failure": pl.Float64(),
    "judge": pl.String(),
    "combine": pl.String(),
    "headline": pl.Boolean(),
}

REPORTED: Mapping[str, pl.DataType] = {
    "system": pl.String(),
    "task": pl.String(),
    "metric": pl.String(),
    "statistic": pl.String(),
    "value": pl.Float64(),
}

SETTINGS: Mapping[str, pl.DataType] = {"system": pl.String(), "name": pl.String(), "value": pl.String()}


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader of a log must say.

    Attributes:
        code: a stable name.
        text: a sentence.
        task: the one task it is about; empty when it is about all.
        metric: the one metric it is about; empty when it is about all.
        bare: the same sentence without words of an item or an answer; empty when there are none in it.
    """

    code: str
    text: str
    task: str = ""
    metric: str = ""
    bare: str = ""

    @property
    def shareable(self) -> str:
        """The sentence for those who may not see what items ask and systems answer."""
        return self.bare or self.text

    def concerns(self, *, task: str, metric: str) -> bool:
        """Tell whether it is about this task and metric, or about all."""
        return self.task in {"", task} and self.metric in {"", metric}


@dataclass(frozen=True, slots=True)
class Source:
    """Where evidence came from: the path as given, format and version, SHA-256 of the bytes where cheap."""

    path: str
    format: str
    version: str = ""
    sha256: str = ""


class Texts(Protocol):
    """Texts held apart from the tables: read one at a time, never part of an analysis frame."""

    def inputs(self, task: str, item: str) -> str | None:
        """Return what an item asks, as one text."""
        ...

    def reference(self, task: str, item: str) -> str | None:
        """Return an item's reference, as one text."""
        ...

    def response(self, system: str, task: str, item: str, attempt: int) -> str | None:
        """Return what a system answered."""
        ...

    def note(self, system: str, task: str, item: str, attempt: int, metric: str) -> str | None:
        """Return what a scorer said of one outcome: a judge's reason, why an assertion failed, its own error."""
        ...

    def transcript(self, system: str, task: str, item: str, attempt: int) -> tuple[Turn, ...] | None:
        """Return an attempt as a conversation, None when the answer is a single text."""
        ...

    def options(self, system: str, task: str, item: str, attempt: int) -> ToldOptions | None:
        """Return how probable each option of a choice was to a system, None where the log does not tell."""
        ...

    def metadata(self, task: str, item: str) -> Mapping[str, str]:
        """Return what else the log tells of an item, as bounded texts; empty when it tells nothing."""
        ...


def _empty(schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    return pl.DataFrame(schema=dict(schema))


def _equal(values: Mapping[str, str]) -> list[nw.Expr]:
    return [nw.col(name) == value for name, value in values.items()]


@dataclass(frozen=True, slots=True)
class LazyTable:
    """A table whose rows stay where they are.

    Attributes:
        rows: the rows, with the columns and types of their table; columns an engine cannot hold may lack.
        names: system and task (of outcomes metric and scorer too) as they occur together.
        schema: the columns of the table.
        key: the columns that make a row unique; collected rows are sorted by them.
    """

    rows: nw.LazyFrame[Any]
    names: pl.DataFrame
    schema: Mapping[str, pl.DataType]
    key: tuple[str, ...]

    def collect(self, **values: str) -> pl.DataFrame:
        """Return the rows with these values, brought here and sorted."""
        chosen = self.rows.filter(*_equal(values)) if values else self.rows
        found: pl.DataFrame = chosen.collect(backend="polars").to_native()
        return pl.concat([_empty(self.schema), found], how="diagonal").sort(self.key)


class _Held:
    """A table of evidence: read as a frame; a lazy one is brought here when it is first read as such."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, evidence: object | None, owner: type | None = None) -> pl.DataFrame:
        if evidence is None:
            raise AttributeError(self.name)  # so that the dataclass sees no default
        held = evidence.__dict__[self.name]
        if isinstance(held, LazyTable):
            held = evidence.__dict__[self.name] = held.collect()
        return held

    def __set__(self, evidence: object, value: pl.DataFrame | LazyTable) -> None:
        evidence.__dict__[self.name] = value


RowsOf: TypeAlias = Literal["responses", "outcomes"]


@dataclass(frozen=True, eq=False, repr=False)
class Evidence:
    """Everything known about one or more evaluated systems; frozen, made by a reader or by ``merge``.

    ``responses`` and ``outcomes`` may be given as ``LazyTable``. Read as attributes they are brought here whole;
    ``scan``, ``rows`` and ``names`` leave them where they are, and cost nothing when they are here already.
    """

    items: pl.DataFrame
    responses: _Held = _Held()
    outcomes: _Held = _Held()
    metrics: pl.DataFrame = field(default_factory=lambda: _empty(METRICS))
    reported: pl.DataFrame = field(default_factory=lambda: _empty(REPORTED))
    settings: pl.DataFrame = field(default_factory=lambda: _empty(SETTINGS))
    votes: pl.DataFrame = field(default_factory=lambda: _empty(VOTES))
    stages: pl.DataFrame = field(default_factory=lambda: _empty(STAGES))
    sources: tuple[Source, ...] = ()
    notes: tuple[Note, ...] = ()
    texts: Texts | None = None

    def __repr__(self) -> str:
        where = ", ".join(source.path or source.format for source in self.sources)
        return f"<Evidence of {self.items.height} items and {self.metrics.height} metrics{where and ': '}{where}>"

    @property
    def is_lazy(self) -> bool:
        """Whether responses or outcomes are elsewhere."""
        return any(isinstance(self.held(table), LazyTable) for table in ("responses", "outcomes"))

    def held(self, table: RowsOf) -> pl.DataFrame | LazyTable:
        """Return a table as it was given, without bringing it here."""
        return self.__dict__[table]

    def revise(self, **changes: Any) -> Evidence:
        """Return the evidence with some fields changed; ``dataclasses.replace`` would bring lazy rows here."""
        held = {"responses": self.held("responses"), "outcomes": self.held("outcomes")}
        return replace(self, **(held | changes))

    def scan(self, table: RowsOf, **values: str) -> nw.LazyFrame[Any]:
        """Return the rows with these values, to be reduced where they are."""
        held = self.held(table)
        rows = held.rows if isinstance(held, LazyTable) else nw.from_native(held.lazy())
        return rows.filter(*_equal(values)) if values else rows

    def rows(self, table: RowsOf, **values: str) -> pl.DataFrame:
        """Return the rows with these values, brought here."""
        held = self.held(table)
        if isinstance(held, LazyTable):
            return held.collect(**values)
        return held.filter(*(pl.col(name) == value for name, value in values.items())) if values else held

    def names(self, table: RowsOf) -> pl.DataFrame:
        """Return a frame in which every system and task (of outcomes: metric and scorer) occurs as in the table."""
        held = self.held(table)
        return held.names if isinstance(held, LazyTable) else held
