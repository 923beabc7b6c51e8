"""Which runs of a folder asked at the same time: two that share a machine or a server change each other's latencies."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from aliquot.errors import AliquotError
from aliquot.files.journal import being_written
from aliquot.files.manifest import Manifest
from aliquot.files.run_directory import RunDirectory, is_run


def runs_beside(path: Path, *, since: str) -> tuple[str, ...]:
    """Return the names of the other runs in the folder of a run that have asked since a time, sorted.

    Only runs kept in the same folder can be seen. A session that was killed counts up to its last answer; what of a
    run cannot be read is passed over, as it is for that run to say.

    Args:
        path: the run's directory.
        since: ISO 8601 time with its zone.

    Raises:
        MachineError: the machine refuses to open a journal.
    """
    begin = datetime.fromisoformat(since)
    others = (RunDirectory(one) for one in path.parent.iterdir() if one.name != path.name and is_run(one))
    return tuple(sorted(run.path.name for run in others if _asked_since(run, begin)))


def _asked_since(run: RunDirectory, begin: datetime) -> bool:
    if being_written(run.journal_path):
        return True
    try:
        manifest = run.manifest
        return manifest is not None and _end(manifest, run.journal_path) >= begin
    except (AliquotError, OSError, ValueError, TypeError):
        return False


def _end(manifest: Manifest, journal: Path) -> datetime:
    """Return when a run's last session ended: as it says, else when its last answer was written."""
    said = manifest.sessions[-1].finished if manifest.sessions else ""
    return datetime.fromisoformat(said) if said else datetime.fromtimestamp(journal.stat().st_mtime, tz=UTC)
