"""What answering cost: latency quantiles and the price of one more item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import narwhals as nw
import numpy as np
import polars as pl

from aliquot.analysis.settings import COST
from aliquot.analysis.spent import recorded_columns
from aliquot.evidence.tables import Evidence
from aliquot.findings.comparison import Quantiles
from aliquot.findings.summary import Steps

_PRICED: Final = ("item", "latency_s", "cost", "currency", "cached")


def latency_of(evidence: Evidence, system: str, *, task: str) -> Quantiles | None:
    """Return median and p95 of a system's latency, without cached rows; None when it was not recorded."""
    if "latency_s" not in recorded_columns(evidence):
        return None
    values = _fresh(evidence, system, task=task)["latency_s"].drop_nulls()
    if values.is_empty():
        return None
    steps = tuple(map(float, np.quantile(values.to_numpy(), np.linspace(0, 1, 21))))
    return Quantiles(median=steps[10], p95=steps[19], n=values.len(), unit="s", steps=steps)


def steps_of(evidence: Evidence, system: str, *, task: str) -> Steps | None:
    """Return how many steps a system took to an answer and what one costs; None when no answer tells its steps.

    The cost of a step is what all answers that tell both cost, over their steps.
    """
    if "steps" not in recorded_columns(evidence):
        return None
    rows = evidence.rows("responses", system=system, task=task).filter(pl.col("steps").is_not_null())
    if rows.is_empty():
        return None
    taken = rows["steps"].to_numpy()
    priced = rows.filter(pl.col("cost").is_not_null(), pl.col("currency").is_not_null(), pl.col("steps") > 0)
    currencies = priced["currency"].unique().to_list()
    calls = rows["tool_calls"].drop_nulls()
    failed = rows.filter(pl.col("tool_calls").is_not_null())["tool_errors"].drop_nulls()
    return Steps(
        mean=float(taken.mean()),
        p95=float(np.quantile(taken, 0.95)),
        tool_calls=float(calls.to_numpy().mean()) if calls.len() else None,
        tool_errors=float(failed.sum()) / float(calls.sum()) if calls.sum() and failed.len() else None,
        cost=float(priced["cost"].sum()) / float(priced["steps"].sum()) if len(currencies) == 1 else None,
        currency=currencies[0] if len(currencies) == 1 else None,
        answers=rows.height,
    )


@dataclass(frozen=True, slots=True)
class Price:
    """What one more item costs when both systems answer it, one after the other; None where it was not recorded."""

    seconds: float | None
    cost: float | None
    currency: str | None


@dataclass(frozen=True, slots=True)
class CostWords:
    """What a run says of its costs.

    Attributes:
        source: by whose word the systems' costs are known; None where that is not recorded.
        others: what was paid in other scopes than the systems', each in words.
    """

    source: str | None
    others: tuple[str, ...]


def cost_words(evidence: Evidence, *systems: str) -> CostWords:
    """Return by whose word the costs of systems are known, and what judges of them cost."""
    rows = evidence.settings.filter(
        pl.col("system").is_in(systems), pl.col("name").str.starts_with(COST), pl.col("value").is_not_null()
    )
    told = [(name.removeprefix(COST), value) for name, value in rows.select("name", "value").iter_rows()]
    sources = dict.fromkeys(value for name, value in told if name == "source")
    others = tuple(dict.fromkeys(f"{name} {value}" for name, value in told if name != "source"))
    return CostWords(", ".join(sources) or None, others)


def price_of(evidence: Evidence, *systems: str, task: str) -> Price:
    """Return the price of one more item for all of ``systems``, at this run's own latencies and costs."""
    if not {"latency_s", "cost"} & set(recorded_columns(evidence)):
        return Price(seconds=None, cost=None, currency=None)
    seconds = [_per_item(_fresh(evidence, system, task=task), "latency_s") for system in systems]
    rows = [_rows(evidence, system, task=task) for system in systems]
    costs = [_per_item(mine, "cost") for mine in rows]
    currencies = {name for mine in rows for name in mine["currency"].drop_nulls()}
    known = [cost for cost in costs if cost is not None]
    priced = len(known) == len(systems) and len(currencies) == 1
    timed = [s for s in seconds if s is not None]
    return Price(
        seconds=sum(timed) if len(timed) == len(systems) else None,
        cost=sum(known) if priced else None,
        currency=currencies.pop() if priced else None,
    )


def _rows(evidence: Evidence, system: str, *, task: str) -> pl.DataFrame:
    rows = evidence.scan("responses", system=system, task=task)
    known = rows.filter(~nw.col("latency_s").is_null() | ~nw.col("cost").is_null())
    return known.select(*_PRICED).collect(backend="polars").to_native()


def _fresh(evidence: Evidence, system: str, *, task: str) -> pl.DataFrame:
    return _rows(evidence, system, task=task).filter(~pl.col("cached").fill_null(value=False))


def _per_item(rows: pl.DataFrame, column: str) -> float | None:
    known = rows.drop_nulls(column)
    items = known["item"].n_unique()
    return float(known[column].sum()) / items if items else None
