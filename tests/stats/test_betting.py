from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.betting import betting_interval

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=30)


def capital(x, m, level):
    """Both gamblers' capital after the rows in this order, one row at a time."""
    n, alpha = len(x), 1 - level
    total, squares, up, down = 0.5, 0.25, 1.0, 1.0
    for t, value in enumerate(x, start=1):
        bet = math.sqrt(2 * math.log(2 / alpha) / (n * squares / t))
        up *= 1 + min(bet, 0.5 / m if m else math.inf) * (value - m)
        down *= 1 - min(bet, 0.5 / (1 - m) if m < 1 else math.inf) * (value - m)
        total += value
        squares += (value - total / (t + 1)) ** 2
    return up, down


@settings(max_examples=40)
@given(SCORES, st.sampled_from([0.8, 0.95]))
def test_limits_are_where_one_gambler_wins_enough(y, level):
    found = betting_interval(y, level=level, n_resamples=1, rng=5)
    order = np.random.default_rng(5).permuted(np.sort(y)[None, :], axis=1)[0]
    needed = 2 / (1 - level)
    assert 0 <= found.low <= found.point <= found.high <= 1
    if found.low > 1e-6:
        assert capital(order, found.low - 1e-7, level)[0] > needed * (1 - 1e-3)
    if found.low < found.point - 1e-6:
        assert capital(order, found.low + 1e-7, level)[0] < needed * (1 + 1e-3)
    if found.high < 1 - 1e-6:
        assert capital(order, found.high + 1e-7, level)[1] > needed * (1 - 1e-3)


@given(SCORES)
def test_mirrored_scores_give_the_mirrored_interval(y):
    # order and bets are those of the mirrored rows up to the order of equal seeds, so one row decides
    same = [y[0]] * len(y)
    first, second = betting_interval(same), betting_interval([1 - value for value in same])
    assert (1 - second.high, 1 - second.low) == pytest.approx((first.low, first.high), abs=1e-6)


def test_seeded_and_scaled():
    y = np.random.default_rng(0).beta(8, 2, 60)
    first, again = betting_interval(y, rng=4), betting_interval(y[::-1], rng=4)
    assert (first.low, first.high) == (again.low, again.high)  # the caller's order does not matter
    assert first != betting_interval(y, rng=5)
    scaled = betting_interval(10 * y - 5, low=-5, high=5, rng=4)
    assert (scaled.low, scaled.high) == pytest.approx((10 * first.low - 5, 10 * first.high - 5), abs=1e-6)
    assert betting_interval(y, level=0.99, rng=4).width > first.width


def test_never_zero_width_and_shrinking_at_the_ceiling():
    widths = [betting_interval(np.ones(n)).width for n in (1, 10, 100, 1000)]
    assert widths[0] == 1.0
    assert all(narrow < wide for wide, narrow in itertools.pairwise(widths[1:]))
    assert widths[-1] > 0


def test_many_rows_take_fewer_orders():
    found = betting_interval(np.tile([0.0, 1.0], 12_500))
    assert found.settings["n_resamples"] == 20  # 500,000 / 25,000
    assert found.low == pytest.approx(0.5, abs=0.02)


def test_bad_input():
    with pytest.raises(UsageError, match="between"):
        betting_interval([0.5, 1.2])
    with pytest.raises(UsageError, match="n_resamples"):
        betting_interval([0.5], n_resamples=0)
