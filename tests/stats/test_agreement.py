"""Agreement beyond chance against R and printed values, raters without variety, and what must not matter."""

from __future__ import annotations

import csv
import itertools
import json
import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.agreement import cohen_kappa, scott_pi
from aliquot.stats.agreement_many import (
    agreement_coefficients,
    brennan_prediger,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    krippendorff_alpha,
    raw_agreement,
)
from aliquot.stats.cautions import coverage_warning
from aliquot.stats.rater_tables import RatingTable, ratings_by_item
from aliquot.stats.results import Undefined
from tests.oracles import case, cases
from tests.shared import shared
from tests.validity.raters import kappa_of_tables

KEYS = {
    "kappa": "cohen_kappa",
    "coeff": "krippendorff_alpha",
    "ac1": "gwet_ac",
    "alpha": "krippendorff_alpha",
    "scott": "scott_pi",
    "bp": "brennan_prediger",
}


def rated(table: list[list[int]]) -> tuple[list[int], list[int]]:
    """Labels of two raters that give a table of counts."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(int(count))]
    return [i for i, _ in cells], [j for _, j in cells]


def with_table(*skipped: str) -> list[Any]:
    return [p for p in cases("08_agreement") if "table" in p.values[0]["inputs"]]


@pytest.mark.parametrize("case", with_table())
def test_two_raters_as_other_packages_have_them(case: dict[str, Any]) -> None:
    inputs, expected, close = case["inputs"], case["expected"], case["tolerance"]
    a, b = rated(inputs["table"])
    options: dict[str, Any] = {
        "labels": list(range(len(inputs["table"]))),
        "scale": inputs.get("weights", "nominal"),
        "method": "normal",
    }
    known = KEYS | ({"coeff": "cohen_kappa"} if case["id"].endswith("kappa") else {})
    for key in known.keys() & expected.keys():
        name = known[key]
        if name == "cohen_kappa":
            found = cohen_kappa(a, b, **options)
        else:
            pairs = np.stack([a, b], axis=1)
            found = agreement_coefficients(pairs, coefficients=[name], **options)[name]
        assert found.point == pytest.approx(expected[key], abs=close)
        if "se" in expected:
            assert found.interval.se == pytest.approx(expected["se"], abs=close)
        if "lower" in expected:
            assert found.interval.low == pytest.approx(expected["lower"], abs=close)
            assert found.interval.high == pytest.approx(expected["upper"], abs=close)
        if "z" in expected:
            assert found.chance_test.statistic == pytest.approx(expected["z"], abs=close)


@pytest.mark.parametrize("case", cases("08_agreement", "fleiss71-precise"))
def test_thirty_patients_of_six_raters(case: dict[str, Any]) -> None:
    ratings = [[k for k, m in enumerate(row) for _ in range(m)] for row in case["inputs"]["counts"]]
    found = fleiss_kappa(ratings, n_resamples=99)
    assert found.point == pytest.approx(case["expected"]["kappa"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("08_agreement", "kripp-canonical"))
def test_krippendorffs_own_example(case: dict[str, Any]) -> None:
    ratings = list(zip(*case["inputs"]["ratings"], strict=True))
    found = krippendorff_alpha(
        ratings, scale="ordinal" if "ordinal" in case["id"] else "nominal", n_resamples=99
    )
    assert found.point == pytest.approx(case["expected"]["alpha"], abs=case["tolerance"])
    # one item has one rating only, so 11 of 12 count, and 40 of 41 ratings
    assert (found.n, found.left_out, found.ratings) == (11, 1, 40)


@pytest.mark.parametrize(("scale", "printed"), [("interval", 0.849), ("ratio", 0.797)])
def test_krippendorffs_other_scales(scale: Any, printed: float) -> None:
    ratings = list(
        zip(*case("08_agreement", "08_agreement-kripp-canonical-ordinal")["inputs"]["ratings"], strict=True)
    )
    # printed in the source of the case: nominal .743, ordinal .815, interval .849, ratio .797
    assert round(krippendorff_alpha(ratings, scale=scale, n_resamples=99).point, 3) == printed


@pytest.mark.parametrize(
    ("seed", "table"),
    [("kappa-19-8-8-45", [[19, 8], [8, 45]]), ("kappa-marginals", [[55, 5], [15, 25]])],
)
def test_seeds(seed: str, table: list[list[int]]) -> None:
    # margins .6 and .7 with agreement .8: x + (1 − .6 − .7 + x) = .8, so x = .55 both say yes
    expected = case("seeds", seed)
    assert cohen_kappa(*rated(table)).point == pytest.approx(expected["expected"], abs=expected["tolerance"])


def test_alpha_of_the_same_table() -> None:
    expected = case("seeds", "kripp-19-8-8-45")
    found = krippendorff_alpha(np.stack(rated([[19, 8], [8, 45]]), axis=1))
    assert found.point == pytest.approx(expected["expected"], abs=expected["tolerance"])


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


def test_no_variety_has_an_interval_of_imagined_tables_or_none() -> None:
    assert 0 < cohen_kappa([1, 2] * 10, [1, 2] * 10).interval.low < 1
    assert "agree on every row" in cohen_kappa([1, 2, 1, 3], [1, 2, 1, 3]).interval.reason
    opposed = cohen_kappa([1, 2, 2, 1], [2, 1, 1, 2])
    assert (opposed.point, opposed.interval.low) == (-1.0, -1.0)
    assert opposed.interval.width > 0.3


def test_bad_input_is_one_clear_error() -> None:
    for a, b, options, told in (
        ([1, 2], [1], {}, "same rows"),
        ([1, 2], ["1", "2"], {}, "1 is not '1'"),
        (["yes", "n"], ["yes", "no"], {"labels": ["yes", "no"]}, "Did you mean 'no'"),
        (["a"], ["b"], {"labels": ["a", "b", "a"]}, "once"),
        ([[1, 2]], [[1, 2]], {}, "one-dimensional"),
        (["good", "bad"], ["bad", "good"], {"scale": "linear"}, "labels= from low to high"),
        (["good", "bad"], ["bad", "good"], {"scale": "interval"}, "is of numbers"),
        ([1, -2], [1, 2], {"scale": "ratio"}, "negative"),
        ([1, 2], [1, 2], {"scale": "kubic"}, "unknown scale"),
        ([1, 2], [1, 2], {"scale": [[1, 0.5], [0.4, 1]]}, "same both ways"),
        ([1, 2], [1, 2], {"scale": [[1, 2], [2, 1]]}, "from 0"),
        ([1, 2], [1, 2], {"scale": np.eye(3)}, "2 × 2"),
        ([1, 2, 3], [1, 2, 3], {"method": "dirichlet"}, "two labels"),
        ([1.0, math.inf], [1, 2], {}, "finite"),
        ([1, 2], [1, 2], {"clusters": [1]}, "one label for each"),
        (np.array([{}, 1], dtype=object), [1, 2], {}, "a text or a number"),
        (["a"], ["b"], {"level": 95}, "level"),
    ):
        with pytest.raises(UsageError, match=told):
            cohen_kappa(a, b, **options)


RATINGS = st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd")), min_size=2, max_size=60)


@given(RATINGS)
def test_names_order_and_direction_do_not_count(pairs: list[tuple[str, str]]) -> None:
    a, b = ([pair[side] for pair in pairs] for side in (0, 1))
    found = cohen_kappa(a, b, method="normal")
    assume(not isinstance(found, Undefined))
    other = dict(zip("abcd", (7, 3, 9, 1), strict=True))
    renamed = cohen_kappa([other[x] for x in a[::-1]], [other[x] for x in b[::-1]], method="normal")
    turned = cohen_kappa(b, a, labels=["d", "c", "b", "a", "unused"], method="normal")
    for again in (renamed, turned):
        assert again.point == pytest.approx(found.point, abs=1e-12)
        assert bool(again.interval) == bool(found.interval)
    assert -1 <= found.point <= 1
    # by the definition, one row at a time
    n, same = len(pairs), sum(x == y for x, y in pairs)
    chance = sum(a.count(x) * b.count(x) for x in "abcd") / n**2
    assert found.point == pytest.approx((same / n - chance) / (1 - chance), abs=1e-12)


# By the definitions, one pair of ratings at a time: the plain implementation that the fast one is held against.


def near(scale: str, pool: list[int], x: int, y: int) -> float:
    """1 − δ² of two labels, up to a factor that cancels."""
    if scale == "ordinal":
        low, high = min(x, y), max(x, y)
        between = sum(pool.count(label) for label in range(low, high + 1))
        return -((between - (pool.count(x) + pool.count(y)) / 2) ** 2) if x != y else 0.0
    if scale == "ratio":
        return -(((x - y) / (x + y)) ** 2)
    return -((x - y) ** 2) if scale == "interval" else -float(x != y)


def plain_alpha(ratings: list[list[int | None]], scale: str) -> float:
    rows = [[x for x in row if x is not None] for row in ratings]
    rows = [row for row in rows if len(row) > 1]
    pool = [x for row in rows for x in row]
    within = sum(
        near(scale, pool, x, y) / (len(row) - 1) for row in rows for x, y in itertools.permutations(row, 2)
    )
    among = sum(near(scale, pool, x, y) for x, y in itertools.permutations(pool, 2))
    return 1 - (within / len(pool)) / (among / (len(pool) * (len(pool) - 1)))


def plain_conger(ratings: list[list[int]]) -> float:
    raters = range(len(ratings[0]))
    pairs = list(itertools.combinations(raters, 2))
    observed = np.mean([[row[g] == row[h] for g, h in pairs] for row in ratings])
    expected = np.mean([[x[g] == y[h] for x in ratings for y in ratings] for g, h in pairs])
    return float((observed - expected) / (1 - expected))


TABLES = st.lists(
    st.lists(st.one_of(st.integers(1, 4), st.integers(1, 4), st.none()), min_size=3, max_size=3),
    min_size=4,
    max_size=14,
)


@settings(max_examples=60)
@given(TABLES, st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_alpha_is_what_its_definition_says(ratings: list[list[int | None]], scale: Any) -> None:
    found = krippendorff_alpha(ratings, scale=scale, n_resamples=99)
    assume(not isinstance(found, Undefined))
    assert found.point == pytest.approx(plain_alpha(ratings, scale), abs=1e-9)
    turned = krippendorff_alpha([row[::-1] for row in ratings[::-1]], scale=scale, n_resamples=99)
    assert turned.point == pytest.approx(found.point, abs=1e-12)
    with_nothing = krippendorff_alpha([*ratings, [None, None, None]], scale=scale, n_resamples=99)
    assert with_nothing.point == found.point
    assert with_nothing.interval == found.interval


def test_conger_is_the_mean_over_pairs_of_raters() -> None:
    ratings = np.random.default_rng(3).integers(0, 3, size=(30, 4))
    ratings[:, 1:3] = ratings[:, :1]  # some agreement
    assert conger_kappa(ratings, n_resamples=99).point == pytest.approx(plain_conger(ratings.tolist()))
    two = conger_kappa(ratings[:, [0, 3]], n_resamples=99)
    assert two.point == pytest.approx(cohen_kappa(ratings[:, 0], ratings[:, 3], n_resamples=99).point)


def test_unused_labels_count_where_the_formula_counts_labels() -> None:
    a, b = [1, 1, 2, 2, 2, 1], [1, 2, 2, 2, 2, 1]  # agreement 5/6
    both = np.stack([a, b], axis=1)
    # Brennan–Prediger: (5/6 − 1/2)/(1/2) = 2/3; with five labels (5/6 − 1/5)/(4/5) = 19/24
    assert brennan_prediger(both).point == pytest.approx(2 / 3)
    assert brennan_prediger(both, labels=[1, 2, 3, 4, 5]).point == pytest.approx(19 / 24)
    # AC1 with π = (5/12, 7/12): p_e = 2·(35/144)/(2 − 1) = 35/72; with five labels 2·(35/144)/4 = 35/288
    assert gwet_ac(both).point == pytest.approx((5 / 6 - 35 / 72) / (1 - 35 / 72))
    assert gwet_ac(both, labels=[1, 2, 3, 4, 5]).point == pytest.approx((5 / 6 - 35 / 288) / (1 - 35 / 288))
    for labels in (None, [1, 2, 3, 4, 5]):
        assert cohen_kappa(a, b, labels=labels).point == pytest.approx(2 / 3)  # p_e = 1/2·1/3 + 1/2·2/3
    # by place: an unused label in between moves the others apart. |1 − 3| of {1, 2, 3} counts in full, so
    # linear is nominal there, and by value likewise
    far = cohen_kappa([1, 1, 3, 3, 2], [1, 3, 3, 3, 2], labels=[1, 2, 3], scale="linear")
    close = cohen_kappa([1, 1, 3, 3, 2], [1, 2, 3, 3, 2], labels=[1, 2, 3], scale="linear")
    assert far.point < close.point


def test_own_weights_are_those_of_the_scale_they_spell_out() -> None:
    a, b = rated(case("08_agreement", "08_agreement-ord4-wkappa-linear")["inputs"]["table"])
    apart = np.abs(np.subtract.outer(range(4), range(4))) / 3
    for scale, power in (("linear", 1), ("quadratic", 2)):
        own = cohen_kappa(a, b, scale=1 - apart**power, n_resamples=99)
        named = cohen_kappa(a, b, scale=scale, n_resamples=99)
        assert own.point == pytest.approx(named.point, abs=1e-12)
        assert (own.scale, named.scale) == ("own", scale)


def test_many_values_cost_no_more_than_few() -> None:
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(3000, 1))
    ratings = truth + rng.normal(size=(3000, 2))
    found = krippendorff_alpha(ratings, scale="interval", n_resamples=199)
    # α of two raters on an interval scale is near their correlation, here ½
    assert found.point == pytest.approx(np.corrcoef(ratings.T)[0, 1], abs=0.01)
    assert found.interval.low < 0.5 < found.interval.high
    ranked = krippendorff_alpha(ratings, scale="ordinal", n_resamples=199)
    assert ranked.point == pytest.approx(0.48, abs=0.04)
    with pytest.raises(UsageError, match="scale='interval'"):
        krippendorff_alpha(ratings, n_resamples=99)


def test_raw_agreement_and_the_constant_predictor() -> None:
    # three raters: pairs that agree 3/3, 1/3, 3/3, and 1/1 with a gap; mean 10/12
    ratings = [["p", "p", "p"], ["p", "f", "f"], ["p", "p", "p"], ["p", "p", None]]
    found = raw_agreement(ratings)
    assert found.point == pytest.approx(10 / 12)
    many = fleiss_kappa(ratings)
    assert many.observed == pytest.approx(10 / 12)
    assert (many.constant_label, many.constant) == ("p", pytest.approx((1 + 1 / 3 + 1 + 1) / 4))
    two = cohen_kappa(["p", "p", "f", "p"], ["f", "p", "f", "p"])
    assert (two.constant_label, two.constant, two.observed) == ("p", 0.75, 0.75)
    graded = raw_agreement([[1, 2], [1, 3], [3, 3]], scale="linear")  # 1/2, 0, 1
    assert graded.point == pytest.approx(0.5)
    # labels 1, 2, 3 occur 2, 1, 3 times: ranks 1, 2.5, 4.5, so 1 − 1.5²/3.5², 0, 1
    ranked = raw_agreement([[1, 2], [1, 3], [3, 3]], scale="ordinal")
    assert ranked.point == pytest.approx((2 - (1.5 / 3.5) ** 2) / 3)


def test_case_11_a_gap_is_not_a_label() -> None:
    with (shared("cases", "11-alpha-missing-is-not-a-category") / "ratings.csv").open(
        encoding="utf-8"
    ) as file:
        rows = [[row[r] or None for r in ("r1", "r2", "r3")] for row in csv.DictReader(file)]
    assert krippendorff_alpha(rows).point == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", ["one_rater", "no_overlap"])
def test_case_14_no_item_has_two_ratings(name: str) -> None:
    with (shared("cases", "14-alpha-needs-two-raters") / f"{name}.csv").open(encoding="utf-8") as file:
        rows = [[row[r] or None for r in row if r != "item"] for row in csv.DictReader(file)]
    for found in (*agreement_coefficients(rows).values(), raw_agreement(rows)):
        assert isinstance(found, Undefined)
        assert "two ratings" in found.reason
        assert ("ratings by rater: 3" if name == "one_rater" else "ratings by rater: 2, 2") in found.reason


def test_one_label_only() -> None:
    assert "all ratings are 'p'" in krippendorff_alpha([["p"] * 3] * 5).reason
    assert "labels=" in gwet_ac([["p"] * 2] * 5).reason
    assert gwet_ac([["p"] * 2] * 5, labels=["p", "f"]).point == 1.0
    assert scott_pi(["p"] * 5, ["p"] * 5).reason.startswith("both raters gave one label only ('p')")
    assert krippendorff_alpha([[]]).reason.startswith("no item has two ratings")


def test_ratings_that_come_one_a_row() -> None:
    found = ratings_by_item(["b", "b", "a", "c"], [1, 2, 2, 1], ["x", "y", "x", None])
    assert (found.items, found.raters, found.labels) == (("b", "a", "c"), (1, 2), ("x", "y"))
    assert found.codes.tolist() == [[0, 1], [-1, 0], [-1, -1]]
    with pytest.raises(UsageError, match="rater 1 rated item 'b' more than once"):
        ratings_by_item(["b", "b"], [1, 1], ["x", "y"])
    with pytest.raises(UsageError, match="missing id at position 1"):
        ratings_by_item(["b", None], [1, 1], ["x", "y"])
    with pytest.raises(UsageError, match="of one length"):
        ratings_by_item(["b"], [1, 1], ["x", "y"])
    assert ratings_by_item(["1", 1], [1, 1], ["x", "y"]).items == ("1", 1)
    with pytest.raises(UsageError, match="where the table is made"):
        krippendorff_alpha(found, labels=["x", "z"])


def test_a_seed_is_a_number_and_clusters_widen() -> None:
    rng = np.random.default_rng(2)
    base = np.repeat(rng.integers(0, 3, size=(20, 1)), 3, axis=1)
    noise = rng.integers(0, 3, size=(20, 3))
    rows = np.repeat(np.where(rng.random((20, 3)) < 0.5, noise, base), 4, axis=0)  # each document four times
    alone, again = (krippendorff_alpha(rows, n_resamples=999, rng=5) for _ in range(2))
    assert alone == again
    assert alone.interval != krippendorff_alpha(rows, n_resamples=999, rng=6).interval
    documents = np.repeat(np.arange(20), 4)
    clustered = krippendorff_alpha(rows, clusters=documents, n_resamples=999, rng=5)
    assert clustered.point == alone.point
    # each document four times over: the error is twice that of independent rows
    assert clustered.interval.se == pytest.approx(2 * alone.interval.se)
    assert clustered.interval.clusters == 20
    assert clustered.interval.width > 1.6 * alone.interval.width
    assert "20 clusters" in coverage_warning(clustered.interval)
    assert coverage_warning(alone.interval) is None
    assert "one cluster" in krippendorff_alpha(rows, clusters=[1] * 80).interval.reason


PREVALENT = [(p, k, n) for p in (0.9, 0.95) for k in (0.2, 0.5, 0.8) for n in (25, 50, 100)]


def test_imagined_tables_cover_where_the_usual_interval_does_not() -> None:
    """Two raters, one label frequent: .91 to .99 by Dirichlet(counts + ½), below .6 by the usual interval."""
    found = [kappa_of_tables(p, kappa, n)(400, seed) for seed, (p, kappa, n) in enumerate(PREVALENT)]
    held, usual = [one.coverage for one in found], [one.naive for one in found]
    assert min(held) >= 0.90  # .91 less one Monte-Carlo error
    assert max(held) <= 0.997
    assert np.mean(held) >= 0.945
    assert np.mean(usual) < 0.70
    assert min(usual) < 0.30


def test_the_interval_of_the_call_is_that_of_the_simulation() -> None:
    a, b = rated([[40, 3], [2, 5]])
    found = cohen_kappa(a, b, rng=8)
    shares = np.random.default_rng(8).dirichlet([40.5, 3.5, 2.5, 5.5], size=9999)
    observed, row, column = (
        shares[:, 0] + shares[:, 3],
        shares[:, 0] + shares[:, 1],
        shares[:, 0] + shares[:, 2],
    )
    expected = row * column + (1 - row) * (1 - column)
    low, high = np.quantile((observed - expected) / (1 - expected), [0.025, 0.975])
    assert (found.interval.low, found.interval.high) == (pytest.approx(low), pytest.approx(high))
    assert found.interval.method == "cohen_kappa_dirichlet"


def judgebench(dataset: str, metric: str | None = None) -> RatingTable:
    """Ratings of a set of JUDGE-BENCH; a slot stands for a rater, who differs from item to item."""
    frame = pl.read_parquet(shared("data", "judgebench_humans_dmg", "ratings.parquet"))
    rows = frame.filter(pl.col("dataset") == dataset)
    rows = rows if metric is None else rows.filter(pl.col("metric") == metric)
    columns = (rows[name].to_list() for name in ("item", "rater_slot", "rating"))
    items, raters, said = columns
    numbers = all(text.isdigit() for text in said)
    return ratings_by_item(items, raters, [int(text) for text in said] if numbers else said)


@pytest.mark.parametrize(
    ("dataset", "metric", "scale", "printed"),
    [
        ("newsroom", "Informativeness", "ordinal", 0.285),
        ("newsroom", "Relevance", "ordinal", 0.115),
        ("newsroom", "Fluency", "ordinal", -0.016),
        ("newsroom", "Coherence", "ordinal", 0.065),
        ("recipe", "grammar", "ordinal", 0.415),
        ("dices_990", None, "nominal", 0.143),
        ("dices_350_crowdsourced", None, "nominal", 0.161),
    ],
)
def test_alpha_of_public_sets(dataset: str, metric: str | None, scale: Any, printed: float) -> None:
    found = krippendorff_alpha(judgebench(dataset, metric), scale=scale, n_resamples=99)
    assert round(found.point, 3) == printed
    assert found.interval.low < found.point < found.interval.high


def test_whatever_comes_there_is_an_answer_or_one_clear_error() -> None:
    masked = np.ma.masked_array(
        [[1, 2], [2, 2], [1, 1]], mask=[[False, True], [False, False], [False, False]]
    )
    assert krippendorff_alpha(masked).point == 1.0
    frame = pl.DataFrame({"r1": ["a", None, "b"], "r2": ["a", "b", "b"]})
    assert (krippendorff_alpha(frame).n, cohen_kappa(frame["r1"], frame["r2"]).left_out) == (2, 1)
    assert krippendorff_alpha([["a", math.nan], ["a", "b"], ["b", "b"]]).labels == ("a", "b")
    assert cohen_kappa([], []).reason == "no row was labelled by both raters"
    # a rater without ratings does not make two raters three
    empty = fleiss_kappa([[1, 2, None], [2, 2, None], [1, 1, None]] * 9)
    assert (empty.raters, empty.interval.method) == (2, "fleiss_kappa_dirichlet")
    for ratings, options, told in (
        ([], {}, "items by raters"),
        ([1, 2], {}, "items by raters"),
        ([[1, 2], [1]], {}, "different lengths"),
        ("abc", {}, "items by raters"),
        ([[10**400, 1], [1, 2]], {"scale": "interval"}, "too large"),
        ([[1, 2], [2, 2]], {"n_resamples": 5}, "at least 99"),
        ([[1, 2, 3], [2, 2, 3]] * 9, {"rng": "x"}, "rng must be"),
        ([[1, 2, 3], [2, 2, 3]] * 9, {"rng": -1}, "rng must be"),
        ([[1j, 1], [1, 2]], {}, "a text or a number"),
    ):
        with pytest.raises(UsageError, match=told):
            krippendorff_alpha(ratings, **options)
    with pytest.raises(UsageError, match="of two raters; got 3"):
        agreement_coefficients([[1, 2, 3]], coefficients=["cohen_kappa"])
