"""Evidence over time: figures from outside, fairness, and how often it cries wolf when nothing has happened."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats import conformal_ranks, e_detector, msprt, sign_e_process, sign_e_value
from aliquot.stats.bets import STAKES
from tests.oracles import case, cases


@pytest.mark.parametrize("oracle", cases("13_sequential", "evalue-uniform"))
def test_the_e_value_of_a_sign_test(oracle: dict[str, Any]):
    inputs, expected = oracle["inputs"], oracle["expected"]
    found = sign_e_value(inputs["successes"], inputs["n"])
    assert found == pytest.approx(expected["e_value"], abs=oracle["tolerance"])
    assert min(1.0, 1 / found) == pytest.approx(expected["always_valid_p"], abs=oracle["tolerance"])


@pytest.mark.parametrize("oracle", cases("13_sequential", "evalue-discordant"))
def test_the_e_value_of_fixed_and_broke(oracle: dict[str, Any]):
    fixed, broke = oracle["inputs"]["b"], oracle["inputs"]["c"]
    # 5 and 0: 2^5/(6 · C(5, 5)) = 32/6
    assert sign_e_value(fixed, fixed + broke) == pytest.approx(
        oracle["expected"]["e_value"], abs=oracle["tolerance"]
    )


def test_the_running_sign_test():
    oracle = case("13_sequential", "13_sequential-evalue-sequence")
    found = sign_e_process(oracle["inputs"]["x"])
    assert found.e == pytest.approx(oracle["expected"]["e_process"], abs=oracle["tolerance"])
    assert found.p == pytest.approx(oracle["expected"]["always_valid_p"], abs=oracle["tolerance"])
    assert found.test.p == found.p[-1]


@given(st.lists(st.sampled_from([0, 1]), min_size=1, max_size=30))
def test_the_running_sign_test_is_fair(won: list[int]):
    after = [sign_e_process([*won, last]).e[-1] for last in (0, 1)]
    assert sum(after) / 2 == pytest.approx(sign_e_process(won).e[-1], rel=1e-9)


@pytest.mark.parametrize("oracle", cases("13_sequential", "msprt"))
def test_msprt(oracle: dict[str, Any]):
    inputs = oracle["inputs"]
    found = msprt(
        inputs["n_per_arm"], inputs["mean_diff"], variance=inputs["sigma2"], mixing_variance=inputs["tau2"]
    )
    assert found.statistic == pytest.approx(oracle["expected"]["lambda"], abs=oracle["tolerance"])
    assert found.p == pytest.approx(oracle["expected"]["p_value_at_n"], abs=oracle["tolerance"])


def test_strong_evidence_is_still_a_number():
    assert msprt(10_000, 5, variance=1, mixing_variance=1).p > 0
    assert sign_e_value(5000, 5000) < math.inf


def plain_detector(y: list[float], mean: float) -> list[float]:
    """Shiryaev and Roberts by its definition: what the bets begun at each unit have won, added up."""
    values = []
    for t in range(1, len(y) + 1):
        total = 0.0
        for start in range(t):
            for stake in STAKES:
                won = 1.0
                for value in y[start:t]:
                    won *= 1 + stake * ((1 - value) / (1 - mean) - 1)
                total += won / STAKES.size
        values.append(total)
    return values


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=10), st.sampled_from([0.3, 0.9]))
def test_a_detector_adds_up_the_bets_from_every_unit_on(y: list[float], mean: float):
    found = e_detector(y, mean=mean, run_length=50, alternative="less")
    assert found.values == pytest.approx(plain_detector(y, mean), rel=1e-9)
    mirrored = e_detector([1 - v for v in y], mean=1 - mean, run_length=50, alternative="greater")
    assert mirrored.values == pytest.approx(found.values, rel=1e-9)


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=2, max_size=60), st.integers(1, 59))
def test_a_detector_goes_on_where_it_was(y: list[float], cut: int):
    whole = e_detector(y, mean=0.8, run_length=20)
    first = e_detector(y[:cut], mean=0.8, run_length=20)
    second = e_detector(y[cut:], mean=0.8, run_length=20, state=first.state)
    assert [*first.values, *second.values] == whole.values.tolist()
    assert (second.alarm, second.since, second.state.peak) == (whole.alarm, whole.since, whole.state.peak)


def test_the_first_alarm_stays_and_says_since_when():
    y = [1.0] * 200 + [0.0, 1.0] * 30 + [1.0] * 500
    found = e_detector(y, mean=0.9, run_length=1000, alternative="less")
    assert found.alarm is not None
    assert 200 < found.alarm < 230
    assert found.since == 200
    assert found.values[-1] < 1000


def first_alarms(y: np.ndarray[Any, Any], mean: float, run_length: float) -> np.ndarray[Any, Any]:
    """Alarm of each row's own detector; the end of the row where there was none."""
    sums, alarm = np.zeros((y.shape[0], STAKES.size)), np.full(y.shape[0], y.shape[1])
    for t, value in enumerate(y.T):
        sums = (sums + 1) * (1 + STAKES * (((1 - value) / (1 - mean))[:, None] - 1))
        hit = (sums.mean(axis=1) >= run_length) & (alarm == y.shape[1])
        alarm[hit] = t + 1
    return alarm


