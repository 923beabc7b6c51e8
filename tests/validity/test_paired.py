"""Coverage of paired differences of scores and of attempts at the sizes people use."""

from __future__ import annotations

import math

import numpy as np
import pytest

from aliquot.stats.attempts import paired_attempts
from aliquot.stats.paired import paired_graded_difference
from aliquot.stats.results import Undefined


@pytest.mark.heavy
def test_the_hull_covers_when_few_items_change_and_t_alone_does_not() -> None:
    reps, n, changed = 500, 20, 0.05
    rng = np.random.default_rng(5)
    hits = hits_t = 0
    for _ in range(reps):
        change = np.where(rng.random(n) < changed, rng.random(n), 0.0)
        base = (1 - change) * rng.random(n)
        truth = changed / 2
        found = paired_graded_difference(base, base + change, low=0, high=1)
        assert not isinstance(found, Undefined)
        hits += found.low <= truth <= found.high
        t = paired_graded_difference(base, base + change)
        hits_t += not isinstance(t, Undefined) and t.low <= truth <= t.high

    assert hits / reps >= 0.94 - 3 * math.sqrt(0.94 * 0.06 / reps)
    assert abs(hits_t / reps - 0.63) < 3 * math.sqrt(0.63 * 0.37 / reps)  # 1 − .95^20 = .64 have any change


@pytest.mark.heavy
@pytest.mark.parametrize(("n", "k"), [(20, 2), (20, 10), (50, 4), (200, 3)])
def test_attempts_cover(n: int, k: int) -> None:
    reps = 200
    rng = np.random.default_rng([n, k])
    hits = 0
    for _ in range(reps):
        p_a = rng.beta(0.8, 0.4, size=n)
        p_b = np.where(rng.random(n) < 0.3, rng.beta(0.8, 0.4, size=n), p_a)  # E p_b = E p_a: the truth is 0
        found = paired_attempts(
            rng.binomial(k, p_a) / k, rng.binomial(k, p_b) / k, attempts_a=k, attempts_b=k
        )
        assert not isinstance(found, Undefined)
        hits += found.low <= 0 <= found.high

    assert hits / reps >= 0.948 - 3 * math.sqrt(0.95 * 0.05 / reps)
    assert hits / reps <= 0.99 + 0.009
