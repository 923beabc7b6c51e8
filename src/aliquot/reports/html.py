"""A comparison as one HTML file: no script, no request, everything from logs escaped."""

from __future__ import annotations

import base64
import hashlib
import math
from dataclasses import dataclass
from importlib.resources import files

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from aliquot.findings.comparison import Comparison
from aliquot.findings.numbers import write_difference
from aliquot.reports.plain import neutralise, short_name
from aliquot.reports.view import view_of
from aliquot.stats.results import Estimate

_LEFT, _RIGHT = 20.0, 620.0
"""Ends of the axis in the interval plot, in SVG units."""

_LONGEST_TEXT = 2000
"""Characters of any one text in the page."""


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
    templates = files("aliquot.reports") / "templates"
    style = (templates / "comparison.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_safe
    )
    environment.filters["short"] = short_name
    template = environment.from_string((templates / "comparison.html.j2").read_text(encoding="utf-8"))
    return template.render(
        c=comparison,
        view=view_of(comparison),
        plot=_plot(comparison),
        style=Markup(style),  # noqa: S704 - our own file, not a log's text
        style_hash=Markup(f"sha256-{digest}"),  # noqa: S704 - base64 of a digest
    )


def _safe(value: object) -> object:
    """Neutralise control and bidirectional characters and bound the length of every text in the page."""
    return neutralise(value, limit=_LONGEST_TEXT) if type(value) is str else value


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
