from __future__ import annotations

import math

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats import Undefined, expected_maximum, picked_best, wilson
from tests.oracles import case, cases


@pytest.mark.parametrize("known", cases("14_selection"), ids=lambda known: known["id"])
def test_the_published_means_of_the_largest_come_out(known):
    found = expected_maximum(known["inputs"]["K"])
    assert found == pytest.approx(known["expected"]["expected_max"], abs=known["tolerance"])


def test_the_printed_optimism_of_the_best_of_two_hundred_comes_out():
    printed = case("seeds_more", "s-optimism")
    optimism = printed["inputs"]["sigma"] * expected_maximum(printed["inputs"]["K"])
    assert optimism == pytest.approx(printed["expected"]["exact_EK"], abs=printed["tolerance"])


def test_two_and_three_have_closed_forms():
    assert expected_maximum(2) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-12)
    assert expected_maximum(3) == pytest.approx(1.5 / math.sqrt(math.pi), abs=1e-12)


def test_it_rises_and_agrees_with_draws():
    values = [expected_maximum(k) for k in (1, 2, 5, 20, 1000, 100_000)]
    assert values == sorted(values)
    drawn = np.random.default_rng(3).standard_normal((40_000, 7)).max(axis=1)
    assert expected_maximum(7) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 200)


@pytest.mark.parametrize("k", [0, -1, 0.5, float("nan")])
def test_fewer_than_one_is_refused(k):
    with pytest.raises(UsageError):
        expected_maximum(k)


def plainly(table: np.ndarray) -> tuple[int, float]:
    """Leave one row out at a time, pick by the others, score on it: the honest figure of at most ten rows."""
    scored = []
    for row in range(len(table)):
        means = np.delete(table, row, axis=0).mean(axis=0)
        best = np.flatnonzero(means > means.max() - 1e-9)
        scored.append(table[row, best].mean())
    return int(np.argmax(table.mean(axis=0))), float(np.mean(scored))


def test_up_to_ten_rows_it_leaves_one_out():
    rng = np.random.default_rng(2)
    for _ in range(20):
        table = (rng.random((rng.integers(3, 11), 3)) < 0.5).astype(float)
        found = picked_best(table, n_resamples=3)
        best, honest = plainly(table)
        assert (found.best, found.honest) == (best, pytest.approx(honest))
        assert found.folds == len(table)


@pytest.mark.parametrize(("columns", "spread"), [(6, 0.0), (4, 0.05)])
def test_the_honest_figure_is_unbiased_where_the_naive_one_is_not(columns: int, spread: float):
    rng = np.random.default_rng(8)
    naive, honest, covered = [], [], 0
    for _ in range(400):
        rates = np.clip(rng.normal(0.6, spread, columns), 0.3, 0.9)
        found = picked_best((rng.random((80, columns)) < rates).astype(float), n_resamples=10, rng=rng)
        naive.append(found.point - rates[found.best])
        honest.append(found.honest - rates[found.best])
        limits = wilson(round(80 * found.point), 80, level=0.95 ** (1 / columns))
        covered += limits.low <= rates[found.best] <= limits.high
    error = np.std(honest) / math.sqrt(400)
    assert np.mean(naive) > 10 * error
    assert abs(np.mean(honest)) < 3 * error
    assert covered >= 400 * 0.95 - 3 * math.sqrt(400 * 0.05 * 0.95)


def test_halves_pick_as_often_as_new_samples_would():
    """Two columns a third of an error apart: half samples stray as far as samples do, seen over many samples."""
    rng = np.random.default_rng(4)
    draws = rng.normal([0.0, 0.1], 1.0, (200, 100, 2))
    means = draws.mean(axis=1)
    by_halves = np.array([picked_best(one, n_resamples=100, rng=1).chances[1] for one in draws[:60]])
    lead = means[:60, 1] - means[:60, 0]
    # given the sample, a new one of its size differs from it with the variance of its difference, 2/100
    expected = np.array([normal_cdf(x / math.sqrt(2 / 100)) for x in lead])
    assert np.mean(by_halves - expected) == pytest.approx(0, abs=0.02)


def normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def test_clusters_are_never_split_and_weights_count():
    rng = np.random.default_rng(9)
    table = rng.random((12, 3))
    copied = np.repeat(table, 4, axis=0)
    clustered = picked_best(copied, clusters=np.repeat(np.arange(12), 4), rng=5)
    plain = picked_best(table, rng=5)
    assert clustered.honest == pytest.approx(plain.honest)
    assert clustered.chances == plain.chances
    weighted = picked_best(table, weights=[1.0] * 6 + [0.0] * 6, rng=5)
    assert weighted.point == pytest.approx(table[:6].mean(axis=0).max())


def test_the_lowest_is_the_highest_upside_down_and_ties_share():
    table = np.random.default_rng(1).random((30, 4))
    high, low = picked_best(table, rng=3), picked_best(-table, best="lowest", rng=3)
    assert (high.best, high.chances) == (low.best, low.chances)
    assert (low.point, low.honest) == (pytest.approx(-high.point), pytest.approx(-high.honest))
    same = picked_best(np.repeat([[1.0], [0.0], [1.0]], 2, axis=1))
    assert same.chances == (0.5, 0.5)
    assert same.honest == pytest.approx(same.point)


def test_what_is_no_choice_says_why():
    assert isinstance(picked_best([[1.0], [0.0]]), Undefined)
    assert isinstance(picked_best([[1.0, 0.0]]), Undefined)
    assert isinstance(picked_best([[1.0, 0.0], [0.0, 1.0]], clusters=["a", "a"]), Undefined)
    for wrong in ([1.0, 2.0], [[math.nan, 1.0]], [["a", "b"]]):
        with pytest.raises(UsageError, match="matrix of numbers"):
            picked_best(wrong)
    with pytest.raises(UsageError, match="unknown best"):
        picked_best([[1, 0], [0, 1]], best="first")
