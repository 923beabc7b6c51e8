"""Biases of a judge: the robust fit by brute force, planted biases found, and none found where none is."""

from __future__ import annotations

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats import Undefined, cluster_variance, covariate_bias, position_bias, tango
from aliquot.stats.least_squares import least_squares
from tests.oracles import case


def brute_force(x, y, clusters, contrast):
    """CR2 and Bell–McCaffrey df with whole matrices (Pustejovsky & Tipton 2018, eq. 6 to 11)."""
    bread = np.linalg.inv(x.T @ x)
    rest = np.eye(len(y)) - x @ bread @ x.T
    residual = rest @ y
    middle, columns = np.zeros((x.shape[1],) * 2), []
    for group in np.unique(clusters):
        place = np.flatnonzero(clusters == group)
        values, vectors = np.linalg.eigh(rest[np.ix_(place, place)])
        power = np.where(values > 1e-8, 1 / np.sqrt(np.maximum(values, 1e-300)), 0.0)
        adjusted = vectors @ np.diag(power) @ vectors.T
        score = x[place].T @ adjusted @ residual[place]
        middle += np.outer(score, score)
        columns.append(rest[:, place] @ adjusted @ x[place] @ bread @ contrast)
    p = np.array([[one @ other for other in columns] for one in columns])
    return bread @ middle @ bread, np.trace(p) ** 2 / (p**2).sum()


@pytest.mark.parametrize("clustered", [False, True])
def test_the_fit_by_whole_matrices(clustered):
    rng = np.random.default_rng(1)
    x = np.column_stack([np.ones(30), rng.normal(size=30), rng.integers(0, 2, 30)])
    y = rng.normal(size=30) * (1 + np.abs(x[:, 1]))
    groups = rng.integers(0, 7, 30) if clustered else np.arange(30)
    contrast = np.array([0.0, 1.0, 0.5])
    fit = least_squares(x, y, clusters=groups)
    covariance, df = brute_force(x, y, groups, contrast)
    assert fit.coefficients == pytest.approx(np.linalg.lstsq(x, y, rcond=None)[0])
    assert fit.covariance == pytest.approx(covariance)
    assert fit.df(contrast) == pytest.approx(df)


def test_an_intercept_alone_is_the_clustered_mean():
    y, groups = np.array([9.0, 12, 10, 13, 15, 14, 8, 7, 9]), np.repeat([0, 1, 2], 3)
    fit, v = least_squares(np.ones((9, 1)), y, clusters=groups), cluster_variance(y, clusters=groups)
    assert (fit.covariance[0, 0], fit.df(np.ones(1))) == pytest.approx((v.variance, v.df))


