"""``table``: tasks × systems against a baseline, for a paper that a reviewer will attack."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from aliquot.analysis.table import TableChoices, compare_table
from aliquot.errors import UsageError
from aliquot.evidence.matching import MatchOn
from aliquot.evidence.tables import Evidence
from aliquot.files.writing import write_whole
from aliquot.findings.table import Table
from aliquot.readers.options import ReadOptions
from aliquot.reports.render import render
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.clustering import cluster_field, reading_cluster
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line, given_options


def table(
    *sources: str | Path | Evidence,
    baseline: str | None = None,
    systems: Sequence[str] = (),
    tasks: Sequence[str] = (),
    metrics: Mapping[str, str] | None = None,
    cluster: str | None = None,
    level: float = 0.95,
    match_on: MatchOn = "content",
    seed: int | None = None,
    allow: Sequence[str] = (),
    options: ReadOptions | None = None,
) -> Table:
    """Compare every system with a baseline on every task, all differences together.

    Args:
        *sources: paths of runs, logs or tables, or evidence already read.
        baseline: the system every other is compared with; the first by default.
        systems: the candidates; all others by default.
        tasks: the tasks; by default all but those that share their items with an earlier one.
        metrics: task → metric, ``""`` for every task not named; by default each task's own headline.
        cluster: field that names the cluster of an item.
        level: confidence level of all intervals together.
        match_on: ``content`` refuses items of one id whose content differs; ``id`` matches by id alone.
        seed: seed of everything random; by default a fixed one.
        allow: components that may differ although that is refused by default: ``judge``.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it, ``write_latex`` writes it for a paper.

    Raises:
        UsageError: an unknown name, fewer than two systems, or different judges.
        InputError: a source that cannot be read, no shared task, or items whose content differs.
    """
    given = given_options(
        table, locals(), named={"systems": "--system", "tasks": "--task"}, unsaid=["metrics"]
    )
    given["--metric"] = tuple(f"{task}={name}" if task else name for task, name in (metrics or {}).items())
    if not sources:
        raise UsageError("there is nothing to compare. Name at least one file or folder.")
    evidence = load(sources, options=reading_cluster(options, cluster))
    choices = TableChoices(
        baseline=baseline,
        systems=systems,
        tasks=tasks,
        metrics=dict(metrics or {}),
        cluster=cluster_field(evidence, cluster),
        level=level,
        match_on=match_on,
        seed=DEFAULT_SEED if seed is None else seed,
        allow=allow,
    )
    return compare_table(
        evidence, choices=choices, command=command_line("table", sources, given, reading=options)
    )


def write_latex(found: Table, path: str | Path) -> Path:
    """Write a table for a paper (booktabs) and return its path.

    Raises:
        MachineError: the file cannot be written.
    """
    write_whole(Path(path), render(found, form="latex").encode())
    return Path(path)
