"""Printed numbers that have no rows under their name: groups of tasks, and aggregates alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import polars as pl

from aliquot.analysis.arrays import SystemSample, system_sample
from aliquot.analysis.verify_figures import check_error
from aliquot.evidence.contents import metrics, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.findings.verification import Check

ERRORS = ("stderr", "standard_error", "sem")
"""Names of a printed standard error of the mean."""

MEANS = ("value", "accuracy", "mean", "pass_rate", "acc")


def check_group(
    evidence: Evidence, system: str, metric: str, printed: Mapping[str, float], *, name: str
) -> Iterator[tuple[str, Check]]:
    """Return each number of a group that takes in every task with this metric, with its check.

    Which tasks a group takes in is not recorded; a number that all of them together do not give is left to the rule of
    numbers without rows.

    Args:
        evidence: the tables.
        system: the system.
        metric: the metric.
        printed: statistic → value.
        name: of what they were printed.
    """
    members = [
        task for task in tasks(evidence, system=system) if metric in metrics(evidence, task, system=system)
    ]
    samples = [system_sample(units(evidence, system, task=task, metric=metric)) for task in members]
    full = bool(samples) and all(sample.n >= 2 for sample in samples)
    mean = next((one for one in MEANS if one in printed), None)
    error = next((one for one in ERRORS if one in printed), None)
    if full and mean is not None and (found := _mean(samples, printed[mean], name=name)):
        yield mean, found
    if error is not None:
        claim = f"{name}, {error}"
        group = _error(evidence, members, samples, printed[error], name=claim) if full else None
        if group is not None:
            yield error, group
        elif mean is not None and 0 <= printed[mean] <= 1:
            yield error, check_error(claim, printed[mean], printed[error], None)


def _mean(samples: Sequence[SystemSample], value: float, *, name: str) -> Check | None:
    means = [float(np.average(sample.values, weights=sample.weights)) for sample in samples]
    by_size = float(np.average(means, weights=[sample.n for sample in samples]))
    for ours in (float(np.mean(means)), by_size):
        if math.isclose(value, ours, rel_tol=1e-9, abs_tol=1e-12):
            return Check(name, f"{value:.6g}", f"{ours:.6g}", "fits", "")
    return None


def _error(
    evidence: Evidence, members: Sequence[str], samples: Sequence[SystemSample], error: float, *, name: str
) -> Check | None:
    distinct = _distinct(evidence, members)
    alone = [sample for task, sample in zip(members, samples, strict=True) if task in distinct]
    for way in (_of_equal_tasks, _pooled):
        if not math.isclose(error, way(samples), rel_tol=1e-6):
            continue
        copies = ", ".join(task for task in members if task not in distinct)
        cause = f"counts the same items more than once: {copies} asks what {distinct[0]} asks"
        due = f"{way(alone):.6g}"
        return Check(name, f"{error:.6g}", due, "differs" if copies else "fits", cause if copies else "")
    if math.isclose(error, float(np.mean([_sem(sample) for sample in samples])), rel_tol=1e-6):
        cause = f"the mean of the errors of {len(samples)} tasks, not the error of their mean"
        return Check(name, f"{error:.6g}", f"{_of_equal_tasks(alone):.6g}", "differs", cause)
    return None


def _sem(sample: SystemSample) -> float:
    return float(np.std(sample.values, ddof=1)) / math.sqrt(sample.n)


def _of_equal_tasks(samples: Sequence[SystemSample]) -> float:
    """Error of the mean of tasks that weigh alike: √(Σ s²/n)/k."""
    return math.sqrt(sum(_sem(sample) ** 2 for sample in samples)) / len(samples)


def _pooled(samples: Sequence[SystemSample]) -> float:
    """lm-eval's ``pooled_sample_stderr``: √(Σ (n−1) s² / (Σn − k) / Σn)."""
    sizes = np.array([sample.n for sample in samples], dtype=np.float64)
    spread = sum((sample.n - 1) * float(np.var(sample.values, ddof=1)) for sample in samples)
    return math.sqrt(spread / (sizes.sum() - len(samples)) / sizes.sum())


def _distinct(evidence: Evidence, members: Sequence[str]) -> list[str]:
    """Return the tasks without those that ask what an earlier one asks."""
    kept: dict[str, frozenset[str]] = {}
    for task in members:
        asked = frozenset(evidence.items.filter(pl.col("task") == task)["content"].drop_nulls())
        if not asked or all(asked.isdisjoint(other) for other in kept.values()):
            kept[task] = asked
    return list(kept)
