from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.findings.numbers import write_difference, write_p, write_percent, write_value
from aliquot.findings.scale import Scale
from aliquot.stats.results import HypothesisTest

RATE = Scale(kind="binary", low=0.0, high=1.0, better="higher")
OWN = Scale(kind="real", low=None, high=None, better="higher")


@given(st.floats(0, 1))
def test_a_share_reads_100_or_0_only_when_it_is(share):
    text = write_percent(share)
    assert (text == "100.0") == (share == 1)
    assert (text == "0.0") == (share == 0)


@given(st.floats(-1, 1), st.floats(1e-5, 2))
def test_a_difference_of_zero_has_no_sign_and_no_other_loses_its_own(value, width):
    text = write_difference(value, RATE, width=width)
    if float(text) == 0:
        assert text[0] not in "+-"
    else:
        assert text[0] == ("+" if value > 0 else "-")


@pytest.mark.parametrize(
    ("width", "text"), [(0.2, "+3.8"), (0.01, "+3.8"), (0.001, "+3.81"), (0.0001, "+3.812")]
)
def test_points_are_rounded_by_their_uncertainty(width, text):
    assert write_difference(0.03812, RATE, width=width) == text


@pytest.mark.parametrize(("width", "text"), [(50, "1235"), (3.0, "1234.6"), (0.02, "1234.568")])
def test_own_units_are_rounded_by_their_uncertainty(width, text):
    assert write_value(1234.5678, OWN, width=width) == text


def test_an_open_limit_is_called_unbounded():
    assert write_value(float("inf"), OWN, width=float("inf")) == "unbounded"
    assert write_difference(float("-inf"), OWN, width=float("inf")) == "unbounded"


@pytest.mark.parametrize(
    ("p", "resamples", "text"),
    [
        (1.0, None, "p 1.00"),
        (0.0703125, None, "p 0.070"),
        (0.0042, None, "p 0.0042"),
        (0.00012, None, "p 0.00012"),
        (2e-9, None, "p < 0.0001"),
        (1 / 1000, 999, "p < 0.001"),
        (2 / 1000, 999, "p 0.0020"),
    ],
)
def test_p_keeps_two_digits_and_never_goes_below_its_floor(p, resamples, text):
    assert write_p(HypothesisTest("t", p, n_resamples=resamples)) == text


@given(st.floats(-1, 1), st.floats(1e-3, 2), st.sampled_from([0.02, 0.05, 0.1]))
def test_a_limit_is_not_written_as_the_margin_that_it_does_not_reach(value, width, margin):
    text = write_difference(value, RATE, width=width, apart_from=(0.0, margin, -margin))
    for other in (0.0, margin, -margin):
        if abs(value - other) > 1e-7:
            assert float(text) != 100 * other


def test_a_floor_that_is_just_missed_does_not_read_as_reached():
    """35 of 35: the lower limit is .025 ** (1/35) = .89997, and not .9."""
    assert write_percent(0.025 ** (1 / 35), apart_from=0.9) == "89.997"
    assert write_percent(0.025 ** (1 / 36), apart_from=0.9) == "90.3"
    assert write_percent(0.9, apart_from=0.9) == "90.0"
