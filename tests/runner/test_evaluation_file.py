"""Evaluation files: strict, typed, and every complaint with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from aliquot.errors import AliquotError, InputError, UsageError
from aliquot.item_sets import sources
from aliquot.runner.evaluation import Guards, SampleSpec, ScorerSpec, SystemSpec
from aliquot.runner.evaluation_file import parse_evaluation, read_evaluation
from aliquot.runner.plan import make_plan
from tests.runner.evaluations import TEMPLATE, evaluation, write_evaluation, write_items

GOOD = TEMPLATE.format(items="basics")


def test_a_good_file_becomes_what_it_says() -> None:
    text = GOOD.replace(
        "scorer: words", "scorer: {field: scorer}\nsample: {items: 9, by: segment}\nguards: {parse_rate: off}"
    )
    read = parse_evaluation(text, file="trial.yaml")
    assert (read.name, read.items, read.seed, read.attempts) == ("trial", "basics", 3, 1)
    assert read.scorer == ScorerSpec(field="scorer")
    assert read.sample == SampleSpec(9, "segment")
    assert read.guards == Guards(parse_rate=0.0)
    assert list(read.systems) == ["first", "second"]
    assert read.systems["second"].mode == "completion"


def test_the_packaged_demo_is_valid_and_fits_its_word() -> None:
    plan = make_plan(read_evaluation(Path(sources.__file__).parent / "bundled" / "demo.yaml"))
    assert plan.selection.n == len(plan.items) <= 96
    assert plan.selection.partial
    kinds = {item.text("segment") for item in plan.items}
    assert kinds == {item.text("segment") for item in plan.item_set.items}
    asked = {_letters(str(item.inputs["question"])) for item in plan.item_set.items}
    shots = plan.evaluation.systems["few-shot"].prompt.split("Question: ")[1:-1]
    assert len(shots) == 13
    assert not [shot for shot in shots if _letters(shot.splitlines()[0]) in asked]


def _letters(question: str) -> str:
    return "".join(letter for letter in question.casefold() if letter.isalnum())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed: 3", "sede: 3", r"row 3: there is no key 'sede'\. Did you mean 'seed'"),
        (
            'prompt: "first',
            'promt: "first',
            r"the key 'prompt' of system 'first' \(line 7 has 'promt'\) is missing",
        ),
        ("seed: 3", "seed: three", r"row 3, field 'seed': 'three' is not a whole number"),
        ("seed: 3", "seed: 3\nseed: 4", r"row 4: the key 'seed' stands twice"),
        ("seed: 3", "attempts: 0", r"row 3, field 'attempts': 0 is not a whole number from 1"),
        ("seed: 3", "name2: x", r"there is no key 'name2'"),
        (
            "scorer: words",
            "scorer: wrods",
            r"row 4, field 'scorer': there is no rule 'wrods'\. Did you mean 'words'",
        ),
        ("scorer: words", "scorer: {fields: x}", r"there is no key 'fields'\. Did you mean 'field'"),
        ("scorer: words", "x: &a 1", r"row 4: anchors and aliases are not read here"),
        ("scorer: words", "", r"the key 'scorer' is missing"),
        (
            "segments: [kind]",
            "segments: kind",
            r"row 5, field 'segments': 'kind' is not a list\. Write \[one, two\]",
        ),
        ("mode: completion", "mode: complete", r"row 8, field 'mode': 'complete' is not known here"),
        (
            "mode: completion",
            "decoding: {temperature: hot}",
            r"row 8, field 'temperature': 'hot' is not a number",
        ),
        (
            "mode: completion",
            "decoding: {temperature: -1}",
            r"row 8, field 'temperature': -1 is out of range",
        ),
        ("mode: completion", "instructions: x, mode: completion", r"instructions need mode: chat"),
        ("name: trial", "name: no", r"row 1, field 'name': False is not text\. Put it in quotes"),
        ("name: trial", "name: ../up", r"'\.\./up' cannot name a run"),
        ("seed: 3", "sample: {by: kind}", r"row 3, field 'sample': the key 'items' is missing"),
        ("seed: 3", "seed: [", r"row \d+: this is not YAML"),
        ("seed: 3", "seed: !!python/object:os.system 3", r"this is not YAML|is not a whole number"),
    ],
)
def test_a_wrong_file_gets_one_line_with_its_place(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(InputError, match=message) as caught:
        parse_evaluation(GOOD.replace(old, new), file="trial.yaml")
    assert str(caught.value).startswith("trial.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "- a", "x", "[" * 5000, "a: *b", "\t", "? [1]\n: 2"])
def test_what_is_no_evaluation_at_all_is_one_line_too(text: str) -> None:
    with pytest.raises(InputError):
        parse_evaluation(text, file="trial.yaml")


def test_all_missing_keys_are_named_at_once_with_what_looks_like_them() -> None:
    text = "nmae: trial\nsystems:\n  first: {modle: fake}\n"
    with pytest.raises(InputError) as caught:
        parse_evaluation(text, file="trial.yaml")
    assert str(caught.value) == (
        "trial.yaml: the keys 'name' (line 1 has 'nmae'), 'items', 'scorer', "
        "'model' of system 'first' (line 3 has 'modle'), 'prompt' of system 'first' (line 3) are missing. "
        "See docs/evaluation.md"
    )


@pytest.mark.parametrize(
    "text",
    [
        "item,value\n" + "".join(f"q{i:03},1\n" for i in range(200)),
        "item: x, value\n" + "".join(f"q{i:03},1\n" for i in range(200)),
        GOOD.replace("name: trial", f"name: {'/long' * 300}"),
        GOOD.replace("seed: 3", f"{'seed' * 300}: 3"),
        GOOD.replace("seed: 3", f"seed: {'three' * 300}"),
        GOOD.replace("scorer: words", f"scorer: {'words' * 300}"),
        GOOD.replace("seed: 3", f"seed: !{'tag' * 300} 3"),
    ],
    ids=["csv", "almost yaml", "name", "key", "number", "rule", "tag"],
)
def test_no_message_repeats_more_than_a_little_of_the_file(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_evaluation(text, file="main.csv")
    assert len(str(caught.value).partition("Known: ")[0]) < 330  # the list of rules is not of the file


def test_what_is_not_yaml_is_told_what_an_evaluation_file_is() -> None:
    for text in ("item,value\nq001,1\n", "item: x, value\nq001,1\n"):
        with pytest.raises(InputError, match=r"An evaluation file is YAML .*: see docs/evaluation\.md"):
            parse_evaluation(text, file="main.csv")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no evaluation file"):
        read_evaluation(tmp_path / "none.yaml")


def test_items_are_found_beside_the_file(tmp_path: Path) -> None:
    assert make_plan(read_evaluation(write_evaluation(tmp_path))).item_set.name == "made"


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        (
            "{{ qestion }}",
            r"cannot be filled for item 'i0': 'qestion' is undefined\. Did you mean 'question'",
        ),
        ("{{ reference }}", r"'reference' is undefined"),
        ("{{ question", r"line 1 of the prompt of 'first' is not a valid template"),
        ("{{ question.__class__.__mro__ }}", r"the prompt of 'first' (fails|cannot be filled)"),
        ("{{ 1 / 0 }}{{ question }}", r"fails for item 'i0': division by zero"),
    ],
)
def test_prompts_are_rendered_for_every_item_before_anything_is_asked(
    tmp_path: Path, prompt: str, message: str
) -> None:
    text = TEMPLATE.format(items="made.jsonl").replace("first {{ question }}", prompt)
    write_items(tmp_path, 2)
    with pytest.raises(InputError, match=message):
        make_plan(parse_evaluation(text, file=str(tmp_path / "trial.yaml")))


@pytest.mark.parametrize(
    ("prompt", "remedy"),
    [
        ("Q: {question}", "Write {{ question }}; fields of the items: kind, question"),
        ("Q: { kind }", "Write {{ kind }}; fields of the items: kind, question"),
        ("Q: {{ range(3) | list }}", "Write {{ question }}"),
        ("Say something", "Write {{ question }}"),
    ],
)
def test_a_prompt_that_asks_every_item_the_same_is_refused(tmp_path: Path, prompt: str, remedy: str) -> None:
    text = TEMPLATE.format(items="made.jsonl").replace("first {{ question }}", prompt)
    write_items(tmp_path, 2)
    with pytest.raises(InputError) as caught:
        make_plan(parse_evaluation(text, file=str(tmp_path / "trial.yaml")))
    message = str(caught.value)
    assert "trial.yaml, field 'prompt': the prompt of 'first' uses no field of the items" in message
    assert remedy in message
    assert "\n" not in message


def test_instructions_written_as_a_template_are_refused(tmp_path: Path) -> None:
    spec = SystemSpec(model="fake", prompt="{{ question }}", instructions="Answer {{ question }}")
    with pytest.raises(
        InputError, match=r"instructions of 'first' are sent as they stand, \{\{ question \}\} too"
    ):
        make_plan(evaluation(write_items(tmp_path, 2), systems={"first": spec}))
    braces = SystemSpec(
        model="fake", prompt="{{ question }}", instructions='Write {"a": {{% 1 }} and {{ x }}'
    )
    make_plan(evaluation(tmp_path / "made.jsonl", systems={"first": braces}))


@pytest.mark.parametrize(
    "changes",
    [
        {"cluster": "knd"},
        {"segments": ("knd",)},
        {"scorer": ScorerSpec(field="knd")},
        {"sample": SampleSpec(2, "knd")},
    ],
)
def test_an_unknown_field_names_the_nearest(tmp_path: Path, changes: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="Did you mean 'kind'"):
        make_plan(evaluation(write_items(tmp_path, 4), **changes))


def test_an_item_its_rule_cannot_score_stops_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(AliquotError, match="needs a number as reference"):
        make_plan(evaluation(write_items(tmp_path, 2), scorer=ScorerSpec(rule="number")))


def test_a_field_that_no_item_has_is_named_with_its_key(tmp_path: Path) -> None:
    given = evaluation(write_items(tmp_path, 4), sample=SampleSpec(items=2, by="topik"))
    with pytest.raises(UsageError, match=r"sample \(by\): items of 'made' have no field 'topik'"):
        make_plan(given)
