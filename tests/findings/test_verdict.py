from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.findings.verdict import read_verdict
from aliquot.stats.results import Estimate, Undefined


def interval(low: float, high: float) -> Estimate:
    return Estimate((low + high) / 2, low, high, 0.95, "tango", 100)


@pytest.mark.parametrize(
    ("low", "high", "margin", "word", "within"),
    [
        (0.01, 0.05, None, "better", False),
        (0.01, 0.05, 0.02, "better", False),
        (-0.05, -0.01, None, "worse", False),
        (-0.05, -0.01, 0.06, "worse", True),
        (-0.05, -0.01, 0.05, "worse", False),  # L > −m is strict
        (-0.01, 0.015, 0.02, "equivalent", False),
        (-0.01, 0.02, 0.02, "not_worse", False),  # U < m is strict
        (-0.01, 0.08, 0.02, "not_worse", False),
        (-0.03, 0.08, 0.02, "undecided", False),
        (-0.03, 0.08, None, "undecided", False),
        (0.0, 0.11, None, "undecided", False),  # the limit held at 0: 5 to 0 of 100
        (0.0, 0.11, 0.02, "not_worse", False),
    ],
)
def test_reads_the_one_interval_in_the_order_of_the_design(low, high, margin, word, within):
    assert read_verdict(interval(low, high), margin=margin) == (word, within)


def test_nothing_to_judge_when_there_is_no_interval():
    assert read_verdict(Undefined("no shared item"), margin=0.02) == ("nothing_to_judge", False)


@pytest.mark.parametrize(
    ("low", "high", "word"), [(0.1, 0.2, "higher"), (-0.2, -0.1, "lower"), (-0.1, 0.1, "undecided")]
)
def test_a_metric_without_a_better_side_is_higher_or_lower(low, high, word):
    assert read_verdict(interval(low, high), margin=0.5, better="none") == (word, False)


limits = st.floats(-1, 1, allow_nan=False)


@given(limits, limits, st.one_of(st.none(), st.floats(0.001, 1)))
def test_lower_is_better_reads_the_mirrored_interval(a, b, margin):
    low, high = min(a, b), max(a, b)
    mirrored = interval(-high, -low)
    assert read_verdict(interval(low, high), margin=margin, better="lower") == read_verdict(
        mirrored, margin=margin
    )


@given(limits, limits, st.floats(0.001, 1))
def test_a_wider_margin_never_makes_the_verdict_harsher(a, b, margin):
    ranks = {"undecided": 0, "not_worse": 1, "equivalent": 2}
    found = interval(min(a, b), max(a, b))
    narrow, _ = read_verdict(found, margin=margin)
    wide, _ = read_verdict(found, margin=2 * margin)
    assert narrow == wide or ranks[narrow] < ranks[wide]
