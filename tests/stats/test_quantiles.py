from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as reference

from aliquot.errors import UsageError
from aliquot.stats.quantiles import paired_quantile, quantile, quantile_difference, smallest_n
from aliquot.stats.results import Undefined

QUANTILES = st.sampled_from([0.1, 0.25, 0.5, 0.9, 0.95, 0.99])


def test_the_n_each_quantile_needs():
    # a finite upper limit needs qⁿ ≤ .025: .95⁷² = .02489 but .95⁷¹ = .02620; .99³⁶⁸ = .02476, .99³⁶⁷ = .02501
    assert 0.95**72 <= 0.025 < 0.95**71
    assert 0.99**368 <= 0.025 < 0.99**367
    assert (smallest_n(0.95), smallest_n(0.99), smallest_n(0.5)) == (72, 368, 6)
    # one-sided .05: .95⁵⁹ = .0485
    assert smallest_n(0.95, alternative="less") == 59
    assert smallest_n(0.95, alternative="greater") == 1


@pytest.mark.parametrize(("q", "needed"), [(0.95, 72), (0.99, 368)])
def test_below_it_the_interval_is_undefined(q, needed):
    found = quantile(np.arange(needed - 1.0), q=q)
    assert isinstance(found, Undefined)
    assert f"needs {needed}" in found.reason
    assert quantile(np.arange(float(needed)), q=q).high == needed - 1
    assert math.isinf(quantile(np.arange(10.0), q=q, alternative="greater").high)


@given(st.integers(2, 500), QUANTILES, st.sampled_from([0.8, 0.9, 0.95]))
def test_ranks_equal_those_of_the_binomial(n, q, level):
    found = quantile(np.arange(1.0, n + 1), q=q, level=level)
    tail = (1 - level) / 2
    below = reference.binom.cdf(np.arange(n + 1), n, q)
    low = [k for k in range(1, n + 1) if below[k - 1] <= tail + 1e-12]
    high = [k for k in range(1, n + 1) if 1 - below[k - 1] <= tail + 1e-12]
    if not low or not high:
        assert isinstance(found, Undefined)
        return
    assert (found.low, found.high) == (max(low), min(high))
    assert found.low <= found.point <= found.high
    # the interval between two order statistics covers with the probability of these ranks
    assert below[int(found.high) - 1] - below[int(found.low) - 1] >= level - 1e-9


@given(st.lists(st.floats(-1e3, 1e3), min_size=6, max_size=60), st.floats(0.1, 9), st.floats(-9, 9))
def test_it_follows_any_increasing_line(y, scale, shift):
    first, second = quantile(y), quantile(scale * np.array(y) + shift)
    assert (second.low, second.high) == pytest.approx(
        (scale * first.low + shift, scale * first.high + shift), abs=1e-9
    )
    mirrored = quantile(-np.array(y))
    assert (-mirrored.high, -mirrored.low) == (first.low, first.high)


def test_r_sign_test_interval():
    # 10 values: P(Bin(10, ½) ≤ 1) = 11/1024 ≤ .025 < 56/1024, so the 2nd and the 9th
    found = quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    assert (found.low, found.high) == (2, 9)


def test_clusters_widen():
    rng = np.random.default_rng(5)
    labels = np.repeat(np.arange(30), 10)
    y = rng.normal(size=30)[labels] + 0.1 * rng.normal(size=300)
    plain, clustered = quantile(y), quantile(y, clusters=labels)
    assert clustered.width > 1.5 * plain.width
    assert (clustered.clusters, clustered.method) == (30, "order_statistics_effective_n")
    assert clustered.settings["n_star"] < 60
    assert quantile(y, clusters=np.arange(300)) == plain
    assert isinstance(quantile(y, q=0.99, clusters=labels), Undefined)
    assert isinstance(quantile(y, clusters=np.zeros(300)), Undefined)


def test_paired_differences():
    a = np.arange(10.0)
    found = paired_quantile(a, a + np.arange(1.0, 11))
    assert (found.point, found.low, found.high) == (5.5, 2, 9)
    with pytest.raises(UsageError, match="row by row"):
        paired_quantile([1, 2], [1])


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_difference_of_medians_equals_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    a = rng.exponential(size=40)
    b = a + rng.normal(0.3, 0.2, 40)
    found = quantile_difference(a, b, rng=seed, n_resamples=200)
    first = np.random.default_rng(int(np.random.default_rng(seed).integers(2**63, size=2)[0]))
    drawn = []
    for _ in range(200):
        pick = first.integers(0, 40, size=40)
        drawn.append(np.median(b[pick]) - np.median(a[pick]))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])), abs=1e-12)
    assert found.point == pytest.approx(np.median(b) - np.median(a))


def test_difference_in_batches_and_unpaired(monkeypatch):
    rng = np.random.default_rng(5)
    a, b = rng.exponential(size=80), rng.exponential(size=90)
    first = quantile_difference(a, b, q=0.95, paired=False, rng=2, n_resamples=300)
    monkeypatch.setattr("aliquot.stats.quantiles.HELD", 400)
    assert quantile_difference(a, b, q=0.95, paired=False, rng=2, n_resamples=300) == first
    assert isinstance(quantile_difference(a[:71], b, q=0.95, paired=False), Undefined)
    assert isinstance(quantile_difference(np.ones(10), np.ones(10)), Undefined)


def test_bad_input():
    with pytest.raises(UsageError, match="for p95"):
        quantile([1, 2], q=95)
