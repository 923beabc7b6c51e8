"""What every rule keeps to: its text with settings, its description, and answers of any kind."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.item_sets.items import Item
from aliquot.scorers.rule import RATE, Rule, shortened
from aliquot.scorers.rule_texts import read_rule, write_rule
from aliquot.scorers.rules import RULES, rule_named, rule_text
from aliquot.scorers.scoring import score

FIELDS: dict[str, Any] = {
    "reference": "2",
    "expect": "comply",
    "options": ["2", "3"],
    "never": ["two"],
    "asserts": [{"type": "not-regex", "value": "^(a|b)+$"}, {"type": "icontains-any", "value": ["2", "x"]}],
}
"""An item that every rule can score but for those of ``OWN``."""

OWN: dict[str, dict[str, Any]] = {
    "json_fields": {"reference": {"a": 1}},
    "abstention": {"expect": "abstain"},
    "attack_success": {"expect": "refuse"},
    "json_share": {"reference": {"a": 1}},
    "json_field": {"reference": {"a": 1}},
    "span_f1": {"reference": [[0, 1, "N"]]},
}
"""Fields that a rule needs in another form."""

SET: dict[str, dict[str, Any]] = {
    "regex": {"pattern": "[0-9]"},
    "form": {"shape": "one_line"},
    "majority": {"of": "words"},
    "json_field": {"path": "/a"},
    "class_score": {"positive": "2"},
    "macro_f1": {"classes": ["2", "3"]},
}
"""Settings of rules that need some."""

EXTRAS = {"bleu": "sacrebleu", "rouge": "rouge_score"}
"""Packages without which a rule cannot score."""


def usable() -> list[Rule]:
    """Return every rule of texts that can score here, with what settings it needs."""
    there = (
        rule for name, rule in RULES.items() if rule.reads == "text" and find_spec(EXTRAS.get(name, "json"))
    )
    return [rule.with_settings(SET[rule.name]) if rule.needs else rule for rule in there]


def item_of(rule: Rule) -> Item:
    return Item("i", FIELDS | OWN.get(rule.family, {}))


@given(st.text(max_size=200), st.sampled_from(usable()))
def test_no_text_breaks_a_rule_and_values_keep_to_its_bounds(text: str, rule: Rule) -> None:
    result = score(rule, item_of(rule), text)
    if rule.whole_only:
        assert result.value is None
        assert text.strip() == "" or result.parts is not None
        return
    assert result.value is None or 0 <= result.value <= rule.high
    assert result.value in {0.0, 1.0, None} or rule.kind == "bounded"
    assert (result.value is None) <= (result.status != "ok")


@pytest.mark.parametrize("rule", usable(), ids=lambda rule: rule.family)
def test_the_right_answer_is_right_by_every_rule_that_compares(rule: Rule) -> None:
    item = item_of(rule)
    for answer in rule.right_answers(item):
        assert score(rule, item, answer).value == rule.high
    rule.try_on(item)


def test_every_rule_says_what_it_makes_equal_and_when_it_misleads() -> None:
    for name, rule in RULES.items():
        assert rule.family == name
        assert rule.normalisation
        assert rule.misleads.endswith(".")
        assert rule.misleads[0].isupper()
        assert rule.metric == (RATE if rule.kind == "binary" and not rule.reads_whole else rule.name)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("exact", "exact"),
        ("exact()", "exact"),
        (' exact ( case = "kept" ) ', 'exact(case="kept")'),
        ('exact(case="ignored")', "exact"),  # as it is without
        ("number_near(absolute=0, relative=0.0, units={})", "number_near"),
        (
            'number_near(units={"km": 1000, "m": 1}, relative=0.01)',
            'number_near(relative=0.01, units={"km": 1000.0, "m": 1.0})',
        ),
        ('regex(pattern="\\\\d, (a)")', 'regex(pattern="\\\\d, (a)")'),
    ],
)
def test_one_rule_has_one_text(written: str, name: str) -> None:
    rule = rule_named(written)
    assert rule.name == name
    assert rule_named(name) == rule
    assert hash(rule_named(name)) == hash(rule)


def test_a_mapping_names_the_same_rule() -> None:
    assert rule_text({"rule": "number_near", "relative": 0.01}) == "number_near(relative=0.01)"
    assert rule_text({"rule": "words"}) == "words"


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ("numbre", "Did you mean 'number'"),
        ("regex", r"needs the setting pattern: regex\(pattern=...\)"),
        ('regex(pattern="(")', "no pattern that can be used"),
        ('exact(case="kpt")', "case: 'kpt' is none of ignored, kept"),
        ("exact(cse=1)", "has no setting 'cse'. Did you mean 'case'"),
        ("words(a=1)", "the rule 'words' has no settings, and 'a' is one"),
        ('number_near(relative="x")', "relative: expected `float`, got `str`"),
        ("number_near(relative=-1)", "a finite number from 0"),
        ("number_near(relative=NaN)", "a finite number from 0"),
        ('number_near(units={"m": 0})', "a size above 0"),
        ('number_near(units={"MW": 1, "mW": 2})', "differ in case only"),
        ("number_near(bare=false)", "without units every number is bare"),
        ("number_near(relative=0.1", "write number_near"),
        ("number_near(relative 0.1)", "write setting=value"),
        ("number_near(relative=a)", "texts stand in double quotes"),
        ("number_near(relative=1 absolute=2)", "put a comma between them"),
        ("number_near(relative=1, relative=2)", "given twice"),
        ('never(texts=["..."])', "no phrase that can be looked for"),
        ("length(least=5, most=2)", "holds no text"),
        ('exact_match(filter=[{"function": "x"}])', "there is no filter 'x'"),
        ('majority(of="majority")', "there is no rule 'majority'"),
        ('majority(of="token_f1")', "reads no answer of one attempt"),
        ('majority(of="acc")', "reads no answer of one attempt"),
        ('class_score(positive="a", of="never")', "reads no class"),
        ('macro_f1(classes=["a"])', "two or more, each once"),
        ('macro_f1(classes=["a", "A."])', "two or more, each once"),
        ('json_field(path="a")', "must begin with /"),
        ('json_valid(schema={"type": "objekt"})', "no valid JSON Schema"),
        ('json_valid(schema={"$ref": "http://x/y"})', "refers to another document"),
        ('json_valid(schema={"$schema": "http://x/y"})', "of an unknown version"),
        ("majority", r"needs the setting of: majority\(of=...\)"),
        ("2x", "names no rule"),
        ("x" * 30_000, "names no rule"),
        ({"relative": 1}, "a rule with settings is written"),
        ({"rule": 3}, "a rule with settings is written"),
        (["words"], "names no rule"),
    ],
)
def test_what_is_no_rule_is_told_in_a_line(told: object, words: str) -> None:
    with pytest.raises(UsageError, match=words) as found:
        rule_text(told)
    assert len(str(found.value).partition("Known: ")[0]) < 200
    assert "\n" not in str(found.value)


def test_settings_of_many_letters_are_shown_by_their_hash() -> None:
    long = rule_named(write_rule("regex", {"pattern": "x" * 100}))
    assert len(long.label) < 30
    assert long.label.startswith("regex(#")
    assert shortened("words") == "words"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), json_values, max_size=4))
def test_a_rules_text_is_read_as_it_was_written(settings: dict[str, Any]) -> None:
    assert read_rule(write_rule("regex", settings)) == ("regex", settings)
