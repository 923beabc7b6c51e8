"""No label is lost or doubled: the history keeps every step, and one label of each answer stands."""

from __future__ import annotations

import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.labelling.events import Event
from aliquot.labelling.label_project import LabelProject
from aliquot.labelling.project import MAIN
from aliquot.labelling.store import Store
from tests.labelling.projects import event, project, served

NOW = datetime(2026, 2, 1, 13, tzinfo=UTC)


def test_a_step_told_twice_is_there_once(tmp_path):
    made = project(tmp_path)
    with served(made) as (_, clients):
        step = event(MAIN, id="double-click", rubric=made.form.rubric)
        for _ in range(3):
            assert clients["ana"].tell(step, step)["kept"] == ["double-click"] * 2
        assert made.store.steps == 1
        assert clients["ana"].work()["done"] == 1


def test_two_windows_and_two_raters_may_use_one_id(tmp_path):
    made = project(tmp_path)
    with served(made) as (_, clients):
        step = event(MAIN, id="same-id-123", rubric=made.form.rubric)
        clients["ana"].tell(step)
        clients["ben"].tell(step)
        assert made.store.steps == 2


def test_the_latest_by_when_it_was_made_stands_whenever_it_arrives(tmp_path):
    made = project(tmp_path)
    with served(made) as (_, clients):
        ana, rubric = clients["ana"], made.form.rubric
        ana.tell(event(MAIN, "fail", id="made-second", rubric=rubric, age_ms=1000))
        ana.tell(event(MAIN, "pass", id="made-first-", rubric=rubric, age_ms=60_000))
        assert [one.event.said["label"] for one in made.store.live()] == ["fail"]
        ana.tell(event(MAIN, "pass", id="made-third-", rubric=rubric))
        assert [one.event.said["label"] for one in made.store.live()] == ["pass"]
        assert made.store.steps == 3
        assert made.labels().frame.height == 1


def test_taking_back_leaves_nothing_standing_and_everything_in_the_history(tmp_path):
    made = project(tmp_path)
    with served(made) as (_, clients):
        ana, rubric = clients["ana"], made.form.rubric
        ana.tell(event(MAIN, id="label-one-1", rubric=rubric, age_ms=2000))
        ana.tell(event(MAIN, id="undo-one-12", rubric=rubric, kind="undo", age_ms=1000))
        assert ana.work()["done"] == 0
        assert ana.work()["tasks"][0]["place"] == MAIN
        assert ana.work()["tasks"][0]["before"] is None
        ana.tell(event(MAIN, "fail", id="label-two-1", rubric=rubric))
        assert made.labels().frame["label"].to_list() == ["fail"]
        assert [one.event.kind for one in made.store.history()] == ["label", "undo", "label"]


def test_a_skip_is_done_and_no_label(tmp_path):
    made = project(tmp_path)
    with served(made) as (_, clients):
        clients["ana"].tell(
            event(MAIN, id="skip-it-123", rubric=made.form.rubric, kind="skip", reason="cut off")
        )
        assert clients["ana"].work()["done"] == 1
    assert [one.skipped for one in made.state().raters] == [1, 0, 0]
    assert made.state().reasons == (("cut off", 1),)
    with pytest.raises(InputError, match="nothing has been labelled"):
        made.labels()


def test_what_a_rater_writes_cannot_keep_the_tables_from_being_written(tmp_path):
    hostile = "\x00\x1b[31m=cmd()\u202e\r\n" + "é" * 300
    made = project(tmp_path, codes=True, rubric=["correctness"], reference=True)
    with served(made) as (_, clients):
        ana, rubric = clients["ana"], made.form.rubric
        written = {
            "kind": "reference",
            "id": "reference-1",
            "rubric": rubric,
            "place": MAIN,
            "said": {"reference": hostile},
        }
        said = {"correctness": "correct", "failures": ["\x00=kind"]}
        assert ana.tell(written)["kept"] == ["reference-1"]
        assert ana.tell(event(MAIN, said, id="hostile-note", rubric=rubric, note=hostile))["kept"] == [
            "hostile-note"
        ]
        skip = event(MAIN + 1, id="hostile-skip", rubric=rubric, kind="skip", reason=hostile)
        assert ana.tell(skip)["kept"] == ["hostile-skip"]
    assert set(made.export()) >= {"labels.csv", "codes.csv", "references.csv", "history.csv"}
    assert b"\x00" not in (made.folder / "history.csv").read_bytes()
    assert made.store.kinds() == [("\\x00=kind", "")]


