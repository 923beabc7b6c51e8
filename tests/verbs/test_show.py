from __future__ import annotations

import json
from dataclasses import replace

import polars as pl
import pytest

from aliquot.errors import UsageError
from aliquot.evidence.texts import HeldTexts
from aliquot.evidence.transcripts import Turn
from aliquot.reports.plain import WIDTH
from aliquot.reports.rows import render_rows, rows_document, strip
from aliquot.reports.turns import turn_lines
from aliquot.verbs.show import show
from tests.evidence_of import evidence_of

VALUES = {"main": [1.0, 0.0, 0.0, 1.0, 1.0], "pr": [0.0, 1.0, 0.0, 1.0, None]}


def evidence():
    texts = HeldTexts(
        items={("task", "q-000"): ("What is the capital of France?", "Paris")},
        responses={
            ("main", "task", "q-000", 1): "The capital is\nParis",
            ("pr", "task", "q-000", 1): "The capital is\nLyon\x1b[31m",
        },
    )
    return replace(evidence_of(VALUES), texts=texts)


def test_rows_are_sorted_into_what_happened_to_them():
    found = show(evidence())
    assert found.counts == {"broke": 1, "fixed": 1, "still_failing": 1, "same": 1, "differ": 1}
    assert [(row.item, row.change) for row in found.rows] == [
        ("q-000", "broke"),
        ("q-001", "fixed"),
        ("q-002", "still_failing"),
        ("q-004", "differ"),
    ]


def test_a_row_carries_both_answers_and_what_was_asked():
    row = show(evidence(), changes=("broke",)).rows[0]
    assert row.inputs == "What is the capital of France?"
    assert row.reference == "Paris"
    assert row.baseline.text == "The capital is\nParis"
    assert row.candidate.values == (0.0,)


def test_the_terminal_marks_the_lines_that_differ_and_shows_control_characters():
    lines = render_rows(show(evidence(), changes=("broke",))).splitlines()
    same = next(line for line in lines if "The capital is" in line)
    differs = next(line for line in lines if "Lyon" in line)
    assert "|" not in same
    assert "|" in differs
    assert "\\x1b[31m" in differs
    assert max(map(len, lines)) <= WIDTH


def test_what_is_not_shown_is_counted():
    values = {"main": [1.0] * 30, "pr": [0.0] * 30}
    found = show(evidence_of(values), limit=4)
    assert len(found.rows) == 4
    assert found.left_out == 26
    assert "26 more; -n 30 shows them." in render_rows(found)


def test_rows_by_status_and_by_item():
    statuses = {"pr": ["ok", "refused", "ok", "ok", "error"]}
    found = show(evidence_of(VALUES, statuses=statuses), status="refused")
    assert [row.item for row in found.rows] == ["q-001"]
    assert [row.item for row in show(evidence(), items=("q-003",)).rows] == ["q-003"]
    with pytest.raises(UsageError, match="Did you mean 'refused'"):
        show(evidence(), status="refusd")


def test_an_item_goes_by_the_beginning_of_its_id_and_an_unknown_one_is_named():
    assert [row.item for row in show(evidence(), items=("q-00...3",)).rows] == ["q-003"]
    with pytest.raises(UsageError, match="q-0033"):
        show(evidence(), items=("q-0033",))


def test_of_several_attempts_the_telling_one_is_shown():
    values = {"main": [[1.0, 0.0, 1.0]], "pr": [[1.0, 0.0, 0.0]]}
    answers = {(name, "task", "q-000", k): f"{name} {k}" for name in ("main", "pr") for k in (1, 2, 3)}
    row = show(replace(evidence_of(values), texts=HeldTexts(responses=answers))).rows[0]
    assert row.change == "broke"
    assert (row.baseline.text, row.candidate.text) == ("main 1", "pr 2")


def test_lower_is_better_turns_broke_around():
    metrics = pl.DataFrame(
        {"metric": ["value"], "kind": ["binary"], "low": [0.0], "high": [1.0], "better": ["lower"]}
    )
    found = show(evidence_of(VALUES, metrics=metrics))
    assert {row.item: row.change for row in found.rows}["q-000"] == "fixed"


@pytest.mark.parametrize(
    ("values", "marks"), [((1.0, 1.0, 0.0), "++-"), ((None, 1.0), "?+"), ((0.5,), "0.5"), ((), "not asked")]
)
def test_strips(values, marks):
    assert strip(values) == marks


HOSTILE = "\x1b[31mred\nline"


def with_words():
    values = {"main": [1.0, 1.0], "pr": [0.0, 0.0]}
    chat = [
        {"role": "user", "content": "Oslo?"},
        {"role": "assistant", "content": None, "function_call": {"name": "weather", "arguments": HOSTILE}},
        {"role": "tool", "name": "weather", "content": "x" * 5_000},
        {"role": "assistant", "content": f"Rain. {HOSTILE}"},
    ]
    key = ("pr", "task", "q-000", 1)
    texts = HeldTexts(
        items={("task", "q-000"): (json.dumps(chat[:1]), None)},
        responses={key: json.dumps(chat)},
        notes={
            (*key, "value"): f"It should be snow. {HOSTILE} {'long ' * 500}",
            (*key, "none"): "of no outcome",
        },
        told={("task", "q-000"): {"context": ["p1"]}},
    )
    return show(replace(evidence_of(values), texts=texts))


def test_a_row_carries_the_conversation_the_notes_and_the_metadata():
    row, other = with_words().rows
    assert row.asks == (Turn("user", "Oslo?"),)
    assert [turn.role for turn in row.candidate.turns] == ["user", "assistant", "tool", "assistant"]
    assert set(row.candidate.notes) == {"value"}
    assert row.baseline.notes == {}
    assert row.baseline.turns is None
    assert row.metadata == {"context": '["p1"]'}
    assert (other.asks, other.metadata, other.candidate.notes) == (None, {}, {})


def test_the_terminal_shows_turns_and_notes_within_bounds():
    text = render_rows(with_words())
    lines = text.splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) < 45
    assert "\x1b" not in text
    assert any("assistant -> weather" in line for line in lines)
    assert any("tool weather: xxx" in line for line in lines)
    assert any("assistant: Rain." in line for line in lines)
    assert any("pr, scored: It should be snow." in line for line in lines)
    assert "user: Oslo?" in next(line for line in lines if line.strip().startswith("asks"))
    assert json.loads(json.dumps(rows_document(with_words())))["rows"][0]["candidate"]["turns"][1]["calls"]


def test_of_a_long_conversation_the_last_turns_are_shown():
    turns = [Turn("user", f"{number} {'word ' * 40}") for number in range(60)]
    lines = turn_lines(turns, width=30)
    assert lines[0].endswith("earlier turns)")
    assert any(line.startswith("user: 59") for line in lines)
    assert not any(line.startswith("user: 0 ") for line in lines)


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ("capital\n\nWhich city?\x1b[2J", ["  asks    capital", "          Which city?\\x1b[2J"]),
        ("", ["  asks"]),
        ("\n".join("abcdefgh"), ["  asks    a", *(f"          {one}" for one in "bcdef"), "          ..."]),
    ],
)
def test_fields_of_an_item_have_a_line_each_within_bounds(asked, lines):
    given = replace(evidence(), texts=HeldTexts(items={("task", "q-000"): (asked, "Paris")}, responses={}))
    shown = render_rows(show(given, changes=("broke",))).splitlines()
    assert shown[shown.index("q-000") + 1 :][: len(lines)] == lines
    assert shown[shown.index("q-000") + 1 + len(lines)] == "  expects Paris"
