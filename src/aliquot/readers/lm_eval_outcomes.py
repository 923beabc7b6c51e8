"""Rows of a samples file as outcomes: one for each item, attempt, metric and filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

from aliquot.evidence.assembly import DEFAULTS
from aliquot.evidence.tables import Note
from aliquot.readers.lm_eval_rows import EMPTY, ERROR, OK, UNPARSED, Rows
from aliquot.readers.lm_eval_values import NO_FILTER, metric_name

_STATUS: Final = {OK: "ok", UNPARSED: "unparsed", EMPTY: "failed", ERROR: "error"}
_REASON: Final = {EMPTY: "empty answer", ERROR: "the API gave no answer"}
_PARTS: Final = pl.List(pl.Float64)


def responses_of(frame: pl.DataFrame, *, filters: int) -> pl.DataFrame:
    """Return item, attempt, status and reason of what the system returned.

    Args:
        frame: the rows, with item, attempt and mark.
        filters: how many filters the rows are of.
    """
    key = ["item", "attempt"]
    rows = frame.select(*key, "mark", repeats=_repeats(frame))
    if filters > 1:
        rows = rows.group_by(key, maintain_order=True).agg(pl.col("mark").max(), pl.col("repeats").max())
    if (rows["repeats"] > 1).any():
        rows = rows.with_columns(attempt=pl.int_ranges(1, pl.col("repeats") + 1)).explode("attempt")
    return rows.select(*key, status=_words(rows, _STATUS | {UNPARSED: "ok"}), reason=_words(rows, _REASON))


def outcomes_of(frame: pl.DataFrame, rows: Rows) -> tuple[pl.DataFrame, dict[str, str], list[Note]]:
    """Return the outcomes, what the log itself calls each metric, and what is lost.

    Metrics of which each item has a value come before those made of the whole corpus.

    Args:
        frame: the rows, with item and attempt.
        rows: what each filter scored.
    """
    tables: list[tuple[bool, pl.DataFrame]] = []
    names: dict[str, str] = {}
    notes: list[Note] = []
    for filter_name, metrics in rows.metrics.items():
        own = frame if len(rows.metrics) == 1 else frame.filter(pl.col("filter") == filter_name)
        for metric in metrics:
            name = metric_name(metric, filter_name or NO_FILTER)
            table = _table(own, metric).with_columns(
                metric=pl.lit(name), scorer=pl.lit(_scorer(filter_name or NO_FILTER))
            )
            valued = table["value"].null_count() < table.height
            held = rows.texts.get(metric, 0)
            if (
                not valued
                and not held
                and table["parts"].null_count() == table.height
                and own["mark"].min() != ERROR
            ):
                notes.append(
                    Note("metric_without_values", f"metric {name!r} has no value for any item", metric=name)
                )
                continue
            notes += _corpus_notes(name, table, held=held)
            tables.append((valued, table))
            names[name] = metric
    tables.sort(key=lambda pair: not pair[0])
    if not tables:
        return pl.DataFrame(), {}, notes
    return pl.concat([table for _, table in tables]), names, notes


def _scorer(filter_name: str) -> str:
    return str(DEFAULTS["scorer"]) if filter_name == NO_FILTER else filter_name


def _words(frame: pl.DataFrame, words: Mapping[int, str]) -> pl.Expr:
    """Return what each row's mark stands for."""
    if frame["mark"].max() == OK:
        return pl.lit(words.get(OK), dtype=pl.String)
    return pl.col("mark").replace_strict(words, default=None, return_dtype=pl.String)


def _repeats(frame: pl.DataFrame) -> pl.Expr:
    """Return how many attempts of a row were scored one by one."""
    lists = [name for name in frame.columns if name.startswith("repeats.")]
    lengths = [pl.col(name).list.len().cast(pl.Int64) for name in lists]
    return pl.max_horizontal(pl.lit(1, dtype=pl.Int64), *lengths)


def _table(frame: pl.DataFrame, metric: str) -> pl.DataFrame:
    """Return item, attempt, value, status and parts of one metric under one filter."""
    lists, parts = f"repeats.{metric}", f"parts.{metric}"
    value = pl.col(f"value.{metric}")
    if lists in frame.columns and frame[lists].null_count() < frame.height:
        scores = pl.coalesce(pl.col(lists), pl.concat_list(value))
        frame = frame.with_columns(
            score=scores, attempt=pl.int_ranges(1, scores.list.len().cast(pl.Int64) + 1)
        )
        frame = frame.explode("score", "attempt")
        value = pl.col("score")
    kept = pl.col(parts) if parts in frame.columns else pl.lit(None, dtype=_PARTS)
    failed = pl.col("mark") == ERROR
    has_none = value.is_null() & kept.is_null() & (pl.col("mark") == OK)
    return frame.select(
        "item",
        "attempt",
        value=pl.when(~failed).then(value),
        status=pl.when(has_none).then(pl.lit("missing")).otherwise(_words(frame, _STATUS)),
        parts=pl.when(~failed).then(kept),
    )


def _corpus_notes(name: str, table: pl.DataFrame, *, held: int) -> list[Note]:
    """Return a note for a metric that is made of the whole corpus, so that no item has a value."""
    if table["parts"].null_count() < table.height:
        text = f"{name} is made of the whole corpus, so no item has a value of it; each item's parts are kept"
        return [Note("corpus_metric", text, metric=name)]
    if held and table["value"].null_count() == table.height:
        text = (
            f"{name} is made of the whole corpus, so no item has a value of it; its parts, the reference and "
            "the answer, stay in the log as texts"
        )
        return [Note("corpus_metric", text, metric=name)]
    if held:
        text = f"{held} values of {name} are no numbers; they count as missing"
        return [Note("values_left_out", text, metric=name)]
    return []
