"""A corrected difference and mean: by simulation, beside the labels alone, and where nothing may be claimed."""

from __future__ import annotations

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats import Undefined, corrected_difference, corrected_mean, paired_difference
from tests.validity.judged import difference_limits, judged_pairs


def drawn(rng, n, others, *, judge=(0.9, 0.8), psi=0.2, gap=0.08, base=0.7):
    """Labels of n items and verdicts on n + others, of two systems."""
    broke = (psi - gap) / 2
    kinds = rng.choice(4, size=n + others, p=[base - broke, broke, psi - broke, 1 - base - psi + broke])
    sides = np.isin(kinds, (0, 1)), np.isin(kinds, (0, 2))
    verdicts = [
        (rng.random(n + others) < np.where(true, judge[0], 1 - judge[1])).astype(float) for true in sides
    ]
    labels = [np.where(np.arange(n + others) < n, true, np.nan) for true in sides]
    return *labels, *verdicts


@pytest.mark.parametrize("judge", [(0.9, 0.7), (0.98, 0.8), (0.95, 0.3)])
def test_coverage_and_width(judge):
    for n in (40, 100, 300):
        found = judged_pairs((0.7, 0.78), 0.2, judge, n, 1000)(2500, n)
        assert 0.932 <= found.coverage <= 0.985  # .945 to .973 with three Monte-Carlo errors
        assert found.naive < 0.85  # the judge's own difference, as if it were the truth


def test_the_function_and_the_arrays_agree():
    rng = np.random.default_rng(3)
    values = np.array([-1.0, 0.0, 1.0])
    for n, others in ((12, 30), (40, 200), (60, 20)):
        a, b, seen_a, seen_b = drawn(rng, n, others)
        found = corrected_difference(a, b, seen_a, seen_b).corrected
        d, f = (b - a)[:n], seen_b - seen_a
        counts = np.array([[[np.sum((d == i) & (f[:n] == j)) for j in values] for i in values]], dtype=float)
        rest = np.array([[np.sum(f[n:] == j) for j in values]], dtype=float)
        low, high = difference_limits(counts, rest)
        assert (found.low, found.high) == pytest.approx((low[0], high[0]), abs=1e-9)


def test_a_good_judge_narrows_and_a_bad_one_does_no_harm():
    rng = np.random.default_rng(4)
    good = corrected_difference(*drawn(rng, 80, 1500, judge=(0.99, 0.98)))
    assert good.corrected.width < 0.7 * good.people.width
    assert good.trust > 0.7
    a, b, *_ = drawn(rng, 80, 1500)
    noise = [(rng.random(1580) < 0.5).astype(float) for _ in range(2)]
    bad = corrected_difference(a, b, *noise)
    assert bad.corrected.width <= bad.people.width
    assert bad.trust < 0.3


def test_all_labelled_is_the_labels():
    rng = np.random.default_rng(5)
    a, b, seen_a, seen_b = drawn(rng, 50, 0)
    found = corrected_difference(a, b, seen_a, seen_b)
    alone = paired_difference(a, b)
    assert (found.corrected.low, found.corrected.high) == (alone.low, alone.high)
    assert "adds nothing" in found.corrected.why


def test_a_label_of_one_system_only_is_no_pair():
    labels_a, labels_b = [1, 0] * 6 + [1, None, None], [1, 1] * 6 + [None, 0, None]
    found = corrected_difference(labels_a, labels_b, [1, 0] * 6 + [1] * 3, [1, 1] * 6 + [0] * 3)
    assert (found.labelled, found.half_labelled, found.judged) == (12, 2, 15)


def test_few_labels_and_picked_ones():
    few = corrected_difference([1, 0] * 4 + [None] * 20, [1, 1] * 4 + [None] * 20, [1, 0] * 14, [1, 1] * 14)
    assert few.corrected.method == "tango"
    assert few.corrected.why == "8 labelled items, the minimum is 10: the labels alone"
    picked = corrected_difference([1, 0] * 10, [1, 1] * 10, [1, 0] * 10, [1, 1] * 10, drawn="unknown")
    assert isinstance(picked.corrected, Undefined)
    assert isinstance(picked.people, Undefined)
    assert picked.raw.point == 0.5


def test_nothing_differs_and_no_verdict():
    found = corrected_difference([1] * 20 + [None] * 30, [1] * 20 + [None] * 30, [1] * 49 + [None], [1] * 50)
    assert found.corrected.width > 0
    assert found.corrected.low < 0 < found.corrected.high


