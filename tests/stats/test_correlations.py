"""Correlations, two of them compared, and ICC of raters, against R, printed values and scipy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.cautions import coverage_warning
from aliquot.stats.correlations import (
    correlation_interval,
    kendall_tau,
    pearson_correlation,
    spearman_correlation,
)
from aliquot.stats.dependent_correlations import correlation_difference, printed_correlation_difference
from aliquot.stats.icc import rater_icc
from aliquot.stats.noise_limits import noise_limit, spearman_brown
from aliquot.stats.ranks import inversions, middle_ranks
from aliquot.stats.results import Undefined
from tests.oracles import case, cases


@pytest.mark.parametrize("case", cases("08_agreement", "fisherz"))
def test_interval_of_a_printed_correlation(case: dict[str, Any]) -> None:
    found = correlation_interval(case["inputs"]["r"], case["inputs"]["n"])
    assert found.low == pytest.approx(case["expected"]["lower"], abs=case["tolerance"])
    assert found.high == pytest.approx(case["expected"]["upper"], abs=case["tolerance"])


def test_tuna() -> None:
    given = case("08_agreement", "08_agreement-hollander-pearson")
    found = pearson_correlation(given["inputs"]["x"], given["inputs"]["y"])
    expected, close = given["expected"], given["tolerance"]
    assert found.point == pytest.approx(expected["r"], abs=close)
    assert found.test.p == pytest.approx(expected["p_value"], abs=close)
    assert found.interval.low == pytest.approx(expected["lower"], abs=close)
    assert found.interval.high == pytest.approx(expected["upper"], abs=close)
    given = case("08_agreement", "08_agreement-hollander-kendall")
    found = kendall_tau(given["inputs"]["x"], given["inputs"]["y"])
    assert found.point == pytest.approx(given["expected"]["tau"], abs=given["tolerance"])
    assert found.test.p == pytest.approx(given["expected"]["p_value"], abs=given["tolerance"])


def test_spearman_as_statpsych_prints_it() -> None:
    # R statpsych, example of ci.spear: 0.8699639, 0.5840951 to 0.9638297
    y = [21, 4, 9, 12, 35, 18, 10, 22, 24, 1, 6, 8, 13, 16, 19]
    x = [67, 28, 30, 28, 52, 40, 25, 37, 44, 10, 14, 20, 28, 40, 51]
    found = spearman_correlation(y, x).interval
    assert (found.point, found.low, found.high) == (
        pytest.approx(0.8699639, abs=5e-8),
        pytest.approx(0.5840951, abs=5e-8),
        pytest.approx(0.9638297, abs=5e-8),
    )


NUMBERS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=60)


@settings(max_examples=80)
@given(NUMBERS)
def test_points_and_tests_are_those_of_scipy(rows: list[tuple[int, int]]) -> None:
    x, y = np.array(rows, dtype=float).T
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    tau = kendall_tau(x, y)
    assert tau.point == pytest.approx(scipy.stats.kendalltau(x, y).statistic, abs=1e-12)
    if tau.test.name == "kendall_z":
        assert tau.test.p == pytest.approx(scipy.stats.kendalltau(x, y, method="asymptotic").pvalue)
    rho, r = spearman_correlation(x, y), pearson_correlation(x, y)
    assert rho.point == pytest.approx(scipy.stats.spearmanr(x, y).statistic, abs=1e-12)
    assert r.point == pytest.approx(scipy.stats.pearsonr(x, y).statistic, abs=1e-9)
    for found in (tau, rho, r):
        assert isinstance(found.interval, Undefined) or found.interval.low < found.point < found.interval.high


@given(st.lists(st.integers(0, 9), max_size=40))
def test_inversions_are_counted(codes: list[int]) -> None:
    plain = sum(codes[i] > codes[j] for i in range(len(codes)) for j in range(i + 1, len(codes)))
    assert inversions(np.array(codes, dtype=np.int64)) == plain


def test_middle_ranks() -> None:
    assert middle_ranks(np.array([3.0, 1, 3, 2])).tolist() == [3.5, 1, 3.5, 2]


def test_two_correlations_as_their_authors_print_them() -> None:
    # Silver, Hittner & May (2006): .3, .4, .5, n = 100: t −1.0767 (p .2843), z −1.0718 (.2838), z −1.0707 (.2843)
    tests = printed_correlation_difference(0.4, 0.3, 0.5, 100).tests
    assert [round(test.statistic, 4) for test in tests.values()] == [-1.0767, -1.0718, -1.0707]
    assert [round(test.p, 4) for test in tests.values()] == [0.2843, 0.2838, 0.2843]
    # Steiger (1980), case A, with the covariance not rounded (cocor): −.8887185
    assert printed_correlation_difference(0.5, 0.4, 0.1, 103).tests["steiger"].statistic == pytest.approx(
        -0.8887185, abs=5e-8
    )
    # Meng, Rosenthal & Rubin (1992): r .63 and −.03, −.19 between, n = 15: z 1.68, one-sided p .047, −.129 to 1.672
    meng = printed_correlation_difference(-0.03, 0.63, -0.19, 15).tests["meng"]
    assert (round(meng.statistic, 2), round(meng.p / 2, 3)) == (1.68, 0.047)
    assert [round(meng.settings[name], 3) for name in ("z_low", "z_high")] == [-0.129, 1.672]


def test_the_comparison_from_rows_is_that_of_its_correlations() -> None:
    rng = np.random.default_rng(4)
    t = rng.normal(size=80)
    a, b = t + rng.normal(size=80), t + 0.6 * rng.normal(size=80)
    found = correlation_difference(t, a, b)
    r = np.corrcoef([t, a, b])
    printed = printed_correlation_difference(r[0, 1], r[0, 2], r[1, 2], 80)
    assert found.difference.point == pytest.approx(printed.difference.point)
    assert found.difference.low == pytest.approx(printed.difference.low)
    assert found.tests["williams"].p == pytest.approx(printed.tests["williams"].p)
    drawn = correlation_difference(t, a, b, coefficient="spearman", n_resamples=999)
    assert drawn.difference.low < drawn.difference.point < drawn.difference.high
    assert (drawn.tests["bootstrap"].p < 0.05) == (drawn.difference.low > 0)
    twice = np.repeat(np.arange(40), 2)
    clustered = correlation_difference(t, a, b, clusters=twice, n_resamples=499)
    assert clustered.difference.clusters == 40
    assert "40 clusters" in coverage_warning(clustered.difference)


def test_missing_values_and_clusters() -> None:
    rng = np.random.default_rng(5)
    x = np.repeat(rng.normal(size=60), 5)
    y = np.repeat(x[::5] + rng.normal(size=60), 5)
    for correlation in (pearson_correlation, spearman_correlation, kendall_tau):
        alone = correlation(x, y)
        clustered = correlation(x, y, clusters=np.repeat(np.arange(60), 5), n_resamples=499)
        assert clustered.point == alone.point
        # each row five times over: the interval is about √5 as wide
        assert 1.7 < clustered.interval.width / alone.interval.width < 2.8
        assert "not independent" in clustered.test.reason
    assert coverage_warning(clustered.interval) is None
    short = pearson_correlation([1, 2, None, 4, math.nan], [2, 3, 4, 5, 6])
    assert (short.n, short.left_out, short.point) == (3, 2, pytest.approx(1.0))
    assert "more than 3 rows" in short.interval.reason
    assert "one line" in pearson_correlation([1, 2, 3, 4], [2, 4, 6, 8]).interval.reason
    assert pearson_correlation([1, 2], [1, 2]).reason.startswith("a correlation needs three rows")
    assert "all 3 values of y are equal" in kendall_tau([1, 2, 3], [2, 2, 2]).reason
    for given_x, told in (
        (["a", "b", "c"], "must be numbers"),
        ([1, 2], "same rows"),
        ([1, math.inf, 2], "finite"),
    ):
        with pytest.raises(UsageError, match=told):
            pearson_correlation(given_x, [1, 2, 3])
    with pytest.raises(UsageError, match="no data have"):
        printed_correlation_difference(0.9, -0.9, 0.9, 20)


SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


@pytest.mark.parametrize(
    ("form", "point", "low", "high", "p"),
    [  # R psych, ICC of the same table
        ("ICC1", 0.166, -0.133, 0.723, 0.16477),
        ("ICC2", 0.290, 0.019, 0.761, 0.00013),
        ("ICC3", 0.715, 0.342, 0.946, 0.00013),
        ("ICC1k", 0.443, -0.884, 0.912, 0.16477),
        ("ICC2k", 0.620, 0.071, 0.927, 0.00013),
        ("ICC3k", 0.909, 0.676, 0.986, 0.00013),
    ],
)
def test_the_six_icc_of_shrout_and_fleiss(form: Any, point: float, low: float, high: float, p: float) -> None:
    found = rater_icc([*SHROUT_FLEISS, [5, None, 2, 3]], form=form)
    assert [round(x, 3) for x in (found.point, found.interval.low, found.interval.high)] == [point, low, high]
    assert round(found.test.p, 5) == p
    assert (found.n, found.raters, found.left_out) == (6, 4, 1)


def test_icc_without_an_interval() -> None:
    low = rater_icc([[1, 2], [2, 1], [1, 1], [2, 2]]).interval.low
    assert low >= -1  # two ratings cannot correlate by less
    assert "no limit" in rater_icc([[3, 3], [3, 2], [3, 3], [3, 5]], form="ICC2k").interval.reason
    assert "agree fully" in rater_icc([[1, 1], [2, 2], [5, 5]]).interval.reason
    assert "do not differ" in rater_icc([[2, 2], [2, 2]]).reason
    assert "two raters" in rater_icc([[2], [3]]).reason
    with pytest.raises(UsageError, match="numbers"):
        rater_icc([["a", "b"], ["b", "a"]])


def test_the_interval_of_icc2_covers() -> None:
    rng, held = np.random.default_rng(3), 0
    for _ in range(400):  # items, raters and noise of equal variance: ICC2 = 1/3
        table = rng.normal(size=(30, 1)) + rng.normal(size=(1, 8)) + rng.normal(size=(30, 8))
        interval = rater_icc(table).interval
        held += interval.low <= 1 / 3 <= interval.high
    assert 0.92 <= held / 400 <= 0.98


def test_limits_of_noise() -> None:
    expected = case("seeds_more", "s-noise-ceiling")
    found = noise_limit(expected["inputs"]["r"], raters=2)
    assert found.single == pytest.approx(expected["expected"]["single"], abs=expected["tolerance"])
    assert found.mean == pytest.approx(expected["expected"]["mean_of_two"], abs=expected["tolerance"])
    assert "independent" in found.assumes
    assert spearman_brown(0.5, raters=1) == 0.5
    assert "no common truth" in noise_limit(-0.1).reason
    assert "variance" in spearman_brown(-0.5, raters=3).reason
    # what the model says of data made by it
    rng = np.random.default_rng(1)
    truth = rng.normal(size=20_000)
    raters = truth[:, None] + rng.normal(size=(20_000, 2)) * 0.88  # r = 1/(1 + .88²) = .5636
    r = np.corrcoef(raters.T)[0, 1]
    assert np.corrcoef(truth, raters.mean(axis=1))[0, 1] == pytest.approx(
        noise_limit(r, raters=2).mean, abs=0.01
    )
