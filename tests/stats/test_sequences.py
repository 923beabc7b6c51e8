"""Sequences against figures from outside, against a plain gambler, and looked at after every unit."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats import (
    anytime_rate,
    betting_capital,
    betting_sequence,
    empirical_bernstein_sequence,
    mixture_precision,
    normal_mixture_bound,
    normal_mixture_log,
    paired_sequence,
    rate_sequence,
    stitched_bound,
    subgaussian_sequence,
)
from aliquot.stats.bets import STAKES
from tests.oracles import case, cases

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=14)
DIFFERENCES = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 1.0]), min_size=1, max_size=14)


def close(oracle: dict[str, Any]) -> Any:
    return lambda value: pytest.approx(value, abs=oracle["tolerance"])


def test_the_normal_mixture_as_printed():
    oracle = case("13_sequential", "13_sequential-confseq-normal-two-sided")
    rho, near = mixture_precision(100), close(oracle)
    # 100/(2 ln 20 + ln(1 + 2 ln 20)) = 100/7.936
    assert rho == near(oracle["expected"]["rho"])
    assert normal_mixture_log(10, 100, rho=rho) == near(oracle["expected"]["log_mixture"])
    assert normal_mixture_bound(100, rho=rho) == near(oracle["expected"]["bound"])


@pytest.mark.parametrize("oracle", cases("13_sequential", "polystitch"))
def test_the_stitched_bound_as_printed(oracle: dict[str, Any]):
    inputs = oracle["inputs"]
    found = stitched_bound(inputs["v"], least=inputs["v_min"], scale=inputs["c"], level=1 - inputs["alpha"])
    assert found == close(oracle)(oracle["expected"]["bound"])


@pytest.mark.parametrize("oracle", cases("13_sequential", "cs-bernoulli"))
def test_limits_of_a_rate_as_printed(oracle: dict[str, Any]):
    inputs, near = oracle["inputs"], close(oracle)
    found = anytime_rate(inputs["successes"], inputs["n"], planned=inputs["t_opt"])
    assert (found.low, found.high) == (near(oracle["expected"]["lower"]), near(oracle["expected"]["upper"]))


@pytest.mark.parametrize("oracle", cases("13_sequential", "betting-mart"))
def test_hedged_capital_as_confseq_gives_it(oracle: dict[str, Any]):
    inputs = oracle["inputs"]
    found = betting_capital(inputs["x"], inputs["m"], bets="predictable", level=1 - inputs["alpha"])
    assert found.e == close(oracle)(oracle["expected"]["capital"])


def test_the_betting_sequence_as_confseq_gives_it():
    oracle = case("13_sequential", "13_sequential-betting-cs-bin")
    found = betting_sequence(oracle["inputs"]["x"], bets="predictable").last
    near = close(oracle)
    assert (found.low, found.high) == (near(oracle["expected"]["lower"]), near(oracle["expected"]["upper"]))


def test_empirical_bernstein_as_confseq_gives_it():
    oracle = case("13_sequential", "13_sequential-predmix-eb-real")
    found = empirical_bernstein_sequence(oracle["inputs"]["x"], alternative="greater")
    # the limits there are not nested, and happen to rise all the same
    assert found.low == close(oracle)(oracle["expected"]["lower"])
    assert set(found.high) == {1.0}


def plain_capital(d: list[float], m: float) -> float:
    """The mixture of stakes, one unit and one stake at a time: highest capital of either gambler, halved."""
    highest = 0.0
    up, down = [1 / 8] * 8, [1 / 8] * 8
    for value in d:
        x, scale = (value + 1) / 2, (m + 1) / 2
        up = [have * (1 + c * (x / scale - 1)) for have, c in zip(up, STAKES, strict=True)]
        down = [have * (1 + c * ((1 - x) / (1 - scale) - 1)) for have, c in zip(down, STAKES, strict=True)]
        highest = max(highest, sum(up) / 2, sum(down) / 2)
    return highest


@settings(max_examples=40)
@given(DIFFERENCES, st.sampled_from([-0.6, -0.1, 0.0, 0.3]))
def test_capital_is_that_of_a_plain_gambler(d: list[float], m: float):
    found = betting_capital(d, m, low=-1, high=1)
    assert found.e.max() == pytest.approx(plain_capital(d, m), rel=1e-9)
    assert found.p[-1] == pytest.approx(min(1.0, 1 / plain_capital(d, m)), rel=1e-9)


@settings(max_examples=12)
@given(DIFFERENCES, st.sampled_from(["mixture", "predictable"]))
def test_limits_are_where_the_e_process_stops_rejecting(d: list[float], bets: Any):
    found = paired_sequence(
        [0.0] * len(d), d, low=-1, high=1, bets=bets
    ).last  # differences of two scores: ±2
    for limit, inside in ((found.low, 1e-6), (found.high, -1e-6)):
        if -2 < limit < 2:
            values = {"low": -2, "high": 2, "bets": bets}
            assert betting_capital(d, limit - inside, **values).p[-1] <= 0.05 * (1 + 1e-3)
            assert betting_capital(d, limit + inside, **values).p[-1] > 0.05 * (1 - 1e-3)


@settings(max_examples=30)
@given(SCORES, st.sampled_from(["mixture", "predictable"]))
def test_a_fair_game_stays_fair(y: list[float], bets: Any):
    """Whatever came before, a unit that is 0 or 1 with mean m leaves the gamblers' capital where it was, on average."""
    m = 0.25
    after = [betting_capital([*y, last], m, bets=bets) for last in (0.0, 1.0)]
    up_and_down = [np.exp(np.array(_both(y, last, m, bets))) for last in (0.0, 1.0)]
    before = np.exp(np.array(_both(y, None, m, bets)))
    assert (1 - m) * up_and_down[0] + m * up_and_down[1] == pytest.approx(before, rel=1e-9)
    assert all(found.e.size == len(y) + 1 for found in after)


