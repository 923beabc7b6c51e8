from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as reference

from aliquot.errors import UsageError
from aliquot.stats.missing import difference_bounds, imbens_manski, mean_bounds
from aliquot.stats.results import Undefined

NAN = math.nan
PARTIAL = st.lists(st.sampled_from([0.0, 0.5, 1.0, NAN]), min_size=2, max_size=7)


def test_public_case_05_missing_scores_do_not_raise_the_mean():
    a, b = mean_bounds([1.0, 0.5, 0, 0]), mean_bounds([1.0, 0.5, NAN, NAN])
    assert (a.observed, a.worst, a.best, a.n_missing) == (0.375, 0.375, 0.375, 0)
    # b: (1 + .5)/2 of two scored; (1 + .5 + 0 + 0)/4 and (1 + .5 + 1 + 1)/4 of four
    assert (b.observed, b.worst, b.best) == (0.75, 0.375, 0.875)
    assert (b.n, b.n - b.n_missing) == (4, 2)


def test_public_case_07_errors_and_the_denominator():
    found = mean_bounds([1.0] * 6 + [0.0] * 2 + [NAN] * 2)
    assert found.worst == pytest.approx(0.6)  # 6/10
    assert found.observed == pytest.approx(0.75)  # 6/8
    assert found.n_missing == 2


@given(PARTIAL)
def test_bounds_are_the_extremes_over_all_fillings(y):
    found = mean_bounds(y)
    holes = [i for i, value in enumerate(y) if math.isnan(value)]
    means = []
    for filling in itertools.product([0.0, 0.3, 1.0], repeat=len(holes)):
        filled = np.array(y)
        filled[holes] = filling
        means.append(filled.mean())
    assert (found.worst, found.best) == pytest.approx((min(means), max(means)))
    assert found.n_missing == len(holes)
    if isinstance(found.interval, Undefined):
        assert not holes
        assert len(set(y)) == 1
    else:
        assert 0 <= found.interval.low <= found.worst + 1e-12
        assert found.best - 1e-12 <= found.interval.high <= 1
        assert found.interval.width > 0


@given(st.lists(st.tuples(*[st.sampled_from([0.0, 1.0, NAN])] * 2), min_size=2, max_size=4))
def test_difference_bounds_are_the_extremes_over_all_fillings(pairs):
    table = np.array(pairs)
    found = difference_bounds(table[:, 0], table[:, 1])
    holes = np.argwhere(np.isnan(table))
    differences = []
    for filling in itertools.product([0.0, 1.0], repeat=len(holes)):
        filled = table.copy()
        for (i, j), value in zip(holes, filling, strict=True):
            filled[i, j] = value
        differences.append((filled[:, 1] - filled[:, 0]).mean())
    assert (found.worst, found.best) == pytest.approx((min(differences), max(differences)))
    assert found.n_missing == np.isnan(table).any(axis=1).sum()


@given(st.floats(0, 1), st.floats(0.01, 0.2), st.floats(0.01, 0.2), st.sampled_from([0.8, 0.95]))
def test_imbens_manski_solves_its_equation(gap, se_worst, se_best, level):
    found = imbens_manski(0.0, gap, se_worst=se_worst, se_best=se_best, level=level)
    scaled = gap / max(se_worst, se_best)
    c = optimize.brentq(
        lambda c: reference.norm.cdf(c + scaled) - reference.norm.cdf(-c) - level, 0, 10, xtol=1e-13
    )
    assert found.settings["c"] == pytest.approx(c, abs=1e-8)
    assert (found.low, found.high) == pytest.approx((-c * se_worst, gap + c * se_best), abs=1e-8)
    assert (
        reference.norm.ppf(level) - 1e-9 <= found.settings["c"] <= reference.norm.ppf(0.5 + level / 2) + 1e-9
    )


def test_imbens_manski_at_its_ends():
    # nothing missing: the two-sided normal interval; wide bounds: the one-sided quantile
    plain = imbens_manski(0.5, 0.5, se_worst=0.1, se_best=0.1)
    assert (plain.low, plain.high) == pytest.approx((0.5 - 0.1959964, 0.5 + 0.1959964), abs=1e-7)
    wide = imbens_manski(0.0, 1.0, se_worst=0.01, se_best=0.01)
    assert wide.settings["c"] == pytest.approx(1.644854, abs=1e-6)
    assert imbens_manski(0.2, 0.4, se_worst=0, se_best=0).settings["c"] == pytest.approx(1.644854, abs=1e-6)
    assert isinstance(imbens_manski(0.5, 0.5, se_worst=0, se_best=0), Undefined)


def test_standard_errors_are_those_of_the_filled_rows():
    y = np.array([1.0, 0, 1, 1, NAN, 0, 1, NAN])
    found = mean_bounds(y)
    worst, best = np.nan_to_num(y, nan=0.0), np.nan_to_num(y, nan=1.0)
    expected = imbens_manski(
        worst.mean(), best.mean(), se_worst=reference.sem(worst), se_best=reference.sem(best)
    )
    assert found.interval.low == pytest.approx(max(0, expected.low))
    assert found.interval.high == pytest.approx(min(1, expected.high))
    clustered = mean_bounds(y, clusters=[0, 0, 0, 0, 1, 1, 1, 1])
    assert clustered.interval.low != found.interval.low


def test_nothing_known():
    found = mean_bounds([NAN, NAN, NAN], low=1, high=5)
    assert isinstance(found.observed, Undefined)
    assert (found.worst, found.best) == (1, 5)
    assert isinstance(mean_bounds([NAN]).interval, Undefined)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: mean_bounds([0.5, 2.0]), "between"),
        (lambda: mean_bounds([0.5, math.inf]), "inf"),
        (lambda: mean_bounds([]), "at least 1"),
        (lambda: mean_bounds([[0.5]]), "one-dimensional"),
        (lambda: mean_bounds([0.5], low=1, high=1), "low below high"),
        (lambda: difference_bounds([0.5], [0.5, 1]), "row by row"),
        (lambda: imbens_manski(0.6, 0.5, se_worst=0.1, se_best=0.1), "at most best"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(UsageError, match=words):
        call()


def test_imbens_manski_is_centred_and_refuses_bounds_that_show_nothing():
    found = imbens_manski(0.2, 0.6, se_worst=0.01, se_best=0.03)
    assert found.point == pytest.approx(0.4)
    assert found.n == 0
    assert not imbens_manski(0.5, 0.5, se_worst=0.0, se_best=0.0)
