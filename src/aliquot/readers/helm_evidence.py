"""Runs of HELM as evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import content_hash, text_of
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import (
    METRICS,
    OUTCOMES,
    REPORTED,
    RESPONSES,
    SETTINGS,
    Evidence,
    Source,
)
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.helm_answers import answer_of, describe_response
from aliquot.readers.helm_metrics import BOOKKEEPING, judge_of
from aliquot.readers.helm_notes import notes_of
from aliquot.readers.helm_records import Instance, Key, change_of
from aliquot.readers.helm_run import Run
from aliquot.readers.options import ReadOptions

SCORER: Final = "helm"
_OUTCOME: Final = ("system", "task", "item", "attempt", "metric", "scorer", "value", "status", "by")
_PROMPT: Final = (
    "method", "global_prefix", "global_suffix", "instructions", "input_prefix", "input_suffix", "reference_prefix",
    "reference_suffix", "chain_of_thought_prefix", "chain_of_thought_suffix", "output_prefix", "output_suffix",
    "instance_prefix", "substitutions", "sample_train", "multi_label",
)  # fmt: skip
_DECODING: Final = ("temperature", "max_tokens", "stop_sequences", "num_outputs", "random")


@dataclass(slots=True)
class _Tables:
    """Loose rows of all runs."""

    items: dict[tuple[str, str], dict[str, Any]] = field(
        default_factory=dict[tuple[str, str], dict[str, Any]]
    )
    responses: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    outcomes: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    asked: dict[tuple[str, str], tuple[str | None, str | None]] = field(
        default_factory=dict[tuple[str, str], tuple[str | None, str | None]]
    )
    answers: dict[tuple[str, str, str, int], str] = field(
        default_factory=dict[tuple[str, str, str, int], str]
    )

    def add(self, run: Run, options: ReadOptions) -> None:
        """Add the rows of a run; the split that HELM's tables are of is the first task."""
        system, metrics = options.name or run.system, run.metrics
        keys = sorted(run.values, key=lambda key: run.splits.get(key, "") != run.main_split)
        for key in keys:
            task, item, attempt = task_of_key(run, key), item_of(key), key[2] + 1
            if (task, item) not in self.items:
                self._add_item(run, key, (task, item), options)
            response = describe_response(run, key)
            self.responses.append(
                {"system": system, "task": task, "item": item, "attempt": attempt, **response}
            )
            if (answer := answer_of(run, key)) is not None and response["status"] != "error":
                self.answers[system, task, item, attempt] = answer
            for metric in metrics:
                value = None if response["status"] == "error" else run.values[key].get(metric)
                judge = judge_of(run.spec, metric)
                self.outcomes.append(
                    (system, task, item, attempt, metric, judge or SCORER, value, _status(value, response),
                     "judge" if judge else "rule")
                )  # fmt: skip

    def _add_item(self, run: Run, key: Key, named: tuple[str, str], options: ReadOptions) -> None:
        name, change, _ = key
        instance = run.instances.get((name, change))
        inputs, reference = _asked(instance) if instance else (None, None)
        self.asked[named] = (inputs, reference)
        fields = _fields(instance)
        known: dict[str, Any] = {"task": named[0], "item": named[1]}
        known["content"] = content_hash(inputs, _choices(instance)) if instance else None
        copied = name if run.changes else None
        known["cluster"] = fields.get(options.cluster, copied) if options.cluster else copied
        known["stratum"] = fields.get(options.stratum) if options.stratum else None
        if run.changes:
            fields["perturbation"] = change or "none"
        self.items[named] = known | {f"segment.{name}": value for name, value in fields.items()}


def task_of_key(run: Run, key: Key) -> str:
    """Return the task of an instance: the run's, with the split where that is not the one HELM's tables are of."""
    return _task(run, run.splits.get(key))


def _task(run: Run, split: str | None) -> str:
    return run.task if split in {None, "", run.main_split} else f"{run.task} [{split}]"


def item_of(key: Key) -> str:
    """Return an item's id: the instance's, with what was changed in a copy of it.

    Examples:
        >>> item_of(("id7", "", 0)), item_of(("id7", "typos", 2))
        ('id7', 'id7 [typos]')
    """
    name, change, _ = key
    return f"{name} [{change}]" if change else name


def evidence_of(runs: Sequence[Run], options: ReadOptions, *, path: str) -> Evidence:
    """Return the evidence in runs.

    Raises:
        InputError: two of them are of one system on one task.
    """
    _check_apart(runs)
    tables = _Tables()
    for run in runs:
        tables.add(run, options)
    outcomes = pl.DataFrame(tables.outcomes, schema={name: OUTCOMES[name] for name in _OUTCOME}, orient="row")
    reported = [row for run in runs for row in _reported(run, options)]
    return assemble(
        outcomes,
        items=pl.DataFrame(list(tables.items.values()), infer_schema_length=None),
        responses=pl.DataFrame(tables.responses, schema=dict(RESPONSES)),
        metrics=pl.DataFrame(list(_metrics(runs, outcomes)), schema=dict(METRICS)),
        reported=pl.DataFrame(reported, schema=dict(REPORTED), orient="row"),
        settings=pl.DataFrame(list(_settings(runs, options)), schema=dict(SETTINGS), orient="row"),
        sources=(Source(path, "HELM"),),
        notes=notes_of(runs),
        texts=HeldTexts(items=tables.asked, responses=tables.answers),
    )


