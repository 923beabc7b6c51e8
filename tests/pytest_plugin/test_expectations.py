"""Expectations by themselves: floors by the exact interval, attempts at once, what is lost and what is refused."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from aliquot import expect_not_worse, expect_rate
from aliquot.errors import UsageError
from aliquot.verbs.attempting import value_of
from aliquot.verbs.looks import CURRENT, Looks


@pytest.mark.parametrize(
    ("passed", "of", "floor", "decision"),
    [(36, 36, 0.9, "pass"), (35, 35, 0.9, "undecided"), (4, 5, 0.9, "undecided"), (40, 100, 0.9, "fail"),
     (0, 3, 0.9, "fail"), (1, 1, 0.5, "undecided"), (6, 6, 0.5, "pass")],
)  # fmt: skip
def test_floors_by_clopper_pearson(passed: int, of: int, floor: float, decision: str) -> None:
    found = (expect_rate([True] * passed + [False] * (of - passed)) >= floor).finding
    assert found.decision == decision


def test_attempts_are_made_at_once_and_counted() -> None:
    at_once, most, lock = 0, 0, threading.Lock()

    def check() -> bool:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        time.sleep(0.01)
        with lock:
            at_once -= 1
        return True

    assert expect_rate(check, concurrency=6) >= 0.9
    assert 2 <= most <= 6


def test_a_coroutine_function_is_awaited_inside_a_running_loop_too() -> None:
    most = at_once = 0

    async def check(item: int) -> bool:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0.005)
        at_once -= 1
        return item % 3 > 0

    async def inside() -> bool:
        return bool(expect_rate(check, items=range(60), concurrency=5) >= 0.4)

    assert asyncio.run(inside())
    assert most == 5


def test_attempts_at_one_item_belong_together() -> None:
    """40 attempts at two items that never disagree are worth two items."""
    alone = (expect_rate([True] * 40) >= 0.9).finding
    held = (expect_rate({"a": [True] * 20, "b": [True] * 20}) >= 0.9).finding
    assert (alone.decision, held.decision) == ("pass", "undecided")


def test_an_assertion_is_a_failure_and_an_exception_is_a_loss() -> None:
    def check(item: int) -> bool:
        assert item != 1
        if item == 2:
            raise ConnectionError("no route")
        return True

    found = (expect_rate(check, items=range(90)) >= 0.9).finding
    assert (found.decision, found.conditions[0].n) == ("pass", 89)
    lost = (expect_rate(check, items=[0] + [2] * 59) >= 0.9).finding
    assert lost.decision != "pass"
    assert not expect_rate(check, items=[2]) >= 0.9
    assert (expect_rate(check, items=[2]) >= 0.9).finding.decision == "nothing_to_judge"


def test_a_pass_that_hangs_on_losses_is_not_given() -> None:
    found = (expect_rate([True] * 60 + [None] * 30) >= 0.9).finding
    assert found.decision == "undecided"
    assert "not with them as failures" in found.verdict.text


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: expect_rate("abc"), "takes a function or outcomes, not str"),
        (lambda: expect_rate(7), "takes a function or outcomes, not int"),
        (lambda: expect_rate([0.5]), "an attempt passes or fails"),
        (lambda: expect_rate(lambda: "yes", attempts=2), "return True or False; got 'yes'"),
        (lambda: expect_rate([True], attempts=3), "go with a function"),
        (lambda: expect_rate(lambda: True, attempts=0), "attempts must be 1 or more"),
        (lambda: expect_rate(lambda: True, concurrency=0), "concurrency must be 1 or more"),
        (lambda: expect_rate([True]) >= 90, "a floor lies between 0 and 1"),
        (lambda: bool(expect_rate([True])), "claims nothing by itself"),
        (lambda: expect_rate([True]) > 0.9, r"by >=, as in expect_rate\(...\) >= 0.9"),
        (lambda: expect_rate([True]) <= 0.9, "by >="),
        (lambda: expect_rate([True]) < 0.9, "by >="),
        (lambda: expect_rate([]), "no outcome to hold"),
        (lambda: expect_rate({}), "no outcome to hold"),
        (lambda: expect_rate(bool, items=[]), "no outcome to hold"),
        (lambda: expect_rate(lambda: None) >= 0.9, "the check returned nothing"),
        (lambda: expect_not_worse([1], [1], margin="2pt"), "items are matched by name"),  # type: ignore[arg-type]
        (lambda: expect_rate([True]) >= True, "a floor lies between 0 and 1"),
        (lambda: expect_not_worse({"a": True}, {"a": True}, margin="lots"), "is not a margin"),
    ],
)
def test_what_cannot_be_is_said(call: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        call()  # type: ignore[operator]


def test_truths_of_numpy_are_truths() -> None:
    assert [value_of(one) for one in (np.True_, np.False_, np.int64(1), None)] == [1.0, 0.0, 1.0, None]


def test_comparisons_decide_as_the_gate_does() -> None:
    main = {f"q{i}": i % 5 > 0 for i in range(100)}
    worse = {f"q{i}": i % 5 > 1 for i in range(100)}
    assert expect_not_worse(main, main, margin="5pt")
    found = expect_not_worse(main, worse, margin="5pt")
    assert not found
    assert found.finding.verdict.text.startswith("FAIL: worse than baseline by ")


def looks(planned: int) -> Looks:
    return Looks(planned, when_undecided=lambda _: False, say=lambda _: None)


def again(state: Looks, outcomes: list[bool], floor: float = 0.9) -> str:
    state.place = 0
    token = CURRENT.set(state)
    try:
        return (expect_rate(outcomes) >= floor).finding.decision
    finally:
        CURRENT.reset(token)


def test_reruns_add_attempts_and_share_the_error() -> None:
    state = looks(2)
    assert again(state, [True] * 36) == "undecided"  # half the error: all-pass needs n >= 42
    assert again(state, [True] * 6) == "pass"
    assert len(state.kept[0].rows) == 42


def test_what_was_missed_stays_missed_and_no_run_beyond_those_planned_asks() -> None:
    state = looks(3)
    assert again(state, [False] * 20) == "fail"
    assert again(state, [True] * 1000) == "fail"
    assert len(state.kept[0].rows) == 20
    once = looks(1)
    assert [again(once, [True] * 20), again(once, [True] * 200)] == ["undecided", "undecided"]
    assert len(once.kept[0].rows) == 20


@pytest.mark.heavy
def test_reruns_keep_the_level_on_a_rate_that_is_the_floor() -> None:
    """Three runs of 40 attempts each at a system of exactly .9."""
    rng = np.random.default_rng(8)
    met = 0
    for _ in range(60):
        state = looks(3)
        runs = [again(state, [bool(one) for one in rng.random(40) < 0.9]) for _ in range(3)]
        met += "pass" in runs
    assert met <= 5  # at most .025 by the bound: more than 5 of 60 has a chance of .003


def test_the_entry_point_loads_nothing_heavy() -> None:
    script = (
        "import sys, pytest, aliquot.pytest_plugin\n"
        "heavy = {'numpy', 'polars', 'scipy', 'click', 'narwhals', 'msgspec', 'yaml', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
