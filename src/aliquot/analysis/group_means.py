"""Means over the tasks of a table, each with the error that fits its weighting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from aliquot.analysis.arrays import PairedSample
from aliquot.findings.comparison import Scale
from aliquot.findings.table import GroupMean
from aliquot.stats.inputs import Floats, Integers
from aliquot.stats.strata import Shares
from aliquot.stats.stratified import stratified_difference, stratified_mean

MEAN_OF_TASKS = "tasks as strata"
ALL_ITEMS = "items pooled"


class Measured(Protocol):
    """One candidate on one task."""

    @property
    def task(self) -> str:
        """The task."""
        ...

    @property
    def candidate(self) -> str:
        """The candidate."""
        ...

    @property
    def scale(self) -> Scale:
        """The metric's scale."""
        ...

    @property
    def sample(self) -> PairedSample:
        """The shared items."""
        ...

    @property
    def asks(self) -> frozenset[str]:
        """What tells its items from those of other tasks."""
        ...


def find_group_means(
    columns: Sequence[Measured], *, level: float
) -> tuple[tuple[GroupMean, ...], Scale | None]:
    """Return the means over tasks of each candidate, and their scale; none when the metrics are not of one scale.

    The mean of tasks weighs every task alike and takes the tasks as fixed strata, so only items vary; all items as one
    sample weigh every item alike. Both are intervals of their own, not part of the joint ones.

    Args:
        columns: the differences of the table.
        level: confidence level.
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
            found += _means(mine, candidate, scale, level=level)
    return tuple(found), scale


def _apart(columns: Sequence[Measured]) -> list[Measured]:
    """Return the columns of tasks that share no item with an earlier task: no item is counted twice."""
    kept: dict[str, frozenset[str]] = {}
    for one in columns:
        if one.task not in kept and all(one.asks.isdisjoint(asked) for asked in kept.values()):
            kept[one.task] = one.asks
    return [one for one in columns if one.task in kept]


def _means(columns: Sequence[Measured], candidate: str, scale: Scale, *, level: float) -> Iterator[GroupMean]:
    a, b = (
        np.concatenate([one.sample.a for one in columns]),
        np.concatenate([one.sample.b for one in columns]),
    )
    strata = np.repeat(np.arange(len(columns)), [one.sample.n for one in columns])
    clusters = _clusters(columns)
    weightings: tuple[tuple[str, Shares], ...] = ((MEAN_OF_TASKS, "equal"), (ALL_ITEMS, "size"))
    low, high = scale.low, scale.high
    for name, shares in weightings:
        fixed = strata if shares == "equal" else np.zeros_like(strata)

        def rate(values: Floats, fixed: Integers = fixed, shares: Shares = shares):
            return stratified_mean(
                values, strata=fixed, shares=shares, clusters=clusters, low=low, high=high, level=level
            )

        yield GroupMean(
            weighting=name,
            candidate=candidate,
            baseline_rate=rate(a),
            candidate_rate=rate(b),
            difference=stratified_difference(
                a, b, strata=fixed, shares=shares, clusters=clusters, low=low, high=high, level=level
            ),
        )


def _clusters(columns: Sequence[Measured]) -> Integers | None:
    """Return cluster codes told apart by task, as strata hold whole clusters; None when no task has any."""
    if all(one.sample.clusters is None for one in columns):
        return None
    parts: list[Integers] = []
    start = 0
    for one in columns:
        codes = np.arange(one.sample.n) if one.sample.clusters is None else one.sample.clusters
        parts.append(codes + start)
        start += int(codes.max(initial=-1)) + 1
    return np.concatenate(parts)