def judged(rng, n, *, bias, clusters=None):
    """Candidate b writes twice as long; the judge errs, and likes length by ``bias`` on the logit scale."""
    labels = (rng.random(n) < 0.7).astype(float)
    systems = np.repeat(["a", "b"], n // 2)
    words = rng.normal(size=n) + (systems == "b") + 0.5 * labels
    lean = 0.0 if clusters is None else rng.normal(size=clusters.max() + 1)[clusters]
    odds = -1.5 + 3 * labels + bias * words + lean
    return labels, (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(float), words, systems


def test_a_judge_that_is_blind_to_length():
    rng = np.random.default_rng(2)
    groups = np.arange(200) % 40
    found = [
        covariate_bias(
            *(d := judged(rng, 200, bias=0, clusters=groups))[:2], {"words": d[2]}, clusters=groups
        )
        for _ in range(100)
    ]
    assert np.mean([one.effects[0].test.p <= 0.05 for one in found]) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_a_planted_bias_comes_out_in_points_of_the_comparison():
    rng = np.random.default_rng(3)
    labels, verdicts, words, systems = judged(rng, 20_000, bias=0.8)
    found = covariate_bias(labels, verdicts, {"words": words}, systems=systems)
    blind = [judged(np.random.default_rng(seed), 20_000, bias=0.0) for seed in (4, 5)]
    # the same answers under a judge without the bias differ by label composition only: nothing
    plain = np.mean([v[s == "b"].mean() - v[s == "a"].mean() for _, v, _, s in blind])
    gap = verdicts[systems == "b"].mean() - verdicts[systems == "a"].mean()
    shift = found.shifts["a, b"]
    assert shift.point == pytest.approx(gap - plain, abs=0.02)
    assert shift.low > 0
    assert found.effects[0].by_label["0"].low > 0
    assert found.effects[0].test.p < 1e-6


def test_properties_are_held_against_each_other():
    rng = np.random.default_rng(6)
    labels, verdicts, words, _ = judged(rng, 4000, bias=0.8)
    lists = words + rng.normal(size=4000)  # goes with length, and moves nothing by itself
    one = covariate_bias(labels, verdicts, {"lists": lists}).effects[0].effect
    both = covariate_bias(labels, verdicts, {"words": words, "lists": lists}).effects
    assert one.low > 0
    assert both[0].effect.low > 0
    assert both[1].effect.low < 0 < both[1].effect.high


def test_complete_separation_has_a_slope():
    found = covariate_bias([1] * 10, [0] * 5 + [1] * 5, {"words": range(10)}).effects[0]
    assert found.effect.low > 0
    assert found.sd == pytest.approx(np.std(range(10), ddof=1))


def test_what_has_no_slope_says_why():
    flat = covariate_bias([1, 0] * 6, [1, 0] * 6, {"words": [3] * 12}).effects[0]
    assert "does not vary" in flat.effect.reason
    always = covariate_bias([1, 0] * 6, [1] * 12, {"words": range(12)}).effects[0]
    assert "every verdict is the same" in always.effect.reason
    known = covariate_bias([1, 0] * 6, [1, 0] * 6, {"words": [1, 5, 2, 3] * 3}).effects[0]
    assert "explain every verdict" in known.effect.reason
    with pytest.raises(UsageError, match="at least one property"):
        covariate_bias([1, 0], [1, 0], {})
    with pytest.raises(UsageError, match="one value for each of the 2"):
        covariate_bias([1, 0], [1, 0], {"words": [1]})


def test_both_orders_as_the_judges_of_the_requirements():
    # 60 articles in both orders: 37 with the same winner; slot A won 69 of 120, so 16 always A and 7 always B
    oracle = case("seeds_more", "s-judge-audit")["inputs"]["small"]
    same, slot = oracle["same_winner_both_orders"], oracle["slot_a_of_120"]
    always_a = (slot - same) // 2
    always_b = 60 - same - always_a
    wins = [1] * 20 + [0] * (same - 20) + [1] * always_a + [0] * always_b
    second = [1] * 20 + [0] * (same - 20) + [0] * always_a + [1] * always_b
    found = position_bias(wins + second, [1] * 60 + [0] * 60, items=[*range(60)] * 2)
    expected = tango(always_a, always_b, 60)
    assert (found.effect.point, found.effect.low) == pytest.approx((expected.point, expected.low))
    assert found.first_slot.point == pytest.approx(69 / 120)
    assert [100 * limit for limit in (found.consistent.low, found.consistent.high)] == pytest.approx(
        [49.0, 72.9], abs=0.06
    )
    assert "as often as second" in found.shift.reason


def test_slots_dealt_at_random():
    rng = np.random.default_rng(7)
    first = (rng.random(4000) < 0.75).astype(float)
    wins = (rng.random(4000) < 0.5 + 0.2 * (first - 0.5)).astype(float)
    found = position_bias(wins, first, items=range(4000))
    assert found.effect.low < 0.2 < found.effect.high
    assert found.shift.point == pytest.approx(0.2 * 0.25, abs=0.015)
    assert found.both_orders == 0
    assert isinstance(found.consistent, Undefined)


def test_ties_and_one_slot_only():
    tied = position_bias([0.5, 1, 0.5, 0, 0.5, 0.5], [1, 1, 1, 0, 0, 0], items=[1, 2, 3] * 2)
    assert tied.effect.point == pytest.approx(1 / 3)
    assert tied.consistent.point == pytest.approx(1 / 3)
    always = position_bias([1, 0, 1], [1, 1, 1], items=[1, 2, 3])
    assert "same slot" in always.effect.reason
    some = position_bias([1, 0, 1, 1, 0], [1, 0, 1, 0, 1], items=[1, 1, 2, 2, 3])
    assert (some.both_orders, some.left_out) == (2, 1)
    with pytest.raises(UsageError, match="same rows"):
        position_bias([1, 0], [1], items=[1, 2])
