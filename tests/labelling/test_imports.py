"""Labels of other tools taken in: Label Studio, Argilla, promptfoo, tables; each step once, the latest stands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot import LabelDraw, agree, from_frame, label
from aliquot.errors import InputError, UsageError
from aliquot.readers.labels import read_labels
from aliquot.readers.options import ReadOptions
from aliquot.verbs.label import import_labels
from tests.labelling.projects import event, served
from tests.readers.mutations import JUNK, places, replaced
from tests.readers.promptfoo_samples import CONTAINS, component, export, row, write
from tests.shared import shared


def written(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def studio(path: Path) -> Path:
    def chosen(name: str, *choices: str, kind: str = "choices") -> dict[str, Any]:
        value = {kind: list(choices)} if kind == "choices" else {kind: int(choices[0])}
        return {"from_name": name, "to_name": "answer", "type": kind, "value": value}

    def annotation(who: Any, *result: dict[str, Any], **more: Any) -> dict[str, Any]:
        return {
            "id": 1,
            "completed_by": who,
            "result": list(result),
            "updated_at": "2026-10-01T10:00:00Z",
            "lead_time": 3.5,
            **more,
        }

    ana, ben = {"email": "ana@example.org"}, {"email": "ben@example.org"}
    first = [
        annotation(ana, chosen("right", "pass"), chosen("tone", "4", kind="rating")),
        annotation(ben, chosen("right", "fail")),
    ]
    second = [
        annotation(ana, chosen("right", "pass")),
        annotation(ben, chosen("right", "pass"), was_cancelled=True),
        annotation(12, {"from_name": "why", "type": "textarea", "value": {"text": ["fine"]}}),
    ]
    tasks = [
        {
            "id": 7,
            "data": {"item": "q1", "system": "a", "text": "2+2?"},
            "annotations": first,
            "predictions": [],
        },
        {
            "id": 8,
            "data": {"item": "q2", "system": "a", "text": "3+3?"},
            "annotations": second,
            "predictions": [],
        },
    ]
    return written(path, tasks)


def test_label_studio_gives_each_choice_under_its_question(tmp_path):
    found = read_labels(studio(tmp_path / "studio.json"))
    assert found.frame.select("item", "system", "rater", "metric", "label", "at").rows() == [
        ("q1", "a", "ana@example.org", "right", "pass", "2026-10-01T10:00:00+00:00"),
        ("q1", "a", "ana@example.org", "tone", "4", "2026-10-01T10:00:00+00:00"),
        ("q1", "a", "ben@example.org", "right", "fail", "2026-10-01T10:00:00+00:00"),
        ("q2", "a", "ana@example.org", "right", "pass", "2026-10-01T10:00:00+00:00"),
    ]
    assert agree(tmp_path / "studio.json", question="right").n_shared == 1


def test_argilla_gives_what_was_submitted_in_both_of_its_shapes(tmp_path):
    by_question = {
        "id": "q1",
        "fields": {"prompt": "2+2?"},
        "metadata": {"system": "a"},
        "responses": {
            "right": [
                {"value": "pass", "user_id": "u1"},
                {"value": "fail", "user_id": "u2", "status": "draft"},
            ],
            "rating": [{"value": 4, "user_id": "u1"}],
            "rank": [{"value": [{"value": "x", "rank": 1}], "user_id": "u1"}],
        },
    }
    by_rater = {
        "id": "q2",
        "fields": {},
        "responses": [
            {"user_id": "u1", "status": "submitted", "values": {"right": {"value": "fail"}}},
            {"user_id": "u2", "status": "discarded", "values": {"right": {"value": "pass"}}},
        ],
    }
    found = read_labels(
        written(tmp_path / "argilla.jsonl", f"{json.dumps(by_question)}\n{json.dumps(by_rater)}\n")
    )
    assert found.frame.select("item", "system", "rater", "metric", "label").rows() == [
        ("q1", "a", "u1", "right", "pass"),
        ("q1", "a", "u1", "rating", "4"),
        ("q2", None, "u1", "right", "fail"),
    ]


EMPTY = {"type": "choices", "value": {"choices": []}}


@pytest.mark.parametrize(
    "tasks",
    [
        [{"id": 1, "data": {}, "annotations": []}],
        [{"id": 1, "data": None, "annotations": None}],
        [{"id": 1, "data": [], "annotations": [3, None, {"result": [1, {"type": 5}, {"type": "choices"}, EMPTY]}]}],
        [{"id": 1, "fields": {}, "responses": {"q": [{"value": {"a": 1}}, 7, None, {"value": ""}]}}],
        [{"id": 1, "fields": {}, "responses": [{"values": 3}, 3]}],
    ],
)  # fmt: skip
def test_exports_without_a_label_are_one_error(tmp_path, tasks):
    with pytest.raises(InputError, match="holds no label"):
        read_labels(written(tmp_path / "x.json", tasks))


def test_a_task_that_names_nothing_is_said(tmp_path):
    tasks = [{"data": {}, "annotations": [{"result": [{"type": "choices", "value": {"choices": ["a"]}}]}]}]
    with pytest.raises(InputError, match=r"names no item.*as item"):
        read_labels(written(tmp_path / "x.json", tasks))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), junk=JUNK)
def test_any_value_in_any_place_gives_labels_or_one_error(tmp_path, data, junk):
    tasks = json.loads(studio(tmp_path / "studio.json").read_text())
    where = data.draw(st.sampled_from(places(tasks)[1:]))
    changed = json.dumps(replaced(tasks, where, junk))
    said = "x"
    try:
        assert read_labels(written(tmp_path / "changed.json", changed)).frame.height > 0
    except (InputError, UsageError) as error:
        said = str(error)
    assert said
    assert "\n" not in said


def sums(path: Path, *, items: int = 10) -> Path:
    rows = [
        {"item": f"q{i}", "system": "a", "input": f"{i}+{i}?", "output": str(2 * i), "value": 1}
        for i in range(items)
    ]
    pl.DataFrame(rows).write_ndjson(path)
    return path


def test_labels_of_other_tools_stand_beside_those_of_the_page(tmp_path):
    made = label(sums(tmp_path / "log.jsonl"), raters=["ana"], project=tmp_path / "p", draw=LabelDraw(n=5))
    tasks = json.loads(studio(tmp_path / "studio.json").read_text())
    for task in tasks:
        for one in task["annotations"]:
            one["result"] = [part for part in one["result"] if part["from_name"] == "right"]
    exported = written(tmp_path / "studio.json", tasks)
    assert import_labels(made, [exported]) == 3
    assert import_labels(made, [exported]) == 0
    assert {one.name: one.role for one in made.store.raters()}["ana@example.org"] == "imported"
    with served(made) as (_, clients):
        assert clients["ana@example.org"].ask()[0] == 404  # who is not here has no page
        for task in clients["ana"].work()["tasks"]:
            clients["ana"].tell(event(task["place"], id=f"page-{task['place']}", rubric=made.form.rubric))
    drawn, others = made.labels().frame, read_labels_of(made, "undrawn")
    frame = pl.concat([drawn.select("rater", "label"), others])
    assert frame["rater"].value_counts().sort("rater").rows() == [
        ("ana", 5),
        ("ana@example.org", 2),
        ("ben@example.org", 1),
    ]
    assert frame.filter(rater="ben@example.org")["label"].to_list() == ["fail"]


def read_labels_of(made, name: str) -> pl.DataFrame:
    made.export()
    path = made.folder / f"{name}.csv"
    return (
        read_labels(path).frame.select("rater", "label")
        if path.exists()
        else pl.DataFrame(schema={"rater": pl.String, "label": pl.String})
    )


def test_ratings_of_promptfoos_page_are_taken_in(tmp_path):
    def rated(score: float) -> list[dict[str, Any]]:
        return [component(1.0, CONTAINS), component(score, {"type": "human"})]

    log = write(tmp_path, export([row(at, value=at, parts=rated(float(at % 2))) for at in range(6)]))
    made = label(log, project=tmp_path / "p", draw=LabelDraw(n=3))
    assert import_labels(made, [log]) == 6
    written = made.export()  # those that were not drawn have no probability, and stand apart
    assert (written["labels.csv"], written["undrawn.csv"], written["adjudicated.csv"]) == (3, 3, 6)
    assert made.labels().frame["probability"].to_list() == [0.5] * 3


def test_67_one_person_one_item_two_clicks(tmp_path):
    folder = shared("cases", "67-double-click-submit")
    case = {
        one["name"]: one["value"]
        for one in json.loads((folder / "case.json").read_text())["expected"]["checks"]
    }
    evidence = pl.DataFrame([{"item": f"i{i}", "input": "?", "output": "!", "value": 1} for i in (28, 29)])
    log = tmp_path / "log.jsonl"
    evidence.write_ndjson(log)
    rubric = written(tmp_path / "scale.yaml", "name: label\nasks: How good?\nscale: [0, 100]\n")
    made = label(log, raters=["p1", "p2"], rubric=[rubric], project=tmp_path / "p")
    assert import_labels(made, [folder / "submits.jsonl"]) == case["n_events"]
    assert import_labels(made, [folder / "submits.jsonl"]) == 0
    frame = made.labels().frame
    assert frame.height == case["n_live_labels"]
    assert frame.filter(rater="p1", item="i29")["value"].to_list() == [case["p1_i29"]]
    assert made.state().agreement["label"].n_shared == 1  # nobody agrees with themselves
    assert len(list(made.store.history())) == case["n_events"]


def test_a_label_that_the_form_does_not_know_or_an_answer_that_is_not_there_is_named(tmp_path):
    made = label(sums(tmp_path / "log.jsonl"), project=tmp_path / "p", draw=LabelDraw(n=5))
    with pytest.raises(InputError, match=r"'excellent' is no answer to 'label' \(row 2 \(line 3\)\)"):
        import_labels(made, [written(tmp_path / "l.csv", "item,rater,label\nq1,ana,yes\nq2,ana,excellent\n")])
    assert made.store.steps == 0
    with pytest.raises(InputError, match="there is no item 'q99'"):
        import_labels(made, [written(tmp_path / "m.csv", "item,rater,label\nq99,ana,yes\n")])


def test_a_file_that_a_rater_changed_their_mind_in_is_read_as_steps_only_where_steps_are_kept(tmp_path):
    path = written(tmp_path / "l.csv", "item,rater,label\nq1,ana,yes\nq1,ana,no\n")
    with pytest.raises(InputError, match="labelled 'q1' twice"):
        read_labels(path, ReadOptions())
    assert read_labels(path, every=True).frame["label"].to_list() == ["yes", "no"]


def test_from_frames_too(tmp_path):
    frame = pl.DataFrame(
        {"item": ["a", "b", "c"], "input": ["?"] * 3, "output": ["x", "y", "z"], "value": [1, 0, 1]}
    )
    made = label(from_frame(frame), project=tmp_path / "p")
    assert made.project.n == 3
