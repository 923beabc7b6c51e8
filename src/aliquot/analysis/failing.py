"""Which answers failed, attempt by attempt."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from aliquot.analysis.scales import scale_of
from aliquot.errors import UsageError
from aliquot.evidence.status import resolve_value
from aliquot.evidence.tables import Evidence


def failing(
    evidence: Evidence, system: str, *, task: str, metric: str
) -> tuple[Mapping[tuple[str, int], bool], Mapping[tuple[str, int], str]]:
    """Return of each answer whether it failed, and the status of each that did.

    An answer without a value failed when that is the system's doing; one that the measurement lost is left out.

    Args:
        evidence: the tables.
        system: the system.
        task: the task.
        metric: a metric of right and wrong.

    Raises:
        UsageError: the metric has other numbers than right and wrong.
    """
    scale = scale_of(evidence, metric)
    if scale.kind != "binary":
        raise UsageError(
            f"{metric!r} tells no right from wrong, so what failed is not known. Name a metric that does: --metric, or "
            f"an expression such as '{metric} >= 0.5'"
        )
    right = 0.0 if scale.better == "lower" else 1.0
    rows = evidence.rows("outcomes", system=system, task=task, metric=metric)
    scorer = rows["scorer"].unique(maintain_order=True).to_list()[:1]
    kept = rows.filter(pl.col("scorer").is_in(scorer), pl.col("repeat") == 1)
    answers = evidence.rows("responses", system=system, task=task).select("item", "attempt", "status")
    given = {(item, attempt): status for item, attempt, status in answers.iter_rows()}
    on_failure = evidence.metrics.filter(metric=metric)["on_failure"][0]
    failed: dict[tuple[str, int], bool] = {}
    statuses: dict[tuple[str, int], str] = {}
    for row in kept.iter_rows(named=True):
        key = (row["item"], row["attempt"])
        value = resolve_value(
            row["value"],
            status=row["status"],
            by=row["by"],
            response_status=given.get(key, "missing"),
            on_failure=on_failure,
        )
        if value is None:
            continue
        failed[key] = value != right
        if failed[key]:
            statuses[key] = row["status"]
    return failed, statuses
