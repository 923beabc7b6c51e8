"""Partial credit: points by rules and tools, weighed, some required; and checklists that cannot be used."""

from __future__ import annotations

from typing import Any

import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.transcripts import ToolCall
from aliquot.files.records import Response
from aliquot.item_sets.items import Item
from aliquot.runner.scoring import score_response
from aliquot.scorers.rules import rule_named, rule_text
from aliquot.scorers.scores import Score

OSLO = 'contains(texts=["Oslo"])'


def _scored(points: list[Any], text: str, *calls: ToolCall, told: bool = True) -> Score:
    rule, item = rule_named("checklist"), Item("i", {"checklist": points, "reference": "Oslo"})
    return rule.apply(item, (text, calls if told else None))


def test_the_share_of_the_points_that_hold() -> None:
    points = [OSLO, {"rule": "contains", "texts": ["fjord"], "says": "names the fjord"}]
    found = _scored(points, "It is Oslo.")
    assert (found.value, found.label) == (0.5, "1 of 2 points")
    assert found.note == "not held: names the fjord"


def test_points_weigh_and_a_required_one_decides() -> None:
    points = [OSLO, {"tool": "book", "arguments": {"seats": 2}, "points": 3}]
    assert _scored(points, "Bergen", ToolCall("book", '{"seats": 2, "class": "b"}')).value == 0.75
    assert _scored(points, "Oslo", ToolCall("book", '{"seats": 3}')).value == 0.25
    required = [OSLO, {"tool": "book", "required": True}]
    found = _scored(required, "Oslo")
    assert found.value == 0.0
    assert found.note == "not held: book; one of them is required"
    assert _scored(required, "Oslo", ToolCall("book", "{}")).value == 1.0


def test_a_point_may_have_its_own_reference() -> None:
    points = [
        {"rule": "words", "says": "the city"},
        {"rule": "words", "reference": "Norway", "says": "the country"},
    ]
    assert _scored(points, "Oslo, Norway").value == 1.0
    assert _scored(points, "Oslo").value == 0.5


def test_an_empty_answer_holds_no_point_of_text() -> None:
    assert _scored(['never(texts=["damn"])'], "").value == 0.0


def test_tools_of_an_answer_that_does_not_tell_them_are_missing() -> None:
    assert _scored([{"tool": "book"}], "Oslo", told=False).status == "missing"
    assert _scored([OSLO], "Oslo", told=False).value == 1.0


def test_what_was_done_before_an_answer_was_cut_counts() -> None:
    response = Response(
        system="a", task="t", item="i", attempt=1, status="truncated", text="It is Oslo", tool_calls=0
    )  # fmt: skip
    item = Item("i", {"checklist": [OSLO, {"tool": "book"}]})
    found = score_response(rule_named("checklist"), item, response)
    assert (found.value, found.status) == (0.5, "truncated")


def test_points_may_be_a_setting_of_the_scorer() -> None:
    text = rule_text({"rule": "checklist", "points": [OSLO, {"rule": "words", "says": "right"}]})
    rule = rule_named(text)
    assert rule.apply(Item("i", {"reference": "Oslo"}), ("Oslo", None)).value == 1.0
    assert rule_named(rule.name).name == rule.name
    assert rule.kind == "bounded"


@pytest.mark.parametrize(
    ("points", "said"),
    [
        ([], "has no points"),
        (None, "has no points"),
        (["exatc"], "has a point 1 that cannot be used"),
        ([{"rule": "token_f1"}], "does not pass or fail"),
        ([{"rule": "words", "points": 0}], "a number above 0"),
        ([{"rule": "words", "points": True}], "a number above 0"),
        ([{"rule": "words", "required": "yes"}], "true or false"),
        ([{"says": "nothing"}], "neither a rule nor a tool"),
        ([{"tool": "book", "rule": "words"}], "neither a rule nor a tool"),
        ([7], "neither a rule nor a tool"),
        (["words", "words"], "two points called 'words'"),
        ([{"rule": "words", "nonsense": 1}], "cannot be used"),
    ],
)
def test_what_cannot_be_used_names_the_item_and_the_remedy(points: Any, said: str) -> None:
    with pytest.raises(InputError) as caught:
        rule_named("checklist").try_on(Item("i7", {"checklist": points, "reference": "Oslo"}))
    assert said in str(caught.value)
    assert "'i7'" in str(caught.value)
    assert "checklist" in str(caught.value)


def test_a_setting_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="point"):
        rule_text({"rule": "checklist", "pionts": []})
