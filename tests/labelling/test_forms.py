"""The questions of a form: what may be said, and as which label it stands beside a judge's."""

from __future__ import annotations

import pytest

from aliquot.errors import InputError, UsageError
from aliquot.labelling.form import form_of, grade_of, label_of, options_of, read_value, readable
from aliquot.scorers.judge_files import parse_judge, read_judge
from aliquot.scorers.judges import Judge, Point, Scale


def question(judge: Judge):
    return form_of([judge]).questions[0]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("answer_relevance", "scale"),
        ("correctness", "choice"),
        ("key_points", "checklist"),
        ("preference", "pair"),
    ],
)
def test_rubrics_that_come_along_are_forms(name, kind):
    assert question(read_judge(name)).kind == kind


@pytest.mark.parametrize("name", ["supported", "context_recall"])
def test_a_rubric_whose_questions_a_model_finds_is_none(name):
    with pytest.raises(UsageError, match="which a model finds"):
        question(read_judge(name))


def test_what_is_asked_is_read_without_the_places_for_texts():
    first, second = question(read_judge("preference")).asks.split("\n\n")
    assert first == "A question and two answers to it."
    assert second.startswith(
        "Which answer serves the person who asked better? Being right comes first, then being"
    )
    assert "\n" not in second
    text = "{% if reference %}\n{{ reference }}\n{% endif %}\nIs it right?\n- one\n- two"
    assert readable(text) == "Is it right?\n- one\n- two"


THREE = Judge(
    name="q", asks="?", labels=(("correct", ""), ("partly", ""), ("wrong", "")), passes=("correct", "partly")
)
YES_NO = Judge(name="q", asks="?", labels=(("yes", ""), ("no", "")), passes=("yes",))
TURNED = Judge(name="q", asks="Is it harmful?", labels=(("yes", ""), ("no", "")), passes=("no",))
GRADES = Judge(name="q", asks="?", scale=Scale(low=1, high=5), pass_from=4.0)
BARE = Judge(name="q", asks="?", scale=Scale(low=1, high=5))
POINTS = Judge(
    name="q",
    asks="?",
    points=(
        Point(says="a", points=2),
        Point(says="b"),
        Point(says="c", required=True),
        Point(says="d", points=-1),
    ),
)
PASSING = Judge(name="q", asks="?", points=(Point(says="a"), Point(says="b")), pass_from=1.0)


@pytest.mark.parametrize(
    ("judge", "value", "label", "grade"),
    [
        (THREE, "partly", "pass", "partly"),
        (THREE, "wrong", "fail", "wrong"),
        (YES_NO, "no", "no", None),
        (TURNED, "yes", "fail", "yes"),  # read as a value, yes would be 1
        (GRADES, 4.0, "pass", "4"),
        (GRADES, 3.0, "fail", "3"),
        (BARE, 3.0, "3", None),
        (POINTS, (True, True, True, False), "1", None),  # 2 + 1 + 1 of 4
        (POINTS, (True, False, True, True), "0.5", None),  # 2 + 1 - 1 of 4
        (POINTS, (True, True, False, False), "0", None),  # a required point is missing
        (PASSING, (True, False), "fail", "0.5"),
        (PASSING, (True, True), "pass", "1"),
    ],
)
def test_a_label_is_what_the_judges_own_metric_would_say(judge, value, label, grade):
    asked = question(judge)
    assert label_of(asked, value) == label
    assert grade_of(asked, value) == grade


@pytest.mark.parametrize(
    ("judge", "said"),
    [
        (THREE, "Correct"), (THREE, 1), (THREE, None), (THREE, ["correct"]), (THREE, {"a": 1}),
        (GRADES, 0), (GRADES, 6), (GRADES, 2.5), (GRADES, "high"), (GRADES, True), (GRADES, None),
        (GRADES, float("nan")),
        (PASSING, [True]), (PASSING, [True, True, True]), (PASSING, "yes"), (PASSING, [1.5, 0]), (PASSING, None),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_refused_with_what_would_be(judge, said):
    with pytest.raises(InputError, match=r"is no answer to 'q'\. Say "):
        read_value(question(judge), said, points=2)


def test_wide_and_continuous_scales_are_numbers_to_type():
    wide = question(Judge(name="q", asks="?", scale=Scale(low=0, high=100)))
    assert (wide.kind, options_of(wide)) == ("number", ())
    assert read_value(wide, 61, points=0) == 61.0
    for said in (100.5, 60.5, "many", float("inf"), True):
        with pytest.raises(InputError, match="a whole number from 0 to 100"):
            read_value(wide, said, points=0)
    assert (
        read_value(
            question(Judge(name="q", asks="?", scale=Scale(low=0, high=1, continuous=True))), 0.25, points=0
        )
        == 0.25
    )


def test_codes_are_short_names_each_once():
    asked = form_of([], codes=[]).questions[0]
    assert read_value(asked, ["wrong  tool", "wrong tool", ""], points=0) == ("wrong tool",)
    for said in (["a, b"], ["x" * 61], ["a"] * 21, "wrong tool", [1]):
        with pytest.raises(InputError):
            read_value(asked, said, points=0)


def test_forms_that_do_not_go_together_are_refused():
    with pytest.raises(UsageError, match="two questions are called 'q'"):
        form_of([THREE, BARE])
    with pytest.raises(UsageError, match="two projects"):
        form_of([read_judge("preference"), THREE])
    assert form_of([THREE]).hash != form_of([YES_NO]).hash


def test_the_version_changes_with_what_is_read_and_not_with_how_the_file_is_laid_out():
    text = "name: q\nasks: |\n  Right?\n  {{ answer }}\nlabels: {a: good, b: bad}\npasses: [a]\n"
    one, other = (form_of([parse_judge(said, file="r.yaml")]) for said in (text, f"# a remark\n{text}"))
    assert one.rubric == other.rubric
    assert form_of([parse_judge(text.replace("good", "fine"), file="r.yaml")]).rubric != one.rubric
