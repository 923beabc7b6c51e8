"""From rows to units: one row an item, written once in narwhals so that it runs where the rows are."""

from __future__ import annotations

from typing import Any, Final

import narwhals as nw
import polars as pl

from aliquot.errors import UsageError, nearest
from aliquot.evidence.contents import metrics, require, scorer_of, systems, tasks
from aliquot.evidence.status import resolved_value
from aliquot.evidence.tables import ORDERED, Evidence
from aliquot.evidence.units import Units

EACH_ITEM: Final = "item"
"""The value of ``cluster`` that makes every item its own cluster, whatever the items say."""

_ATTEMPT: Final = ("item", "attempt")
_KEY: Final = ("system", "task", *_ATTEMPT)
_OUTCOME: Final = ("system", "task", "item", "attempt", "metric", "value", "status", "by")


def units(
    evidence: Evidence,
    system: str,
    *,
    task: str,
    metric: str,
    scorer: str | None = None,
    cluster: str | None = None,
) -> Units:
    """Return one system's items under one metric.

    Values are resolved by the status rule first, repeats of the scorer are averaged within an attempt, then
    attempts within an item. An attempt nobody scored counts as missing (or with the value on failure) when
    the metric applies to its item: some attempt of the item has an outcome under the metric, or nothing on
        the item was ever scored.

    Args:
        evidence: the tables.
        system: the system's name.
        task: the task.
        metric: the metric.
        scorer: whose outcomes; needed only when there are several.
        cluster: the segment that names the cluster, in place of the items' own cluster; ``item`` for none.

    Raises:
        UsageError: an unknown system, task, metric, scorer or cluster field; several scorers and none named.

    Examples:
        >>> from aliquot.evidence.assembly import assemble
        >>> rows = {"system": ["a"] * 3, "item": ["1", "1", "2"], "attempt": [1, 2, 1]}
        >>> rows["value"] = [1.0, 0.0, 1.0]
        >>> units(assemble(pl.DataFrame(rows)), "a", task="task", metric="value").frame["mean"].to_list()
        [0.5, 1.0]
    """
    require(system, systems(evidence), what="system")
    require(task, tasks(evidence), what="task")
    own = metrics(evidence, task, system=system)
    require(metric, own or metrics(evidence, task), what=f"metric of {system!r} called")
    scorer = scorer_of(evidence, system, task=task, metric=metric, scorer=scorer)
    frame, counts = _already_one_row(evidence, system, task, metric, scorer) or _reduced(
        evidence, system, task, metric, scorer
    )
    attempts = sum(counts.values())
    return Units(
        system=system,
        task=task,
        metric=metric,
        frame=_describe(frame, evidence.items, task=task, cluster=cluster),
        statuses=counts,
        rows=attempts,
        answered=counts.get("ok", 0) / attempts if attempts else 0.0,
        scorer=scorer,
    )


def _already_one_row(
    evidence: Evidence, system: str, task: str, metric: str, scorer: str
) -> tuple[pl.DataFrame, dict[str, int]] | None:
    """Return what ``_reduced`` does when the rows are here and each item has one attempt, with a value; else None."""
    if evidence.is_lazy:
        return None
    outcomes = evidence.rows("outcomes", system=system, task=task, metric=metric, scorer=scorer)
    responses = evidence.rows("responses", system=system, task=task)
    items = outcomes["item"]
    if outcomes["value"].null_count() or items.n_unique() < outcomes.height:
        return None
    if any(not outcomes[name].equals(responses[name]) for name in _ATTEMPT):
        return None
    one = pl.DataFrame({"item": items, "mean": outcomes["value"]}).with_columns(
        k=pl.lit(1, dtype=pl.Int64), missing=pl.lit(0, dtype=pl.Int64)
    )
    return one.sort("item"), dict(responses["status"].value_counts().sort("status").iter_rows())


def _reduced(
    evidence: Evidence, system: str, task: str, metric: str, scorer: str
) -> tuple[pl.DataFrame, dict[str, int]]:
    """Return a row for each item, and how many attempts had each status."""
    responses = _applicable(evidence, system, task=task, metric=metric)
    outcomes = evidence.scan("outcomes", system=system, task=task, metric=metric, scorer=scorer)
    on_failure = evidence.metrics.filter(pl.col("metric") == metric)["on_failure"].to_list()[0]
    reduced = reduce_items(responses, outcomes, metric=metric, on_failure=on_failure)
    frame: pl.DataFrame = reduced.collect(backend="polars").to_native()
    return frame.sort("item"), _count_statuses(responses)


