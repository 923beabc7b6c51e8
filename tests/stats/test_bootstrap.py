from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats import resampling
from aliquot.stats.bootstrap import abc_interval, bootstrap_difference, bootstrap_mean
from aliquot.stats.effective import as_rows
from aliquot.stats.replicates import exact_resamples, resample_mean, units_of
from aliquot.stats.resampling import Cells, collapse, draw_totals
from aliquot.stats.results import Undefined
from tests.oracles import cases

METHODS = ("bca", "percentile", "basic", "normal", "studentized")


def every_resample(groups):
    """All G^G draws of whole groups: the pooled mean of each."""
    picks = itertools.product(groups, repeat=len(groups))
    return np.array([np.mean(np.concatenate(pick)) for pick in picks])


@pytest.mark.parametrize("case", cases("06_bootstrap", "exact-mean"))
def test_exact_distribution(case):
    data = case["inputs"]["data"]
    values, p = exact_resamples(data)
    t0, expected = np.mean(data), case["expected"]
    mean = p @ values
    found = {
        "mean": mean,
        "sd": math.sqrt(p @ (values - mean) ** 2),
        "p_lt": p[values < t0 - 1e-12].sum(),
        "p_le": p[values <= t0 + 1e-12].sum(),
    }
    assert found == pytest.approx(expected, abs=case["tolerance"], rel=0)


@pytest.mark.parametrize("case", cases("06_bootstrap", "cluster-exact"))
def test_exact_distribution_of_clusters(case):
    groups = case["inputs"]["clusters"]
    y, labels = np.concatenate(groups), np.repeat(range(len(groups)), [len(g) for g in groups])
    values, p = exact_resamples(y, clusters=labels)
    mean = p @ values
    assert mean == pytest.approx(case["expected"]["mean"], abs=case["tolerance"])
    assert math.sqrt(p @ (values - mean) ** 2) == pytest.approx(case["expected"]["sd"], abs=case["tolerance"])
    assert len(groups) ** len(groups) == case["expected"]["n_distinct_resamples"]


@pytest.mark.parametrize("case", cases("06_bootstrap", "ideal-se"))
def test_se_of_infinitely_many_resamples(case):
    units = units_of(as_rows(case["inputs"]["data"], clusters=None, weights=None))
    assert units.linear_se == pytest.approx(case["expected"]["se"], abs=case["tolerance"], rel=0)


@pytest.mark.parametrize("case", cases("06_bootstrap", "abc-mean"))
def test_abc(case):
    found = abc_interval(case["inputs"]["data"], level=case["inputs"]["conf_level"])
    assert (found.low, found.high) == pytest.approx(
        (case["expected"]["lower"], case["expected"]["upper"]), abs=case["tolerance"], rel=0
    )


@settings(max_examples=30)
@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=3), min_size=2, max_size=4))
def test_enumeration_equals_all_draws(groups):
    y, labels = np.concatenate(groups), np.repeat(range(len(groups)), [len(g) for g in groups])
    values, p = exact_resamples(y, clusters=labels)
    drawn = every_resample(groups)
    assert p.sum() == pytest.approx(1)
    assert p @ values == pytest.approx(drawn.mean())
    for cut in (0.7, 1.3, 2.1):
        assert p[values < cut].sum() == pytest.approx((drawn < cut).mean(), abs=1e-9)


def moments_of(cells, n_resamples=20_000):
    totals = draw_totals(cells, n_resamples=n_resamples, rng=11)
    return totals.mean(axis=0), np.cov(totals.T)


@pytest.mark.parametrize("n", [40, 700])
def test_all_three_ways_draw_from_one_law(n, monkeypatch):
    # a total of n draws has mean Σx, and covariance n times that of one draw, whichever way it is drawn
    units = np.random.default_rng(2).integers(0, 4, size=(n, 2)).astype(float)
    values, counts = np.unique(units, axis=0, return_counts=True)
    mean, cov = units.sum(axis=0), n * np.cov(units.T, ddof=0)
    slack = 5 * np.sqrt(np.diag(cov) / 20_000)
    single = Cells(units, np.ones(n, dtype=np.int64))
    ways = {"counts": (Cells(values, counts), 10**9), "indices": (single, 10**9), "blocks": (single, 1)}
    for cells, blocks_from in ways.values():
        monkeypatch.setattr(resampling, "BLOCKS_FROM", blocks_from)
        found_mean, found_cov = moments_of(cells)
        assert np.abs(found_mean - mean).max() < slack.max()
        assert found_cov == pytest.approx(cov, rel=0.06, abs=0.06 * cov.max())


def test_blocks_draw_exactly_n_units(monkeypatch):
    monkeypatch.setattr(resampling, "BLOCKS_FROM", 1)
    for n in (1, 2, 255, 256, 257, 1000):
        units = np.column_stack([np.ones(n), np.arange(n)]).astype(float)
        totals = draw_totals(Cells(units, np.ones(n, dtype=np.int64)), n_resamples=2500, rng=n)
        assert (totals[:, 0] == n).all()
        centre, spread = n * (n - 1) / 2, math.sqrt(n * (n * n - 1) / 12)
        assert abs(totals[:, 1].mean() - centre) <= 5 * spread / math.sqrt(2500)


@pytest.mark.parametrize("way", ["counts", "indices", "blocks"])
def test_public_case_16_same_seed_same_answer_whatever_is_held(way, monkeypatch):
    y = np.random.default_rng(0).normal(size=600) if way != "counts" else np.tile([0.1, 0.2, 0.7], 200)
    monkeypatch.setattr(resampling, "BLOCKS_FROM", 1 if way == "blocks" else 10**9)
    first = resample_mean(y, n_resamples=500, rng=7)
    for held in (1, 700, 3001, 10**7):
        monkeypatch.setattr(resampling, "HELD", held if way != "blocks" else max(held, 10**6))
        assert (resample_mean(y, n_resamples=500, rng=7) == first).all()


