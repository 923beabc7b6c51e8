"""Pictures as Altair charts, for notebooks, with the numbers and captions of the page; needs the extra ``plot``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import altair as alt

from aliquot.reports.charts import Chart, Curves, Interval, Intervals, Plane
from aliquot.reports.plain import neutralise, wrap

_ACCENT, _INK, _SOFT, _BAND = "#0b62c4", "#1c2024", "#5a6470", "#d5dae0"


def draw(charts: Sequence[Chart]) -> alt.TopLevelMixin:
    """Return pictures as one Altair chart, one below the other.

    Args:
        charts: one or more.
    """
    drawn = [_drawn(chart) for chart in charts]
    return drawn[0] if len(drawn) == 1 else alt.vconcat(*drawn)


def _drawn(chart: Chart) -> Any:
    match chart:
        case Intervals():
            layers = _intervals(chart)
        case Curves():
            layers = _curves(chart)
        case Plane():
            layers = _plane(chart)
    subtitle = [line.strip() for line in wrap(neutralise(chart.caption, limit=1000), indent="")]
    title = alt.TitleParams(_text(chart.title), subtitle=subtitle, anchor="start")
    return alt.layer(*layers).properties(title=title, width=480)


def _intervals(chart: Intervals) -> list[Any]:
    labels = _told_apart([_text(row.label) for row in chart.rows])
    rows = [
        {**_limits(row), "label": label, "emphasis": row.emphasis}
        for row, label in zip(chart.rows, labels, strict=True)
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        y=alt.Y("label:N", sort=None, title=None),
        color=alt.Color(
            "emphasis:N", legend=None, scale=alt.Scale(domain=["headline", "plain"], range=[_ACCENT, _INK])
        ),
        tooltip=[alt.Tooltip("label:N", title="of"), alt.Tooltip("text:N", title="interval")],
    )
    axis = alt.X("low:Q", title=_axis(chart), scale=alt.Scale(zero=chart.zero is not None))
    marks = [
        base.mark_rule(strokeWidth=3).encode(x=axis, x2="high:Q"),
        base.mark_point(filled=True, size=80).encode(x="point:Q"),
    ]
    band = [] if chart.margin is None else [_band(chart.margin)]
    return [*band, *([] if chart.zero is None else [_line_at(x=chart.zero)]), *marks]


def _axis(chart: Intervals) -> str:
    """Return the name of the axis, with what lies to either side."""
    left, right = map(_text, chart.ends)
    ends = f" (← {left}, {right} →)" if left and right else ""
    return f"{_text(chart.axis)}{ends}"


def _curves(chart: Curves) -> list[Any]:
    names = _told_apart([_text(curve.name) for curve in chart.curves])
    points = [
        {"name": name, "place": place, "x": x, "y": y}
        for name, curve in zip(names, chart.curves, strict=True)
        for place, (x, y) in enumerate(curve.points)
    ]
    x, y = map(_text, chart.axes)
    legend = None if len(names) == 1 else alt.Legend(title=None)
    lines = (
        alt.Chart(alt.InlineData(values=points))
        .mark_line()
        .encode(
            x=alt.X("x:Q", title=x, scale=alt.Scale(type="log" if chart.log else "linear")),
            y=alt.Y("y:Q", title=y),
            color=alt.Color("name:N", sort=None, legend=legend),
            order=alt.Order("place:Q"),
            tooltip=["name:N", alt.Tooltip("x:Q", title=x), alt.Tooltip("y:Q", title=y)],
        )
    )
    return [*([] if chart.level is None else [_line_at(y=chart.level[0])]), lines]


def _plane(chart: Plane) -> list[Any]:
    point = {"x": chart.x.point, "y": chart.y.point, "text": f"{_text(chart.x.text)}; {_text(chart.y.text)}"}
    limits = {"x_low": chart.x.low, "x_high": chart.x.high, "y_low": chart.y.low, "y_high": chart.y.high}
    base = alt.Chart(alt.InlineData(values=[point | limits]))
    across, upwards = map(_text, chart.axes)
    crossing = [
        base.mark_rule(strokeWidth=3, color=_ACCENT).encode(
            x=alt.X("x_low:Q", title=across), x2="x_high:Q", y=alt.Y("y:Q", title=upwards)
        ),
        base.mark_rule(strokeWidth=3, color=_ACCENT).encode(x="x:Q", y="y_low:Q", y2="y_high:Q"),
        base.mark_point(filled=True, size=80, color=_ACCENT).encode(x="x:Q", y="y:Q", tooltip=["text:N"]),
    ]
    return [_line_at(x=0.0), _line_at(y=0.0), *_corners(chart.corners), *crossing]


def _corners(texts: Sequence[str]) -> list[Any]:
    places = [(x, y) for y in (12, "height") for x in (6, "width")]
    one = alt.Chart(alt.InlineData(values=[{}]))
    return [
        one.mark_text(
            text=_text(text), color=_SOFT, align="left" if x == 6 else "right", dx=0 if x == 6 else -6,
            dy=0 if y == 12 else -8,
        ).encode(x=alt.value(x), y=alt.value(y))
        for (x, y), text in zip(places, texts, strict=True)
    ]  # fmt: skip


def _line_at(*, x: float | None = None, y: float | None = None) -> Any:
    one = alt.Chart(alt.InlineData(values=[{"at": y if x is None else x}]))
    rule = one.mark_rule(color=_SOFT, strokeDash=[4, 3])
    return rule.encode(y="at:Q") if x is None else rule.encode(x="at:Q")


def _band(margin: float) -> Any:
    one = alt.Chart(alt.InlineData(values=[{"from": -margin, "to": margin}]))
    return one.mark_rect(color=_BAND, opacity=0.5).encode(x="from:Q", x2="to:Q")


def _limits(row: Interval) -> dict[str, Any]:
    return {"low": row.low, "point": row.point, "high": row.high, "text": _text(row.text)}


def _told_apart(labels: Sequence[str]) -> list[str]:
    """Return labels of which no two are one: rows of one label would be drawn on one line."""
    seen: Counter[str] = Counter()
    told: list[str] = []
    for label in labels:
        seen[label] += 1
        told.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return told


def _text(text: str) -> str:
    return neutralise(text, limit=80)
