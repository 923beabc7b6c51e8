"""Test lists of promptfoo as items: taken over as they are meant, or refused with the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.tables import Evidence
from aliquot.item_sets.assertions import python_pattern
from aliquot.item_sets.items import Item
from aliquot.item_sets.sources import load
from aliquot.runner.evaluation import ScorerSpec, SystemSpec
from aliquot.scorers.rules import RULES
from aliquot.scorers.scoring import score
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run
from tests.runner.evaluations import evaluation
from tests.shared import shared

GOOD = """\
prompts: ["What is {{a}} + {{b}}?"]
defaultTest:
  vars: {tone: short}
  assert:
    - {type: not-contains, value: sorry}
tests:
  - description: add 1
    vars: {a: 1, b: 2, expected: "3"}
    metadata: {cluster: c0, difficulty: easy}
    assert:
      - {type: contains, value: "{{expected}}", metric: right, weight: 2}
      - {type: regex, value: "^[0-9]+$"}
  - vars: {a: 5, b: 5}
    metadata: {id: tens}
    assert: [{type: equals, value: 10}]
  - vars: {a: 7, b: 1, tone: long}
    assert: [{type: contains-any, value: ["8", eight]}]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "promptfooconfig.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_variables_are_fields_and_assertions_are_kept(tmp_path: Path) -> None:
    found = load(written(tmp_path, GOOD))
    assert found.name == "promptfooconfig"
    assert [item.id for item in found.items] == ["add 1", "tens", "tone=long, a=7, b=1"]
    first = found.items[0]
    assert first.inputs == {"a": 1, "b": 2, "expected": "3", "tone": "short", "difficulty": "easy"}
    assert (first.reference, first.text("cluster"), first.row) == ("3", "c0", 7)
    assert first.fields["asserts"] == [
        {"type": "not-contains", "value": "sorry"},
        {"type": "contains", "value": "3"},
        {"type": "regex", "value": "^[0-9]+$"},
    ]
    assert found.items[2].fields["tone"] == "long"


