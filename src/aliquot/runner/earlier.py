"""Answers that other runs of a folder hold of the same systems, by which a new run can be foreseen."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from aliquot.errors import AliquotError
from aliquot.files.manifest import Manifest
from aliquot.files.records import settle
from aliquot.files.run_directory import RunDirectory, is_run
from aliquot.runner.forecast import FIRST, Earlier

MOST_RUNS: Final = 50
"""Runs of a folder that are looked at, the newest first."""

MOST_BYTES: Final = 64 * 1024 * 1024
"""Size of a journal up to which it is read for a forecast."""

_APART: Final = ("prices", "observed")
"""What systems of two runs may differ in and still be one; prompt, decoding and every component have to be equal."""


def earlier_answers(path: Path, manifest: Manifest) -> Mapping[str, Earlier]:
    """Return by system what the newest other run with enough of its answers holds.

    A run that cannot be read is passed over: a forecast is worth no error.

    Args:
        path: the directory of the run that is about to start; its neighbours are looked at.
        manifest: what is about to be asked.
    """
    wanted = {name: _identity(about) for name, about in manifest.systems.items()}
    found: dict[str, Earlier] = {}
    for run in _neighbours(path):
        if len(found) == len(wanted):
            break
        try:
            _look(run, wanted, found)
        except (AliquotError, OSError, AttributeError, KeyError, TypeError, ValueError):
            continue
    return found


def _neighbours(path: Path) -> list[Path]:
    folder = path.parent
    if not folder.is_dir():
        return []
    others = [one for one in (folder, *folder.iterdir()) if one != path and is_run(one)]
    return sorted(others, key=lambda one: (-one.stat().st_mtime, str(one)))[:MOST_RUNS]


def _look(path: Path, wanted: Mapping[str, Any], found: dict[str, Earlier]) -> None:
    run = RunDirectory(path)
    manifest = run.manifest
    if manifest is None:
        return
    held = {name: _identity(about) for name, about in manifest.systems.items()}
    pairs = {
        name: next((other for other, identity in held.items() if identity == mine), None)
        for name, mine in wanted.items()
        if name not in found
    }
    if not any(pairs.values()) or run.journal_path.stat().st_size > MOST_BYTES:
        return
    answers = settle(run.read_journal().records)
    for name, other in pairs.items():
        mine = [answer for answer in answers if answer.system == other]
        if len(mine) >= FIRST:
            found[name] = Earlier(manifest.name, mine)


def _identity(about: Mapping[str, Any]) -> Any:
    return msgspec.json.decode(
        msgspec.json.encode({part: said for part, said in about.items() if part not in _APART})
    )
