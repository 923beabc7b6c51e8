"""Logs of lighteval: an output folder, ``results_*.json`` or ``details_*.parquet``."""

from __future__ import annotations

from pathlib import Path

from aliquot.errors import UsageError, nearest
from aliquot.evidence.tables import Evidence, Note
from aliquot.readers.lighteval_details import read_details
from aliquot.readers.lighteval_evidence import Run, Task, evidence_of, name_items
from aliquot.readers.lighteval_files import RunFiles, find_runs, has_logs
from aliquot.readers.lighteval_results import Results, read_results
from aliquot.readers.options import ReadOptions


class LightevalReader:
    """Reads the results and details that lighteval writes, from 0.4 to 0.13."""

    name = "lighteval"
    reads = "lighteval's output folders, results_*.json and details_*.parquet"

    def sniff(self, path: Path) -> bool | str:
        """Tell a log by its name and first bytes, and a folder by the logs in it."""
        return has_logs(path)

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read a log.

        Raises:
            UsageError: a field that no row has, or one name for several systems.
            InputError: a file that cannot be used as it stands.
            MachineError: the machine refuses to read it.
        """
        runs: dict[str, Run] = {}
        for files in reversed(find_runs(path)):  # what was run again counts once, the last time
            _add(runs, files)
        runs = dict(reversed(runs.items()))
        if options.name is not None:
            if len(runs) > 1:
                raise UsageError(
                    f"{path} holds {len(runs)} systems ({', '.join(runs)}); one name cannot name them."
                )
            for run in runs.values():
                run.system = options.name
        for run in runs.values():
            for task in run.tasks:
                task.system = run.system
                name_items(task)
        evidence = evidence_of(list(runs.values()), options, path=path)
        _require_fields(evidence, options, path=path)
        return evidence


def _add(runs: dict[str, Run], files: RunFiles) -> None:
    """Add a run to its system; a task that a newer one has is left out and said so."""
    results = read_results(files.results)[0] if files.results else None
    name = (results.model if results else "") or files.model or "model"
    run = runs.setdefault(name, Run(name, [], []))
    known = {task.name for task in run.tasks}
    for named, details in files.details.items():
        rows = read_details(details)
        task = _task_name(named, next((row.task for row in rows if row.task), ""), results)
        if task in known:
            run.notes.append(
                Note("older_run", f"{name}: {task} was run again later; {details.name} is left out")
            )
        elif rows:
            run.tasks.append(Task(name, task, rows, results))
    if results:
        run.results.append(results)


def _task_name(file: str, row: str, results: Results | None) -> str:
    """Return a task's name: as the results have it, else as its rows do, else as the file is called.

    A file's name may have lost its bars and colons on the way, and older ones end in whether examples were cut.
    """
    known = results.tasks if results else ()
    plain = {_plain(name): name for name in known}
    for name in (row, file, file.rpartition("|")[0]):
        if name and _plain(name) in plain:
            return plain[_plain(name)]
    return row or file


def _plain(name: str) -> str:
    return "".join(character if character.isalnum() else "_" for character in name)


def _require_fields(evidence: Evidence, options: ReadOptions, *, path: Path) -> None:
    for name in ("cluster", "stratum"):
        field = getattr(options, name)
        if field is not None and evidence.items.height and evidence.items[name].is_null().all():
            known = [
                column.removeprefix("segment.") for column in evidence.items.columns if "segment." in column
            ]
            raise UsageError(f"{path}: no row has a field {field!r}. {nearest(field, known)}")
