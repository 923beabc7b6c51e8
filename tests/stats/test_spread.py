"""The spread between columns of a crossed design: published mean squares, a second formula, and coverage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from aliquot.errors import UsageError
from aliquot.stats import crossed_spread, variance_components
from aliquot.stats.results import Estimate, Undefined

SHROUT = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
"""Shrout & Fleiss (1979), table 2: 6 targets x 4 judges; between judges 32.49, residual 1.02 (table 3)."""


def spread_of(table: np.ndarray, **options: Any) -> Any:
    items, columns = np.indices(table.shape)
    return crossed_spread(table.ravel(), items=items.ravel(), columns=columns.ravel(), **options)


def test_published_mean_squares_give_the_spread_of_the_judges():
    found = spread_of(SHROUT)
    assert found.sd.point**2 == pytest.approx((32.49 - 1.02) / 6, abs=0.003)  # (JMS - EMS) / targets
    # ICC(2,1) of the paper, .29, is the targets' share of the variance of one rating
    assert found.shares["item"] == pytest.approx(0.29, abs=0.005)
    assert found.share.point == pytest.approx(found.shares["column"])
    assert sum(found.shares.values()) == pytest.approx(1)


def test_the_limits_are_those_of_williams_and_tukey():
    found = spread_of(SHROUT)
    judges, error, n, df1, df2 = 32.486111, 1.019444, 6, 3, 15
    limits = [
        df1 / reference.chi2.ppf(p, df1) * (judges - error * reference.f.ppf(p, df1, df2)) / n
        for p in (0.975, 0.025)
    ]
    assert (found.sd.low**2, found.sd.high**2) == (
        pytest.approx(limits[0], rel=1e-6),
        pytest.approx(limits[1], rel=1e-6),
    )


def test_the_range_by_chance_is_that_of_as_many_equal_columns():
    rng = np.random.default_rng(3)
    base = rng.normal(size=(400, 1))
    tables = [base + rng.normal(size=(400, 5)) for _ in range(300)]
    by_chance = np.mean([spread_of(table).by_chance for table in tables[:20]])
    assert np.mean([np.ptp(table.mean(axis=0)) for table in tables]) == pytest.approx(by_chance, rel=0.06)


@settings(max_examples=25)
@given(st.integers(2, 5), st.integers(4, 9), st.integers(0, 2**32 - 1))
def test_it_is_the_analysis_of_variance_and_blind_to_order_and_shift(k: int, n: int, seed: int):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n, k))
    found = spread_of(table)
    items, columns = np.indices(table.shape)
    known = variance_components(table.ravel(), factors={"item": items.ravel(), "column": columns.ravel()})
    assert not isinstance(known, Undefined)
    assert found.sd.point**2 == pytest.approx(max(0.0, known.components["column"]), abs=1e-12)
    moved = spread_of(table[rng.permutation(n)][:, rng.permutation(k)] + 7)
    assert (moved.sd.low, moved.sd.high, moved.range) == (
        pytest.approx(found.sd.low, abs=1e-9),
        pytest.approx(found.sd.high, abs=1e-9),
        pytest.approx(found.range, abs=1e-9),
    )
    assert found.sd.low <= found.sd.point <= found.sd.high
    assert found.sd.low < found.sd.high


def test_clusters_of_copies_are_worth_their_number():
    rng = np.random.default_rng(5)
    table = (rng.random((40, 4)) < 0.6).astype(float)
    copied = np.repeat(table, 3, axis=0)
    labels = np.repeat(np.repeat(np.arange(40), 3), 4)
    with_clusters, alone = spread_of(copied, clusters=labels), spread_of(table)
    assert with_clusters.sd.point == pytest.approx(alone.sd.point, abs=1e-12)
    assert with_clusters.sd.high == pytest.approx(alone.sd.high, rel=1e-9)
    assert with_clusters.by_chance == pytest.approx(alone.by_chance)
    assert (
        spread_of(copied).by_chance < 0.6 * alone.by_chance
    )  # copies taken for items look three times as many


def test_attempts_are_a_source_of_their_own():
    rng = np.random.default_rng(6)
    p = np.clip(0.5 + rng.normal(0, 0.2, (300, 1)) + np.array([-0.1, 0.0, 0.1]), 0, 1)
    y = (rng.random((300, 3, 4)) < p[:, :, None]).astype(float)
    items, columns, _ = np.indices(y.shape)
    found: Any = crossed_spread(y.ravel(), items=items.ravel(), columns=columns.ravel(), low=0, high=1)
    assert list(found.shares) == ["column", "item", "item:column", "within"]
    assert found.shares["within"] == pytest.approx(
        (p * (1 - p)).mean() / (p.var() + (p * (1 - p)).mean()), abs=0.05
    )
    assert found.sd.point == pytest.approx(spread_of(y.mean(axis=2)).sd.point, abs=1e-12)


def test_bounds_hold_the_spread_below_half_the_range():
    found = spread_of(np.array([[0, 1], [0, 1], [0, 1], [1, 1]]), low=0, high=1)
    assert found.sd.high == 0.5
    assert 0 <= found.share.low <= found.share.point <= found.share.high <= 1


@pytest.mark.parametrize("sd", [0.0, 0.04, 0.1])
def test_the_interval_holds_the_spread_of_the_prompts_that_might_have_been(sd: float):
    """Binary scores of 120 items under 6 prompts drawn anew: at least 95% less three errors of 160 draws."""
    rng = np.random.default_rng(11)
    held = shares = 0
    for _ in range(160):
        p = 0.55 + rng.uniform(-0.3, 0.3, (120, 1)) + np.clip(rng.normal(0, sd, 6), -0.14, 0.14)
        found = spread_of((rng.random((120, 6)) < p).astype(float), low=0, high=1)
        held += found.sd.low <= sd <= found.sd.high
        total = 0.55 * 0.45  # variance of one score, near enough: the mean stays at .55
        shares += found.share.low <= sd**2 / total <= found.share.high
    assert min(held, shares) >= 160 * (0.95 - 3 * math.sqrt(0.05 * 0.95 / 160))


def test_what_cannot_be_told_says_why():
    assert isinstance(crossed_spread([1, 0], items=[1, 2], columns=[1, 1]), Undefined)
    assert isinstance(spread_of(np.array([[1, 0]])), Undefined)  # one item
    same = spread_of(np.array([[1, 1], [0, 0], [1, 1]]))
    assert isinstance(same.sd, Undefined)
    assert "agree" in same.sd.reason
    constant = spread_of(np.array([[1, 0], [1, 0], [1, 0]]), low=0, high=1)  # no noise at all
    assert isinstance(constant.sd, Estimate)
    assert constant.by_chance == 0
    with pytest.raises(UsageError, match="every item needs a row in every column"):
        crossed_spread([1, 0, 1], items=["a", "a", "b"], columns=[1, 2, 1])
    with pytest.raises(UsageError, match=r"0\.95, not 95"):
        spread_of(SHROUT, level=95)
