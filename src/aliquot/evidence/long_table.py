"""The long table: a row an outcome with what is known of its response, item and metric, as files and frames hold it."""

from __future__ import annotations

from typing import Final

import polars as pl

ATTEMPT: Final = ("system", "task", "item", "attempt")

CORE: Final = ("system", "task", "item", "attempt", "metric", "scorer", "value", "status")
"""Columns that are always there; the others only when they say something."""

UNSAID: Final[dict[str, object]] = {"weight": 1.0, "scorer_repeat": 1, "by": "rule"}
"""What a column holds throughout when it says nothing, apart from null."""

METRIC: Final = "metric."
"""Columns that begin so describe the row's metric."""


def long_table(
    items: pl.DataFrame, responses: pl.DataFrame, outcomes: pl.DataFrame, metrics: pl.DataFrame
) -> pl.DataFrame:
    """Return outcomes, responses, items and metrics as one table that reads back to the same outcomes.

    ``status`` is the response's, ``outcome_status`` the outcome's. An attempt that nobody scored has a row without a
    value under every metric that applies to its item.

    Args:
        items: the table of that name.
        responses: the table of that name.
        outcomes: the table of that name.
        metrics: the table of that name.
    """
    scored = outcomes.rename({"repeat": "scorer_repeat", "status": "outcome_status"})
    unscored = _unscored(responses, outcomes, metrics)
    rows = pl.concat([scored, unscored], how="diagonal") if unscored.height else scored
    own = responses.rename({"content": "answered"})
    rows = rows.join(own, on=ATTEMPT, how="left", maintain_order="left")
    rows = rows.join(items, on=["task", "item"], how="left", maintain_order="left")
    described = metrics.rename({name: f"{METRIC}{name}" for name in metrics.columns if name != "metric"})
    rows = rows.join(described, on="metric", how="left", maintain_order="left")
    rows = rows.with_columns(pl.coalesce("answered", "content").alias("content")).drop("answered")
    rest = [name for name in rows.columns if name not in CORE and _says(rows[name], name)]
    if rows["outcome_status"].equals(_derived_status(rows)):
        rest.remove("outcome_status")
    return rows.select(*CORE, *rest)


def _says(column: pl.Series, name: str) -> bool:
    unsaid = UNSAID.get(name)
    return column.drop_nulls().len() > 0 and (unsaid is None or not (column == unsaid).all())


def _derived_status(rows: pl.DataFrame) -> pl.Series:
    """Return the outcome's status as a reader takes it when no column says it."""
    derived = pl.when(pl.col("value").is_null()).then(pl.lit("missing")).otherwise(pl.lit("ok"))
    return rows.select(pl.coalesce("status", derived)).to_series()


def _unscored(responses: pl.DataFrame, outcomes: pl.DataFrame, metrics: pl.DataFrame) -> pl.DataFrame:
    """Return a row without a value for each attempt without an outcome, under every metric that applies."""
    attempts = responses.join(outcomes, on=ATTEMPT, how="anti").select(ATTEMPT)
    applies = outcomes.select("task", "item", "metric").unique()
    never = attempts.join(applies, on=["task", "item"], how="anti")
    named = outcomes.select("task", "metric").unique()
    rows = pl.concat(
        [
            attempts.join(applies, on=["task", "item"], how="inner"),
            never.join(named, on="task", how="inner"),
        ]
    )
    scorers = outcomes.group_by("task", "metric").agg(scorer=pl.col("scorer").first())
    order = {name: place for place, name in enumerate(metrics["metric"])}
    return (
        rows.join(scorers, on=["task", "metric"], how="left")
        .sort(*ATTEMPT, pl.col("metric").replace_strict(order, default=None))
        .with_columns(
            scorer_repeat=pl.lit(1, dtype=pl.Int64),
            value=pl.lit(None, dtype=pl.Float64),
            outcome_status=pl.lit("missing"),
            by=pl.lit("rule"),
        )
    )
