"""Planning from a pilot: the range of the requirement text, and simulated power against exact power."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.power import mcnemar_power, mcnemar_sample_size
from aliquot.stats.power_graded import paired_t_power
from aliquot.stats.power_pilot import pilot_power, pilot_sample_size, sample_size_range
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Undefined
from tests.oracles import case as oracle


def test_the_range_of_the_requirement_text():
    found = sample_size_range(34, 120, difference=0.05, method="connor")
    assert [found.low, found.high] == oracle("seeds", "connor-range-wilson-34-120")["expected"]
    assert found.at_seen == oracle("seeds", "connor-34-120-0.05")["expected"]


@settings(max_examples=15, deadline=None)
@given(
    differing=st.integers(0, 80), difference=st.floats(0.08, 0.5), method=st.sampled_from(["exact", "mid_p"])
)
def test_the_range_is_the_size_at_the_wilson_limits(differing, difference, method):
    found = sample_size_range(differing, 80, difference=-difference, method=method)
    limits = wilson(differing, 80)
    shares = [max(difference, share) for share in (limits.point, limits.low, limits.high)]
    assert [found.psi, found.psi_low, found.psi_high] == shares
    sizes = [mcnemar_sample_size(psi, difference, method=method) for psi in shares]
    assert [found.at_seen, found.low, found.high] == sizes


def pilot(fixed, broke, both, neither):
    a = [0] * fixed + [1] * (broke + both) + [0] * neither
    return np.array(a), np.array([1] * fixed + [0] * broke + [1] * both + [0] * neither)


def tilted_shares(fixed, broke, n, difference):
    """Chances of fixed and broke items under weights e^{λd}: x = e^λ solves a quadratic."""
    # (f x − b/x)/(f x + b/x + rest) = Δ  →  f(1 − Δ) x² − Δ rest x − b(1 + Δ) = 0
    rest = n - fixed - broke
    x = np.roots([fixed * (1 - difference), -difference * rest, -broke * (1 + difference)]).max()
    total = fixed * x + broke / x + rest
    return fixed * x / total, broke / x / total


@pytest.mark.parametrize(
    ("fixed", "broke", "difference", "n"),
    [(12, 8, 0.1, 150), (12, 8, -0.1, 150), (5, 20, 0.12, 200), (30, 2, 0.02, 400)],
)
def test_simulated_power_is_the_exact_power_of_the_tilted_pilot(fixed, broke, difference, n):
    a, b = pilot(fixed, broke, 60, 100 - 60 - fixed - broke)
    up, down = tilted_shares(fixed, broke, 100, difference)
    assert up - down == pytest.approx(difference)
    exact = mcnemar_power(n, psi=up + down, difference=up - down)
    found = pilot_power(a, b, n=n, difference=difference, n_resamples=4000, rng=1)
    assert found.point == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / 4000))
    assert found.low < found.point < found.high
    assert (found.method, found.n, found.clusters) == ("pilot_tilt", n, None)


@pytest.mark.parametrize("method", ["tilt", "shift"])
def test_simulated_power_of_scores_is_near_that_of_t(method):
    rng = np.random.default_rng(3)
    a = rng.normal(size=400)
    b = a + rng.normal(0.02, 0.4, size=400)
    found = pilot_power(a, b, n=60, difference=0.15, method=method, n_resamples=2000, rng=2)
    expected = paired_t_power(60, difference=0.15, sd=float((b - a).std(ddof=1)))
    assert found.point == pytest.approx(expected, abs=0.04)


def test_twins_are_worth_half():
    rng = np.random.default_rng(4)
    single = rng.normal(0, 1, size=300)
    twice, codes = np.repeat(single, 2), np.repeat(np.arange(300), 2)
    zero = np.zeros(600)
    twins = pilot_power(zero, twice, n=120, difference=0.3, clusters=codes, method="shift", rng=5)
    alone = pilot_power(zero[:300], single, n=60, difference=0.3, method="shift", rng=5)
    assert twins.clusters == 60
    assert twins.point == pytest.approx(alone.point, abs=0.06)
    naive = pilot_power(zero, twice, n=120, difference=0.3, method="shift", rng=5)
    assert naive.point > twins.point + 0.15


def test_without_a_difference_power_is_the_size():
    a, b = pilot(15, 15, 40, 30)
    found = pilot_power(a * 0.5, b * 0.5, n=80, difference=0, n_resamples=4000, rng=6)
    assert 0.03 < found.point < 0.065
    exact = pilot_power(a, b, n=80, difference=0, n_resamples=4000, rng=6)
    assert exact.point <= 0.06


def test_a_seed_makes_the_same_number():
    a, b = pilot(12, 8, 60, 20)
    options = {"n": 90, "difference": 0.1, "clusters": np.arange(100) // 2}
    first, again, other = (pilot_power(a, b, **options, rng=seed) for seed in (7, 7, 8))
    assert first == again
    assert first.point != other.point


def test_sample_size_reaches_the_power_of_the_exact_test():
    a, b = pilot(12, 8, 60, 20)
    found = pilot_sample_size(a, b, difference=0.1, n_resamples=4000, rng=9)
    up, down = tilted_shares(12, 8, 100, 0.1)
    assert mcnemar_power(found, psi=up + down, difference=up - down) == pytest.approx(0.8, abs=0.03)


def test_a_pilot_that_cannot_give_the_difference_is_undefined():
    a, b = pilot(0, 10, 60, 30)
    assert "no items that could give" in pilot_power(a, b, n=50, difference=0.1).reason
    assert isinstance(pilot_sample_size(a, b, difference=0.1), Undefined)
    same = np.ones(20)
    assert isinstance(pilot_power(same, same, n=50, difference=0.1), Undefined)
    assert pilot_power(same, same, n=50, difference=0).point == 0
    assert "one cluster" in pilot_power(a, b, n=50, difference=-0.1, clusters=np.zeros(100)).reason


def test_a_size_beyond_simulation_is_undefined():
    a, b = pilot(12, 8, 60, 20)
    found = pilot_sample_size(a, b, difference=0.001, n_resamples=100_000)
    assert "beyond what can be simulated" in found.reason


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: sample_size_range(34, 120, difference=0), "must not be 0"),
        (lambda: sample_size_range(34, 20, difference=0.1), "at most n"),
        (lambda: sample_size_range(34, 120, difference=0.1, method="z"), "unknown method"),
        (lambda: pilot_power([1, 0], [1, 1, 1], n=9, difference=0.1), "same items"),
        (lambda: pilot_power([1, 0], [1, 1], n=1, difference=0.1), "n must be"),
        (lambda: pilot_power([1, 0], [1, 1], n=9, difference=math.nan), "difference must be"),
        (lambda: pilot_power([1, 0], [1, 1], n=9, difference=0.1, method="scale"), "unknown method"),
        (lambda: pilot_power([1, 0], [1, 1], n=10**6, difference=0.1), "lower n_resamples"),
        (lambda: pilot_sample_size([1, 0], [1, 1], difference=0), "smallest one that matters"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
