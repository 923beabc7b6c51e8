"""What would settle a difference, where that is more than anyone would ask."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.analysis import settle
from aliquot.analysis.costs import Price
from aliquot.analysis.method import analyse_pairs
from aliquot.findings.scale import Scale
from aliquot.stats.power import connor_sample_size, mcnemar_sample_size
from aliquot.stats.results import Undefined
from tests.analysis.test_contrast import sample_of

BINARY = Scale(kind="binary", low=0.0, high=1.0, better="higher")
FREE = Price(seconds=None, cost=None, currency=None)


def counted(fixed: int, broke: int, n: int):
    """Return a sample with that many items fixed and broke, right on both sides elsewhere."""
    same = [1.0] * (n - fixed - broke)
    return sample_of([0.0] * fixed + [1.0] * broke + same, [1.0] * fixed + [0.0] * broke + same)


def test_a_hopelessly_small_difference_is_not_counted_item_by_item(monkeypatch: pytest.MonkeyPatch) -> None:
    def counts(*_: object, **__: object) -> int:
        raise AssertionError("the exact count of half a million items takes half a minute")

    sample = counted(151, 149, 1000)  # psi .3, two tenths of a point: Connor's number is 588,669
    difference = analyse_pairs(sample, BINARY, level=0.95, seed=1).difference
    monkeypatch.setattr(settle, "mcnemar_sample_size", counts)
    found = settle.find_settlement(sample, difference, BINARY, level=0.95, price=FREE)
    assert isinstance(found, Undefined)
    assert found.reason == "more than 100,000 items would be needed"


@settings(max_examples=30, deadline=None)
@given(st.floats(0.02, 1.0), st.floats(0.15, 1.0), st.sampled_from([0.9, 0.95]))
def test_the_exact_test_needs_more_than_connor_says(psi: float, share: float, level: float) -> None:
    connor = connor_sample_size(psi, psi * share, level=level)
    exact = mcnemar_sample_size(psi, psi * share, level=level)
    assert isinstance(exact, int)
    assert exact >= connor
