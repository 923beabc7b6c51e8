"""``monitor --trend``: a metric over many stored runs."""

from __future__ import annotations

from pathlib import Path

from aliquot.analysis.margins import check_level
from aliquot.analysis.trend import DatedRun, find_trend
from aliquot.errors import UsageError
from aliquot.evidence.contents import headline_metric, require, systems, tasks
from aliquot.evidence.tables import Evidence
from aliquot.findings.trend import Trend
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import source_labels
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.verbs.read import load
from aliquot.verbs.reproduce import command_line, given_options


def trend(
    *sources: str | Path | Evidence,
    system: str | None = None,
    task: str | None = None,
    metric: str | None = None,
    level: float = 0.95,
    seed: int | None = None,
    options: ReadOptions | None = None,
) -> Trend:
    """Find where a metric over many stored runs changed its level, and whether it drifts.

    Args:
        *sources: runs or logs of one system each (or ``system`` says which): in the order in which they were asked
            where all say when, else in the order given.
        system: the system, when runs hold several.
        task: the task; by default the first that all have.
        metric: the metric; by default the headline of the last run.
        level: confidence level.
        seed: seed of everything random; by default a fixed one.
        options: what the columns of a table mean.

    Returns:
        The finding; ``reports.render`` prints it.

    Raises:
        UsageError: fewer than two runs, an unknown name, or several systems and none named.
        InputError: a source that cannot be read.

    Examples:
        >>> import polars as pl
        >>> from aliquot import from_frame
        >>> def night(rate):
        ...     return from_frame(pl.DataFrame({"item": range(100), "value": [float(i < rate) for i in range(100)]}))
        >>> print(trend(*map(night, [81, 80, 82, 81, 80, 74, 75, 73, 74, 75])))
        WORSE since 6: 74.2 in 5 runs, 80.8 in the 5 before (-6.6 points).
    """
    given = {"--trend": True} | given_options(trend, locals())
    check_level(level)
    if len(sources) < 2:
        raise UsageError("a trend needs two runs at least; name them oldest first")
    evidence = [
        source if isinstance(source, Evidence) else load([Path(source)], options=options)
        for source in sources
    ]
    paths = [source for source in sources if not isinstance(source, Evidence)]
    labels = (
        source_labels([Path(path) for path in paths])
        if len(paths) == len(sources)
        else [str(place) for place in range(1, len(sources) + 1)]
    )
    runs = [
        DatedRun(label, _when(one), one, _system(one, system, label))
        for label, one in zip(labels, evidence, strict=True)
    ]
    if all(run.when for run in runs):
        runs.sort(key=lambda run: run.when)
    shared = [name for name in tasks(runs[-1].evidence) if all(name in tasks(run.evidence) for run in runs)]
    if task is not None:
        require(task, shared, what="task of all runs called")
    if not shared:
        raise UsageError("the runs share no task")
    chosen = task or shared[0]
    return find_trend(
        runs,
        task=chosen,
        metric=metric or headline_metric(runs[-1].evidence, chosen),
        level=level,
        seed=DEFAULT_SEED if seed is None else seed,
        command=command_line("monitor", sources, given, reading=options),
    )


def _system(evidence: Evidence, wanted: str | None, label: str) -> str:
    names = systems(evidence)
    if wanted is not None:
        require(wanted, names, what=f"system of {label} called")
        return wanted
    if len(names) != 1:
        raise UsageError(
            f"{label} holds {len(names)} systems ({', '.join(names[:5])}); say which: --system NAME"
        )
    return names[0]


def _when(evidence: Evidence) -> str:
    """Return when a run was asked: the first time on record of an answer; empty when none is."""
    if evidence.is_lazy:
        return ""
    started = evidence.responses["started"].drop_nulls()
    return min(started) if len(started) else ""
