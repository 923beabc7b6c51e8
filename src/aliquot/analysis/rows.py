"""Which items changed, and what both systems said on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from aliquot.analysis.scales import scale_of
from aliquot.evidence.contents import require
from aliquot.evidence.messages import read_turns
from aliquot.evidence.status import resolve
from aliquot.evidence.tables import Evidence, Texts
from aliquot.evidence.units import Pairs
from aliquot.findings.comparison import Scale
from aliquot.findings.rows import Change, Row, Rows, SideOfRow

ORDER: tuple[Change, ...] = ("broke", "fixed", "still_failing", "differ", "same")
"""The order in which rows are shown: regressions first."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Which rows are asked for.

    Attributes:
        changes: the changes to show.
        status: only rows on which a system has this response status.
        items: only these ids.
        limit: most rows shown.
    """

    changes: Collection[Change] = ("broke", "fixed", "still_failing", "differ")
    status: str | None = None
    items: Collection[str] = ()
    limit: int = 10


def find_rows(evidence: Evidence, pairs: Pairs, *, wish: Wish) -> Rows:
    """Return the rows of a pairing that are asked for, with their texts."""
    a, b = pairs.baseline, pairs.candidate
    scale = scale_of(evidence, a.metric)
    frame = pairs.frame.filter(
        pl.col("a").is_not_null() | pl.col("b").is_not_null() | (pl.col("missing_a") > 0)
    )
    changes: dict[str, Change] = {
        row["item"]: _change(row["a"], row["b"], scale) for row in frame.iter_rows(named=True)
    }
    attempts = {
        side.system: _attempts(evidence, side.system, task=a.task, metric=a.metric) for side in (a, b)
    }
    metrics = {side.system: _metrics(evidence, side.system, task=a.task) for side in (a, b)}
    named = {_item_named(name, changes) for name in wish.items}
    wanted = [
        item
        for item, change in changes.items()
        if (item in named or (not named and change in wish.changes))
        and (
            wish.status is None or any(wish.status in side.get(item, _NONE)[1] for side in attempts.values())
        )
    ]
    wanted.sort(key=lambda item: (ORDER.index(changes[item]), item))
    known = {row["item"]: row for row in frame.iter_rows(named=True)}
    return Rows(
        baseline=a.system,
        candidate=b.system,
        task=a.task,
        metric=a.metric,
        counts=Counter(changes.values()),
        rows=tuple(
            _row(
                evidence,
                known[item],
                changes[item],
                attempts,
                pairs,
                metrics=metrics,
                lower=scale.better == "lower",
            )
            for item in wanted[: wish.limit]
        ),
        left_out=max(0, len(wanted) - wish.limit),
    )


def _item_named(name: str, known: Collection[str]) -> str:
    """Return the item a user means: its id, the beginning of it, or the form in which tables cut it."""
    head, _, tail = name.partition("...")
    found = [item for item in known if item.startswith(head) and item.endswith(tail)]
    if name in known or len(found) != 1:
        require(name, known if len(known) <= _LISTED else found or [next(iter(known))], what="shared item")
        return name
    return found[0]


_LISTED = 40
"""Ids an error lists at most."""

_NONE: tuple[tuple[float | None, ...], tuple[str, ...]] = ((), ())


def _change(a: float | None, b: float | None, scale: Scale) -> Change:
    """Return what happened to an item; for graded metrics down is broke and up is fixed."""
    if a is None or b is None:
        return "differ"
    gain = (a - b) if scale.better == "lower" else (b - a)
    if gain:
        return "fixed" if gain > 0 else "broke"
    worst = scale.high if scale.better == "lower" else scale.low
    return "still_failing" if worst is not None and a == worst else "same"


def _attempts(
    evidence: Evidence, system: str, *, task: str, metric: str
) -> dict[str, tuple[tuple[float | None, ...], tuple[str, ...]]]:
    """Return the value and the response status of each attempt, by item."""
    outcomes = evidence.rows("outcomes", system=system, task=task, metric=metric)
    responses = evidence.rows("responses", system=system, task=task)
    resolved = resolve(outcomes, responses, evidence.metrics)
    values = resolved.group_by("item", "attempt").agg(pl.col("value").mean())
    rows = (
        responses.select("item", "attempt", "status")
        .join(values, on=["item", "attempt"], how="left")
        .sort("item", "attempt")
    )
    grouped = rows.group_by("item", maintain_order=True).agg("value", "status")
    return {item: (tuple(values), tuple(statuses)) for item, values, statuses in grouped.iter_rows()}


def _row(
    evidence: Evidence,
    known: dict[str, object],
    change: Change,
    attempts: dict[str, dict[str, tuple[tuple[float | None, ...], tuple[str, ...]]]],
    pairs: Pairs,
    *,
    metrics: Mapping[str, Sequence[str]],
    lower: bool,
) -> Row:
    item, task, texts = str(known["item"]), pairs.baseline.task, evidence.texts

    def side(system: str, *, worst: bool) -> SideOfRow:
        values, statuses = attempts[system].get(item, _NONE)
        attempt = _telling(values, worst=worst, lower=lower)
        bare = SideOfRow(system=system, values=values, statuses=statuses, attempt=attempt, text=None)
        return bare if texts is None else _with_texts(bare, texts, task, item, metrics[system])

    labels = {
        name.removeprefix("segment."): str(known[name]) for name in known if _is_label(name) and known[name]
    }
    if labels.get("cluster") == f"item {item}":  # an item that shares its source with no other
        del labels["cluster"]
    inputs = None if texts is None else texts.inputs(task, item)
    return Row(
        item=item,
        change=change,
        labels=labels,
        inputs=inputs,
        reference=None if texts is None else texts.reference(task, item),
        baseline=side(pairs.baseline.system, worst=change != "broke"),
        candidate=side(pairs.candidate.system, worst=change != "fixed"),
        metadata={} if texts is None else texts.metadata(task, item),
        asks=read_turns(inputs),
    )


def _with_texts(side: SideOfRow, texts: Texts, task: str, item: str, metrics: Sequence[str]) -> SideOfRow:
    """Return a side with the texts of its attempt: the answer, the conversation, and what scorers said."""
    key = (side.system, task, item, side.attempt)
    said = {metric: note for metric in metrics if (note := texts.note(*key, metric))}
    return replace(side, text=texts.response(*key), notes=said, turns=texts.transcript(*key))


def _metrics(evidence: Evidence, system: str, *, task: str) -> list[str]:
    """Return the metrics under which a system has outcomes on a task."""
    names = evidence.names("outcomes").filter(pl.col("system") == system, pl.col("task") == task)
    return names["metric"].unique(maintain_order=True).to_list()


def _telling(values: tuple[float | None, ...], *, worst: bool, lower: bool) -> int:
    """Return the attempt worth reading, from 1: the worst where a side failed, the best where it did well."""
    known = [(value, place) for place, value in enumerate(values, start=1) if value is not None]
    if not known:
        return 1
    smallest = worst != lower
    return min(known, key=lambda pair: (pair[0] if smallest else -pair[0], pair[1]))[1]


def _is_label(name: str) -> bool:
    return name == "cluster" or name.startswith("segment.")
