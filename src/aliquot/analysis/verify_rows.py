"""What a log's own tool printed, recomputed from its rows: means, errors, groups."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from aliquot.analysis.arrays import SystemSample, system_sample
from aliquot.analysis.attempts_seen import attempt_values
from aliquot.analysis.reconcile import find_reconciliation
from aliquot.analysis.scales import scale_of
from aliquot.analysis.verify_figures import BOOTSTRAP, check_error
from aliquot.evidence.contents import metrics, systems, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.reconcile import write_reconciliation
from aliquot.findings.verification import Check
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.inputs import Floats
from aliquot.stats.results import Undefined

ERRORS = ("stderr", "standard_error", "sem")
"""Names of a printed standard error of the mean."""

BOOTSTRAPPED = ("bootstrap_stderr",)
"""Names of one that was resampled, which comes out to its Monte-Carlo error only."""

RESAMPLES = 1_000
"""Resamples a printed bootstrap error is taken to rest on; four times its own error, 1/√(2B), passes."""

MEANS = ("value", "accuracy", "mean", "pass_rate", "acc")


def verify_rows(evidence: Evidence) -> Iterator[Check]:
    """Return a check of each mean and error the log's tool printed.

    Args:
        evidence: the tables with what was printed.
    """
    known = {(system, task) for system in systems(evidence) for task in tasks(evidence, system=system)}
    for (system, task, metric), printed in _printed(evidence).items():
        name = f"{system}, {task}, {metric}"
        if (system, task) in known and metric in metrics(evidence, task, system=system):
            side = units(evidence, system, task=task, metric=metric)
            yield from _of_rows(evidence, side, printed, name=name)
        else:
            yield from _without_rows(evidence, system, metric, printed, name=name)


def _printed(evidence: Evidence) -> dict[tuple[str, str, str], dict[str, float]]:
    found: dict[tuple[str, str, str], dict[str, float]] = {}
    for row in evidence.reported.drop_nulls("value").iter_rows(named=True):
        found.setdefault((row["system"], row["task"], row["metric"]), {})[row["statistic"]] = row["value"]
    return found


def _of_rows(evidence: Evidence, side: Units, printed: Mapping[str, float], *, name: str) -> Iterator[Check]:
    scale, sample = scale_of(evidence, side.metric), system_sample(side)
    reconciled = find_reconciliation(evidence, side, sample, scale)
    if reconciled is not None:
        text = "" if reconciled.same else write_reconciliation([reconciled], scale)[0].partition(": ")[2]
        outcome = "fits" if reconciled.same else "explained" if reconciled.explained else "differs"
        yield Check(name, f"{reconciled.printed:.6g}", f"{reconciled.ours:.6g}", outcome, text)
    if sample.n < 2:
        return
    readings = list(_readings(evidence, side, sample))
    for statistic, value in printed.items():
        base, _, clustered = statistic.partition("(")
        if base in ERRORS and not clustered:
            yield _check_error(f"{name}, {statistic}", value, readings)
        elif base in BOOTSTRAPPED:
            yield _check_bootstrap(f"{name}, {statistic}", value, readings)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to an error: its value, whether it is the one to print, and what is wrong with it."""

    error: float
    right: bool
    cause: str


def _readings(evidence: Evidence, side: Units, sample: SystemSample) -> Iterator[_Reading]:
    """Return the error of the mean of items, and the ways in which harnesses make another of it."""
    y = sample.values
    yield _Reading(_sem(y), right=True, cause="")
    yield _Reading(float(np.std(y) / math.sqrt(y.size)), right=True, cause="divided by n, not n - 1")
    if sample.clusters is not None:
        found = cluster_variance(y, clusters=sample.clusters)
        if not isinstance(found, Undefined):
            yield _Reading(found.se, right=True, cause="by cluster")
    if sample.repeated:
        rows = attempt_values(evidence, side)["value"].to_numpy().astype(np.float64)
        text = f"takes {rows.size} attempts for items; the items are {sample.n}"
        yield _Reading(_sem(rows), right=False, cause=text)
        yield _Reading(float(np.std(rows) / math.sqrt(rows.size)), right=False, cause=text)
    yield _Reading(
        float(np.std(y, ddof=1)), right=False, cause="the spread of single items, not the error of the mean"
    )
    yield _Reading(
        float(np.std(y)), right=False, cause="the population spread of items, not the error of the mean"
    )


def _sem(y: Floats) -> float:
    return float(np.std(y, ddof=1) / math.sqrt(y.size))


def _check_error(claim: str, value: float, readings: Sequence[_Reading]) -> Check:
    due = readings[0].error
    printed, expected = f"{value:.6g}", f"{due:.6g}"
    for reading in readings:
        if math.isclose(value, reading.error, rel_tol=1e-6, abs_tol=5e-13):
            outcome = "fits" if not reading.cause else "explained" if reading.right else "differs"
            return Check(claim, printed, expected, outcome, reading.cause)
    if value == 0 and due > 0:
        return Check(claim, printed, expected, "cannot_be", "values that differ cannot have an error of 0")
    if math.isclose(value * BOOTSTRAP, due, rel_tol=0.15):
        return Check(
            claim, printed, expected, "differs", "about 32 times too small: divided by √1000 once more"
        )
    return Check(claim, printed, expected, "differs", "no reading of the rows gives it")


def _check_bootstrap(claim: str, value: float, readings: Sequence[_Reading]) -> Check:
    due = readings[0].error
    fits = _resampled(value, due)
    cause = "" if fits else "further from the rows' own error than resampling explains"
    return Check(claim, f"{value:.6g}", f"{due:.6g}", "fits" if fits else "differs", cause)


def _resampled(value: float, due: float) -> bool:
    return abs(value - due) <= 4 / math.sqrt(2 * RESAMPLES) * due


def _without_rows(
    evidence: Evidence, system: str, metric: str, printed: Mapping[str, float], *, name: str
) -> Iterator[Check]:
    """Check a number that has no rows under its name: a group of tasks, or an aggregate alone."""
    error = next((printed[one] for one in ERRORS if one in printed), None)
    rate = next((printed[one] for one in MEANS if one in printed), None)
    if error is None or rate is None:
        return
    group = _group(evidence, system, metric, error, name=f"{name}, stderr")
    if group is not None:
        yield group
    elif 0 <= rate <= 1:
        yield check_error(f"{name}, stderr", rate, error, None)


def _group(evidence: Evidence, system: str, metric: str, error: float, *, name: str) -> Check | None:
    """Check the pooled error of a group that takes in every task with this metric; its members are not recorded."""
    members = [
        task for task in tasks(evidence, system=system) if metric in metrics(evidence, task, system=system)
    ]
    samples = [system_sample(units(evidence, system, task=task, metric=metric)) for task in members]
    if len(samples) < 2 or not math.isclose(_pooled(samples), error, rel_tol=1e-6):
        return None
    distinct = _distinct(evidence, members)
    if len(distinct) == len(members):
        return Check(name, f"{error:.6g}", f"{error:.6g}", "fits", "")
    alone = _pooled([sample for task, sample in zip(members, samples, strict=True) if task in distinct])
    copies = ", ".join(task for task in members if task not in distinct)
    return Check(
        name,
        f"{error:.6g}",
        f"{alone:.6g}",
        "differs",
        f"counts the same items more than once: {copies} asks what {distinct[0]} asks",
    )


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
