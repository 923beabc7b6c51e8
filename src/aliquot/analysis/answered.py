"""Share answered and the rate over answered rows, beside the rate over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import narwhals as nw
import polars as pl

from aliquot.analysis.arrays import SystemSample, system_sample
from aliquot.analysis.method import analyse_system
from aliquot.evidence.reduction import reduce_items
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.answered import Answered, AnsweredSide
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, Undefined

_SHARE = Scale(kind="binary", low=0.0, high=1.0, better="higher")


def find_answered(
    evidence: Evidence, pairs: Pairs, sides: Sequence[SystemSample], scale: Scale, *, level: float
) -> Answered:
    """Return how much each system answered and how right it is over what it answered.

    Args:
        evidence: the tables.
        pairs: the two systems under the metric.
        sides: the items behind the finding's number, baseline and candidate.
        scale: the metric's scale.
        level: confidence level.
    """
    baseline, candidate = (
        _side(evidence, units, side, scale, level=level)
        for units, side in zip((pairs.baseline, pairs.candidate), sides, strict=True)
    )
    return Answered(
        baseline=baseline,
        candidate=candidate,
        complete=all(side.answered == side.rows for side in (baseline, candidate)),
        disagree=_lead(baseline.overall, candidate.overall)
        * _lead(baseline.over_answered, candidate.over_answered)
        < 0,
    )


def _side(
    evidence: Evidence, units: Units, side: SystemSample, scale: Scale, *, level: float
) -> AnsweredSide:
    share = system_sample(_with(units, _shares(evidence, units)))
    over_answered, items_answered = _over_answered(evidence, units, side, scale, level=level)
    return AnsweredSide(
        system=units.system,
        rows=units.rows,
        answered=units.statuses.get("ok", 0),
        share=analyse_system(replace(share, weights=None, strata=None), _SHARE, level=level),
        overall=analyse_system(side, scale, level=level),
        over_answered=over_answered,
        items_answered=items_answered,
    )


def rate_over_answered(
    evidence: Evidence, units: Units, side: SystemSample, scale: Scale, *, level: float
) -> Estimate | Undefined | None:
    """Return a system's rate or mean over the attempts it answered alone; None when it answered all of them.

    Args:
        evidence: the tables.
        units: the system under the metric.
        side: its items with a value.
        scale: the metric's scale.
        level: confidence level.
    """
    if units.answered == 1:
        return None
    return _over_answered(evidence, units, side, scale, level=level)[0]


def _over_answered(
    evidence: Evidence, units: Units, side: SystemSample, scale: Scale, *, level: float
) -> tuple[Estimate | Undefined, int]:
    answered = _answered(evidence, units, side.items)
    if not answered.n:
        return Undefined("no item was answered"), 0
    return analyse_system(answered, scale, level=level), answered.n


def _shares(evidence: Evidence, units: Units) -> pl.DataFrame:
    """Return the share of each item's attempts that were answered."""
    rows = evidence.scan("responses", system=units.system, task=units.task)
    answered = rows.select("item", mean=(nw.col("status") == "ok").cast(nw.Float64))
    counted = answered.group_by("item").agg(nw.col("mean").mean(), nw.len().cast(nw.Int64).alias("k"))
    return counted.collect(backend="polars").to_native()


def _answered(evidence: Evidence, units: Units, items: Sequence[str]) -> SystemSample:
    """Return the compared items with the mean of their answered attempts only."""
    names = {"system": units.system, "task": units.task}
    rows = evidence.scan("responses", **names).filter(nw.col("status") == "ok")
    outcomes = evidence.scan("outcomes", **names, metric=units.metric, scorer=units.scorer)
    scored = outcomes.join(rows.select("item", "attempt"), on=["item", "attempt"], how="semi")
    on_failure = evidence.metrics.filter(pl.col("metric") == units.metric)["on_failure"][0]
    reduced = reduce_items(rows, scored, metric=units.metric, on_failure=on_failure)
    found = reduced.collect(backend="polars").to_native().select("item", "mean", "k")
    return system_sample(_with(units, found.filter(pl.col("item").is_in(items))))


def _with(units: Units, values: pl.DataFrame) -> Units:
    """Return the units with other values of their items."""
    return replace(units, frame=units.frame.drop("mean", "k").join(values, on="item").sort("item"))


def _lead(baseline: Estimate | Undefined, candidate: Estimate | Undefined) -> float:
    if isinstance(baseline, Undefined) or isinstance(candidate, Undefined):
        return 0.0
    return candidate.point - baseline.point
