"""``noise``: the same system twice; how much a suite moves by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from aliquot.analysis.noise import fingerprint, measure_noise
from aliquot.errors import InputError, MachineError, UsageError
from aliquot.evidence.assembly import rename, select
from aliquot.evidence.contents import headline_metric, require, systems, tasks
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.merging import merge
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Units
from aliquot.files.noise_memory import NOISE_FILE, Measurement, recall, remember
from aliquot.findings.noise import Noise
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import source_labels
from aliquot.stats.results import Estimate, Undefined
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line, given_options


def noise(
    *sources: str | Path | Evidence,
    system: str | None = None,
    task: str | None = None,
    metric: str | None = None,
    level: float = 0.95,
    memory: str | Path | None = NOISE_FILE,
    options: ReadOptions | None = None,
) -> Noise:
    """Measure what a suite moves by itself: two runs of one system, or one run with several attempts an item.

    Args:
        *sources: one or two paths of runs, logs or tables, or evidence already read.
        system: the system, when the sources hold several.
        task: the task, when there are several.
        metric: the metric; by default the log's own headline.
        level: confidence level.
        memory: file in which the measurement is remembered, so that ``compare`` shows it beside later differences;
            None to remember nothing.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: not one or two sources, or several systems in one of them.
        InputError: a source that cannot be read, or no shared task.
    """
    given = given_options(noise, locals(), unsaid=["memory"])
    evidence, runs = _runs(sources, system=system, task=task, metric=metric, options=options)
    first = runs[0]
    suite = fingerprint(evidence, [run.system for run in runs], task=first.task, metric=first.metric)
    names = sorted(str(source) for source in sources if not isinstance(source, Evidence))
    stored = [] if memory is None else recall(Path(memory), suite=suite)
    found = measure_noise(
        evidence,
        runs,
        level=level,
        earlier=[one.flipped for one in stored if one.runs != names],
        command=command_line("noise", sources, given, reading=options),
    )
    drifted = any(note.code == "drift" for note in found.warnings)
    if memory is not None and names and not drifted and isinstance(found.wobble, Estimate):
        return _kept(found, Path(memory), suite=suite, runs=names)
    return found


def _kept(found: Noise, memory: Path, *, suite: str, runs: list[str]) -> Noise:
    """Remember a measurement; one that cannot be written is still a measurement, with a warning."""
    if isinstance(found.wobble, Undefined):
        return found
    measurement = Measurement(
        suite=suite,
        measured=datetime.now(UTC).isoformat(timespec="seconds"),
        runs=runs,
        wobble=found.wobble.point,
        n_items=found.n_items,
        flipped=[one.item for one in found.flipped],
    )
    try:
        remember(memory, measurement)
    except (MachineError, InputError, OSError) as error:
        note = Note("not_remembered", f"it could not be remembered: {error}")
        return replace(found, warnings=(*found.warnings, note))
    return found


def _runs(
    sources: tuple[str | Path | Evidence, ...],
    *,
    system: str | None,
    task: str | None,
    metric: str | None,
    options: ReadOptions | None,
) -> tuple[Evidence, list[Units]]:
    """Return the evidence and the one or two runs in it."""
    if not 1 <= len(sources) <= 2:
        raise UsageError(
            f"noise takes two runs of one system, or one with several attempts; got {len(sources)}"
        )
    paths = [Path(source).resolve() for source in sources if not isinstance(source, Evidence)]
    if len(paths) > len(set(paths)):
        raise UsageError(f"{sources[0]} is given twice; run the system again and give both runs")
    sides = [_only_system(load([source], options=options), system) for source in sources]
    names = _labels([systems(side)[0] for side in sides], paths)
    runs = [rename(side, {systems(side)[0]: name}) for side, name in zip(sides, names, strict=True)]
    evidence = with_metric(merge(*runs) if len(runs) == 2 else runs[0], metric)
    task = _shared_task(evidence, names, task)
    metric = metric or headline_metric(evidence, task)
    return evidence, [units(evidence, name, task=task, metric=metric) for name in names]


def _only_system(evidence: Evidence, system: str | None) -> Evidence:
    """Return the named system's part, or everything when there is one system."""
    known = systems(evidence)
    if system is not None:
        require(system, known, what="system")
        return select(evidence, systems=[system])
    if len(known) != 1:
        raise UsageError(
            f"noise is of one system; the source holds {len(known)}: {', '.join(known)}. Name one with --system"
        )
    return evidence


def _labels(names: Sequence[str], paths: Sequence[Path]) -> list[str]:
    """Return the runs' names, told apart by their files, or by their order, when they are the same."""
    if len(set(names)) == len(names):
        return list(names)
    return source_labels(list(paths)) if len(paths) == len(names) else ["first run", "second run"]


def _shared_task(evidence: Evidence, names: Sequence[str], wanted: str | None) -> str:
    each = [tasks(evidence, system=name) for name in names]
    shared = [task for task in each[0] if all(task in own for own in each)]
    if wanted is not None:
        require(wanted, shared, what="task")
        return wanted
    if not shared:
        own = "; ".join(", ".join(one) for one in each)
        raise InputError(f"the two runs share no task: {own}", remedy="Give two runs of the same task")
    return shared[0]
