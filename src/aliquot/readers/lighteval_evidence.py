"""Runs of lighteval as evidence."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from aliquot.evidence.assembly import assemble
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, OUTCOMES, REPORTED, RESPONSES, SETTINGS, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.lighteval_details import Detail, number
from aliquot.readers.lighteval_results import Results
from aliquot.readers.options import ReadOptions

SCORER: Final = "lighteval"
JUDGE: Final = "a model, not named in the log"
COMBINED: Final = {"ppl": "perplexity", "word_perplexity": "perplexity", "byte_perplexity": "perplexity",
                   "bits_per_byte": "bits"}  # fmt: skip
"""Metrics of the whole corpus that are made of sums of log-likelihoods and weights → how."""

_OUTCOME: Final = ("system", "task", "item", "attempt", "metric", "scorer", "value", "status", "by", "parts")
_REPLICATES: Final = 1000
"""Replicates of lighteval's bootstrap, by whose root it divides once too often (metrics/utils/stderr.py)."""


@dataclass(slots=True)
class Task:
    """One task of one system, as read.

    Attributes:
        system: the system's name.
        name: the task's.
        rows: its rows.
        results: the aggregates of the run, if they are there.
        items: the rows' ids.
        key: what the ids are.
    """

    system: str
    name: str
    rows: list[Detail]
    results: Results | None
    items: list[str] = field(default_factory=list[str])
    key: str = ""

    @property
    def metrics(self) -> list[str]:
        """The metrics, as they were printed, then as the rows have them; texts beside them are none."""
        held = dict.fromkeys(
            name for row in self.rows for name, value in row.metrics.items() if not isinstance(value, str)
        )
        printed = [name for name in (self.results.metrics(self.name) if self.results else ()) if name in held]
        return list(dict.fromkeys((*printed, *(name for name in held if name))))


@dataclass(slots=True)
class Run:
    """What one system left.

    Attributes:
        system: its name.
        tasks: its tasks with rows.
        results: its aggregates, the newest first.
        notes: what reading has to say.
    """

    system: str
    tasks: list[Task]
    results: list[Results]
    notes: list[Note] = field(default_factory=list[Note])


def name_items(task: Task) -> None:
    """Name a task's rows: by the document's number where that tells them apart, else by what they ask.

    Documents of several splits share numbers, and versions before 0.10 keep none.
    """
    numbers = [row.id for row in task.rows]
    if all(numbers) and len(set(numbers)) == len(numbers):
        task.items, task.key = numbers, "doc.id, the document's number in its data set"
        return
    seen = Counter[str]()
    for row in task.rows:
        seen[row.content] += 1
        count = seen[row.content]
        task.items.append(row.content if count == 1 else f"{row.content}#{count}")
    task.key = "the hash of question, choices and right answers"


def evidence_of(runs: Sequence[Run], options: ReadOptions, *, path: Path, digest: str = "") -> Evidence:
    """Return the evidence in runs."""
    tasks = [task for run in runs for task in run.tasks]
    outcomes = pl.DataFrame(
        [row for task in tasks for row in _outcomes(task)],
        schema={name: OUTCOMES[name] for name in _OUTCOME}, orient="row",
    )  # fmt: skip
    responses = [row for task in tasks for row in _responses(task)]
    items = {(row["task"], row["item"]): row for task in reversed(tasks) for row in _items(task, options)}
    printed = {(run.system, *rest): value for run in runs for results in reversed(run.results)
               for *rest, value in results.printed()}  # fmt: skip
    settings = {(run.system, name): value for run in runs for results in reversed(run.results)
                for name, value in results.settings().items()}  # fmt: skip
    return assemble(
        outcomes,
        items=pl.DataFrame(list(items.values()), infer_schema_length=None) if items else None,
        responses=pl.DataFrame(responses, schema=dict(RESPONSES)),
        metrics=pl.DataFrame(list(_metrics(tasks, outcomes)), schema=dict(METRICS)),
        reported=pl.DataFrame(
            [(*key, value) for key, value in printed.items()], schema=dict(REPORTED), orient="row"
        ),
        settings=pl.DataFrame(
            [(*key, value) for key, value in settings.items()], schema=dict(SETTINGS), orient="row"
        ),
        sources=(Source(str(path), "lighteval", sha256=digest),),
        notes=tuple(dict.fromkeys(note for run in runs for note in _notes(run, outcomes))),
        texts=_texts(tasks),
    )


def _outcomes(task: Task) -> Iterator[tuple[Any, ...]]:
    metrics = task.metrics
    for item, row in zip(task.items, task.rows, strict=True):
        for metric in metrics:
            given = row.metrics.get(metric)
            value = number(given)
            parts = _parts(given) if value is None else None
            judge = judge_of(metric)
            status = "ok" if value is not None or parts else "missing"
            yield (task.system, task.name, item, 1, metric, judge or SCORER, value, status,
                   "judge" if judge else "rule", parts)  # fmt: skip


def judge_of(metric: str) -> str | None:
    """Return who judged, for a metric whose name says that a model did."""
    return JUDGE if "judge" in metric.lower() else None


