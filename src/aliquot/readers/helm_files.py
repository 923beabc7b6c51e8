"""Where HELM keeps a run: its folder, the folder of its suite, and the files in both."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from aliquot.errors import InputError
from aliquot.files.text import read_bounded
from aliquot.files.typed_json import Record, decode_document
from aliquot.files.writing import machine_errors

RUN_SPEC_FILE: Final = "run_spec.json"
VALUES_FILE: Final = "per_instance_stats.json"
REQUESTS_FILE: Final = "scenario_state.json"
STATS_FILE: Final = "stats.json"
INSTANCES_FILE: Final = "instances.json"
PREDICTIONS_FILE: Final = "display_predictions.json"
SCHEMA_FILE: Final = "schema.json"

RUN_FILES: Final = frozenset(
    {RUN_SPEC_FILE, VALUES_FILE, REQUESTS_FILE, STATS_FILE, INSTANCES_FILE, PREDICTIONS_FILE, "scenario.json",
     "display_requests.json"}
)  # fmt: skip
"""Files of a run; each stands for its folder."""

SUITE_FILES: Final = frozenset(
    {SCHEMA_FILE, "runs.json", "run_specs.json", "runs_to_run_suites.json", "summary.json", "groups.json",
     "groups_metadata.json", "costs.json"}
)  # fmt: skip
"""Files that ``helm-summarize`` writes beside the runs; each stands for all of them."""

MAX_BYTES: Final = 1 << 30
MAX_RUNS: Final = 10_000
"""Entries looked at in the folder of a suite."""


def is_run(folder: Path) -> bool:
    """Tell whether a folder holds one run with a row an instance."""
    return (folder / RUN_SPEC_FILE).is_file() and (folder / VALUES_FILE).is_file()


def folder_of(path: Path) -> Path:
    """Return the folder a path stands for: itself, or that of a file that HELM writes."""
    if path.is_file() and path.name in RUN_FILES | SUITE_FILES:
        return path.parent
    return path


def is_helm(path: Path) -> bool:
    """Tell whether a path is a run's or a suite's."""
    folder = folder_of(path)
    if not folder.is_dir() or (path.name in SUITE_FILES and is_run(folder)):
        return False
    try:
        return is_run(folder) or any(map(is_run, islice(folder.iterdir(), MAX_RUNS)))
    except OSError:
        return False


def find_runs(path: Path) -> list[Path]:
    """Return the folders of the runs that a path stands for, sorted.

    Raises:
        InputError: there is none, or too many entries.
        MachineError: the machine refuses to look.
    """
    folder = folder_of(path)
    if is_run(folder):
        return [folder]
    entries: list[Path] = []
    if folder.is_dir():
        with machine_errors(folder):
            entries = list(islice(folder.iterdir(), MAX_RUNS + 1))
    if len(entries) > MAX_RUNS:
        raise InputError(
            f"holds more than {MAX_RUNS:,} entries", file=str(path), remedy="Name one run's folder"
        )
    runs = sorted(entry for entry in entries if is_run(entry))
    if not runs:
        remedy = f"A run's folder holds {RUN_SPEC_FILE} and {VALUES_FILE}"
        raise InputError("holds no run of HELM", file=str(path), remedy=remedy)
    return runs


def load(path: Path, decoder: msgspec.json.Decoder[Record]) -> Record:
    """Return a file's content.

    Raises:
        InputError: it is not there, too large, no JSON, or holds something else.
        MachineError: the machine refuses to read it.
    """
    return decode_document(read_bounded(path, limit=MAX_BYTES), decoder, file=str(path))


def load_if_there(path: Path, decoder: msgspec.json.Decoder[Record]) -> Record | None:
    """Return a file's content, or None when HELM did not write it.

    Raises:
        InputError: it is too large, no JSON, or holds something else.
        MachineError: the machine refuses to read it.
    """
    return load(path, decoder) if path.is_file() else None
