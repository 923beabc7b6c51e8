from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import MachineError
from aliquot.files import journal as journal_module
from aliquot.files.journal import SYNC_LINES, SYNC_SECONDS, Journal, read_journal
from aliquot.files.records import Response, settle

APPEND_FOREVER = """
import sys
from pathlib import Path
from aliquot.files.journal import Journal
from aliquot.files.records import Response
with Journal.open(Path(sys.argv[1])) as journal:
    start = len(journal.records)
    for number in range(start, 1_000_000):
        journal.append(Response(system="s", task="t", item=str(number), status="ok", text="x" * 3000))
        print(number, flush=True)
"""


def _response(item: str, **fields: object) -> Response:
    return msgspec.convert(
        {"kind": "response", "system": "s", "task": "t", "item": item, "status": "ok", **fields}, Response
    )


def _items(path: Path) -> list[str]:
    return [record.item for record in read_journal(path).records]


def test_what_was_acknowledged_survives_kill_and_nothing_is_doubled(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", APPEND_FOREVER, str(path)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(40)]
        process.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in process.stdout.read().splitlines()]
        process.stdout.close()
        process.wait()
        with Journal.open(path) as journal:
            items = [int(record.item) for record in journal.records]
        assert items == list(range(len(items)))  # each once, in order, none lost between two lives
        assert len(items) >= acknowledged[-1] + 1
    assert all(json.loads(line) for line in path.read_text().splitlines())


def test_a_second_process_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal.open(path) as journal:
        journal.append(_response("1"))
        other = subprocess.run(
            [sys.executable, "-c", APPEND_FOREVER, str(path)], capture_output=True, text=True, check=False
        )
        assert other.returncode != 0
        assert "MachineError" in other.stderr
        assert "another process is working on this run" in other.stderr
        with pytest.raises(MachineError, match="another process is working on this run"):
            Journal.open(path)
    assert _items(path) == ["1"]
    Journal.open(path).close()


@pytest.mark.parametrize("cut", [1, 5, 40])
def test_a_torn_last_line_is_set_aside_and_the_next_line_stands_alone(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "journal.jsonl"
    with Journal.open(path) as journal:
        for item in "123":
            journal.append(_response(item, text="a\nb"))
    whole = path.read_bytes()
    last = whole.splitlines(keepends=True)[-1]
    path.write_bytes(whole[: -len(last) + cut])
    assert [note.code for note in read_journal(path).notes] == ["torn_line"]
    assert "line 3 is torn" in read_journal(path).notes[0].text
    with Journal.open(path) as journal:
        assert [note.code for note in journal.notes] == ["torn_line"]
        assert [record.item for record in journal.records] == ["1", "2"]
        journal.append(_response("3"))
    assert _items(path) == ["1", "2", "3"]
    assert read_journal(path).notes == ()
    assert path.with_suffix(".torn").read_bytes() == last[:cut] + b"\n"


def test_unknown_kinds_and_unknown_fields_are_passed_over_and_damage_is_named(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    lines = [
        b'{"kind":"verdict","judge":"j"}',
        b'{"kind":"response","system":"s","task":"t","item":"1","status":"ok","later":[1]}',
        b'{"kind":"response","system":"s"}',
        b"\xff\x00 not json",
        b"",
        b'{"kind":"verdict"}',
    ]
    path.write_bytes(b"\n".join(lines) + b"\n")
    contents = read_journal(path)
    assert [record.item for record in contents.records] == ["1"]
    assert [note.code for note in contents.notes] == ["damaged_line", "damaged_line", "unknown_record"]
    assert [note.text[:6] for note in contents.notes] == ["line 3", "line 4", "2 jour"]


def test_a_full_disk_leaves_what_was_on_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "journal.jsonl"
    real = os.write

    def half_then_full(handle: int, data: bytes) -> int:
        if len(data) < 60:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, bytes(data)[:50])

    with Journal.open(path) as journal:
        journal.append(_response("1"))
        monkeypatch.setattr(journal_module.os, "write", half_then_full)
        with pytest.raises(MachineError, match=r"the disk is full. What was written before is intact"):
            journal.append(_response("2"))
        monkeypatch.setattr(journal_module.os, "write", real)
        assert [record.item for record in journal.records] == ["1"]
        journal.append(_response("3"))
    assert _items(path) == ["1", "3"]


def test_short_writes_are_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr(journal_module.os, "write", lambda handle, data: real(handle, bytes(data)[:7]))
    with Journal.open(tmp_path / "journal.jsonl") as journal:
        journal.append(_response("1", text="é" * 50))
    assert read_journal(tmp_path / "journal.jsonl").records[0].text == "é" * 50


def test_the_disk_is_synced_after_lines_after_seconds_and_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    now = [0.0]
    monkeypatch.setattr(journal_module.os, "fsync", synced.append)
    with Journal.open(tmp_path / "journal.jsonl", clock=lambda: now[0]) as journal:
        for number in range(SYNC_LINES):
            assert len(synced) == 0
            journal.append(_response(str(number)))
        assert len(synced) == 1
        now[0] += SYNC_SECONDS
        journal.append(_response("late"))
        assert len(synced) == 2
    assert len(synced) == 3


def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(journal_module.os, "open", refuse)
    with pytest.raises(MachineError, match=r"journal.jsonl: may not be written. Choose another folder"):
        Journal.open(tmp_path / "journal.jsonl")


def test_the_last_complete_try_counts_and_a_failed_retry_hides_nothing() -> None:
    tries = [
        _response("a", text="1"),
        _response("b", status="error"),
        _response("c", text="0"),
        _response("d", status="timeout"),
        _response("b", text="late", **{"try": 2}),
        _response("c", status="error", **{"try": 2}),
        _response("d", status="error", **{"try": 2}),
        _response("a", attempt=2, text="1"),
        _response("a", text="2", **{"try": 2}),
    ]
    counted = [(record.item, record.attempt, record.status, record.text) for record in settle(tries)]
    assert counted == [
        ("a", 1, "ok", "2"),
        ("b", 1, "ok", "late"),
        ("c", 1, "ok", "0"),
        ("d", 1, "timeout", None),
        ("a", 2, "ok", "1"),
    ]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(min_size=1), max_size=6), st.data())
def test_any_cut_of_a_journal_keeps_exactly_the_whole_lines(
    tmp_path_factory, items: list[str], data: st.DataObject
) -> None:
    whole = b"".join(msgspec.json.encode(_response(item, text=item)) + b"\n" for item in items)
    cut = data.draw(st.integers(0, len(whole)))
    path = tmp_path_factory.mktemp("cut") / "journal.jsonl"
    path.write_bytes(whole[:cut])
    kept = items[: whole[:cut].count(b"\n")]
    assert _items(path) == kept
    with Journal.open(path) as journal:
        journal.append(_response("next"))
    assert _items(path) == [*kept, "next"]
