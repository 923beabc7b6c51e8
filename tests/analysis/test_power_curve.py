"""The power curve of a comparison agrees with the detectable difference and with the test's own power."""

from __future__ import annotations

import pytest

from aliquot import compare
from aliquot.stats import mcnemar_power
from tests.evidence_of import evidence_of, pass_fail


def test_the_curve_is_the_power_of_the_deciding_test():
    found = compare(evidence_of(pass_fail(100, 10, 20, 70)), noise=None)
    assert found.power_curve is not None
    for one in found.power_curve:
        psi = max(30 / 200, one.difference)
        assert one.power == pytest.approx(mcnemar_power(200, psi=psi, difference=one.difference))
    powers = [one.power for one in found.power_curve]
    assert powers[0] <= 0.05
    assert powers[-1] > 0.98


def test_it_crosses_80_percent_at_the_detectable_difference():
    found = compare(evidence_of(pass_fail(100, 10, 20, 70)), noise=None)
    assert found.power_curve is not None
    below = max(one.difference for one in found.power_curve if one.power < 0.8)
    above = min(one.difference for one in found.power_curve if one.power >= 0.8)
    assert below <= found.detectable.low <= above


def test_graded_metrics_have_the_curve_of_t():
    values = {"main": [0.1, 0.4, 0.35, 0.8] * 20, "pr": [0.2, 0.3, 0.5, 0.9] * 20}
    found = compare(evidence_of(values), noise=None)
    assert found.power_curve is not None
    assert found.power_curve[0].power == pytest.approx(0.05)
    assert [one.power for one in found.power_curve] == sorted(one.power for one in found.power_curve)


def test_so_few_items_that_nothing_can_be_shown_have_none():
    assert compare(evidence_of(pass_fail(2, 1, 1, 0)), noise=None).power_curve is None
