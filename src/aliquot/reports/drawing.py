"""Pictures as shapes at their places; a template writes them as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from aliquot.reports.axes import Axis, axis_over
from aliquot.reports.charts import Chart, Curves, Intervals, Plane, describe
from aliquot.reports.plain import short_name

WIDTH: Final = 720.0
"""Width of a picture, in SVG units; a page scales it."""

_ROW: Final = 26.0
_LABELS: Final = 210.0
_TEXTS: Final = 200.0
_LONGEST_LABEL: Final = 30
_CORNER: Final = 20.0
"""Height that the words in the corners of a plane have for themselves."""
_PERCENT: Final = (0.0, 100.0)


@dataclass(frozen=True, slots=True)
class Text:
    """A text at its anchor: ``start``, ``middle`` or ``end``."""

    x: float
    y: float
    text: str
    anchor: str = "start"
    look: str = "plain"


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line; ``look`` is its class in the style sheet."""

    x1: float
    y1: float
    x2: float
    y2: float
    look: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A dot."""

    x: float
    y: float
    look: str


@dataclass(frozen=True, slots=True)
class Band:
    """A filled rectangle behind everything else."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Trace:
    """A line through many points, as the attribute ``points`` of an SVG polyline holds them."""

    points: str
    look: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture.

    Attributes:
        title: above it.
        description: it in words.
        caption: below it.
        height: in SVG units; the width is ``WIDTH``.
        bands: behind everything.
        lines: axes, ticks, intervals.
        traces: curves.
        dots: estimates.
        texts: labels.
    """

    title: str
    description: str
    caption: str
    height: float
    bands: tuple[Band, ...] = ()
    lines: tuple[Line, ...] = ()
    traces: tuple[Trace, ...] = ()
    dots: tuple[Dot, ...] = ()
    texts: tuple[Text, ...] = ()


def draw(chart: Chart) -> Drawing:
    """Return a picture with every shape at its place."""
    match chart:
        case Intervals():
            return _draw_intervals(chart)
        case Curves():
            return _draw_curves(chart)
        case Plane():
            return _draw_plane(chart)


def _draw_intervals(chart: Intervals) -> Drawing:
    zero, margin = chart.zero, chart.margin
    known = [value for row in chart.rows for value in (row.low, row.high)]
    known += [] if zero is None else [zero]
    known += [] if margin is None else [-margin, margin]
    shares = zero is None and chart.axis.endswith("%")
    x = axis_over(known, start=_LABELS, end=WIDTH - _TEXTS, within=_PERCENT if shares else None)
    top, foot = 8.0, 8.0 + _ROW * len(chart.rows)
    lines = [*_horizontal(x, foot)]
    bands: list[Band] = []
    if zero is not None:
        lines.append(Line(x.at(zero), top, x.at(zero), foot, "zero"))
    if margin is not None:
        bands.append(Band(x.at(-margin), top, round(x.at(margin) - x.at(-margin), 1), foot - top))
    dots: list[Dot] = []
    texts = [Text(place, foot + 18, text, "middle", "soft") for place, text in x.ticks()]
    for number, row in enumerate(chart.rows):
        y = top + _ROW * (number + 0.5)
        lines.append(Line(x.at(row.low), y, x.at(row.high), y, f"bar {row.emphasis}"))
        dots.append(Dot(x.at(row.point), y, row.emphasis))
        texts.append(Text(0, y + 4.5, short_name(row.label, limit=_LONGEST_LABEL), "start", row.emphasis))
        texts.append(Text(WIDTH, y + 4.5, row.text, "end", row.emphasis))
    texts += _below(chart, x, foot)
    return Drawing(
        title=chart.title,
        description=describe(chart),
        caption=chart.caption,
        height=foot + (58 if any(chart.ends) else 40),
        bands=tuple(bands),
        lines=tuple(lines),
        dots=tuple(dots),
        texts=tuple(texts),
    )


def _below(chart: Intervals, x: Axis, foot: float) -> Iterator[Text]:
    """Yield the name of the axis, and what lies on either side of no difference."""
    yield Text((x.start + x.end) / 2, foot + 34, chart.axis, "middle", "soft")
    left, right = chart.ends
    if chart.zero is not None and left and right:
        middle = x.at(chart.zero)
        yield Text(middle - 10, foot + 52, f"\N{LEFTWARDS ARROW} {left}", "end", "soft")
        yield Text(middle + 10, foot + 52, f"{right} \N{RIGHTWARDS ARROW}", "start", "soft")


def _draw_curves(chart: Curves) -> Drawing:
    left, top, foot = 56.0, 30.0, 250.0
    points = [point for curve in chart.curves for point in curve.points if all(map(math.isfinite, point))]
    heights = [y for _, y in points] + [0.0] + ([chart.level[0]] if chart.level else [])
    shares = chart.axes[1].endswith("%")
    x = axis_over((x for x, _ in points), start=left, end=WIDTH - 16, log=chart.log)
    y = axis_over(
        [*heights, *(_PERCENT if shares else ())], start=foot, end=top, within=_PERCENT if shares else None
    )
    lines = [*_horizontal(x, foot), *_vertical(y, left)]
    texts = [Text(place, foot + 18, text, "middle", "soft") for place, text in x.ticks()]
    texts += [Text(left - 8, place + 4.5, text, "end", "soft") for place, text in y.ticks()]
    texts += [Text((left + WIDTH) / 2, foot + 36, chart.axes[0], "middle", "soft")]
    texts += [Text(0, 14, chart.axes[1], "start", "soft")]
    if chart.level:
        height, text = chart.level
        lines.append(Line(left, y.at(height), WIDTH - 16, y.at(height), "zero"))
        texts.append(Text(left + 6, y.at(height) - 5, text, "start", "soft"))
    traces = tuple(
        Trace(" ".join(f"{x.at(a)},{y.at(b)}" for a, b in curve.points), f"curve c{number % 5}")
        for number, curve in enumerate(chart.curves)
    )
    legend = _legend([curve.name for curve in chart.curves]) if len(chart.curves) > 1 else ((), ())
    return Drawing(
        title=chart.title,
        description=describe(chart),
        caption=chart.caption,
        height=foot + 44 + (22 if len(chart.curves) > 1 else 0),
        lines=(*lines, *legend[0]),
        traces=traces,
        texts=(*texts, *legend[1]),
    )


def _legend(names: Sequence[str]) -> tuple[tuple[Line, ...], tuple[Text, ...]]:
    """Return the keys of the curves in one row below the picture."""
    step, y = (WIDTH - 56) / len(names), 308.0
    longest = int(step // 8) - 5
    keys = tuple(
        Line(56 + step * number, y - 4, 84 + step * number, y - 4, f"curve c{number % 5}")
        for number in range(len(names))
    )
    texts = tuple(
        Text(90 + step * number, y, short_name(name, limit=max(8, longest)))
        for number, name in enumerate(names)
    )
    return keys, texts


def _draw_plane(chart: Plane) -> Drawing:
    left, right, top, foot = 70.0, WIDTH - 16, 30.0, 300.0
    x = axis_over((chart.x.low, chart.x.high, 0.0), start=left, end=right)
    y = axis_over((chart.y.low, chart.y.high, 0.0), start=foot - _CORNER, end=top + _CORNER)
    across, up = x.at(chart.x.point), y.at(chart.y.point)
    lines = (
        *_horizontal(x, foot),
        *_ticks_up(y, left),
        Line(left, foot, left, top, "axis"),
        Line(x.at(0), top, x.at(0), foot, "zero"),
        Line(left, y.at(0), right, y.at(0), "zero"),
        Line(x.at(chart.x.low), up, x.at(chart.x.high), up, "bar headline"),
        Line(across, y.at(chart.y.low), across, y.at(chart.y.high), "bar headline"),
    )
    places = ((left + 6, top + 14, "start"), (right - 4, top + 14, "end"), (left + 6, foot - 8, "start"),
              (right - 4, foot - 8, "end"))  # fmt: skip
    texts = [Text(place, foot + 18, text, "middle", "soft") for place, text in x.ticks()]
    texts += [Text(left - 8, place + 4.5, text, "end", "soft") for place, text in y.ticks()]
    texts += [Text((left + right) / 2, foot + 36, chart.axes[0], "middle", "soft")]
    texts += [Text(0, 14, chart.axes[1], "start", "soft")]
    texts += [
        Text(a, b, text, anchor, "soft")
        for (a, b, anchor), text, there in zip(places, chart.corners, _there(x, y), strict=True)
        if there
    ]
    return Drawing(
        title=chart.title,
        description=describe(chart),
        caption=chart.caption,
        height=foot + 44,
        lines=lines,
        dots=(Dot(across, up, "headline"),),
        texts=tuple(texts),
    )


def _there(x: Axis, y: Axis) -> tuple[bool, bool, bool, bool]:
    """Return which corners have room for their words."""
    wide = 130.0
    left, right = x.at(0) - x.start > wide, x.end - x.at(0) > wide
    above, below = y.at(0) - y.end > 24, y.start - y.at(0) > 24
    return left and above, right and above, left and below, right and below


def _horizontal(x: Axis, foot: float) -> Iterator[Line]:
    yield Line(x.start, foot, x.end, foot, "axis")
    yield from (Line(place, foot, place, foot + 5, "axis") for place, _ in x.ticks())


def _vertical(y: Axis, left: float) -> Iterator[Line]:
    yield Line(left, y.start, left, y.end, "axis")
    yield from _ticks_up(y, left)


def _ticks_up(y: Axis, left: float) -> Iterator[Line]:
    yield from (Line(left - 5, place, left, place, "axis") for place, _ in y.ticks())
