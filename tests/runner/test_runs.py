"""Listing runs: how far each came, damaged ones in a line each, and commands that work."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from aliquot import runs
from aliquot.errors import AliquotError, RunStoppedError, UsageError
from aliquot.files.journal import Journal
from aliquot.files.records import Response
from aliquot.files.run_directory import RunDirectory
from aliquot.files.run_list import RunLine
from aliquot.runner.evaluation import Evaluation
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Reply
from aliquot.verbs.run import run
from tests.cli.called import call
from tests.runner.evaluations import cut, evaluation, right, write_evaluation, write_items


def by_name(folder: Path) -> dict[str, RunLine]:
    return {line.name: line for line in runs(folder).runs}


def made(folder: Path, given: Evaluation, script: Callable[[str], str | Reply] = right) -> None:
    run(given, directory=folder, models={"fake": FakeSystem(script)})


def test_a_finished_run_says_what_it_is(tmp_path: Path) -> None:
    file = write_evaluation(tmp_path)
    run(file, directory=tmp_path / "runs", models={"fake": FakeSystem(right, delay_s=0.01)})
    found = runs(tmp_path / "runs")
    (line,) = found.runs
    assert (line.name, line.task, line.systems, line.status) == (
        "trial",
        "made",
        ("first", "second"),
        "finished",
    )
    assert (line.items, line.attempts, line.asked, line.given, line.answered) == (10, 1, 20, 20, 1.0)
    assert line.seconds is not None
    assert 0.01 <= line.seconds < 60
    assert (line.reason, line.costs) == ("", {})
    assert found.commands == (f"aliquot compare {tmp_path}/runs/trial",)
    assert runs(tmp_path / "runs" / "trial").runs == found.runs


def test_a_stopped_run_and_lost_answers_are_counted(tmp_path: Path) -> None:
    items = write_items(tmp_path, 30)
    with pytest.raises(RunStoppedError):
        made(tmp_path / "runs", evaluation(items, name="cut"), cut)
    made(
        tmp_path / "runs",
        evaluation(items, name="lost"),
        lambda prompt: Reply(text="", status="error", reason="500") if "q7." in prompt else right(prompt),
    )
    found = by_name(tmp_path / "runs")
    assert found["cut"].status == "stopped"
    assert 24 <= found["cut"].given < 30
    assert found["cut"].answered == 0
    assert (found["lost"].status, found["lost"].given, found["lost"].answered) == ("stopped", 29, 29 / 30)


def test_a_run_that_is_being_written_is_read_and_left_alone(tmp_path: Path) -> None:
    made(tmp_path, evaluation(write_items(tmp_path, 3)))
    with Journal.open(RunDirectory(tmp_path / "trial").journal_path):
        assert by_name(tmp_path)["trial"].status == "being written"
    assert by_name(tmp_path)["trial"].status == "finished"


def test_costs_are_summed_by_currency_without_the_cache(tmp_path: Path) -> None:
    made(tmp_path, evaluation(write_items(tmp_path, 1)))
    key = {"system": "first", "task": "made", "item": "i0", "status": "ok", "text": "a0"}
    with Journal.open(tmp_path / "trial" / "journal.jsonl") as journal:
        journal.append(Response(**key, try_=2, cost=0.25, currency="USD"))
        journal.append(Response(**key, try_=3, cost=0.5, currency="USD"))
        journal.append(Response(**key, try_=4, cost=9.0, currency="USD", cached=True))
    assert by_name(tmp_path)["trial"].costs == {"USD": 0.75}
    assert "0.75 USD" in call("runs", tmp_path).out


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("run.json", b"{", "run.json: not a run's manifest"),
        ("run.json", b'{"name": "x", "schema": "aliquot.run/9"}', "its schema is 'aliquot.run/9'"),
        (
            "run.json",
            b'{"name": "x", "systems": {"a": {}}, "item_set": {"selection": 3}}',
            "run.json cannot be used",
        ),
        ("run.json", b"\xff\x00", "run.json: not a run's manifest"),
        ("journal.jsonl", b"", "it holds no run.json"),
    ],
)
def test_a_damaged_directory_is_one_line_with_its_reason(
    tmp_path: Path, file: str, content: bytes, reason: str
) -> None:
    made(tmp_path, evaluation(write_items(tmp_path, 2)))
    (tmp_path / "wreck").mkdir()
    (tmp_path / "wreck" / file).write_bytes(content)
    line = by_name(tmp_path)["wreck"]
    assert line.status == "broken"
    assert reason in line.reason
    done = call("runs", tmp_path)
    assert done.code == 0
    (told,) = [text for text in done.out.splitlines() if "wreck" in text]
    assert "broken, " in told
    assert "Traceback" not in done.out + done.err


def test_damaged_lines_of_a_journal_are_said(tmp_path: Path) -> None:
    made(tmp_path, evaluation(write_items(tmp_path, 3)))
    journal = tmp_path / "trial" / "journal.jsonl"
    journal.write_bytes(b"\x00\x1b[31m\n" + journal.read_bytes() + b'{"kind": "resp')
    line = by_name(tmp_path)["trial"]
    assert line.status == "finished"
    assert line.reason.startswith("line 1 of the journal cannot be read")
    assert line.reason.endswith("(+1 more)")
    assert "\x1b" not in call("runs", tmp_path).out


def test_two_runs_of_the_same_items_come_with_the_command_that_compares_them(tmp_path: Path) -> None:
    items = write_items(tmp_path, 12)
    for name in ("one", "two"):
        made(tmp_path / "runs", evaluation(items, name=name))
    other = tmp_path / "other"
    other.mkdir()
    made(tmp_path / "runs", evaluation(write_items(other, 3), name="three"))
    (command,) = runs(tmp_path / "runs").commands
    assert command == f"aliquot compare {tmp_path}/runs/one {tmp_path}/runs/two"
    assert call(*command.split()[1:]).code == 0
    assert command in call("runs", tmp_path / "runs").out


def test_the_json_holds_everything(tmp_path: Path) -> None:
    made(tmp_path, evaluation(write_items(tmp_path, 2)))
    found = json.loads(call("runs", tmp_path, "--json").out)
    assert (found["schema"], found["runs"][0]["status"]) == ("aliquot.runs/1", "finished")


def test_no_runs_and_no_folder_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    assert "no runs yet" in call("runs", tmp_path).text
    with pytest.raises(UsageError, match="there is no folder"):
        runs(tmp_path / "none")
    assert issubclass(UsageError, AliquotError)
