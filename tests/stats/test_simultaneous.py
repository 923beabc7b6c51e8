from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.distributions import normal_quantile, t_quantile, two_sided_t, two_sided_z
from aliquot.stats.paired import paired_binary_difference, paired_graded_difference
from aliquot.stats.paired_score import tango
from aliquot.stats.paired_tests import mcnemar
from aliquot.stats.permutation import sign_flip
from aliquot.stats.results import Estimate
from aliquot.stats.simultaneous import max_t, simultaneous_interval, simultaneous_intervals

NAN = float("nan")


def _by_hand(
    d: np.ndarray, codes: np.ndarray, weights: np.ndarray, level: float
) -> tuple[float, list[float]]:
    """c* and p by the design's row, every sign pattern of the units, one number at a time."""
    held = ~np.isnan(d)
    means = [float(np.average(c[h], weights=weights[h])) for c, h in zip(d.T, held.T, strict=True)]
    groups = sorted(set(codes.tolist()))

    def units(center: bool) -> list[list[float]]:
        return [
            [
                sum(
                    weights[i] * (d[i, j] - (means[j] if center else 0.0))
                    for i in range(d.shape[0])
                    if codes[i] == g and held[i, j]
                )
                for j in range(d.shape[1])
            ]
            for g in groups
        ]

    def maxima(sums: list[list[float]]) -> list[float]:
        found: list[float] = []
        for signs in itertools.product((-1, 1), repeat=len(sums)):
            best = 0.0
            for j in range(d.shape[1]):
                norm = math.sqrt(sum(row[j] ** 2 for row in sums))
                if norm > 1e-9:
                    best = max(best, abs(sum(s * row[j] for s, row in zip(signs, sums, strict=True))) / norm)
            found.append(best)
        return found

    centred, raw = sorted(maxima(units(center=True))), maxima(units(center=False))
    c = max(normal_quantile(0.5 + level / 2), centred[math.ceil(round(level * len(centred), 9)) - 1])
    p: list[float] = []
    for j in range(d.shape[1]):
        column = [row[j] for row in units(center=False)]
        norm = math.sqrt(sum(value**2 for value in column))
        t = abs(sum(column)) / norm if norm > 1e-9 else 0.0
        p.append(sum(value >= t - 1e-9 for value in raw) / len(raw) if norm > 1e-9 else 1.0)
    return c, p


CELL = st.sampled_from([-1.0, -0.5, 0.0, 0.0, 0.25, 1.0, NAN])


