"""What one system did on one item: its attempts, and of one of them the answer, its scores and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

import polars as pl

from aliquot.analysis.row_facts import facts_of, scores_of
from aliquot.evidence.status import resolve
from aliquot.evidence.tables import Evidence, Texts
from aliquot.evidence.units import Units
from aliquot.findings.rows import SideOfRow

Attempts: TypeAlias = tuple[tuple[float | None, ...], tuple[str, ...]]
"""The value and the response status of each attempt at an item."""

_NONE: Attempts = ((), ())


class SideReader:
    """Reads one system's sides of items; tables are read once, texts one at a time."""

    def __init__(self, evidence: Evidence, units: Units, *, lower: bool) -> None:
        """Read the tables.

        Args:
            evidence: the tables.
            units: the system under a task and metric.
            lower: whether a smaller value is better.
        """
        self._texts, self._system, self._task, self._lower = evidence.texts, units.system, units.task, lower
        self._metrics = _metrics(evidence, units)
        self._attempts = _attempts(evidence, units)
        self._scores = scores_of(evidence, units.system, task=units.task)
        self._facts = facts_of(evidence, units.system, task=units.task)

    def statuses(self, item: str) -> tuple[str, ...]:
        """Return the response statuses of an item's attempts."""
        return self._attempts.get(item, _NONE)[1]

    def side(self, item: str, *, worst: bool) -> SideOfRow:
        """Return the side of an item, with the worst attempt or the best one."""
        values, statuses = self._attempts.get(item, _NONE)
        attempt = _telling(values, worst=worst, lower=self._lower)
        side = SideOfRow(
            system=self._system,
            values=values,
            statuses=statuses,
            attempt=attempt,
            text=None,
            scores=self._scores.get((item, attempt), {}),
            facts=self._facts.get((item, attempt), {}),
        )
        return side if self._texts is None else self._with_texts(side, self._texts, item)

    def _with_texts(self, side: SideOfRow, texts: Texts, item: str) -> SideOfRow:
        """Return a side with the texts of its attempt: the answer, the conversation, and what scorers said."""
        key = (self._system, self._task, item, side.attempt)
        said = {metric: note for metric in self._metrics if (note := texts.note(*key, metric))}
        return replace(side, text=texts.response(*key), notes=said, turns=texts.transcript(*key))


def _metrics(evidence: Evidence, units: Units) -> list[str]:
    """Return the metrics under which a system has outcomes on a task."""
    names = evidence.names("outcomes")
    mine = names.filter(pl.col("system") == units.system, pl.col("task") == units.task)
    return mine["metric"].unique(maintain_order=True).to_list()


def _attempts(evidence: Evidence, units: Units) -> Mapping[str, Attempts]:
    """Return the value and the response status of each attempt, by item."""
    outcomes = evidence.rows("outcomes", system=units.system, task=units.task, metric=units.metric)
    responses = evidence.rows("responses", system=units.system, task=units.task)
    resolved = resolve(outcomes, responses, evidence.metrics)
    values = resolved.group_by("item", "attempt", maintain_order=True).agg(pl.col("value").mean())
    rows = (
        responses.select("item", "attempt", "status")
        .join(values, on=["item", "attempt"], how="left")
        .sort("item", "attempt")
    )
    grouped = rows.group_by("item", maintain_order=True).agg("value", "status")
    return {item: (tuple(values), tuple(statuses)) for item, values, statuses in grouped.iter_rows()}


def _telling(values: tuple[float | None, ...], *, worst: bool, lower: bool) -> int:
    """Return the attempt worth reading, from 1: the worst where a side failed, the best where it did well."""
    known = [(value, place) for place, value in enumerate(values, start=1) if value is not None]
    if not known:
        return 1
    smallest = worst != lower
    return min(known, key=lambda pair: (pair[0] if smallest else -pair[0], pair[1]))[1]