def _check_apart(runs: Sequence[Run]) -> None:
    seen: dict[tuple[str, str], Run] = {}
    for run in runs:
        before = seen.setdefault((run.system, run.task), run)
        if before is not run:
            problem = f"{before.folder.name} and {run.folder.name} are both of {run.system} on {run.task}"
            raise InputError(problem, file=str(run.folder.parent), remedy="Name one of the two folders")


def _status(value: float | None, response: dict[str, Any]) -> str:
    if value is not None:
        return "ok"
    return "error" if response["status"] == "error" else "missing"


def _asked(instance: Instance) -> tuple[str, str | None]:
    """Return what an instance asks, with its choices where some are wrong, and the right answers."""
    right = [one.text for one in instance.references if "correct" in one.tags]
    inputs = instance.input if isinstance(instance.input, str) else instance.input.text
    if len(right) < len(instance.references):
        inputs = "\n".join((inputs, *(f"- {one.text}" for one in instance.references)))
    return inputs, "\n".join(right) or None


def _choices(instance: Instance | None) -> list[Any]:
    return [[one.text, one.tags] for one in instance.references] if instance else []


def _fields(instance: Instance | None) -> dict[str, str | None]:
    """Return what an instance says of itself, by name."""
    if instance is None:
        return {}
    found: dict[str, str | None] = {"sub_split": instance.sub_split} if instance.sub_split else {}
    for name, value in (instance.extra_data or {}).items():
        if name and isinstance(value, str | int | float | bool):
            found[f"extra_data.{name}"] = text_of(value)
    return found


def _metrics(runs: Sequence[Run], outcomes: pl.DataFrame) -> Iterator[dict[str, Any]]:
    headlines = {run.metrics[0] for run in runs if run.metrics}
    for name in outcomes["metric"].unique(maintain_order=True):
        first = next(run for run in runs if name in run.metrics)
        values = outcomes.filter(pl.col("metric") == name)["value"]
        row = metric_row(name, values, better=first.described.better(name), headline=name in headlines)
        yield row | {"judge": judge_of(first.spec, name)}


def _reported(run: Run, options: ReadOptions) -> Iterator[tuple[str, str, str, str, float]]:
    """Yield what HELM printed of the original instances and of each kind of copy; not its worst cases."""
    printed: dict[tuple[str, str, str], float] = {}
    for stat in run.printed:
        name, perturbation = stat.name, stat.name.perturbation
        if name.name in BOOKKEEPING or not name.name or not stat.count:
            continue
        if perturbation and (not run.changes or perturbation.get("computed_on") != "perturbed"):
            continue
        of = {"sub_split": name.sub_split}
        if run.changes:
            of["perturbation"] = change_of(perturbation) or "none"
        where = "".join(f", {part}={value}" for part, value in of.items() if value)
        task = _task(run, name.split)
        for statistic, value in (("mean", stat.mean), ("stddev", stat.stddev)):
            if value is not None:
                printed.setdefault((task, name.name, f"{statistic}{where}"), value)
    for key, value in printed.items():
        yield options.name or run.system, *key, value


def _settings(runs: Sequence[Run], options: ReadOptions) -> Iterator[tuple[str, str, str]]:
    """Yield each system's settings; one that its tasks do not share is named with its task."""
    for system in dict.fromkeys(run.system for run in runs):
        own = {run.task: _settings_of(run) for run in runs if run.system == system}
        for name in dict.fromkeys(name for settings in own.values() for name in settings):
            values = {task: settings[name] for task, settings in own.items() if name in settings}
            if len(values) == len(own) and len(set(values.values())) == 1:
                yield options.name or system, name, next(iter(values.values()))
            else:
                yield from (
                    (options.name or system, f"{name}.{task}", value) for task, value in values.items()
                )


def _settings_of(run: Run) -> dict[str, str]:
    known, spec = run.spec.adapter_spec, run.spec
    found = {"model": run.system, "harness": "HELM"}
    found["model.deployment"] = _text(known.get("model_deployment"))
    found |= {f"decoding.{name}": _text(known.get(name)) for name in _DECODING}
    found["shots"] = _text(known.get("max_train_instances"))
    found["limit"] = _text(known.get("max_eval_instances"))
    found["attempts"] = _text(known.get("num_train_trials"))
    found["prompt"] = _digest({name: known[name] for name in _PROMPT if name in known})
    found["scorer"] = _digest([[one.class_name, one.args] for one in spec.metric_specs])
    found["judge"] = ", ".join(one.short_name for one in spec.annotators or ())
    found["task_version"] = (
        _digest([spec.scenario_spec.class_name, spec.scenario_spec.args]) if spec.scenario_spec else ""
    )
    found["perturbations"] = _digest(spec.data_augmenter_spec) if run.changes else ""
    return {name: value for name, value in found.items() if value}


def _digest(value: Any) -> str:
    return f"sha256:{hashlib.sha256(msgspec.json.encode(value, order='sorted')).hexdigest()[:20]}"


def _text(value: Any) -> str:
    if value is None or isinstance(value, str | bool | int | float):
        return text_of(value) or ""
    return msgspec.json.encode(value, order="sorted").decode()
