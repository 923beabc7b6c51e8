"""``show``: the rows behind a comparison, with both answers."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from aliquot.analysis.rows import Wish, find_rows, find_rows_alone
from aliquot.errors import UsageError, nearest
from aliquot.evidence.contents import headline_metric, require, tasks
from aliquot.evidence.contents import systems as systems_of
from aliquot.evidence.derivation import with_metric
from aliquot.evidence.matching import MatchOn, pair
from aliquot.evidence.reduction import units
from aliquot.evidence.status import STATUSES
from aliquot.evidence.tables import Evidence
from aliquot.findings.rows import Change, Rows
from aliquot.readers.options import ReadOptions
from aliquot.verbs.pairing import Pairing, settle_subject


def show(
    *sources: str | Path | Evidence | Pairing,
    changes: Collection[Change] = ("broke", "fixed", "still_failing", "differ"),
    status: str | None = None,
    items: Collection[str] = (),
    limit: int | None = 10,
    systems: Sequence[str] | None = None,
    task: str | None = None,
    metric: str | None = None,
    match_on: MatchOn = "content",
    options: ReadOptions | None = None,
) -> Rows:
    """Return the rows on which two systems differ, or that fail in both; of one system alone, those that fail.

    Args:
        *sources: as in ``compare``; one source that holds one system is read alone.
        changes: which changes to show.
        status: only rows on which a system has this response status.
        items: only these ids.
        limit: most rows returned with their texts; None for all.
        systems: as in ``compare``.
        task: as in ``compare``.
        metric: as in ``compare``.
        match_on: as in ``compare``.
        options: what the columns of a table mean.

    Raises:
        UsageError: an unknown status, or as in ``compare``.
        InputError: as in ``compare``.
    """
    if status is not None and status not in STATUSES:
        raise UsageError(f"unknown status {status!r}. {nearest(status, STATUSES)}")
    wish = Wish(changes=changes, status=status, items=items, limit=limit)
    found = settle_subject(sources, systems=systems, task=task, options=options)
    if isinstance(found, Evidence):
        return _alone(found, task=task, metric=metric, wish=wish)
    evidence = with_metric(found.evidence, metric)
    pairs = pair(
        evidence,
        found.baseline,
        found.candidate,
        task=found.task,
        metric=metric or headline_metric(evidence, found.task),
        match_on=match_on,
    )
    return find_rows(evidence, pairs, wish=wish)


def _alone(evidence: Evidence, *, task: str | None, metric: str | None, wish: Wish) -> Rows:
    system = systems_of(evidence)[0]
    task = tasks(evidence, system=system)[0] if task is None else task
    require(task, tasks(evidence, system=system), what="task")
    evidence = with_metric(evidence, metric)
    found = units(evidence, system, task=task, metric=metric or headline_metric(evidence, task))
    return find_rows_alone(evidence, found, wish=wish)
