"""Rules of texts with settings, one by one: what is the same, how near is near, what must and must not be said."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.item_sets.items import Item
from aliquot.scorers.rule_texts import write_rule
from aliquot.scorers.rules import rule_named
from aliquot.scorers.sameness import Sameness, comparable
from aliquot.scorers.scoring import score
from aliquot.scorers.texts import trimmed


def scored(rule: str, text: str, reference: object = None, **settings: Any) -> float | str | None:
    """Return the value, or the status where there is none."""
    fields: dict[str, Any] = {} if reference is None else {"reference": reference}
    found = score(rule_named(write_rule(rule, settings)), Item("i", fields), text)
    return found.status if found.value is None else found.value


@pytest.mark.parametrize(
    ("settings", "same", "other"),
    [
        ({}, ("**oslo.**", "Oslo"), ("the Oslo", "Oslo")),
        ({"case": "kept"}, ("Oslo!", "Oslo"), ("oslo", "Oslo")),
        ({"punctuation": "ignored"}, ("U.S.A.", "USA"), ("U S A", "USA")),
        ({"punctuation": "kept"}, ("(2)", "(2)"), ("2", "(2)")),
        ({"articles": "ignored"}, ("The Hague", "Hague"), ("Theatre", "atre")),
        ({"spaces": "ignored"}, ("New  York", "newyork"), ("New-York", "newyork")),
        ({"spaces": "kept"}, ("a b", "a b"), ("a  b", "a b")),
        ({"typography": "kept"}, ("it’s", "it’s"), ("it’s", "it's")),
        ({"accents": "ignored"}, ("Malmö", "Malmo"), ("Malmö", "Malma")),
        ({"case": "ignored"}, ("STRASSE", "Straße"), ("Strase", "Straße")),
        ({"typography": "ignored"}, ("Cafe\u0301", "Caf\u00e9"), ("Cafe", "Caf\u00e9")),
    ],
)
def test_what_is_ignored_makes_two_answers_the_same(
    settings: dict[str, str], same: tuple[str, str], other: tuple[str, str]
) -> None:
    assert scored("exact", same[0], same[1], **settings) == 1.0
    assert scored("exact", other[0], other[1], **settings) == 0.0


@given(st.text())
def test_without_settings_exact_is_what_it_was(text: str) -> None:
    assert comparable(text, Sameness()) == trimmed(text)


@pytest.mark.parametrize(
    ("settings", "reference", "right", "wrong"),
    [
        ({"absolute": 0.5}, "10", ["10.5", "about 9.5", "1e1"], ["10.51", "9.49", "-10"]),
        ({"relative": 0.1}, "-10", ["-11", "-9.0"], ["-11.01", "10"]),
        ({"relative": 0.1, "absolute": 2}, "10", ["12"], ["12.1"]),
        ({"relative": 0.1}, "0", ["0", "-0.0"], ["0.0001"]),  # a share of nothing is nothing
        ({}, "1,000.5", ["1000.50", "the answer is 1,000.5 of 3"], ["1000.51"]),
        (
            {"units": {"m": 1, "km": 1000}},
            "5 km",
            ["5km", "5000 m", "5,000", "5 KM.", "of 7 cities, 5 km"],
            ["5 m", "5"],
        ),
        ({"units": {"%": 0.01}}, "0.5", ["50%", "50 %", "0.5"], ["50", "0.5%"]),
        ({"units": {"€": 1, "ct": 0.01}, "bare": False}, "2 €", ["200 ct", "2€"], []),
    ],
)
def test_a_number_is_near_enough_or_not(
    settings: dict[str, Any], reference: str, right: list[str], wrong: list[str]
) -> None:
    assert [scored("number_near", text, reference, **settings) for text in right] == [1.0] * len(right)
    assert [scored("number_near", text, reference, **settings) for text in wrong] == [0.0] * len(wrong)


def test_numbers_that_do_not_count_are_unparsed_and_huge_ones_are_numbers() -> None:
    assert scored("number_near", "no idea", "2") == "unparsed"
    assert scored("number_near", "2 dollars", "2 €", units={"€": 1}, bare=False) == "unparsed"
    assert scored("number_near", "1e999", "2", relative=0.5) == 0.0
    assert scored("number_near", "9" * 5000, "2", relative=0.5) == 0.0
    with pytest.raises(InputError, match="needs a number as reference"):
        scored("number_near", "2", "two")


@given(st.floats(-1e9, 1e9), st.floats(0, 1))
def test_the_reference_itself_is_always_near(value: float, relative: float) -> None:
    assert scored("number_near", f"{value:.6f}", f"{value:.6f}", relative=relative) == 1.0


def test_phrases_that_must_stand_in_an_answer() -> None:
    assert scored("contains", "It is BLUE-green.", "blue") == 1.0
    assert scored("contains", "bluebell", "blue") == 1.0  # part of a word
    assert scored("contains", "Blue", "blue", ignore_case=False) == 0.0
    assert scored("contains", "red", texts=["red", "blue"]) == 1.0
    assert scored("contains", "red", texts=["red", "blue"], of="all") == 0.0
    assert scored("contains", "blue and red", texts=["red", "blue"], of="all") == 1.0
    with pytest.raises(InputError, match="no reference"):
        scored("contains", "red")


def test_phrases_and_patterns_that_must_never_stand_in_one() -> None:
    assert scored("never", "You are in class.", texts=["ass"]) == 1.0
    assert scored("never", "You are in class.", texts=["ass"], whole_words=False) == 0.0
    assert scored("never", "call 555-1234", patterns=["[0-9]{3}-[0-9]{4}"]) == 0.0
    item = Item("i", {"never": ["our competitor", "refund"]})
    found = score(rule_named("never"), item, "No refunds. Ask Our  Competitor!")
    assert (found.value, found.label, found.note) == (0.0, "said", "holds 'our competitor'")
    assert (
        score(rule_named("never"), item, "I can't help with that.").value == 1.0
    )  # a refusal says none of it
    assert score(rule_named("never"), item, " ").status == "unparsed"
    with pytest.raises(InputError, match="needs texts, patterns, or a field never"):
        scored("never", "x")
    with pytest.raises(InputError, match=r"field 'never': item 'i': '\.' is no phrase"):
        score(rule_named("never"), Item("i", {"never": "."}), "x")


def test_a_pattern_is_found_or_covers_the_answer() -> None:
    assert scored("regex", "code A-12 it is", pattern="[A-Z]-[0-9]+") == 1.0
    assert scored("regex", "code A-12 it is", pattern="[A-Z]-[0-9]+", whole=True) == 0.0
    assert scored("regex", " A-12\n", pattern="[A-Z]-[0-9]+", whole=True) == 1.0


def test_lengths_are_counted_in_their_unit() -> None:
    text = "One two. Three!\n\nFour five… six"
    counted = {"words": 6, "characters": 31, "lines": 2, "sentences": 4, "paragraphs": 2, "bytes": 33}
    for unit, count in counted.items():
        assert scored("length", f" {text}\n", least=count, most=count, unit=unit) == 1.0, unit
        assert scored("length", text, least=count + 1, unit=unit) == 0.0, unit
        assert scored("length", text, most=count - 1, unit=unit) == 0.0, unit


@pytest.mark.parametrize(
    ("shape", "right", "wrong"),
    [
        ("one_line", "one\n", "one\ntwo"),
        ("bullets", "- a\n* b\n\n• c", "- a\nb"),
        ("numbered", "1. a\n2) b", "1 a"),
        ("no_markup", "2 * 3 < 7", "**no**"),
        ("upper_case", "YES 1!", "Yes"),
        ("lower_case", "yes 1!", "12"),
    ],
)
def test_an_answer_has_the_form_or_not(shape: str, right: str, wrong: str) -> None:
    assert scored("form", right, shape=shape) == 1.0
    assert scored("form", wrong, shape=shape) == 0.0


def test_exact_match_reads_with_the_filters_of_the_harness() -> None:
    steps = [{"function": "regex", "regex_pattern": "#### ([0-9,]+)"}, {"function": "take_first"}]
    settings = {"filter": steps, "regexes_to_ignore": [",", "(?s).*#### "]}
    assert scored("exact_match", "So #### 1,200", "Two steps. #### 1200", **settings) == 1.0
    assert scored("exact_match", "So #### 1,201", "Two steps. #### 1200", **settings) == 0.0
    assert scored("exact_match", "So 1,200", "Two steps. #### 1200", **settings) == "unparsed"
    assert scored("exact_match", "Oslo", "oslo") == 0.0
    assert scored("exact_match", "Oslo.", "oslo", ignore_case=True, ignore_punctuation=True) == 1.0


@pytest.mark.parametrize(
    ("rule", "answer", "reference", "value"),
    [
        ("squad_exact", "The Eiffel Tower!", "eiffel tower", 1.0),
        ("squad_exact", "tower", "eiffel tower", 0.0),
        ("token_f1", "a red house", "red car", 2 * 1 / (2 + 2)),  # red house against red car: 1 shared
        ("span_f1", '[[0, 4, "PER"], [9, 13, "LOC"]]', [[0, 4, "PER"], [9, 14, "LOC"]], 0.5),
        ("span_f1", "[]", [[0, 4, "PER"]], 0.0),
        ("span_f1", "none", [[0, 4, "PER"]], "unparsed"),
        ("span_f1", "[[0, 4]]", [[0, 4, "PER"]], "unparsed"),
    ],
)
def test_overlaps_as_rules(rule: str, answer: str, reference: object, value: object) -> None:
    assert scored(rule, answer, reference) == value


def test_of_several_right_answers_the_one_that_fits_best_counts() -> None:
    item = Item("i", {"reference": "the United States of America", "accept": ["USA", "the States"]})
    found = {
        rule: score(rule_named(rule), item, "States").value for rule in ("exact", "squad_exact", "token_f1")
    }
    assert found == {"exact": 0.0, "squad_exact": 1.0, "token_f1": 1.0}
    assert score(rule_named("number_near"), Item("i", {"reference": "2", "accept": ["3"]}), "3").value == 1.0
