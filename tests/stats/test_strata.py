from __future__ import annotations

import csv
import json
import math

import numpy as np
import pytest
from scipy import stats

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.paired import paired_binary_difference
from aliquot.stats.paired_score import tango
from aliquot.stats.permutation import sign_flip
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Undefined
from aliquot.stats.strata import stratified_variance
from aliquot.stats.stratified import stratified_difference, stratified_mean, stratified_sign_flip
from tests.shared import shared

Y = np.array([1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1])
STRATA = np.array(list("aaaaabbbbccc"))


def _by_hand(y: np.ndarray, strata: np.ndarray, shares: dict[str, float]) -> tuple[float, float, float]:
    total = sum(shares.values())
    parts = []
    for name, share in shares.items():
        inside = y[strata == name]
        parts.append((share / total, inside.mean(), inside.var(ddof=1) / inside.size, inside.size - 1))
    variance = sum(w**2 * v for w, _, v, _ in parts)
    df = variance**2 / sum(w**4 * v**2 / nu for w, _, v, nu in parts)
    return sum(w * m for w, m, _, _ in parts), variance, df


@pytest.mark.parametrize(
    ("shares", "named"),
    [
        ("size", {"a": 5, "b": 4, "c": 3}),
        ("equal", {"a": 1, "b": 1, "c": 1}),
        ({"a": 0.5, "b": 0.2, "c": 0.3}, {"a": 0.5, "b": 0.2, "c": 0.3}),
    ],
)
def test_variance_and_df_are_the_designs(shares: object, named: dict[str, float]) -> None:
    found = stratified_variance(Y, strata=STRATA, shares=shares)
    mean, variance, df = _by_hand(Y, STRATA, named)
    assert (found.variance.mean, found.variance.variance, found.variance.df) == pytest.approx(
        (mean, variance, df)
    )
    assert found.weights.sum() == pytest.approx(1)
    assert found.merged == ()


def test_case_01_the_error_follows_the_weights() -> None:
    folder = shared("cases", "01-group-stderr-follows-the-weights")
    checks = json.loads((folder / "case.json").read_text(encoding="utf-8"))["expected"]["checks"]
    expected = {check["name"]: (check["value"], check["abs_tol"]) for check in checks}
    with (folder / "scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    y, subtasks = [float(row["score"]) for row in rows], [row["subtask"] for row in rows]
    for name in ("equal", "size"):
        found = stratified_mean(y, strata=subtasks, shares=name)
        for value, key in ((found.point, f"{name}_weight_mean"), (found.se, f"{name}_weight_stderr")):
            assert value == pytest.approx(expected[key][0], abs=expected[key][1])


def test_a_rate_takes_wilson_on_n_star() -> None:
    found = stratified_mean(Y, strata=STRATA, shares="equal")
    mean, variance, df = _by_hand(Y, STRATA, {"a": 1, "b": 1, "c": 1})
    n_eff = min(12, mean * (1 - mean) / variance)
    n_star = n_eff * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, df)) ** 2
    expected = wilson(mean * n_star, n_star)
    assert (found.low, found.high, found.n_eff) == pytest.approx((expected.low, expected.high, n_eff))


def test_bounded_and_unbounded_means() -> None:
    bounded = stratified_mean(Y * 4 + 1, strata=STRATA, low=1, high=5)
    plain = stratified_mean(Y, strata=STRATA)
    assert (bounded.low, bounded.se) == pytest.approx((1 + 4 * plain.low, 4 * plain.se))
    unbounded = stratified_mean(Y * 3.7, strata=STRATA)
    assert unbounded.method == "t_stratified"
    half = stats.t.ppf(0.975, unbounded.df) * unbounded.se
    assert unbounded.high == pytest.approx(unbounded.point + half)
    assert isinstance(stratified_mean([2.5] * 12, strata=STRATA), Undefined)


def test_nothing_varies_within_strata() -> None:
    y = (STRATA == "a").astype(int)
    found = stratified_mean(y, strata=STRATA)
    assert found.se == 0
    assert found.n_eff == pytest.approx(12)
    assert found.width > 0
    assert stratified_mean(np.ones(12), strata=STRATA, shares="equal").n_eff < 12  # (Σw)²/Σw²


def test_a_stratum_of_one_is_merged_and_named() -> None:
    strata = np.array(["a", *["b"] * 4, *["c"] * 6, "d"])
    found = stratified_variance(Y, strata=strata, shares="equal")
    assert found.merged == (("a", "b"), ("d", "c"))
    by_stratum = [Y[strata == name].mean() for name in "abcd"]
    assert found.variance.mean == pytest.approx(np.mean(by_stratum))  # merging leaves the mean alone
    weights = found.weights
    blocks = np.isin(strata, ["a", "b"])
    expected = sum(
        (weights[rows].sum() ** 2) * cluster_variance(Y[rows], weights=weights[rows]).variance
        for rows in (blocks, ~blocks)
    )
    assert found.variance.variance == pytest.approx(expected)
    assert "a with b; d with c" in stratified_mean(Y, strata=strata, shares="equal").why


def test_strata_that_all_hold_one_unit_are_paired_up() -> None:
    found = stratified_variance([1, 0, 0, 1], strata=[1, 2, 3, 4])
    # 1 with 2 and 3 with 4: each pair 0 and 1 has s² = 1/2, V_h = 1/4, W_h = 1/2
    assert found.variance.variance == pytest.approx(2 * (1 / 2) ** 2 / 4)
    assert found.variance.df == pytest.approx(2)
    assert isinstance(stratified_variance([1], strata=[1]), Undefined)
    assert isinstance(stratified_variance([1, 0], strata=[1, 1], clusters=[1, 1]), Undefined)


