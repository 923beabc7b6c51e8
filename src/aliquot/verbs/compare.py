"""``compare``: candidate against baseline, from whatever the paths hold."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from aliquot.analysis.compare import Choices, compare_systems
from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import require, tasks
from aliquot.evidence.contents import systems as systems_of
from aliquot.evidence.matching import MatchOn
from aliquot.evidence.reduction import EACH_ITEM
from aliquot.evidence.tables import Evidence
from aliquot.findings.comparison import Comparison
from aliquot.readers.options import ReadOptions
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.read import load

if TYPE_CHECKING:
    from collections.abc import Sequence


def compare(
    *sources: str | Path | Evidence,
    systems: Sequence[str] | None = None,
    task: str | None = None,
    metric: str | None = None,
    cluster: str | None = None,
    margin: float | None = None,
    level: float = 0.95,
    match_on: MatchOn = "content",
    seed: int | None = None,
    options: ReadOptions | None = None,
) -> Comparison:
    """Compare two systems on the items they share.

    Args:
        *sources: baseline and candidate: paths of runs, logs or tables, or evidence already read. One source is enough
            when it holds two systems; two sources holding one system each are compared whatever their names.
        systems: baseline and candidate by name, when the sources hold several.
        task: the task, when there are several.
        metric: the metric; by default the log's own headline.
        cluster: field that names the cluster of an item.
        margin: largest loss that does not matter, in the metric's own units (0.02 is two points of a rate).
        level: confidence level.
        match_on: ``content`` refuses items of one id whose content differs; ``id`` matches by id alone.
        seed: seed of everything random; by default a fixed one.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: not exactly two systems, several tasks and none named, an unknown name.
        InputError: a source that cannot be read, or items whose content differs.
    """
    evidence, baseline, candidate, shared_task = two_systems(
        sources, systems=systems, task=task, cluster=cluster, options=options
    )
    choices = Choices(
        metric=metric,
        cluster=_cluster_field(evidence, cluster),
        margin=margin,
        level=level,
        match_on=match_on,
        seed=DEFAULT_SEED if seed is None else seed,
    )
    return compare_systems(
        evidence,
        baseline,
        candidate,
        task=shared_task,
        choices=choices,
        command=_command(sources, systems, task, choices),
    )


def two_systems(
    sources: Sequence[str | Path | Evidence],
    *,
    systems: Sequence[str] | None = None,
    task: str | None = None,
    cluster: str | None = None,
    options: ReadOptions | None = None,
) -> tuple[Evidence, str, str, str]:
    """Read the sources and return the evidence, baseline, candidate and task; arguments as in ``compare``.

    Raises:
        UsageError: not one or two sources, not exactly two systems, several tasks and none named, an unknown name.
        InputError: a source that cannot be read, or no shared task.
    """
    if not 1 <= len(sources) <= 2:
        raise UsageError(f"compare takes one or two sources, baseline first; got {len(sources)}")
    reading = options or ReadOptions()
    if cluster is not None and cluster != EACH_ITEM:
        reading = replace(reading, cluster=cluster)
    evidence = load(sources, options=reading)
    baseline, candidate = _choose_systems(evidence, wanted=systems)
    return evidence, baseline, candidate, _shared_task(evidence, baseline, candidate, wanted=task)


def _choose_systems(evidence: Evidence, *, wanted: Sequence[str] | None) -> tuple[str, str]:
    """Return the names of baseline and candidate."""
    known = systems_of(evidence)
    if wanted is not None:
        if len(wanted) != 2 or wanted[0] == wanted[1]:
            raise UsageError(f"name two different systems, baseline first; got {' '.join(wanted)}")
        for name in wanted:
            require(name, known, what="system")
        return wanted[0], wanted[1]
    if len(known) == 2:
        return known[0], known[1]
    if len(known) == 1 and any(note.code == "identical_system" for note in evidence.notes):
        raise UsageError(f"both sources hold the same rows of {known[0]!r}; there is nothing to compare")
    remedy = "give a second file" if len(known) < 2 else "name two with --systems BASELINE CANDIDATE"
    raise UsageError(f"{len(known)} system{'s'[: len(known) != 1]} found ({', '.join(known)}); {remedy}")


def _cluster_field(evidence: Evidence, cluster: str | None) -> str | None:
    """Return the field analysis clusters by: a table's reader has already taken a named column as the cluster."""
    if cluster is None or cluster == EACH_ITEM or f"segment.{cluster}" in evidence.items.columns:
        return cluster
    return "cluster" if evidence.items["cluster"].null_count() < evidence.items.height else cluster


def _shared_task(evidence: Evidence, baseline: str, candidate: str, *, wanted: str | None) -> str:
    shared = [name for name in tasks(evidence, system=baseline) if name in tasks(evidence, system=candidate)]
    if wanted is not None:
        require(wanted, shared, what="task")
        return wanted
    if len(shared) == 1:
        return shared[0]
    if not shared:
        own = [", ".join(tasks(evidence, system=system)) for system in (baseline, candidate)]
        raise InputError(
            f"the two systems share no task: {baseline} has {own[0]}; {candidate} has {own[1]}",
            remedy="Compare runs of the same task",
        )
    raise UsageError(f"{len(shared)} tasks are shared ({', '.join(shared)}); name one with --task")


def _command(
    sources: Sequence[str | Path | Evidence], wanted: Sequence[str] | None, task: str | None, choices: Choices
) -> str:
    """Return the command line that reproduces the finding; evidence read in Python has none."""
    if any(isinstance(source, Evidence) for source in sources):
        return ""
    words = ["aliquot", "compare", *(str(source) for source in sources)]
    words += ["--systems", *wanted] if wanted else []
    given = {
        "--task": task,
        "--metric": choices.metric,
        "--cluster": choices.cluster,
        "--margin": choices.margin,
        "--level": None if choices.level == 0.95 else choices.level,
        "--match-on": None if choices.match_on == "content" else choices.match_on,
        "--seed": None if choices.seed == DEFAULT_SEED else choices.seed,
    }
    words += [word for option, value in given.items() if value is not None for word in (option, str(value))]
    return shlex.join(words)
