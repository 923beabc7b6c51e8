"""Which files of a folder belong to one run: results and samples of one time, newest last."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aliquot.errors import InputError
from aliquot.files.writing import machine_errors

MAX_ENTRIES: Final = 10_000
"""Entries looked at in a folder."""

_STAMP: Final = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
_SAMPLES: Final = re.compile(rf"samples_(?P<task>.+)_(?P<stamp>{_STAMP})\.jsonl")
_RESULTS: Final = re.compile(rf"(?P<stem>.+)_(?P<stamp>{_STAMP})\.json")
_PEEK: Final = 1 << 20


@dataclass(slots=True)
class RunFiles:
    """The files of one run of the harness.

    Attributes:
        folder: where they are.
        stamp: the time in their names, empty for files without one.
        results: the aggregates, if they are there.
        samples: task → its samples; the file's stem where the name does not tell the task.
        whole: whether all the run's files are meant, or only one task's samples.
    """

    folder: Path
    stamp: str
    results: Path | None = None
    samples: dict[str, Path] = field(default_factory=dict[str, Path])
    whole: bool = True


def find_runs(path: Path) -> list[RunFiles]:
    """Return the runs of a folder, of its folders one level down, or the run a file belongs to; oldest first.

    A results file brings the samples of its time beside it; a samples file brings its results file.

    Raises:
        InputError: nothing of the harness is there, or too many files.
    """
    if path.is_dir():
        folders = [path, *sorted(entry for entry in _entries(path) if entry.is_dir())]
        runs = [run for folder in folders for run in _runs_in(folder, _entries(folder))]
    else:
        runs = [_run_of(path)]
    if not any(run.results or run.samples for run in runs):
        raise InputError(
            "holds no results_*.json or samples_*.jsonl of lm-evaluation-harness", file=str(path)
        )
    return sorted(runs, key=lambda run: (run.stamp, str(run.folder)))


def is_samples(path: Path) -> bool:
    """Tell whether a file holds samples, by its first record."""
    if path.suffix.lower() not in {".jsonl", ".json"} or not path.is_file():
        return False
    start = _peek(path)
    head = start[:4096].lstrip(b"\xef\xbb\xbf \t\r\n[")
    return head.startswith(b"{") and b'"doc_id"' in head and b'resps"' in start


def is_results(path: Path) -> bool:
    """Tell whether a file holds the harness's aggregates, by its first and last bytes."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    start = _peek(path)
    if not re.match(rb'(?:\xef\xbb\xbf)?\s*\{\s*"results"\s*:\s*\{\s*"[^"]*"\s*:\s*\{', start):
        return False
    with machine_errors(path), path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _PEEK))
        return b'"versions"' in start + file.read()


def stamp_of(path: Path) -> str:
    """Return the time in a file's name, or an empty text.

    Examples:
        >>> stamp_of(Path("samples_my_task_2026-11-29T17-44-53.978406.jsonl"))
        '2026-11-29T17-44-53.978406'
    """
    found = _SAMPLES.fullmatch(path.name) or _RESULTS.fullmatch(path.name)
    return found["stamp"] if found else ""


def task_of(path: Path) -> str:
    """Return the task in the name of a samples file, or an empty text.

    Examples:
        >>> task_of(Path("samples_my_task_2026-11-29T17-44-53.978406.jsonl"))
        'my_task'
    """
    found = _SAMPLES.fullmatch(path.name)
    return found["task"] if found else ""


def _run_of(path: Path) -> RunFiles:
    """Return the run a file belongs to: a samples file alone with its results, a results file with all its samples."""
    stamp = stamp_of(path)
    if is_results(path):
        beside = [entry for entry in _entries(path.parent) if _beside(entry, stamp, results=path)]
        return RunFiles(path.parent, stamp, path, _by_task(beside))
    if not is_samples(path):
        return RunFiles(path.parent, stamp)
    results = [entry for entry in _entries(path.parent) if stamp_of(entry) == stamp and is_results(entry)]
    return RunFiles(
        path.parent, stamp, results[0] if len(results) == 1 else None, _by_task([path]), whole=False
    )


def _beside(entry: Path, stamp: str, *, results: Path) -> bool:
    return entry != results and stamp_of(entry) == stamp and is_samples(entry)


def _runs_in(folder: Path, entries: Iterable[Path]) -> list[RunFiles]:
    """Return a folder's runs: files of one time belong together, and those without one to the one results file."""
    runs: dict[str, RunFiles] = {}
    untimed: list[Path] = []
    for entry in entries:
        stamp = stamp_of(entry)
        results = is_results(entry)
        if results and not stamp:
            untimed.append(entry)
        elif results or is_samples(entry):
            run = runs.setdefault(stamp, RunFiles(folder, stamp))
            if results:
                run.results = entry
            else:
                run.samples |= _by_task([entry])
    if len(untimed) == 1 and "" in runs:
        runs[""].results = untimed.pop()
    return [*runs.values(), *(RunFiles(folder, "", results) for results in untimed)]


def _by_task(paths: Iterable[Path]) -> dict[str, Path]:
    return {task_of(path) or path.stem: path for path in paths}


def _entries(folder: Path) -> list[Path]:
    with machine_errors(folder):
        found: list[Path] = []
        for entry in folder.iterdir():
            found.append(entry)
            if len(found) > MAX_ENTRIES:
                raise InputError(f"holds more than {MAX_ENTRIES:,} entries", file=str(folder))
    return sorted(found)


def _peek(path: Path) -> bytes:
    with machine_errors(path), path.open("rb") as file:
        return file.read(_PEEK)