@pytest.mark.parametrize("law", ["at the floor", "skewed"])
def test_false_alarms_are_as_far_apart_as_stated(law: str):
    rng = np.random.default_rng(2)
    if law == "at the floor":
        y, mean = (rng.random((200, 2000)) < 0.9).astype(float), 0.9
    else:
        y, mean = np.where(rng.random((200, 2000)) < 0.05, 0.0, 1.0), 0.95
    found = first_alarms(y, mean, 200)
    one = e_detector(y[0], mean=mean, run_length=200, alternative="less").alarm
    assert (one or 2000) == found[0]
    # runs are cut at 2,000, which can only shorten the mean
    assert found.mean() > 200


def test_a_real_fall_is_found_soon():
    rng = np.random.default_rng(4)
    y = (rng.random((100, 400)) < 0.75).astype(float)
    # 15 points below a floor of 90%: ln(5000)/KL(.75, .9) = 8.5/.0923 = 92 units, and what the mixture costs
    assert np.median(first_alarms(y, 0.9, 5000)) < 160


def test_ranks_are_uniform_until_something_changes():
    rng = np.random.default_rng(6)
    ranks, seen = conformal_ranks(rng.integers(0, 4, 4000), [], rng=1)
    assert seen.sum() == 4000
    assert np.histogram(ranks, 10, (0, 1))[0] == pytest.approx(400, abs=80)  # four standard errors of 19
    assert abs(np.corrcoef(ranks[1:], ranks[:-1])[0, 1]) < 0.06
    more, after = conformal_ranks([9] * 50, seen, rng=2)
    assert more.min() > 0.98
    assert after.size == 10


def test_ranks_go_on_where_they_were():
    first, seen = conformal_ranks([1, 0, 2], [], rng=1)
    _, whole = conformal_ranks([1, 0, 2, 2], [], rng=1)
    _, after = conformal_ranks([2], seen, rng=1)
    assert after.tolist() == whole.tolist()
    assert first.size == 3


def test_what_cannot_be_watched_says_so():
    with pytest.raises(UsageError, match="mean must lie strictly between 0"):
        e_detector([1], mean=1, run_length=10)
    with pytest.raises(UsageError, match="run_length must be a finite number of at least 2"):
        e_detector([1], mean=0.5, run_length=1)
    with pytest.raises(UsageError, match="codes must be a list of whole numbers"):
        conformal_ranks([0.5], [])
    with pytest.raises(UsageError, match="x must lie between 0 and n; got 3 of 2"):
        sign_e_value(3, 2)
    empty = e_detector([], mean=0.5, run_length=10)
    assert (empty.values.size, empty.alarm, empty.state.units) == (0, None, 0)
