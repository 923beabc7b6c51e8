"""Means over the tasks of a table, each with the error that fits its weighting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.method import analyse_pairs, analyse_system
from aliquot.analysis.table_columns import Column
from aliquot.findings.scale import Scale
from aliquot.findings.table import GroupMean
from aliquot.stats.inputs import Floats

MEAN_OF_TASKS = "tasks as strata"
ALL_ITEMS = "items pooled"


def find_group_means(
    columns: Sequence[Column], *, level: float, seed: int
) -> tuple[tuple[GroupMean, ...], Scale | None]:
    """Return the means over tasks of each candidate, and their scale; none when the metrics are not of one scale.

    The mean of tasks weighs every task alike and takes the tasks as fixed strata, so only items vary; all items as one
    sample weigh every item alike. Both are intervals of their own, not part of the joint ones.

    Args:
        columns: the differences of the table.
        level: confidence level.
        seed: seed of the tests that own the intervals.
    """
    columns = _apart(columns)
    scales = {(one.scale.kind, one.scale.low, one.scale.high, one.scale.better) for one in columns}
    if len(scales) != 1 or len({one.task for one in columns}) < 2:
        return (), None
    scale = columns[0].scale
    tasks = {one.task for one in columns}
    found: list[GroupMean] = []
    for candidate in dict.fromkeys(one.candidate for one in columns):
        mine = [one for one in columns if one.candidate == candidate]
        if {one.task for one in mine} == tasks:
            found += _means(mine, candidate, scale, level=level, seed=seed)
    return tuple(found), scale


def left_out_of_means(columns: Sequence[Column]) -> tuple[str, ...]:
    """Return the tasks that the means leave out, as they share items with an earlier task."""
    kept = {one.task for one in _apart(columns)}
    return tuple(dict.fromkeys(one.task for one in columns if one.task not in kept))


def _apart(columns: Sequence[Column]) -> list[Column]:
    """Return the columns of tasks that share no item with an earlier task: no item is counted twice."""
    kept: dict[str, frozenset[str]] = {}
    for one in columns:
        if one.task not in kept and all(frozenset(one.asked).isdisjoint(asked) for asked in kept.values()):
            kept[one.task] = frozenset(one.asked)
    return [one for one in columns if one.task in kept]


def _means(
    columns: Sequence[Column], candidate: str, scale: Scale, *, level: float, seed: int
) -> Iterator[GroupMean]:
    for name, sample in ((MEAN_OF_TASKS, _by_task(columns)), (ALL_ITEMS, _pooled(columns))):
        yield GroupMean(
            weighting=name,
            candidate=candidate,
            baseline_rate=analyse_system(sample.baseline(), scale, level=level),
            candidate_rate=analyse_system(sample.candidate(), scale, level=level),
            difference=analyse_pairs(sample, scale, level=level, seed=seed).difference,
        )


def _by_task(columns: Sequence[Column]) -> PairedSample:
    """Return all items with every task weighing alike; the tasks are strata where no cluster lies across them."""
    strata = np.repeat(np.arange(len(columns)), [one.sample.n for one in columns])
    weights = np.concatenate([one.weights / one.weights.sum() for one in columns])
    return replace(_pooled(columns), strata=strata, weights=_unless_alike(weights))


def _pooled(columns: Sequence[Column]) -> PairedSample:
    """Return the items of all tasks as one sample; a cluster that lies in several tasks is one cluster."""
    samples = [one.sample for one in columns]
    labels = np.concatenate([one.flipped_with for one in columns])
    codes = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    return PairedSample(
        items=tuple(f"{one.task}\x1f{item}" for one in columns for item in one.sample.items),
        clusters=codes if any(sample.clusters is not None for sample in samples) else None,
        weights=_unless_alike(np.concatenate([one.weights for one in columns])),
        a=np.concatenate([sample.a for sample in samples]),
        b=np.concatenate([sample.b for sample in samples]),
        k_a=np.concatenate([sample.k_a for sample in samples]),
        k_b=np.concatenate([sample.k_b for sample in samples]),
    )


def _unless_alike(weights: Floats) -> Floats | None:
    return None if np.ptp(weights) <= 1e-12 * weights.max() else weights
