"""A published mean, its number of items and its error, held against the rows they are said to be of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from aliquot.analysis.arrays import SystemSample, system_sample
from aliquot.analysis.reconcile import find_reconciliation
from aliquot.analysis.scales import scale_of
from aliquot.analysis.verify_errors import check_error_of, readings
from aliquot.analysis.verify_figures import Figure, as_printed, half_unit, write_as
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Units
from aliquot.findings.reconcile import write_reconciliation
from aliquot.findings.verification import Check


@dataclass(frozen=True, slots=True)
class Claimed:
    """The rows a claim is about.

    Attributes:
        evidence: the tables.
        side: the system's items under the metric.
        sample: those with a value.
    """

    evidence: Evidence
    side: Units
    sample: SystemSample

    @classmethod
    def of(cls, evidence: Evidence, system: str, *, task: str, metric: str) -> Claimed:
        """Return the rows of a system under a metric."""
        side = units(evidence, system, task=task, metric=metric)
        return cls(evidence, side, system_sample(side))


def check_mean(rows: Claimed, figure: Figure, *, claim: str) -> Check:
    """Return a check of a published mean; when another denominator gives it, that one is named.

    Args:
        rows: the rows.
        figure: the published number.
        claim: what was published.
    """
    sample = rows.sample
    if sample.n == 0:
        return Check(claim, figure.text, "", "not_checked", "no item has a value")
    ours = float(np.average(sample.values, weights=sample.weights))
    if as_printed(ours, figure):
        return Check(claim, figure.text, f"{ours:.6g}", "fits", "")
    shown = f"{write_as(ours, figure)} over {sample.n} items"
    scale = scale_of(rows.evidence, rows.side.metric)
    printed = ("mean", figure.rate, half_unit(figure))
    found = find_reconciliation(rows.evidence, rows.side, sample, scale, printed=printed)
    if found is None or not found.explained:
        return Check(claim, figure.text, shown, "differs", "the rows give another number")
    cause = write_reconciliation([found], scale)[0].partition(": ")[2]
    return Check(claim, figure.text, shown, "explained", cause)


def check_items(rows: Claimed, n: int, *, claim: str) -> Iterator[Check]:
    """Return a check of a published number of items that is not the number behind the mean here.

    Args:
        rows: the rows.
        n: the published number.
        claim: what was published.
    """
    sample, every = rows.sample, rows.side.frame.height
    if n == sample.n:
        return
    shown = f"{sample.n} items with a value"
    outcome = "explained" if n == every else "differs"
    if n == every:
        cause = f"counts the {every - sample.n} items without a value"
    elif sample.repeated and n in {rows.side.rows, int(sample.attempts.sum())}:
        cause = f"takes {n} attempts for items"
    elif n < sample.n:
        cause = f"{sample.n - n} items of the rows are not in it"
    else:
        cause = "the rows hold fewer items"
    yield Check(f"{claim}, n", f"{n}", shown, outcome, cause)


def check_claimed_error(rows: Claimed, error: float, *, claim: str, half: float) -> Check:
    """Return a check of a published standard error.

    Args:
        rows: the rows.
        error: the published error, on the scale of the values.
        claim: what was published.
        half: half a unit of its last digit.
    """
    if rows.sample.n < 2:
        return Check(claim, f"{error:.6g}", "", "not_checked", "fewer than two items have a value")
    return check_error_of(
        claim, error, readings(rows.evidence, rows.side, rows.sample), half=half if error else 0.0
    )
