"""The rule of tool calls: what of a record it reads, and what it is worth."""

from __future__ import annotations

from typing import Any

import pytest

from aliquot.errors import InputError
from aliquot.evidence.transcripts import LEFT_OUT, ToolCall, Turn
from aliquot.files.records import Response
from aliquot.item_sets.items import Item
from aliquot.scorers.rules import rule_named
from aliquot.scorers.tool_use import calls_of

MADE = (
    ToolCall("search", '{"q": "Oslo", "k": 5}'),
    ToolCall("book", '{"seats": 2}'),
    ToolCall("search", '{"q": "Bergen"}'),
)


@pytest.mark.parametrize(
    ("rule", "wanted", "value", "label"),
    [
        ("tool_calls", ["search", "book"], 4 / 5, "2 right, 1 wrong, 0 missing"),
        ('tool_calls(further="ignored")', ["search", "book"], 1.0, "2 right, 1 wrong, 0 missing"),
        ('tool_calls(further="ignored")', ["pay", "book"], 1 / 2, "1 right, 2 wrong, 1 missing"),
        (
            "tool_calls",
            [{"name": "search", "arguments": {"q": "Bergen"}}],
            1 / 2,
            "1 right, 2 wrong, 0 missing",
        ),
        ("tool_calls", [{"name": "book", "arguments": {"seats": True}}], 0.0, "0 right, 3 wrong, 1 missing"),
        ('tool_calls(order="as_listed")', ["book", "search", "search"], 2 / 3, "2 right, 1 wrong, 1 missing"),
        ("tool_calls", ["book", "search", "search"], 1.0, "3 right, 0 wrong, 0 missing"),
        ("tool_calls", [], 0.0, "0 right, 3 wrong, 0 missing"),
        ('tool_calls(further="ignored")', [], 1.0, "0 right, 3 wrong, 0 missing"),
    ],
)
def test_calls_are_held_against_those_wanted(rule: str, wanted: list[Any], value: float, label: str) -> None:
    found = rule_named(rule).apply(Item("i", {"tools": wanted}), MADE)
    assert (found.value, found.label) == (pytest.approx(value, rel=1e-12), label)


@pytest.mark.parametrize(
    "wanted",
    [None, "search", {"name": "search"}, [1], [""], [{"arguments": {}}], [{"name": "a", "args": {}}],
     [{"name": "a", "arguments": "{}"}], ["a"] * 201],
)  # fmt: skip
def test_wanted_calls_that_cannot_be_read_are_refused_with_the_remedy(wanted: object) -> None:
    with pytest.raises(InputError, match="item 'q7'") as refused:
        rule_named("tool_calls").try_on(Item("q7", {} if wanted is None else {"tools": wanted}))
    assert "[] for none" in (refused.value.remedy or "")


def test_calls_are_known_only_where_an_answer_tells_all_of_them() -> None:
    told, said = Turn("assistant", "", MADE), Turn("assistant", "Done.")

    def calls(*turns: Turn, counted: int | None = None) -> tuple[ToolCall, ...] | None:
        response = Response(system="a", task="t", item="i", status="ok", tool_calls=counted)
        return calls_of(response.told(turns, ()))

    assert calls(told, said) == MADE
    assert calls(said) == ()
    assert calls(counted=0) == ()
    assert calls() is None
    assert calls(counted=2) is None
    assert calls(told, counted=4) is None
    assert calls(told, Turn(LEFT_OUT, "2 more turns")) is None
