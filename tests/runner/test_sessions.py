"""What a run says of the times it was worked on: how many at once, what the server said, and what went on beside it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from aliquot.errors import RunStoppedError
from aliquot.files.manifest import Session
from aliquot.files.run_directory import RunDirectory
from aliquot.reports.runs import render_runs
from aliquot.runner.evaluation import SystemSpec
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run, run_async
from aliquot.verbs.runs import runs
from tests.runner.evaluations import cut, evaluation, right, write_evaluation, write_items
from tests.runner.test_under_fire import number_of
from tests.systems.server import Answer, chat, fault, ok, serve


def sessions(folder: Path, name: str = "trial") -> tuple[Session, ...]:
    manifest = RunDirectory(folder / name).manifest
    assert manifest is not None
    return manifest.sessions


def test_a_session_records_how_many_were_asked_at_once(tmp_path: Path) -> None:
    path = write_items(tmp_path, 12)
    run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(right, delay_s=0.01)}, concurrency=3)
    (session,) = sessions(tmp_path)
    assert session.concurrency == 3
    assert session.load == {"first": {"asked": 12, "most_at_once": 3}}
    assert session.started <= session.finished
    assert session.beside == ()
    run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(right)})
    assert len(sessions(tmp_path)) == 1  # nothing was owed, so nothing was asked


def test_a_session_that_was_stopped_is_recorded_too(tmp_path: Path) -> None:
    path = write_items(tmp_path, 40)
    with pytest.raises(RunStoppedError):
        run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(cut)}, concurrency=1)
    (session,) = sessions(tmp_path)
    assert session.load["first"]["asked"] == 24
    assert session.finished


def test_complaints_of_a_server_and_what_they_led_to_are_recorded(tmp_path: Path) -> None:
    def script(number: int, body: dict[str, object]) -> Answer:
        if number < 8:
            return fault(429, "slow down", headers={"Retry-After": "0.1"})
        return fault(500) if number == 8 else ok(chat(f"a{number_of(body)}"))

    async def work() -> None:
        async with serve(script) as server:
            model = Endpoint(base_url=server.base_url, model="m", concurrency=8)
            given = evaluation(
                write_items(tmp_path, 30), systems={"first": SystemSpec(model=model, prompt="{{ question }}")}
            )
            await run_async(given, directory=tmp_path)

    asyncio.run(work())
    load = sessions(tmp_path)[0].load["first"]
    assert load["asked"] == 30
    assert load["most_at_once"] == load["most_in_flight"] == 8
    assert load["complaints"] == 8
    assert load["lowered"] == 1  # once for all that were under way
    assert load["retries"] == 9


def test_runs_that_overlap_say_so_on_both_sides_and_others_do_not(tmp_path: Path) -> None:
    path = write_items(tmp_path, 8)

    def named(name: str, delay_s: float) -> asyncio.Future[object]:
        given = evaluation(path, name=name)
        model = FakeSystem(right, delay_s=delay_s)
        return asyncio.ensure_future(
            run_async(given, directory=tmp_path, models={"fake": model}, concurrency=1)
        )

    async def work() -> None:
        await named("before", 0.0)
        await asyncio.sleep(0.01)
        await asyncio.gather(named("long", 0.1), named("short", 0.01))
        await asyncio.sleep(0.01)
        await named("after", 0.0)

    asyncio.run(work())
    beside = {name: sessions(tmp_path, name)[0].beside for name in ("before", "long", "short", "after")}
    assert beside == {"before": (), "long": ("short",), "short": ("long",), "after": ()}
    found = runs(tmp_path)
    assert "! long: asked at the same time as short" in render_runs(str(tmp_path), found.runs, found.commands)
    notes = {note.code: note.text for note in RunDirectory(tmp_path / "long").read_evidence().notes}
    assert (
        notes["overlapping_runs"] == "asked while other runs were going on (short): times may be theirs too"
    )
    assert "overlapping_runs" not in {
        note.code for note in RunDirectory(tmp_path / "before").read_evidence().notes
    }


def test_a_run_killed_beside_another_counts_up_to_its_last_answer(tmp_path: Path) -> None:
    """A session without an end, as kill -9 leaves it, ended when its journal was last written."""
    path = write_items(tmp_path, 2)
    for name in ("killed", "later"):
        run(evaluation(path, name=name), directory=tmp_path, models={"fake": FakeSystem(right)})
        manifest = tmp_path / "killed" / "run.json"
        held = json.loads(manifest.read_text(encoding="utf-8"))
        held["sessions"][0]["finished"] = ""
        manifest.write_text(json.dumps(held), encoding="utf-8")
    assert sessions(tmp_path, "later")[0].beside == ()


def test_damaged_neighbours_stop_nothing(tmp_path: Path) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "run.json").write_text('{"name": "odd", "schema": "aliquot.run/9"}', encoding="utf-8")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "journal.jsonl").write_bytes(b"")
    path = write_evaluation(tmp_path, 2)
    found = run(path, directory=tmp_path, models={"fake": FakeSystem(right)})
    assert found.evidence.outcomes.height == 4
