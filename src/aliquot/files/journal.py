"""The journal of a run: answers appended as they come, one self-contained JSON line each.

A line handed to the operating system is on record: it survives the death of the process. ``fsync`` every few lines or
seconds, and at the end, makes it survive a power cut. A line torn by a crash is set aside when the journal is next
opened for writing, so that the next line starts on its own.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import msgspec

from aliquot.errors import MachineError
from aliquot.evidence.tables import Note
from aliquot.files.judgements import Judgement
from aliquot.files.programs import ProgramRecord
from aliquot.files.records import Response
from aliquot.files.writing import machine_errors

SYNC_LINES: Final = 1024
"""Lines after which the journal is synced to the disk."""

LOCK_TRIES: Final = 20
"""Tries for the lock, 0.01 s apart: one who only looks (``being_written``) has it for a moment."""

SYNC_SECONDS: Final = 2.0
"""Seconds after which the next line syncs the journal to the disk."""


@dataclass(frozen=True, slots=True)
class JournalContents:
    """A journal as read: its records in order, the line each stands on, and what could not be read.

    Attributes:
        records: the responses, every try of them.
        programs: how programs ended that answers hold.
        judgements: what judges replied about answers, every try of them.
        spans: (offset, length) in bytes of each record's line.
        whole: bytes up to the end of the last whole line.
        torn: the bytes after it, left by a crash.
        notes: what was passed over, and why.
    """

    records: tuple[Response, ...] = ()
    programs: tuple[ProgramRecord, ...] = ()
    judgements: tuple[Judgement, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    whole: int = 0
    torn: bytes = b""
    notes: tuple[Note, ...] = ()


def read_journal(path: Path) -> JournalContents:
    """Read a journal, also one that a running process is appending to; nothing is changed.

    Raises:
        MachineError: the file cannot be read.
    """
    with machine_errors(path):
        data = path.read_bytes() if path.exists() else b""
    reading = _Reading()
    start = number = 0
    while (end := data.find(b"\n", start)) >= 0:
        number += 1
        reading.take(data[start:end], offset=start, number=number)
        start = end + 1
    torn = data[start:]
    if torn:
        text = (
            f"{path.name}, line {number + 1} is torn after {len(torn)} bytes; its answer counts as not given"
        )
        reading.notes.append(Note("torn_line", text))
    return JournalContents(
        records=tuple(reading.records),
        programs=tuple(reading.programs),
        judgements=tuple(reading.judgements),
        spans=tuple(reading.spans),
        whole=start,
        torn=torn,
        notes=(*reading.notes, *reading.unknown_notes()),
    )


def being_written(path: Path) -> bool:
    """Tell whether a process has the journal open for writing; nothing is changed.

    Raises:
        MachineError: the file cannot be opened.
    """
    if not path.exists():
        return False
    with machine_errors(path), path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


class Journal:
    """A journal open for appending, by this process alone.

    Examples:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with Journal.open(Path(folder) / "journal.jsonl") as journal:
        ...         journal.append(Response(system="a", task="t", item="1", status="ok", text="4"))
        ...     len(journal.records)
        1
    """

    def __init__(
        self,
        path: Path,
        handle: int,
        contents: JournalContents,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self.notes = contents.notes
        self._handle = handle
        self._records = list(contents.records)
        self._programs = list(contents.programs)
        self._judgements = list(contents.judgements)
        self._size = contents.whole
        self._clock = clock
        self._unsynced = 0
        self._synced_at = clock()
        self._closed = False

    @classmethod
    def open(cls, path: Path, *, clock: Callable[[], float] = time.monotonic) -> Self:
        """Open a journal for this process alone, read what it holds and set a torn last line aside.

        Args:
            path: the journal's file; made when it does not exist.
            clock: seconds of a clock that never goes back.

        Raises:
            MachineError: another process has it open, or the machine refuses.
        """
        with machine_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
            try:
                _lock(handle, path)
                contents = read_journal(path)
                if contents.torn:
                    _set_aside(path, contents.torn)
                    os.ftruncate(handle, contents.whole)
            except BaseException:
                os.close(handle)
                raise
        return cls(path, handle, contents, clock=clock)

    @property
    def records(self) -> tuple[Response, ...]:
        """Every try on record, in the order in which they came."""
        return tuple(self._records)

    @property
    def programs(self) -> tuple[ProgramRecord, ...]:
        """Every execution of a program on record, in order."""
        return tuple(self._programs)

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        """Every reply of a judge on record, in order."""
        return tuple(self._judgements)

    def append(self, record: Response | ProgramRecord | Judgement) -> None:
        """Put a record on file; it survives the death of this process once the call returns.

        Raises:
            MachineError: the disk is full or refuses; what was on record before stays intact.
        """
        line = msgspec.json.encode(record) + b"\n"
        with machine_errors(self.path):
            self._write(line)
            self._unsynced += 1
            if self._unsynced >= SYNC_LINES or self._clock() - self._synced_at >= SYNC_SECONDS:
                self.sync()
        if isinstance(record, ProgramRecord):
            self._programs.append(record)
        elif isinstance(record, Judgement):
            self._judgements.append(record)
        else:
            self._records.append(record.light())

    def sync(self) -> None:
        """Make everything on record survive a power cut.

        Raises:
            MachineError: the disk refuses.
        """
        with machine_errors(self.path):
            os.fsync(self._handle)
        self._unsynced = 0
        self._synced_at = self._clock()

    def close(self) -> None:
        """Sync, give up the lock and close the file; closing twice does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            self.sync()
        finally:
            os.close(self._handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, line: bytes) -> None:
        """Write a whole line, or take back the part of it that was written."""
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._handle, rest) :]
        except OSError:
            os.ftruncate(self._handle, self._size)
            raise
        self._size += len(line)


