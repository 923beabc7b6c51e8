from __future__ import annotations

from pathlib import Path

import pytest

from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import systems
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from tests.readers.inspect_logs import eval_log, header, json_log, sample, summary

EARLY, LATE = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"


def test_a_retried_log_supersedes_the_one_before_it(tmp_path: Path) -> None:
    first = [sample(1, "I"), sample(2, ..., error="lost"), sample(3, "C"), sample(4, ..., error="lost")]
    second = [
        sample(1, "C"),
        sample(2, "C", output={"completion": "late"}),
        sample(3, ..., error="lost"),
        sample(4, ..., error="again"),
    ]
    # the names sort the other way round: what is newer is told by the time in the log
    eval_log(tmp_path / "b.eval", first, samples=first, head=header(created=EARLY, status="error"))
    eval_log(tmp_path / "a.eval", second, samples=second, head=header(created=LATE))
    evidence = read_one(tmp_path)
    assert systems(evidence) == ("stub/a",)
    # 1: the newer; 2: the newer, which is whole; 3: the older, as the newer lost it; 4: lost in both
    assert evidence.outcomes.select("item", "value").rows() == [("1", 1.0), ("2", 1.0), ("3", 1.0)]
    assert evidence.responses["status"].to_list() == ["ok", "ok", "ok", "error"]
    assert [note.text for note in evidence.notes if note.code == "tries"] == [
        "a.eval continues b.eval; the last complete try counts"
    ]
    assert evidence.texts is not None
    assert evidence.texts.response("stub/a", "sums", "2", 1) == "late"
    assert evidence.texts.response("stub/a", "sums", "3", 1) == "answer to 3"


def test_systems_of_a_folder_go_by_their_models(tmp_path: Path) -> None:
    eval_log(tmp_path / "a.eval", [summary(1)], head=header(task_id="t1", model="m/a"))
    (tmp_path / "deep").mkdir()
    json_log(tmp_path / "deep" / "b.json", [sample(1, "I")], head=header(task_id="t2", model="m/b"))
    (tmp_path / "logs.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("not a log")
    assert find_reader(tmp_path).name == "inspect"
    evidence = read_one(tmp_path)
    assert systems(evidence) == ("m/a", "m/b")
    assert evidence.items.height == 1


def test_two_runs_of_one_model_on_one_task_are_told_apart(tmp_path: Path) -> None:
    eval_log(tmp_path / "a.eval", [summary(1)], head=header(task_id="t1"))
    eval_log(tmp_path / "b.eval", [summary(1, "I")], head=header(task_id="t2"))
    assert systems(read_one(tmp_path)) == ("a.eval:stub/a", "b.eval:stub/a")
    with pytest.raises(UsageError, match="one name cannot name a folder"):
        read_one(tmp_path, ReadOptions(name="mine"))


def test_a_folder_without_logs_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no reader knows it"):
        find_reader(tmp_path)
    with pytest.raises(InputError, match="holds no log of Inspect"):
        read_one(tmp_path, ReadOptions(reader="inspect"))
