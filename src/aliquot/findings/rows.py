"""Rows to read: items of a comparison with what both systems did on them, texts included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from aliquot.evidence.transcripts import Turn

Change: TypeAlias = Literal["broke", "fixed", "still_failing", "differ", "same"]


@dataclass(frozen=True, slots=True)
class SideOfRow:
    """What one system did on an item.

    Attributes:
        system: its name.
        values: the value of each attempt, None without one.
        statuses: the status of each attempt's response.
        attempt: the attempt whose texts follow, from 1.
        text: its answer, when the evidence keeps it.
        notes: metric → what its scorer said of that attempt.
        turns: the attempt as a conversation, None when the answer is a single text.
    """

    system: str
    values: tuple[float | None, ...]
    statuses: tuple[str, ...]
    attempt: int
    text: str | None
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    turns: tuple[Turn, ...] | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One item with both sides.

    Attributes:
        item: its id.
        change: newly failing (broke), newly fixed (fixed), still failing, no value on one side (differ), or same.
        labels: cluster and segments by name.
        inputs: what the item asks, when the evidence keeps it.
        reference: what is expected, when the evidence keeps it.
        baseline: the baseline's side.
        candidate: the candidate's side.
        metadata: what else the log tells of the item.
        asks: the inputs as a conversation, None when they are a single text.
    """

    item: str
    change: Change
    labels: Mapping[str, str]
    inputs: str | None
    reference: str | None
    baseline: SideOfRow
    candidate: SideOfRow
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    asks: tuple[Turn, ...] | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one comparison that were asked for, and how many there are of each change.

    Attributes:
        baseline: system A.
        candidate: system B.
        task: the task.
        metric: the metric.
        counts: items by change, over all shared items.
        rows: the rows shown, by change and then by id.
        left_out: rows that fit the wish and are not shown.
    """

    baseline: str
    candidate: str
    task: str
    metric: str
    counts: Mapping[Change, int]
    rows: tuple[Row, ...]
    left_out: int
