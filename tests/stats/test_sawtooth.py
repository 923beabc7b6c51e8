"""The scan for the last n that falls short."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.stats.results import Undefined
from aliquot.stats.sawtooth import stays_from


@pytest.mark.parametrize(("last_short", "expected"), [(79, 80), (85, 86), (92, 93), (0, 1)])
def test_a_tooth_above_the_formula_is_seen(last_short, expected):
    # reached from 70 on, but for one tooth
    found = stays_from(
        lambda n: 0.7 if n == last_short or (last_short and n < 70) else 0.9,
        power=0.8,
        start=80,
        slack=10,
        most=500,
    )
    assert found == expected


@given(start=st.floats(1, 400), needed=st.integers(1, 900))
def test_a_formula_that_is_too_low_is_made_up_for(start, needed):
    found = stays_from(lambda n: float(n >= needed), power=0.5, start=start, slack=3, most=5000)
    assert found == needed


def test_beyond_the_most_it_is_undefined():
    found = stays_from(lambda n: 0.0 * n, power=0.5, start=10, slack=1, most=100)
    assert isinstance(found, Undefined)
    assert "more than 100 items" in found.reason