@st.composite
def _designs(draw: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n, k = draw(st.integers(1, 7)), draw(st.integers(1, 3))
    d = np.array(draw(st.lists(st.lists(CELL, min_size=k, max_size=k), min_size=n, max_size=n)))
    d[0, np.isnan(d).all(axis=0)] = 1.0
    codes = np.array(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    weights = np.array(draw(st.lists(st.sampled_from([1.0, 2.0, 0.5]), min_size=n, max_size=n)))
    return d, codes, weights


@given(_designs(), st.booleans(), st.booleans(), st.sampled_from([0.8, 0.95]))
@settings(max_examples=120, deadline=None)
def test_agrees_with_the_definition(
    design: tuple[np.ndarray, np.ndarray, np.ndarray], clustered: bool, weighted: bool, level: float
) -> None:
    d, codes, weights = design
    rows = ~np.isnan(d).all(axis=1)
    expected = _by_hand(
        d[rows],
        codes[rows] if clustered else np.arange(int(rows.sum())),
        weights[rows] if weighted else np.ones(int(rows.sum())),
        level,
    )
    found = max_t(
        d, clusters=codes if clustered else None, weights=weights if weighted else None, level=level
    )
    assert found.n_resamples is None
    assert found.critical == pytest.approx(expected[0], abs=1e-8)
    assert found.p == pytest.approx(expected[1], abs=1e-12)


def test_one_column_is_the_sign_flip_test() -> None:
    d = [0.3, -0.1, 0.2, 0.4, 0.1, 0.25, -0.05]
    assert max_t(np.array(d)[:, None]).p[0] == pytest.approx(sign_flip(d).p, abs=1e-12)
    binary = [1.0] * 6 + [0.0] * 94  # too many items to enumerate for c*, few enough differences for p
    found = max_t(np.array(binary)[:, None])
    assert found.p[0] == mcnemar(6, 0).p == 0.03125
    assert (found.n_resamples, found.p_resamples) == (9999, None)


def test_equal_columns_cost_nothing_and_independent_ones_cost_as_sidak() -> None:
    rng = np.random.default_rng(1)
    d = rng.normal(size=(400, 1))
    alike = max_t(np.repeat(d, 10, axis=1), rng=2)
    assert alike.critical == pytest.approx(two_sided_z(0.95), abs=0.06)
    apart = max_t(rng.normal(size=(400, 10)), rng=2)
    # ten independent columns: each at .95^(1/10), z = 2.80
    assert apart.critical == pytest.approx(two_sided_z(0.95**0.1), abs=0.06)


def test_level_makes_tango_t_and_n_star_speak_in_c() -> None:
    rng = np.random.default_rng(4)
    d = rng.integers(-1, 2, size=(60, 6)).astype(float)
    found = max_t(d, rng=7)
    c, level = found.critical, found.column_level
    assert two_sided_z(level) == pytest.approx(c, rel=1e-12)
    assert two_sided_t(level, 5.5) == pytest.approx(
        t_quantile(0.5 * math.erfc(-c / math.sqrt(2)), 5.5), rel=1e-10
    )
    clusters = np.repeat(np.arange(12), 5)
    a, b = (d[:, 0] < 0).astype(float), (d[:, 0] > 0).astype(float)
    own = paired_binary_difference(a, b, clusters=clusters, level=level)
    assert isinstance(own, Estimate)
    assert own.n_eff is not None
    assert own.df is not None
    # the design: n* = n_eff (c*/t_ν(Φ(c*)))², Tango at z = c*
    phi_c = 0.5 * math.erfc(-c / math.sqrt(2))
    n_star = own.n_eff * (c / t_quantile(phi_c, own.df)) ** 2
    psi = float((d[:, 0] ** 2).mean())
    fixed, broke = (n_star * (psi + sign * own.point) / 2 for sign in (1, -1))
    expected = tango(fixed, broke, n_star, level=2 * phi_c - 1)
    assert (own.low, own.high) == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_intervals_are_each_columns_own_at_c_and_held_by_the_test() -> None:
    rng = np.random.default_rng(9)
    a = (rng.random((80, 4)) < 0.5).astype(float)
    b = np.where(rng.random((80, 4)) < [0.5, 0.2, 0.1, 0.3], 1.0, a)
    a[60:, 3] = b[60:, 3] = NAN
    found = max_t(b - a, rng=3)
    intervals = simultaneous_intervals(a, b, rng=3)
    for j, interval in enumerate(intervals):
        held = ~np.isnan(a[:, j])
        own = paired_binary_difference(a[held, j], b[held, j], level=found.column_level)
        assert isinstance(interval, Estimate)
        assert isinstance(own, Estimate)
        assert interval.level == 0.95
        assert interval.settings["critical"] == found.critical > 1.96
        if found.p[j] <= 0.05:
            assert (interval.low, interval.high) == (own.low, own.high)
            assert interval.low > 0
        else:
            assert interval.low <= 0 <= interval.high
    assert sum(p <= 0.05 for p in found.p) == 2


def test_graded_columns_and_columns_without_variation() -> None:
    a = np.full((10, 3), 0.4)
    b = a + np.array([[0.1, 0.0, 0.05 * (i % 3)] for i in range(10)])
    found = max_t(b - a)
    assert found.constant == (0, 1)
    # ten of ten the same way: 2 of 2^10 patterns for the constant column, 1 for the one that is 0
    assert found.p[0] == pytest.approx(2 / 2**10)
    assert found.p[1] == 1.0
    first, second, _ = simultaneous_intervals(a, b, low=0, high=1)
    assert isinstance(first, Estimate)
    assert isinstance(second, Estimate)
    assert first.width > 0 < second.width
    own = paired_graded_difference(a[:, 0], b[:, 0], low=0, high=1, level=found.column_level)
    assert isinstance(own, Estimate)
    assert first.high == own.high


def test_nothing_differs_anywhere() -> None:
    found = max_t(np.zeros((30, 3)))
    assert found.p == (1.0, 1.0, 1.0)
    assert found.critical == two_sided_z(0.95)
    assert found.constant == (0, 1, 2)


def test_a_seed_is_a_number_and_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    d = np.random.default_rng(3).normal(size=(64, 5))
    first = max_t(d, n_resamples=999, rng=11)
    assert first == max_t(d, n_resamples=999, rng=11)
    assert first.p != max_t(d, n_resamples=999, rng=12).p
    monkeypatch.setattr("aliquot.stats.flips.HELD", 64 * 37)
    assert first == max_t(d, n_resamples=999, rng=11)


def test_counting_equal_units_and_flipping_each_give_one_law(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    d = rng.integers(-1, 2, size=(300, 2)).astype(float)  # nine kinds of row, 300/32 of them at most
    d[:, 1] += 0.05 * (d[:, 1] > 0)
    flipped = max_t(d, level=0.8, rng=1)
    monkeypatch.setattr("aliquot.stats.flips._COLLAPSE_FROM", 0)
    counted = max_t(d, level=0.8, rng=1)
    assert counted.critical != flipped.critical
    # a quantile of 9999 near density .35: 4 √(.8 · .2/9999)/.35 = .046, twice
    assert counted.critical == pytest.approx(flipped.critical, abs=0.065)
    # 4 √(.25/9999) = .02, and both are random
    assert counted.p == pytest.approx(flipped.p, abs=0.028)
    assert counted.statistics == flipped.statistics


@pytest.mark.heavy
def test_family_wise_error_of_correlated_columns() -> None:
    """Null data: 6 binary columns that share half of their noise; any false rejection in at most .05 of them."""
    rng = np.random.default_rng(20)
    runs, wrong, uncovered = 400, 0, 0
    for _ in range(runs):
        shared = rng.integers(-1, 2, size=(40, 1))
        own = rng.integers(-1, 2, size=(40, 6))
        d = np.where(rng.random((40, 6)) < 0.5, shared, own).astype(float)
        found = max_t(d, n_resamples=399, rng=rng)
        wrong += min(found.p) <= 0.05
        column = [
            tango(float((c > 0).sum()), float((c < 0).sum()), 40, level=found.column_level) for c in d.T
        ]
        uncovered += any(e.low > 0 or e.high < 0 for e in column)
    # .05 + 3 √(.05 · .95/400) = .083
    assert wrong / runs <= 0.083
    assert uncovered / runs <= 0.083
    assert wrong > 0


def test_family_wise_error_of_clusters_and_segments() -> None:
    """12 clusters whose items share their sign; 2 segments lie across them."""
    rng = np.random.default_rng(21)
    runs, wrong, naive = 300, 0, 0
    clusters, segments = np.repeat(np.arange(12), 12), np.tile(np.arange(2), 72)
    for _ in range(runs):
        d = np.repeat(rng.choice([-1.0, 1.0], size=12), 12)
        matrix = np.where(segments[:, None] == np.arange(2), d[:, None], np.nan)
        wrong += min(max_t(matrix, clusters=clusters, n_resamples=399, rng=rng).p) <= 0.05
        naive += min(max_t(matrix, n_resamples=399, rng=rng).p) <= 0.05
    # .05 + 3 √(.05 · .95/300) = .088
    assert wrong / runs <= 0.088
    assert naive / runs > 0.2


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: max_t([[1.0], [0.0]], n_resamples=18), "at least 19 at level 0.95; got 18"),
        (lambda: max_t([["x"]]), "matrix of numbers"),
        (lambda: max_t([[1.0], [0.0]], clusters=[1]), "one label for each of the 2"),
        (lambda: simultaneous_intervals([[1.0]], [[1.0, 0.0]]), "one shape"),
        (lambda: simultaneous_intervals([[1.0], [NAN]], [[1.0], [0.0]]), "lack"),
        (
            lambda: simultaneous_interval(tango(6, 0, 20, level=0.9), max_t([[1.0], [0.0]]), column=0),
            "ask for it at level=found.column_level",
        ),
        (lambda: simultaneous_interval(tango(6, 0, 20), max_t([[1.0], [0.0]]), column=1), "one of 0 to 0"),
    ],
)
def test_wrong_calls_say_what_would_be_right(call: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        call()
