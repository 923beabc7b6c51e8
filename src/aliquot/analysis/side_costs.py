"""What the answers cost, item by item: time, tokens, steps, calls, length and money; quality and cost together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import narwhals as nw
import numpy as np
import polars as pl

from aliquot.analysis.arrays import PairedSample, paired_sample
from aliquot.analysis.side_means import compare_means, with_values
from aliquot.analysis.spent import COUNTS, TIMES, recorded_columns
from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.scale import Scale
from aliquot.findings.side_metrics import SideMetric, Statistic, Trade
from aliquot.findings.verdict import read_verdict
from aliquot.stats.inputs import Floats
from aliquot.stats.permutation import sign_flip
from aliquot.stats.quantiles import paired_quantile, quantile, quantile_difference
from aliquot.stats.ratios import fieller
from aliquot.stats.results import Estimate, Undefined

MOST_TEXTS: Final = 500
"""Items whose answers are read for their length."""
MOST_RESAMPLED: Final = 5_000
"""Items up to which the difference of two p95 or p99 is resampled."""
UNLIKE_LOAD: Final = 1.5
"""Ratio of the requests in flight from which two latencies are not of the same load."""

_LESS = Scale(kind="real", low=None, high=None, better="lower")
_NEITHER = Scale(kind="real", low=None, high=None, better="none")
_TRADES: Mapping[tuple[str, str], Trade] = {
    ("better", "better"): "dominates",
    ("better", "worse"): "costs_more_for_more",
    ("better", "undecided"): "better_cost_undecided",
    ("worse", "better"): "costs_less_for_less",
    ("worse", "worse"): "dominated",
    ("worse", "undecided"): "worse_cost_undecided",
    ("undecided", "better"): "cheaper_quality_undecided",
    ("undecided", "worse"): "dearer_quality_undecided",
}


@dataclass(frozen=True, slots=True)
class Costs:
    """What is handed to ``SideMetrics``; its fields are those of that record."""

    costs: tuple[SideMetric, ...]
    per_pass: Estimate | Undefined | None
    currency: str | None
    trade: Trade | None
    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class _Options:
    level: float
    seed: int


def find_costs(
    evidence: Evidence,
    pairs: Pairs,
    difference: Estimate | Undefined,
    scale: Scale,
    *,
    level: float,
    seed: int,
    texts: bool,
) -> Costs:
    """Return what the answers to the shared items cost, and quality and cost together.

    Args:
        evidence: the tables.
        pairs: the shared items under the headline.
        difference: the headline's difference.
        scale: the headline's scale.
        level: confidence level.
        seed: seed of everything random.
        texts: whether answers may be read for their length.
    """
    options = _Options(level, seed)
    columns = recorded_columns(evidence)
    means = [_item_means(evidence, units, columns) for units in (pairs.baseline, pairs.candidate)]
    found: list[SideMetric] = []
    for column in columns:
        if column in TIMES:
            found += _times(pairs, means, column, TIMES[column], options)
        elif column in COUNTS:
            found += _mean(pairs, means, column, COUNTS[column], options)
    if texts and not evidence.is_lazy:
        found += _lengths(evidence, pairs, options)
    notes = list(_time_notes(evidence, pairs, found))
    currency = _currency(means, notes) if "cost" in columns else None
    money = list(_mean(pairs, means, "cost", ("cost", currency), options)) if currency else []
    return Costs(
        costs=(*found, *money),
        per_pass=_per_pass(pairs, means, scale, options) if money and scale.kind == "binary" else None,
        currency=currency if money else None,
        trade=_trade(difference, scale, money[0].difference) if money else None,
        notes=tuple(notes),
    )


def _item_means(evidence: Evidence, units: Units, columns: Sequence[str]) -> pl.DataFrame:
    """Return each item's means over its attempts (``k.<column>``: how many), and the currencies; reduced in place."""
    rows = evidence.scan("responses", system=units.system, task=units.task)
    fresh = ~nw.col("cached").fill_null(value=False)
    timed = [nw.when(fresh).then(nw.col(name)).alias(name) for name in columns if name in TIMES]
    counted = [nw.col(name).cast(nw.Float64) for name in columns if name not in TIMES]
    chosen = rows.select("item", "attempt", "currency", *timed, *counted)
    if chosen.implementation.is_polars():
        return _means_in_order(chosen.to_native(), columns)
    reduced = chosen.group_by("item").agg(
        *(nw.col(name).mean() for name in columns),
        *(nw.col(name).count().cast(nw.Int64).alias(f"k.{name}") for name in columns),
        nw.col("currency").min().alias("first"),
        nw.col("currency").max().alias("last"),
    )
    return reduced.collect(backend="polars").to_native()


