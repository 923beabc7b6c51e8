from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from aliquot.errors import UsageError
from aliquot.stats.attempts import paired_attempts, these_items_difference
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.paired import paired_binary_difference, paired_difference, paired_graded_difference
from aliquot.stats.paired_score import tango
from aliquot.stats.results import Estimate, Undefined

A = np.array([1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 0])
B = np.array([1, 1, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0])
GROUPS = np.array([1, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5])


def _star(n_eff: float, df: float, level: float = 0.95) -> float:
    tail = 0.5 + level / 2
    return n_eff * (stats.norm.ppf(tail) / stats.t.ppf(tail, df)) ** 2


def test_binary_pairs_take_tango_on_the_counts() -> None:
    found = paired_binary_difference(A, B)
    assert found == tango(3, 1, 12)
    psi, d = 4 / 12, 2 / 12
    assert found.se == pytest.approx(math.sqrt((psi - d**2) / 12))


def test_binary_clusters_take_tango_on_effective_n() -> None:
    found = paired_binary_difference(A, B, clusters=GROUPS)
    v = cluster_variance(B - A, clusters=GROUPS)
    psi, d = 4 / 12, 2 / 12
    n_eff = min(12, (psi - d**2) / v.variance)
    n_star = _star(n_eff, v.df)
    expected = tango(n_star * (psi + d) / 2, n_star * (psi - d) / 2, n_star)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert (found.n_eff, found.df, found.se) == pytest.approx((n_eff, v.df, v.se))
    assert (found.clusters, found.n, found.point) == (5, 12, pytest.approx(d))
    assert "5 clusters" in found.why


def test_effective_n_never_exceeds_n() -> None:
    # one fixed and one broke in each cluster but the last: cluster sums vary less than independent items would
    a, b = [0, 1, 0, 1, 0, 1, 0, 0], [1, 0, 1, 0, 1, 0, 1, 0]
    found = paired_binary_difference(a, b, clusters=[1, 1, 2, 2, 3, 3, 4, 4])
    assert found.n_eff == 8


def test_no_variance_between_clusters_counts_every_item() -> None:
    found = paired_binary_difference([0, 1, 0, 1, 0, 1], [1, 0, 1, 0, 1, 0], clusters=[1, 1, 2, 2, 3, 3])
    assert found.se == 0
    assert found.n_eff == 6
    n_star = _star(6, found.df)
    assert found.high == pytest.approx(tango(n_star / 2, n_star / 2, n_star).high)


def test_nothing_discordant_counts_clusters_and_says_so() -> None:
    found = paired_binary_difference([1, 0, 1, 0, 1, 1], [1, 0, 1, 0, 1, 1], clusters=[1, 1, 1, 2, 2, 3])
    assert found.n_eff == pytest.approx(3)
    n_star = _star(3, found.df)
    assert (found.low, found.high) == pytest.approx((tango(0, 0, n_star).low, tango(0, 0, n_star).high))
    assert "could not be seen" in found.why
    assert found.width > 0


def test_one_cluster_is_undefined() -> None:
    for found in (
        paired_binary_difference(A, B, clusters=np.ones(12)),
        paired_graded_difference(A, B, low=0, high=2, clusters=np.ones(12)),
        paired_attempts(A, B, attempts_a=3, attempts_b=3, clusters=np.ones(12)),
    ):
        assert isinstance(found, Undefined)
        assert "one cluster" in found.reason


def test_clusters_of_one_and_equal_weights_change_nothing() -> None:
    assert paired_binary_difference(A, B, clusters=range(12), weights=[2] * 12) == paired_binary_difference(
        A, B
    )


def test_swapping_systems_mirrors_the_interval() -> None:
    for options in ({}, {"clusters": GROUPS}, {"weights": np.arange(1, 13)}):
        there, back = paired_binary_difference(A, B, **options), paired_binary_difference(B, A, **options)
        assert (there.low, there.high) == pytest.approx((-back.high, -back.low), abs=1e-9)


