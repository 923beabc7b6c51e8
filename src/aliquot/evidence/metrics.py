"""What kind of number a metric is, derived from its values when nobody said."""

from __future__ import annotations

import math
from typing import Any, Final

import polars as pl

from aliquot.errors import UsageError
from aliquot.evidence.tables import METRICS, Better, Kind

LOWER_IS_BETTER: Final = frozenset(
    {"brier", "cer", "cost", "edit_distance", "error", "error_rate", "latency", "latency_s", "loss", "mae",
    "mse",
     "nll", "perplexity", "rmse", "ter", "toxicity", "wer"}
)  # fmt: skip
"""Names of metrics for which a small value is the good one; every other is taken as higher is better."""

KINDS: Final = ("binary", "ordinal", "bounded", "real", "category")


def metric_row(
    metric: str,
    values: pl.Series,
    *,
    kind: Kind | None = None,
    low: float | None = None,
    high: float | None = None,
    better: Better | None = None,
    headline: bool | None = None,
) -> dict[str, Any]:
    """Return a metric's row of the table ``metrics``; what is not given is derived from the values.

    Only 0 and 1: binary, with 0 as the value on failure. Within [0, 1], or bounds given: bounded. Else real.

    Args:
        metric: its name.
        values: its values; nulls are left out.
        kind: overrides the derived kind.
        low: smallest possible value.
        high: largest possible value.
        better: which direction is good.
        headline: whether the log calls this its main metric.

    Raises:
        UsageError: a value lies outside the kind or the bounds given.

    Examples:
        >>> row = metric_row("score", pl.Series([0.0, 0.25, 1.0]))
        >>> row["kind"], row["low"], row["high"], row["on_failure"]
        ('bounded', 0.0, 1.0, None)
    """
    given = [bound for bound in (low, high) if bound is not None]
    if not all(map(math.isfinite, given)) or (len(given) == 2 and given[0] > given[1]):
        raise UsageError(f"low and high must be finite with low not above high; got {low} and {high}")
    present = values.drop_nulls()
    kind = kind or _kind(present, bounds_given=low is not None and high is not None)
    if kind in {"binary", "bounded"}:
        low, high = (0.0 if low is None else low), (1.0 if high is None else high)
    if better is None:
        better = "lower" if metric.lower() in LOWER_IS_BETTER else "higher"
    row = dict.fromkeys(METRICS) | {
        "metric": metric,
        "kind": kind,
        "low": low,
        "high": high,
        "better": better,
    }
    row["on_failure"] = (0.0 if better != "lower" else 1.0) if kind == "binary" else None
    row["headline"] = headline
    _check(present, row)
    return row


def derive_metrics(outcomes: pl.DataFrame) -> pl.DataFrame:
    """Return the table ``metrics`` for outcomes of which nothing more is known, in order of appearance."""
    names = outcomes["metric"].unique(maintain_order=True)
    rows = [metric_row(name, outcomes.filter(pl.col("metric") == name)["value"]) for name in names]
    return pl.DataFrame(rows, schema=dict(METRICS))


def _kind(values: pl.Series, *, bounds_given: bool) -> Kind:
    if bounds_given:
        return "bounded"
    if values.is_in([0.0, 1.0]).all():
        return "binary"
    return "bounded" if values.is_between(0.0, 1.0).all() else "real"


def _check(values: pl.Series, row: dict[str, Any]) -> None:
    """Raise UsageError when values contradict the metric's description."""
    metric, kind, low, high = row["metric"], row["kind"], row["low"], row["high"]
    if kind not in KINDS:
        raise UsageError(f"metric {metric!r}: there is no kind {kind!r}. Known: {', '.join(KINDS)}.")
    if kind == "binary" and not values.is_in([0.0, 1.0]).all():
        other = values.filter(~values.is_in([0.0, 1.0]))[0]
        raise UsageError(f"metric {metric!r} is called binary but holds {other:g}. Use kind bounded or real.")
    outside = values.filter(
        (values < (low if low is not None else float("-inf")))
        | (values > (high if high is not None else float("inf")))
    )
    if len(outside):
        raise UsageError(f"metric {metric!r} holds {outside[0]:g}, outside its bounds {low} to {high}.")
