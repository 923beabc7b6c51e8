"""What is in evidence, for a person who wants to know before anything is claimed from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from aliquot.evidence.contents import metrics, systems, tasks
from aliquot.evidence.status import resolve
from aliquot.evidence.tables import Better, Evidence, Kind, Note, Source
from aliquot.evidence.votes import PAIR, VERDICTS, voted_systems


@dataclass(frozen=True, slots=True)
class MetricDescription:
    """One metric of a task: what kind of number it is, and how many rows have a value.

    Attributes:
        metric: its name.
        kind: what kind of number.
        better: which direction is good.
        rows: outcomes.
        values: outcomes that count with a value, by the status rule.
        scorers: who gave them.
        judge: the judge's name, when a model gave them.
    """

    metric: str
    kind: Kind
    better: Better
    rows: int
    values: int
    scorers: tuple[str, ...]
    judge: str | None = None


@dataclass(frozen=True, slots=True)
class TaskDescription:
    """One task: its items, what was made of them, and what could be analysed.

    Attributes:
        task: its name.
        items: number of items.
        attempts: fewest and most attempts of a system at an item.
        responses: number of responses.
        statuses: responses by status.
        metrics: its metrics, the headline first.
        clusters: fields that could name the cluster → number of clusters.
        copies: items that ask exactly what another item asks, beyond the first of each.
        shares_items_with: other tasks all of whose ids are this task's too.
    """

    task: str
    items: int
    attempts: tuple[int, int]
    responses: int
    statuses: Mapping[str, int]
    metrics: tuple[MetricDescription, ...]
    clusters: Mapping[str, int]
    copies: int
    shares_items_with: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VotesDescription:
    """The votes on one task.

    Attributes:
        task: its name.
        votes: number of votes.
        items: items voted on.
        systems: systems voted on.
        pairs: pairs of systems with a vote.
        raters: who voted.
        verdicts: votes by verdict, those without one under their status.
        by: votes by kind of rater.
        order_known: votes that say which answer was shown first.
        sessions: sessions named, 0 when none are.
    """

    task: str
    votes: int
    items: int
    systems: int
    pairs: int
    raters: int
    verdicts: Mapping[str, int]
    by: Mapping[str, int]
    order_known: int
    sessions: int


@dataclass(frozen=True, slots=True)
class Description:
    """What is in evidence.

    Attributes:
        sources: where it came from.
        systems: the systems' names.
        tasks: a description for each task.
        votes: a description of the votes for each task that has some.
        item_key: what names the items.
        has_rows: whether there is a row an item.
        has_responses: whether the answers are there to be scored again.
        has_clusters: whether items name their cluster.
        notes: what reading had to say: what was taken for what, what is lost.
    """

    sources: tuple[Source, ...]
    systems: tuple[str, ...]
    tasks: tuple[TaskDescription, ...]
    votes: tuple[VotesDescription, ...]
    item_key: str
    has_rows: bool
    has_responses: bool
    has_clusters: bool
    notes: tuple[Note, ...]


def describe(evidence: Evidence) -> Description:
    """Return what is in evidence.

    Examples:
        >>> from aliquot.evidence.assembly import assemble
        >>> rows = {"system": ["a", "a"], "item": ["1", "2"], "value": [1.0, None]}
        >>> task = describe(assemble(pl.DataFrame(rows))).tasks[0]
        >>> task.items, task.metrics[0].values
        (2, 1)
    """
    keys = dict.fromkeys(note.text for note in evidence.notes if note.code == "item_key")
    return Description(
        sources=evidence.sources,
        systems=systems(evidence) or voted_systems(evidence.votes),
        tasks=tuple(_describe_task(evidence, task) for task in tasks(evidence)),
        votes=tuple(
            _describe_votes(votes) for votes in evidence.votes.partition_by("task", maintain_order=True)
        ),
        item_key="; ".join(keys) or "the log's own id",
        has_rows=evidence.outcomes.height > 0,
        has_responses=_has_responses(evidence),
        has_clusters=evidence.items["cluster"].null_count() < evidence.items.height,
        notes=tuple(note for note in evidence.notes if note.code != "item_key"),
    )


def _describe_task(evidence: Evidence, task: str) -> TaskDescription:
    responses = evidence.responses.filter(pl.col("task") == task)
    items = evidence.items.filter(pl.col("task") == task)
    attempts = responses.group_by("system", "item").len()["len"].sort().to_list()
    contents = items["content"].drop_nulls()
    ids = set(items["item"])
    return TaskDescription(
        task=task,
        items=items.height,
        attempts=(attempts[0], attempts[-1]),
        responses=responses.height,
        statuses=dict(responses.group_by("status").len().sort("status").iter_rows()),
        metrics=_describe_metrics(evidence, task),
        clusters=_cluster_fields(items),
        copies=len(contents) - contents.n_unique(),
        shares_items_with=tuple(
            other
            for other in tasks(evidence)
            if other != task and ids == set(evidence.items.filter(pl.col("task") == other)["item"])
        ),
    )


def _describe_votes(votes: pl.DataFrame) -> VotesDescription:
    order = {verdict: place for place, verdict in enumerate(VERDICTS)}
    counts = dict(votes.group_by(pl.coalesce("verdict", "status")).len().sort("verdict").iter_rows())
    pairs = votes.select(pl.concat_list(PAIR).list.sort()).unique()
    return VotesDescription(
        task=votes["task"][0],
        votes=votes.height,
        items=votes["item"].n_unique(),
        systems=len(voted_systems(votes)),
        pairs=pairs.height,
        raters=votes["rater"].n_unique(),
        verdicts=dict(sorted(counts.items(), key=lambda found: order.get(found[0], len(order)))),
        by=dict(votes.group_by("by").len().sort("by").iter_rows()),
        order_known=votes["shown_first"].count(),
        sessions=votes["session"].drop_nulls().n_unique(),
    )


def _describe_metrics(evidence: Evidence, task: str) -> tuple[MetricDescription, ...]:
    outcomes = evidence.outcomes.filter(pl.col("task") == task)
    resolved = resolve(outcomes, evidence.responses, evidence.metrics)
    known = {row["metric"]: row for row in evidence.metrics.iter_rows(named=True)}
    described: list[MetricDescription] = []
    for name in metrics(evidence, task):
        rows = resolved.filter(pl.col("metric") == name)
        described.append(
            MetricDescription(
                metric=name,
                kind=known[name]["kind"],
                better=known[name]["better"],
                rows=rows.height,
                values=rows["value"].count(),
                scorers=tuple(rows["scorer"].unique(maintain_order=True)),
                judge=known[name]["judge"],
            )
        )
    return tuple(described)


def _cluster_fields(items: pl.DataFrame) -> dict[str, int]:
    """Return the fields with fewer values than items, and more than one: those that could name clusters."""
    fields = ["cluster", *(name for name in items.columns if name.startswith("segment."))]
    counts = {name.removeprefix("segment."): items[name].drop_nulls().n_unique() for name in fields}
    return {name: count for name, count in counts.items() if 1 < count < items.height}


def _has_responses(evidence: Evidence) -> bool:
    if evidence.texts is None or not evidence.responses.height:
        return False
    keys = (
        evidence.responses.filter(pl.col("status") == "ok")
        .select("system", "task", "item", "attempt")
        .head(1)
    )
    return any(evidence.texts.response(*key) is not None for key in keys.iter_rows())
