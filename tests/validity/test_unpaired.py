"""Enumerated size and coverage for two rates on different items: every pair of counts is weighed."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import binom

from aliquot.stats.unpaired_exact import boschloo, fisher
from aliquot.stats.unpaired_score import mn_score_test, score_limits

Z = float(ndtri(0.975))
RATES = (0.5, 0.8, 0.95, 0.99)


def chances(n_a: int, n_b: int, rate_a: float, rate_b: float) -> NDArray[np.float64]:
    return np.outer(binom.pmf(np.arange(n_a + 1), n_a, rate_a), binom.pmf(np.arange(n_b + 1), n_b, rate_b))


@pytest.mark.parametrize(("n_a", "n_b"), [(20, 20), (50, 50), (50, 20), (200, 100)])
def test_miettinen_nurminen_covers(n_a, n_b):
    low, high = score_limits(np.arange(n_a + 1)[:, None], n_a, np.arange(n_b + 1), n_b, z=Z)
    found = []
    for rate_a in RATES:
        for rate_b in RATES:
            inside = (low <= rate_b - rate_a) & (rate_b - rate_a <= high)
            found.append(float((chances(n_a, n_b, rate_a, rate_b) * inside).sum()))
    assert np.mean(found) >= 0.945
    assert min(found) >= 0.90


def test_wald_does_not():
    # 50 a side, both .99: in .99^100 = 37% of samples Wald has no width, and more often it is too narrow
    n, x = 50, np.arange(51)
    a, b = x[:, None] / n, x / n
    half = Z * np.sqrt(a * (1 - a) / n + b * (1 - b) / n)
    covered = (np.abs(b - a) <= half) & (half > 0)
    assert float((chances(n, n, 0.99, 0.99) * covered).sum()) < 0.70


def size(rejected: NDArray[np.bool_], n_a: int, n_b: int) -> float:
    return max(float((chances(n_a, n_b, p, p) * rejected).sum()) for p in np.linspace(0.01, 0.99, 99))


def rejections(test, n_a: int, n_b: int) -> NDArray[np.bool_]:
    return np.array([[test(a, n_a, b, n_b).p <= 0.05 for b in range(n_b + 1)] for a in range(n_a + 1)])


@pytest.mark.heavy
def test_the_exact_tests_keep_5_percent_and_boschloo_uses_more_of_it():
    n_a, n_b = 9, 7
    by_fisher, by_boschloo = rejections(fisher, n_a, n_b), rejections(boschloo, n_a, n_b)
    assert size(by_fisher, n_a, n_b) < size(by_boschloo, n_a, n_b) <= 0.0501
    assert not (by_fisher & ~by_boschloo).any()


def test_the_score_test_is_close_to_5_percent_where_it_decides():
    # it decides beyond n_a·n_b = 10⁵; already at 60 a side its size is below 6%
    assert 0.045 < size(rejections(mn_score_test, 60, 60), 60, 60) < 0.06