@pytest.mark.parametrize(
    ("asserts", "answer", "right"),
    [
        ([("equals", "Oslo")], "Oslo", True),
        ([("equals", "Oslo")], "Oslo.", False),
        ([("equals", "Oslo")], " Oslo", False),
        ([("contains", "Oslo")], "in oslo", False),
        ([("icontains", "Oslo")], "in oslo", True),
        ([("starts-with", "Os")], "Oslo", True),
        ([("starts-with", "Os")], "in Oslo", False),
        ([("regex", r"^\d+$")], "12", True),
        ([("regex", r"^\d+$")], "12\n", False),
        ([("regex", r"^\d+$")], "٣", False),
        ([("is-json", None)], '{"a": 1}', True),
        ([("is-json", None)], "NaN", False),
        ([("is-json", None)], "sure: {}", False),
        ([("not-is-json", None)], "sure: {}", True),
        ([("contains-all", ["a", "b"])], "ba", True),
        ([("contains-all", ["a", "b"])], "a", False),
        ([("icontains-any", ["A", "B"])], "xb", True),
        ([("not-contains-any", ["a", "b"])], "xb", False),
        ([("contains", "a"), ("not-contains", "b")], "ab", False),
        ([("contains", "a"), ("contains", "b")], "ab", True),
    ],
)
def test_each_assertion_compares_as_promptfoo_does(
    asserts: list[tuple[str, object]], answer: str, right: bool
) -> None:
    item = Item("x", {"asserts": [{"type": kind, "value": value} for kind, value in asserts]})
    found = score(RULES["asserts"], item, answer)
    assert found.value == float(right)
    assert found.label is not None
    assert found.label.endswith(f"of {len(asserts)} assertions")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "needs a list of assertions"),
        ("equals", "needs a list of assertions"),
        (["equals"], "the assertion 'equals' cannot use its value"),
        ([{"type": "llm-rubric", "value": "x"}], "there is no assertion 'llm-rubric'"),
        ([{"type": "regex", "value": "("}], "the assertion 'regex' cannot use its value"),
        ([{"type": "contains-any", "value": 3}], "the assertion 'contains-any' cannot use its value"),
    ],
)
def test_assertions_written_by_hand_are_checked(given: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        RULES["asserts"].try_on(Item("x", {"asserts": given}))


def test_a_javascript_pattern_is_read_as_it_is_meant() -> None:
    named = python_pattern(r"^(?<year>\d{4})[$]$").fullmatch("2026$")
    assert named is not None
    assert named["year"] == "2026"
    assert python_pattern(r"(?<=a)b\$").search("ab$")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("type: regex", "type: javascript", r"row 12, field 'type': the assertion 'javascript' is no rule"),
        ("type: regex", "type: icontain", r"the assertion 'icontain' is no rule .* Did you mean 'icontains'"),
        ("type: regex, value", "value", r"row 12, field 'assert': the key 'type' is missing"),
        ("weight: 2", "threshold: 0.5", r"row 11, field 'threshold': 'threshold' is not taken over"),
        ("weight: 2", "weight: 0", r"row 11, field 'weight': an assertion without weight does not count"),
        (
            "metadata: {id: tens}",
            "threshold: 0.5",
            r"row 14, field 'threshold': 'threshold' is not taken over",
        ),
        (
            "metadata: {id: tens}",
            "options: {transform: x}",
            r"row 14, field 'options': 'options' is not taken over",
        ),
        (
            "metadata: {id: tens}",
            "description: add 1",
            r"row 13, field 'tests': the test 'add 1' stands in line 7 too",
        ),
        ("{a: 5, b: 5}", "{a: [5, 6], b: 5}", r"row 13, field 'a': holds several values"),
        ("{a: 5, b: 5}", "{a: file://a.txt, b: 5}", r"row 13, field 'a': stands in another file"),
        (
            "{a: 5, b: 5}",
            "{reference: 5}",
            r"row 13.*: the variable 'reference' has a meaning of its own here",
        ),
        ("{{expected}}", "{{expcted}}", r"row 11, .*no variable 'expcted'\. Did you mean 'expected'"),
        ("{{expected}}", "{{expected | upper}}", r"row 11, .* is a template of more than variables"),
        ("^[0-9]+$", "[0-9", r"row 12, field 'value': '\[0-9' is no pattern"),
        ('["8", eight]', "eight", r"row 17, field 'value': is not a list"),
        ("value: 10}", "value: {a: 1}}", r"row 15, field 'value': is not text"),
        ("value: 10}", "value: file://x.txt}", r"row 15, field 'value': stands in another file"),
        (", value: 10}", "}", r"row 15, field 'assert': the assertion 'equals' has no value"),
        (
            "type: equals, value: 10",
            "type: is-json, value: {}",
            r"row 15, field 'value': a JSON schema is not checked",
        ),
        ("tests:\n", "scenarios:\n", r"the key 'tests' is missing"),
        (
            "{type: not-contains, value: sorry}",
            "&a {type: not-contains, value: x}",
            r"row 5: anchors and aliases",
        ),
    ],
)
def test_what_would_change_the_result_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in GOOD
    with pytest.raises(InputError, match=message) as caught:
        load(written(tmp_path, GOOD.replace(old, new)))
    assert str(caught.value).startswith(str(tmp_path / "promptfooconfig.yaml"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["tests: file://tests.csv", "tests: []", "[]", "x", "- {vars: {a: 1}}"])
def test_what_holds_no_tests_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError):
        load(written(tmp_path, text))


def test_a_list_of_tests_alone_is_read(tmp_path: Path) -> None:
    found = load(written(tmp_path, "- {vars: {a: 1}, assert: [{type: is-json}]}\n"))
    assert [item.id for item in found.items] == ["a=1"]
    with pytest.raises(UsageError, match="there is no item set file"):
        load(tmp_path / "none.yaml")


def test_a_run_over_them_is_scored_by_their_assertions(tmp_path: Path) -> None:
    spec = SystemSpec(model="fake", prompt="{{ a }}+{{ b }}=")
    text = GOOD.replace(
        "{type: equals, value: 10}", "{type: equals, value: 10}, {type: not-contains, value: or}"
    )
    text = text.replace("eight]}]", "eight]}, {type: contains, value: ei}, {type: regex, value: ght}]")
    given = evaluation(
        written(tmp_path, text),
        systems={"first": spec},
        scorer=ScorerSpec(rule="asserts"),
        segments=("difficulty",),
    )
    fake = FakeSystem({"1+2=": "3", "5+5=": "10 or so", "7+1=": "eight"})
    evidence: Evidence = run(given, directory=tmp_path / "runs", models={"fake": fake}).evidence
    values = dict(zip(evidence.outcomes["item"], evidence.outcomes["value"], strict=True))
    assert (values["add 1"], values["tens"], sum(values.values())) == (1.0, 0.0, 2.0)


def test_a_real_configuration_is_refused_for_its_javascript() -> None:
    with pytest.raises(InputError, match=r"'threshold' is not taken over from promptfoo"):
        load(shared("logs", "promptfoo", "promptfooconfig.yaml"))
