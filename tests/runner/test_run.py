"""Running: everything once, in a fixed order, with what is needed to judge it written down."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from aliquot.errors import MachineError, UsageError
from aliquot.evidence.reduction import units
from aliquot.evidence.status import resolve
from aliquot.files.journal import Journal
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import Evaluation, SampleSpec, ScorerSpec, SystemSpec
from aliquot.runner.progress import Progress
from aliquot.runner.results import build_evidence
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Reply
from aliquot.systems.requests import Decoding
from aliquot.verbs.run import run, run_async
from tests.runner.evaluations import cut, evaluation, right, write_evaluation, write_items


class Notes:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.progress: list[Progress] = []
        self.texts: list[str] = []

    def started(self, progress: Progress) -> None:
        self.progress.append(progress)

    def answered(self, progress: Progress) -> None:
        self.progress.append(progress)

    def noted(self, text: str) -> None:
        self.texts.append(text)


def test_every_item_is_asked_once_of_every_system_and_scored(tmp_path: Path) -> None:
    fake, notes = FakeSystem(right), Notes()
    found = run(
        write_evaluation(tmp_path), directory=tmp_path / "runs", models={"fake": fake}, observer=notes
    )
    assert found.path == tmp_path / "runs" / "trial"
    assert sorted(fake.asked) == sorted(f"{name} q{k}." for name in ("first", "second") for k in range(10))
    assert found.evidence.outcomes["value"].to_list() == [1.0] * 20
    assert (notes.progress[0].done, notes.progress[0].total) == (0, 20)
    assert notes.progress[-1].done == 20
    assert notes.progress[-1].statuses == {"ok": 20}
    assert [progress.done for progress in notes.progress[1:]] == list(range(1, 21))
    assert not fake.closed  # what the caller opened, the caller closes


def test_the_order_is_seeded_and_the_same_for_every_system(tmp_path: Path) -> None:
    orders: list[list[str]] = []
    for number, seed in enumerate((3, 3, 4)):
        fake = FakeSystem(right)
        given = evaluation(write_items(tmp_path, 30), seed=seed, name=f"r{number}")
        run(given, directory=tmp_path, models={"fake": fake}, concurrency=1)
        orders.append(fake.asked)
    assert orders[0] == orders[1] != orders[2]
    assert orders[0] != [f"q{k}." for k in range(30)]


def test_what_is_written_is_what_is_returned(tmp_path: Path) -> None:
    found = run(write_evaluation(tmp_path), directory=tmp_path, models={"fake": FakeSystem(right)})
    stored = RunDirectory(found.path).read_evidence()
    rebuilt = build_evidence(RunDirectory(found.path))
    for table in ("items", "responses", "outcomes", "metrics", "settings"):
        assert getattr(stored, table).equals(getattr(found.evidence, table))
        assert getattr(rebuilt, table).equals(getattr(found.evidence, table))
    assert stored.texts is not None
    assert stored.texts.response("first", "made", "i3", 1) == "a3"
    assert (stored.texts.inputs("made", "i3"), stored.texts.reference("made", "i3")) == ("odd\n\nq3.", "a3")


def test_the_manifest_says_what_was_run_and_holds_no_key(tmp_path: Path) -> None:
    fake = FakeSystem(right, components={"model": "m", "snapshot": "s1", "engine": "e 2"})
    given = evaluation(write_items(tmp_path, 12), sample=SampleSpec(6, "kind"))
    found = run(given, directory=tmp_path, models={"fake": fake})
    manifest = json.loads((found.path / "run.json").read_text(encoding="utf-8"))
    assert manifest["item_set"]["selection"]["strata"] == {"even": [3, 6], "odd": [3, 6]}
    assert manifest["item_set"]["selected"] == "stratified sample, 6 of 12 by kind, seed 3"
    assert manifest["scorers"]["words"]["version"] == "1"
    assert manifest["systems"]["first"]["components"] == {"model": "m", "snapshot": "s1", "engine": "e 2"}
    assert len(manifest["systems"]["first"]["prompt_sha256"]) == 64
    assert manifest["finished"] >= manifest["started"]
    assert {"aliquot", "python", "numpy"} <= manifest["versions"].keys()
    settings = dict(found.evidence.settings.select("name", "value").iter_rows())
    assert settings["snapshot"] == "s1"
    assert settings["selection"] == "stratified sample, 6 of 12 by kind, seed 3"
    assert settings["decoding.temperature"] == "0.0"
    assert found.evidence.items["stratum"].to_list().count("odd") == 3


def test_every_status_counts_as_the_design_says(tmp_path: Path) -> None:
    script = {
        "q0.": "a0",
        "q1.": "wrong",
        "q2.": "...",
        "q3.": "I'm sorry, but I can't help with that.",
        "q4.": "",
        "q5.": Reply(text="a5", status="truncated"),
        "q6.": Reply(text="", status="timeout"),
        "q7.": Reply(text="", status="error", reason="HTTP 500"),
        "q8.": ZeroDivisionError("a user's own system"),
    }
    found = run(evaluation(write_items(tmp_path, 9)), directory=tmp_path, models={"fake": FakeSystem(script)})
    responses = dict(found.evidence.responses.select("item", "status").iter_rows())
    assert responses == {
        "i0": "ok", "i1": "ok", "i2": "unparsed", "i3": "refused", "i4": "failed", "i5": "truncated",
        "i6": "timeout", "i7": "error", "i8": "error",
    }  # fmt: skip
    values = resolve(found.evidence.outcomes, found.evidence.responses, found.evidence.metrics)
    counted = dict(values.select("item", "value").iter_rows())
    assert counted == {"i0": 1.0, **{f"i{k}": 0.0 for k in range(1, 7)}, "i7": None, "i8": None}
    reduced = units(found.evidence, "first", task="made", metric="success")
    assert reduced.answered == pytest.approx(2 / 9)
    reasons = dict(found.evidence.responses.select("item", "reason").iter_rows())
    assert reasons["i8"] == "ZeroDivisionError: a user's own system"
    assert reasons["i4"] == "empty answer"


def test_errors_are_asked_again_and_nothing_else_is(tmp_path: Path) -> None:
    path = write_items(tmp_path, 5)
    lost = Reply(text="", status="error", reason="HTTP 500")
    first = FakeSystem({"q1.": lost, "q2.": Reply(text="", status="timeout"), "q": "a0"})
    run(evaluation(path), directory=tmp_path, models={"fake": first})
    second, notes = FakeSystem(right), Notes()
    found = run(evaluation(path), directory=tmp_path, models={"fake": second}, observer=notes)
    assert second.asked == ["q1."]
    assert (notes.progress[0].done, notes.progress[0].kept, notes.progress[-1].done) == (4, 4, 5)
    assert found.evidence.responses.height == 5
    tries = [record.try_ for record in RunDirectory(found.path).read_journal().records if record.item == "i1"]
    assert tries == [1, 2]
    third = FakeSystem({})
    assert run(evaluation(path), directory=tmp_path, models={"fake": third}).evidence.outcomes.height == 5
    assert third.asked == []


def test_attempts_are_fresh_draws_and_may_grow(tmp_path: Path) -> None:
    path = write_items(tmp_path, 3)
    run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(right)})
    fake = FakeSystem(right)
    found = run(evaluation(path, attempts=3), directory=tmp_path, models={"fake": fake})
    assert len(fake.asked) == 6
    assert sorted(found.evidence.responses["attempt"].to_list()) == [1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_a_limited_run_is_a_stratified_part_and_says_so(tmp_path: Path) -> None:
    path = write_evaluation(tmp_path, 20)
    found = run(path, directory=tmp_path, models={"fake": FakeSystem(right)}, limit=6)
    assert found.evidence.items["segment.kind"].to_list().count("odd") == 3
    settings = dict(found.evidence.settings.select("name", "value").iter_rows())
    assert settings["selection"] == "stratified sample, 6 of 20 by kind, seed 3"
    with pytest.raises(UsageError, match="changed: sample"):
        run(path, directory=tmp_path, models={"fake": FakeSystem(right)})


FIRST = SystemSpec(model="fake", prompt="{{ question }}")


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"seed": 4}, "seed"),
        ({"task": "other"}, "task"),
        ({"systems": {"first": replace(FIRST, prompt="{{ question }} ")}}, "prompt of 'first'"),
        ({"systems": {"first": replace(FIRST, mode="completion")}}, "mode of 'first'"),
        ({"systems": {"first": replace(FIRST, instructions="Hi")}}, "instructions of 'first'"),
        ({"systems": {"first": replace(FIRST, decoding=Decoding(stop=("x",)))}}, "decoding of 'first'"),
    ],
)
def test_a_directory_never_takes_answers_to_another_evaluation(
    tmp_path: Path, changes: dict[str, object], named: str
) -> None:
    path = write_items(tmp_path, 3)
    run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(right)})
    before = (tmp_path / "trial" / "run.json").read_bytes()
    with pytest.raises(UsageError, match=f"changed: .*{named}.*a new name, or undo") as caught:
        run(evaluation(path, **changes), directory=tmp_path, models={"fake": FakeSystem(right)})
    assert "\n" not in str(caught.value)
    assert (tmp_path / "trial" / "run.json").read_bytes() == before


def test_changed_items_and_another_model_are_noticed(tmp_path: Path) -> None:
    path = write_items(tmp_path, 3)
    run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(right)})
    other = FakeSystem(right, components={"model": "fake", "snapshot": "2"})
    with pytest.raises(UsageError, match="changed: snapshot of 'first'"):
        run(evaluation(path), directory=tmp_path, models={"fake": other})
    write_items(tmp_path, 4)
    with pytest.raises(UsageError, match="changed: items"):
        run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(right)})


def test_another_engine_matters_only_while_answers_are_owed(tmp_path: Path) -> None:
    path = write_items(tmp_path, 2)
    lost = Reply(text="", status="error")
    old = FakeSystem({"q1.": lost, "q": "a0"}, components={"model": "m", "snapshot": "s", "engine": "1"})
    new = FakeSystem(right, components={"model": "m", "snapshot": "s", "engine": "2"})
    run(evaluation(path), directory=tmp_path, models={"fake": old})
    with pytest.raises(UsageError, match="changed: engine of 'first'"):
        run(evaluation(path), directory=tmp_path, models={"fake": new})
    run(
        evaluation(path, name="whole"),
        directory=tmp_path,
        models={"fake": FakeSystem(right, components=old.components)},
    )
    run(evaluation(path, name="whole"), directory=tmp_path, models={"fake": new})


def test_another_scorer_scores_the_same_answers_again(tmp_path: Path) -> None:
    path = write_items(tmp_path, 2)
    run(
        evaluation(path),
        directory=tmp_path,
        models={"fake": FakeSystem(lambda prompt: f"It is {right(prompt)}")},
    )
    fake = FakeSystem({})
    found = run(evaluation(path, scorer=ScorerSpec(rule="exact")), directory=tmp_path, models={"fake": fake})
    assert found.evidence.outcomes["value"].to_list() == [0.0, 0.0]
    assert found.evidence.outcomes["scorer"].to_list() == ["exact", "exact"]


def test_exactly_half_readable_goes_on(tmp_path: Path) -> None:
    path = write_items(tmp_path, 24)

    def half(prompt: str) -> str | Reply:
        return right(prompt) if int(right(prompt)[1:]) % 2 else cut(prompt)

    found = run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(half)})
    assert found.evidence.responses.height == 24


def test_a_second_process_on_one_run_is_refused(tmp_path: Path) -> None:
    path = write_items(tmp_path, 2)
    with (
        Journal.open(tmp_path / "trial" / "journal.jsonl"),
        pytest.raises(MachineError, match="another process is working on this run"),
    ):
        run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(right)})


def test_an_unknown_model_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no model 'fake'"):
        run(evaluation(write_items(tmp_path, 1)), directory=tmp_path)


def test_a_missing_embedded_model_leaves_no_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALIQUOT_MODEL", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    given = evaluation(write_items(tmp_path, 1), systems={"first": replace(FIRST, model="embedded")})
    with pytest.raises(MachineError, match="Run: aliquot model"):
        run(given, directory=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_it_works_inside_a_running_loop(tmp_path: Path) -> None:
    given = evaluation(write_items(tmp_path, 3))

    async def both() -> list[int]:
        inside = run(given, directory=tmp_path / "one", models={"fake": FakeSystem(right)})
        awaited = await run_async(given, directory=tmp_path / "two", models={"fake": FakeSystem(right)})
        return [inside.evidence.outcomes.height, awaited.evidence.outcomes.height]

    assert asyncio.run(both()) == [3, 3]


def test_a_system_without_items_to_its_name_is_refused() -> None:
    with pytest.raises(UsageError, match="at least one system"):
        Evaluation(name="x", items="basics", systems={}, scorer=ScorerSpec(rule="words"))
