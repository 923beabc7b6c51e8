"""The pictures of a comparison: the difference, its segments, power, latency, quality against cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aliquot.findings.comparison import Comparison
from aliquot.findings.numbers import difference_unit, write_count
from aliquot.reports.chart_rows import (
    difference_axis,
    drawn_rows,
    ends_of,
    interval_row,
    latency_curves,
    rate_axis,
    rate_row,
)
from aliquot.reports.charts import Chart, Curve, Curves, Intervals, Plane
from aliquot.reports.plain import short_name
from aliquot.stats.results import Estimate, Undefined

if TYPE_CHECKING:
    from aliquot.findings.segments import SegmentScan

_CORNERS = (
    "better and cheaper",
    "better and dearer",
    "worse and cheaper",
    "worse and dearer",
)


def difference_charts(comparison: Comparison) -> tuple[Chart, ...]:
    """Return the pictures that stand beside the verdict: the difference, and the two systems."""
    return tuple(chart for chart in (_difference(comparison), _systems(comparison)) if chart is not None)


def beside_charts(comparison: Comparison) -> tuple[Chart, ...]:
    """Return the pictures of what was found beside the difference."""
    return tuple(_beside(comparison))


def _beside(comparison: Comparison) -> Iterator[Chart]:
    if comparison.segments is not None and (forest := _forest(comparison, comparison.segments)):
        yield forest
    if comparison.power_curve:
        yield _power(comparison)
    if latency := _latency(comparison):
        yield latency
    if plane := _plane(comparison):
        yield plane


def _difference(comparison: Comparison) -> Intervals | None:
    scale = comparison.scale
    row = interval_row("difference", comparison.difference, scale, emphasis="headline")
    if row is None or isinstance(comparison.difference, Undefined):
        return None
    rows = [row]
    if comparison.reweighted is not None:
        other = interval_row("at other shares", comparison.reweighted.difference, scale)
        rows += [] if other is None else [other]
    items = write_count(comparison.n_items, "item")
    factor = 100 if scale.in_points else 1
    margin = None if comparison.margin is None else comparison.margin * factor
    shaded = "" if margin is None else f" Shaded: within the margin of {margin:.4g}{difference_unit(scale)}."
    return Intervals(
        title="The difference",
        rows=tuple(rows),
        axis=difference_axis(scale, comparison.metric),
        caption=f"{comparison.difference.method}, {100 * comparison.level:g}% interval, {items}.{shaded}",
        ends=ends_of(scale, comparison.baseline.system, comparison.candidate.system),
        margin=margin,
    )


def _systems(comparison: Comparison) -> Intervals | None:
    sides = (comparison.baseline, comparison.candidate)
    rows = [rate_row(side.system, side.estimate, comparison.scale) for side in sides]
    known = tuple(row for row in rows if row is not None)
    if len(known) < 2:
        return None
    methods = dict.fromkeys(side.estimate.method for side in sides if isinstance(side.estimate, Estimate))
    return Intervals(
        title="The two systems",
        rows=known,
        axis=rate_axis(comparison.scale, comparison.metric),
        caption=(
            f"{', '.join(methods)}, {100 * comparison.level:g}% intervals of each system alone. Whether these overlap "
            "is no test of the difference, which is paired."
            if comparison.paired
            else f"{', '.join(methods)}, {100 * comparison.level:g}% intervals of each system alone."
        ),
        zero=None,
    )


def _forest(comparison: Comparison, scan: SegmentScan) -> Intervals | None:
    scale = comparison.scale
    rows = [
        interval_row(f"{field.field}: {part.level or '(none)'} ({part.n})", part.difference, scale)
        for field in scan.fields
        for part in field.levels
    ]
    known, more = drawn_rows(rows)
    if not known:
        return None
    overall = interval_row("all items", comparison.difference, scale, emphasis="headline")
    return Intervals(
        title="The difference by segment",
        rows=(*([overall] if overall else []), *known),
        axis=difference_axis(scale, comparison.metric),
        caption=(
            f"Items in parentheses. The segments' intervals hold together (max-T over {scan.scanned} segments), that "
            f"of all items alone. Exploratory: what stands out is a question for new items.{more}"
        ),
        ends=ends_of(scale, comparison.baseline.system, comparison.candidate.system),
    )


def _power(comparison: Comparison) -> Curves:
    curve = comparison.power_curve or ()
    factor = 100 if comparison.scale.in_points else 1
    how = (
        "exact McNemar on the items these are worth"
        if comparison.scale.kind == "binary"
        else "the t interval"
    )
    return Curves(
        title="What this set can show",
        curves=(Curve("power", tuple((factor * one.difference, 100 * one.power) for one in curve)),),
        axes=(f"true {difference_axis(comparison.scale, comparison.metric)}", "chance that it is shown, %"),
        caption=(
            f"{write_count(comparison.n_items, 'item')}, by {how}, at a level of "
            f"{1 - comparison.level:.2g}, for a true difference of each size in either direction."
        ),
        level=(80.0, "80%"),
    )


def _latency(comparison: Comparison) -> Curves | None:
    return latency_curves(
        [(side.system, side.latency) for side in (comparison.baseline, comparison.candidate)]
    )


def _plane(comparison: Comparison) -> Plane | None:
    side, scale = comparison.side_metrics, comparison.scale
    if side is None or scale.better not in {"higher", "lower"}:
        return None
    cost = next((one for one in side.costs if one.name == "cost" and one.statistic == "mean"), None)
    if cost is None:
        return None
    x = interval_row("cost", cost.difference, cost.scale)
    y = interval_row("quality", comparison.difference, scale)
    if x is None or y is None:
        return None
    worse_up = scale.better == "lower"
    corners = (*_CORNERS[2:], *_CORNERS[:2]) if worse_up else _CORNERS
    return Plane(
        title="Quality against cost",
        x=x,
        y=y,
        axes=(f"difference in cost an item, {cost.unit}", difference_axis(scale, comparison.metric)),
        corners=(corners[0], corners[1], corners[2], corners[3]),
        caption=(
            f"{short_name(comparison.candidate.system)} minus {short_name(comparison.baseline.system)}, "
            f"{100 * comparison.level:g}% intervals, {write_count(cost.n, 'item')}."
        ),
    )