def _both(y: list[float], last: float | None, m: float, bets: Any) -> tuple[float, float]:
    from aliquot.stats.bets import as_units, log_gains

    units = as_units(y if last is None else [*y, last], low=0, high=1, clusters=None, largest=None)
    return (
        float(log_gains(units, m, bets=bets, level=0.95)[-1]),
        float(log_gains(units.mirrored(), 1 - m, bets=bets, level=0.95)[-1]),
    )


@settings(max_examples=12)
@given(SCORES)
def test_mirrored_nested_and_around_the_mean(y: list[float]):
    one, other = betting_sequence(y), betting_sequence([1 - value for value in y])
    assert other.low == pytest.approx(1 - one.high, abs=1e-9)
    assert (np.diff(one.low) >= 0).all()
    assert (np.diff(one.high) <= 0).all()
    assert (one.low <= one.point + 1e-9).all()
    assert one.last.width > 0


@settings(max_examples=12)
@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=40))
def test_rate_limits_lie_around_the_rate_and_never_close(y: list[float]):
    found = rate_sequence(y)
    alone = anytime_rate(sum(y), len(y))
    assert found.last.low >= alone.low - 1e-9
    assert found.last.high <= alone.high + 1e-9
    assert found.last.width > 0


def test_equal_clusters_are_their_means_and_large_ones_count_for_more():
    rows = [1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0] * 5
    labels = np.repeat(np.arange(20), 3)
    means = np.array(rows).reshape(20, 3).mean(axis=1)
    clustered, alone = betting_sequence(rows, clusters=labels), betting_sequence(means)
    assert clustered.last.low == pytest.approx(alone.last.low, abs=1e-9)
    assert (clustered.last.clusters, clustered.last.n, clustered.rows[-1]) == (20, 60.0, 60)
    # one cluster of six right and twelve of one wrong: 6 of 18 rows, where the mean of cluster means is 1/13
    uneven = betting_sequence([1] * 6 + [0] * 12, clusters=[0] * 6 + list(range(1, 13)))
    assert uneven.last.point == pytest.approx(6 / 18)


def test_a_cluster_stands_where_its_first_row_does():
    apart = betting_sequence([1, 0, 1, 1, 0, 0], clusters=["a", "b", "a", "c", "b", "c"])
    together = betting_sequence([1, 1, 0, 0, 1, 0], clusters=["a", "a", "b", "b", "c", "c"])
    assert apart.low.tolist() == together.low.tolist()


def test_more_rows_show_thirty_steps_and_count_all():
    y = np.random.default_rng(3).random(400) < 0.7
    found = betting_sequence(y)
    assert found.at.size <= 30
    assert found.at[-1] == 400
    every = [betting_sequence(y[:n]).last.low for n in range(1, 61, 12)]
    assert list(itertools.accumulate(every, max)) == pytest.approx(every)  # nested without being shown


def test_scaled_scores_give_scaled_limits():
    y = np.random.default_rng(1).random(30)
    one, five = betting_sequence(y).last, betting_sequence(1 + 4 * y, low=1, high=5).last
    assert (five.low, five.high) == pytest.approx((1 + 4 * one.low, 1 + 4 * one.high), abs=1e-7)


