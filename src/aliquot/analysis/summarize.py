"""Evidence becomes a summary: each system's rate or mean by the design's table, nothing compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from aliquot.analysis.answered import rate_over_answered
from aliquot.analysis.arrays import SystemSample, filled_system, system_sample
from aliquot.analysis.attempts_seen import find_repeats
from aliquot.analysis.confusion import find_classes
from aliquot.analysis.corpus_values import value_of_all
from aliquot.analysis.corrected import PeoplesLabels, corrected_rate_of
from aliquot.analysis.costs import cost_words, latency_of, price_of, steps_of
from aliquot.analysis.guards import find_guards
from aliquot.analysis.judge_errors import JudgeErrors, rate_under_errors
from aliquot.analysis.majority import find_majority
from aliquot.analysis.method import analyse_system, attempt_rows
from aliquot.analysis.remarks import READER_REMARKS
from aliquot.analysis.scales import scale_of
from aliquot.analysis.settings import variants_told
from aliquot.analysis.software import versions
from aliquot.errors import UsageError
from aliquot.evidence.contents import headline_metric, metrics, require, systems, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence, Note
from aliquot.evidence.units import Units
from aliquot.findings.scale import Scale
from aliquot.findings.summary import Floor, Summary, SystemLine
from aliquot.findings.summary_words import write_summary
from aliquot.findings.verdict import Word
from aliquot.stats.cautions import coverage_warning
from aliquot.stats.inputs import DEFAULT_SEED
from aliquot.stats.rates import floor_interval
from aliquot.stats.results import Estimate, Undefined

MAX_LINES = 200
"""Lines a summary holds at most."""

MOST_READ = 10
"""Systems and tasks whose answers and references are read for what they give away."""


@dataclass(frozen=True, slots=True)
class SummaryChoices:
    """What the caller may decide.

    Attributes:
        systems: only these systems; all by default.
        task: only this task; all by default.
        metric: the metric; the log's own headline by default.
        cluster: field that names the cluster; None for the evidence's own.
        at_least: the floor a rate should reach, a share between 0 and 1.
        level: confidence level.
        labels: people's labels of the answers that a judge scored, or the judge's errors on other answers, with which
            its rates are corrected.
    """

    systems: Sequence[str] = ()
    task: str | None = None
    metric: str | None = None
    cluster: str | None = None
    at_least: float | None = None
    level: float = 0.95
    labels: PeoplesLabels | JudgeErrors | None = None


def summarize_systems(evidence: Evidence, *, choices: SummaryChoices, command: str = "") -> Summary:
    """Return what each system reached on each task.

    Args:
        evidence: the tables.
        choices: what the caller decided.
        command: the command line that reproduces the finding.

    Raises:
        UsageError: an unknown system, task or metric, or a floor on a metric that is no rate.
        InputError: nothing was scored.
    """
    pairs = _chosen(evidence, choices)
    sides = [
        units(
            evidence,
            system,
            task=task,
            metric=choices.metric or headline_metric(evidence, task),
            cluster=choices.cluster,
        )
        for system, task in pairs
    ]
    lines = tuple(_line(evidence, side, choices=choices, headline=True) for side in sides)
    shown = {(line.task, line.metric) for line in lines}
    beside = replace(choices, at_least=None)  # the floor is the headline's
    others = tuple(
        _line(
            evidence,
            units(evidence, system, task=task, metric=metric, cluster=choices.cluster),
            choices=beside,
        )
        for system, task in pairs[: MAX_LINES // 4]
        for metric in metrics(evidence, task, system=system)
        if (task, metric) not in shown
    )
    return Summary(
        lines=lines,
        others=others[:MAX_LINES],
        level=choices.level,
        reconciliation=(),
        warnings=(*_warnings(evidence, lines), *_guards(evidence, sides)),
        not_checked=_not_checked(evidence, lines),
        why=_why(lines),
        estimand=(
            "The rate or mean of each system on items like these, with these prompts, decoding and scorer; "
            "systems side by side are not compared (aliquot compare)."
        ),
        verdict=write_summary(lines),
        seed=DEFAULT_SEED,
        versions=versions(),
        command=command,
    )


def _chosen(evidence: Evidence, choices: SummaryChoices) -> list[tuple[str, str]]:
    """Return the systems and tasks to summarise, in the order of the evidence."""
    for name in choices.systems:
        require(name, systems(evidence), what="system")
    if choices.task is not None:
        require(choices.task, tasks(evidence), what="task")
    pairs = [
        (system, task)
        for task in tasks(evidence)
        for system in systems(evidence)
        if task in tasks(evidence, system=system)
        and system in (choices.systems or (system,))
        and task == (choices.task or task)
        and metrics(evidence, task, system=system)
    ]
    if len(pairs) > MAX_LINES:
        raise UsageError(
            f"{len(pairs)} pairs of system and task are too many for one summary; name some with --systems or --task"
        )
    if not pairs:
        headline_metric(
            evidence, choices.task or next(iter(tasks(evidence)), "")
        )  # says that nothing was scored
    return pairs


def _line(evidence: Evidence, side: Units, *, choices: SummaryChoices, headline: bool = False) -> SystemLine:
    system, task, metric = side.system, side.task, side.metric
    scale, sample, level = scale_of(evidence, metric), system_sample(side), choices.level
    price, words = price_of(evidence, system, task=task), cost_words(evidence, system)
    whole = value_of_all(evidence, side, level=level, seed=DEFAULT_SEED) if sample.n == 0 else None
    estimate, n_items = whole or (analyse_system(sample, scale, level=level), sample.n)
    floor = _floor(side, sample, scale, asked=choices.at_least, level=level)
    corrected = None
    if headline and choices.labels is not None:
        told = choices.labels
        corrected = (
            rate_under_errors(side, scale, estimate, told, level=level)
            if isinstance(told, JudgeErrors)
            else corrected_rate_of(evidence, side, told, cluster=choices.cluster, level=level)
        )
        estimate = corrected.corrected
        floor = None if floor is None else Floor(floor.asked, estimate, _word(estimate, floor.asked))
    return SystemLine(
        system=system,
        task=task,
        metric=metric,
        scale=scale,
        estimate=estimate,
        total=float((sample.values * sample.attempts).sum()) if sample.n else None,
        n_items=n_items,
        n_clusters=sample.n_clusters,
        rows=side.rows,
        answered=side.answered,
        statuses=side.statuses,
        over_answered=rate_over_answered(evidence, side, sample, scale, level=level),
        if_missing=None if whole else _if_missing(side, scale, level=level),
        missing=0 if whole else int(side.frame["missing"].sum()),
        repeats=find_repeats(evidence, side, sample, scale, level=level),
        floor=floor,
        latency=latency_of(evidence, system, task=task),
        cost=price.cost,
        currency=price.currency,
        cost_source=None if price.cost is None else words.source,
        other_costs=words.others,
        judge=evidence.metrics.filter(pl.col("metric") == metric)["judge"].to_list()[0],
        majority=find_majority(evidence, side, scale),
        classes=find_classes(evidence, side, scale, level=level, seed=DEFAULT_SEED) if headline else None,
        corrected=corrected,
        steps=steps_of(evidence, system, task=task) if headline else None,
    )


def _guards(evidence: Evidence, sides: Sequence[Units]) -> Iterator[Note]:
    """Yield what a careful reader would ask about; texts are read where there are few systems."""
    texts = len(sides) <= MOST_READ
    for side in sides:
        yield from find_guards(evidence, [side], scale_of(evidence, side.metric), texts=texts)


def _if_missing(
    side: Units, scale: Scale, *, level: float
) -> tuple[Estimate | Undefined, Estimate | Undefined] | None:
    """Return the estimate if the missing rows had all failed, and had all passed."""
    if not side.frame["missing"].sum() or scale.low is None or scale.high is None:
        return None
    failed, passed = (scale.high, scale.low) if scale.better == "lower" else (scale.low, scale.high)
    a, b = (analyse_system(filled_system(side, fill=fill), scale, level=level) for fill in (failed, passed))
    return a, b


def floor_of(
    evidence: Evidence,
    system: str,
    *,
    task: str,
    metric: str | None,
    cluster: str | None,
    asked: float,
    level: float,
) -> Floor | None:
    """Return whether a system's pass rate reaches a floor.

    Args:
        evidence: the tables.
        system: whose rate.
        task: on which task.
        metric: under which metric; None for the headline.
        cluster: field that names the cluster; None for the evidence's own.
        asked: the floor, a share.
        level: confidence level.

    Raises:
        UsageError: the metric is no pass rate, or the floor no share.
    """
    metric = metric or headline_metric(evidence, task)
    side = units(evidence, system, task=task, metric=metric, cluster=cluster)
    return _floor(side, system_sample(side), scale_of(evidence, metric), asked=asked, level=level)


def _floor(
    side: Units, sample: SystemSample, scale: Scale, *, asked: float | None, level: float
) -> Floor | None:
    """Return whether a floor is met, by Clopper–Pearson on n*, and whether the missing rows could change that."""
    if asked is None:
        return None
    if scale.kind != "binary" or scale.better == "lower":
        raise UsageError("a floor (--at-least) is a pass rate; this metric is not one where 1 is a pass")
    if not 0 < asked < 1:
        raise UsageError(f"a floor lies between 0 and 1 (0.9, or 90%); got {asked:g}")
    if sample.n == 0:
        return Floor(asked, Undefined("no item has a value"), "nothing_to_judge")
    found, word = _reaches(sample, asked, level=level)
    if not side.frame["missing"].sum():
        return Floor(asked, found, word)
    filled = (_reaches(filled_system(side, fill=fill), asked, level=level)[1] for fill in (0.0, 1.0))
    return Floor(asked, found, word, hangs_on_missing=any(other != word for other in filled))


def _reaches(sample: SystemSample, asked: float, *, level: float) -> tuple[Estimate | Undefined, Word]:
    rows, clusters, weights = (
        attempt_rows(sample) if sample.repeated else (sample.values, sample.clusters, sample.weights)
    )
    found = floor_interval(rows, clusters=clusters, weights=weights, level=level)
    return found, _word(found, asked)


def _word(found: Estimate | Undefined, asked: float) -> Word:
    if isinstance(found, Undefined):
        return "nothing_to_judge"
    return "met" if found.low >= asked else "not_met" if found.high < asked else "undecided"


def _warnings(evidence: Evidence, lines: Sequence[SystemLine]) -> tuple[Note, ...]:
    cautions = dict.fromkeys(filter(None, (coverage_warning(line.estimate) for line in lines)))
    judges = dict.fromkeys(
        (line.metric, line.judge) for line in lines if line.judge and line.corrected is None
    )
    told = [
        variants_told(evidence, [line.system for line in lines if line.task == task], task=task)
        for task in dict.fromkeys(line.task for line in lines)
    ]
    return (
        *(Note("variants", f"of these systems {text}") for text in dict.fromkeys(filter(None, told))),
        *(Note("coverage", text) for text in cautions),
        *(
            Note("judge_not_validated", f"{metric} is the word of a judge ({judge}) that was not validated")
            for metric, judge in judges
        ),
        *(
            Note("not_corrected", f"the rate of {line.system} is not corrected: {line.estimate.reason}")
            for line in lines
            if line.corrected is not None and isinstance(line.estimate, Undefined)
        ),
        *(
            note
            for note in evidence.notes
            if note.code not in READER_REMARKS
            and any(note.concerns(task=line.task, metric=line.metric) for line in lines)
        ),
    )


def _not_checked(evidence: Evidence, lines: Sequence[SystemLine]) -> tuple[Note, ...]:
    found: list[Note] = []
    if all(line.n_clusters is None for line in lines):
        found.append(Note("clusters", "whether items share a source; it needs a cluster field"))
    if all(line.repeats is None for line in lines):
        found.append(
            Note("repeats", "how much a system varies from attempt to attempt; it needs attempts > 1")
        )
    if evidence.texts is None:
        found.append(Note("texts", "what the answers say; it needs a log with texts"))
    return tuple(found)


def _why(lines: Sequence[SystemLine]) -> str:
    methods = dict.fromkeys(line.estimate.method for line in lines if isinstance(line.estimate, Estimate))
    clustered = any(line.n_clusters is not None for line in lines)
    by = "clusters carry the error" if clustered else "items are taken as independent"
    return f"{', '.join(methods) or 'no interval'}; {by}"
