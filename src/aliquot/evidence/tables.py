"""The tables of evidence: what is known about items, responses and outcomes, each fact once.

Keys are in parentheses: items (task, item), responses (system, task, item, attempt), outcomes (system, task,
    item,
attempt, metric, scorer, repeat), metrics (metric), reported (system, task, metric, statistic), settings
(system, name). Ids are text compared byte for byte. Texts (inputs, references, answers, notes) are held apart
and read on demand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

import polars as pl

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
"""Columns of ``items``; ``segment.<name>`` columns (text) may follow."""

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
    "started": pl.String(),
    "cached": pl.Boolean(),
    "content": pl.String(),
}
"""``content`` is set only where other inputs were answered than ``items.content`` says (after a merge)."""

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
}

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
    """Something the reader of a log must say: a stable code and a sentence."""

    code: str
    text: str


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


def _empty(schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    return pl.DataFrame(schema=dict(schema))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything known about one or more evaluated systems; frozen, made by a reader or by ``merge``."""

    items: pl.DataFrame
    responses: pl.DataFrame
    outcomes: pl.DataFrame
    metrics: pl.DataFrame
    reported: pl.DataFrame = field(default_factory=lambda: _empty(REPORTED))
    settings: pl.DataFrame = field(default_factory=lambda: _empty(SETTINGS))
    sources: tuple[Source, ...] = ()
    notes: tuple[Note, ...] = ()
    texts: Texts | None = None
