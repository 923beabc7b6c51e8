"""The task's other metrics, compared as the headline is: means, rates of classes, metrics of the whole corpus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from aliquot.analysis.arrays import paired_sample
from aliquot.analysis.scales import scale_of
from aliquot.analysis.side_failures import find_failures
from aliquot.analysis.side_means import compare_means, with_values
from aliquot.analysis.spent import recorded_columns
from aliquot.evidence.contents import metrics
from aliquot.evidence.matching import MatchOn, pair
from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Pairs
from aliquot.findings.scale import Scale
from aliquot.findings.side_metrics import SideMetric, SideMetrics
from aliquot.stats.results import Estimate, Undefined

MOST_METRICS: Final = 40
"""Other metrics compared, in the log's order."""
MOST_CLASSES: Final = 12
"""Classes of one metric compared, the most frequent first."""

_SHARE = Scale(kind="binary", low=0.0, high=1.0, better="none")


@dataclass(frozen=True, slots=True)
class _Options:
    """What the caller decided."""

    level: float
    seed: int
    cluster: str | None
    match_on: MatchOn


def find_side_metrics(
    evidence: Evidence,
    pairs: Pairs,
    difference: Estimate | Undefined,
    *,
    level: float,
    seed: int,
    cluster: str | None = None,
    match_on: MatchOn = "content",
    texts: bool = False,
) -> SideMetrics:
    """Return what else changed between two systems on the items they share.

    Args:
        evidence: the tables.
        pairs: the shared items under the headline.
        difference: the headline's difference, for quality and cost together.
        level: confidence level.
        seed: seed of everything random.
        cluster: field that names the cluster, as in ``pair``.
        match_on: as in ``pair``.
        texts: whether answers may be read for their length (up to 500 items; never of lazy evidence).
    """
    options = _Options(level, seed, cluster, match_on)
    scale = scale_of(evidence, pairs.baseline.metric)
    notes: list[Note] = []
    found = tuple(_metrics(evidence, pairs, options, notes))
    beside = SideMetrics(
        metrics=found,
        costs=(),
        per_pass=None,
        currency=None,
        trade=None,
        failures=find_failures(evidence, pairs),
        notes=tuple(notes),
        comparisons=sum(isinstance(one.difference, Estimate) for one in found),
    )
    if not recorded_columns(evidence) and not (texts and evidence.texts is not None):
        return beside
    from aliquot.analysis.costs import cost_words
    from aliquot.analysis.side_costs import find_costs

    words = cost_words(evidence, pairs.baseline.system, pairs.candidate.system)
    costs = find_costs(evidence, pairs, difference, scale, level=level, seed=seed, texts=texts)
    estimated = sum(isinstance(one.difference, Estimate) for one in costs.costs)
    return replace(
        beside,
        costs=costs.costs,
        per_pass=costs.per_pass,
        currency=costs.currency,
        trade=costs.trade,
        notes=(*notes, *costs.notes),
        comparisons=beside.comparisons + estimated + (costs.per_pass is not None),
        cost_source=words.source if costs.currency else None,
        other_costs=words.others,
    )


def _metrics(evidence: Evidence, pairs: Pairs, options: _Options, notes: list[Note]) -> Iterator[SideMetric]:
    a, b, task = pairs.baseline, pairs.candidate, pairs.baseline.task
    theirs = set(metrics(evidence, task, system=b.system))
    names = [name for name in metrics(evidence, task, system=a.system) if name in theirs and name != a.metric]
    if len(names) > MOST_METRICS:
        notes.append(
            Note("metrics_left_out", f"{len(names) - MOST_METRICS} further metrics are not compared")
        )
    scale = scale_of(evidence, a.metric)
    yield from _corpus(evidence, pairs, scale, options)
    for name in names[:MOST_METRICS]:
        for scorer in _scorers(evidence, pairs, name):
            yield from _metric(evidence, pairs, (name, scorer), options, notes)


def _scorers(evidence: Evidence, pairs: Pairs, metric: str) -> list[str]:
    """Return the scorers that scored both systems under a metric."""
    rows = evidence.names("outcomes").filter(
        pl.col("task") == pairs.baseline.task, pl.col("metric") == metric
    )
    a, b = (
        rows.filter(pl.col("system") == units.system)["scorer"].unique(maintain_order=True)
        for units in (pairs.baseline, pairs.candidate)
    )
    return [scorer for scorer in a if scorer in set(b)]


def _metric(
    evidence: Evidence, pairs: Pairs, scored: tuple[str, str], options: _Options, notes: list[Note]
) -> Iterator[SideMetric]:
    name, scorer = scored
    systems = (pairs.baseline.system, pairs.candidate.system)
    own = pair(
        evidence,
        *systems,
        task=pairs.baseline.task,
        metric=name,
        scorer=scorer,
        cluster=options.cluster,
        match_on=options.match_on,
    )
    scale, sample = scale_of(evidence, name), paired_sample(own)
    if scale.kind == "category":
        yield from _class_rates(evidence, own, options)
    elif sample.n:
        yield compare_means(name, sample, scale, level=options.level, seed=options.seed)
        yield from _corpus(evidence, own, scale, options)
    elif not evidence.is_lazy:
        from aliquot.analysis.side_corpus import compare_corpus

        found = compare_corpus(evidence, own, scale, level=options.level, seed=options.seed)
        if isinstance(found, Note):
            notes.append(found)
        else:
            yield found


def _corpus(evidence: Evidence, pairs: Pairs, scale: Scale, options: _Options) -> Iterator[SideMetric]:
    """Yield the value of the whole corpus of a metric whose items have values too, where the evidence says how."""
    if not _combines(evidence, pairs.baseline.metric):
        return
    from aliquot.analysis.side_corpus import compare_corpus

    found = compare_corpus(evidence, pairs, scale, level=options.level, seed=options.seed)
    if not isinstance(found, Note):
        yield replace(found, label="corpus")


def _combines(evidence: Evidence, metric: str) -> bool:
    """Return whether the evidence says how a metric's parts become its value over the whole corpus."""
    said = evidence.metrics.filter(pl.col("metric") == metric)["combine"]
    return not evidence.is_lazy and said.len() > 0 and said[0] is not None


def _class_rates(evidence: Evidence, pairs: Pairs, options: _Options) -> Iterator[SideMetric]:
    """Yield the rate of each class a categorical metric has, on the items labelled on both sides."""
    sides = [
        evidence.rows(
            "outcomes", system=units.system, task=units.task, metric=units.metric, scorer=units.scorer
        ).drop_nulls("label")
        for units in (pairs.baseline, pairs.candidate)
    ]
    counts = pl.concat([side.select("label") for side in sides]).group_by("label").len()
    for label in counts.sort("len", "label", descending=[True, False])["label"][:MOST_CLASSES]:
        shares = [
            side.group_by("item").agg(mean=(pl.col("label") == label).mean(), k=pl.len()) for side in sides
        ]
        sample = paired_sample(with_values(pairs, *shares))
        found = compare_means(pairs.baseline.metric, sample, _SHARE, level=options.level, seed=options.seed)
        yield replace(found, statistic="class_rate", label=label)
