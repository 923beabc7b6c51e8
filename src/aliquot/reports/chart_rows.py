"""Estimates and latencies as the rows and curves of pictures, with the digits of the tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from aliquot.findings.comparison import Quantiles
from aliquot.findings.numbers import difference_unit, write_count, write_difference, write_value
from aliquot.findings.scale import Scale
from aliquot.reports.charts import Curve, Curves, Emphasis, Interval
from aliquot.reports.plain import short_name
from aliquot.stats.results import Estimate, Undefined

MOST_DRAWN: Final = 60
"""Rows of one picture; the table holds them all."""


def interval_row(
    label: str, estimate: Estimate | Undefined, scale: Scale, *, emphasis: Emphasis = "plain"
) -> Interval | None:
    """Return a difference as a row of a forest plot; None when it has no finite interval."""
    if isinstance(estimate, Undefined) or not math.isfinite(estimate.width):
        return None
    low, point, high = (
        write_difference(value, scale, width=estimate.width)
        for value in (estimate.low, estimate.point, estimate.high)
    )
    factor = 100 if scale.in_points else 1
    return Interval(
        label,
        factor * estimate.low,
        factor * estimate.point,
        factor * estimate.high,
        f"{point} [{low} to {high}]",
        emphasis,
    )


def rate_row(label: str, estimate: Estimate | Undefined, scale: Scale) -> Interval | None:
    """Return a rate or mean as a row of a forest plot; None when it has no finite interval."""
    if isinstance(estimate, Undefined) or not math.isfinite(estimate.width):
        return None
    low, point, high = (
        write_value(value, scale, width=estimate.width)
        for value in (estimate.low, estimate.point, estimate.high)
    )
    factor = 100 if scale.in_points else 1
    unit = "%" if scale.in_points else ""
    return Interval(
        label,
        factor * estimate.low,
        factor * estimate.point,
        factor * estimate.high,
        f"{point}{unit} [{low} to {high}]",
    )


def drawn_rows(
    rows: Iterable[Interval | None], *, most: int = MOST_DRAWN
) -> tuple[tuple[Interval, ...], str]:
    """Return the first rows of a forest plot that have an interval, and a sentence about those beyond."""
    known = [row for row in rows if row is not None]
    left = len(known) - most
    verb = "stands" if left == 1 else "stand"
    return tuple(known[:most]), f" {left:,} more {verb} in the table." if left > 0 else ""


def difference_axis(scale: Scale, metric: str) -> str:
    """Return the name of an axis of differences."""
    unit = difference_unit(scale).strip()
    return f"difference in {metric}{f', {unit}' if unit else ''}"


def ends_of(scale: Scale, baseline: str, candidate: str) -> tuple[str, str]:
    """Return what lies left and right of no difference; a difference is candidate minus baseline."""
    a, b = short_name(baseline), short_name(candidate)
    match scale.better:
        case "higher":
            return f"{a} better", f"{b} better"
        case "lower":
            return f"{b} better", f"{a} better"
        case "none":
            return f"{a} higher", f"{b} higher"


def rate_axis(scale: Scale, metric: str) -> str:
    """Return the name of an axis of rates or means."""
    return f"{metric}, %" if scale.in_points else metric


def latency_curves(systems: Sequence[tuple[str, Quantiles | None]]) -> Curves | None:
    """Return how long the answers of each system took, cumulated; None when it is not known of all of them."""
    known = [(name, one) for name, one in systems if one is not None and len(one.steps) > 1]
    if not known or len(known) < len(systems):
        return None
    counts = ", ".join(f"{short_name(name)} {write_count(one.n, 'response')}" for name, one in known)
    return Curves(
        title="How long answers took",
        curves=tuple(Curve(name, _cumulated(one)) for name, one in known),
        axes=(f"latency, {known[0][1].unit}", "responses within it, %"),
        caption=f"Quantiles of all responses that were not cached ({counts}); further left is faster.",
        level=(95.0, "95%"),
    )


def _cumulated(latency: Quantiles) -> tuple[tuple[float, float], ...]:
    step = 100 / (len(latency.steps) - 1)
    return tuple((value, place * step) for place, value in enumerate(latency.steps))