def reduce_items(
    responses: nw.LazyFrame[Any], outcomes: nw.LazyFrame[Any], *, metric: str, on_failure: float | None
) -> nw.LazyFrame[Any]:
    """Return item, mean, k and missing from the rows of one system, task, metric and scorer.

    Args:
        responses: the attempts the metric applies to.
        outcomes: their outcomes.
        metric: the metric's name.
        on_failure: its value on failure.
    """
    unscored = responses.join(outcomes, on=list(_ATTEMPT), how="anti").with_columns(
        metric=nw.lit(metric),
        value=nw.lit(None, dtype=nw.Float64),
        status=nw.lit("missing"),
        by=nw.lit("rule"),
    )
    rows = nw.concat([outcomes.select(*_OUTCOME), unscored.select(*_OUTCOME)], how="vertical")
    causes = responses.select(*_KEY, nw.col("status").alias("response_status"))
    joined = rows.join(causes, on=list(_KEY), how="left")
    failure = joined.with_columns(on_failure=nw.lit(on_failure, dtype=nw.Float64))
    resolved = failure.select(*_ATTEMPT, value=resolved_value())
    if resolved.implementation.is_polars():
        return _reduced_in_order(resolved.to_native())
    attempts = resolved.group_by(*_ATTEMPT).agg(nw.col("value").mean())
    return attempts.group_by("item").agg(
        nw.col("value").mean().alias("mean"),
        nw.col("value").count().cast(nw.Int64).alias("k"),
        nw.col("value").is_null().cast(nw.Int64).sum().alias("missing"),
    )


def _reduced_in_order(resolved: pl.LazyFrame) -> nw.LazyFrame[Any]:
    """Return the same with values summed in one order, so that a finding is the same to the bit every time."""
    rows = resolved.sort(*_ATTEMPT, "value")
    attempts = rows.group_by(*_ATTEMPT, maintain_order=True).agg(pl.col("value").mean())
    value = pl.col("value")
    items = attempts.group_by("item", maintain_order=True).agg(
        mean=value.mean(), k=value.count().cast(pl.Int64), missing=value.is_null().sum().cast(pl.Int64)
    )
    return nw.from_native(items)


def _applicable(evidence: Evidence, system: str, *, task: str, metric: str) -> nw.LazyFrame[Any]:
    """Return the system's attempts at items that the metric applies to."""
    scored = evidence.scan("outcomes", task=task)
    under_metric = scored.filter(nw.col("metric") == metric).select("item").unique()
    rows = evidence.scan("responses", system=system, task=task)
    never_scored = rows.join(scored.select("item").unique(), on="item", how="anti")
    applicable = nw.concat([rows.join(under_metric, on="item", how="semi"), never_scored], how="vertical")
    return applicable if evidence.is_lazy else applicable.collect().lazy()  # rows at hand are joined once


def _count_statuses(responses: nw.LazyFrame[Any]) -> dict[str, int]:
    counts = responses.group_by("status").agg(nw.len().cast(nw.Int64).alias("n"))
    return dict(counts.collect(backend="polars").to_native().sort("status").iter_rows())


def _describe(frame: pl.DataFrame, items: pl.DataFrame, *, task: str, cluster: str | None) -> pl.DataFrame:
    """Return the reduced rows with what is known of each item, sorted by id."""
    known = items.filter(pl.col("task") == task).drop("task", "content")
    segments = [name for name in known.columns if name.startswith("segment.")]
    known = known.with_columns(_cluster(known, segments, cluster=cluster))
    joined = frame.join(known, on="item", how="left").with_columns(pl.col("weight").fill_null(1.0))
    order = [name for name in ORDERED if name in known.columns]
    columns = ("item", "cluster", "stratum", "weight", *segments, *order, "mean", "k", "missing")
    return joined.select(columns).sort("item")


def _cluster(items: pl.DataFrame, segments: list[str], *, cluster: str | None) -> pl.Expr:
    """Return the column that names each item's cluster; an item that alone lacks one is its own."""
    if cluster == EACH_ITEM:
        return pl.lit(None, dtype=pl.String).alias("cluster")
    name = "cluster"
    if cluster is not None and cluster != "cluster":
        name = cluster if cluster in segments else f"segment.{cluster}"
        if name not in segments:
            known = ["cluster", EACH_ITEM, *(segment.removeprefix("segment.") for segment in segments)]
            raise UsageError(f"the items have no field {cluster!r} to cluster by. {nearest(cluster, known)}")
    if items[name].null_count() == items.height:
        return pl.lit(None, dtype=pl.String).alias("cluster")
    return pl.col(name).fill_null(pl.format("item {}", pl.col("item"))).alias("cluster")
