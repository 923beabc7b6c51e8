"""What evidence holds, by name: systems, tasks, metrics, scorers, and the one meant when none is named."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.tables import Evidence


def systems(evidence: Evidence) -> tuple[str, ...]:
    """Return the systems' names in the order in which they first appear."""
    return tuple(evidence.names("responses")["system"].unique(maintain_order=True))


def tasks(evidence: Evidence, *, system: str | None = None) -> tuple[str, ...]:
    """Return the tasks' names in the order in which they first appear, of one system when it is named."""
    rows = evidence.names("responses")
    if system is not None:
        rows = rows.filter(pl.col("system") == system)
    return tuple(rows["task"].unique(maintain_order=True))


def metrics(evidence: Evidence, task: str, *, system: str | None = None) -> tuple[str, ...]:
    """Return the metrics with outcomes on a task (of one system): the log's headline first, then its order."""
    rows = evidence.names("outcomes").filter(pl.col("task") == task)
    if system is not None:
        rows = rows.filter(pl.col("system") == system)
    names = rows["metric"].unique(maintain_order=True)
    headline = set(evidence.metrics.filter(pl.col("headline").fill_null(value=False))["metric"])
    return tuple(sorted(names, key=lambda name: name not in headline))


def headline_metric(evidence: Evidence, task: str) -> str:
    """Return the metric meant when none is named: the log's own headline, else the first it scored.

    Raises:
        InputError: nothing on this task was scored.
    """
    names = metrics(evidence, task)
    if not names and evidence.votes.height:
        raise InputError(
            f"there are {evidence.votes.height} votes between systems, and no score of any one system",
            remedy="aliquot read says what votes there are",
        )
    if not names:
        raise InputError(
            f"no response of task {task!r} was scored", remedy="Score it first (aliquot rescore)"
        )
    return names[0]


def scorer_of(evidence: Evidence, system: str, *, task: str, metric: str, scorer: str | None = None) -> str:
    """Return the scorer whose outcomes are meant.

    Raises:
        UsageError: several scorers gave values under this metric and none was named, or the named one gave
            none.
    """
    chosen = (pl.col("system") == system) & (pl.col("task") == task) & (pl.col("metric") == metric)
    names = tuple(evidence.names("outcomes").filter(chosen)["scorer"].unique(maintain_order=True))
    if scorer is not None:
        require(scorer, names, what="scorer")
        return scorer
    if len(names) > 1:
        raise UsageError(
            f"metric {metric!r} of {system!r} has several scorers. Name one of: {', '.join(sorted(names))}."
        )
    return names[0] if names else ""


def require(name: str, known: Iterable[str], *, what: str) -> None:
    """Raise UsageError listing the known names when ``name`` is none of them.

    Raises:
        UsageError: the name is unknown.
    """
    names = tuple(known)
    if name not in names:
        raise UsageError(f"there is no {what} {name!r}. {nearest(name, names)}")
