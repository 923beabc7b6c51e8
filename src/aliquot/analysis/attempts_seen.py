"""What several attempts at each item show: how much an item varies by itself, and what more attempts would bring."""

from __future__ import annotations

import numpy as np
import polars as pl

from aliquot.analysis.arrays import SystemSample
from aliquot.evidence.status import resolve
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.scale import Scale
from aliquot.findings.summary import Repeats
from aliquot.stats.inputs import Integers
from aliquot.stats.pass_k import pass_at_k, pass_hat_k
from aliquot.stats.repeats import item_means, precision_table, variance_components
from aliquot.stats.results import Estimate, Undefined

ATTEMPTS = (1, 2, 4, 8)
"""Numbers of attempts whose standard error is shown, and the k of pass@k and pass^k."""


def find_repeats(
    evidence: Evidence, units: Units, sample: SystemSample, scale: Scale, *, level: float
) -> Repeats | None:
    """Return what repeated attempts show, or None when no item was attempted twice.

    Args:
        evidence: the tables, for the values of single attempts.
        units: the system's items.
        sample: those with a value.
        scale: the metric's scale.
        level: confidence level.
    """
    if not sample.repeated:
        return None
    rows = attempt_values(evidence, units)
    items, y = rows["item"].to_numpy(), rows["value"].to_numpy().astype(np.float64)
    found = variance_components(y, factors={"item": items})
    n = sample.n
    if isinstance(found, Undefined):
        between = within = precision = found
    else:
        between, within = (max(0.0, found.components[name]) for name in ("item", "within"))
        precision = precision_table(between, within, items=(n, 2 * n), attempts=ATTEMPTS)
    return Repeats(
        attempts=(int(sample.attempts.min()), int(sample.attempts.max())),
        varying=item_means(y, items=items).varying,
        between=between,
        within=within,
        precision=() if isinstance(precision, Undefined) else precision,
        **_pass_k(sample, scale, level=level),
    )


def attempt_values(evidence: Evidence, units: Units) -> pl.DataFrame:
    """Return item, attempt and value of each attempt with a value, the scorer's repeats averaged, sorted."""
    outcomes = evidence.rows("outcomes", system=units.system, task=units.task, metric=units.metric)
    responses = evidence.rows("responses", system=units.system, task=units.task)
    mine = outcomes.filter(pl.col("scorer") == units.scorer) if units.scorer else outcomes
    resolved = resolve(mine, responses, evidence.metrics)
    means = resolved.group_by("item", "attempt", maintain_order=True).agg(pl.col("value").mean())
    return means.drop_nulls("value").sort("item", "attempt")


def _pass_k(
    sample: SystemSample, scale: Scale, *, level: float
) -> dict[str, dict[int, Estimate | Undefined]]:
    """Return pass@k and pass^k for the k that every item was attempted at least."""
    if scale.kind != "binary" or scale.better == "lower":
        return {"pass_at": {}, "pass_hat": {}}
    correct: Integers = np.rint(sample.values * sample.attempts).astype(np.int64)
    ks = [k for k in ATTEMPTS if k <= int(sample.attempts.min())]
    return {
        name: {
            k: estimate(
                correct,
                sample.attempts,
                k=k,
                clusters=sample.clusters,
                weights=sample.weights,
                level=level,
            )
            for k in ks
        }
        for name, estimate in (("pass_at", pass_at_k), ("pass_hat", pass_hat_k))
    }
