"""Precision, recall and F1: sklearn's definitions written out, plain resampling, classes without a value."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.class_scores import classification, classification_difference
from aliquot.stats.results import Estimate, Undefined


def plain(truth: list[str], prediction: list[str], label: str) -> dict[str, float]:
    """The three measures of one class, counted one item at a time; nan where the denominator is empty."""
    hits = sum(t == p == label for t, p in zip(truth, prediction, strict=True))
    said, there = prediction.count(label), truth.count(label)
    return {
        "precision": hits / said if said else math.nan,
        "recall": hits / there if there else math.nan,
        "f1": 2 * hits / (said + there) if said + there else math.nan,
    }


def test_points_of_a_table_counted_by_hand():
    # truth a: 6, b: 3, c: 1; predicted a: 5 (4 right), b: 4 (2 right), c: 1 (0 right)
    truth = list("aaaaaabbbc") * 20
    prediction = list("aaaabcabba") * 20
    prediction[9::10] = ["b"] * 20  # the one c is called b
    found = classification(truth, prediction, n_resamples=199)
    a, b, c = (found.classes[label] for label in "abc")
    assert (a["precision"].point, a["recall"].point) == (pytest.approx(4 / 5), pytest.approx(4 / 6))
    assert a["f1"].point == pytest.approx(2 * 4 / (5 + 6))
    assert (b["precision"].point, b["recall"].point) == (pytest.approx(2 / 4), pytest.approx(2 / 3))
    assert "no resample differs from 0" in c["recall"].reason
    assert found.macro["precision"].point == pytest.approx((4 / 5 + 2 / 4 + 0) / 3)
    assert found.macro["f1"].point == pytest.approx((8 / 11 + 4 / 7 + 0) / 3)
    # one label an item: micro precision, recall and F1 are all the accuracy
    assert {found.micro[m].point for m in ("precision", "recall", "f1")} == {0.6}


def test_a_part_of_the_classes():
    # leaving out the class "none": micro precision 3/4, micro recall 3/5
    truth = ["x", "x", "y", "y", "y", "none", "none"] * 30
    prediction = ["x", "none", "y", "y", "none", "x", "none"] * 30
    found = classification(truth, prediction, labels=["y", "x"], n_resamples=199)
    assert list(found.classes) == ["y", "x"]
    assert found.micro["precision"].point == pytest.approx(3 / 4)
    assert found.micro["recall"].point == pytest.approx(3 / 5)
    assert found.macro["recall"].point == pytest.approx((2 / 3 + 1 / 2) / 2)


LABELS = st.lists(st.tuples(*[st.sampled_from("abcd")] * 3), min_size=1, max_size=40)


@settings(max_examples=60)
@given(rows=LABELS)
def test_points_agree_with_counting(rows):
    truth, first, second = (list(column) for column in zip(*rows, strict=True))
    found = classification(truth, first, n_resamples=99)
    change = classification_difference(truth, first, second, labels=sorted({*truth, *first}), n_resamples=99)
    for label, measures in found.classes.items():
        expected, other = plain(truth, first, label), plain(truth, second, label)
        for measure, value in measures.items():
            if isinstance(value, Estimate):
                assert value.point == pytest.approx(expected[measure])
                assert value.low < value.high
                assert value.low >= 0
                assert value.high <= 1
            elif math.isnan(expected[measure]):
                assert "never" in value.reason
            moved = change.classes[label][measure]
            if isinstance(moved, Estimate):
                assert moved.point == pytest.approx(other[measure] - expected[measure])
            elif math.isnan(other[measure]) and not math.isnan(expected[measure]) and measure != "recall":
                assert moved.reason.endswith("by the candidate")


def test_limits_agree_with_resampling_one_item_at_a_time():
    generator = np.random.default_rng(1)
    truth = generator.choice(list("ab"), 120, p=[0.7, 0.3])
    prediction = np.where(generator.random(120) < 0.8, truth, "b")
    found = classification(truth, prediction, n_resamples=9999, rng=2)
    values = []
    for _ in range(4000):
        rows = generator.integers(0, 120, 120)
        values.append(plain(truth[rows].tolist(), prediction[rows].tolist(), "b")["f1"])
    low, high = np.quantile(values, [0.025, 0.975])
    # 4000 resamples: a limit has a Monte-Carlo error of about .002 here
    assert found.classes["b"]["f1"].low == pytest.approx(low, abs=0.008)
    assert found.classes["b"]["f1"].high == pytest.approx(high, abs=0.008)


def test_whole_clusters_are_resampled():
    generator = np.random.default_rng(3)
    groups = np.repeat(np.arange(20), 10)
    truth = np.repeat(generator.choice(list("ab"), 20), 10)
    right = np.repeat(generator.random(20) < 0.7, 10)  # a whole cluster is right or wrong
    prediction = np.where(right, truth, np.where(truth == "a", "b", "a"))
    items = classification(truth, prediction, n_resamples=1999).micro["f1"]
    whole = classification(truth, prediction, clusters=groups, n_resamples=1999).micro["f1"]
    assert whole.point == items.point
    # the design effect is 10
    assert whole.width / items.width == pytest.approx(math.sqrt(10), rel=0.15)
    assert (whole.clusters, items.clusters, whole.n) == (20, None, 200)
    one = classification(truth, prediction, clusters=np.zeros(200), n_resamples=199).micro["f1"]
    assert isinstance(one, Undefined)


def test_pairing_narrows_a_difference():
    generator = np.random.default_rng(4)
    truth = generator.choice(list("ab"), 300)
    a = np.where(generator.random(300) < 0.75, truth, "a")
    b = np.where(
        generator.random(300) < 0.1, truth, a
    )  # the candidate repeats most of the baseline's answers
    paired = classification_difference(truth, a, b, n_resamples=1999).macro["f1"]
    alone = classification(truth, a, n_resamples=1999).macro["f1"]
    assert paired.width < 0.7 * alone.width
    assert paired.low > 0


def test_a_system_against_itself_has_no_spread():
    labels = list("aabb") * 10
    found = classification_difference(labels, labels, labels, n_resamples=199)
    assert "no resample differs from 0" in found.macro["f1"].reason


def test_what_has_no_value_says_why():
    truth, prediction = list("aab") * 20, list("aac") * 20
    found = classification(truth, prediction, n_resamples=199)
    assert found.classes["b"]["precision"].reason == "class 'b' was never predicted"
    assert found.classes["c"]["recall"].reason == "class 'c' is never present"
    assert found.macro["precision"].reason == "class 'b' was never predicted"
    assert "no resample differs from 0.333333" in found.macro["f1"].reason  # (1 + 0 + 0)/3 in each
    change = classification_difference(truth, truth, prediction, n_resamples=199)
    assert change.classes["b"]["precision"].reason == "class 'b' was never predicted by the candidate"
    unknown = classification(truth, prediction, labels=["a", "z"], n_resamples=199)
    assert unknown.classes["z"]["f1"].reason == "class 'z' is never present nor predicted"
    rare = classification([*truth, "d"], [*prediction, "d"], n_resamples=999)
    # absent from (1 − 1/61)^61 = 36% of the resamples
    assert "3" in rare.classes["d"]["recall"].reason.split("%")[0]
    assert "too rare" in rare.classes["d"]["recall"].reason


def test_a_seed_repeats_and_settings_are_kept():
    truth, prediction = list("aabb") * 10, list("abbb") * 10
    one, two = (classification(truth, prediction, n_resamples=199, rng=7) for _ in range(2))
    assert one == two
    assert one.micro["f1"].settings["n_resamples"] == 199
    assert one != classification(truth, prediction, n_resamples=199, rng=8)


def test_labels_of_other_types():
    found = classification([0, 1, 1, 0] * 10, [0, 1, 0, 0] * 10, n_resamples=199)
    assert list(found.classes) == [0, 1]
    mixed = np.array(["a", 1, "a", 1] * 10, dtype=object)
    assert set(classification(mixed, mixed[::-1], n_resamples=199).classes) == {"a", 1}


def test_the_frame_has_a_row_a_measure():
    frame = classification(list("aab") * 20, list("aac") * 20, n_resamples=199).to_frame()
    assert frame.columns == ["of", "measure", "point", "low", "high", "undefined"]
    assert frame.height == 15  # three classes, macro and micro
    missing = frame.filter((pl.col("of") == "b") & (pl.col("measure") == "precision"))
    assert missing["undefined"].to_list() == ["class 'b' was never predicted"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: classification(["a"], ["a", "b"]), "same items in the same order"),
        (lambda: classification([], []), "same items in the same order"),
        (lambda: classification([["a"]], [["a"]]), "same items in the same order"),
        (lambda: classification([1, 2], ["1", "2"]), "1 is not '1'"),
        (lambda: classification([1.0, math.nan], [1.0, 2.0]), "missing label"),
        (lambda: classification(["a"], ["a"], labels=["a", "a"]), "each once"),
        (lambda: classification(["a"], ["a"], labels=[]), "at least one class"),
        (lambda: classification(["a"], ["a"], n_resamples=9), "n_resamples"),
        (lambda: classification(["a"], ["a"], level=95), "0.95, not 95"),
        (lambda: classification(["a"], ["a"], clusters=["x", "y"]), "clusters must have one label"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
