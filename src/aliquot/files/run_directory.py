"""The directory a run leaves: manifest, journal, items and evidence."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self, TypeAlias

import msgspec
import polars as pl

from aliquot.errors import InputError, MachineError
from aliquot.evidence.assembly import SCHEMAS
from aliquot.evidence.bounds import MAX_NOTE, shorten
from aliquot.evidence.messages import read_turns
from aliquot.evidence.tables import OUTCOMES, Evidence, Note, Source
from aliquot.evidence.texts import held_notes
from aliquot.evidence.token_logprobs import logprobs_turn
from aliquot.evidence.transcripts import Turn, bounded_turns
from aliquot.files.journal import JournalContents, read_journal
from aliquot.files.manifest import Manifest, read_manifest, write_manifest
from aliquot.files.records import ToldResponse
from aliquot.files.stored_items import StoredItem, order_key
from aliquot.files.tables import read_frame
from aliquot.files.whole_records import WholeRecords
from aliquot.files.writing import machine_errors, sync_directory, write_whole

MANIFEST: Final = "run.json"
JOURNAL: Final = "journal.jsonl"
ITEMS: Final = "items.jsonl"
EVIDENCE: Final = "evidence"
NOTES: Final = "notes.parquet"
"""Names of what a run directory holds."""

FORMAT: Final = "aliquot run"

LATER: Final = frozenset({"votes", "stages"})
"""Tables that runs of older versions do not have."""


NoteKey: TypeAlias = tuple[str, str, str, int, str]
"""System, task, item, attempt and metric."""

_NOTE: Final[Mapping[str, pl.DataType]] = {
    **{name: OUTCOMES[name] for name in ("system", "task", "item", "attempt", "metric")},
    "note": pl.String(),
}


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
            if notes := held_notes(evidence.texts):
                _write_table(_notes_frame(notes), fresh / NOTES)
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
                table: _current(table, read_frame(path))
                for table in SCHEMAS
                if (path := folder / f"{table}.parquet").exists() or table not in LATER
            }
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

    def note(self, system: str, task: str, item: str, attempt: int, metric: str) -> str | None:
        """Return what a judge said of one outcome; of rules a run keeps no words."""
        said = self.notes.get((system, task, item, attempt, metric))
        return None if said is None else shorten(said, limit=MAX_NOTE)

    @cached_property
    def notes(self) -> Mapping[NoteKey, str]:
        """What judges said, by system, task, item, attempt and metric.

        Raises:
            InputError: the file cannot be read.
        """
        path = self.run.path / EVIDENCE / NOTES
        return {row[:5]: row[5] for row in read_frame(path).iter_rows()} if path.exists() else {}

    def transcript(self, system: str, task: str, item: str, attempt: int) -> tuple[Turn, ...] | None:
        """Return an attempt as a conversation, None when it is a question and a plain answer.

        Of a turn that is the whole conversation up to it: what was asked and answered before, and the same with the
        transcript, the stages and the log-probabilities of tokens that the system told of each.
        """
        items = (*self._before.get((task, item), ()), item)
        told = [(one, self._told((system, task, one, attempt))) for one in items]
        last = told[-1][1]
        if last is None:
            return None
        asked = [self._asked(system, task, one) for one in items]
        if len(items) == 1 and not (last.transcript or last.stages or asked[0]):
            return (*_answered(last), logprobs) if (logprobs := _logprobs(last)) else read_turns(last.text)
        return bounded_turns(
            turn
            for (one, answer), other in zip(told, asked, strict=True)
            for turn in _spoken(self._items.get((task, one)), answer, other)
        )

    def options(self, system: str, task: str, item: str, attempt: int) -> None:
        """Return nothing: the journal's records hold them."""

    def metadata(self, task: str, item: str) -> Mapping[str, str]:  # noqa: ARG002 - the protocol's
        """Return nothing: a run keeps of its items what they ask and expect, and segments in the table of items."""
        return {}

    def _told(self, key: tuple[str, str, str, int]) -> ToldResponse | None:
        """Return the answer that counts, whole."""
        return self._whole.read(key)

    def _asked(self, system: str, task: str, item: str) -> str | None:
        """Return what a system was asked where it was shown the options in another order than their source's."""
        stored = self._items.get((task, item))
        shown = None if stored is None else stored.shown.get(self._orders.get(system, ""))
        return None if shown is None else shown.text

    @cached_property
    def _orders(self) -> dict[str, str]:
        """The order in which each system was shown options, where that is not the source's."""
        manifest = self.run.manifest
        systems: Mapping[str, Any] = {} if manifest is None else manifest.systems
        return {
            name: order_key(**about["option_order"])
            for name, about in systems.items()
            if "option_order" in about
        }

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
    def _whole(self) -> WholeRecords:
        return WholeRecords(self.run.journal_path, self.run.read_journal())


def _spoken(asked: StoredItem | None, told: ToldResponse | None, other: str | None) -> Iterator[Turn]:
    """Yield what was asked, the stages, what was said and called, the answer, and how probable its tokens were."""
    said = () if told is None else told.transcript
    if said and said[0].role == "user":
        first, said = said[0], said[1:]
    else:
        first = Turn("user", "" if asked is None else asked.said or asked.inputs)
    if other is not None:
        first = Turn("user", other)
    yield first
    if told is None:
        return
    yield from (stage.turn() for stage in told.stages)
    yield from said
    if not said or (told.text and told.text not in said[-1].text):
        yield from _answered(told)
    if (logprobs := _logprobs(told)) is not None:
        yield logprobs


def _answered(told: ToldResponse) -> tuple[Turn]:
    return (Turn("assistant", told.text or f"({told.status}: {told.reason or 'no text'})"),)


def _logprobs(told: ToldResponse) -> Turn | None:
    if not told.token_logprobs:
        return None
    return logprobs_turn(
        told.token_logprobs, log_probability=told.log_probability, counted=told.log_probability_tokens
    )


def is_run(path: Path) -> bool:
    """Tell whether a path is a run's directory."""
    return path.is_dir() and any((path / name).exists() for name in (MANIFEST, JOURNAL, EVIDENCE))


def _current(table: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Return a table with the columns that older versions did not have."""
    schema = SCHEMAS[table]
    lacking = [pl.lit(None, dtype=kind).alias(name) for name, kind in schema.items() if name not in frame]
    further = [name for name in frame.columns if name not in schema]
    return frame.with_columns(lacking).select(*schema, *further) if lacking else frame


def _notes_frame(notes: Mapping[NoteKey, str]) -> pl.DataFrame:
    return pl.DataFrame([(*key, said) for key, said in notes.items()], schema=dict(_NOTE), orient="row")


def _write_table(frame: pl.DataFrame, path: Path) -> None:
    try:
        frame.write_parquet(path)
    except pl.exceptions.PolarsError as error:
        raise MachineError(f"{path}: {error}") from error
