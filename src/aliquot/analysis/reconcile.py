"""What the harness printed beside our number: the readings of the rows are tried until one gives it to the digit."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Literal, TypeAlias

import numpy as np
import polars as pl

from aliquot.analysis.arrays import SystemSample
from aliquot.evidence.status import resolve
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.reconcile import Departure, Reconciled
from aliquot.findings.scale import Scale
from aliquot.stats.inputs import Floats

RATES = ("pass_rate", "accuracy", "mean", "value", "win_rate", "binary_aggregate")
"""Statistics that are a mean of the items, under the names the tools print; the first that is there is reconciled."""

EXACT = 1e-9
"""How close a number must come that was printed in full."""

_FULL = 9
"""Decimals from which on a tool is taken to print in full."""
_TOOLS = {"inspect_ai": "Inspect", "lm_eval": "lm-eval", "lm-evaluation-harness": "lm-eval"}
_REDUCED = re.compile(r"^(mode|max|median|pass_at_\d+|at_least_\d+): (accuracy|mean)$")

Lost: TypeAlias = Literal["left_out", "failed", "only_given"]
"""Rows without a value of their own: as here, all as failures, or all left out."""


def find_reconciliation(
    evidence: Evidence,
    units: Units,
    sample: SystemSample,
    scale: Scale,
    *,
    printed: tuple[str, float, float] | None = None,
) -> Reconciled | None:
    """Return a system's number beside the one its harness printed; None when it printed none under this metric.

    Args:
        evidence: the tables; only what was printed and this system's rows are read.
        units: the system under the metric.
        sample: the items behind our number.
        scale: the metric's scale.
        printed: a number printed elsewhere: its name, its value, and how near a reading must come to it.
    """
    printed = printed or _printed(evidence, units)
    if printed is None or sample.n == 0:
        return None
    statistic, value, tolerance = printed
    rows = _attempts(evidence, units)
    ours = float(np.average(sample.values, weights=sample.weights))
    departures = _explain(_Rows(rows, units, sample, scale, statistic), ours, value, tolerance)
    return Reconciled(
        system=units.system,
        tool=_tool(evidence, units.system),
        metric=units.metric,
        statistic=statistic,
        printed=value,
        ours=ours,
        departures=departures or (),
        explained=departures is not None,
        errors=rows.filter(pl.col("value").is_null(), pl.col("status") == "error").height,
        missing=rows.filter(pl.col("value").is_null(), pl.col("status") != "error").height,
        failures=rows.filter(pl.col("given").is_null() & pl.col("value").is_not_null()).height,
        items=units.frame["mean"].count(),
        compared=sample.n,
    )


def _printed(evidence: Evidence, units: Units) -> tuple[str, float, float] | None:
    """Return the statistic, its printed value, and how near a reading must come to it."""
    own = evidence.reported.filter(pl.col("system") == units.system, pl.col("task") == units.task)
    under = own.filter(pl.col("metric") == units.metric)
    found = dict(under.select("statistic", "value").drop_nulls().iter_rows())
    tolerance = _tolerance([value for value in own["value"].drop_nulls() if value % 1])
    if "resolved" in found and found.get("total"):
        return "resolved of total", found["resolved"] / found["total"], EXACT
    names = [name for name in RATES if name in found] or [name for name in found if _REDUCED.match(name)]
    return (names[0], found[names[0]], tolerance) if names else None


def _tolerance(printed: list[float]) -> float:
    """Return half a unit of the last decimal this tool prints; a number in full must be met to 1e-9.

    Zeros at the end of a number do not show, so the longest number tells.
    """
    decimals = max((len(f"{value!r}".partition(".")[2]) for value in printed), default=_FULL)
    if decimals >= _FULL or any("e" in f"{value!r}" for value in printed):
        return EXACT
    return 0.5 * 10.0**-decimals + EXACT


def _tool(evidence: Evidence, system: str) -> str:
    named = evidence.settings.filter(pl.col("system") == system, pl.col("name") == "harness")["value"]
    formats = {source.format for source in evidence.sources}
    name = (
        named[0].split()[0] if named.len() and named[0] else formats.pop() if len(formats) == 1 else "The log"
    )
    return _TOOLS.get(name, name)


def _attempts(evidence: Evidence, units: Units) -> pl.DataFrame:
    """Return an attempt a row, sorted: item, weight, status, given (the scorer's own value), value (as it counts)."""
    key = ["item", "attempt"]
    outcomes = evidence.rows(
        "outcomes", system=units.system, task=units.task, metric=units.metric, scorer=units.scorer
    )
    responses = evidence.rows("responses", system=units.system, task=units.task)
    counted = resolve(outcomes, responses, evidence.metrics)["value"]
    scored = outcomes.select(*key, given="value", value=counted).group_by(key, maintain_order=True).mean()
    failure = evidence.metrics.filter(pl.col("metric") == units.metric)["on_failure"][0]
    unscored = pl.when(pl.col("scored").is_null() & ~pl.col("status").is_in(["ok", "error", "missing"]))
    return (
        units.frame.select("item", "weight")
        .join(responses.select(*key, "status"), on="item")
        .join(scored.with_columns(scored=1), on=key, how="left")
        .with_columns(value=unscored.then(failure).otherwise(pl.col("value")))
        .select(*key, "weight", "status", "given", "value")
        .sort(key)
    )


@dataclass(frozen=True, slots=True)
class _Rows:
    """What the readings are made of."""

    attempts: pl.DataFrame
    units: Units
    sample: SystemSample
    scale: Scale
    statistic: str

    @property
    def fill(self) -> float | None:
        """The value of a failure."""
        if self.scale.better == "lower":
            return self.scale.high
        return 0.0 if self.scale.low is None else self.scale.low

    def items(self, lost: Lost, *, own: bool) -> tuple[list[Floats], Floats]:
        """Return the attempts' values of each item, and the items' weights, under one reading of the lost rows."""
        compared = pl.col("item").is_in(self.sample.items)
        if lost == "failed":
            compared |= pl.col("value").is_null().any().over("item")  # such an item may have no value at all
        rows = self.attempts if own else self.attempts.filter(compared)
        column = pl.col("given" if lost == "only_given" else "value")
        if lost == "failed":
            column = column.fill_null(self.fill)
        kept = rows.with_columns(value=column).drop_nulls("value")
        grouped = kept.group_by("item", maintain_order=True).agg("value", pl.col("weight").first())
        return [np.array(values) for values in grouped["value"].to_list()], grouped["weight"].to_numpy()


def _explain(rows: _Rows, ours: float, printed: float, tolerance: float) -> tuple[Departure, ...] | None:
    """Return the fewest departures that give the printed number, or None when no reading does."""
    if abs(ours - printed) <= tolerance and not _REDUCED.match(rows.statistic):
        return ()
    fitting = [departures for departures, value in _readings(rows) if abs(value - printed) <= tolerance]
    return min(fitting, key=len, default=None)


def _readings(rows: _Rows) -> Iterator[tuple[tuple[Departure, ...], float]]:
    """Yield every reading of the rows as its departures from ours and its number."""
    lost: dict[Lost, tuple[Departure, ...]] = {
        "left_out": (),
        "failed": ("errors_failed",),
        "only_given": ("failures_left_out",),
    }
    whose: dict[bool, tuple[Departure, ...]] = {False: (), True: ("own_items",)}
    for name, own in product(lost, whose):
        values, weights = rows.items(name, own=own)
        if values and not (name == "failed" and rows.fill is None):
            for departure, value in _means(values, weights, rows.statistic):
                yield (*lost[name], *whose[own], *departure), value


def _means(
    values: list[Floats], weights: Floats, statistic: str
) -> Iterator[tuple[tuple[Departure, ...], float]]:
    """Yield the ways to make one number of the attempts of all items."""
    if reduced := _REDUCED.match(statistic):
        yield ("attempts_reduced",), float(np.mean([_reduce(one, reduced[1]) for one in values]))
        return
    means = np.array([one.mean() for one in values])
    yield (), float(np.average(means, weights=weights))
    yield ("unweighted",), float(means.mean())
    yield ("attempts_pooled",), float(np.concatenate(values).mean())


def _reduce(values: Floats, how: str) -> float:
    """Reduce the attempts of one item as Inspect's reducers of these names do."""
    if how == "mode":
        return float(Counter(values.tolist()).most_common(1)[0][0])
    if how in ("max", "median"):
        return float(np.max(values) if how == "max" else np.median(values))
    k, right = int(how.rpartition("_")[2]), int((values == 1).sum())
    if how.startswith("at_least"):
        return float(right >= k)
    if values.size - right < k:
        return 1.0
    return 1.0 - math.comb(values.size - right, k) / math.comb(values.size, k)
