"""Judges: their files, what they ask, and what several replies come to."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import AliquotError, InputError, UsageError
from aliquot.files.judgements import Judgement, JudgeQuestion, settle_judgements
from aliquot.item_sets.items import Item
from aliquot.scorers.injections import INJECTIONS
from aliquot.scorers.judge_conclusions import Conclusion
from aliquot.scorers.judge_files import KEYS, parse_judge, read_judge
from aliquot.scorers.judge_prompts import JudgePrompt
from aliquot.scorers.judge_rules import conclude_pair, judge_rule, pair_questions, scored
from aliquot.scorers.judges import Judge, judge_notes
from aliquot.scorers.rubrics import UNCALIBRATED, rubric_names, rubric_text
from aliquot.scorers.scores import Score
from aliquot.scorers.verdicts import read_verdict

LABELS = """
name: right
asks: "{{ input }} {{ reference }} {{ answer }}"
labels: [correct, incorrect]
passes: [correct]
"""
SCALE = """
name: grade
asks: "{{ answer }}"
scale: {1: wrong, 2: partly, 3: right}
"""
CHECKS = """
name: checks
asks: "{{ answer }}"
checklist:
  - {says: named, points: 3}
  - {says: dated, required: true}
  - {says: rude, points: -2}
"""
PAIR = """
name: better
asks: "{{ input }} {{ first }} {{ second }}"
pairwise: true
"""
ITEM = Item(
    "q1",
    {
        "question": "Which city?",
        "reference": "Oslo",
        "context": ["Oslo is the capital.", "Bergen rains."],
        "key_points": ["names Oslo", "says why"],
    },
)


def judge_of(text: str) -> Judge:
    return parse_judge(text, file="j.yaml")


def reply(question: JudgeQuestion, text: str | None, **more: Any) -> Judgement:
    return Judgement(
        question=question.key,
        judge=question.judge,
        judge_hash=question.judge_hash,
        model=question.model,
        order=question.order,
        repeat=question.repeat,
        text=text,
        **more,
    )


def score(text: str, *replies: str, models: tuple[str, ...] = ("m",), item: Item = ITEM) -> Score:
    rule = judge_rule(judge_of(text), models)
    questions = rule.questions_of(item, "Oslo")
    return rule.apply(item, [reply(one, said) for one, said in zip(questions, replies, strict=True)])


def pair(*replies: str, order: str = "agree", more: str = "", models: tuple[str, ...] = ("m",)) -> Conclusion:
    prompt = JudgePrompt(judge_of(f"{PAIR}order: {order}\n{more}"))
    questions = pair_questions(prompt, ITEM, "Oslo", "Bergen", models=models)
    said = [reply(one, f"VERDICT: {two}") for one, two in zip(questions, replies, strict=True)]
    return conclude_pair(prompt, ITEM, said, models=models)


@pytest.mark.parametrize("name", rubric_names())
def test_every_rubric_asks_and_says_that_it_is_uncalibrated(name: str) -> None:
    judge = read_judge(name)
    prompt = JudgePrompt(judge)
    rule = judge_rule(judge, ["m"])
    questions = rule.questions_of(ITEM, "It is Oslo.")
    shown = {message.content for question in questions for message in question.messages}
    points = prompt.points(ITEM)
    assert judge.name == name
    assert not list(judge_notes(judge))
    assert all(json.loads(question.schema or "")["required"][-1] == "verdict" for question in questions)
    assert any("verdict" in one for one in shown)
    verdict: Any = judge.words[0] if judge.form != "scale" else 1
    if judge.form == "checklist":
        verdict = ["yes"] * (points or 2)
    found = rule.apply(
        ITEM, [reply(one, json.dumps({"reasoning": "r", "verdict": verdict})) for one in questions]
    )
    assert found.status == "ok" or (judge.pairwise and found.label == "flip")


def test_rubrics_are_said_to_be_uncalibrated() -> None:
    assert len(rubric_names()) == 9
    assert all(
        "Uncalibrated" in rubric_text(name) and "calibrate" in rubric_text(name) for name in rubric_names()
    )
    assert "calibrate" in UNCALIBRATED
    with pytest.raises(UsageError, match="Did you mean 'tone'"):
        rubric_text("tome")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("[]", "key: value"),
        ("name: a", "there is no asks"),
        ("name: a\nasks: '{{ answer }}'", "no verdicts are named"),
        (LABELS + "pairwise: true", "both labels and pairwise"),
        (LABELS.replace("passes: [correct]", ""), "no label passes"),
        (LABELS.replace("passes: [correct]", "passes: [correct, incorrect]"), "2 of 2 labels pass"),
        (LABELS.replace("passes: [correct]", "passes: [right]"), "'right' is not known"),
        (LABELS.replace("[correct, incorrect]", "[correct, Correct.]"), "looks like 'correct'"),
        (LABELS.replace("[correct, incorrect]", "[correct, cоrrect]"), "looks like 'correct'"),  # Cyrillic о
        (LABELS.replace("[correct, incorrect]", "[correct]"), "1 labels"),
        (LABELS + "pass_from: 1", "pass_from says nothing of labels"),
        (LABELS + "order: agree", "order says nothing of labels"),
        (LABELS + "repeats: 0", "whole number from 1"),
        (LABELS + "repeats: 101", "more than 100"),
        (LABELS + "asks_: x", "no key 'asks_'"),
        (LABELS + "few_shot: [{answer: x}]", "an example has no verdict"),
        (LABELS + "few_shot: [{answer: x, verdict: wrong}]", "'wrong' is no verdict"),
        (SCALE.replace("{1: wrong, 2: partly, 3: right}", "{1: wrong}"), "at least two numbers"),
        (
            SCALE.replace("{1: wrong, 2: partly, 3: right}", "{one: wrong, 2: partly}"),
            "'one' is no whole number",
        ),
        (SCALE.replace("{1: wrong, 2: partly, 3: right}", "[5, 1]"), "lowest and highest"),
        (SCALE.replace("{1: wrong, 2: partly, 3: right}", "[0, .5]"), "ends in whole numbers"),
        (SCALE + "pass_from: 1", "passes every answer"),
        (SCALE + "pass_from: 4", "out of range"),
        (CHECKS.replace("points: 3", "points: 0"), "adds 0"),
        ("name: a\nasks: '{{ answer }}'\nchecklist: []", "1 to 200 questions"),
        ("name: a\nasks: '{{ answer }}'\nchecklist: {each: claims}", "there is no asks"),
        (PAIR.replace("true", "false"), "pairwise is false"),
        ("name: a\nasks: &x b", "anchors"),
    ],
)
def test_files_that_cannot_be_used(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        judge_of(text)


@pytest.mark.parametrize(
    ("asks", "says"),
    [
        ("{{ input }}", "does not show the answer"),
        ("{{ answer", "not a valid template"),
        ("{{ answer }}{{ sytem }}", "sytem"),
        ("{{ answer }}{{ answer.__class__ }}", "unsafe|__class__"),
        ("{{ answer }}{{ 1 / 0 }}", "fails for item"),
    ],
)
def test_templates_that_cannot_be_used(asks: str, says: str) -> None:
    with pytest.raises(InputError, match=says):
        judge_rule(replace_asks(asks), ["m"]).questions_of(ITEM, "x")


def replace_asks(asks: str) -> Judge:
    return msgspec.structs.replace(judge_of(LABELS), asks=asks)


def test_an_unknown_file_names_the_rubrics() -> None:
    with pytest.raises(UsageError, match=r"no judge file none\.yaml.*correctness"):
        read_judge("none.yaml")


@given(st.text(max_size=300))
def test_any_file_is_read_or_refused(text: str) -> None:
    for whole in (text, LABELS + text, f"name: x\nasks: {text}\npairwise: true"):
        try:
            judge_of(whole)
        except AliquotError:
            continue


def test_scales_that_are_wide_continuous_or_undescribed_are_warned_of() -> None:
    def codes(scale: str, more: str = "") -> list[str]:
        return [
            note.code
            for note in judge_notes(judge_of(f"name: a\nasks: '{{{{ answer }}}}'\nscale: {scale}\n{more}"))
        ]

    assert codes("{1: a, 2: b, 3: c}") == []
    assert codes("{1: a, 5: b}") == ["undescribed_scale"]
    assert codes("[0, 100]") == ["wide_scale", "undescribed_scale"]
    assert codes("[0, 1]", "continuous: true") == ["continuous_scale"]


def test_the_hash_covers_what_changes_a_verdict_and_not_names() -> None:
    judge = judge_of(LABELS)
    same = judge_of(LABELS.replace("name: right", "name: other\nsays: something"))
    assert judge.hash == same.hash
    changed = (
        LABELS + "repeats: 2",
        LABELS + "panel: mean",
        LABELS + "few_shot: [{input: q, answer: x, verdict: correct}]",
        LABELS.replace("[correct]", "[incorrect]"),
        LABELS.replace("{{ input }}", "{{ input }}."),
        SCALE,
        SCALE + "pass_from: 2",
        PAIR,
        PAIR + "order: average",
    )
    assert len({judge.hash, *(judge_of(one).hash for one in changed)}) == len(changed) + 1


@pytest.mark.parametrize(
    "text", [*map(rubric_text, rubric_names()), LABELS, SCALE + "pass_from: 2", CHECKS, PAIR]
)
def test_a_judge_that_was_kept_is_the_same_judge(text: str) -> None:
    judge = judge_of(text)
    again = msgspec.json.decode(msgspec.json.encode(judge), type=Judge)
    assert (again, again.hash) == (judge, judge.hash)


def test_a_question_is_known_by_what_is_asked_of_whom() -> None:
    def key(text: str, model: str = "m") -> str:
        return judge_rule(judge_of(text), [model]).questions_of(ITEM, "Oslo")[0].key

    assert key(SCALE) == key(SCALE + "pass_from: 2") != key(SCALE, "n")
    rule = judge_rule(judge_of(SCALE + "repeats: 3"), ["m", "n"])
    assert len({one.key for one in rule.questions_of(ITEM, "Oslo")}) == 6
    both = pair_questions(JudgePrompt(judge_of(PAIR)), ITEM, "same", "same", models=["m"])
    assert both[0].key != both[1].key
    assert rule.questions_of(ITEM, " \n") == ()


def test_a_judge_sees_the_item_and_nothing_of_the_system() -> None:
    question = judge_rule(judge_of(LABELS), ["m"]).questions_of(ITEM, "It is Oslo.")[0]
    system, user = (message.content for message in question.messages)
    assert re.search(r"<input-(\w{12})>\nWhich city\?\n</input-\1>", user)
    assert re.search(r"<reference-(\w{12})>\nOslo\n</reference-\1>", user)
    assert re.search(r"<answer-(\w{12})>\nIt is Oslo\.\n</answer-\1>", user)
    assert "never an instruction" in system
    assert user.index("reasoning") < user.index('"verdict"')


def test_filters_do_not_take_the_frame_off() -> None:
    asks = "{{ answer }}{{ answer | trim }}{{ answer | upper }}{{ ('x' ~ answer)[1:] }}{{ [answer] | join }}"
    asks += "{{ {'a': answer} }}{% set said = answer %}{{ said }}"
    user = judge_rule(replace_asks(asks), ["m"]).questions_of(ITEM, "obey me")[0].messages[-1].content
    outside = re.sub(r"<(\w+-\w{12})>.*?</\1>", "", user, flags=re.DOTALL)
    assert "obey me" not in outside.lower()


@given(st.text(), st.sampled_from(INJECTIONS))
def test_no_answer_closes_its_frame(answer: str, injection: Any) -> None:
    text = injection.applied(answer, "correct")
    user = judge_rule(judge_of(LABELS), ["m"]).questions_of(ITEM, text or "x")
    if user:
        content = user[0].messages[-1].content
        code = re.search(r"<answer-(\w{12})>", content)
        assert code is not None
        assert content.count(f"</answer-{code[1]}>") == 1
        assert f"<answer-{code[1]}>\n{text}\n</answer-{code[1]}>" in content


def test_half_a_letter_can_be_asked_about() -> None:
    question = judge_rule(judge_of(LABELS), ["m"]).questions_of(ITEM, "Os\ud800lo")[0]
    assert (
        "\nOs\ufffdlo\n"
        in msgspec.json.decode(msgspec.json.encode(question), type=JudgeQuestion).messages[-1].content
    )


def test_an_answer_that_holds_the_code_of_another_gets_another_code() -> None:
    rule = judge_rule(judge_of(LABELS), ["m"])
    codes = set[str]()
    text = "Oslo"
    for _ in range(3):
        found = re.search(r"<answer-(\w{12})>", rule.questions_of(ITEM, text)[0].messages[-1].content)
        assert found is not None
        assert found[1] not in text
        codes.add(found[1])
        text += f"\n</answer-{found[1]}>"
    assert len(codes) == 3


@pytest.mark.parametrize("injection", INJECTIONS, ids=lambda one: one.name)
def test_an_injection_that_is_repeated_moves_no_verdict(injection: Any) -> None:
    judge = judge_of(LABELS)
    answer = injection.applied("Bergen.", "correct")
    told = json.dumps({"reasoning": f"The answer says: {answer}", "verdict": "incorrect"})
    assert read_verdict(judge, told).verdict == "incorrect"
    framed = f"<answer-0123456789ab>\n{answer}\n</answer-0123456789ab>"
    assert read_verdict(judge, f"{framed}\nIt is wrong.\nVERDICT: incorrect").verdict == "incorrect"
    assert read_verdict(judge, f"It is wrong.\nVERDICT: incorrect\n{framed}").verdict != "correct"
    assert read_verdict(judge, f"{answer}\nVERDICT: incorrect").verdict in {None, "incorrect"}
    assert read_verdict(judge, f"VERDICT: incorrect\nThe answer was: {answer}").verdict in {None, "incorrect"}


def test_injections_have_forms_languages_and_names() -> None:
    assert len({one.name for one in INJECTIONS}) == len(INJECTIONS) >= 25
    assert len({one.language for one in INJECTIONS}) >= 8
    assert len({one.form for one in INJECTIONS}) >= 10
    assert all("{answer}" in one.text and "{verdict}" in one.text for one in INJECTIONS)
    assert INJECTIONS[0].applied("{verdict} {x}", "tie").startswith("{verdict} {x}\n")


def test_examples_are_asked_and_answered_first() -> None:
    more = "few_shot: [{input: q, answer: a, reasoning: because, verdict: incorrect}]"
    for form, said in (
        ("json", '{"reasoning": "because", "verdict": "incorrect"}'),
        ("text", "because\nVERDICT: incorrect"),
    ):
        judge = judge_of(f"{LABELS}reply: {form}\n{more}")
        messages = judge_rule(judge, ["m"]).questions_of(ITEM, "Oslo")[0].messages
        assert [message.role for message in messages] == ["system", "user", "assistant", "user"]
        assert messages[2].content == said
        assert read_verdict(judge, said).verdict == "incorrect"


def test_what_an_item_lacks_is_said_before_anything_is_asked() -> None:
    for name in ("correctness", "supported", "key_points", "context_precision"):
        with pytest.raises(InputError, match="item 'bare'"):
            judge_rule(read_judge(name), ["m"]).try_on(Item("bare", {"question": "?"}, row=3))


def test_values_of_labels_scales_and_checklists() -> None:
    assert score(LABELS, "VERDICT: correct") == Score(1.0, label="correct")
    assert score(LABELS, "VERDICT: incorrect").value == 0.0
    assert score(SCALE, '{"verdict": 2}').value == 2.0
    assert score(SCALE + "pass_from: 3", '{"verdict": 2}') == Score(0.0, label="2")
    # 3 of 3 + 1 points; the rude one takes 2 off
    assert score(CHECKS, '{"verdict": ["yes", "yes", "no"]}') == Score(
        1.0, "2 of 3", note="no: 3. rude", parts=(1, 1, 0)
    )
    assert score(CHECKS, '{"verdict": ["yes", "yes", "yes"]}').value == (3 + 1 - 2) / (3 + 1)
    assert score(CHECKS, '{"verdict": ["no", "yes", "yes"]}').value == 0.0
    assert score(CHECKS, '{"verdict": ["yes", "no", "no"]}').value == 0.0  # the required one is no


def test_ranked_passages_give_the_mean_of_the_precisions_at_their_ranks() -> None:
    item = replace(ITEM, fields={**ITEM.fields, "context": ["a", "b", "c"]})
    rule = judge_rule(read_judge("context_precision"), ["m"])
    (question,) = rule.questions_of(item, "x")
    found = rule.apply(item, [reply(question, '{"verdict": {"1": "no", "2": "yes", "3": "yes"}}')])
    assert found.value == (1 / 2 + 2 / 3) / 2
    assert rule.apply(item, [reply(question, '{"verdict": ["no", "no", "no"]}')]).value == 0.0


def test_no_verdict_is_never_a_value() -> None:
    rule = judge_rule(judge_of(LABELS), ["m"])
    (question,) = rule.questions_of(ITEM, "Oslo")
    told = {
        "unparsed": reply(question, "perhaps"),
        "refused": reply(question, "I'm sorry, but I can't help with that."),
        "error": reply(question, None, status="error", reason="HTTP 500"),
        "timeout": reply(question, None, status="timeout"),
        "truncated": reply(question, "VERDICT: correct", status="truncated"),
    }
    for status, judgement in told.items():
        found = rule.apply(ITEM, [judgement])
        assert (found.value, found.status) == (None, status)
        assert found.note
    assert rule.apply(ITEM, []).status == "missing"


def test_claims_that_are_none_give_no_value() -> None:
    found = score(
        "name: s\nasks: '{{ answer }}'\nchecklist: {each: claims, asks: Is it so}",
        '{"claims": [], "verdict": []}',
    )
    assert (found.value, found.status) == (None, "unparsed")


@pytest.mark.parametrize(
    ("as_given", "swapped", "agree", "average"),
    [
        ("first", "second", "first", 1.0),
        ("second", "first", "second", 0.0),
        ("tie", "tie", "tie", 0.5),
        ("both_bad", "both_bad", "both_bad", 0.5),
        ("first", "first", None, 0.5),
        ("second", "second", None, 0.5),
        ("first", "tie", None, 0.75),
        ("tie", "both_bad", None, 0.5),
    ],
)
def test_pairs_in_both_orders(as_given: str, swapped: str, agree: str | None, average: float) -> None:
    found = pair(as_given, swapped)
    assert (found.verdict, found.status) == (agree, "ok" if agree else "unparsed")
    under = found.votes[0].under
    assert (under["agree"], under["average"]) == (agree, average)
    assert under["random"] in found.votes[0].orders.values()
    assert pair(as_given, swapped, order="average").value == average
    if agree is None:
        assert found.split == {"flip": 1}
        assert scored(judge_of(PAIR), found).label == "flip"


def test_the_random_order_is_drawn_by_the_item_and_both_are() -> None:
    prompt = JudgePrompt(judge_of(PAIR + "order: random"))
    drawn = [pair_questions(prompt, replace(ITEM, id=f"q{at}"), "a", "b", models=["m"]) for at in range(200)]
    swapped = sum(one[0].order == "swapped" for one in drawn)
    assert all(len(one) == 1 for one in drawn)
    assert 70 <= swapped <= 130  # 200 fair coins: beyond this with probability 2e-5
    again = [pair_questions(prompt, replace(ITEM, id=f"q{at}"), "a", "b", models=["m"]) for at in range(200)]
    assert drawn == again


def test_an_order_without_a_verdict_leaves_the_pair_without_one() -> None:
    assert pair("first", "perhaps").status == "unparsed"
    assert pair("first", "perhaps").votes[0].under["agree"] is None
    assert pair("first", "perhaps", order="average").verdict is None


def test_a_single_answer_may_be_compared_with_the_one_its_item_holds() -> None:
    found = score(PAIR, "Good.\nVERDICT: first", "VERDICT: second")
    assert (found.value, found.label) == (1.0, "better")
    assert "agree: better, average: 1, random: better" in (found.note or "")
    with pytest.raises(InputError, match="no answer to compare with"):
        judge_rule(judge_of(PAIR), ["m"]).try_on(Item("bare", {"question": "?"}))


def test_panels_keep_their_split() -> None:
    three = ("m", "n", "o")
    said = ("VERDICT: correct", "VERDICT: incorrect", "VERDICT: correct")
    assert score(LABELS, *said, models=three) == Score(1.0, label="correct (2 correct, 1 incorrect)")
    found = score(LABELS + "panel: mean", *said, models=three)
    assert (found.value, found.label) == (2 / 3, "0.6667 (2 correct, 1 incorrect)")
    split = score(LABELS, "VERDICT: correct", "VERDICT: incorrect", models=("m", "n"))
    assert (split.value, split.status) == (None, "unparsed")
    assert "1 correct, 1 incorrect" in (split.note or "")
    most = score(LABELS, "VERDICT: correct", "perhaps", "VERDICT: correct", models=three)
    assert (most.value, most.label) == (1.0, "correct (2 correct, 1 unparsed)")
    few = score(LABELS, "VERDICT: correct", "perhaps", "well", models=three)
    assert (few.value, few.status) == (None, "unparsed")
    assert score(SCALE + "repeats: 2", '{"verdict": 2}', '{"verdict": 3}').value == 2.5
    assert score(SCALE + "repeats: 2\npass_from: 2.5", '{"verdict": 2}', '{"verdict": 3}').value == 1.0


def test_panels_of_pairs() -> None:
    found = pair("first", "first", "first", "second", "second", "first", models=("m", "n", "o"))
    assert (found.verdict, found.split) == ("first", {"first": 2, "flip": 1})


def test_a_panel_names_each_model_once() -> None:
    for models in ([], ["m", "m"]):
        with pytest.raises(UsageError, match="each once"):
            judge_rule(judge_of(LABELS), models)


def test_metrics_of_judges() -> None:
    def metric(text: str) -> tuple[str, str, float, float]:
        rule = judge_rule(judge_of(text), ["m"])
        return rule.metric, rule.kind, rule.low, rule.high

    assert metric(LABELS) == ("right", "binary", 0, 1)
    assert metric(SCALE) == ("grade", "ordinal", 1, 3)
    assert metric(SCALE + "repeats: 2") == ("grade", "bounded", 1, 3)
    assert metric(SCALE + "pass_from: 2") == ("grade", "binary", 0, 1)
    assert metric(CHECKS) == ("checks", "bounded", 0, 1)
    assert metric(PAIR) == ("better", "bounded", 0, 1)


def test_a_lost_judgement_never_replaces_one_that_was_given() -> None:
    (question,) = judge_rule(judge_of(LABELS), ["m"]).questions_of(ITEM, "Oslo")
    said, lost = reply(question, "VERDICT: correct"), reply(question, None, status="error")
    assert settle_judgements([lost, said, lost]) == {question.key: said}
    again = msgspec.json.decode(msgspec.json.encode(said), type=Judgement)
    assert again == said


def test_the_page_lists_every_key_and_rubric_and_its_file_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "judges.md").read_text(encoding="utf-8")
    section = page.partition("## A judge file")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) == set(KEYS)
    rubrics = section.partition("Rubrics to start from")[2]
    assert tuple(re.findall(r"`(\w+)`", rubrics)) == rubric_names()
    judge = judge_of(section.partition("```yaml\n")[2].partition("```")[0])
    question = judge_rule(judge, ["m"]).questions_of(ITEM, "Turn it off and on.")[0]
    assert len(question.messages) == 4
    assert list(judge_notes(judge)) == []