@dataclass(slots=True)
class _Reading:
    """What has been read of a journal so far."""

    records: list[Response] = field(default_factory=list[Response])
    programs: list[ProgramRecord] = field(default_factory=list[ProgramRecord])
    judgements: list[Judgement] = field(default_factory=list[Judgement])
    spans: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    notes: list[Note] = field(default_factory=list[Note])
    unknown: dict[str, int] = field(default_factory=dict[str, int])

    def take(self, line: bytes, *, offset: int, number: int) -> None:
        """Take one whole line: a response, a record of another kind, or a line that cannot be read."""
        if not line.strip():
            return
        try:
            kind = msgspec.json.decode(line, type=_Kind).kind
            if kind == "execution":
                self.programs.append(msgspec.json.decode(line, type=ProgramRecord))
                return
            if kind == "judgement":
                self.judgements.append(msgspec.json.decode(line, type=Judgement))
                return
            if kind != "response":
                self.unknown[kind] = self.unknown.get(kind, 0) + 1
                return
            record = msgspec.json.decode(line, type=Response)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            text = f"line {number} of the journal cannot be read ({error}); its answer counts as not given"
            self.notes.append(Note("damaged_line", text))
            return
        self.records.append(record)
        self.spans.append((offset, len(line)))

    def unknown_notes(self) -> list[Note]:
        """Return a note for each kind of record that this version does not know."""
        return [
            Note("unknown_record", f"{count} journal records of the unknown kind {kind!r} were passed over")
            for kind, count in self.unknown.items()
        ]


class _Kind(msgspec.Struct):
    kind: str = "response"


def _lock(handle: int, path: Path) -> None:
    for _ in range(LOCK_TRIES):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.01)
        else:
            return
    raise MachineError(
        f"{path.parent}: another process is working on this run. Wait for it to end, or stop it first."
    )


def _set_aside(path: Path, torn: bytes) -> None:
    """Append a torn line to the file kept for them, before the journal forgets it."""
    with path.with_suffix(".torn").open("ab") as file:
        file.write(torn + b"\n")
        file.flush()
        os.fsync(file.fileno())
