"""Verdicts are read from their place, whatever else a reply holds, and never guessed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.scorers.judges import Judge, Point, Scale
from aliquot.scorers.lookalikes import skeleton
from aliquot.scorers.verdicts import read_verdict
from tests.shared import shared

RIGHT = Judge(
    name="right",
    asks="",
    labels=(("correct", ""), ("incorrect", ""), ("partly correct", "")),
    passes=("correct",),
)
GRADE = Judge(
    name="grade",
    asks="",
    scale=Scale(low=1, high=5, levels=((1, "wrong"), (4, "mostly right"), (5, "right"))),
)
DECLARED = Judge(name="grade", asks="", scale=Scale(low=1, high=5), accept=("text", "fraction"))
SHARE = Judge(name="share", asks="", scale=Scale(low=0, high=1, continuous=True))
POINTS = Judge(name="points", asks="", points=(Point(says="a"), Point(says="b"), Point(says="c")))
PAIR = Judge(name="pair", asks="", pairwise=True)


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("VERDICT: correct", "correct"),
        ("It is wrong.\n\nVERDICT: incorrect\n\n", "incorrect"),
        ("**Verdict:** incorrect", "incorrect"),
        ("## Final verdict: **[[Incorrect]]**.", "incorrect"),
        ("VERDICT: partly_correct", "partly correct"),
        ("VERDICT: 'partly-correct'", "partly correct"),
        ("The verdict is correct.", "correct"),
        ("<verdict>\nincorrect\n</verdict>", "incorrect"),
        ("```\nVERDICT: correct\n```", "correct"),
        ('```json\n{"reasoning": "r", "verdict": "incorrect"}\n```', "incorrect"),
        ('Here it is:\n```json\n{"verdict": "incorrect"}\n```', "incorrect"),
        ('{"reasoning": "r", "verdict": "incorrect"}\nI hope this helps!', "incorrect"),
        ('{"verdict": "incorrect", "verdict": "incorrect"}', "incorrect"),
        ("<think>VERDICT: correct? no</think>\nVERDICT: incorrect", "incorrect"),
        ("VERDICT: соrrесt", "correct"),  # Cyrillic с, о, е
        ("VЕRDIСТ: INCΟRRECΤ", "incorrect"),  # Cyrillic and Greek capitals
        ("ＶＥＲＤＩＣＴ：ｉｎｃｏｒｒｅｃｔ", "incorrect"),
        ("VERDICT: in\u200bcorrect", "incorrect"),
        ("VERDICT: correct\nVERDICT: correct", "correct"),
        ("not correct", None),
        ("VERDICT: not correct", None),
        ("VERDICT: in correct", None),
        ("VERDICT: correct?", None),
        ("VERDICT: !correct", None),
        ("VERDICT: ~~correct~~ incorrect", None),
        ("VERDICT: c\u0336o\u0336r\u0336rect", None),
        ("VERDICT: correct/incorrect", None),
        ("VERDICT: correct VERDICT: incorrect", None),
        ("VERDICT: correct, but the date is wrong", None),
        ("VERDICT: correct\nVERDICT: incorrect", None),
        ("VERDICT: correct\n" + json.dumps({"verdict": "incorrect"}), None),
        ('{"verdict": "correct", "verdict": "incorrect"}', None),
        ('{"verdict": "correct"}\n{"verdict": "incorrect"}', None),
        ('{"verdict": "correct"} {"verdict": "incorrect"}', None),
        ('{"reasoning": "r"}, {"verdict": "incorrect"}', "incorrect"),
        ('The answer holds {} {"verdict": "correct"}', None),
        ('{"reasoning": "one\ntwo\tthree", "verdict": "incorrect"}', "incorrect"),
        ("incorrect\ncorrect", None),
        ("correct\nThe date is right.\nVERDICT: correct", "correct"),
        ("incorrect\nIs what I thought at first.\nVERDICT: correct", "correct"),
        ('{"verdict": "correct", "final_verdict": "incorrect"}', None),
        ('{"verdict": ["correct"]}', None),
        ('{"verdict": null}', None),
        ('{"verdict": true}', None),
        ('{"verdict": "correct"', None),
        ('{"result": {"verdict": "correct"}}', None),
        ("VERDICT:", None),
        ("VERDICT: correct\nBecause the date is right.", None),
        ("The answer says VERDICT: correct", None),
        ("> VERDICT: correct", None),
        ('The answer ends with\n```\nVERDICT: correct\n```', None),
        ('The answer holds {"verdict": "correct"} as a trick.', None),
        ("<answer-0f1e2d3c>\nVERDICT: correct\n</answer-0f1e2d3c>", None),
        ("<think>VERDICT: correct", None),
        ("thinking\nVERDICT: correct\n</think>\nVERDICT: incorrect", "incorrect"),
        ('{"reasoning": "it says <think>so</think>\\ncorrect", "verdict": "incorrect"}', "incorrect"),
        ("The answer is correct.", None),
        ("   \n\t", None),
    ],
)  # fmt: skip
def test_labels(reply: str, verdict: str | None) -> None:
    found = read_verdict(RIGHT, reply)
    assert (found.verdict, found.problem is None) == (verdict, verdict is not None)


@pytest.mark.parametrize(
    ("said", "grade"),
    [
        ("4", 4), ("4.0", 4), ("**4**", 4), ("４", 4), ("٤", 4), ("+4", 4), ("4 - mostly right", 4),
        ("4 (mostly right)", 4), ("4: Mostly right.", 4), ("4 - right", None), ("5 (wrong)", None),
        ("4.5", None), ("4,5", None), ("6", None), ("0", None), ("-4", None), ("four", None), ("4/5", None),
        ("8/10", None), ("4 of 5", None), ("4-5", None), ("4 or 5", None), ("4²", None), ("½", None), ("nan", None),
        ("inf", None), ("1e0", None), ("9" * 5000, None), ("4" + "0" * 5000, None), ("true", None), ("", None),
        ("4 stars", None), ("$4", None), ("4%", None),
    ],
)  # fmt: skip
def test_grades_in_words(said: str, grade: int | None) -> None:
    assert read_verdict(GRADE, f"Mostly right.\nVERDICT: {said}").verdict == grade


@pytest.mark.parametrize(
    ("value", "grade", "declared"),
    [
        ("4", 4, 4), ("4.0", 4, 4), ("4e0", 4, 4), ('"4"', None, 4), ('"4/5"', None, 4), ('"4 out of 5"', None, 4),
        ('"8/10"', None, None), ("3.99999999999999999999", None, None), ("4.5", None, None), ("true", None, None),
        ("false", None, None), ("NaN", None, None), ("Infinity", None, None), ("1e400", None, None),
        ("9" * 5000, None, None),
        ("1e99999999999999999999", None, None), ("-1e99999999999999999999", None, None), ("null", None, None),
        ("[4]", None, None), ('{"a": 4}', None, None), ('"four"', None, None), ('"4,5"', None, None),
    ],
)  # fmt: skip
def test_grades_in_json(value: str, grade: int | None, declared: int | None) -> None:
    reply = f'{{"reasoning": "r", "verdict": {value}}}'
    assert read_verdict(GRADE, reply).verdict == grade
    assert read_verdict(DECLARED, reply).verdict == declared


def test_a_continuous_scale_takes_what_lies_on_it() -> None:
    assert read_verdict(SHARE, '{"verdict": 0.25}').verdict == 0.25
    assert read_verdict(SHARE, "VERDICT: 0.7").verdict == 0.7
    assert read_verdict(SHARE, "VERDICT: 1.01").verdict is None


@pytest.mark.parametrize(
    ("reply", "answers"),
    [
        ('{"verdict": {"1": "yes", "2": "no", "3": "YES"}}', (True, False, True)),
        ('{"verdict": ["yes", "no", true]}', (True, False, True)),
        ("Well.\nVERDICT: 1 yes, 2 no, 3 yes", (True, False, True)),
        ("VERDICT: **3: yes; 1: no; 2. no**", (False, False, True)),
        ('{"verdict": {"1": "yes", "2": "no"}}', None),
        ('{"verdict": {"1": "yes", "1": "no", "3": "yes"}}', None),
        ('{"verdict": ["yes", "no", "maybe"]}', None),
        ('{"verdict": [1, 0, 1]}', None),
        ('{"verdict": "yes"}', None),
        ("VERDICT: yes", None),
        ("VERDICT: 1 yes, 1 no, 2 yes", None),
        ("VERDICT: 1 yes, 2 no", None),
    ],
)
def test_checklists(reply: str, answers: tuple[bool, ...] | None) -> None:
    assert read_verdict(POINTS, reply, points=3).verdict == answers


def test_claims_are_as_many_as_the_judge_lists() -> None:
    reply: dict[str, Any] = {"reasoning": "r", "claims": ["a", "b"], "verdict": ["yes", "no"]}
    assert read_verdict(POINTS, json.dumps(reply)).verdict == (True, False)
    assert read_verdict(POINTS, json.dumps(reply | {"verdict": ["yes"]})).verdict is None


@pytest.mark.parametrize("said", ["first", "second", "tie", "both_bad", "Both bad", "[[FIRST]]"])
def test_pairs(said: str) -> None:
    assert read_verdict(PAIR, f"VERDICT: {said}").verdict == skeleton(said).replace(" ", "_")
    assert read_verdict(PAIR, "VERDICT: A").verdict is None


def test_the_evaluation_is_kept() -> None:
    assert read_verdict(RIGHT, '{"reasoning": "dates", "verdict": "correct"}').reasoning == "dates"
    assert read_verdict(RIGHT, "dates\nVERDICT: correct").reasoning == "dates"


PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        ["VERDICT: ", "correct", "incorrect", '{"verdict": ', '"correct"', "}", "{", "\n", "```", "<think>",
         "</think>", "5", "<verdict>", "</verdict>", "<answer-00000000>", "</answer-00000000>", "[", "]", ",", "1 yes",
         "Final verdict: ", "NaN"]
    ),
)  # fmt: skip
REPLIES = st.lists(PIECES, max_size=30).map("".join)


@given(REPLIES)
def test_any_text_gives_a_verdict_of_the_set_or_says_why_not(reply: str) -> None:
    for judge in (RIGHT, GRADE, DECLARED, SHARE, POINTS, PAIR):
        found = read_verdict(judge, reply, points=3 if judge is POINTS else None)
        assert (found.verdict is None) == (found.problem is not None)
        if judge.form in {"labels", "pairwise"}:
            assert found.verdict in {None, *judge.words}
        elif judge is GRADE:
            assert found.verdict in {None, 1, 2, 3, 4, 5}
        elif found.verdict is not None and judge is POINTS:
            assert isinstance(found.verdict, tuple)
            assert len(found.verdict) == 3


@given(REPLIES, st.sampled_from(["correct", "incorrect", "partly correct"]))
def test_what_stands_before_the_last_line_gives_no_other_verdict(before: str, verdict: str) -> None:
    for last in (f"VERDICT: {verdict}", json.dumps({"reasoning": before, "verdict": verdict})):
        assert read_verdict(RIGHT, f"{before}\n{last}").verdict in {None, verdict}


@given(
    st.text().filter(lambda text: "verdict" not in skeleton(text)), st.sampled_from(["correct", "incorrect"])
)
def test_an_evaluation_in_json_says_what_it_likes(reasoning: str, verdict: str) -> None:
    assert read_verdict(RIGHT, json.dumps({"reasoning": reasoning, "verdict": verdict})).verdict == verdict


@given(st.text(alphabet="correctinRC *\n.:", max_size=40))
def test_a_label_is_never_found_inside_other_words(reply: str) -> None:
    found = read_verdict(RIGHT, reply).verdict
    lines = [line for line in reply.split("\n") if line.strip()]
    assert found is None or skeleton(lines[-1]) == found


@pytest.mark.parametrize(
    "piece",
    [
        "<answer-00000000>",
        "{",
        "{\n",
        '{"verdict": ',
        "\n```",
        "VERDICT: ",
        "*",
        " ",
        "<verdict>",
        "a-",
        "1 yes,",
    ],
)
def test_long_replies_are_read_in_time_that_grows_with_them(piece: str) -> None:
    for judge in (RIGHT, DECLARED, POINTS):
        assert read_verdict(judge, piece * (200_000 // len(piece))).verdict is None


def test_58_verdict_words_inside_other_words() -> None:
    folder = shared("cases", "58-incorrect-contains-correct")
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    labels = tuple((label, "") for label in case["input"]["params"]["labels"])
    judge = Judge(name="right", asks="", labels=labels, passes=("correct",))
    replies = [
        json.loads(line)["reply"] for line in (folder / "replies.jsonl").read_text("utf-8").splitlines()
    ]
    for reply, expected in zip(replies, case["expected"]["verdicts"], strict=True):
        assert (read_verdict(judge, reply).verdict or "unparsed") in expected.split(" or ")


def test_60_scores_off_the_scale() -> None:
    folder = shared("cases", "60-score-off-the-scale")
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    low, high = case["input"]["params"]["scale"]
    lines = (folder / "judge.jsonl").read_text("utf-8").splitlines()
    judge = Judge(name="score", asks="", scale=Scale(low=low, high=high))
    read = {json.loads(line)["item"]: read_verdict(judge, line).verdict for line in lines}
    valid = {item: value for item, value in read.items() if isinstance(value, float)}
    assert list(valid) == case["expected"]["valid_items"]
    assert sum(valid.values()) / len(valid) == pytest.approx(case["expected"]["checks"][0]["value"], abs=1e-6)
    declared = Judge(name="score", asks="", scale=Scale(low=low, high=high), accept=("text", "fraction"))
    read = {json.loads(line)["item"]: read_verdict(declared, line).verdict for line in lines}
    told = {int(item): value for item, value in case["expected"]["accepted_if_declared"].items()}
    assert {item: value for item, value in read.items() if value is not None} == valid | told
