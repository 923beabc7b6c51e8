"""Many systems on many tasks against one baseline: joint intervals, adjusted p-values, means over tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import polars as pl

from aliquot.analysis.arrays import paired_sample
from aliquot.analysis.group_means import find_group_means, left_out_of_means
from aliquot.analysis.judges import refuse_other_judge
from aliquot.analysis.margins import check_level
from aliquot.analysis.method import analyse_pairs, analyse_system, interval_of_pairs
from aliquot.analysis.scales import scale_of
from aliquot.analysis.settle import find_detectable
from aliquot.analysis.software import versions
from aliquot.analysis.table_columns import Column
from aliquot.analysis.table_remarks import remark_rows
from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import headline_metric, metrics, require, systems, tasks
from aliquot.evidence.matching import MatchOn, pair
from aliquot.evidence.tables import Evidence, Note
from aliquot.findings.table import Table, TableRow
from aliquot.findings.table_words import write_table
from aliquot.findings.verdict import read_verdict
from aliquot.stats.distributions import two_sided_z
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.multiplicity import holm
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from aliquot.stats.simultaneous import MaxT, max_t, simultaneous_interval

MAX_ROWS = 2_000
"""Differences a table holds at most."""

SHARED_ITEMS = 0.5
"""Share of the smaller task's items found in another from which the two are called the same items."""


@dataclass(frozen=True, slots=True)
class TableChoices:
    """What the caller may decide.

    Attributes:
        baseline: the system every other is compared with; the first by default.
        systems: the candidates; all others by default.
        tasks: the tasks; all by default.
        metrics: task → metric; the log's own headline by default.
        cluster: field that names the cluster; None for the evidence's own.
        level: confidence level of all intervals together.
        match_on: whether items of one id must have the same content.
        seed: seed of everything random.
        allow: components that may differ although that is refused by default (``judge``).
    """

    baseline: str | None = None
    systems: Sequence[str] = ()
    tasks: Sequence[str] = ()
    metrics: Mapping[str, str] = field(default_factory=dict[str, str])
    cluster: str | None = None
    level: float = 0.95
    match_on: MatchOn = "content"
    seed: int = DEFAULT_SEED
    allow: Sequence[str] = ()


def compare_table(evidence: Evidence, *, choices: TableChoices, command: str = "") -> Table:
    """Return the table of every candidate against the baseline on every task.

    Args:
        evidence: the tables.
        choices: what the caller decided.
        command: the command line that reproduces the finding.

    Raises:
        UsageError: an unknown name, fewer than two systems, different judges, or more rows than a table holds.
        InputError: no task is shared, or items of one id whose content differs.
    """
    check_level(choices.level)
    baseline, candidates = _systems(evidence, choices)
    wanted, left_out = _tasks(evidence, baseline, choices)
    columns = _columns(evidence, baseline, candidates, wanted, choices)
    if not columns:
        raise InputError(
            "no task is shared by the baseline and another system",
            remedy="Give logs of the same tasks (aliquot read PATH shows them)",
        )
    joint = _joint(columns, choices)
    rows = _rows(columns, joint, choices)
    groups, scale = find_group_means(columns, level=choices.level, seed=choices.seed)
    return Table(
        baseline=baseline,
        rows=rows,
        groups=groups,
        left_out=left_out,
        level=choices.level,
        critical=joint.critical if len(rows) > 1 else two_sided_z(choices.level),
        comparisons=len(rows),
        scale=scale,
        warnings=(
            *remark_rows(
                evidence,
                columns,
                level=choices.level,
                seed=choices.seed,
                cluster=choices.cluster,
                match_on=choices.match_on,
            ),
            *(_left_out_of_means(columns) if groups else ()),
            *_warnings(evidence, rows),
        ),
        why=f"every candidate against {baseline} on shared items; {_together(len(rows), joint)}",
        estimand=(
            "Differences between these systems on items like these, with these prompts, decoding and scorers; "
            "the tasks are taken as given."
        ),
        verdict=write_table(rows, baseline=baseline, level=choices.level),
        seed=choices.seed,
        versions=versions(),
        command=command,
    )


def _together(rows: int, joint: MaxT) -> str:
    if rows == 1:
        return "one difference, so its interval and p stand for themselves"
    method = f"single-step max-T, c* = {joint.critical:.2f} in the place of z"
    return f"intervals, and p, hold for all {rows} differences together ({method})"


def _systems(evidence: Evidence, choices: TableChoices) -> tuple[str, tuple[str, ...]]:
    known = systems(evidence)
    for name in (*choices.systems, *([choices.baseline] if choices.baseline else [])):
        require(name, known, what="system")
    baseline = choices.baseline or known[0]
    candidates = tuple(name for name in (choices.systems or known) if name != baseline)
    if not candidates:
        raise UsageError(f"a table needs two systems; only {baseline} was found")
    return baseline, candidates


def _tasks(evidence: Evidence, baseline: str, choices: TableChoices) -> tuple[dict[str, str], dict[str, str]]:
    """Return task → metric of the table, and why others are left out: a task asks the same under the same metric."""
    known = tasks(evidence, system=baseline)
    for name in (*choices.tasks, *filter(None, choices.metrics)):
        require(name, known, what="task")
    kept: dict[str, str] = {}
    left_out: dict[str, str] = {}
    contents = {task: frozenset(_contents(evidence, task).values()) for task in known}
    for task in choices.tasks or known:
        metric = _metric(evidence, task, choices)
        twin = next(
            (one for one in kept if kept[one] == metric and _same_items(contents[one], contents[task])), None
        )
        if twin is None or choices.tasks:
            kept[task] = metric
        else:
            shared = len(contents[twin] & contents[task])
            left_out[task] = (
                f"shares {shared} of its {len(contents[task])} items with {twin}, under the same metric"
            )
    return kept, left_out


