"""The rules for short answers: what they read, what they refuse to guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError, UsageError
from aliquot.item_sets.items import Item
from aliquot.scorers.rules import RULES, rule_named
from aliquot.scorers.scoring import score


def scored(rule: str, text: str, reference: object, **fields: object) -> tuple[float | None, str]:
    result = score(RULES[rule], Item("i", {"reference": reference, **fields}), text)
    return result.value, result.status


@pytest.mark.parametrize(
    ("rule", "reference", "text", "value"),
    [
        ("exact", "Oslo", "  oslo. ", 1.0),
        ("exact", "Oslo", "It is Oslo", 0.0),
        ("exact", "It's", "It’s", 1.0),
        ("words", "Oslo", "The capital is **Oslo**.", 1.0),
        ("words", "correct", "That is incorrect.", 0.0),
        ("words", "Na", "Sodium is Na, of course", 1.0),
        ("words", "Na", "Nation", 0.0),
        ("words", "New York", "in new\nyork city", 1.0),
        ("words", "café", "cafe\u0301", 1.0),
        ("number", "12", "7 + 5 = 12", 1.0),
        ("number", "12", "The answer to 7 + 5 is 12", 1.0),
        ("number", "12", "The answer is 12, which is 7 + 5", 1.0),
        ("number", "12", "12 is not 13", 0.0),
        ("number", "1234", "1,234 apples", 1.0),
        ("number", "-3", "−3", 1.0),
        ("number", "2.5", "2.50", 1.0),
        ("number", "7", "seven", 1.0),
        ("number", "12", "123", 0.0),
        ("number", "1", "21", 0.0),
        ("number", "42", "It is forty-two.", 1.0),
        ("number", "2", "It is forty-two.", 0.0),
        ("number", "1205", "One thousand two hundred and five", 1.0),
        ("number", "2", "two hundred", 0.0),
        ("number", "42", "4.2e1", 1.0),
        ("number", "4.2", "4.2e1", 0.0),
        ("number", "0.5", "The answer is .5", 1.0),
        ("choice", "yes", "Yes, it does.", 1.0),
        ("choice", "no", "Yes, it does.", 0.0),
        ("choice", "negative", "The review is negative", 1.0),
        ("choice", "no", "I know nothing of noses. No", 1.0),
        ("choice", "B", "Answer: B", 1.0),
        ("choice", "A", "(a) because", 1.0),
        ("choice", "A", "**A**", 1.0),
        ("choice", "B", "**B**", 1.0),
    ],
)
def test_what_is_right_and_what_is_wrong(rule: str, reference: str, text: str, value: float) -> None:
    assert scored(rule, text, reference) == (value, "ok")


@pytest.mark.parametrize(
    ("rule", "reference", "text"),
    [
        ("words", "Oslo", "..."),
        ("number", "12", "a dozen"),
        ("choice", "yes", "perhaps"),
        ("choice", "yes", "yes and no"),
        ("choice", "positive", "It is both positive and negative."),
        ("choice", "A", "A dog is an animal"),
        ("json_fields", {"a": 1}, "no object here"),
        ("json_fields", {"a": 1}, '{"a": '),
        ("json_fields", {"a": 1}, "[1, 2]"),
    ],
)
def test_what_cannot_be_read_is_unparsed_and_never_a_guess(rule: str, reference: object, text: str) -> None:
    assert scored(rule, text, reference) == (None, "unparsed")


def test_the_first_line_that_names_an_option_decides() -> None:
    assert scored("choice", "yes\nno, I take that back", "yes") == (1.0, "ok")


@pytest.mark.parametrize("reference", ["B", "(b)", "Paris"])
@pytest.mark.parametrize(
    ("text", "value", "status"),
    [
        ("B", 1.0, "ok"),
        ("**B. Paris**", 1.0, "ok"),
        ("The answer is (b)", 1.0, "ok"),
        ("It is Paris.", 1.0, "ok"),
        ("C", 0.0, "ok"),
        ("A. London\nB. Paris", 0.0, "ok"),  # the first line that names one decides
        ("(c) Paris", None, "unparsed"),  # the letter of one and the text of another
        ("C'est la vie", None, "unparsed"),
        ("D", None, "unparsed"),  # no such option
    ],
)
def test_an_option_is_named_by_its_text_or_its_letter(
    reference: str, text: str, value: float | None, status: str
) -> None:
    options = ["London", "Paris", "Rome"]
    assert scored("choice", text, reference, options=options) == (value, status)


def test_letters_name_nothing_where_options_are_other_letters() -> None:
    assert scored("choice", "B", "B", options=["B", "A", "both"]) == (1.0, "ok")
    assert scored("choice", "C++", "C++", options=["C++", "Java", "Python"]) == (1.0, "ok")


def test_what_was_read_is_told_as_the_reference_is_spelled() -> None:
    """A table of what was given for what needs both in one spelling."""
    for reference, label in (("B", "c"), ("Paris", "rome")):
        item = Item("i", {"reference": reference, "options": ["London", "Paris", "Rome"]})
        assert score(RULES["choice"], item, "C. Rome").label == label


def test_options_of_the_item_come_before_the_families() -> None:
    assert scored("choice", "It is neutral", "neutral", options=["positive", "neutral", "negative"]) == (
        1.0,
        "ok",
    )


def test_an_accepted_answer_is_right_too() -> None:
    assert scored("words", "eight legs", "8", accept=["eight"]) == (1.0, "ok")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"name": "Anna", "age": 34}', 1.0),
        ('Here: ```json\n{"Name": "anna", "age": "34", "more": null}\n```', 1.0),
        ('{"name": "Anna"}', 0.0),
        ('{"name": "Anna", "age": 35}', 0.0),
        ('{"name": "Anna", "age": true}', 0.0),
        ('not {this} but {"name": "Anna", "age": 34.0}', 1.0),
    ],
)
def test_json_is_compared_field_by_field(text: str, value: float) -> None:
    assert scored("json_fields", text, {"name": "Anna", "age": 34}) == (value, "ok")


def test_json_true_is_not_the_number_one() -> None:
    assert scored("json_fields", '{"a": 1}', {"a": True}) == (0.0, "ok")


def test_deeply_nested_json_is_unparsed_and_not_a_crash() -> None:
    assert scored("json_fields", '{"a":' * 100_000, {"a": 1}) == (None, "unparsed")


@pytest.mark.parametrize("rule", ["exact", "words", "number", "choice", "json_fields"])
def test_a_missing_reference_is_an_error_of_the_items(rule: str) -> None:
    with pytest.raises(InputError, match="reference"):
        score(RULES[rule], Item("i", {"question": "?"}, row=4), "text")


def test_a_choice_without_options_names_the_remedy() -> None:
    with pytest.raises(InputError, match="List the options in the field options"):
        scored("choice", "blue", "blue")


def test_an_unknown_rule_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean 'number'"):
        rule_named("numbre")


@given(st.integers(-(10**9), 10**9))
def test_every_whole_number_is_read_back_however_it_is_written(number: int) -> None:
    assert scored("number", f"It is {number}.", str(number))[0] == 1.0
    assert scored("number", f"It is {number:,}.", number)[0] == 1.0
    assert scored("number", f"It is {number + 1}.", number)[0] == 0.0
