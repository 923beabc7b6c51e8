"""Rows to read: items of a comparison with what both systems did on them, texts included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Change: TypeAlias = Literal["broke", "fixed", "still_failing", "differ", "same"]


@dataclass(frozen=True, slots=True)
class SideOfRow:
    """What one system did on an item: value (None without one) and status of each attempt, and one attempt's answer."""

    system: str
    values: tuple[float | None, ...]
    statuses: tuple[str, ...]
    attempt: int
    text: str | None


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
    """

    item: str
    change: Change
    labels: Mapping[str, str]
    inputs: str | None
    reference: str | None
    baseline: SideOfRow
    candidate: SideOfRow


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
