"""One system's samples and aggregates as evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import polars as pl

from aliquot.evidence.assembly import DEFAULTS, SCHEMAS
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Evidence, Note, Source
from aliquot.readers.lm_eval_results import Results, shared_items
from aliquot.readers.lm_eval_samples import HASH, Samples, read_samples
from aliquot.readers.lm_eval_systems import System
from aliquot.readers.lm_eval_texts import texts_of
from aliquot.readers.lm_eval_values import direction
from aliquot.readers.options import ReadOptions

FORMAT: Final = "lm-evaluation-harness"

BRIER_BOUNDS: Final[Mapping[str, Any]] = {"low": 0.0, "high": 2.0}
"""Of Σ (p_j − 1[j = gold])²: all the probability on the gold choice, all of it on one other."""

_BY_MEAN: Final = frozenset({"", "mean", "nanmean", "brier_score"})
"""Ways in which the harness makes a number of which the mean of the items' values is the same."""


def evidence_of(system: System, options: ReadOptions, *, path: str) -> Evidence:
    """Return the evidence one system left.

    The frames are made whole here and not by ``assemble``: a samples file has a row a line, each line's key
    was checked where items are named, and a million of them should not be checked twice.

    Args:
        system: its files.
        options: what the user said.
        path: the path as the user gave it.

    Raises:
        UsageError: the options do not fit.
        InputError: a file that cannot be used as it stands.
        MachineError: the machine refuses to read it.
    """
    samples = [
        read_samples(file, task=task, filters=_filters(system, task), options=options)
        for task, file in system.samples.items()
    ]
    newest = system.aggregates[-1] if system.aggregates else None
    version = newest.version if newest else ""
    return Evidence(
        items=_stack("items", ((one.task, one.items) for one in samples)),
        responses=_stack("responses", ((one.task, one.responses) for one in samples), system=system.name),
        outcomes=_stack("outcomes", ((one.task, one.outcomes) for one in samples), system=system.name),
        metrics=_metrics(system, samples, options),
        reported=_reported(system),
        settings=_settings(system, newest),
        sources=(Source(path=path, format=FORMAT, version=version or _generation(newest)),),
        notes=tuple(dict.fromkeys(_notes(system, samples, options))),
        texts=texts_of(system.name, samples) if samples else None,
    )


def _filters(system: System, task: str) -> tuple[str, ...]:
    return system.results[task].filters(task) if task in system.results else ()


def _generation(results: Results | None) -> str:
    return "before 0.4" if results is not None and results.before_04 else ""


def _stack(
    table: str, frames: Iterator[tuple[str, pl.DataFrame]], *, system: str | None = None
) -> pl.DataFrame:
    """Return the tasks' frames as one table with all of its columns."""
    whole = [
        _complete(table, frame, {"task": task, "system": system}) for task, frame in frames if frame.width
    ]
    if not whole:
        return pl.DataFrame(schema=dict(SCHEMAS[table]))
    return pl.concat(whole, how="diagonal")


def _complete(table: str, frame: pl.DataFrame, constants: Mapping[str, object]) -> pl.DataFrame:
    segments = [name for name in frame.columns if table == "items" and name.startswith("segment.")]
    schema = SCHEMAS[table]
    return frame.select(
        *(
            pl.col(name).cast(kind)
            if name in frame.columns
            else pl.lit(constants.get(name, DEFAULTS.get(name)), dtype=kind).alias(name)
            for name, kind in schema.items()
        ),
        *segments,
    )


def _metrics(system: System, samples: Sequence[Samples], options: ReadOptions) -> pl.DataFrame:
    """Return the metrics in order; each task's first one with values of its own is a headline."""
    values: dict[str, list[pl.Series]] = {}
    better: dict[str, Any] = {}
    headlines: set[str] = set()
    for one in samples:
        valued: list[str] = []
        for name, metric in one.metrics.items():
            found = (
                one.outcomes.filter(pl.col("metric") == name)["value"]
                if len(one.metrics) > 1
                else one.outcomes["value"]
            )
            values.setdefault(name, []).append(found)
            if found.null_count() < len(found):
                valued.append(name)
            better.setdefault(name, _better(system.results.get(one.task), one.task, metric))
        headlines |= set(valued[:1])
    rows: list[dict[str, Any]] = []
    for name, parts in values.items():
        whole = pl.concat(parts)
        given: Mapping[str, Any] = {"low": options.low, "high": options.high, "kind": options.kind}
        if name.startswith("brier"):
            given = BRIER_BOUNDS
        if whole.null_count() == len(whole):
            given = {"kind": "real"}
        rows.append(
            metric_row(
                name, whole, better=options.better or better[name], headline=name in headlines, **given
            )
        )
    return pl.DataFrame(rows, schema=dict(METRICS))


