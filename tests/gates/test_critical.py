"""Critical items: which failed, and how often they alone would stop a system that did not change."""

from __future__ import annotations

import numpy as np
import pytest

from aliquot.gates.critical import false_block
from aliquot.stats.results import Undefined


def test_the_chance_by_hand() -> None:
    # f = .2 and 0 at two attempts each: 1 − .8² × 1 = .36
    point, most = false_block([(1, 1, 1, 1, 0), (1,) * 5], right=1.0, items=2, attempts=2)
    assert point == pytest.approx(0.36)
    assert most == 1.0  # the upper limit of 1 of 10 is .445, times 4 attempts
    assert isinstance(false_block([], right=1.0, items=2, attempts=1), Undefined)


def test_the_limit_holds_for_unlike_items() -> None:
    rng, held = np.random.default_rng(3), 0
    chances = np.array([0.0, 0.001, 0.02, 0.1])
    truth = 1 - np.prod(1 - chances)
    for _ in range(2000):
        runs = [tuple((rng.random(10) >= f).astype(float)) for f in chances]
        held += false_block(runs, right=1.0, items=4, attempts=1)[1] >= truth
    assert held / 2000 >= 0.97  # a one-sided 97.5% limit of the pooled share, by Boole
