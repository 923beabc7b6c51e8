"""Stored answers as a system: taken as they are, never asked, and said to be so."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

import aliquot
from aliquot import read
from aliquot.errors import InputError, UsageError
from aliquot.files.journal import Journal
from aliquot.files.manifest import Manifest
from aliquot.files.records import Response
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import SystemSpec
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.runner.money import Prices
from aliquot.runner.stored import NOT_STORED, StoredRun
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Reply
from aliquot.systems.requests import Decoding
from aliquot.verbs.run import Run, run
from tests.runner.evaluations import evaluation, right, write_items
from tests.shared import shared

PRICES = Prices(input=1.0, output=2.0, per=1)


def answer(prompt: str) -> Reply:
    """Answer wordily, and as dear and slow as can be told again."""
    return Reply(text=f"It is {right(prompt)}", latency_s=1.5, tokens_in=3, tokens_out=4, steps=2)


def write_old(folder: Path, n: int = 4, **changes: object) -> Run:
    """Run an evaluation of two systems under the name ``old``."""
    spec = SystemSpec(
        model="fake", prompt="old {{ question }}", decoding=Decoding(max_tokens=9), prices=PRICES
    )
    given = {"name": "old", "systems": {"short": spec, "long": spec}} | changes
    system = FakeSystem(answer, components={"model": "m-1", "snapshot": "s-1"})
    return run(evaluation(write_items(folder, n), **given), directory=folder, models={"fake": system})


def again(folder: Path, *, n: int = 4, name: str = "new", **said: object) -> Run:
    """Run stored answers beside a new system."""
    stored = StoredRun(run=str(folder / "old"), **{"system": "short", **said})  # type: ignore[arg-type]
    systems = {"was": SystemSpec(model=stored), "now": SystemSpec(model="fake", prompt="new {{ question }}")}
    given = evaluation(write_items(folder, n), name=name, systems=systems)
    return run(given, directory=folder, models={"fake": FakeSystem(right)})


def records(found: Run, system: str) -> list[Response]:
    return [one for one in RunDirectory(found.path).read_journal().records if one.system == system]


def manifest(found: Run) -> Manifest:
    read = RunDirectory(found.path).manifest
    assert read is not None
    return read


def test_old_answers_take_part_as_they_are_and_only_the_new_system_is_asked(tmp_path: Path) -> None:
    old, new = write_old(tmp_path), again(tmp_path)
    before = {one.item: one for one in records(old, "short")}
    for one in records(new, "was"):
        wanted = msgspec.structs.replace(before[one.item], system="was", cached=True)
        assert one == wanted  # text, times, tokens, cost, when it was asked and of which request
    assert [one.cost for one in records(new, "was")] == [3 * 1.0 + 4 * 2.0] * 4
    assert new.evidence.outcomes["value"].to_list() == [1.0] * 8
    assert {one.cached for one in records(new, "now")} == {False}
    found = aliquot.compare(new.path)
    assert (found.baseline.system, found.candidate.system) == ("was", "now")


def test_what_made_the_answers_is_what_the_manifest_and_the_settings_say(tmp_path: Path) -> None:
    old, new = write_old(tmp_path), again(tmp_path)
    was, now = manifest(new).systems["was"], manifest(new).systems["now"]
    made = manifest(old).systems["short"]
    for name in ("mode", "instructions", "prompt", "prompt_sha256", "decoding", "components"):
        assert was[name] == made[name]
    assert (was["stored"], was["prices"]) == ("old, short", None)
    assert was["asked"] == manifest(old).started
    assert was["prompt_sha256"] != now["prompt_sha256"]
    settings = {
        row["name"]: row["value"] for row in new.evidence.settings.to_dicts() if row["system"] == "was"
    }
    assert (settings["model"], settings["snapshot"], settings["decoding.max_tokens"]) == ("m-1", "s-1", "9")
    assert settings["prompt"].endswith(made["prompt_sha256"][:20])


def test_what_was_paid_once_is_not_paid_again(tmp_path: Path) -> None:
    write_old(tmp_path)
    stored = SystemSpec(model=StoredRun(run=str(tmp_path / "old"), system="long"))
    priced = SystemSpec(
        model="fake",
        prompt="{{ question }}",
        prices=Prices(input=0.1, output=0.1, per=1),
        decoding=Decoding(max_tokens=1),
    )
    given = evaluation(write_items(tmp_path, 4), systems={"was": stored, "now": priced})
    fake = FakeSystem(lambda prompt: Reply(text=right(prompt), tokens_in=1, tokens_out=1))
    found = run(
        given, directory=tmp_path, models={"fake": fake}, max_cost=2.0
    )  # 44 were paid for the old ones
    assert len(records(found, "now")) == 4
    beside = {side.unit for side in aliquot.compare(found.path).side_metrics.costs}
    assert "s" not in beside  # the old times are those of another day


def test_other_references_score_the_same_answers_anew_and_another_question_is_refused(tmp_path: Path) -> None:
    write_old(tmp_path)
    items = [json.loads(line) for line in (tmp_path / "made.jsonl").read_text(encoding="utf-8").splitlines()]
    items[0]["reference"] = "something else"

    def write() -> Path:
        path = tmp_path / "other.jsonl"
        path.write_text("".join(json.dumps(item) + "\n" for item in items), encoding="utf-8")
        return path

    systems = {"was": SystemSpec(model=StoredRun(run="old", system="short", folder=str(tmp_path)))}
    found = run(evaluation(write(), name="rescored", systems=systems), directory=tmp_path)
    assert sorted(found.evidence.outcomes["value"].to_list()) == [0.0, 1.0, 1.0, 1.0]
    items[1]["question"] = "q99."
    with pytest.raises(InputError, match="1 items ask something else than old asked under that id: i1"):
        run(evaluation(write(), name="changed", systems=systems), directory=tmp_path)
    assert not (tmp_path / "changed").exists()


def test_what_is_not_stored_is_refused_before_anything_is_asked_or_kept_as_a_row(tmp_path: Path) -> None:
    write_old(tmp_path)
    with pytest.raises(InputError, match=r"2 of 6 answers are not in .*old: i[45], i[45]\. .*missing: error"):
        again(tmp_path, n=6)
    assert not (tmp_path / "new").exists()
    found = again(tmp_path, n=6, missing="error")
    lost = [one for one in records(found, "was") if one.status == "error"]
    assert {(one.item, one.reason) for one in lost} == {("i4", NOT_STORED), ("i5", NOT_STORED)}
    assert found.evidence.outcomes["value"].null_count() == 2  # missing, and never wrong
    more = evaluation(
        write_items(tmp_path, 4),
        attempts=2,
        systems={"was": SystemSpec(model=StoredRun(run=str(tmp_path / "old"), system="short"))},
    )
    with pytest.raises(InputError, match=r"4 of 8 answers are not in .* \(attempt 2\)"):
        run(more, directory=tmp_path)


def test_errors_on_record_stay_errors_and_later_answers_are_taken_up(tmp_path: Path) -> None:
    old = write_old(tmp_path)
    first = records(old, "short")[0]
    with Journal.open(RunDirectory(old.path).journal_path) as journal:
        fresh = msgspec.structs.replace(first, system="extra", status="error", text=None, reason="HTTP 500")
        journal.append(fresh)
    path = old.path / "run.json"
    said = json.loads(path.read_text(encoding="utf-8"))
    said["systems"]["extra"] = said["systems"]["short"]
    path.write_text(json.dumps(said), encoding="utf-8")
    new = again(tmp_path, system="extra", missing="error")
    assert {one.reason for one in records(new, "was")} == {"HTTP 500", NOT_STORED}
    with Journal.open(RunDirectory(old.path).journal_path) as journal:
        journal.append(msgspec.structs.replace(first, system="extra", try_=2))
    new = again(tmp_path, system="extra", missing="error")
    assert [one.status for one in records(new, "was") if one.item == first.item][-1] == "ok"


def test_a_log_of_another_harness_takes_part_by_the_ids_of_its_items(tmp_path: Path) -> None:
    log = shared("logs", "inspect", "2026-11-29T17-39-20-00-00_toy-add_5ePAd3NJvrdSZB8pSPdgs3.eval")
    theirs = read(log)
    assert theirs.texts is not None
    (system,) = theirs.responses["system"].unique()
    (task,) = theirs.responses["task"].unique()
    rows = [
        {"id": item, "question": "?", "reference": theirs.texts.reference(task, item)}
        for item in theirs.responses["item"].unique()
    ]
    items = tmp_path / "theirs.jsonl"
    items.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    systems = {"theirs": SystemSpec(model=StoredRun(run=str(log)))}
    found = run(evaluation(items, systems=systems), directory=tmp_path)
    for one in records(found, "theirs"):
        assert one.text == theirs.texts.response(system, task, one.item, 1)
        assert one.cached
    settings = {row["name"]: row["value"] for row in found.evidence.settings.to_dicts()}
    assert settings["model"] == {r["name"]: r["value"] for r in theirs.settings.to_dicts()}["model"]
    assert manifest(found).warnings == (
        f"the answers of {log.name} are matched by the ids of the items alone",
    )


HEAD = "name: trial\nitems: made.jsonl\nscorer: words\nsystems:\n"


@pytest.mark.parametrize(
    ("system", "words"),
    [
        ("{run: old}", r"row 5, field 'run': old holds 2 systems\. Say which: system: short or long"),
        (
            "{run: old, system: shrt}",
            r"row 5, field 'system': old holds no system 'shrt'\. Did you mean 'short'",
        ),
        ("{run: nowhere}", r"row 5, field 'run': there is no run or log .*nowhere\. A path is relative"),
        ("{run: old, sytem: x}", "there is no key 'sytem'. Did you mean 'system'"),
        ("{run: 7}", "field 'run': 7 is not text"),
        (
            "{run: made.jsonl}",
            "row 5, field 'run': .*made.jsonl is no run, and no log that keeps its answers",
        ),
    ],
)
def test_what_cannot_be_taken_is_one_line_with_its_place(system: str, words: str, tmp_path: Path) -> None:
    write_old(tmp_path)
    file = tmp_path / "trial.yaml"
    file.write_text(f"{HEAD}  a: {{model: {system}}}\n", encoding="utf-8")
    with pytest.raises(InputError, match=words) as caught:
        run(file, directory=tmp_path)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "trial").exists()


@pytest.mark.parametrize("key", ["prompt: x", "instructions: x", "mode: chat", "decoding: {}", "prices: {}"])
def test_how_it_would_be_asked_cannot_be_said(key: str) -> None:
    text = f"{HEAD}  a:\n    model: {{run: old}}\n    {key}\n"
    with pytest.raises(InputError, match=r"row 7.*made by its own prompt and decoding\. Leave this key out"):
        parse_evaluation(text, file="trial.yaml")
    assert parse_evaluation(text.replace(key, ""), file="x/trial.yaml").systems["a"].model == StoredRun(
        run="old", folder="x"
    )


def test_the_same_holds_in_python_and_a_stored_system_is_not_asked_again(tmp_path: Path) -> None:
    stored = StoredRun(run=str(tmp_path / "old"), system="short")
    with pytest.raises(UsageError, match="made by its own prompt"):
        SystemSpec(model=stored, prompt="{{ question }}")
    with pytest.raises(UsageError, match="made by its own prompt"):
        SystemSpec(model=stored, decoding=Decoding(max_tokens=9))
    write_old(tmp_path)
    systems = {"was": SystemSpec(model=stored), "now": SystemSpec(model="fake", prompt="{{ question }}")}
    given = evaluation(write_items(tmp_path, 4), name="new", systems=systems)
    run(given, directory=tmp_path, models={"fake": FakeSystem({}, default="no")})
    with pytest.raises(UsageError, match="the answers of 'was' are stored; it cannot be asked again"):
        run(given, directory=tmp_path, models={"fake": FakeSystem({})}, only="broke:was,now")


def test_another_stored_run_is_another_evaluation(tmp_path: Path) -> None:
    write_old(tmp_path)
    again(tmp_path)
    with pytest.raises(UsageError, match="changed: stored of 'was'"):
        again(tmp_path, system="long")
    assert again(tmp_path).evidence.outcomes.height == 8
