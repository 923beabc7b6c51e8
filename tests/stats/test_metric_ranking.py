"""Metrics against people: points by definition, ties calibrated by trying every ε, intervals by simulation."""

from __future__ import annotations

import csv
import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.cautions import coverage_warning
from aliquot.stats.metric_ranking import (
    item_accuracy,
    item_correlation,
    system_accuracy,
    system_correlation,
)
from aliquot.stats.results import Undefined
from tests.shared import shared


def scored(n: int, systems: int, seed: int, noise: float = 0.5) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(1, systems)) + 0.5 * rng.normal(size=(n, systems))
    return truth + noise * rng.normal(size=truth.shape), np.round(truth)


def plain_accuracy(metric: np.ndarray, human: np.ndarray, epsilon: float) -> float:
    """Mean over items of (C + T_hm)/all pairs, one pair at a time."""
    items = []
    for m, h in zip(metric, human, strict=True):
        held = [i for i in range(m.size) if np.isfinite(m[i]) and np.isfinite(h[i])]
        right = [
            (0 if abs(m[j] - m[i]) <= epsilon else np.sign(m[j] - m[i])) == np.sign(h[j] - h[i])
            for i, j in itertools.combinations(held, 2)
        ]
        if right:
            items.append(np.mean(right))
    return float(np.mean(items))


CELLS = st.lists(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.9, np.nan]), st.integers(0, 2)),
        min_size=4,
        max_size=4,
    ),
    min_size=2,
    max_size=6,
)


@settings(max_examples=40)
@given(CELLS)
def test_ties_are_calibrated_as_if_every_epsilon_were_tried(cells: list[list[tuple[float, int]]]) -> None:
    metric, human = (np.array([[cell[k] for cell in row] for row in cells], dtype=float) for k in (0, 1))
    found = item_accuracy(metric, human, n_resamples=99)
    if isinstance(found, Undefined):
        return
    gaps = [abs(m[j] - m[i]) for m in metric for i, j in itertools.combinations(range(4), 2)]
    tried = {e: plain_accuracy(metric, human, e) for e in {0.0, *(gap for gap in gaps if np.isfinite(gap))}}
    assert found.point == pytest.approx(max(tried.values()))
    assert found.point == pytest.approx(plain_accuracy(metric, human, found.epsilon))
    assert found.without_ties == pytest.approx(tried[0.0])
    fixed = item_accuracy(metric, human, epsilon=0.1, n_resamples=99)
    assert fixed.point == pytest.approx(plain_accuracy(metric, human, 0.1))


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_correlations_over_systems_and_items_are_those_of_scipy(coefficient: str) -> None:
    metric, human = scored(30, 6, 1)
    metric[3, 2] = human[5, 1] = np.nan
    by = {
        "pearson": scipy.stats.pearsonr,
        "spearman": scipy.stats.spearmanr,
        "kendall": scipy.stats.kendalltau,
    }[coefficient]
    there = np.isfinite(metric) & np.isfinite(human)
    means = [np.nanmean(np.where(there, side, np.nan), axis=0) for side in (metric, human)]
    system = system_correlation(metric, human, coefficient=coefficient, n_resamples=199)
    assert system.point == pytest.approx(by(*means).statistic)
    assert system.left_out == 2
    each = [
        by(m[ok], h[ok]).statistic for m, h, ok in zip(metric, human, there, strict=True) if np.ptp(h[ok]) > 0
    ]
    item = item_correlation(metric, human, coefficient=coefficient, n_resamples=199)
    assert item.point == pytest.approx(np.mean(each))


def test_resampled_systems_count_as_often_as_they_are_drawn() -> None:
    metric, human = scored(25, 5, 2)
    found = system_correlation(metric, human, resample="systems", n_resamples=99, rng=4)
    # the same draws, one at a time, with a system standing as often as it was drawn
    picks = np.random.default_rng(4).integers(0, 5, size=(99, 5))
    plain = []
    for drawn in picks:
        m, h = metric.mean(axis=0)[drawn], human.mean(axis=0)[drawn]
        plain.append(np.corrcoef(m, h)[0, 1] if np.ptp(m) > 0 and np.ptp(h) > 0 else np.nan)
    kept = np.array(plain)[np.isfinite(plain)]
    assert found.interval.low == pytest.approx(min(np.quantile(kept, 0.025), found.point))
    assert found.interval.high == pytest.approx(max(np.quantile(kept, 0.975), found.point))
    assert "5 systems are few" in coverage_warning(found.interval)