def test_what_is_no_sequence_says_so():
    with pytest.raises(UsageError, match="largest is 1, and a cluster has 2 rows"):
        betting_sequence([1, 0], clusters=["a", "a"], largest=1)
    with pytest.raises(UsageError, match="x must lie between 0 and n; got 3 of 2"):
        anytime_rate(3, 2)
    with pytest.raises(UsageError, match="unknown bets 'mixed'"):
        betting_sequence([1], bets="mixed")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UsageError, match="same items in the same order; got 1 and 2"):
        paired_sequence([1], [1, 0])
    with pytest.raises(UsageError, match="s and eta"):
        stitched_bound(1, least=1, eta=1)


def ever_outside(draw: Any, truth: float, find: Any, *, runs: int, seed: int) -> float:
    """Share of runs in which some interval of the sequence, at any n, left the truth out."""
    rng = np.random.default_rng(seed)
    out = 0
    for _ in range(runs):
        found = find(draw(rng))
        out += bool((found.low > truth + 1e-12).any() or (found.high < truth - 1e-12).any())
    return out / runs


SKEWED = np.array([0.05] * 19 + [-0.95])  # mean 0: 19/20 of .05 is .0475, as is 1/20 of .95


@pytest.mark.parametrize(
    ("find", "draw", "truth"),
    [
        (rate_sequence, lambda rng: rng.random(300) < 0.9, 0.9),
        (empirical_bernstein_sequence, lambda rng: rng.random(300), 0.5),
        (lambda y: subgaussian_sequence(y, sd=1), lambda rng: rng.normal(size=300), 0.0),
    ],
    ids=["rate", "bernstein", "normal"],
)
def test_all_intervals_of_a_sequence_hold_the_truth_together(find: Any, draw: Any, truth: float):
    # at most .05 of 60 runs: 3; three standard errors of √(60 × .05 × .95) = 1.7 above it is 8
    assert ever_outside(draw, truth, find, runs=60, seed=5) <= 8 / 60


@pytest.mark.parametrize("bets", ["mixture", "predictable"])
@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (lambda rng, shape: rng.choice(SKEWED, shape), 0.0),
        (lambda rng, shape: rng.choice([-1.0, 0.0, 1.0], shape, p=[0.05, 0.9, 0.05]), 0.0),
        (lambda rng, shape: 2 * rng.beta(4, 1, shape) - 1, 0.6),
    ],
    ids=["skewed", "few differ", "high scores"],
)
def test_betting_never_rejects_the_truth_more_often_than_it_says(bets: Any, draw: Any, truth: float):
    """A mean is left out exactly when capital at it has reached 1/α (tested above), so capital is what is counted."""
    d = draw(np.random.default_rng(7), (400, 300))
    rejected = [betting_capital(row, truth, low=-1, high=1, bets=bets).p[-1] <= 0.05 for row in d]
    # 20 of 400 and three standard errors of 4.4
    assert sum(rejected) <= 33


@pytest.mark.heavy
def test_betting_keeps_its_level_over_long_runs():
    d = np.random.default_rng(8).choice(SKEWED, (1000, 3000))
    rejected = [betting_capital(row, 0.0, low=-1, high=1).p[-1] <= 0.05 for row in d]
    assert sum(rejected) <= 50 + 3 * 6.9


def rival(d: np.ndarray[Any, Any]) -> bool:
    """An asymptotic sequence with an estimated spread, looked at from the 30th item on."""
    n = np.arange(1, d.shape[1] + 1)
    mean = np.cumsum(d, axis=1) / n
    spread = np.sqrt(np.maximum(np.cumsum(d**2, axis=1) / n - mean**2, 1e-12))
    half = spread * normal_mixture_bound(n, rho=mixture_precision(100)) / n
    return ((np.abs(mean) > half) & (n >= 30)).any(axis=1)


def test_optional_stopping_on_skewed_differences_where_a_rival_stops_falsely():
    """Differences of +.05 nineteen times in twenty and −.95 once: no difference on average, 2,000 looks."""
    d = np.random.default_rng(0).choice(SKEWED, size=(200, 2000))
    # P(no loss in the first 30 items) = .95^30 = .21: until then the rival sees a gain without spread
    assert rival(d).mean() > 0.15
    logs = np.zeros((200, 8, 2))
    stopped = np.zeros(200, dtype=bool)
    for value in d.T:
        for side, sign in enumerate((1.0, -1.0)):
            logs[:, :, side] += np.log1p(STAKES * sign * value[:, None])
        stopped |= np.exp(logs).mean(axis=1).max(axis=1) / 2 >= 20
    # at most 5% of 200, that is 10, and two standard errors more
    assert stopped.sum() <= 16
    one = next(k for k in range(200) if not stopped[k])
    assert betting_capital(d[one], 0.0, low=-1, high=1).p[-1] > 0.05
