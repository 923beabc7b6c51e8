"""Rogan–Gladen and Lang–Reiczigel against epiR, the authors' script and the limits of what a rate can be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats import Estimate, Undefined, lang_reiczigel, rogan_gladen, wilson
from tests.oracles import cases

NAMES = {"c-p": "clopper_pearson", "wilson": "wilson"}


@pytest.mark.parametrize(
    "case", cases("09_diagnostic", "rg-23", "rg-6", "rg-8", "rg-7", "rg-60", "rg-81", "epir")
)
def test_errors_that_are_known(case):
    given_, expected = case["inputs"], case["expected"]
    found = rogan_gladen(
        given_["x"],
        given_["n"],
        sensitivity=given_["sensitivity"],
        specificity=given_["specificity"],
        method=NAMES[given_["method"]],
        clip=given_.get("clip", False),
    )
    assert [found.point, found.low, found.high] == pytest.approx(
        [expected[name] for name in ("estimate", "lower", "upper")], abs=case["tolerance"]
    )


@pytest.mark.parametrize("case", cases("09_diagnostic", "-lr-", "rg-delta"))
def test_errors_that_are_estimated(case):
    given_, expected = case["inputs"], case["expected"]
    found = lang_reiczigel(
        given_["positives"],
        given_["n"],
        true_passes=given_["tp_sens"],
        passes=given_["n_sens"],
        true_failures=given_["tn_spec"],
        failures=given_["n_spec"],
    )
    seen = {"estimate": found.point, "lower": found.low, "upper": found.high}
    if "se" in expected:  # the delta method is of the estimate before it is cut
        seen = {"estimate": found.settings["uncut"], "se": found.se}
    assert seen == pytest.approx(expected, abs=case["tolerance"])


def test_a_judge_without_error_changes_nothing():
    found, plain = rogan_gladen(60, 100, sensitivity=1, specificity=1), wilson(60, 100)
    assert (found.point, found.low, found.high) == pytest.approx((plain.point, plain.low, plain.high))
    assert found.method == "rogan_gladen_wilson"


def test_chance_is_undefined_and_says_so():
    known = rogan_gladen(60, 100, sensitivity=0.6, specificity=0.4)
    counted = lang_reiczigel(60, 100, true_passes=3, passes=10, true_failures=5, failures=10)
    assert isinstance(known, Undefined)
    assert isinstance(counted, Undefined)
    assert "no better than chance" in known.reason
    assert "0.800" in counted.reason


def test_a_judged_rate_that_no_true_rate_explains_is_not_cut_to_a_point():
    found = rogan_gladen(8, 210, sensitivity=0.6, specificity=0.9)
    assert isinstance(found, Undefined)
    assert "no true rate explains" in found.reason


@given(st.integers(0, 60), st.integers(0, 30), st.integers(0, 30))
def test_limits_hold_the_point_and_never_coincide(x, true_passes, true_failures):
    found = lang_reiczigel(
        x, 60, true_passes=true_passes, passes=30, true_failures=true_failures, failures=30
    )
    if isinstance(found, Estimate):
        assert 0 <= found.low <= found.point <= found.high <= 1
        assert found.width > 0
    elif true_passes + true_failures > 30:
        assert "no rate" in found.reason or "chance" in found.reason


def test_counts_are_checked():
    with pytest.raises(UsageError, match="at most n"):
        lang_reiczigel(61, 60, true_passes=1, passes=2, true_failures=1, failures=2)
    with pytest.raises(UsageError, match="failures must be above 0"):
        lang_reiczigel(1, 60, true_passes=1, passes=2, true_failures=0, failures=0)
