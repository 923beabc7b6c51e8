"""One metric over many runs: each run's own number, and where the row of them changes its level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aliquot.analysis.arrays import system_sample
from aliquot.analysis.method import analyse_system
from aliquot.analysis.scales import scale_of
from aliquot.analysis.software import versions
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence, Note
from aliquot.findings.numbers import difference_unit, write_count, write_difference, write_value
from aliquot.findings.scale import Scale
from aliquot.findings.trend import LevelChange, Trend, TrendPoint
from aliquot.findings.verdict import Verdict, Word
from aliquot.stats.level_changes import ChangePoints, change_points
from aliquot.stats.results import Estimate, Undefined


@dataclass(frozen=True, slots=True)
class DatedRun:
    """One run of a trend: what it is called, when it was asked, its tables and the system in them."""

    name: str
    when: str
    evidence: Evidence
    system: str


def find_trend(
    runs: Sequence[DatedRun], *, task: str, metric: str, level: float, seed: int, command: str
) -> Trend:
    """Return the trend of a metric.

    Args:
        runs: the runs, oldest first.
        task: the task.
        metric: the metric.
        level: confidence level.
        seed: seed of the orders that are drawn.
        command: the command line that makes it again.
    """
    scale = scale_of(runs[-1].evidence, metric)
    samples = [system_sample(units(run.evidence, run.system, task=task, metric=metric)) for run in runs]
    estimates = [analyse_system(sample, scale, level=level) for sample in samples]
    there = [place for place, one in enumerate(estimates) if isinstance(one, Estimate)]
    values = [one.point for one in estimates if isinstance(one, Estimate)]
    found = change_points(values, level=level, rng=seed) if values else Undefined("no run has a value")
    steps = [there[point.at] for point in found.points] if isinstance(found, ChangePoints) else []
    points = tuple(
        TrendPoint(
            run=run.name,
            when=run.when,
            n_items=sample.n,
            estimate=estimate,
            level=1 + sum(place >= step for step in steps),
        )
        for place, (run, sample, estimate) in enumerate(zip(runs, samples, estimates, strict=True))
    )
    changes = _changes(found, points, there) if isinstance(found, ChangePoints) else ()
    names = {run.system for run in runs}
    drift = found.drift if isinstance(found, ChangePoints) else found
    return Trend(
        task=task,
        metric=metric,
        system=names.pop() if len(names) == 1 else "",
        scale=scale,
        points=points,
        changes=changes,
        clearest_p=found.clearest_p if isinstance(found, ChangePoints) else found,
        tau=drift if isinstance(drift, Undefined) else drift[0],
        tau_p=drift if isinstance(drift, Undefined) else drift[1],
        level=level,
        warnings=tuple(_warnings(runs, samples_of=[set(sample.items) for sample in samples])),
        verdict=_verdict(found, changes, values, scale),
        seed=seed,
        versions=versions(),
        command=command,
    )


def _changes(
    found: ChangePoints, points: Sequence[TrendPoint], there: Sequence[int]
) -> tuple[LevelChange, ...]:
    edges = [0, *(point.at for point in found.points), found.n]
    return tuple(
        LevelChange(
            run=points[there[change.at]].run,
            last=points[there[change.at - 1]].run,
            before=change.before,
            after=change.after,
            runs_before=edges[place + 1] - edges[place],
            runs_after=edges[place + 2] - edges[place + 1],
            p=change.p,
        )
        for place, change in enumerate(found.points)
    )


def _verdict(
    found: ChangePoints | Undefined, changes: Sequence[LevelChange], values: Sequence[float], scale: Scale
) -> Verdict:
    if not values:
        return Verdict("nothing_to_judge", text="NOTHING TO JUDGE: no run has a value.")
    spread = max(values) - min(values)
    if isinstance(found, Undefined):
        return Verdict("undecided", text=f"UNDECIDED: {found.reason}.")
    if not changes:
        low, high = (write_value(value, scale, width=spread) for value in (min(values), max(values)))
        text = f"NO CHANGE OF LEVEL is shown over {write_count(len(values), 'run')}: {low} to {high}."
        return Verdict("met", text=text)  # as of a monitor without an alarm
    last = changes[-1]
    rose = last.after > last.before
    words: dict[str, Word] = {"higher": "better" if rose else "worse", "lower": "worse" if rose else "better"}
    word = words.get(scale.better, "higher" if rose else "lower")
    before, after = (write_value(value, scale, width=spread) for value in (last.before, last.after))
    shift = write_difference(last.after - last.before, scale, width=spread)
    others = f" {len(changes) - 1} earlier." if len(changes) > 1 else ""
    return Verdict(
        word,
        text=f"{word.upper()} since {last.run}: {after} in {write_count(last.runs_after, 'run')}, {before} in the "
        f"{last.runs_before} before ({shift}{difference_unit(scale)}).{others}",
    )


def _warnings(runs: Sequence[DatedRun], *, samples_of: Sequence[set[str]]) -> Iterator[Note]:
    if any(items != samples_of[0] for items in samples_of):
        smallest, largest = min(map(len, samples_of)), max(map(len, samples_of))
        text = (
            f"the runs do not have the same items ({smallest:,} to {largest:,}): a change of the set looks like one "
            "of the system"
        )
        yield Note("other_items", text)
    if any(not run.when for run in runs):
        yield Note(
            "order_as_given", "not every run says when it was asked, so they are taken in the order given"
        )
