"""What runs a folder holds and how far each came; a damaged one is a line with its reason, never an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal, TypeAlias

from aliquot.errors import AliquotError, UsageError
from aliquot.evidence.status import MEASUREMENT_SIDE
from aliquot.files.journal import being_written
from aliquot.files.manifest import Manifest
from aliquot.files.records import Response, settle, spending
from aliquot.files.run_directory import ITEMS, RunDirectory, is_run

RunStatus: TypeAlias = Literal["finished", "stopped", "being written", "broken"]
"""Every answer is on record; some are owed; a process is at work on it; it cannot be read."""


@dataclass(frozen=True, slots=True)
class Spending:
    """What was paid in one scope and currency by one word.

    Attributes:
        scope: for whom: ``system``, or a judge.
        currency: in which currency.
        source: by whose word: prices of the evaluation, a dated price list, the system itself; "" when not recorded.
        cost: how much, every try included.
    """

    scope: str
    currency: str
    source: str
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """One run.

    Attributes:
        path: its directory.
        status: how far it came.
        reason: why it is broken, or what of it could not be read; empty when nothing is wrong.
        name: the run's name; the directory's when it cannot be read.
        task: the task's name.
        systems: what is under test, the baseline first.
        items: items that are asked.
        attempts: answers asked of each system for each item.
        asked: answers the run needs: systems × items × attempts.
        given: answers on record, without those that the measurement lost.
        answered: share of ``asked`` whose answer has status ok, before any scoring; None when nothing is asked.
        started: when the run began, in ISO 8601; empty when that is not known.
        seconds: from the first question to the last answer, pauses between sessions included; None before an answer.
        costs: what it cost, by currency, over all scopes; empty when no answer says.
        spending: the same by scope (``system``, or a judge), currency and source of the costs.
        items_hash: identifies the items that were asked.
        sessions: times it was worked on, where the run says.
        beside: other runs of the folder that asked at the same time in any of them.
        variants: whether some of its systems are variants of one.
    """

    path: str
    status: RunStatus
    reason: str = ""
    name: str = ""
    task: str = ""
    systems: tuple[str, ...] = ()
    items: int = 0
    attempts: int = 0
    asked: int = 0
    given: int = 0
    answered: float | None = None
    started: str = ""
    seconds: float | None = None
    costs: Mapping[str, float] = field(default_factory=dict[str, float])
    spending: tuple[Spending, ...] = ()
    items_hash: str = ""
    sessions: int = 0
    beside: tuple[str, ...] = ()
    variants: bool = False


def list_runs(directory: Path) -> tuple[RunLine, ...]:
    """Return the runs of a folder by when they began, the broken ones last; a run's own directory is the one run.

    Raises:
        UsageError: there is no such folder.
    """
    if not directory.is_dir():
        raise UsageError(f"there is no folder {directory}. Runs are kept in runs/, or where --directory says")
    found = [directory] if is_run(directory) else sorted(filter(is_run, directory.iterdir()))
    lines = map(_line, found)
    return tuple(sorted(lines, key=lambda line: (line.status == "broken", line.started, line.path)))


def _line(path: Path) -> RunLine:
    try:
        return _read(RunDirectory(path))
    except (AliquotError, OSError) as error:
        reason = str(error).removeprefix(f"{path}/").removeprefix(f"{path}: ")
    except (
        AttributeError,
        KeyError,
        TypeError,
        ValueError,
    ) as error:  # a manifest of the right form, filled wrongly
        reason = f"run.json cannot be used ({type(error).__name__}: {error})"
    return RunLine(path=str(path), status="broken", reason=reason, name=path.name)


def _read(run: RunDirectory) -> RunLine:
    manifest = run.manifest
    if manifest is None:
        return RunLine(path=str(run.path), status="broken", reason="it holds no run.json", name=run.path.name)
    busy = being_written(run.journal_path)
    journal = run.read_journal()
    answers = settle(journal.records)
    spent = tuple(Spending(*key, cost) for key, cost in spending(journal.records).items())
    items = _count_items(run, manifest)
    asked = len(manifest.systems) * items * manifest.attempts
    given = sum(answer.status not in MEASUREMENT_SIDE for answer in answers)
    noted = [note.text for note in journal.notes if not (busy and note.code == "torn_line")]
    return RunLine(
        path=str(run.path),
        status="being written" if busy else "finished" if given >= asked > 0 else "stopped",
        reason="; ".join(noted[:1]) + (f" (+{len(noted) - 1} more)" if len(noted) > 1 else ""),
        name=manifest.name,
        task=manifest.task,
        systems=tuple(manifest.systems),
        items=items,
        attempts=manifest.attempts,
        asked=asked,
        given=given,
        answered=sum(answer.status == "ok" for answer in answers) / asked if asked else None,
        started=manifest.started,
        seconds=_seconds(journal.records),
        costs=_costs(spent),
        spending=spent,
        items_hash=str(manifest.item_set.get("hash", "")) + str(manifest.item_set.get("chosen", "")),
        sessions=len(manifest.sessions),
        beside=manifest.beside,
        variants=any("variant" in about for about in manifest.systems.values()),
    )


def _count_items(run: RunDirectory, manifest: Manifest) -> int:
    path = run.path / ITEMS
    if manifest.stopping.get("settled"):  # what lies behind the stop is not owed
        return int(manifest.stopping["items"])
    if path.exists():
        return path.read_bytes().count(b"\n")
    selection: Mapping[str, Any] = manifest.item_set.get("selection", {})
    return int(selection.get("n", 0))


def _seconds(records: tuple[Response, ...]) -> float | None:
    spans: list[tuple[datetime, datetime]] = []
    for record in records:
        try:
            start = datetime.fromisoformat(record.started or "")
        except ValueError:
            continue
        spans.append((start, start + timedelta(seconds=record.latency_s or 0.0)))
    if not spans:
        return None
    return (max(end for _, end in spans) - min(start for start, _ in spans)).total_seconds()


def _costs(spent: Iterable[Spending]) -> dict[str, float]:
    """Return what was paid by currency; currencies are never added up."""
    costs: dict[str, float] = {}
    for one in spent:
        costs[one.currency] = costs.get(one.currency, 0.0) + one.cost
    return costs