def test_public_case_16_a_million_rows():
    y = (np.arange(1_000_000) % 4 == 0).astype(float)
    found = bootstrap_mean(y, n_resamples=9999, rng=7)
    assert found.point == pytest.approx(0.25, abs=1e-12)
    # √(.25 × .75 / 10⁶)
    assert found.se == pytest.approx(0.00043301270189221935, rel=0.05)
    assert found == bootstrap_mean(y, n_resamples=9999, rng=7)


def test_cells_are_joined_only_when_that_saves_work():
    assert collapse(np.tile([[0.0], [1.0]], (50, 1))).counts.tolist() == [50, 50]
    pairs = collapse(np.tile([[0.0, 2.0], [1.0, 2.0], [0.0, 3.0]], (50, 1)))
    assert sorted(map(tuple, pairs.values.tolist())) == [(0, 2), (0, 3), (1, 2)]
    assert pairs.counts.tolist() == [50, 50, 50]
    assert collapse(np.arange(50.0)[:, None]).single


@settings(max_examples=15)
@given(st.lists(st.integers(0, 5), min_size=4, max_size=6), st.sampled_from(METHODS))
def test_intervals_come_near_those_of_the_whole_distribution(y, method):
    found = bootstrap_mean(y, method=method, n_resamples=4000, level=0.8, rng=3)
    if min(y) == max(y):
        assert isinstance(found, Undefined)
        return
    if isinstance(found, Undefined):
        assert method == "studentized"
        return
    values, p = exact_resamples(y)
    sd = math.sqrt(p @ (values - np.mean(y)) ** 2)
    assert found.se == pytest.approx(sd, rel=0.06)
    assert found.low <= found.high
    if method == "percentile":
        assert p[values < found.low - 1e-9].sum() <= 0.1 + 0.03
        assert p[values > found.high + 1e-9].sum() <= 0.1 + 0.03
    if method == "normal":
        assert found.width == pytest.approx(2 * 1.2816 * sd, rel=0.06)


def test_studentized_by_hand():
    y = np.array([1.0, 3, 4, 8, 9, 15, 16, 20])
    rng = np.random.default_rng(8)
    picks = y[rng.integers(0, 8, size=(40_000, 8))]
    se = picks.std(axis=1) / math.sqrt(8)
    kept = se > 0
    pivots = (picks.mean(axis=1)[kept] - y.mean()) / se[kept]
    low, high = y.mean() - y.std() / math.sqrt(8) * np.quantile(pivots, [0.95, 0.05])
    found = bootstrap_mean(y, method="studentized", level=0.9, n_resamples=40_000, rng=1)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.25)
    assert isinstance(bootstrap_mean([1.0, 2.0, 4.0], method="studentized"), Undefined)


def test_clusters_are_drawn_whole():
    rng = np.random.default_rng(1)
    effect, sizes = rng.normal(size=25), rng.integers(1, 9, 25)
    labels = np.repeat(np.arange(25), sizes)
    y = effect[labels] + 0.1 * rng.normal(size=labels.size)
    whole, rows = (bootstrap_mean(y, clusters=c, method="percentile", rng=2) for c in (labels, None))
    sums, counts = np.bincount(labels, y), np.bincount(labels)
    picks = rng.integers(0, 25, size=(20_000, 25))
    plain = sums[picks].sum(axis=1) / counts[picks].sum(axis=1)
    assert whole.se == pytest.approx(plain.std(), rel=0.05)
    assert (whole.low, whole.high) == pytest.approx(np.quantile(plain, [0.025, 0.975]), abs=0.06)
    assert whole.se > 1.5 * rows.se
    assert whole.clusters == 25


def test_weights_are_drawn_with_their_rows():
    rng = np.random.default_rng(1)
    y, w = rng.normal(size=60), rng.uniform(0.2, 3, 60)
    found = bootstrap_mean(y, weights=w, rng=2, method="normal")
    picks = rng.integers(0, 60, size=(20_000, 60))
    plain = (w * y)[picks].sum(axis=1) / w[picks].sum(axis=1)
    assert found.point == pytest.approx(np.average(y, weights=w))
    assert found.se == pytest.approx(plain.std(), rel=0.05)


def test_paired_difference_is_the_mean_of_differences():
    a, b = [0, 1, 1, 0, 1, 0, 1, 1] * 5, [1, 1, 1, 0, 1, 1, 0, 1] * 5
    found = bootstrap_difference(a, b, rng=4)
    same = bootstrap_mean(np.array(b) - np.array(a), rng=4)
    assert (found.point, found.low, found.high) == (same.point, same.low, same.high)


@pytest.mark.parametrize("method", METHODS)
def test_constant_data_have_no_interval(method):
    assert isinstance(bootstrap_mean([3.5] * 10, method=method), Undefined)
    assert isinstance(bootstrap_mean([1, 0, 1, 0], clusters=[0, 0, 1, 1], method=method), Undefined)
    assert isinstance(abc_interval([2.0, 2.0]), Undefined)


def test_bad_input():
    with pytest.raises(UsageError, match="Did you mean 'bca'"):
        bootstrap_mean([1, 2], method="bcaa")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="n_resamples"):
        bootstrap_mean([1, 2], n_resamples=1)
    with pytest.raises(UsageError, match="row by row"):
        bootstrap_difference([1, 2], [1])
    with pytest.raises(UsageError, match="too many resamples"):
        exact_resamples(np.arange(40.0))
