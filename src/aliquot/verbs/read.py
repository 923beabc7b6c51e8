"""``read``: what is in a log, a table or a run, and what would be lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from aliquot.evidence.merging import merge
from aliquot.evidence.tables import Evidence
from aliquot.files.journal import Journal
from aliquot.files.run_directory import RunDirectory, is_run
from aliquot.readers.describe import Description, describe
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import read_evidence


def read(*paths: str | Path, options: ReadOptions | None = None) -> Evidence:
    """Read logs, tables and runs as one evidence.

    Args:
        *paths: files and run directories.
        options: what the columns of a table mean.

    Returns:
        The evidence; ``description_of`` says what is in it.

    Raises:
        UsageError: the options do not fit.
        InputError: a path that cannot be used as it stands.
    """
    for path in paths:
        _refresh(Path(path))
    return read_evidence(paths, options)


def load(sources: Sequence[str | Path | Evidence], *, options: ReadOptions | None = None) -> Evidence:
    """Return sources as one evidence, reading those that are paths."""
    paths = [source for source in sources if not isinstance(source, Evidence)]
    if len(paths) == len(sources):
        return read(*paths, options=options)
    return merge(
        *(source if isinstance(source, Evidence) else read(source, options=options) for source in sources)
    )


def description_of(evidence: Evidence) -> Description:
    """Return what is in evidence, for a person who wants to know before anything is claimed from it."""
    return describe(evidence)


def _refresh(path: Path) -> None:
    """Rebuild the tables of a run that was stopped before it wrote them; the journal holds every answer."""
    run = RunDirectory(path)
    if not is_run(path) or not run.evidence_is_stale:
        return
    from aliquot.runner.results import build_evidence

    with Journal.open(run.journal_path):  # nobody else is at work on this run
        run.write_evidence(build_evidence(run))
