"""Logs of lm-evaluation-harness: folders, ``results_*.json`` and ``samples_*.jsonl``, together or alone."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Final

from aliquot.errors import UsageError, nearest
from aliquot.evidence.assembly import rename
from aliquot.evidence.merging import merge
from aliquot.evidence.tables import Evidence
from aliquot.readers.lm_eval_evidence import evidence_of
from aliquot.readers.lm_eval_files import find_runs, is_results, is_samples
from aliquot.readers.lm_eval_systems import group_runs
from aliquot.readers.options import ReadOptions

MAX_SNIFFED: Final = 200
"""Files of a folder looked into before it is taken for another's."""


class LmEvalReader:
    """Reads logs of versions 0.4.0 to 0.5.0.dev1, and the totals that versions before 0.4 left."""

    name = "lm-eval"
    reads = "lm-evaluation-harness folders, results_*.json and samples_*.jsonl"

    def sniff(self, path: Path) -> bool | str:
        """Tell a log by its first bytes, and a folder by the files in it or one level down."""
        if not path.is_dir():
            return is_samples(path) or is_results(path)
        patterns = (
            "samples_*.jsonl",
            "*/samples_*.jsonl",
            "results*.json",
            "*/results*.json",
            "*.json",
            "*.jsonl",
        )
        found = (file for pattern in patterns for file in path.glob(pattern))
        return any(is_samples(file) or is_results(file) for file in islice(found, MAX_SNIFFED))

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read a log.

        Raises:
            UsageError: a field that no document has, or one name for several systems.
            InputError: a file that cannot be used as it stands.
            MachineError: the machine refuses to read it.
        """
        systems = group_runs(find_runs(path))
        if options.name is not None and len(systems) != 1:
            names = ", ".join(system.name for system in systems)
            raise UsageError(f"{path} holds {len(systems)} systems ({names}); one name cannot name them.")
        evidence = merge(*(evidence_of(system, options, path=str(path)) for system in systems))
        _require_fields(evidence, options, path=path)
        if options.name is None or options.name == systems[0].name or not evidence.responses.height:
            return evidence
        return rename(evidence, {systems[0].name: options.name})


def _require_fields(evidence: Evidence, options: ReadOptions, *, path: Path) -> None:
    """Raise UsageError when no item has a field the user named."""
    for name in ("cluster", "stratum"):
        field = getattr(options, name)
        if (
            field is not None
            and evidence.items.height
            and evidence.items[name].null_count() == evidence.items.height
        ):
            known = [
                column.removeprefix("segment.")
                for column in evidence.items.columns
                if column.startswith("segment.")
            ]
            raise UsageError(f"{path}: no document has a field {field!r}. {nearest(field, known)}")
    for field in options.segments:
        if evidence.items.height and evidence.items[f"segment.{field}"].drop_nulls().is_empty():
            raise UsageError(f"{path}: no document has a field {field!r}.")
