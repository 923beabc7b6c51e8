"""Logs of Inspect: ``.eval`` archives, ``.json`` documents, and folders of them."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import Final

from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import systems
from aliquot.evidence.merging import merge
from aliquot.evidence.tables import Evidence, Source
from aliquot.files.writing import machine_errors
from aliquot.readers.inspect_evidence import evidence_of_run
from aliquot.readers.inspect_header import version_of
from aliquot.readers.inspect_run import Run, combine, load_run
from aliquot.readers.options import ReadOptions

FORMAT: Final = "inspect"

MAX_LOGS: Final = 2_000
"""Logs a folder may hold."""

MAX_ENTRIES: Final = 100_000
"""Files and folders looked at in a folder."""

MAX_HASHED_BYTES: Final = 64 << 20
"""Larger files are read without the SHA-256 of their bytes."""

_SNIFFED_BYTES: Final = 1 << 16
_FIRST_MEMBERS: Final = (b"_journal/", b"samples/", b"header.json", b"summaries.json")
_DOCUMENT_KEYS: Final = (
    rb'"eval"\s*:\s*\{',
    rb'"status"\s*:\s*"',
    rb'"run_id"\s*:',
    rb'"task_id"\s*:',
    rb'"version"\s*:',
)


class InspectReader:
    """Reads a log, or a folder of logs of which a retried one supersedes those before it."""

    name = "inspect"
    reads = "logs of Inspect: .eval, .json, or a folder of them"

    def sniff(self, path: Path) -> bool | str:
        """Tell a log by its first bytes."""
        if path.is_dir():
            return next((kind for file in _files(path) if (kind := _sniff_file(file))), False)
        return _sniff_file(path)

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read a log or a folder of logs.

        Raises:
            UsageError: a name was given and there are several systems, or no sample has the cluster's field.
            InputError: a log cannot be used as it stands.
            MachineError: the machine refuses to read one.
        """
        if not path.is_dir():
            run = load_run(path)
            return _evidence(run, options, system=options.name or run.header.eval.model or path.stem)
        runs = _runs(path)
        evidences = [
            _evidence(run, options, system=name) for run, name in zip(runs, _names(runs), strict=True)
        ]
        evidence = merge(*evidences)
        if options.name is not None and systems(evidence) != (options.name,):
            listed = ", ".join(systems(evidence))
            raise UsageError(
                f"{path} holds the systems {listed}; one name cannot name a folder. Name its logs."
            )
        return evidence


def _evidence(run: Run, options: ReadOptions, *, system: str) -> Evidence:
    digest = ""
    if run.path.stat().st_size <= MAX_HASHED_BYTES:
        with machine_errors(run.path), run.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    source = Source(path=str(run.path), format=FORMAT, version=version_of(run.header), sha256=digest)
    return evidence_of_run(run, options, system=system, source=source)


def _runs(folder: Path) -> list[Run]:
    """Return the runs whose logs a folder holds, each once."""
    logs = [file for file in _files(folder) if _sniff_file(file)]
    if not logs:
        raise InputError("holds no log of Inspect", file=str(folder))
    if len(logs) > MAX_LOGS:
        raise InputError(f"holds {len(logs):,} logs; the limit is {MAX_LOGS:,}", file=str(folder))
    by_id: dict[tuple[str, str], list[Run]] = {}
    for file in logs:
        run = load_run(file)
        spec = run.header.eval
        by_id.setdefault((spec.task_id or file.name, spec.model), []).append(run)
    return [combine(runs) for runs in by_id.values()]


def _names(runs: list[Run]) -> list[str]:
    """Return each run's system: the model, and the log when several runs gave one model the same task."""
    keys = Counter((run.header.eval.model, run.header.eval.task) for run in runs)
    repeated = {model for (model, _), count in keys.items() if count > 1}
    models = [run.header.eval.model for run in runs]
    return [
        f"{run.path.name}:{model}" if model in repeated else model or run.path.stem
        for run, model in zip(runs, models, strict=True)
    ]


def _files(folder: Path) -> list[Path]:
    """Return the files of a folder and the folders in it that may be logs, by name."""
    with machine_errors(folder):
        entries = islice(folder.rglob("*"), MAX_ENTRIES)
        return sorted(file for file in entries if file.suffix in {".eval", ".json"} and file.is_file())


def _sniff_file(path: Path) -> bool | str:
    if not path.is_file():
        return False
    with machine_errors(path), path.open("rb") as file:
        head = file.read(_SNIFFED_BYTES)
    if path.suffix == ".eval":
        return "eval"
    if head.startswith(b"PK"):
        return "eval" if head[30:].startswith(_FIRST_MEMBERS) else False
    if path.suffix != ".json" or not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return False
    found = sum(bool(re.search(key, head)) for key in _DOCUMENT_KEYS)
    return "json" if found >= 4 else False
