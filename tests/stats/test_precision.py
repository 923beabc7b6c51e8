"""Items for a wanted half-width: the intervals themselves, and the fewest items that reach it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.paired_score import tango_limits
from aliquot.stats.precision import (
    paired_half_width,
    paired_precision_size,
    rate_half_width,
    rate_precision_size,
)
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Undefined
from tests.oracles import case as oracle


def test_the_half_widths_of_the_requirement_text():
    seed = oracle("seeds_more", "s-moe")
    found = [100 * rate_half_width(n, rate=0.8, method="normal") for n in seed["inputs"]["n"]]
    assert found == pytest.approx(seed["expected"]["points"], abs=seed["tolerance"])


@given(n=st.integers(1, 3000), x=st.integers(0, 3000), level=st.sampled_from([0.8, 0.95, 0.99]))
def test_half_width_of_a_rate_is_that_of_its_interval(n, x, level):
    right = min(x, n)
    interval = wilson(right, n, level=level)
    assert rate_half_width(n, rate=right / n, level=level) == pytest.approx(interval.width / 2, abs=1e-12)


@given(rate=st.floats(0, 1), half=st.floats(0.005, 0.6))
def test_the_fewest_items_for_a_rate(rate, half):
    found = rate_precision_size(half, rate=rate)
    assert rate_half_width(found, rate=rate) <= half
    assert found == 1 or rate_half_width(found - 1, rate=rate) > half


@pytest.mark.heavy
@settings(max_examples=20, deadline=None)
@given(psi=st.floats(0, 1), share=st.floats(-1, 1), half=st.floats(0.01, 0.6))
def test_the_fewest_items_for_a_paired_difference(psi, share, half):
    options = {"psi": psi, "difference": psi * share}
    found = paired_precision_size(half, **options)

    def width(n):
        low, high = tango_limits(n * psi * (1 + share) / 2, n * psi * (1 - share) / 2, n, z=1.959963984540054)
        return float(high - low) / 2

    assert paired_half_width(found, **options) == pytest.approx(width(found), abs=1e-9)
    assert width(found) <= half + 1e-9
    assert found == 1 or width(found - 1) > half - 1e-9


def test_more_items_are_never_wider():
    for options in (
        {"psi": 0.0},
        {"psi": 0.3},
        {"psi": 0.3, "difference": 0.3},
        {"psi": 1, "difference": -1},
    ):
        widths = [paired_half_width(n, **options) for n in (*range(1, 40), *range(40, 400, 23))]
        assert sorted(widths, reverse=True) == widths


def test_a_width_beyond_reach_is_undefined():
    assert isinstance(rate_precision_size(0.0001, rate=0.5), Undefined)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rate_precision_size(3, rate=0.5), "0.03, not 3"),
        (lambda: rate_precision_size(0, rate=0.5), "half_width must lie"),
        (lambda: rate_half_width(30, rate=1, method="normal"), "use method='wilson'"),
        (lambda: rate_half_width(30, rate=0.5, method="wald"), "unknown method"),
        (lambda: paired_half_width(0, psi=0.1), "n must be"),
        (lambda: paired_precision_size(0.1, psi=0.1, difference=0.2), "impossible"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
