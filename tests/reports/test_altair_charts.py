"""``.plot()``: the numbers of the page's pictures in a chart that Vega-Lite takes; one clear error without Altair."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from aliquot.errors import MachineError, UsageError
from aliquot.reports.altair_charts import draw
from aliquot.reports.charts import Curve, Curves, Interval, Intervals, Plane
from aliquot.reports.render import charts_of
from tests.reports.every_kind import HOSTILE, KINDS, every_kind

ROWS = (
    Interval("main", -2.5, 1.0, 4.5, "+1.0 [-2.5 to +4.5]", "headline"),
    Interval("main", 0.5, 2.0, 3.5, "+2.0 [+0.5 to +3.5]"),
)
PLANE = Plane("P", ROWS[0], ROWS[1], ("cost", "quality"), ("a", "b", "c", "d"), "Caption.")
CURVES = Curves(
    "C",
    (Curve("one", ((1.0, 0.0), (1.0, 50.0), (10.0, 100.0))), Curve("two", ((2.0, 5.0), (3.0, 6.0)))),
    ("x axis", "y axis"),
    "Caption.",
    level=(80.0, "80%"),
    log=True,
)


def values(spec: Any) -> list[dict[str, Any]]:
    """Every row of inline data within a specification."""
    if isinstance(spec, list):
        return [row for part in spec for row in values(part)]
    if not isinstance(spec, dict):
        return []
    own = spec["data"]["values"] if "values" in spec.get("data", {}) else []
    held = [row for rows in spec.get("datasets", {}).values() for row in rows]
    return [
        *own,
        *held,
        *(row for name, part in spec.items() if name not in {"data", "datasets"} for row in values(part)),
    ]


def drawn(*charts: Any) -> dict[str, Any]:
    """The specification; ``to_dict`` holds it against the schema of Vega-Lite."""
    return draw(charts).to_dict()  # pyright: ignore[reportAttributeAccessIssue] - every chart has it


def test_a_forest_plot_has_each_row_on_a_line_of_its_own_with_zero_and_margin():
    spec = drawn(
        Intervals("The difference", ROWS, "points", "Caption.", ends=("a better", "b better"), margin=2.0)
    )
    rows = [row for row in values(spec) if "label" in row]
    assert [(row["label"], row["low"], row["point"], row["high"]) for row in rows[:2]] == [
        ("main", -2.5, 1.0, 4.5),
        ("main (2)", 0.5, 2.0, 3.5),
    ]
    assert {"from": -2.0, "to": 2.0} in values(spec)
    assert {"at": 0.0} in values(spec)
    assert spec["title"]["text"] == "The difference"
    assert spec["title"]["subtitle"] == ["Caption."]
    assert "points (← a better, b better →)" in json.dumps(spec, ensure_ascii=False)


def test_rates_have_no_line_at_zero():
    spec = drawn(Intervals("Rates", ROWS, "%", "Caption.", zero=None))
    assert {"at": 0.0} not in values(spec)


def test_curves_keep_the_order_of_their_points():
    rows = [row for row in values(drawn(CURVES)) if "place" in row]
    assert [(row["name"], row["place"], row["x"], row["y"]) for row in rows] == [
        ("one", 0, 1.0, 0.0), ("one", 1, 1.0, 50.0), ("one", 2, 10.0, 100.0), ("two", 0, 2.0, 5.0),
        ("two", 1, 3.0, 6.0),
    ]  # fmt: skip
    text = json.dumps(drawn(CURVES))
    assert '"order": {"field": "place"' in text
    assert '"type": "log"' in text
    assert {"at": 80.0} in values(drawn(CURVES))


def test_a_plane_has_both_intervals_and_names_its_corners():
    spec = drawn(PLANE)
    (row,) = {json.dumps(row): row for row in values(spec) if "x_low" in row}.values()
    assert (row["x_low"], row["x"], row["x_high"]) == (-2.5, 1.0, 4.5)
    assert (row["y_low"], row["y"], row["y_high"]) == (0.5, 2.0, 3.5)
    marks = [layer["mark"] for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert [mark["text"] for mark in marks] == ["a", "b", "c", "d"]


def test_several_pictures_stand_below_one_another():
    assert len(drawn(CURVES, PLANE)["vconcat"]) == 2


@pytest.mark.parametrize("name", ["main", HOSTILE])
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_draws_what_its_page_draws(kind: str, name: str):
    found: Any = every_kind(name)[kind]
    charts = charts_of(found)
    if not charts:
        with pytest.raises(UsageError, match=f"nothing to draw of this {kind}"):
            found.plot()
        return
    spec = found.plot().to_dict()
    text = json.dumps(spec, ensure_ascii=False)
    assert "\x1b" not in text
    assert "\u202e" not in text
    points = {row["point"] for row in values(spec) if "point" in row}
    assert points >= {row.point for chart in charts if isinstance(chart, Intervals) for row in chart.rows}
    assert len(spec.get("vconcat", [spec])) == len(charts)


def test_pictures_there_are():
    assert {kind for kind in KINDS if charts_of(every_kind()[kind])} >= {
        "comparison",
        "summary",
        "table",
        "plan",
    }


def test_without_altair_one_error_names_the_extra(monkeypatch: pytest.MonkeyPatch):
    found: Any = every_kind()["comparison"]
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.delitem(sys.modules, "aliquot.reports.altair_charts", raising=False)
    with pytest.raises(MachineError, match=r"pip install 'aliquot\[plot\]'"):
        found.plot()
