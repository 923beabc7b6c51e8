"""Why there is, or is not, a value: the status words and the one rule that turns a status into a value."""

from __future__ import annotations

from typing import Any, Final

import narwhals as nw
import polars as pl

SYSTEM_SIDE: Final = ("unparsed", "refused", "truncated", "timeout", "failed")
"""The system's doing: a metric with a value on failure counts these rows with it."""

MEASUREMENT_SIDE: Final = ("error", "missing")
"""The measurement's doing: no value, and the row is missing."""

STATUSES: Final = ("ok", *SYSTEM_SIDE, *MEASUREMENT_SIDE)

FALLIBLE: Final = ("judge", "person")
"""Scorers whose own status speaks of themselves and not of the system."""


def resolve_value(
    value: float | None, *, status: str, by: str, response_status: str, on_failure: float | None
) -> float | None:
    """Return the value an outcome counts with, or None when it is missing.

    A value always wins over a status. Without one, a cause on the system's side gives the metric's value on
    failure; a cause on the measurement's side, or none at all, leaves the row missing. The status of a judge
    or a person speaks of that scorer: whatever stopped it is the measurement's doing ("missing" says only
    that it was not asked, and then the response's status decides).

    Args:
        value: what the scorer gave.
        status: the outcome's status.
        by: ``rule``, ``judge`` or ``person``.
        response_status: the status of the response that was scored.
        on_failure: the metric's value on failure, if it has one.

    Examples:
        >>> resolve_value(1.0, status="ok", by="rule", response_status="refused", on_failure=0.0)
        1.0
        >>> resolve_value(None, status="missing", by="rule", response_status="timeout", on_failure=0.0)
        0.0
        >>> resolve_value(None, status="unparsed", by="judge", response_status="ok", on_failure=0.0) is None
        True
    """
    if value is not None:
        return value
    if by in FALLIBLE and status not in {"ok", "missing"}:
        return None
    if status == "error" or response_status in MEASUREMENT_SIDE:
        return None
    return on_failure if status in SYSTEM_SIDE or response_status in SYSTEM_SIDE else None


def resolved_value() -> nw.Expr:
    """Return the rule of ``resolve_value`` as an expression.

    It reads the columns value, status, by, response_status and on_failure.
    """
    status = nw.col("status").fill_null("ok")
    response = nw.col("response_status").fill_null("ok")
    by_fallible = nw.col("by").fill_null("rule").is_in(FALLIBLE)
    measurement = (
        (by_fallible & ~status.is_in(("ok", "missing")))
        | (status == "error")
        | response.is_in(MEASUREMENT_SIDE)
    )
    system = status.is_in(SYSTEM_SIDE) | response.is_in(SYSTEM_SIDE)
    failure = (
        nw.when(system & ~measurement).then(nw.col("on_failure")).otherwise(nw.lit(None, dtype=nw.Float64))
    )
    return nw.when(~nw.col("value").is_null()).then(nw.col("value")).otherwise(failure)


def join_causes(
    outcomes: nw.LazyFrame[Any], responses: nw.LazyFrame[Any], metrics: nw.LazyFrame[Any]
) -> nw.LazyFrame[Any]:
    """Return the outcomes with the columns ``response_status`` and ``on_failure`` beside them."""
    key = ["system", "task", "item", "attempt"]
    causes = responses.select(*key, nw.col("status").alias("response_status"))
    return outcomes.join(causes, on=key, how="left").join(
        metrics.select("metric", "on_failure"), on="metric", how="left"
    )


def resolve(outcomes: pl.DataFrame, responses: pl.DataFrame, metrics: pl.DataFrame) -> pl.DataFrame:
    """Return the outcomes with ``value`` as it counts: null where missing, else given or for a failure.

    Args:
        outcomes: the table of that name.
        responses: the table of that name.
        metrics: the table of that name.

    Examples:
        >>> from aliquot.evidence.assembly import assemble
        >>> rows = {"system": ["a", "a"], "item": ["1", "2"], "value": [1.0, None]}
        >>> rows["status"] = ["ok", "unparsed"]
        >>> evidence = assemble(pl.DataFrame(rows))
        >>> resolve(evidence.outcomes, evidence.responses, evidence.metrics)["value"].to_list()
        [1.0, 0.0]
    """
    numbered = outcomes.with_row_index("row")  # a join keeps no order
    joined = join_causes(*(nw.from_native(frame.lazy()) for frame in (numbered, responses, metrics)))
    columns = [resolved_value().alias(name) if name == "value" else nw.col(name) for name in outcomes.columns]
    return joined.sort("row").select(*columns).collect(backend="polars").to_native()
