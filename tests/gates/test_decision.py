"""The rule of the gate: every corner by hand, its properties, and what it does to ten equal metrics."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.evidence.tables import Better
from aliquot.findings.gate import Decision
from aliquot.gates.decision import Shown, decide, read_conditions
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


def shown(
    low: float, high: float, *, p: float | None = 0.01, margin: float = 0.02, better: Better = "higher"
) -> Shown:
    test = None if p is None else HypothesisTest("sign_flip", p)
    return Shown(Estimate((low + high) / 2, low, high, 0.95, "t", 100), margin, None, better, test)


@pytest.mark.parametrize(
    ("low", "high", "p", "decision", "within"),
    [
        (-0.01, 0.05, 0.3, "pass", False),  # L > −m
        (-0.019, -0.001, 0.01, "pass", True),  # worse, within its margin: passes and is named
        (-0.02, 0.05, 0.3, "undecided", False),  # L = −m is not excluded
        (-0.109, -0.022, 0.004, "fail", False),
        (-0.03, -0.001, 0.04, "fail", False),  # U < 0, the margin not excluded, the test rejects
        (-0.03, -0.001, 0.051, "undecided", False),  # the test does not
        (-0.03, 0.0, 0.04, "undecided", False),  # U = 0 is not below 0
        (-0.30, -0.20, None, "undecided", False),  # without a test nothing fails
    ],
)
def test_one_condition(low: float, high: float, p: float | None, decision: Decision, within: bool) -> None:
    (read,) = read_conditions([shown(low, high, p=p)])
    assert (read.decision, read.within_margin) == (decision, within)
    (mirrored,) = read_conditions([shown(-high, -low, p=p, better="lower")])
    assert (mirrored.decision, mirrored.within_margin) == (decision, within)


def test_fails_share_the_error_by_holm_and_passes_do_not() -> None:
    lost, held = shown(-0.05, -0.001, p=0.03), shown(-0.01, 0.01, p=0.9)
    assert [one.decision for one in read_conditions([lost])] == ["fail"]
    # 2 × .03 = .06 by Holm, so the same loss beside another condition is open; the pass needs no correction
    assert [one.decision for one in read_conditions([lost, held])] == ["undecided", "pass"]
    beside = Shown(held.estimate, 0.02, None, "higher", held.test, blocks=False)
    read = read_conditions([lost, beside])
    assert (read[0].decision, read[0].p_holm, read[1].p_holm) == ("fail", 0.03, None)


def test_a_year_shared_by_many_merges_takes_its_share() -> None:
    lost = shown(-0.05, -0.001, p=0.004)
    assert [read_conditions([lost], alpha=alpha)[0].decision for alpha in (0.05, 0.005, 0.001)] == [
        "fail",
        "fail",
        "undecided",
    ]


def test_a_floor_is_read_from_the_interval_and_its_test() -> None:
    def floor(low: float, high: float, p: float) -> Decision:
        estimate = Estimate((low + high) / 2, low, high, 0.95, "clopper_pearson", 36)
        one = Shown(estimate, None, 0.9, "higher", HypothesisTest("binomial_exact", p))
        return read_conditions([one])[0].decision

    assert [floor(0.9026, 1, 0.05), floor(0.2836, 0.9949, 0.8), floor(0.5, 0.8, 0.001), floor(0.5, 0.8, 0.2)] == [
        "pass", "undecided", "fail", "undecided"]  # fmt: skip


def test_nothing_to_judge_is_never_green() -> None:
    nothing = Shown(Undefined("no item has a value"), 0.02, None, "higher", None)
    for seen, lossless, decision in ((True, False, "undecided"), (True, True, "pass")):
        blind = Shown(nothing.estimate, 0.02, None, "lower", None, seen=seen, lossless=lossless)
        assert read_conditions([blind])[0].decision == decision
    assert read_conditions([nothing])[0].decision == "nothing_to_judge"
    assert decide(["pass", "pass", "nothing_to_judge"]) == "nothing_to_judge"
    assert decide(["fail", "nothing_to_judge"]) == "fail"


limits = st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted)


@given(st.lists(st.tuples(limits, st.floats(1e-6, 1), st.floats(0.001, 0.5)), min_size=1, max_size=6))
def test_a_pass_and_a_fail_say_what_they_say(drawn: list[tuple[list[float], float, float]]) -> None:
    conditions = [shown(low, high, p=p, margin=margin) for (low, high), p, margin in drawn]
    read = read_conditions(conditions)
    decision = decide([one.decision for one in read])
    if decision == "pass":
        assert all(low > -margin for (low, _), _, margin in drawn)
    if decision == "fail":
        assert any(high < 0 and low <= -margin and p <= 0.05 for (low, high), p, margin in drawn)
    if all(high >= 0 for (_, high), _, _ in drawn):
        assert decision != "fail"
    assert all(one.p_holm is None or math.isclose(one.p_holm, min(1, one.p_holm)) for one in read)