def _means_in_order(rows: pl.LazyFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return the same with values summed in the order of attempts, so that they are the same to the bit every time."""
    grouped = rows.sort("item", "attempt").group_by("item", maintain_order=True)
    reduced = grouped.agg(
        *(pl.col(name).mean() for name in columns),
        *(pl.col(name).count().cast(pl.Int64).alias(f"k.{name}") for name in columns),
        first=pl.col("currency").min(),
        last=pl.col("currency").max(),
    )
    return reduced.collect()


def _sample(pairs: Pairs, means: list[pl.DataFrame], column: str) -> PairedSample:
    sides = [
        side.select("item", mean=pl.col(column), k=pl.lit(1, dtype=pl.Int64)).drop_nulls("mean")
        for side in means
    ]
    return paired_sample(with_values(pairs, *sides))


def _mean(
    pairs: Pairs, means: list[pl.DataFrame], column: str, named: tuple[str, str], options: _Options
) -> Iterator[SideMetric]:
    """Yield the mean an item with its difference and ratio, unless it is unknown or 0 throughout."""
    sample, (name, unit) = _sample(pairs, means, column), named
    if sample.n and (sample.a.any() or sample.b.any()):
        found = compare_means(name, sample, _LESS, level=options.level, seed=options.seed, unit=unit)
        ratio = fieller(sample.b, sample.a, clusters=sample.clusters, level=options.level)
        yield replace(found, ratio=ratio if sample.weights is None else None)


def _times(
    pairs: Pairs, means: list[pl.DataFrame], column: str, name: str, options: _Options
) -> Iterator[SideMetric]:
    """Yield median, 95th and 99th percentile over the items."""
    sample = _sample(pairs, means, column)
    if not sample.n:
        return
    quantiles: tuple[tuple[Statistic, float], ...] = (("median", 0.5), ("p95", 0.95), ("p99", 0.99))
    for statistic, q in quantiles:
        a, b = (quantile(side, q=q, clusters=sample.clusters, level=options.level) for side in sample.sides())
        yield SideMetric(
            name=name,
            statistic=statistic,
            label="",
            unit="s",
            scale=_LESS,
            n=sample.n,
            points=(float(np.quantile(sample.a, q)), float(np.quantile(sample.b, q))),
            a=a,
            b=b,
            difference=_quantile_change(sample, q, options),
            ratio=None,
            test=sign_flip(sample.d, clusters=sample.clusters, rng=options.seed)
            if statistic == "median"
            else None,
        )


def _quantile_change(sample: PairedSample, q: float, options: _Options) -> Estimate | Undefined:
    """Return the median of the items' differences, or by how much a higher quantile differs."""
    a, b = sample.sides()
    if q == 0.5:
        return paired_quantile(a, b, clusters=sample.clusters, level=options.level)
    if sample.clusters is not None:
        return Undefined(f"the difference of two p{100 * q:.0f} is not resampled by clusters")
    if sample.n > MOST_RESAMPLED:
        return Undefined(
            f"the difference of two p{100 * q:.0f} is not resampled above {MOST_RESAMPLED:,} items"
        )
    return quantile_difference(a, b, q=q, level=options.level, rng=options.seed)


def _lengths(evidence: Evidence, pairs: Pairs, options: _Options) -> Iterator[SideMetric]:
    """Yield the length of the first attempt's answer in characters, where the evidence gives its text."""
    texts, items = evidence.texts, pairs.frame["item"].to_list()
    if texts is None or len(items) > MOST_TEXTS:
        return
    sides: list[pl.DataFrame] = []
    for units in (pairs.baseline, pairs.candidate):
        answers = {item: texts.response(units.system, units.task, item, 1) for item in items}
        known = {item: float(len(text)) for item, text in answers.items() if text is not None}
        schema = {"item": pl.String, "length": pl.Float64}
        sides.append(pl.DataFrame(list(known.items()), schema=schema, orient="row"))
    for found in _mean(pairs, sides, "length", ("answer length", "characters"), options):
        yield replace(found, scale=_NEITHER)


def _time_notes(evidence: Evidence, pairs: Pairs, found: list[SideMetric]) -> Iterator[Note]:
    """Say when latencies are not of fresh answers, or not of the same load."""
    if all(one.unit != "s" for one in found):
        return
    loads: list[tuple[str, float]] = []
    for units in (pairs.baseline, pairs.candidate):
        rows = evidence.scan("responses", system=units.system, task=units.task)
        timed: pl.DataFrame = (
            rows.select("started", "latency_s", "cached").collect(backend="polars").to_native()
        )
        if cached := timed["cached"].sum():
            text = f"{units.system}: {cached} of {timed.height} answers came from a cache; their times are left out"
            yield Note("cached_rows", text)
        load = _load(timed.filter(~pl.col("cached").fill_null(value=False)))
        loads += [(units.system, load)] if load is not None else []
    if len(loads) == 2 and max(one[1] for one in loads) > UNLIKE_LOAD * min(one[1] for one in loads):
        (a, mine), (b, other) = loads
        text = f"{a} was asked {mine:.1f} things at a time, {b} {other:.1f}: their times are not of the same load"
        yield Note("unlike_load", text)


def _load(timed: pl.DataFrame) -> float | None:
    """Return how many requests were in flight on average, from when they started and how long they took."""
    stamps = timed.select(
        start=pl.col("started").str.to_datetime(time_zone="UTC", strict=False).dt.epoch("us") / 1e6,
        took=pl.col("latency_s"),
    ).drop_nulls()
    if stamps.height < 2:
        return None
    ends = stamps["start"] + stamps["took"]
    span = float(np.max(ends.to_numpy())) - float(np.min(stamps["start"].to_numpy()))
    return float(stamps["took"].sum()) / span if span > 0 else None


def _currency(means: list[pl.DataFrame], notes: list[Note]) -> str | None:
    """Return the one currency of all costs; None when there are no costs, or several currencies, which is said."""
    priced = [side.filter(pl.col("k.cost") > 0) for side in means]
    if any(side.is_empty() for side in priced):
        return None
    names = {name for side in priced for column in ("first", "last") for name in side[column].drop_nulls()}
    if len(names) > 1:
        notes.append(Note("currencies", f"costs are in {' and '.join(sorted(names))} and are not compared"))
    return None if len(names) > 1 else next(iter(names), "units")


def _per_pass(
    pairs: Pairs, means: list[pl.DataFrame], scale: Scale, options: _Options
) -> Estimate | Undefined:
    """Return the cost of one additional pass: mean difference of cost over mean difference of passing, item by item."""
    costs = _sample(pairs, means, "cost")
    values = paired_sample(pairs)
    gain = dict(zip(values.items, (-values.d if scale.better == "lower" else values.d).tolist(), strict=True))
    if costs.weights is not None:
        return Undefined("items are weighted, and the interval of a ratio does not take weights")
    kept = np.array([item in gain for item in costs.items], dtype=bool)
    if not kept.any():
        return Undefined("no item has both a cost and a value on both sides")
    gains: Floats = np.array([gain[item] for item in costs.ids_where(kept)])
    clusters = None if costs.clusters is None else costs.clusters[kept]
    return fieller(costs.d[kept], gains, clusters=clusters, level=options.level)


def _trade(quality: Estimate | Undefined, scale: Scale, cost: Estimate | Undefined) -> Trade:
    words = (read_verdict(quality, better=scale.better)[0], read_verdict(cost, better="lower")[0])
    return _TRADES.get(words, "undecided")
