"""A comparison as one HTML file: no script, no request, everything from logs escaped."""

from __future__ import annotations

import math
from dataclasses import dataclass

from aliquot.findings.comparison import Comparison
from aliquot.findings.numbers import write_difference
from aliquot.reports.comparison_blocks import comparison_blocks
from aliquot.reports.page import render_page
from aliquot.reports.view import view_of
from aliquot.stats.results import Estimate

_LEFT, _RIGHT = 20.0, 620.0
"""Ends of the axis in the interval plot, in SVG units."""


@dataclass(frozen=True, slots=True)
class IntervalPlot:
    """Positions of the interval plot, in SVG units, and its labels."""

    zero: float
    low: float
    high: float
    point: float
    low_text: str
    high_text: str


def render_html(comparison: Comparison) -> str:
    """Return a comparison as a self-contained page that opens from disk, prints, and needs no script."""
    return render_page(
        "comparison.html.j2",
        c=comparison,
        view=view_of(comparison),
        plot=_plot(comparison),
        blocks=comparison_blocks(comparison),
    )


def _plot(comparison: Comparison) -> IntervalPlot | None:
    difference = comparison.difference
    if not isinstance(difference, Estimate) or not all(
        math.isfinite(x) for x in (difference.low, difference.high)
    ):
        return None
    reach = 1.15 * max(abs(difference.low), abs(difference.high))
    sign = -1 if comparison.scale.better == "lower" else 1

    def place(value: float) -> float:
        return round((_LEFT + _RIGHT) / 2 + sign * value / reach * (_RIGHT - _LEFT) / 2, 1)

    low_text, high_text = (
        write_difference(limit, comparison.scale, width=difference.width)
        for limit in (difference.low, difference.high)
    )
    return IntervalPlot(
        zero=place(0),
        low=place(difference.low),
        high=place(difference.high),
        point=place(difference.point),
        low_text=low_text,
        high_text=high_text,
    )