def test_weights_move_the_point_and_lower_effective_n() -> None:
    w = np.arange(1, 13)
    found = paired_binary_difference(A, B, weights=w)
    assert found.point == pytest.approx((w * (B - A)).sum() / w.sum())
    assert found.n_eff < 12
    assert found.clusters is None


def test_a_pool_leaves_less_error() -> None:
    # 12 of 48: a quarter is seen, so V shrinks by 3/4 and 12 items count as 16
    found = paired_binary_difference(A, B, pool=48)
    assert found.n_eff == 16
    assert (found.low, found.high) == pytest.approx((tango(4, 4 / 3, 16).low, tango(4, 4 / 3, 16).high))
    assert found.n == 12
    clustered = paired_binary_difference(A, B, clusters=GROUPS)
    assert paired_binary_difference(A, B, clusters=GROUPS, pool=48).n_eff == pytest.approx(
        clustered.n_eff / 0.75
    )
    graded = paired_graded_difference(A * 0.9, B * 0.3)
    assert paired_graded_difference(A * 0.9, B * 0.3, pool=48).se == pytest.approx(
        graded.se * math.sqrt(0.75)
    )


def test_a_whole_pool_has_no_sampling_error_left() -> None:
    for found in (paired_binary_difference(A, B, pool=12), paired_graded_difference(A / 3, B / 4, pool=12)):
        assert isinstance(found, Undefined)
    with pytest.raises(UsageError, match="pool"):
        paired_binary_difference(A, B, pool=11)


def test_many_changed_scores_take_t() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.random(40), rng.random(40)
    found = paired_graded_difference(a, b, low=0, high=1)
    reference = stats.ttest_1samp(b - a, 0).confidence_interval()
    assert (found.low, found.high) == pytest.approx((reference.low, reference.high))
    assert found.method == "t"
    assert found.se == pytest.approx((b - a).std(ddof=1) / math.sqrt(40))


def test_few_changed_scores_take_the_hull() -> None:
    a = np.zeros(30)
    b = a.copy()
    b[:3] = [1.0, 2.0, 4.0]  # on a scale of 0 to 5
    found = paired_graded_difference(a, b, low=0, high=5)
    d = b / 5
    assert (d**2).sum() ** 2 / (d**4).sum() < 10
    larger = max((d**2).sum(), d.sum())
    other = tango((larger + d.sum()) / 2, (larger - d.sum()) / 2, 30)
    t = stats.ttest_1samp(d, 0).confidence_interval()
    assert found.low == pytest.approx(5 * min(t.low, other.low))
    assert found.high == pytest.approx(5 * max(t.high, other.high))
    assert found.method == "t_tango_hull"


def test_few_changed_scores_with_clusters_take_the_hull_on_effective_n() -> None:
    groups = np.repeat(np.arange(10), 3)
    d = np.zeros(30)
    d[[0, 1, 7]] = [0.2, 0.4, 0.8]
    found = paired_graded_difference(np.zeros(30), d, low=0, high=1, clusters=groups)
    v = cluster_variance(d, clusters=groups)
    psi, mean = max((d**2).mean(), abs(d.mean())), d.mean()
    n_star = _star(min(30, (psi - mean**2) / v.variance), v.df)
    other = tango(n_star * (psi + mean) / 2, n_star * (psi - mean) / 2, n_star)
    half = stats.t.ppf(0.975, v.df) * v.se
    assert (found.low, found.high) == pytest.approx(
        (min(other.low, mean - half), max(other.high, mean + half))
    )


@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0])
def test_scores_that_all_move_alike_still_have_a_width(shift: float) -> None:
    found = paired_graded_difference(np.zeros(25), np.full(25, shift), low=0, high=1)
    assert found.width > 0
    assert -1 <= found.low <= found.point <= found.high <= 1


