"""The long table: a row an outcome with what is known of its response, item and metric, as files and frames hold it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from aliquot.evidence.metrics import derive_metrics
from aliquot.evidence.tables import METRICS, ORDERED, Evidence

ATTEMPT: Final = ("system", "task", "item", "attempt")

CORE: Final = (*ATTEMPT, "metric", "scorer", "value", "status")
"""Columns that are always there; the others only when they say something."""

PLAIN: Final = ("reason", "started", "cost", "latency_s", "tokens_in", "tokens_out")
"""What is said of a response under its own name."""

OUTCOME: Final[Mapping[str, str]] = {
    f"outcome.{name}": name for name in ("status", "by", "repeat", "label", "parts")
}
RESPONSE: Final[Mapping[str, str]] = {
    f"response.{name}": name
    for name in ("stage", "first_token_s", "tokens_reasoning", "tokens_cached", "currency", "steps", "tool_calls",
                 "tool_errors", "log_probability", "log_probability_tokens", "cached")
}  # fmt: skip
METRIC: Final[Mapping[str, str]] = {f"metric.{name}": name for name in METRICS if name != "metric"}
"""Columns whose names a foreign table may use for something else: the name in the long table → in its own."""

ORDER: Final[Mapping[str, str]] = {f"item.{name}": name for name in ORDERED}
"""Of a run that could stop: without them a reader would take its items for a fixed number of them."""

CONTENT: Final = "item.content"
"""The hash of what the item asks."""

_UNSAID: Final[Mapping[str, object]] = {"weight": 1.0, "outcome.repeat": 1, "outcome.by": "rule"}


def to_polars(evidence: Evidence) -> pl.DataFrame:
    """Return one long table that reads back to the same outcomes.

    ``status`` is the response's, ``outcome.status`` the outcome's where they differ. An attempt that nobody scored has
    a row without a value under every metric that applies to its item. Texts, settings and what the log's tool printed
    are not in it.

    Examples:
        >>> from aliquot.evidence.assembly import assemble
        >>> evidence = assemble(pl.DataFrame({"system": ["a"], "item": ["1"], "value": [1.0]}))
        >>> to_polars(evidence).columns
        ['system', 'task', 'item', 'attempt', 'metric', 'scorer', 'value', 'status']
    """
    outcomes = evidence.outcomes.rename(_to(OUTCOME))
    rows = pl.concat([outcomes, _unscored(evidence)], how="diagonal_relaxed")
    responses = evidence.responses.rename({**_to(RESPONSE), "content": "answered"})
    items = evidence.items.rename({"content": CONTENT, **_to(ORDER)}, strict=False)
    rows = rows.join(responses, on=ATTEMPT, how="left", maintain_order="left")
    rows = rows.join(items, on=["task", "item"], how="left", maintain_order="left")
    rows = rows.join(_described(evidence), on="metric", how="left", maintain_order="left")
    rows = rows.with_columns(pl.coalesce("answered", CONTENT).alias(CONTENT)).drop("answered")
    rest = [name for name in rows.columns if name not in CORE and _says(rows[name])]
    if rows["outcome.status"].equals(rows["status"]):
        rest.remove("outcome.status")
    return rows.select(*CORE, *rest)


def to_arrow(evidence: Evidence) -> Any:
    """Return the long table as an Arrow table; needs pyarrow."""
    return to_polars(evidence).to_arrow()


def to_pandas(evidence: Evidence) -> Any:
    """Return the long table as a pandas frame; needs pandas and pyarrow."""
    return to_polars(evidence).to_pandas()


def _to(names: Mapping[str, str]) -> dict[str, str]:
    return {own: shown for shown, own in names.items()}


def _says(column: pl.Series) -> bool:
    unsaid = _UNSAID.get(column.name)
    return column.null_count() < column.len() and (unsaid is None or not (column == unsaid).all())


def _described(evidence: Evidence) -> pl.DataFrame:
    """Return of the metrics what a reader would not take from their values, with the metric's name."""
    derived = {row["metric"]: row for row in derive_metrics(evidence.outcomes).iter_rows(named=True)}
    known = evidence.metrics.filter(pl.col("metric").is_in(list(derived)))
    told = {
        name
        for row in known.iter_rows(named=True)
        for name, value in row.items()
        if value != derived[row["metric"]][name] and (name != "headline" or known.height > 1)
    }
    return known.select("metric", *(name for name in METRICS if name in told)).rename(
        {own: shown for shown, own in METRIC.items() if own in told}
    )


def _unscored(evidence: Evidence) -> pl.DataFrame:
    """Return a row without a value for each attempt without an outcome, under every metric that applies."""
    outcomes = evidence.outcomes
    attempts = evidence.responses.join(outcomes, on=ATTEMPT, how="anti").select(ATTEMPT)
    applies = outcomes.select("task", "item", "metric").unique()
    never = attempts.join(applies, on=["task", "item"], how="anti")
    scorers = outcomes.group_by("task", "metric").agg(scorer=pl.col("scorer").first())
    rows = pl.concat(
        [
            attempts.join(applies, on=["task", "item"]).join(scorers, on=["task", "metric"]),
            never.join(scorers, on="task"),
        ],
        how="diagonal",
    )
    return rows.sort(*ATTEMPT, "metric").with_columns(
        pl.lit("missing").alias("outcome.status"),
        pl.lit("rule").alias("outcome.by"),
        pl.lit(1).alias("outcome.repeat"),
    )
