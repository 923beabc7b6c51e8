"""Which items changed, and what both systems said on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from aliquot.analysis.row_sides import SideReader
from aliquot.analysis.scales import scale_of
from aliquot.evidence.contents import require
from aliquot.evidence.messages import read_turns
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.rows import Change, Row, Rows
from aliquot.findings.scale import Scale
from aliquot.stats.inputs import DEFAULT_SEED

ORDER: tuple[Change, ...] = ("broke", "fixed", "still_failing", "differ", "same")
"""The order in which rows are shown: regressions first."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Which rows are asked for.

    Attributes:
        changes: the changes to show.
        status: only rows on which a system has this response status.
        items: only these ids.
        limit: most rows shown; None for all.
    """

    changes: Collection[Change] = ("broke", "fixed", "still_failing", "differ")
    status: str | None = None
    items: Collection[str] = ()
    limit: int | None = 10


def find_rows(evidence: Evidence, pairs: Pairs, *, wish: Wish) -> Rows:
    """Return the rows of a pairing that are asked for, with their texts; of systems that share none, each one's own."""
    a, b = pairs.baseline, pairs.candidate
    if not pairs.attrition.shared:
        return _apart(find_rows_alone(evidence, a, wish=wish), find_rows_alone(evidence, b, wish=wish))
    scale = scale_of(evidence, a.metric)
    frame = pairs.frame.filter(
        pl.col("a").is_not_null() | pl.col("b").is_not_null() | (pl.col("missing_a") > 0)
    )
    changes: dict[str, Change] = {
        row["item"]: _change(row["a"], row["b"], scale) for row in frame.iter_rows(named=True)
    }
    return _rows(evidence, frame, changes, (a, b), scale, wish=wish)


def _apart(a: Rows, b: Rows) -> Rows:
    """Return the rows of two systems that share no item: each row has one side."""
    rows = sorted((*a.rows, *b.rows), key=lambda row: (ORDER.index(row.change), row.item))
    return replace(
        a,
        candidate=f"{a.candidate} and {b.candidate}",
        counts=Counter(a.counts) + Counter(b.counts),
        rows=tuple(rows),
        left_out=a.left_out + b.left_out,
        reading_order=_reading_order(rows),
    )


def _reading_order(rows: Sequence[Row]) -> tuple[int, ...]:
    """Return the places of the rows that fail, in a random order that is the same every time."""
    failing = [place for place, row in enumerate(rows) if row.change in {"broke", "still_failing"}]
    return tuple(map(int, np.random.default_rng(DEFAULT_SEED).permutation(failing)))


def find_rows_alone(evidence: Evidence, units: Units, *, wish: Wish) -> Rows:
    """Return the rows of one system that are asked for: failing, passing, or without a value."""
    scale = scale_of(evidence, units.metric)
    changes: dict[str, Change] = {
        row["item"]: _change(row["mean"], row["mean"], scale) for row in units.frame.iter_rows(named=True)
    }
    return _rows(evidence, units.frame, changes, (units,), scale, wish=wish)


def _rows(
    evidence: Evidence,
    frame: pl.DataFrame,
    changes: Mapping[str, Change],
    units: Sequence[Units],
    scale: Scale,
    *,
    wish: Wish,
) -> Rows:
    """Return the rows asked for; ``units`` are those of the baseline and the candidate, or of one system."""
    sides = [SideReader(evidence, one, lower=scale.better == "lower") for one in units]
    named = {_item_named(name, changes) for name in wish.items}
    wanted = [
        item
        for item, change in changes.items()
        if (item in named or (not named and change in wish.changes))
        and (wish.status is None or any(wish.status in side.statuses(item) for side in sides))
    ]
    wanted.sort(key=lambda item: (ORDER.index(changes[item]), item))
    known = {row["item"]: row for row in frame.iter_rows(named=True)}
    kept = wanted if wish.limit is None else wanted[: wish.limit]
    rows = tuple(_row(evidence, known[item], changes[item], sides, task=units[0].task) for item in kept)
    return Rows(
        baseline=units[0].system if len(units) > 1 else None,
        candidate=units[-1].system,
        task=units[0].task,
        metric=units[0].metric,
        counts=Counter(changes.values()),
        rows=rows,
        left_out=len(wanted) - len(kept),
        reading_order=_reading_order(rows),
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


def _change(a: float | None, b: float | None, scale: Scale) -> Change:
    """Return what happened to an item; for graded metrics down is broke and up is fixed."""
    if a is None or b is None:
        return "differ"
    gain = (a - b) if scale.better == "lower" else (b - a)
    if gain:
        return "fixed" if gain > 0 else "broke"
    worst = scale.high if scale.better == "lower" else scale.low
    return "still_failing" if worst is not None and a == worst else "same"


def _row(
    evidence: Evidence, known: Mapping[str, Any], change: Change, sides: Sequence[SideReader], *, task: str
) -> Row:
    item, texts = str(known["item"]), evidence.texts
    inputs = None if texts is None else texts.inputs(task, item)
    labels = {
        name.removeprefix("segment."): str(known[name]) for name in known if _is_label(name) and known[name]
    }
    if labels.get("cluster") == f"item {item}":  # an item that shares its source with no other
        del labels["cluster"]
    return Row(
        item=item,
        change=change,
        labels=labels,
        inputs=inputs,
        reference=None if texts is None else texts.reference(task, item),
        baseline=sides[0].side(item, worst=change != "broke") if len(sides) > 1 else None,
        candidate=sides[-1].side(item, worst=change != "fixed"),
        metadata={} if texts is None else texts.metadata(task, item),
        asks=read_turns(inputs),
    )


def _is_label(name: str) -> bool:
    return name == "cluster" or name.startswith("segment.")