def test_unbounded_scores_without_variation_are_undefined() -> None:
    assert isinstance(paired_graded_difference([1.0, 2.0], [2.0, 3.0]), Undefined)
    assert isinstance(paired_graded_difference([1.0], [2.5], low=0, high=5), Undefined)


def test_dispatch_by_values_and_bounds() -> None:
    assert paired_difference(A, B).method == "tango"
    assert paired_difference(A, B, low=0, high=1, clusters=GROUPS).method == "tango_effective_n"
    assert paired_difference(A, B, low=0, high=5).method.startswith("t")
    assert paired_difference(A / 2, B / 2).method == "t"


@pytest.mark.parametrize(
    ("a", "b", "options", "text"),
    [
        ([1, 0], [1], {}, "same items"),
        ([1, 0.5], [1, 0.2], {"low": 0}, "both low and high"),
        ([1, 0.5], [1, 0.2], {"low": 1, "high": 0}, "below"),
        ([1, 2], [1, 0.2], {"low": 0, "high": 1}, "between"),
        ([1, 0], [1, 0], {"level": 95}, "level"),
    ],
)
def test_wrong_calls_are_refused(
    a: list[float], b: list[float], options: dict[str, float], text: str
) -> None:
    with pytest.raises(UsageError, match=text):
        paired_difference(a, b, **options)


def _plain(a: list[int], b: list[int], groups: list[int]) -> Estimate | None:
    """The design's row for binary clusters in loops; None when it is undefined."""
    n, names = len(a), sorted(set(groups))
    d = [y - x for x, y in zip(a, b, strict=True)]
    mean, psi = sum(d) / n, sum(map(abs, d)) / n
    if len(names) < 2:
        return None
    q = {g: groups.count(g) / n for g in names}
    s = {g: sum(v - mean for v, h in zip(d, groups, strict=True) if h == g) / n for g in names}
    variance = sum(s[g] ** 2 / (1 - q[g]) for g in names)
    p = [
        [
            ((g == h) * q[g] / n - q[g] * q[h] / n - q[h] * q[g] / n + q[g] * q[h] / n)
            / math.sqrt((1 - q[g]) * (1 - q[h]))
            for h in names
        ]
        for g in names
    ]
    df = sum(p[i][i] for i in range(len(names))) ** 2 / sum(x * x for row in p for x in row)
    if psi == 0:
        n_eff = len(names)
    elif variance < 1e-20:
        n_eff = n
    else:
        n_eff = min(n, (psi - mean**2) / variance)
    star = _star(n_eff, df)
    return tango(max(0, star * (psi + mean) / 2), max(0, star * (psi - mean) / 2), star)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 4)), min_size=2, max_size=20))
def test_binary_clusters_equal_loops(rows: list[tuple[int, int, int]]) -> None:
    a, b, groups = (list(column) for column in zip(*rows, strict=True))
    if len(set(groups)) == len(groups):
        return
    found, expected = paired_binary_difference(a, b, clusters=groups), _plain(a, b, groups)
    if expected is None:
        assert isinstance(found, Undefined)
        return
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-7)
    assert found.low <= found.point <= found.high
    assert found.width > 0


def test_attempts_by_hand() -> None:
    a, b = np.array([0, 0.5, 1, 0.25, 0.75]), np.array([0.25, 0.5, 1, 1, 0.5])
    found = paired_attempts(a, b, attempts_a=4, attempts_b=[2, 2, 2, 2, 2])
    d = b - a
    psi, mean, v = (a * (1 - b) + b * (1 - a)).mean(), d.mean(), d.var(ddof=1) / 5
    k = 2 / (1 / 4 + 1 / 2)
    n_eff = min(5 * k, max(2.5, (psi - mean**2) / v))
    star = _star(n_eff, 4)
    expected = tango(star * (psi + mean) / 2, star * (psi - mean) / 2, star)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert (found.n_eff, found.df, found.se) == pytest.approx((n_eff, 4, math.sqrt(v)))


