"""The directory a run leaves: manifest, journal, items and evidence."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

import msgspec
import polars as pl

from aliquot.errors import InputError, MachineError
from aliquot.evidence.assembly import SCHEMAS
from aliquot.evidence.messages import read_turns
from aliquot.evidence.tables import Evidence, Note, Source
from aliquot.evidence.transcripts import Turn, bounded_turns
from aliquot.files.journal import JournalContents, read_journal
from aliquot.files.manifest import Manifest, read_manifest, write_manifest
from aliquot.files.records import ToldResponse, settle
from aliquot.files.tables import read_frame
from aliquot.files.writing import machine_errors, sync_directory, write_whole

MANIFEST: Final = "run.json"
JOURNAL: Final = "journal.jsonl"
ITEMS: Final = "items.jsonl"
EVIDENCE: Final = "evidence"
"""Names of what a run directory holds."""

FORMAT: Final = "aliquot run"


class StoredItem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An item's texts as the run keeps them.

    Attributes:
        task: the task.
        item: the item's id.
        inputs: what it asks, as one text.
        reference: the right answer, as one text.
        content: SHA-256 over inputs and reference.
        conversation: the id of the conversation whose turn it is; the items of a run stand in the order of the turns.
        said: of a later turn, what it says beyond what was said before; None where that is all that it asks.
    """

    task: str
    item: str
    inputs: str
    reference: str | None = None
    content: str | None = None
    conversation: str | None = None
    said: str | None = None


