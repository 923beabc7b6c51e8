"""Printed standard errors held against rows, and the other numbers that tools print or that readers take for one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from aliquot.analysis.arrays import SystemSample
from aliquot.analysis.attempts_seen import attempt_values
from aliquot.analysis.verify_figures import BOOTSTRAP
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.verification import Check
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.inputs import Floats
from aliquot.stats.results import Undefined

RESAMPLES = 1_000
"""Resamples a printed bootstrap error is taken to rest on; four times its own error, 1/√(2B), passes."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to an error: its value, whether it is one to print, and what is to be said of it."""

    error: float
    right: bool
    cause: str


def readings(evidence: Evidence, side: Units, sample: SystemSample) -> list[Reading]:
    """Return the error of the mean of items, and the ways in which harnesses make another of it.

    Args:
        evidence: the tables, for single attempts.
        side: one system's items.
        sample: those with a value, two at least.
    """
    return [*_of_items(sample), *_of_attempts(evidence, side, sample), *_spreads(sample)]


def _of_items(sample: SystemSample) -> Iterator[Reading]:
    y = sample.values
    yield Reading(_sem(y), right=True, cause="")
    yield Reading(float(np.std(y) / math.sqrt(y.size)), right=True, cause="divided by n, not n - 1")
    if sample.clusters is not None:
        found = cluster_variance(y, clusters=sample.clusters)
        if not isinstance(found, Undefined):
            yield Reading(found.se, right=True, cause="by cluster")


def _of_attempts(evidence: Evidence, side: Units, sample: SystemSample) -> Iterator[Reading]:
    if not sample.repeated:
        return
    rows = attempt_values(evidence, side)
    values = rows["value"].to_numpy().astype(np.float64)
    text = f"takes {values.size} attempts for items; the items are {sample.n}"
    yield Reading(_sem(values), right=False, cause=text)
    yield Reading(float(np.std(values) / math.sqrt(values.size)), right=False, cause=text)
    means = trial_means(evidence, side, sample)
    text = f"the population deviation over {means.size} trials (HELM's stddev), not the error of the mean"
    yield Reading(float(np.std(means)), right=False, cause=text)


def _spreads(sample: SystemSample) -> Iterator[Reading]:
    y = sample.values
    for ddof, spread in ((1, "spread"), (0, "population spread")):
        cause = f"the {spread} of single items, not the error of the mean"
        yield Reading(float(np.std(y, ddof=ddof)), right=False, cause=cause)


def trial_means(evidence: Evidence, side: Units, sample: SystemSample) -> Floats:
    """Return the mean over items of each attempt: HELM's trials."""
    rows = attempt_values(evidence, side).filter(pl.col("item").is_in(sample.items))
    means = rows.group_by("attempt", maintain_order=True).agg(pl.col("value").mean())
    return means["value"].to_numpy().astype(np.float64)


def _sem(y: Floats) -> float:
    return float(np.std(y, ddof=1) / math.sqrt(y.size))


def check_error_of(claim: str, value: float, known: Sequence[Reading], *, half: float = 0.0) -> Check:
    """Return a check of a printed standard error against the rows.

    Args:
        claim: of what it was printed.
        value: the printed error.
        known: the readings of the rows; the first is the error that is due.
        half: half a unit of the last digit printed; 0 for a number in full.
    """
    due = known[0].error
    printed, expected = f"{value:.6g}", f"{due:.6g}"
    for reading in known:
        if math.isclose(value, reading.error, rel_tol=1e-6, abs_tol=half + 5e-13):
            outcome = "fits" if not reading.cause else "explained" if reading.right else "differs"
            return Check(claim, printed, expected, outcome, reading.cause)
    if value == 0 and due > half:
        cause = (
            "values that differ cannot have an error of 0; the deviation over a single trial or run is 0 too, "
            "and is no error"
        )
        return Check(claim, printed, expected, "cannot_be", cause)
    if abs(value - due / BOOTSTRAP) <= max(0.15 * due / BOOTSTRAP, half):
        cause = "about 32 times too small: divided by √1000 once more"
        return Check(claim, printed, expected, "differs", cause)
    return Check(claim, printed, expected, "differs", "no reading of the rows gives it")


def check_bootstrap(claim: str, value: float, known: Sequence[Reading]) -> Check:
    """Return a check of a resampled error, which comes out to its Monte-Carlo error only.

    Args:
        claim: of what it was printed.
        value: the printed error.
        known: the readings of the rows; the first is the error that is due.
    """
    due = known[0].error
    printed, expected = f"{value:.6g}", f"{due:.6g}"
    if abs(value - due) <= 4 / math.sqrt(2 * RESAMPLES) * due:
        return Check(claim, printed, expected, "fits", "")
    if math.isclose(value * BOOTSTRAP, due, rel_tol=0.15):
        cause = "about 32 times too small: divided by √1000 once more"
    else:
        cause = "further from the rows' own error than resampling explains"
    return Check(claim, printed, expected, "differs", cause)