def _better(results: Results | None, task: str, metric: str) -> str:
    if results is not None and results.aggregation(task, metric) == "perplexity":
        return "higher"  # the items hold log-likelihoods, of which the harness then makes a perplexity
    return direction(metric, results.higher_is_better(task, metric) if results else None)


def _reported(system: System) -> pl.DataFrame:
    """Return what the harness printed; of several runs the newest number of each."""
    numbers = {
        (one.task, one.metric, one.statistic): one.value
        for results in system.aggregates
        for one in results.printed()
    }
    rows = [(system.name, *key, value) for key, value in numbers.items()]
    return pl.DataFrame(rows, schema=dict(SCHEMAS["reported"]), orient="row")


def _settings(system: System, newest: Results | None) -> pl.DataFrame:
    found = newest.settings() if newest else {}
    for task, results in system.results.items():
        if results is not newest:
            found = {f"{name}.{task}": value for name, value in results.settings().items()
                     if name not in system.settings} | found  # fmt: skip
    rows = [(system.name, name, value) for name, value in found.items()]
    return pl.DataFrame(rows, schema=dict(SCHEMAS["settings"]), orient="row")


def _notes(system: System, samples: Sequence[Samples], options: ReadOptions) -> Iterator[Note]:
    if samples:
        yield Note("item_key", options.item or f"{HASH}, the hash of the whole document")
    yield from system.notes
    for one in samples:
        found = (*one.notes, *_answer_notes(one), *_making_notes(one, system.results.get(one.task)))
        yield from (replace(note, task=one.task) for note in found)
    for results in system.aggregates:
        yield from _aggregate_notes(results, samples)


def _answer_notes(samples: Samples) -> Iterator[Note]:
    counts = dict(samples.responses.group_by("status").len().iter_rows())
    if errors := counts.get("error"):
        text = (
            f"{samples.task}: the API gave no answer {errors} times; these are errors, not wrong answers, "
            "while the harness's own numbers count them as wrong"
        )
        yield Note("no_answers", text)
    if empty := counts.get("failed"):
        text = f"{samples.task}: {empty} answers are empty; the harness writes one also for a reply it cannot read"
        yield Note("empty_answers", text)


def _making_notes(samples: Samples, results: Results | None) -> Iterator[Note]:
    """Say where the items' values are not what the harness's number is the mean of."""
    for name, metric in samples.metrics.items():
        how = results.aggregation(samples.task, metric) if results else ""
        if metric.startswith("brier"):
            text = f"{name}: each item's score is made of its probabilities, which the log holds with eight digits"
            yield Note("value_from_parts", text, metric=name)
        elif (
            how not in _BY_MEAN
            and (samples.outcomes.filter(pl.col("metric") == name)["value"].is_not_null()).any()
        ):
            text = f"{samples.task}: the harness makes {name} by {how!r}; the mean of its items is another number"
            yield Note("not_a_mean", text, metric=name)
    repeats = results.task_config(samples.task).get("repeats") if results else None
    if isinstance(repeats, int) and repeats > 1 and samples.responses["attempt"].max() == 1:
        text = f"{samples.task}: {repeats} answers were drawn for each item and scored as one, so one attempt is read"
        yield Note("repeats_scored_once", text)


def _aggregate_notes(results: Results, samples: Sequence[Samples]) -> Iterator[Note]:
    """Say which tasks have no rows, and which of the harness's standard errors cannot be right."""
    items = {one.task: frozenset(one.items["item"]) for one in samples}
    printed = dict.fromkeys(one.task for one in results.printed())
    bare = [task for task in printed if task not in items and task not in results.groups]
    if bare:
        why = "logs from before 0.4 never hold rows" if results.before_04 else "--log_samples writes the rows"
        text = f"{', '.join(bare)}: totals only, nothing per item, so nothing can be compared or recomputed ({why})"
        yield Note("totals_only", text)
    for group, tasks in results.groups.items():
        again = shared_items(tasks, items)
        text = f"{group} is the average of {', '.join(tasks)}; compare the tasks"
        if again:
            text += f". {again} of their items are the same, yet its standard error takes the tasks as independent"
        yield Note("group", text)
