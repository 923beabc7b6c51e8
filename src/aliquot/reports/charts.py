"""What a finding shows as a picture: intervals, curves, and a point in the plane; the page and a notebook draw them.

Numbers are in the units shown (points for shares), and each comes with its text, so that a picture and a table never
differ in a digit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Emphasis: TypeAlias = Literal["headline", "plain"]


@dataclass(frozen=True, slots=True)
class Interval:
    """One row of a forest plot.

    Attributes:
        label: what it is about.
        low: lower limit.
        point: the estimate.
        high: upper limit.
        text: the three of them, as the tables write them.
        emphasis: the row the verdict reads, or another.
    """

    label: str
    low: float
    point: float
    high: float
    text: str
    emphasis: Emphasis = "plain"


@dataclass(frozen=True, slots=True)
class Intervals:
    """Estimates with their intervals on one axis (a forest plot).

    Attributes:
        title: above it.
        rows: from top to bottom.
        axis: what the axis measures, with its unit.
        caption: method, n and what to read from it.
        zero: where no difference lies; None for rates.
        ends: what lies to the left of it, and to the right.
        margin: half width of the band that does not matter; None without one.
    """

    title: str
    rows: tuple[Interval, ...]
    axis: str
    caption: str
    zero: float | None = 0.0
    ends: tuple[str, str] = ("", "")
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """One named line through points (x, y), x rising."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines over one axis.

    Attributes:
        title: above it.
        curves: at most a few.
        axes: what x and y measure, with their units.
        caption: method, n and what to read from it.
        level: a height worth marking, with its text.
        log: whether x is drawn by its logarithm.
    """

    title: str
    curves: tuple[Curve, ...]
    axes: tuple[str, str]
    caption: str
    level: tuple[float, str] | None = None
    log: bool = False


@dataclass(frozen=True, slots=True)
class Plane:
    """One estimate in two directions, as the plane of cost against quality.

    Attributes:
        title: above it.
        x: across.
        y: upwards.
        axes: what x and y measure, with their units.
        corners: what upper left, upper right, lower left and lower right mean.
        caption: method, n and what to read from it.
    """

    title: str
    x: Interval
    y: Interval
    axes: tuple[str, str]
    corners: tuple[str, str, str, str]
    caption: str


Chart: TypeAlias = Intervals | Curves | Plane


def describe(chart: Chart) -> str:
    """Return a picture in words, for those who do not see it."""
    match chart:
        case Intervals():
            return "; ".join(f"{row.label} {row.text}" for row in chart.rows)
        case Curves():
            return "; ".join(f"{curve.name}: {_ends(curve)}" for curve in chart.curves)
        case Plane():
            return f"{chart.axes[0]}: {chart.x.text}; {chart.axes[1]}: {chart.y.text}"


def _ends(curve: Curve) -> str:
    (x0, y0), (x1, y1) = curve.points[0], curve.points[-1]
    return f"from {y0:.3g} at {x0:.3g} to {y1:.3g} at {x1:.3g}"
