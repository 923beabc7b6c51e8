"""Pictures: every shape stands where its number is."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.reports.axes import Axis, axis_over
from aliquot.reports.chart_rows import drawn_rows
from aliquot.reports.charts import Curve, Curves, Interval, Intervals, Plane
from aliquot.reports.drawing import WIDTH, draw
from aliquot.reports.render import charts_of
from tests.reports.crowded import crowded

finite = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 6))


def read(axis_ticks: list[tuple[float, str]], at: float) -> float:
    """Return the value at a place by two ticks of its axis, as a person with a ruler would."""
    (x0, t0), (x1, t1) = axis_ticks[0], axis_ticks[-1]
    v0, v1 = (float(text.replace(",", "")) for text in (t0, t1))
    return v0 + (at - x0) / (x1 - x0) * (v1 - v0)


@given(st.lists(finite, min_size=1, max_size=8))
def test_an_axis_holds_every_value_between_its_ends_in_order(values):
    axis = axis_over(values, start=100, end=500)
    places = [axis.at(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(100 <= place <= 500 for place in places)


@given(st.lists(finite, min_size=2, max_size=8, unique=True))
def test_ticks_are_round_few_and_where_their_text_says(values):
    axis = axis_over(values, start=0, end=1000)
    ticks = list(axis.ticks())
    assert len(ticks) <= 14
    for place, text in ticks:
        assert axis.at(float(text.replace(",", ""))) == pytest.approx(place, abs=2)


def test_a_logarithmic_axis_has_a_step_for_each_decade():
    axis = axis_over([50, 5000], start=0, end=300, log=True)
    assert [text for _, text in axis.ticks()] == ["50", "100", "200", "500", "1,000", "2,000", "5,000"]
    assert axis.at(500) - axis.at(50) == pytest.approx(axis.at(5000) - axis.at(500), abs=0.2)


def test_shares_stay_between_0_and_100_percent():
    axis = axis_over([0, 99.5], start=0, end=1, within=(0, 100))
    assert (axis.low, axis.high) == (0, 100)


def test_what_lies_beyond_an_axis_is_drawn_at_its_end():
    assert Axis(0, 1, 10, 20).at(5) == 20
    assert Axis(1, 10, 10, 20, log=True).at(0) == 10


def test_an_interval_lies_between_its_limits_with_its_point():
    rows = (
        Interval("first", -2.0, 3.0, 8.0, "+3.0 [-2.0 to +8.0]", "headline"),
        Interval("second", 1, 2, 3, "+2"),
    )
    drawn = draw(Intervals("Title", rows, "points", "caption", ends=("a better", "b better"), margin=1.0))
    ticks = [
        (text.x, text.text)
        for text in drawn.texts
        if text.anchor == "middle" and text.text.lstrip("-").isdigit()
    ]
    bars = [line for line in drawn.lines if line.look.startswith("bar")]
    assert [(read(ticks, bar.x1), read(ticks, bar.x2)) for bar in bars] == [
        (pytest.approx(-2, abs=0.05), pytest.approx(8, abs=0.05)),
        (pytest.approx(1, abs=0.05), pytest.approx(3, abs=0.05)),
    ]
    assert [read(ticks, dot.x) for dot in drawn.dots] == [
        pytest.approx(3, abs=0.05),
        pytest.approx(2, abs=0.05),
    ]
    (zero,) = (line for line in drawn.lines if line.look == "zero")
    assert read(ticks, zero.x1) == pytest.approx(0, abs=0.05)
    (band,) = drawn.bands
    assert (read(ticks, band.x), read(ticks, band.x + band.width)) == (
        pytest.approx(-1, abs=0.05),
        pytest.approx(1, abs=0.05),
    )
    assert "first +3.0 [-2.0 to +8.0]" in drawn.description


def test_a_curve_goes_through_its_points():
    chart = Curves(
        "t",
        (Curve("power", ((0.0, 5.0), (5.0, 80.0), (10.0, 100.0))),),
        ("x", "chance, %"),
        "c",
        (80.0, "80%"),
    )
    drawn = draw(chart)
    (trace,) = drawn.traces
    points = [tuple(map(float, pair.split(","))) for pair in trace.points.split()]
    (level,) = (line for line in drawn.lines if line.look == "zero")
    assert points[1][1] == level.y1
    assert points[0][1] > points[1][1] > points[2][1]
    assert points[1][0] - points[0][0] == pytest.approx(points[2][0] - points[1][0], abs=0.2)


def test_curves_that_are_several_have_a_legend_and_one_has_none():
    one = Curve("a", ((0.0, 1.0), (1.0, 2.0)))
    alone, both = (
        draw(Curves("t", curves, ("x", "y"), "c")) for curves in ((one,), (one, Curve("b", one.points)))
    )
    assert {"a", "b"} <= {text.text for text in both.texts}
    assert "a" not in {text.text for text in alone.texts}


def test_cost_and_quality_cross_at_their_estimates():
    x = Interval("cost", 0.1, 0.2, 0.4, "+0.2")
    y = Interval("quality", -1.0, 4.0, 9.0, "+4.0")
    drawn = draw(Plane("t", x, y, ("cost", "points"), ("bc", "bd", "wc", "wd"), "c"))
    across, up = (line for line in drawn.lines if line.look == "bar headline")
    (dot,) = drawn.dots
    assert across.y1 == across.y2 == dot.y
    assert up.x1 == up.x2 == dot.x
    assert across.x1 < dot.x < across.x2
    assert up.y1 > dot.y > up.y2
    assert {"bd"} <= {text.text for text in drawn.texts}


def test_every_picture_of_a_comparison_fits_its_frame():
    charts = charts_of(crowded())
    assert [chart.title for chart in charts] == [
        "The difference",
        "The two systems",
        "The difference by segment",
        "What this set can show",
        "How long answers took",
        "Quality against cost",
    ]
    for drawn in map(draw, charts):
        assert drawn.description
        assert drawn.caption
        for text in drawn.texts:
            assert -1 <= text.x <= WIDTH
            assert 0 < text.y <= drawn.height
        for line in drawn.lines:
            assert all(math.isfinite(x) and -1 <= x <= WIDTH for x in (line.x1, line.x2))


@given(st.floats(-1e6, 1e6, allow_nan=False), st.floats(1e-4, 1e-2))
def test_ticks_close_together_and_far_from_nothing_are_told_apart(middle, width):
    ticks = list(axis_over([middle, middle + width], start=0, end=1000).ticks())
    assert len({text for _, text in ticks}) == len(ticks)


def test_of_many_rows_the_first_are_drawn_and_the_others_are_counted():
    rows = [Interval(f"r{at}", 0.0, -1.0, 1.0, "") for at in range(63)]
    drawn, left = drawn_rows([None, *rows], most=60)
    assert drawn == tuple(rows[:60])
    assert left == " 3 more stand in the table."
    assert drawn_rows(rows[:60], most=60)[1] == ""