def test_attempts_keep_effective_n_within_bounds() -> None:
    # opposite certain items: ψ̂ = 1, d̂ = 0, V = s²/n = (4/3)/4: n_eff = 3, between 2 and 4 × 5
    assert paired_attempts([0, 1, 0, 1], [1, 0, 1, 0], attempts_a=5, attempts_b=5).n_eff == pytest.approx(3)
    # every item alike: V = 0 < ψ̂
    assert paired_attempts([0.5] * 4, [0.5] * 4, attempts_a=4, attempts_b=4).n_eff == pytest.approx(16)
    # nothing differs: n, with clusters their number
    assert paired_attempts([1, 0, 1], [1, 0, 1], attempts_a=4, attempts_b=4).n_eff == 3
    grouped = paired_attempts([1, 0, 1], [1, 0, 1], attempts_a=4, attempts_b=4, clusters=[1, 1, 2])
    assert grouped.n_eff == pytest.approx(2)


def test_the_lower_bound_of_attempts_holds_without_clusters_only() -> None:
    # one broad swing: V as large as it can be with d̂ near 0 and ψ̂ small
    a, b = [0.0, 1.0], [1.0, 0.0]
    found = paired_attempts(a, b, attempts_a=2, attempts_b=2)  # ψ̂ = 1, V = 2/2 = 1, (ψ̂ − d̂²)/V = 1 = n/2
    assert found.n_eff == pytest.approx(1)
    groups = [1, 1, 2, 2]
    clustered = paired_attempts([0, 0, 1, 1], [1, 1, 0, 0], attempts_a=2, attempts_b=2, clusters=groups)
    assert clustered.n_eff == pytest.approx(1)  # V = Σ S²/(1−q) = 2 (1/2)²/(1/2) = 1, below n/2 = 2


def test_one_attempt_is_the_binary_case() -> None:
    assert paired_attempts(A, B, attempts_a=1, attempts_b=1, clusters=GROUPS) == paired_binary_difference(
        A, B, clusters=GROUPS
    )


def test_these_items_only_by_hand() -> None:
    a, b = np.array([0.5, 1.0, 0.25]), np.array([0.75, 0.5, 1.0])
    found = these_items_difference(a, b, attempts_a=4, attempts_b=2)
    # s² = k p (1 − p)/(k − 1): A 1/3, 0, 1/4 over 4; B 3/8, 1/2, 0 over 2
    variance = ((1 / 3 + 0 + 1 / 4) / 4 + (3 / 8 + 1 / 2 + 0) / 2) / 9
    half = stats.t.ppf(0.975, 3 * 3 + 3 * 1) * math.sqrt(variance)
    assert (found.low, found.high) == pytest.approx(((b - a).mean() - half, (b - a).mean() + half))
    given_s2 = these_items_difference(
        a, b, attempts_a=4, attempts_b=2, variances_a=[1 / 3, 0, 1 / 4], variances_b=[3 / 8, 1 / 2, 0]
    )
    assert given_s2.se == pytest.approx(found.se)


def test_these_items_only_needs_repeats_that_vary() -> None:
    assert isinstance(these_items_difference([1, 0], [0, 1], attempts_a=[2, 1], attempts_b=2), Undefined)
    assert isinstance(these_items_difference([1, 0], [0, 1], attempts_a=2, attempts_b=2), Undefined)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"attempts_a": 0, "attempts_b": 2}, "between"),
        ({"attempts_a": [2], "attempts_b": 2}, "attempts_a"),
        ({"attempts_a": 2, "attempts_b": 2, "variances_a": [1]}, "variances_a"),
    ],
)
def test_attempts_must_fit_the_items(options: dict[str, object], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        these_items_difference([0.5, 0.5], [0.5, 1], **options)


def test_level_is_passed_through() -> None:
    narrow, wide = (paired_binary_difference(A, B, clusters=GROUPS, level=level) for level in (0.8, 0.99))
    assert narrow.low > wide.low
    assert narrow.high < wide.high