def _parts(given: Any) -> list[float] | None:
    """Return log-likelihood and weight, the parts of a metric of the whole corpus."""
    if not isinstance(given, Mapping) or set(given) != {"logprobs", "weights"}:
        return None
    sums = [
        [number(one) for one in (part if isinstance(part, list) else [part])]
        for part in (given["logprobs"], given["weights"])
    ]
    if not all(sums) or any(one is None for part in sums for one in part):
        return None
    return [math.fsum(one for one in part if one is not None) for part in sums]


def _responses(task: Task) -> Iterator[dict[str, Any]]:
    for item, row in zip(task.items, task.rows, strict=True):
        empty = bool(row.answers) and not any(text.strip() for text in row.answers)
        yield {
            "system": task.system, "task": task.name, "item": item, "attempt": 1,
            "status": "failed" if empty else "ok", "reason": "empty answer" if empty else None,
            "tokens_in": row.tokens_in, "tokens_out": row.tokens_out,
        }  # fmt: skip


def _items(task: Task, options: ReadOptions) -> Iterator[dict[str, Any]]:
    for item, row in zip(task.items, task.rows, strict=True):
        known: dict[str, Any] = {"task": task.name, "item": item, "content": row.content}
        known["cluster"] = row.fields.get(options.cluster) if options.cluster else None
        known["stratum"] = row.fields.get(options.stratum) if options.stratum else None
        yield known | {f"segment.{name}": value for name, value in row.fields.items()}


def _metrics(tasks: Sequence[Task], outcomes: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield a row for each metric; each task's first with values is a headline."""
    valued = set(outcomes.drop_nulls("value")["metric"].unique())
    headlines = {next((name for name in task.metrics if name in valued), "") for task in tasks}
    for name in outcomes["metric"].unique(maintain_order=True):
        values = outcomes.filter(pl.col("metric") == name)["value"]
        task = next(task for task in tasks if name in task.metrics)
        better = (task.results or Results({})).better(task.name, name)
        kind = None if name in valued else "real"
        row = metric_row(name, values, kind=kind, better=better, headline=name in headlines)
        combine = COMBINED.get(name) if name not in valued else None
        yield row | {"judge": judge_of(name), "combine": combine}


def _texts(tasks: Sequence[Task]) -> HeldTexts:
    items: dict[tuple[str, str], tuple[str | None, str | None]] = {}
    answers: dict[tuple[str, str, str, int], str] = {}
    for task in tasks:
        for item, row in zip(task.items, task.rows, strict=True):
            wrong = [choice for choice in row.choices if choice not in row.gold]
            asked = "\n".join((row.query, *(f"- {choice}" for choice in row.choices))) if wrong else row.query
            items.setdefault((task.name, item), (asked, "\n".join(row.gold) or None))
            if row.answers:
                answers[task.system, task.name, item, 1] = "\n\n".join(row.answers)
    return HeldTexts(items=items, responses=answers)


def _notes(run: Run, outcomes: pl.DataFrame) -> Iterator[Note]:
    yield from (Note("item_key", task.key) for task in run.tasks)
    yield from run.notes
    names = {task.name for task in run.tasks}
    bare = [name for results in run.results for name in results.tasks if name not in names]
    if bare:
        listed = ", ".join(dict.fromkeys(bare))
        why = "nothing per item, so nothing can be compared or recomputed (--save-details writes the rows)"
        text = f"{listed}: totals only, {why}"
        yield Note("totals_only", text)
    for task in run.tasks:
        yield from _task_notes(task, outcomes)


def _task_notes(task: Task, outcomes: pl.DataFrame) -> Iterator[Note]:
    drawn = max((len(row.answers) for row in task.rows), default=0)
    if drawn > 1:
        text = (
            f"{task.name}: {drawn} answers were drawn for each item and scored as one, so one attempt is read"
        )
        yield Note("repeats_scored_once", text)
    cut = sum(row.truncated for row in task.rows)
    if cut:
        yield Note("cut_prompts", f"{task.name}: {cut} prompts were cut to fit the model's context")
    printed = {(metric, statistic): value for name, metric, statistic, value in
               (task.results.printed() if task.results else ()) if name == task.name}  # fmt: skip
    own = outcomes.filter(pl.col("system") == task.system, pl.col("task") == task.name)
    for metric in task.metrics:
        values = own.filter(pl.col("metric") == metric)["value"].drop_nulls()
        if values.is_empty():
            text = f"{task.name}: {metric} is made of the whole corpus, so no item has a value of it"
            yield Note("corpus_metric", text)
        ours = _stderr(values)
        said = printed.get((metric, "stderr"))
        if ours and said and 0.5 < said * math.sqrt(_REPLICATES) / ours < 2:
            text = (
                f"{task.name}: lighteval prints {said:.2g} as the standard error of {metric}, about "
                f"{ours / said:.0f} times too small: its bootstrap divides the deviation of the replicates by the root "
                "of their number"
            )
            yield Note("stderr_too_small", text)


def _stderr(values: pl.Series) -> float | None:
    deviation = values.std()
    return deviation / math.sqrt(len(values)) if isinstance(deviation, float) else None
