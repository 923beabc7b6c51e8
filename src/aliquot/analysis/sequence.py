"""A run that could stop after each of its items: intervals that allow for that, in the order fixed before it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from aliquot.analysis.arrays import PairedSample, Sample, SystemSample
from aliquot.findings.comparison import NamedTest
from aliquot.findings.scale import Scale
from aliquot.findings.sequence import SequenceSeen, Step
from aliquot.stats.bets import Units, as_units
from aliquot.stats.e_processes import log_capital
from aliquot.stats.inputs import Floats, Integers
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from aliquot.stats.sequences import ConfidenceSequence, rate_sequence, sequence_of

NO_LIMITS = "the run could stop at any time, and values without limits have no interval that allows for that"

BY_FIXED_N = "not told, as the run could stop at any time"
"""Why what a fixed number of items would show is left out."""

ONLY_PAIRED = (
    "a run that could stop at any time has an interval for its systems paired, and none for them unpaired"
)

STOPPING = "stopping.rule"
"""Name of the setting that says at what a run was to stop."""


def analyse_sequence(
    sample: PairedSample, scale: Scale, *, level: float
) -> tuple[Estimate | Undefined, tuple[NamedTest, ...], str]:
    """Return the last interval of the sequence of a paired difference, its e-process, and why.

    Args:
        sample: items with a value on both sides, with their places.
        scale: the metric's scale; it must have limits.
        level: confidence level of all intervals together.
    """
    units = paired_units(sample, scale)
    if isinstance(units, Undefined):
        return units, (), ""
    span = _span(scale)
    found = sequence_of(units, low=-span, high=span, bets="mixture", level=level).last
    logs = log_capital(units, 0.5, bets="mixture", level=level)
    p = float(np.exp(-max(0.0, float(logs.max()))))
    test = HypothesisTest(
        name="e_process",
        p=max(p, 5e-324),
        statistic=float(np.exp(min(float(logs.max()), 700.0))),
        null="the two have the same mean on items like these",
    )
    by = "; clusters are its units" if sample.clusters is not None else ""
    why = (
        "the run could stop after every item in an order fixed before it, so the interval is a confidence sequence and "
        f"the test an e-process, which hold at every stop{by}"
    )
    return replace(found, method=f"paired_{found.method}"), (NamedTest(test, decides=True),), why


def system_sequence(sample: SystemSample, scale: Scale, *, level: float) -> Estimate | Undefined:
    """Return the last interval of the sequence of one system's rate or mean; Undefined when no item has a value.

    Args:
        sample: the items on which it has a value, with their places.
        scale: the metric's scale; it must have limits.
        level: confidence level of all intervals together.
    """
    if sample.n == 0:
        return Undefined("no item has a value")
    if scale.low is None or scale.high is None:
        return Undefined(NO_LIMITS)
    if scale.kind == "binary" and sample.clusters is None and not sample.repeated:
        return rate_sequence(sample.values[_order(sample)], level=level).last
    units = _units(sample, sample.values, low=scale.low, high=scale.high)
    return sequence_of(units, low=scale.low, high=scale.high, bets="mixture", level=level).last


def paired_units(sample: PairedSample, scale: Scale) -> Units | Undefined:
    """Return the differences of a sample as units to bet on, in the order in which they were asked."""
    if scale.low is None or scale.high is None:
        return Undefined(NO_LIMITS)
    span = _span(scale)
    return _units(sample, sample.d, low=-span, high=span)


def seen_sequence(sample: PairedSample, scale: Scale, *, level: float, rule: str) -> SequenceSeen | None:
    """Return how the interval of a paired difference narrowed; None for a metric without limits.

    Args:
        sample: items with a value on both sides, with their places.
        scale: the metric's scale.
        level: confidence level of all intervals together.
        rule: what the run was to stop at.
    """
    units = paired_units(sample, scale)
    if isinstance(units, Undefined):
        return None
    span = _span(scale)
    found = sequence_of(units, low=-span, high=span, bets="mixture", level=level)
    logs = log_capital(units, 0.5, bets="mixture", level=level)
    left_out = np.flatnonzero(logs >= -np.log(1 - level))
    return SequenceSeen(
        rule=rule,
        unit="item" if sample.clusters is None else "cluster",
        units=int(found.at[-1]),
        level=level,
        steps=_steps(found),
        settled=int(left_out[0]) + 1 if left_out.size else None,
    )


def _steps(found: ConfidenceSequence) -> tuple[Step, ...]:
    columns = (found.at, found.point, found.low, found.high)
    return tuple(
        Step(int(n), float(point), float(low), float(high))
        for n, point, low, high in zip(*columns, strict=True)
    )


def _units(sample: Sample, values: Floats, *, low: float, high: float) -> Units:
    order = _order(sample)
    clusters = None if sample.clusters is None else sample.clusters[order]
    largest = None
    if (
        clusters is not None
    ):  # known before the run, or as large as any here when another field was named since
        largest = max(sample.largest, int(np.bincount(clusters).max()))
    return as_units(values[order], low=low, high=high, clusters=clusters, largest=largest)


def _order(sample: Sample) -> Integers:
    """Return the order in which the items were asked."""
    return np.argsort(np.arange(sample.n) if sample.places is None else sample.places, kind="stable")


def _span(scale: Scale) -> float:
    return scale.span() or 1.0