def test_clusters_cost_what_they_cost():
    rng = np.random.default_rng(6)
    groups = np.repeat(np.arange(60), 5)
    covered = plain = 0
    for _ in range(40):
        # whole documents are fixed or broke: the difference has an ICC near 1
        moved = rng.choice([-1, 0, 1], size=60, p=[0.15, 0.6, 0.25])[groups]
        a = np.where(moved == 1, 0, np.where(moved == -1, 1, rng.integers(0, 2, 300)))
        sides = a, a + moved
        seen = [np.where(rng.random(300) < 0.85, side, 1 - side).astype(float) for side in sides]
        labels = [np.where(groups < 25, side, np.nan) for side in sides]
        found = corrected_difference(*labels, *seen, clusters=groups).corrected
        alone = corrected_difference(*labels, *seen).corrected
        covered += found.low <= 0.1 <= found.high
        plain += alone.low <= 0.1 <= alone.high
    assert plain < covered - 4
    assert covered >= 35


def test_known_chances_undo_a_biased_sample():
    rng = np.random.default_rng(7)
    naive, weighed = [], []
    for _ in range(20):
        a, b, seen_a, seen_b = drawn(rng, 800, 0)
        chances = np.where(b > a, 0.5, 0.1)  # items that were fixed are labelled five times as often
        kept = rng.random(800) < chances
        labels = [np.where(kept, side, np.nan) for side in (a, b)]
        naive.append(corrected_difference(*labels, seen_a, seen_b).corrected.point)
        weighed.append(corrected_difference(*labels, seen_a, seen_b, chances=chances).corrected.point)
    assert np.mean(naive) > 0.2
    assert np.mean(weighed) == pytest.approx(0.08, abs=0.02)


def test_grades_take_ppi_from_200_labels():
    rng = np.random.default_rng(8)
    a = rng.integers(1, 6, 1000).astype(float)
    b = np.clip(a + rng.integers(-1, 3, 1000), 1, 5)
    seen = [side + rng.normal(scale=0.5, size=1000) for side in (a, b)]
    few, many = (
        corrected_difference(
            *(np.where(np.arange(1000) < n, side, np.nan) for side in (a, b)), *seen, low=1, high=5
        )
        for n in (150, 250)
    )
    assert few.corrected.why == "150 labelled items, the minimum is 200: the labels alone"
    assert few.corrected.point == few.people.point
    assert many.corrected.method == "prediction_powered"
    assert many.corrected.width < many.people.width
    assert many.corrected.low < float(np.mean(b - a)) < many.corrected.high


def test_a_mean_grade():
    rng = np.random.default_rng(9)
    covered = 0
    for _ in range(200):
        truth = rng.choice(5, p=[0.05, 0.1, 0.2, 0.3, 0.35], size=900) + 1.0
        labels = np.where(np.arange(900) < 220, truth, np.nan)
        grades = truth + rng.choice([-1, 0, 0, 1], size=900) + 0.4  # generous
        found = corrected_mean(labels, grades, low=1, high=5)
        covered += found.corrected.low <= 3.8 <= found.corrected.high
    assert 0.92 <= covered / 200 <= 0.99
    assert found.raw.point > 4
    assert found.corrected.width < found.people.width
    few = corrected_mean(labels[:100], grades[:100], low=1, high=5)
    assert "minimum is 200" in few.corrected.why


def test_a_mean_that_does_not_vary_is_the_labels():
    found = corrected_mean([4.0] * 300 + [None] * 100, [4.0] * 400, low=1, high=5)
    assert found.corrected.width > 0
    assert "no variation" in found.corrected.why
    assert isinstance(corrected_mean([4.0] * 20, [4.0] * 20, drawn="unknown").corrected, Undefined)


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"labels_b": [1]}, "same items"),
        ({"low": 0}, "both low and high"),
        ({"low": 2, "high": 3}, "between 2 and 3"),
        ({"verdicts_a": ["good"] * 20}, "must be numbers"),
    ],
)
def test_bad_input_is_refused(changed, text):
    names = ("labels_a", "labels_b", "verdicts_a", "verdicts_b")
    arguments = {**dict.fromkeys(names, [1, 0] * 10), **changed}
    with pytest.raises(UsageError, match=text):
        corrected_difference(*[arguments.pop(name) for name in names], **arguments)