def _metric(evidence: Evidence, task: str, choices: TableChoices) -> str:
    metric = choices.metrics.get(task) or choices.metrics.get("") or headline_metric(evidence, task)
    require(metric, metrics(evidence, task), what=f"metric of task {task!r} called")
    return metric


def _contents(evidence: Evidence, task: str) -> dict[str, str]:
    """Return item → what it asks: the hash of its content, or its own name within the task where that is not known."""
    rows = evidence.items.filter(pl.col("task") == task).select("item", "content")
    return {item: content or f"{task}\x1f{item}" for item, content in rows.iter_rows()}


def _same_items(one: frozenset[str], other: frozenset[str]) -> bool:
    smaller = min(len(one), len(other))
    return smaller > 0 and len(one & other) >= SHARED_ITEMS * smaller


def _columns(
    evidence: Evidence,
    baseline: str,
    candidates: Sequence[str],
    wanted: Mapping[str, str],
    choices: TableChoices,
) -> list[Column]:
    columns: list[Column] = []
    for task, metric in wanted.items():
        contents = _contents(evidence, task)
        for candidate in candidates:
            if task not in tasks(evidence, system=candidate):
                continue
            refuse_other_judge(
                evidence, baseline, candidate, task=task, metric=metric, allowed=tuple(choices.allow)
            )
            pairs = pair(
                evidence,
                baseline,
                candidate,
                task=task,
                metric=metric,
                cluster=choices.cluster,
                match_on=choices.match_on,
            )
            sample = paired_sample(pairs)
            if sample.n:
                scale = scale_of(evidence, metric)
                asked = tuple(contents[item] for item in sample.items)
                columns.append(Column(task, metric, candidate, scale, pairs, sample, asked))
    if len(columns) > MAX_ROWS:
        raise UsageError(f"{len(columns):,} differences are too many for one table; name tasks or systems")
    return columns


def _joint(columns: Sequence[Column], choices: TableChoices) -> MaxT:
    """Return the max-T of all differences: an item is flipped as one in every column that asks it."""
    names, codes = np.unique(np.concatenate([one.units for one in columns]), return_inverse=True)
    matrix = np.full((names.size, len(columns)), np.nan)
    groups, weights = np.empty(names.size, dtype=object), np.ones(names.size)
    start = 0
    for place, column in enumerate(columns):
        rows = codes[start : start + column.sample.n]
        matrix[rows, place] = column.sample.d
        groups[rows] = column.flipped_with
        weights[rows] = column.weights
        start += column.sample.n
    clustered = any(column.sample.clusters is not None for column in columns)
    return max_t(
        matrix,
        clusters=np.unique(groups.astype(str), return_inverse=True)[1] if clustered else None,
        weights=None if np.ptp(weights) == 0 else weights,
        level=choices.level,
        rng=choices.seed,
    )


def _rows(columns: Sequence[Column], joint: MaxT, choices: TableChoices) -> tuple[TableRow, ...]:
    own = [analyse_pairs(one.sample, one.scale, level=choices.level, seed=choices.seed) for one in columns]
    tests = [next((named.test for named in found.tests if named.decides), None) for found in own]
    tested = [place for place, test in enumerate(tests) if test is not None]
    adjusted = dict(
        zip(
            tested,
            holm([test.p for test in tests if test is not None]).tolist() if tested else [],
            strict=True,
        )
    )
    make = partial(_row, joint=joint if len(columns) > 1 else None, level=choices.level)
    return tuple(
        make(column, place, own=found.difference, test=test, p_holm=adjusted.get(place))
        for place, (column, found, test) in enumerate(zip(columns, own, tests, strict=True))
    )


def _row(
    column: Column,
    place: int,
    *,
    joint: MaxT | None,
    level: float,
    own: Estimate | Undefined,
    test: HypothesisTest | None,
    p_holm: float | None,
) -> TableRow:
    sample, scale = column.sample, column.scale
    difference, p_max_t = own, test
    if joint is not None:
        wide, _ = interval_of_pairs(sample, scale, level=joint.column_level)
        difference, p_max_t = simultaneous_interval(wide, joint, column=place), joint.test(place)
    return TableRow(
        task=column.task,
        metric=column.metric,
        scale=scale,
        candidate=column.candidate,
        n_items=sample.n,
        n_clusters=sample.n_clusters,
        baseline_rate=analyse_system(sample.baseline(), scale, level=level),
        candidate_rate=analyse_system(sample.candidate(), scale, level=level),
        difference=difference,
        test=test,
        p_max_t=p_max_t,
        p_holm=p_holm,
        word=read_verdict(difference, better=scale.better)[0],
        detectable=find_detectable(sample, own, scale, level=level),
    )


def _left_out_of_means(columns: Sequence[Column]) -> tuple[Note, ...]:
    names = left_out_of_means(columns)
    text = (
        f"the means over tasks leave out {', '.join(names)}: an item of it is an item of an earlier task too"
    )
    return (Note("means_leave_out", text),) if names else ()


def _warnings(evidence: Evidence, rows: Sequence[TableRow]) -> tuple[Note, ...]:
    notes = dict.fromkeys(note for note in evidence.notes if note.code in {"totals_only", "log_cluster"})
    judged = evidence.metrics.filter(pl.col("judge").is_not_null())["metric"].to_list()
    judges = dict.fromkeys(row.metric for row in rows if row.metric in judged)
    return (
        *(
            Note("judge_not_validated", f"{name} is the word of a judge that was not validated")
            for name in judges
        ),
        *notes,
    )
