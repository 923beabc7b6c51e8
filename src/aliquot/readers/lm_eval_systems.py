"""Which runs of the harness are one system: same settings, the newest samples of each task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from aliquot.errors import InputError
from aliquot.evidence.tables import Note
from aliquot.readers.lm_eval_files import RunFiles, task_of
from aliquot.readers.lm_eval_results import Results, read_results


@dataclass(slots=True)
class System:
    """One system's files.

    Attributes:
        name: its name.
        stamp: the time of its first run.
        settings: what its runs were started with; a run with other settings is another system.
        results: task → the aggregates of the run whose samples count.
        samples: task → its samples.
        aggregates: every file of aggregates, oldest first.
        notes: what is left out.
    """

    name: str
    stamp: str
    settings: dict[str, str]
    results: dict[str, Results] = field(default_factory=dict[str, Results])
    samples: dict[str, Path] = field(default_factory=dict[str, Path])
    aggregates: list[Results] = field(default_factory=list[Results])
    notes: list[Note] = field(default_factory=list[Note])


def group_runs(runs: Sequence[RunFiles]) -> list[System]:
    """Return the systems that left some runs.

    A run with the settings of an earlier one continues it, and its samples of a task stand for the earlier
    ones; but a task asked with another number of worked examples, or in another version, is another system.
    The folder's name does not tell systems apart: the harness gives every unnamed model the same one.

    Args:
        runs: oldest first.

    Raises:
        InputError: a file that cannot be used, or two samples files of one task in a run.
    """
    systems: list[System] = []
    for run in runs:
        results = read_results(run.results) if run.results else None
        settings = results.run_settings() if results else {"folder": str(run.folder)}
        samples = _by_task(run, results)
        if results is not None and not run.whole:
            results = results.of_tasks(samples)
        found = next(
            (one for one in systems if one.settings == settings and _continues(one, samples, results)), None
        )
        if found is None:
            name = (results.model_name if results else "") or run.folder.resolve().name or "system"
            found = System(name, run.stamp, settings)
            systems.append(found)
        _add(found, run, samples, results)
    _tell_apart(systems)
    return systems


def _by_task(run: RunFiles, results: Results | None) -> dict[str, Path]:
    """Return the samples by task; files of old versions end with the task's name and have no time."""
    known = sorted(results.tasks if results else (), key=len, reverse=True)
    samples: dict[str, Path] = {}
    for stem, path in run.samples.items():
        own = task_of(path)
        task = own or next((name for name in known if path.stem.endswith(f"_{name}")), stem)
        if task in samples:
            raise InputError(
                f"{samples[task].name} and {path.name} both hold samples of {task!r}",
                file=str(run.folder),
                remedy="Read one of the two files",
            )
        samples[task] = path
    order = {name: place for place, name in enumerate(results.tasks if results else ())}
    return dict(sorted(samples.items(), key=lambda pair: order.get(pair[0], len(order))))


def _continues(system: System, samples: dict[str, Path], results: Results | None) -> bool:
    """Tell whether the tasks a system has already were asked in the same way again."""
    tasks = {*samples, *(results.tasks if results else ())}
    return all(
        _asked(system.results[task], task) == (_asked(results, task) if results else None)
        for task in tasks
        if task in system.results
    )


def _asked(results: Results, task: str) -> tuple[str, str]:
    return results.shots(task), results.task_version(task)


def _add(system: System, run: RunFiles, samples: dict[str, Path], results: Results | None) -> None:
    again = [task for task in samples if task in system.samples]
    if again:
        text = f"{', '.join(again)}: samples of an earlier run are left out; the newest count ({run.stamp})"
        system.notes.append(Note("earlier_run", text))
    system.samples |= samples
    if results is not None:
        system.aggregates.append(results)
        system.results |= dict.fromkeys({*results.tasks, *samples}, results)


def _tell_apart(systems: list[System]) -> None:
    """Give systems of one name their time; those of one time their place in it."""
    names = [system.name for system in systems]
    for system in systems:
        if names.count(system.name) > 1 and system.stamp:
            system.name = f"{system.name} {system.stamp}"
    seen: dict[str, int] = {}
    for system in systems:
        seen[system.name] = seen.get(system.name, 0) + 1
        if seen[system.name] > 1:
            system.name = f"{system.name} ({seen[system.name]})"
