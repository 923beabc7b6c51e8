"""The bundled item set: its counts, its balance, and every answer checked against its question."""

from __future__ import annotations

import ast
import json
import operator
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

BUNDLED = Path(__file__).parents[2] / "src" / "aliquot" / "item_sets" / "bundled"
ITEMS: list[dict[str, Any]] = [
    json.loads(line) for line in (BUNDLED / "basics.jsonl").read_text(encoding="utf-8").splitlines()
]
ABOUT: dict[str, Any] = yaml.safe_load((BUNDLED / "basics.yaml").read_text(encoding="utf-8"))

COUNTS = {"facts": 38, "arithmetic": 38, "sentiment": 38, "extraction": 38, "reading": 40, "refusal": 38}
SCORERS = {
    "facts": "words",
    "arithmetic": "number",
    "sentiment": "choice",
    "extraction": "json_fields",
    "reading": "choice",
    "refusal": "refusal",
}
EXTRA_KEYS = {
    "facts": {"accept"},
    "reading": {"passage", "cluster"},
    "refusal": {"expect"},
}
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}

# The arithmetic behind each story, in the order of its sentences.
STORIES = {
    "arithmetic-005": 6 * 2,
    "arithmetic-009": 5 - 2,
    "arithmetic-013": 3 + 2,
    "arithmetic-018": 8 * 5,
    "arithmetic-021": 12 / 3,
    "arithmetic-025": 10 - 3 + 4,
    "arithmetic-030": 20 - 5,
    "arithmetic-033": 10 + 5 * 2,
    "arithmetic-037": 2 * 4 + 3,
}


def segment(name: str) -> list[dict[str, Any]]:
    return [item for item in ITEMS if item["segment"] == name]


def value(node: ast.expr) -> float:
    if isinstance(node, ast.BinOp):
        return OPERATORS[type(node.op)](value(node.left), value(node.right))
    assert isinstance(node, ast.Constant)
    return node.value


def stands_in(phrase: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(phrase.casefold())}(?!\w)", text.casefold()) is not None


def test_counts_of_the_segments():
    assert Counter(item["segment"] for item in ITEMS) == COUNTS
    assert len(ITEMS) == ABOUT["items"] == 230


def test_ids_are_numbered_within_their_segment():
    for name, count in COUNTS.items():
        assert [item["id"] for item in segment(name)] == [f"{name}-{i:03}" for i in range(1, count + 1)]


def test_no_question_is_asked_twice():
    asked = Counter((item["question"].casefold(), item.get("passage")) for item in ITEMS)
    assert [question for question, times in asked.items() if times > 1] == []


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["id"])
def test_keys_scorer_and_length(item: dict[str, Any]):
    required = {"id", "segment", "question", "reference", "scorer"}
    optional = EXTRA_KEYS.get(item["segment"], set())
    assert required <= set(item) <= required | optional
    assert item["scorer"] == SCORERS[item["segment"]]
    assert 0 < len(item["question"]) < 300
    assert item["question"] == item["question"].strip()


@pytest.mark.parametrize("item", segment("facts"), ids=lambda item: item["id"])
def test_a_fact_is_not_given_away_by_its_question(item: dict[str, Any]):
    answers = [item["reference"], *item.get("accept", [])]
    assert len({answer.casefold() for answer in answers}) == len(answers)
    for answer in answers:
        assert answer == answer.strip() != ""
        assert not stands_in(answer, item["question"])


@pytest.mark.parametrize("item", segment("arithmetic"), ids=lambda item: item["id"])
def test_arithmetic_computed_again(item: dict[str, Any]):
    expression = re.fullmatch(r"What is ([\d +*/()-]+)\?", item["question"])
    again = value(ast.parse(expression[1], mode="eval").body) if expression else STORIES[item["id"]]
    assert item["reference"] == str(int(again))
    assert again == int(again)
    assert not stands_in(item["reference"], item["question"])  # repeating the question must not score


def test_every_story_is_an_item():
    stories = {item["id"] for item in segment("arithmetic") if not item["question"].startswith("What is")}
    assert stories == set(STORIES)


def test_reviews_are_half_positive_and_quoted_in_the_question():
    reviews = segment("sentiment")
    assert Counter(item["reference"] for item in reviews) == {"positive": 19, "negative": 19}
    for item in reviews:
        assert re.fullmatch(r'Is this review positive or negative\? "[^"]+"', item["question"])


@pytest.mark.parametrize("item", segment("extraction"), ids=lambda item: item["id"])
def test_extraction_names_its_keys_and_its_values_stand_in_the_sentence(item: dict[str, Any]):
    sentence, _, wanted = item["question"].rpartition(" Return JSON with the keys ")
    assert re.findall(r"\w+", wanted.replace(" and ", ", ")) == list(item["reference"])
    assert 2 <= len(item["reference"]) <= 3
    for found in item["reference"].values():
        assert type(found) in {str, int}
        assert stands_in(str(found), sentence)


def test_reading_is_ten_passages_of_four_questions():
    clusters = Counter(item["cluster"] for item in segment("reading"))
    assert clusters == {f"passage-{i:02}": 4 for i in range(1, 11)}
    passages = {(item["cluster"], item["passage"]) for item in segment("reading")}
    assert len(passages) == len({text for _, text in passages}) == 10
    assert all(40 <= len(text.split()) <= 70 for _, text in passages)


def test_reading_answers_are_balanced_yet_not_alike_in_every_passage():
    reading = segment("reading")
    assert Counter(item["reference"] for item in reading) == {"yes": 20, "no": 20}
    yes = Counter(item["cluster"] for item in reading if item["reference"] == "yes")
    # A system that always says "no" must not look the same in every cluster: its variance would be 0.
    assert Counter(yes.values()) == {2: 6, 3: 2, 1: 2}


def test_half_of_the_requests_should_be_refused():
    requests = segment("refusal")
    assert Counter(item["expect"] for item in requests) == {"refuse": 19, "comply": 19}
    assert all(item["reference"] == item["expect"] for item in requests)


def test_the_page_about_the_set_states_what_a_reader_needs():
    assert (ABOUT["name"], ABOUT["version"], ABOUT["licence"]) == ("basics", 1, "Apache-2.0")
    assert "Written for this project" in ABOUT["licence_note"]
    assert list(ABOUT["segments"]) == list(COUNTS)
    for key in ("description", "how_made", "how_selected", "not_covered", "clusters"):
        assert ABOUT[key].strip()


@pytest.mark.parametrize("name", ["sentiment", "reading"])
def test_every_choice_is_a_stated_one(name: str):
    assert {item["reference"] for item in segment(name)} == set(ABOUT["choices"][name])
