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
        values: the value of each attempt under the metric; None without one.
        statuses: the response status of each attempt.
        attempt: the attempt shown, from 1.
        text: its answer, when the evidence keeps it.
        turns: its answer as a conversation, when it is one.
        notes: metric → what its scorer said of the attempt.
        scores: metric → its value on the attempt, the other metrics included.
        facts: what the attempt took: latency, tokens, money, steps.
    """

    system: str
    values: tuple[float | None, ...]
    statuses: tuple[str, ...]
    attempt: int
    text: str | None
    turns: tuple[Turn, ...] | None = None
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    facts: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Row:
    """One item with both sides.

    Attributes:
        item: its id.
        change: newly failing (broke), newly fixed (fixed), still failing, no value on one side (differ), or same.
        labels: cluster and segments by name.
        inputs: what the item asks, when the evidence keeps it.
        reference: what is expected, when the evidence keeps it.
        baseline: the baseline's side; None where one system is read alone.
        candidate: the candidate's side.
        asks: what the item asks as a conversation, when it is one.
        metadata: what else the log tells of the item.
    """

    item: str
    change: Change
    labels: Mapping[str, str]
    inputs: str | None
    reference: str | None
    baseline: SideOfRow | None
    candidate: SideOfRow
    asks: tuple[Turn, ...] | None = None
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of one comparison that were asked for, and how many there are of each change.

    Attributes:
        baseline: system A; None where one system is read alone.
        candidate: system B, or the one there is.
        task: the task.
        metric: the metric.
        counts: items by change, over all shared items.
        rows: the rows shown, by change and then by id.
        left_out: rows that fit the wish and are not shown.
        reading_order: places in ``rows`` of the items that the candidate fails, in a random order to read them in.
    """

    baseline: str | None
    candidate: str
    task: str
    metric: str
    counts: Mapping[Change, int]
    rows: tuple[Row, ...]
    left_out: int
    reading_order: tuple[int, ...] = ()
