"""JSON answers: each way of not being one is told apart, and fields are compared one by one."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError, UsageError
from aliquot.item_sets.items import Item
from aliquot.scorers.json_answers import check_schema, read_json_answer, right_fields
from aliquot.scorers.rule_texts import write_rule
from aliquot.scorers.rules import rule_named
from aliquot.scorers.scores import Score
from aliquot.scorers.scoring import score

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "people": {"type": "integer", "minimum": 0}},
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("text", "fault", "words"),
    [
        ('{"city": "Oslo", "people": 3}', None, None),
        ('```json\n{"city": "Oslo"}\n```', None, None),
        ('  {"city": "Oslo"}\n', None, None),
        ('{"city": 3}', "schema", "city: 3 is not of type 'string'"),
        ('{"people": 3}', "schema", "'city' is a required property"),
        ('["Oslo"]', "schema", "is not of type 'object'"),
        ('{"city": "Oslo", "people": -1}', "schema", "minimum"),
        ('{"city": "Os', "truncated", "breaks off after 12 letters"),
        ('{"city": "Oslo",', "truncated", "breaks off"),
        ('Sure! {"city": "Oslo"}', "syntax", "letter 1"),
        ('{"city": "Oslo"} I hope this helps', "syntax", "Extra data"),
        ("{'city': 'Oslo'}", "syntax", "double quotes"),
        ("I'm sorry, but I can't help with that.", "refused", "refuses"),
        ('{"city": "a", "city": "b"}', "syntax", "'city' occurs twice"),
        ('{"people": NaN}', "syntax", "NaN"),
        ("", "syntax", "letter 1"),
        ("[" * 100_000, "syntax", "nested too deeply"),
    ],
)
def test_every_way_of_not_being_the_json_asked_for(text: str, fault: str | None, words: str | None) -> None:
    pytest.importorskip("jsonschema", reason="the extra metrics is not installed")
    found = read_json_answer(text, schema=SCHEMA)
    assert found.fault == fault, found
    assert words is None or words in str(found.reason)
    assert found.reason is None or len(found.reason) < 300


def test_an_answer_that_was_cut_is_truncated_whatever_it_looks_like() -> None:
    assert read_json_answer("The answer is", cut=True).fault == "truncated"
    assert read_json_answer('{"city": "Oslo"}', cut=True).fault is None


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "objct"}, "no valid JSON Schema"),
        ({"$schema": "https://example.org/none"}, "unknown version"),
        ({"$ref": "https://example.org/s.json#/a"}, "another document"),
        ({"properties": {"a": {"items": {"$ref": "file:///etc/passwd"}}}}, "another document"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_beforehand(schema: dict[str, Any], words: str) -> None:
    pytest.importorskip("jsonschema", reason="the extra metrics is not installed")
    with pytest.raises(UsageError, match=words):
        check_schema(schema)


def test_a_reference_to_nowhere_is_a_mistake_of_the_schema() -> None:
    pytest.importorskip("jsonschema", reason="the extra metrics is not installed")
    with pytest.raises(UsageError, match="cannot be used"):
        read_json_answer("{}", schema={"$ref": "#/$defs/none"})


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(value=values)
def test_what_json_writes_is_read_as_it_was(value: object) -> None:
    found = read_json_answer(json.dumps(value))
    assert found.fault is None
    assert found.value == value
    assert all(right_fields(value, found.value).values())


@given(text=st.text(alphabet='{}[]",:0aé\\ntrue', max_size=40))
def test_whatever_json_itself_refuses_is_a_fault(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        assert read_json_answer(text).fault is not None


def test_fields_are_compared_by_path_and_numbers_by_value() -> None:
    reference = {
        "name": "Anna",
        "age": 34,
        "tags": ["a", "b"],
        "home": {"city": "Oslo"},
        "none": [],
        "a/b": None,
    }
    answer = {
        "name": "anna",
        "age": 34.0,
        "tags": ["a"],
        "home": {"city": "Oslo", "zip": 1},
        "none": {},
        "a/b": None,
    }
    assert right_fields(reference, answer) == {
        "/name": False, "/age": True, "/tags/0": True, "/tags/1": False, "/home/city": True, "/none": False,
        "/a~1b": True,
    }  # fmt: skip
    assert right_fields({"flag": True}, {"flag": 1}) == {"/flag": False}
    assert right_fields({"a": {"b": 1}}, "no object") == {"/a/b": False}
    with pytest.raises(UsageError, match="more than 1000 fields"):
        right_fields(list(range(1001)), [])


def scored(rule: str, text: str, fields: dict[str, Any], **settings: Any) -> Score:
    return score(rule_named(write_rule(rule, settings)), Item("i", fields, row=7), text)


WANTED = {"reference": {"city": "Oslo", "people": 709_037, "parts": ["a", "b"]}, "schema": SCHEMA}


@pytest.mark.parametrize(
    ("text", "valid", "label", "share"),
    [
        (
            '{"city": "Oslo", "people": 709037.0, "parts": ["a", "b"]}',
            0.0,
            "schema",
            1.0,
        ),  # all right, form apart
        ('{"city": "Oslo", "people": 709037}', 1.0, "valid", 0.5),
        ('{"city": "oslo"}', 1.0, "valid", 0.0),
        ('{"city": "Bergen", "people": 1}', 1.0, "valid", 0.0),  # well formed and wrong
        ('{"people": 709037}', 0.0, "schema", 0.25),
        ('{"city": "Oslo"', 0.0, "truncated", None),
        ("Oslo", 0.0, "syntax", None),
    ],
)
def test_form_and_content_are_apart(text: str, valid: float, label: str, share: float | None) -> None:
    pytest.importorskip("jsonschema", reason="the extra metrics is not installed")
    form, content = scored("json_valid", text, WANTED), scored("json_share", text, WANTED)
    assert (form.value, form.label) == (valid, label)
    assert content.value == share
    assert content.status == ("unparsed" if share is None else "ok")
    assert content.note is None or content.note.startswith(("wrong: ", label))


def test_a_refusal_is_no_syntax_error() -> None:
    found = scored("json_valid", "I'm sorry, but I can't help with that.", {})
    assert (found.value, found.status) == (None, "refused")


def test_one_field_by_its_pointer() -> None:
    text = '{"city": " OSLO.", "parts": ["a", "c"], "people": 709037}'
    found = {
        path: scored("json_field", text, WANTED, path=path).value
        for path in ("/people", "/parts/0", "/parts")
    }
    assert found == {"/people": 1.0, "/parts/0": 1.0, "/parts": 0.0}
    assert scored("json_field", text, WANTED, path="/city").value == 0.0
    assert scored("json_field", text, WANTED, path="/city", texts="normalised").value == 1.0
    assert scored("json_share", text, WANTED, texts="normalised").value == 0.75
    with pytest.raises(
        InputError, match="row 7, field 'reference': item 'i': the reference has no field '/town'"
    ):
        scored("json_field", text, WANTED, path="/town")


def test_an_item_that_json_cannot_be_held_against_is_named() -> None:
    with pytest.raises(InputError, match="needs a JSON object or list"):
        scored("json_share", "{}", {"reference": "Oslo"})
    with pytest.raises(InputError, match="more than 1000 fields"):
        scored("json_share", "{}", {"reference": list(range(1001))})
    for schema, words in (("x", "is no object"), ({"type": "x"}, "item 'i': this is no valid JSON Schema")):
        with pytest.raises(InputError, match=words):
            scored("json_valid", "{}", {"schema": schema})


def test_an_answer_nested_without_end_stops_no_run() -> None:
    pytest.importorskip("jsonschema", reason="the extra metrics is not installed")
    tree = {"type": "array", "items": {"$ref": "#"}}
    found = scored("json_valid", "[" * 900 + "]" * 900, {}, schema=tree)
    assert (found.value, found.label) == (0.0, "schema")
    assert scored("json_valid", "[[[]]]", {}, schema=tree).value == 1.0
