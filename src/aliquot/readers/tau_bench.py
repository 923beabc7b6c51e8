"""tau-bench trajectories: a reward for each task and trial, with the conversation that earned it."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
import polars as pl
from msgspec import Meta, Struct

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import content_hash, text_of
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, RESPONSES, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.files.ends import file_ends
from aliquot.files.json_documents import JsonReading
from aliquot.files.text import decode, read_bounded
from aliquot.readers.cells import ids
from aliquot.readers.options import ReadOptions

TASK: Final = "tau-bench"
MAX_BYTES: Final = 1 << 30


class _Asked(Struct):
    """What the simulated user was told, and what the database had to become."""

    instruction: str | None = None
    actions: Any = None
    outputs: Any = None


class _Info(Struct):
    task: _Asked | None = None
    user_cost: float | None = None
    error: Any = None


class _Run(Struct):
    """One conversation."""

    task_id: Annotated[int, Meta(ge=-(1 << 53), le=1 << 53)] | str
    reward: float | None
    info: _Info | None = None
    traj: list[Any] | None = None
    trial: Annotated[int, Meta(ge=0, le=1 << 40)] | None = None


class TauBenchReader:
    """Reads the list of trajectories that tau-bench writes."""

    name = "tau-bench"
    reads = "tau-bench trajectories"

    def sniff(self, path: Path) -> bool | str:
        """Tell trajectories by the keys of the first."""
        if path.suffix.lower() != ".json" or not path.is_file():
            return False
        head, _ = file_ends(path, tail=0)
        keys = (b'"task_id"', b'"reward"', b'"info"')
        return (
            "trajectories" if head.lstrip().startswith(b"[") and all(key in head for key in keys) else False
        )

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read one system's trajectories; the conversation is the attempt.

        Raises:
            InputError: it is no list of trajectories, or an id stands for two different tasks.
            MachineError: the machine refuses to read it.
        """
        file, reading = str(path), JsonReading()
        data = read_bounded(path, limit=MAX_BYTES)
        document = reading.parse(decode(data, file=file, encoding=options.encoding), file=file)
        runs = _runs(document, file=file)
        name = options.name or path.stem
        names = ids(
            [run.task_id for run in runs], place=lambda i: f"run {i + 1}", file=file, column="task_id"
        )
        contents = _contents(runs, names, file=file)
        keys = [
            (name, TASK, item, attempt) for item, attempt in zip(names, _attempts(runs, names), strict=True)
        ]
        rows = pl.DataFrame(
            [_row(key, run) for key, run in zip(keys, runs, strict=True)], schema=dict(_ROW), orient="row"
        )
        metric = metric_row("reward", rows["value"], headline=True)
        return assemble(
            rows.with_columns(metric=pl.lit("reward"), status=pl.col("outcome")),
            items=pl.DataFrame({"task": TASK, "item": list(contents), "content": list(contents.values())}),
            responses=rows.select(*(column for column in rows.columns if column in RESPONSES)),
            metrics=pl.DataFrame([metric], schema=dict(METRICS)),
            sources=(Source(file, "tau-bench", "trajectories", hashlib.sha256(data).hexdigest()),),
            notes=(Note("item_key", "task_id"), *reading.notes()),
            texts=_texts(runs, names, keys),
        )


_ROW: Final = {
    "system": pl.String(), "task": pl.String(), "item": pl.String(), "attempt": pl.Int64(), "value": pl.Float64(),
    "outcome": pl.String(), "status": pl.String(), "reason": pl.String(), "steps": pl.Int64(),
    "tool_calls": pl.Int64(),
}  # fmt: skip


def _runs(document: Any, *, file: str) -> list[_Run]:
    try:
        runs = msgspec.convert(document, list[_Run])
    except msgspec.ValidationError as error:
        raise InputError(f"is no list of tau-bench trajectories: {error}", file=file) from error
    except RecursionError as error:
        raise InputError("is nested too deeply", file=file) from error
    if not runs:
        raise InputError("holds no trajectory", file=file)
    return runs


def _attempts(runs: list[_Run], names: list[str]) -> list[int]:
    """Return which attempt each run is: by its trial (from 0), else in the order of the file."""
    seen: dict[str, int] = defaultdict(int)
    attempts: list[int] = []
    for run, name in zip(runs, names, strict=True):
        seen[name] += 1
        attempts.append(seen[name] if run.trial is None else run.trial + 1)
    return attempts


def _row(key: tuple[str, str, str, int], run: _Run) -> tuple[Any, ...]:
    """Return a run as a row; one that ended in an error of the program has no reward worth the name."""
    turns = [turn for turn in run.traj or () if isinstance(turn, dict)]
    steps = sum(turn.get("role") == "assistant" for turn in turns)
    calls = sum(len(found) for turn in turns if isinstance(found := turn.get("tool_calls"), list))
    error = run.info.error if run.info is not None else None
    if error:
        reason = str(error).strip().splitlines() or [""]
        return (*key, None, "missing", "error", reason[0][:300], steps, calls)
    status = "ok" if run.reward is not None else "missing"
    return (*key, run.reward, status, "ok", None, steps, calls)


def _contents(runs: list[_Run], names: list[str], *, file: str) -> dict[str, str | None]:
    """Return the hash of what each task asks; null where no run says."""
    found: dict[str, str | None] = dict.fromkeys(names)
    for run, name in zip(runs, names, strict=True):
        if run.info is None or run.info.task is None:
            continue
        content = content_hash(_json(run.info.task), None)
        if found[name] not in {None, content}:
            raise InputError(
                f"task {name!r} asks different things in two runs",
                file=file,
                remedy="Keep the runs of different environments in different files",
            )
        found[name] = content
    return found


def _texts(runs: list[_Run], names: list[str], keys: list[tuple[str, str, str, int]]) -> HeldTexts:
    asked = {
        (TASK, name): (run.info.task.instruction, _json(run.info.task.actions))
        for run, name in zip(runs, names, strict=True)
        if run.info is not None and run.info.task is not None
    }
    answers = {key: _json(run.traj) for key, run in zip(keys, runs, strict=True) if run.traj}
    return HeldTexts(items=asked, responses=answers)


def _json(value: Any) -> str:
    return text_of(msgspec.to_builtins(value)) or ""