class _Rest(msgspec.Struct, frozen=True):
    """What of an evidence is no table."""

    sources: tuple[Source, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class RunDirectory:
    """A run on disk. Ids are data and never become file names.

    Attributes:
        path: the directory.
    """

    path: Path

    @classmethod
    def create_or_open(cls, path: Path) -> Self:
        """Make the directory when it does not exist.

        Raises:
            InputError: the path is something else than a run: a file, or a folder with other things in it.
            MachineError: the machine refuses.
        """
        if path.is_file():
            raise InputError("is a file", file=str(path), remedy="Choose another name for the run")
        run = cls(path)
        if path.is_dir() and any(path.iterdir()) and not is_run(path):
            raise InputError(
                "is a folder, but not a run", file=str(path), remedy="Choose another name for the run"
            )
        with machine_errors(path):
            path.mkdir(parents=True, exist_ok=True)
        return run

    @property
    def journal_path(self) -> Path:
        """Where the journal is."""
        return self.path / JOURNAL

    @property
    def manifest(self) -> Manifest | None:
        """The manifest, or None when none was written yet."""
        path = self.path / MANIFEST
        return read_manifest(path) if path.exists() else None

    def write_manifest(self, manifest: Manifest) -> None:
        """Write the manifest whole.

        Raises:
            UsageError: it would hold a secret.
            MachineError: the machine refuses.
        """
        write_manifest(self.path / MANIFEST, manifest)

    def write_items(self, items: Iterable[StoredItem]) -> None:
        """Keep the items' texts with the run.

        Raises:
            MachineError: the machine refuses.
        """
        write_whole(self.path / ITEMS, b"".join(msgspec.json.encode(item) + b"\n" for item in items))

    def read_items(self) -> tuple[StoredItem, ...]:
        """Return the items' texts, in order; empty when the run keeps none.

        Raises:
            InputError: a line is no item.
        """
        path = self.path / ITEMS
        if not path.exists():
            return ()
        try:
            return tuple(msgspec.json.Decoder(StoredItem).decode_lines(path.read_bytes()))
        except msgspec.MsgspecError as error:
            raise InputError(f"not a run's items: {error}", file=str(path)) from error

    def read_journal(self) -> JournalContents:
        """Return what the journal holds now; a process may be appending to it."""
        return read_journal(self.journal_path)

    def write_evidence(self, evidence: Evidence) -> None:
        """Write the tables; a reader sees the old ones or the new ones.

        Raises:
            MachineError: the machine refuses; the old tables are as they were.
        """
        target = self.path / EVIDENCE
        fresh, old = (self.path / f".{EVIDENCE}.{suffix}" for suffix in ("new", "old"))
        with machine_errors(target):
            for leftover in (fresh, old):
                shutil.rmtree(leftover, ignore_errors=True)
            fresh.mkdir(parents=True)
            for table in SCHEMAS:
                _write_table(getattr(evidence, table), fresh / f"{table}.parquet")
            rest = _Rest(sources=evidence.sources, notes=evidence.notes)
            write_whole(fresh / "rest.json", msgspec.json.encode(rest))
            if target.exists():
                target.rename(old)
            fresh.rename(target)
            sync_directory(self.path)
            shutil.rmtree(old, ignore_errors=True)

    def read_evidence(self) -> Evidence:
        """Return the tables, with the texts of the journal and the items on demand.

        Raises:
            InputError: there is no evidence yet, or it cannot be read.
            MachineError: the machine refuses to read it.
        """
        folder = self.path / EVIDENCE
        if not folder.is_dir():
            folder = self.path / f".{EVIDENCE}.old"  # a crash between the two renames left the tables here
        if not folder.is_dir():
            raise InputError(
                "the run has no evidence yet", file=str(self.path), remedy="Finish it: aliquot run FILE"
            )
        try:
            tables: dict[str, Any] = {
                table: read_frame(folder / f"{table}.parquet") for table in SCHEMAS if table != "votes"
            }
            if (votes := folder / "votes.parquet").exists():  # runs of older versions have none
                tables["votes"] = read_frame(votes)
            rest = msgspec.json.decode((folder / "rest.json").read_bytes(), type=_Rest)
        except (OSError, InputError, msgspec.MsgspecError) as error:
            raise InputError(
                "the run's evidence cannot be read", file=str(folder), remedy="Rebuild it: aliquot run FILE"
            ) from error
        return Evidence(**tables, sources=rest.sources, notes=rest.notes, texts=self.texts)

    @property
    def evidence_is_stale(self) -> bool:
        """Whether answers were written after the tables, or the tables were never written."""
        tables = self.path / EVIDENCE / "rest.json"
        if not tables.exists():
            return self.journal_path.exists()
        return self.journal_path.exists() and self.journal_path.stat().st_mtime_ns > tables.stat().st_mtime_ns

    @cached_property
    def texts(self) -> RunTexts:
        """The texts of the items and of the answers that count."""
        return RunTexts(self)


@dataclass(frozen=True)
class RunTexts:
    """Texts of a run, read when they are first asked for.

    Attributes:
        run: the run's directory.
    """

    run: RunDirectory

    def inputs(self, task: str, item: str) -> str | None:
        """Return what an item asks."""
        stored = self._items.get((task, item))
        return stored.inputs if stored else None

    def reference(self, task: str, item: str) -> str | None:
        """Return an item's reference."""
        stored = self._items.get((task, item))
        return stored.reference if stored else None

    def response(self, system: str, task: str, item: str, attempt: int) -> str | None:
        """Return what a system answered."""
        told = self._told((system, task, item, attempt))
        return None if told is None else told.text

    def note(self, system: str, task: str, item: str, attempt: int, metric: str) -> None:
        """Return nothing: scorers of a run are rules, and a run keeps no words of theirs."""

    def transcript(self, system: str, task: str, item: str, attempt: int) -> tuple[Turn, ...] | None:
        """Return an attempt as a conversation, None when it is a question and a plain answer.

        Of a turn that is the whole conversation up to it: what was asked and answered before, and the same with the
        transcript and the stages that the system told of each.
        """
        items = (*self._before.get((task, item), ()), item)
        told = [(one, self._told((system, task, one, attempt))) for one in items]
        last = told[-1][1]
        if last is None or not (len(items) > 1 or last.transcript or last.stages):
            return None if last is None else read_turns(last.text)
        return bounded_turns(
            turn for one, answer in told for turn in _spoken(self._items.get((task, one)), answer)
        )

    def metadata(self, task: str, item: str) -> Mapping[str, str]:  # noqa: ARG002 - the protocol's
        """Return nothing: a run keeps of its items what they ask and expect, and segments in the table of items."""
        return {}

    def _told(self, key: tuple[str, str, str, int]) -> ToldResponse | None:
        """Return the answer that counts, whole."""
        span = self._spans.get(key)
        if span is None:
            return None
        with self.run.journal_path.open("rb") as file:
            file.seek(span[0])
            return msgspec.json.decode(file.read(span[1]), type=ToldResponse)

    @cached_property
    def _before(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """The turns before each turn of a conversation, by task and item."""
        threads: dict[tuple[str, str], tuple[str, ...]] = {}
        before: dict[tuple[str, str], tuple[str, ...]] = {}
        for stored in self._items.values():
            if stored.conversation is not None:
                thread = (stored.task, stored.conversation)
                before[stored.task, stored.item] = threads.get(thread, ())
                threads[thread] = (*threads.get(thread, ()), stored.item)
        return before

    @cached_property
    def _items(self) -> dict[tuple[str, str], StoredItem]:
        return {(item.task, item.item): item for item in self.run.read_items()}

    @cached_property
    def _spans(self) -> dict[tuple[str, str, str, int], tuple[int, int]]:
        """Where the answer that counts stands in the journal, for each attempt."""
        contents = self.run.read_journal()
        places = {id(record): span for record, span in zip(contents.records, contents.spans, strict=True)}
        return {record.key: places[id(record)] for record in settle(contents.records)}


def _spoken(asked: StoredItem | None, told: ToldResponse | None) -> Iterator[Turn]:
    """Yield what was asked, the stages, and what the system said and called for its answer, which stands last."""
    said = () if told is None else told.transcript
    if said and said[0].role == "user":
        first, said = said[0], said[1:]
    else:
        first = Turn("user", "" if asked is None else asked.said or asked.inputs)
    yield first
    if told is None:
        return
    yield from (stage.turn() for stage in told.stages)
    yield from said
    if not said or (told.text and told.text not in said[-1].text):
        yield Turn("assistant", told.text or f"({told.status}: {told.reason or 'no text'})")


def is_run(path: Path) -> bool:
    """Tell whether a path is a run's directory."""
    return path.is_dir() and any((path / name).exists() for name in (MANIFEST, JOURNAL, EVIDENCE))


def _write_table(frame: pl.DataFrame, path: Path) -> None:
    try:
        frame.write_parquet(path)
    except pl.exceptions.PolarsError as error:
        raise MachineError(f"{path}: {error}") from error
