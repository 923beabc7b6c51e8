"""Guards on any evidence: what looks too good, too bad, cut short or unread.

Suspiciously good counts like suspiciously bad. Each guard is a note with its counts; a comparison stands beside it as
it is. Thresholds are the constants below.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import narwhals as nw
import polars as pl

from aliquot.analysis.guard_labels import guard_labels
from aliquot.analysis.guard_texts import LEAST_ITEMS, guard_texts
from aliquot.analysis.majority import item_labels
from aliquot.analysis.spent import recorded_columns
from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Units
from aliquot.findings.numbers import write_percent
from aliquot.findings.scale import Scale

LEAST_ROWS: Final = 3
"""Rows from which a share is told at all."""
SHARE: Final = 0.05
"""Share of unread, truncated or limited answers from which it is told."""
LARGE: Final = 50
"""Items from which all right, or all wrong, is suspicious: all right of 50 still allows a true rate of 93 %."""
LONG_THOUGHT: Final = 256
"""Reasoning tokens from which answers of one same greatest length are taken as cut at a limit."""
LONG_ANSWER: Final = 64
"""The same for all tokens of an answer."""


def find_guards(
    evidence: Evidence, sides: Sequence[Units], scale: Scale, *, texts: bool = False
) -> tuple[Note, ...]:
    """Return what a careful reader of these rows would ask about.

    Args:
        evidence: the tables.
        sides: the systems under the metric.
        scale: the metric's scale.
        texts: whether answers and references may be read (up to 500 items a system; never of lazy evidence).

    Returns:
        Notes ``parse_rate``, ``truncated``, ``at_limit``, ``all_right``, ``all_wrong``, ``one_answer``; with
        texts also ``identical_answers``, ``reference_as_answer``, ``majority_baseline``, ``below_majority``,
        ``inverted``.
    """
    notes: list[Note] = []
    for units in sides:
        notes += _form(evidence, units)
        notes += _extremes(units, scale)
        notes += _one_label(evidence, units, scale)
        if texts and not evidence.is_lazy and evidence.texts is not None:
            notes += guard_texts(evidence.texts, units)
            labels = item_labels(evidence, units, scale)
            notes += guard_labels(units, labels, _labels_said(evidence, units, labels))
    return tuple(notes)


def _form(evidence: Evidence, units: Units) -> Iterator[Note]:
    """Say how many answers could not be read, were cut short, or end where a limit lies."""
    if _nothing_said(evidence, units):
        return
    counts = _counts(evidence, units)
    rows = counts["rows"]
    if _many(counts["unparsed"], rows):
        text = "could not be read; that can be the rule's doing as much as the system's"
        yield Note("parse_rate", _say(units, counts["unparsed"], rows, text))
    if _many(counts["truncated"], rows):
        text = "were cut short; with more room they may end otherwise"
        yield Note("truncated", _say(units, counts["truncated"], rows, text))
    for column, what, least in (
        ("tokens_reasoning", "reasoning", LONG_THOUGHT),
        ("tokens_out", "answer", LONG_ANSWER),
    ):
        most, at_most = counts[f"{column}_most"], counts[f"{column}_at"]
        if most >= least and _many(at_most, rows) and not _many(counts["truncated"], rows):
            text = f"end after exactly {most:,} {what} tokens, the most there are: it looks like a limit"
            yield Note("at_limit", _say(units, at_most, rows, text))
            return


def _nothing_said(evidence: Evidence, units: Units) -> bool:
    """Tell whether the rows are here, every answer is there, and no row tells of its tokens."""
    held = evidence.held("outcomes")
    if evidence.is_lazy or not isinstance(held, pl.DataFrame) or set(units.statuses) - {"ok"}:
        return False
    told = recorded_columns(evidence)
    return not {"tokens_reasoning", "tokens_out"} & set(told) and "unparsed" not in held["status"]


def _counts(evidence: Evidence, units: Units) -> Mapping[str, int]:
    """Return attempts, unparsed and truncated ones, and of each kind of tokens the most and how many have it."""
    names = {"system": units.system, "task": units.task}
    said = evidence.scan("outcomes", **names, metric=units.metric, scorer=units.scorer).select(
        "item", "attempt", unread=(nw.col("status") == "unparsed").cast(nw.Int64)
    )
    unread = said.group_by("item", "attempt").agg(nw.col("unread").max())
    tokens = ("tokens_reasoning", "tokens_out")
    rows = evidence.scan("responses", **names).select("item", "attempt", "status", *tokens)
    joined = rows.join(unread, on=["item", "attempt"], how="left")
    unparsed = (nw.col("status") == "unparsed") | (nw.col("unread").fill_null(0) == 1)
    counted = joined.select(
        one=nw.lit(1),
        unparsed=unparsed.cast(nw.Int64),
        truncated=(nw.col("status") == "truncated").cast(nw.Int64),
        **{f"{name}_most": nw.col(name) for name in tokens},
    )
    whole = counted.select(
        nw.col("one").sum().alias("rows"),
        nw.col("unparsed").sum(),
        nw.col("truncated").sum(),
        *(nw.col(f"{name}_most").max() for name in tokens),
    )
    found: dict[str, Any] = whole.collect(backend="polars").to_native().row(0, named=True)
    found = {name: int(value or 0) for name, value in found.items()}  # DuckDB sums are decimals
    at = rows.select(*((nw.col(name) == found[f"{name}_most"]).cast(nw.Int64).sum() for name in tokens))
    reached = at.collect(backend="polars").to_native().row(0, named=True)
    return found | {f"{name}_at": int(value or 0) for name, value in reached.items()}


def _many(count: int, rows: int) -> bool:
    return count >= max(LEAST_ROWS, SHARE * rows)


def _say(units: Units, count: int, rows: int, text: str) -> str:
    return f"{units.system}: {count} of {rows} answers ({write_percent(count / rows)}%) {text}"


def _extremes(units: Units, scale: Scale) -> Iterator[Note]:
    """Say when every item of many has the best value there is, or every one the worst."""
    values = units.frame["mean"].drop_nulls()
    best, worst = (scale.low, scale.high) if scale.better == "lower" else (scale.high, scale.low)
    if len(values) < LARGE or best is None or worst is None or scale.better == "none":
        return
    low, high = _ends(values)
    if low == high == best:
        text = (
            f"has the best value on all {len(values)} items: check the scorer and what the prompt gives away"
        )
        yield Note("all_right", f"{units.system} {text}")
    elif low == high == worst:
        text = f"has the worst value on all {len(values)} items: check the scorer and the prompt"
        yield Note("all_wrong", f"{units.system} {text}")


def _one_label(evidence: Evidence, units: Units, scale: Scale) -> Iterator[Note]:
    """Say when a categorical metric has one and the same class on every item."""
    if scale.kind != "category":
        return
    rows = evidence.scan(
        "outcomes", system=units.system, task=units.task, metric=units.metric, scorer=units.scorer
    )
    named = (
        rows.filter(~nw.col("label").is_null())
        .group_by("label")
        .agg(nw.col("item").n_unique().alias("items"))
    )
    found: pl.DataFrame = named.collect(backend="polars").to_native()
    if found.height == 1 and found["items"][0] >= LEAST_ITEMS:
        label, items = found.row(0)
        yield Note("one_answer", f"{units.system} has one class, {label!r}, on all {items} items")


def _labels_said(evidence: Evidence, units: Units, labels: Mapping[str, str]) -> Mapping[str, str]:
    """Return what a rule read in the answers, by item; empty without labels of the items to hold it against."""
    if not labels:
        return {}
    rows = evidence.rows(
        "outcomes", system=units.system, task=units.task, metric=units.metric, scorer=units.scorer
    )
    return dict(rows.drop_nulls("label").select("item", "label").iter_rows())


def _ends(values: pl.Series) -> tuple[float, float]:
    array = values.to_numpy()
    return float(array.min()), float(array.max())
