"""Cohen's kappa against R and printed values, raters without variety, and what kappa must not depend on."""

from __future__ import annotations

import csv
import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.agreement import cohen_kappa
from aliquot.stats.results import Undefined
from tests.oracles import case, cases
from tests.shared import shared


def rated(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Labels of two raters that give a table of counts."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(int(count))]
    return [i for i, _ in cells], [j for _, j in cells]


@pytest.mark.parametrize("case", cases("08_agreement"))
def test_outside_values(case: dict[str, Any]) -> None:
    expected, close = case["expected"], case["tolerance"]
    found = cohen_kappa(*rated(case["inputs"]["table"]))
    assert found.point == pytest.approx(expected.get("kappa", expected.get("coeff")), abs=close)
    if "se" in expected:
        assert found.interval.se == pytest.approx(expected["se"], abs=close)
    if "lower" in expected:
        assert found.interval.low == pytest.approx(expected["lower"], abs=close)
        assert found.interval.high == pytest.approx(expected["upper"], abs=close)


@pytest.mark.parametrize(
    ("seed", "table"),
    [("kappa-19-8-8-45", [[19, 8], [8, 45]]), ("kappa-marginals", [[55, 5], [15, 25]])],
)
def test_seeds(seed: str, table: list[list[int]]) -> None:
    # margins .6 and .7 with agreement .8: x + (1 − .6 − .7 + x) = .8, so x = .55 both say yes
    expected = case("seeds", seed)
    assert cohen_kappa(*rated(table)).point == pytest.approx(expected["expected"], abs=expected["tolerance"])


def test_agreement_by_chance() -> None:
    # both call 80% correct, agreement .7: .65 + .05; by chance .64 + .04 = .68, kappa .02/.32 = .0625
    expected = case("seeds_more", "s-kappa-chance")
    found = cohen_kappa(*rated([[65, 15], [15, 5]]))
    assert found.expected == pytest.approx(expected["expected"]["expected"], abs=expected["tolerance"])
    assert found.point == pytest.approx(expected["expected"]["kappa"], abs=expected["tolerance"])


def test_case_09_constant_raters() -> None:
    folder = shared("cases", "09-kappa-constant-raters")
    expected = json.loads((folder / "case.json").read_text(encoding="utf-8"))["expected"]
    columns = {}
    for name in ("both_constant", "one_constant"):
        with (folder / f"{name}.csv").open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        raters = [column for column in rows[0] if column != "item"]
        columns[name] = [[row[rater] for row in rows] for rater in raters]
    both, one = cohen_kappa(*columns["both_constant"]), cohen_kappa(*columns["one_constant"])
    assert isinstance(both, Undefined)
    assert "one label only" in both.reason
    assert one.point == expected["one_constant"]["kappa"]
    assert one.observed == pytest.approx(expected["one_constant"]["agreement"], abs=1e-12)
    assert isinstance(one.interval, Undefined)


@pytest.mark.parametrize(("pair", "printed"), [((1, 2), 0.85), ((1, 3), 0.88), ((2, 3), 0.86)])
def test_three_people_as_their_paper_prints_them(pair: tuple[int, int], printed: float) -> None:
    with shared("data", "pandalm_human", "pandalm_human.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = cohen_kappa(*([row[f"annotator{one}"] for row in rows] for one in pair))
    assert (round(found.point, 2), found.n) == (printed, 999)


def test_rows_without_a_label_are_left_out_and_counted() -> None:
    # left: (x,x) (y,y) (x,y) (y,y): p_o 3/4, p_e 1/2·1/4 + 1/2·3/4 = 1/2
    a = ["x", "y", None, "x", "y", math.nan]
    b = ["x", "y", "x", "y", "y", "y"]
    found = cohen_kappa(a, b)
    assert (found.point, found.n, found.left_out, found.labels) == (pytest.approx(0.5), 4, 2, ("x", "y"))
    assert cohen_kappa([1.0, np.nan], [np.nan, 2.0]).reason == "no row was labelled by both raters"


def test_no_variety_has_no_interval() -> None:
    assert "agree on every row" in cohen_kappa([1, 2, 1], [1, 2, 1]).interval.reason
    opposed = cohen_kappa([1, 2, 2, 1], [2, 1, 1, 2])
    assert (opposed.point, "differ on every row" in opposed.interval.reason) == (-1.0, True)


def test_bad_input_is_one_clear_error() -> None:
    for a, b, options, told in (
        ([1, 2], [1], {}, "same rows"),
        ([1, 2], ["1", "2"], {}, "1 is not '1'"),
        (["yes", "n"], ["yes", "no"], {"labels": ["yes", "no"]}, "Did you mean 'no'"),
        (["a"], ["b"], {"labels": ["a", "b", "a"]}, "once"),
        ([[1, 2]], [[1, 2]], {}, "one-dimensional"),
        (np.array([{}, 1], dtype=object), [1, 2], {}, "a text or a number"),
        (["a"], ["b"], {"level": 95}, "level"),
    ):
        with pytest.raises(UsageError, match=told):
            cohen_kappa(a, b, **options)


RATINGS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=2, max_size=60)


@given(RATINGS)
def test_names_order_and_direction_do_not_count(pairs: list[tuple[str, str]]) -> None:
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    found = cohen_kappa(a, b)
    assume(not isinstance(found, Undefined))
    other = dict(zip("abcd", (7, 3, 9, 1), strict=True))
    renamed = cohen_kappa([other[x] for x in a[::-1]], [other[x] for x in b[::-1]])
    turned = cohen_kappa(b, a, labels=["d", "c", "b", "a", "unused"])
    for again in (renamed, turned):
        assert again.point == pytest.approx(found.point, abs=1e-12)
        assert bool(again.interval) == bool(found.interval)
    assert -1 <= found.point <= 1
    # by the definition, one row at a time
    n, same = len(pairs), sum(x == y for x, y in pairs)
    chance = sum(a.count(x) * b.count(x) for x in "abcd") / n**2
    assert found.point == pytest.approx((same / n - chance) / (1 - chance), abs=1e-12)
