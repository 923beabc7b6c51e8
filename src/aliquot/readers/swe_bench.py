"""SWE-bench results: which instances were resolved, and of the others only what the lists say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Evidence, Note, Source
from aliquot.files.json_documents import JsonReading
from aliquot.files.text import decode, read_bounded
from aliquot.readers.options import ReadOptions

TASK: Final = "swe-bench"
MAX_BYTES: Final = 256 << 20
_HEAD_BYTES: Final = 1 << 20
_TAIL_BYTES: Final = 1 << 16

RESOLVED: Final = ("resolved", "resolved_ids")
EVALUATED: Final = ("applied", "completed_ids", "unresolved_ids", "with_logs", "test_errored", "test_timeout")
"""Lists of instances whose patch was tried; one that is not resolved failed."""

NO_ANSWER: Final = ("no_generation", "empty_patch_ids", "no_apply")
"""Lists of instances without a patch that could be tried: the system's doing."""

NOT_MEASURED: Final = ("no_logs", "error_ids", "install_fail", "reset_failed", "incomplete_ids")
"""Lists of instances of which nothing is known: the measurement's doing."""

LISTED: Final = ("generated", "submitted_ids")
"""Lists of every instance that was answered."""


class SweBenchReader:
    """Reads ``results.json`` of SWE-bench submissions and the harness's own report."""

    name = "swe-bench"
    reads = "SWE-bench results with lists of resolved instances"

    def sniff(self, path: Path) -> bool | str:
        """Tell a result list by its keys."""
        if path.suffix.lower() != ".json" or not path.is_file():
            return False
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD_BYTES)
                file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
                ends = head + file.read(_TAIL_BYTES)
        except OSError:
            return False
        known = (*EVALUATED, *NO_ANSWER, *NOT_MEASURED, *LISTED)
        lists = sum(f'"{name}"'.encode() in ends for name in known)
        resolved = any(f'"{name}"'.encode() in ends for name in RESOLVED)
        return "results.json" if resolved and lists and head.lstrip().startswith(b"{") else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read one system's result lists.

        Raises:
            InputError: there is no list of resolved instances, or a list holds anything but ids.
            MachineError: the machine refuses to read it.
        """
        file, reading = str(path), JsonReading()
        data = read_bounded(path, limit=MAX_BYTES)
        document = reading.parse(decode(data, file=file, encoding=options.encoding), file=file)
        lists = _lists(document, file=file)
        name = options.name or _name(path)
        rows = list(_rows(lists, system=name))
        if not rows:
            raise InputError("lists no instance at all", file=file)
        frame = pl.DataFrame(rows, schema_overrides={"value": pl.Float64, "reason": pl.String})
        items = frame.select("task", "item", cluster=pl.col("item").str.extract(r"^(.+)-\d+$"))
        return assemble(
            frame.select("system", "task", "item", "value", "status", metric=pl.lit("resolved")),
            items=items,
            responses=frame.select("system", "task", "item", "status", "reason"),
            metrics=_metrics(frame["value"]),
            reported=_reported(document, system=name),
            sources=(Source(file, "swe-bench", "results.json", hashlib.sha256(data).hexdigest()),),
            notes=_notes(lists, frame),
        )


def _name(path: Path) -> str:
    """Return the system's name: a submission's folder, as every file in it is called ``results.json``."""
    if path.stem != "results":
        return path.stem
    folders = [part for part in path.absolute().parts[:-1] if part != "results"]
    return folders[-1] if len(folders) > 1 else path.stem


def _lists(document: Any, *, file: str) -> dict[str, list[str]]:
    if not isinstance(document, dict) or not any(isinstance(document.get(name), list) for name in RESOLVED):
        raise InputError("has no list 'resolved' of instance ids", file=file)
    known = (*RESOLVED, *EVALUATED, *NO_ANSWER, *NOT_MEASURED, *LISTED)
    lists: dict[str, list[str]] = {}
    for name in known:
        found = document.get(name)
        if found is None or isinstance(found, int):  # a count beside the lists
            continue
        if not isinstance(found, list) or not all(isinstance(one, str) and one for one in found):
            raise InputError("is no list of instance ids", file=file, field=name)
        lists[name] = list(dict.fromkeys(found))
    return lists


def _rows(lists: Mapping[str, Sequence[str]], *, system: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each instance that any list names; the first of these that fits tells its fate."""
    fates: dict[str, tuple[float | None, str, str | None]] = {}
    for names, value, status in (
        (RESOLVED, 1.0, "ok"),
        (NO_ANSWER, None, "failed"),
        (NOT_MEASURED, None, "error"),
        (EVALUATED, 0.0, "ok"),
        (LISTED, 0.0, "ok"),
    ):
        for name in names:
            for item in lists.get(name, ()):
                fates.setdefault(item, (value, status, None if status == "ok" else name))
    for item in sorted(fates):
        value, status, reason = fates[item]
        yield {
            "system": system,
            "task": TASK,
            "item": item,
            "value": value,
            "status": status,
            "reason": reason,
        }


def _metrics(values: pl.Series) -> pl.DataFrame:
    return pl.DataFrame([metric_row("resolved", values, kind="binary", headline=True)], schema=dict(METRICS))


def _reported(document: Mapping[str, Any], *, system: str) -> pl.DataFrame:
    counts = {
        name: document.get(f"{name}_instances") for name in ("total", "resolved", "unresolved", "error")
    }
    rows = [
        {"system": system, "task": TASK, "metric": "resolved", "statistic": name, "value": float(value)}
        for name, value in counts.items()
        if isinstance(value, int) and abs(value) < 1 << 53
    ]
    return pl.DataFrame(rows)


def _notes(lists: Mapping[str, Sequence[str]], frame: pl.DataFrame) -> tuple[Note, ...]:
    notes = [Note("item_key", "the instance id")]
    if not any(lists.get(name) for name in (*EVALUATED, *LISTED)):
        text = (
            f"lists resolved instances and those without a patch or log ({frame.height} in all), but not those that "
            "were tried and failed: they are missing here and every rate of this file alone is too high. "
            "A table with a row an instance holds them"
        )
        notes.append(Note("unresolved_unknown", text))
    return tuple(notes)
