"""Runs that this package left: their directory holds the evidence ready."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from aliquot.errors import InputError, UsageError
from aliquot.evidence.assembly import rename
from aliquot.evidence.contents import systems
from aliquot.evidence.tables import Evidence, Source
from aliquot.files.run_directory import FORMAT, MANIFEST, RunDirectory, is_run
from aliquot.readers.options import ReadOptions


class RunReader:
    """Reads a run's directory, or its ``run.json``."""

    name = "run"
    reads = "the directory of an aliquot run"

    def sniff(self, path: Path) -> bool | str:
        """Tell a run by the files it keeps."""
        return is_run(_directory(path))

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read a run.

        Raises:
            UsageError: a name was given and the run holds several systems.
            InputError: it has no evidence yet, or one that cannot be read.
        """
        directory = _directory(path)
        if not is_run(directory):
            raise InputError("is no run", file=str(path), remedy=f"A run's folder holds {MANIFEST}")
        evidence = RunDirectory(directory).read_evidence()
        if options.name is not None:
            names = systems(evidence)
            if len(names) != 1:
                raise UsageError(
                    f"{path} holds {len(names)} systems ({', '.join(names)}); one name cannot name them."
                )
            evidence = rename(evidence, {names[0]: options.name})
        return replace(evidence, sources=(Source(path=str(path), format=FORMAT, version="1"),))


def _directory(path: Path) -> Path:
    return path.parent if path.name == MANIFEST else path