def test_clusters_lie_within_strata() -> None:
    clusters = [1, 1, 2, 2, 3, 4, 4, 5, 5, 6, 7, 7]
    found = stratified_variance(Y, strata=STRATA, clusters=clusters)
    expected = sum(
        (np.mean(name == STRATA) ** 2)
        * cluster_variance(Y[name == STRATA], clusters=np.array(clusters)[name == STRATA]).variance
        for name in "abc"
    )
    assert found.variance.variance == pytest.approx(expected)
    assert found.variance.n_clusters == 7
    with pytest.raises(UsageError, match="two strata"):
        stratified_variance(Y, strata=STRATA, clusters=[1] * 12)


def test_paired_difference_takes_tango_on_effective_n() -> None:
    a, b = Y, np.array([1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 0])
    found = stratified_difference(a, b, strata=STRATA, shares="equal")
    d = b - a
    named = {"a": 1, "b": 1, "c": 1}
    mean, variance, df = _by_hand(d, STRATA, named)
    psi = _by_hand(np.abs(d), STRATA, named)[0]
    n_eff = min(12, (psi - mean**2) / variance)
    star = n_eff * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, df)) ** 2
    expected = tango(star * (psi + mean) / 2, star * (psi - mean) / 2, star)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert (found.method, found.se) == ("tango_stratified", pytest.approx(math.sqrt(variance)))


def test_graded_differences_over_strata() -> None:
    rng = np.random.default_rng(3)
    strata = np.repeat(["a", "b"], 20)
    a, b = rng.random(40) * 5, rng.random(40) * 5
    found = stratified_difference(a, b, strata=strata, low=0, high=5)
    mean, variance, df = _by_hand(b - a, strata, {"a": 1, "b": 1})
    half = stats.t.ppf(0.975, df) * math.sqrt(variance)
    assert (found.low, found.high) == pytest.approx((mean - half, mean + half))
    few = stratified_difference(a, np.where(np.arange(40) < 2, 5, a), strata=strata, low=0, high=5)
    assert few.method == "t_tango_hull_stratified"
    assert few.point == pytest.approx((5 - a[:2]).sum() / 40)


def test_one_stratum_is_close_to_no_strata() -> None:
    b = 1 - Y
    one = stratified_difference(Y, b, strata=["x"] * 12)
    assert one.point == pytest.approx(paired_binary_difference(Y, b).point)


def test_sign_flip_weighs_by_share() -> None:
    d = np.array([1, 0, -1, 1, 1, 1, 1, 0, 1, 1, 1, -1])
    weights = np.array([1 / 5] * 5 + [1 / 4] * 4 + [1 / 3] * 3)
    found = stratified_sign_flip(d, strata=STRATA, shares="equal")
    assert found.p == pytest.approx(sign_flip(d, weights=weights).p)
    assert stratified_sign_flip(d, strata=STRATA).p == pytest.approx(sign_flip(d).p)


@pytest.mark.parametrize(
    ("shares", "text"),
    [
        ("sizes", "unknown shares"),
        ({"a": 1, "b": 1}, "exactly the strata"),
        ({"a": -1, "b": 1, "c": 1}, "share of a"),
        ({"a": 0, "b": 0, "c": 0}, "all be zero"),
    ],
)
def test_shares_must_name_the_strata(shares: object, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        stratified_variance(Y, strata=STRATA, shares=shares)


def test_a_stratum_without_share_is_not_in_the_mean() -> None:
    found = stratified_variance(Y, strata=STRATA, shares={"a": 1, "b": 1, "c": 0})
    assert found.variance.n == 9
    assert found.variance.mean == pytest.approx((Y[:5].mean() + Y[5:9].mean()) / 2)


def test_a_rarer_outcome_in_fewer_than_three_clusters_counts_no_more_rows_than_clusters() -> None:
    y, clusters = np.ones(60), np.repeat(np.arange(12), 5)
    strata = np.repeat(np.array(["a", "b"]), 30)
    y[[0, 5]] = 0  # two clusters, one failure each: V alone would count all 60 rows
    two = stratified_mean(y, strata=strata, clusters=clusters)
    y[10] = 0
    three = stratified_mean(y, strata=strata, clusters=clusters)
    assert not isinstance(two, Undefined)
    assert not isinstance(three, Undefined)
    assert two.n_eff == 12
    assert three.n_eff > 12


def test_the_mean_of_unbounded_values_over_strata_is_a_t_interval_about_its_point():
    from scipy import stats as reference

    y, strata = [1.0, 5.0, 9.0, 20.0, 24.0, 31.0], list("aaabbb")
    found = stratified_mean(y, strata=strata)
    # W = 1/2 each; V_h = s_h²/3: s² = 16 and 31; V = (16/3 + 31/3)/4; ν = V²/Σ(W⁴V_h²/2)
    v_a, v_b = 16 / 3 / 4, 31 / 3 / 4
    df = (v_a + v_b) ** 2 / (v_a**2 / 2 + v_b**2 / 2)
    half = reference.t.ppf(0.975, df) * (v_a + v_b) ** 0.5
    assert found.point == pytest.approx(15.0)
    assert found.low == pytest.approx(15.0 - half)
    assert found.high == pytest.approx(15.0 + half)
