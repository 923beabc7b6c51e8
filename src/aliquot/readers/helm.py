"""Runs of HELM: the folder of a run, of a suite, or any file in them."""

from __future__ import annotations

from pathlib import Path

from aliquot.errors import UsageError
from aliquot.evidence.tables import Evidence
from aliquot.readers.helm_evidence import evidence_of
from aliquot.readers.helm_files import find_runs, is_helm
from aliquot.readers.helm_run import load_run
from aliquot.readers.options import ReadOptions


class HelmReader:
    """Reads what ``helm-run`` leaves in the folder of a run."""

    name = "helm"
    reads = "HELM's run folders and suites"

    def sniff(self, path: Path) -> bool | str:
        """Tell a run by the files in its folder, and a suite by the folders in it."""
        return is_helm(path) and "run folder"

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read one run, or all of a suite.

        Raises:
            UsageError: a name was given and there are several systems, or a field is in no instance.
            InputError: a file is missing, damaged or too large, or two runs are of one system on one task.
            MachineError: the machine refuses to read it.
        """
        runs = [load_run(folder) for folder in find_runs(path)]
        names = list(dict.fromkeys(run.system for run in runs))
        if options.name is not None and len(names) > 1:
            raise UsageError(
                f"{path} holds {len(names)} systems ({', '.join(names)}); one name cannot name them."
            )
        evidence = evidence_of(runs, options, path=str(path))
        for field in ("cluster", "stratum"):
            named = getattr(options, field)
            if named is not None and evidence.items[field].null_count() == evidence.items.height:
                fields = [
                    name.removeprefix("segment.") for name in evidence.items.columns if "segment." in name
                ]
                raise UsageError(
                    f"{path}: no instance has a field {named!r}. Known: {', '.join(fields) or 'none'}."
                )
        return evidence
