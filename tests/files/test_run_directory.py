from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from aliquot.errors import InputError, MachineError, UsageError
from aliquot.evidence.assembly import SCHEMAS, assemble
from aliquot.evidence.tables import Evidence, Note
from aliquot.files import writing
from aliquot.files.journal import Journal
from aliquot.files.manifest import Manifest
from aliquot.files.records import Response
from aliquot.files.run_directory import RunDirectory, is_run
from aliquot.files.stored_items import StoredItem

AWKWARD = ["a/b", "../../etc/x", "C:\\tmp\\x", "con", "日本語", "😀", "\u00e9", "e\u0301", " lead", "tail ", "x" *
300,
           "50%", "q?a=1#f", "line\nbreak"]  # fmt: skip


def _evidence(items: list[str]) -> Evidence:
    return assemble(
        pl.DataFrame({"system": "s", "task": "t", "item": items, "value": [1.0] * len(items)}),
        items=pl.DataFrame({"task": "t", "item": items, "segment.topic": ["law"] * len(items)}),
        notes=[Note("code", "text")],
    )


def test_every_id_comes_back_and_nothing_is_written_outside(tmp_path: Path) -> None:
    run = RunDirectory.create_or_open(tmp_path / "runs" / "one")
    with Journal.open(run.journal_path) as journal:
        for item in AWKWARD:
            journal.append(Response(system="s", task="t", item=item, status="ok", text=f"answer to {item}"))
    run.write_items(StoredItem(task="t", item=item, inputs=f"asks {item}", reference="r") for item in AWKWARD)
    run.write_evidence(_evidence(AWKWARD))
    back = run.read_evidence()
    assert back.outcomes["item"].to_list() == AWKWARD
    assert back.texts is not None
    for item in AWKWARD:
        assert back.texts.inputs("t", item) == f"asks {item}"
        assert back.texts.reference("t", item) == "r"
        assert back.texts.response("s", "t", item, 1) == f"answer to {item}"
    assert back.texts.response("s", "t", "a/b", 2) is None
    assert back.texts.inputs("t", "unknown") is None
    written = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    tables = {f"runs/one/evidence/{table}.parquet" for table in SCHEMAS}
    assert written == {
        "runs/one/journal.jsonl",
        "runs/one/items.jsonl",
        "runs/one/evidence/rest.json",
        *tables,
    }


def test_evidence_comes_back_as_it_was_and_is_replaced_whole(tmp_path: Path) -> None:
    run = RunDirectory.create_or_open(tmp_path / "one")
    for items in (["1"], ["1", "2"]):
        evidence = _evidence(items)
        run.write_evidence(evidence)
        back = run.read_evidence()
        for table in SCHEMAS:
            assert getattr(back, table).equals(getattr(evidence, table)), table
        assert back.notes == evidence.notes
    assert sorted(path.name for path in run.path.iterdir()) == ["evidence"]


def test_the_old_evidence_is_found_after_a_crash_between_the_two_renames(tmp_path: Path) -> None:
    run = RunDirectory.create_or_open(tmp_path / "one")
    run.write_evidence(_evidence(["1"]))
    (run.path / "evidence").rename(run.path / ".evidence.old")
    assert run.read_evidence().outcomes.height == 1


def test_the_answer_of_the_try_that_counts_is_the_text(tmp_path: Path) -> None:
    run = RunDirectory.create_or_open(tmp_path / "one")
    with Journal.open(run.journal_path) as journal:
        journal.append(Response(system="s", task="t", item="1", status="ok", text="first"))
        journal.append(Response(system="s", task="t", item="1", try_=2, status="ok", text="second"))
        journal.append(Response(system="s", task="t", item="1", try_=3, status="error"))
    assert run.texts.response("s", "t", "1", 1) == "second"


def test_the_manifest_comes_back_and_is_json_a_person_can_read(tmp_path: Path) -> None:
    run = RunDirectory.create_or_open(tmp_path / "one")
    assert run.manifest is None
    manifest = Manifest(
        name="one", task="t", systems={"chat": {"model": "m", "decoding": {"max_tokens": 24}}}, seed=7
    )
    run.write_manifest(manifest)
    assert run.manifest == manifest
    text = (run.path / "run.json").read_text()
    assert json.loads(text)["schema"] == "aliquot.run/1"
    assert '\n  "name": "one"' in text


def test_a_manifest_never_holds_a_key(tmp_path: Path) -> None:
    run = RunDirectory.create_or_open(tmp_path / "one")
    with pytest.raises(UsageError, match="'api_key' would put a secret into the run's manifest"):
        run.write_manifest(Manifest(name="one", systems={"a": {"client": [{"api_key": "abc"}]}}))
    assert run.manifest is None


@pytest.mark.parametrize(
    ("text", "problem"), [("{", "not a run's manifest"), ('{"name": "x", "schema": "other/9"}', "other/9")]
)
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match=problem):
        _ = RunDirectory(tmp_path).manifest


def test_a_folder_with_other_things_in_it_is_not_taken(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"x")
    with pytest.raises(InputError, match="is a folder, but not a run"):
        RunDirectory.create_or_open(tmp_path)
    with pytest.raises(InputError, match="is a file"):
        RunDirectory.create_or_open(tmp_path / "photo.jpg")
    assert not is_run(tmp_path)


def test_a_run_without_evidence_and_one_with_damaged_evidence_say_so(tmp_path: Path) -> None:
    run = RunDirectory.create_or_open(tmp_path / "one")
    with pytest.raises(InputError, match="has no evidence yet"):
        run.read_evidence()
    run.write_evidence(_evidence(["1"]))
    (run.path / "evidence" / "items.parquet").write_bytes(b"PAR1 broken")
    with pytest.raises(InputError, match=r"cannot be read. Rebuild it"):
        run.read_evidence()


def test_a_file_is_written_whole_or_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    writing.write_whole(path, b"old")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(MachineError, match="the disk is full"):
        writing.write_whole(path, b"new")
    assert [(found.name, found.read_bytes()) for found in tmp_path.iterdir()] == [("file", b"old")]
