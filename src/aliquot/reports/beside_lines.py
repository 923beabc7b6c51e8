"""The lines beside the difference: what else changed, and what the suite moves by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from aliquot.findings.comparison import Comparison
from aliquot.findings.numbers import decimals_for, difference_unit, write_difference
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate

if TYPE_CHECKING:
    from aliquot.findings.noise import RememberedNoise
    from aliquot.findings.shares import Reweighted
from aliquot.findings.side_metrics import SideMetric, SideMetrics

_REJECTED = 0.05
"""p at or below which a change that does not vary is called established."""

_SAME = 0.005
"""A ratio closer to 1 than this is called the same."""


def write_also(comparison: Comparison) -> str:
    """Return what else changed, in one sentence: money, time, length; empty when none was recorded."""
    side = comparison.side_metrics
    if side is None:
        return ""
    parts = [part for part in _parts(side) if part]
    return f"{', '.join(parts)}." if parts else ""


def _parts(side: SideMetrics) -> Iterator[str]:
    found = {(one.name, one.statistic): one for one in side.costs}
    yield _change(found.get(("cost", "mean")), "cost", "an item")
    yield _seconds(found.get(("latency", "median")), "median latency")
    yield _seconds(found.get(("latency", "p95")), "p95")
    longer = found.get(("tokens out", "mean")) or found.get(("answer length", "mean"))
    yield _change(longer, "answers", "longer", fewer="shorter")


def _change(metric: SideMetric | None, name: str, tail: str, *, fewer: str | None = None) -> str:
    """Write a ratio of means as a percentage, with its sign unless words carry it."""
    if metric is None or None in metric.points or not metric.points[0] or metric.points[1] is None:
        return ""
    change = metric.points[1] / metric.points[0] - 1
    if abs(change) < _SAME:
        return ""
    unclear = "" if _shown(metric) else " (not established)"
    if fewer is not None:
        return f"{name} {100 * abs(change):.0f}% {tail if change > 0 else fewer}{unclear}"
    return f"{name} {100 * change:+.0f}% {tail}{unclear}"


def _shown(metric: SideMetric) -> bool:
    """Return whether a change is established: by its interval, or by its test where all items changed alike."""
    difference = metric.difference
    if isinstance(difference, Estimate):
        return difference.low > 0 or difference.high < 0
    return metric.test is not None and metric.test.p <= _REJECTED


def _seconds(metric: SideMetric | None, name: str) -> str:
    if metric is None or metric.points[0] is None or metric.points[1] is None:
        return ""
    a, b = metric.points[0], metric.points[1]
    places = decimals_for(min(a, b)) if min(a, b) > 0 else 1
    return f"{name} {a:.{places}f} -> {b:.{places}f} s"


def write_remembered(noise: RememberedNoise | None, scale: Scale) -> str:
    """Say what the suite was seen to move by itself."""
    if noise is None:
        return ""
    if not noise.flipped:
        return (
            f"None of {noise.n_items} items flipped between two runs of one system ({noise.measured[:10]})."
        )
    size = write_difference(noise.wobble, scale, width=noise.wobble).lstrip("+")
    return (
        f"This suite moves by up to {size}{difference_unit(scale)} between two such runs of one system "
        f"({noise.flipped} of {noise.n_items} items flipped, {noise.measured[:10]})."
    )


def write_reweighted(found: Reweighted | None, scale: Scale) -> str:
    """Say what the difference is at the shares that were asked for."""
    if found is None:
        return ""
    shares = ", ".join(f"{level} {100 * share:.0f}%" for level, share in found.given.items())
    if not isinstance(found.difference, Estimate):
        return f"At {found.field} {shares}: not available, {found.difference.reason}."
    point, low, high = (
        write_difference(value, scale, width=found.difference.width)
        for value in (found.difference.point, found.difference.low, found.difference.high)
    )
    return f"At {found.field} {shares}: {point} [{low} to {high}]{difference_unit(scale)}."
