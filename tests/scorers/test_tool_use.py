"""Tool calls: the largest pairing by trying all, the order, and what counts as the same argument."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.evidence.transcripts import ToolCall
from aliquot.scorers.tool_use import ToolUse, WantedCall, checklist_share, tool_use


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall(name, json.dumps(arguments))


def test_each_wanted_call_is_met_once_and_the_best_pairing_counts() -> None:
    # the first wanted call takes either made one, the second only the first made: greedy pairing would lose one
    made = [call("search", q="Oslo"), call("search", q="Bergen")]
    wanted = [WantedCall("search"), WantedCall("search", {"q": "Oslo"})]
    assert tool_use(made, wanted) == ToolUse(2, 0, 0)
    assert tool_use([made[0], made[0]], [wanted[1]]) == ToolUse(1, 1, 0)
    assert tool_use([], wanted) == ToolUse(0, 0, 2)
    assert tool_use([], []).f1 == 1
    assert tool_use(made, []).f1 == 0


@pytest.mark.parametrize(
    ("wanted", "given_", "right"),
    [
        ({"n": 1}, {"n": 1.0}, True),
        ({"n": 1}, {"n": True}, False),
        ({"n": 1}, {"n": "1"}, False),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 2]}, "more": 0}, True),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [2, 1]}}, False),
        ({"a": None}, {}, False),
        ({}, {"x": 1}, True),
    ],
)
def test_arguments_are_the_same_by_value(
    wanted: dict[str, object], given_: dict[str, object], right: bool
) -> None:
    assert tool_use([call("t", **given_)], [WantedCall("t", wanted)]).right == int(right)


def test_arguments_that_are_no_json_are_wrong_unless_only_the_name_matters() -> None:
    made = [ToolCall("t", "{broken")]
    assert tool_use(made, [WantedCall("t", {"a": 1})]) == ToolUse(0, 1, 1)
    assert tool_use(made, [WantedCall("t")]) == ToolUse(1, 0, 0)
    assert tool_use([ToolCall("t", "[" * 100_000)], [WantedCall("t", {})]).right == 0


names = st.lists(st.sampled_from("abc"), max_size=5)


@given(made=names, wanted=names)
def test_pairings_are_those_of_trying_all(made: list[str], wanted: list[str]) -> None:
    calls, asked = [call(name) for name in made], [WantedCall(name) for name in wanted]
    free = sum(min(made.count(name), wanted.count(name)) for name in "abc")
    subsequences = {
        tuple(made[at] for at in places)
        for size in range(6)
        for places in itertools.combinations(range(len(made)), size)
    }
    common = max(
        size
        for size in range(len(wanted) + 1)
        if any(
            tuple(wanted[at] for at in places) in subsequences
            for places in itertools.combinations(range(len(wanted)), size)
        )
    )
    assert tool_use(calls, asked).right == free
    assert tool_use(calls, asked, ordered=True).right == common


def test_a_checklist_gives_partial_credit() -> None:
    assert checklist_share({"a": True, "b": True, "c": False, "d": False}) == 0.5
    assert checklist_share({"a": True}) == 1