def test_accuracy_over_systems() -> None:
    # means of people 1, 2, 2, 3; of the metric 1, 3, 2, 4: six pairs, the tie is told apart, the rest is right
    found = system_accuracy([[1, 3, 2, 4]] * 60, [[1, 2, 2, 3]] * 60, resample="items", n_resamples=99)
    assert found.point == pytest.approx(5 / 6)
    assert "do not differ" in found.interval.reason  # every item says the same


def test_the_interval_of_an_item_mean_covers() -> None:
    held, reps = 0, 100
    rng = np.random.default_rng(0)
    big_m, big_h = scored_items(8_000, rng)
    truth = item_correlation(big_m, big_h, coefficient="pearson", n_resamples=99).point
    for seed in range(reps):
        found = item_correlation(
            *scored_items(80, np.random.default_rng(seed)), coefficient="pearson", n_resamples=299
        )
        held += found.interval.low <= truth <= found.interval.high
    assert held / reps >= 0.89


def scored_items(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.normal(size=(n, 5))
    return truth + 0.8 * rng.normal(size=(n, 5)), truth


def test_clusters_seeds_and_bad_input() -> None:
    metric, human = scored(60, 4, 3)
    rows = np.repeat(np.arange(20), 3)
    metric, human = metric[rows], human[rows]
    alone = item_accuracy(metric, human, n_resamples=499)
    assert alone == item_accuracy(metric, human, n_resamples=499)
    clustered = item_accuracy(metric, human, clusters=rows, n_resamples=499)
    assert clustered.point == alone.point
    assert 1.4 < clustered.interval.width / alone.interval.width < 2.1  # rows three times over: √3
    assert clustered.interval.clusters == 20
    assert "three of them; there are 2" in system_correlation([[1, 2]], [[1, 2]]).reason
    assert "same mean" in system_correlation([[1, 1, 1]], [[1, 2, 3]]).reason
    assert "two systems" in item_accuracy([[1.0]], [[1.0]]).reason
    assert "tell apart" in item_correlation([[1, 1]], [[1, 2]]).reason
    for metric_given, human_given, told in (
        ([[1, 2]], [[1, 2, 3]], "same items and systems"),
        ([["a", "b"]], [[1, 2]], "must be numbers|table of numbers"),
        ([1, 2], [1, 2], "items by systems"),
        ([[1, np.inf]], [[1, 2]], "finite"),
    ):
        with pytest.raises(UsageError, match=told):
            item_accuracy(metric_given, human_given)
    with pytest.raises(UsageError, match="epsilon"):
        item_accuracy([[1, 2]], [[1, 2]], epsilon=-1)


def test_ragchecker_scores_follow_the_people_who_compared() -> None:
    """A metric of single answers against preferences of pairs of answers: F1 of claims, as the authors use it."""
    folder = shared("data", "ragchecker_meta")
    with (folder / "ragchecker_scores.csv").open(encoding="utf-8") as file:
        scores = list(csv.DictReader(file))
    with (folder / "human.csv").open(encoding="utf-8") as file:
        people = list(csv.DictReader(file))
    items = sorted({row["item"] for row in scores}, key=int)
    place = {item: at for at, item in enumerate(items)}
    metric, human = np.zeros((len(items), 2)), np.zeros((len(items), 2))
    for row in scores:
        metric[place[row["item"]], int(row["slot"][-1]) - 1] = float(row["f1"] or "nan")
    for row in people:
        human[place[row["item"]], 1] += float(row["overall"]) / 2  # the mean of both, system 2 over system 1
    found = item_accuracy(metric, human, n_resamples=199)
    assert found.point >= found.without_ties > 0.5
    assert found.interval.low < found.point < found.interval.high
    assert (found.items, found.systems) == (280, 2)