def test_many_windows_at_once_lose_and_double_nothing(tmp_path):
    made = project(tmp_path, n=40, overlap=40)
    with served(made) as (_, clients):
        rubric = made.form.rubric

        def tell(at: int) -> None:
            name = ("ana", "ben")[at % 2]
            place = MAIN + at // 2 % 40
            clients[name].tell(
                event(place, ("pass", "fail")[at % 3 == 0], id=f"{name}-{place}", rubric=rubric)
            )

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(tell, range(160)))
    assert made.store.steps == 80
    assert made.labels().frame.height == 80


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A project, and names for raters of it without end."""
    found = project(tmp_path_factory.mktemp("steps"), n=8)
    yield found, (f"rater {at}" for at in count())
    found.close()


@settings(max_examples=15, deadline=None)
@given(
    steps=st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from(["pass", "fail", None]), st.integers(0, 9)), max_size=25
    ),
    order=st.randoms(),
)
def test_what_stands_depends_on_when_steps_were_made_and_not_on_when_or_how_often_they_come(
    many, steps, order
):
    made, name = many
    before, rater = made.store.steps, next(name)
    made.add_raters([rater])
    events = [
        Event(
            id=f"step-{at:04}",
            place=MAIN + place,
            kind="label" if said else "undo",
            said={"label": said} if said else {},
            age_ms=1000.0 * (100 - at),
            rubric=made.form.rubric,
        )
        for at, (place, said, _) in enumerate(steps)
    ]
    arriving = [one for one in events for _ in range(2)]
    order.shuffle(arriving)
    for one in arriving:
        made.store.record(rater, [one], now=NOW)
    wanted = {}
    for one in events:
        wanted[one.place] = one.said.get("label")
    assert {one.place.place: one.event.said["label"] for one in made.store.live(rater=rater)} == {
        place: said for place, said in wanted.items() if said
    }
    assert made.store.steps - before == len(events)


def test_it_is_nobody_elses_to_read_and_opens_again_as_it_was(tmp_path):
    made = project(tmp_path)
    links = [one.token for one in made.store.raters()]
    made.close()
    path = tmp_path / "p" / "project.sqlite"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir() if not one.name.startswith("project.sqlite")] == []
    again = LabelProject(tmp_path / "p")
    assert [one.token for one in again.store.raters()] == links


@pytest.mark.parametrize("content", [b"", b"not a database" * 100, None])
def test_a_file_that_is_none_is_named(tmp_path, content):
    path = tmp_path / "project.sqlite"
    if content is None:
        with sqlite3.connect(path) as file:
            file.execute("CREATE TABLE other (x)")
    else:
        path.write_bytes(content)
    with pytest.raises(InputError, match="no labelling project"):
        Store(path)


def test_a_step_from_the_far_past_or_the_future_is_held_to_the_clock(tmp_path):
    made = project(tmp_path)
    step = Event(
        id="from-1970-1",
        place=MAIN,
        kind="label",
        said={"label": "pass"},
        age_ms=1e300,
        rubric=made.form.rubric,
    )
    later = Event(
        id="from-later",
        place=MAIN,
        kind="label",
        said={"label": "fail"},
        age_ms=-1e300,
        rubric=made.form.rubric,
    )
    made.store.record("ana", [step], now=NOW)
    made.store.record("ana", [later], now=NOW + timedelta(seconds=1))
    assert [one.event.id for one in made.store.live()] == ["from-later"]


def test_the_folder_is_made_whole_or_not_at_all(tmp_path, monkeypatch):
    monkeypatch.setattr(
        "aliquot.labelling.project_file.answer_row", lambda *_: (_ for _ in ()).throw(RuntimeError("killed"))
    )
    with pytest.raises(RuntimeError):
        project(tmp_path)
    assert list((tmp_path / "p").iterdir()) == []
    assert not Path(tmp_path / "p" / "project.sqlite").exists()
