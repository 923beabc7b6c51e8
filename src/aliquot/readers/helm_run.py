"""One run of HELM: its instances, what was answered, and the values merged over the classes of metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from aliquot.errors import InputError, excerpt
from aliquot.evidence.tables import Note
from aliquot.readers.helm_files import (
    INSTANCES_FILE,
    PREDICTIONS_FILE,
    REQUESTS_FILE,
    RUN_SPEC_FILE,
    STATS_FILE,
    VALUES_FILE,
    load,
    load_if_there,
)
from aliquot.readers.helm_metrics import BOOKKEEPING, Describing, describe_suite
from aliquot.readers.helm_records import (
    INSTANCE_STATS,
    INSTANCES,
    PREDICTIONS,
    RUN_SPEC,
    SCENARIO_STATE,
    STATS,
    Instance,
    InstanceStats,
    Key,
    RequestState,
    RunSpec,
    Stat,
    key_of,
)

_MODEL: Final = re.compile(r"(?:(?<=[:,])|^)(?:model|model_deployment|tokenizer)=[^,]*,?")


@dataclass(slots=True)
class Run:
    """A run as read.

    Attributes:
        folder: where it is.
        spec: what it was started with.
        described: what the suite's schema says.
        values: instance, change and trial → statistic → value, None where HELM gave none.
        splits: instance, change and trial → its split.
        instances: what is known of each instance and change.
        requests: what was asked for each key.
        predicted: the answers, where the requests are not there.
        printed: HELM's aggregates.
        notes: what reading has to say.
    """

    folder: Path
    spec: RunSpec
    described: Describing
    values: dict[Key, dict[str, float | None]] = field(default_factory=dict[Key, dict[str, float | None]])
    splits: dict[Key, str] = field(default_factory=dict[Key, str])
    instances: dict[tuple[str, str], Instance] = field(default_factory=dict[tuple[str, str], Instance])
    requests: dict[Key, list[RequestState]] = field(default_factory=dict[Key, list[RequestState]])
    predicted: dict[Key, str] = field(default_factory=dict[Key, str])
    printed: Sequence[Stat] = ()
    notes: list[Note] = field(default_factory=list[Note])

    @property
    def system(self) -> str:
        """The model, else where it was deployed."""
        known = self.spec.adapter_spec
        named = (known.get(name) for name in ("model", "model_deployment"))
        return next((name for name in named if isinstance(name, str) and name), "model")

    @property
    def task(self) -> str:
        """The run's name without the model."""
        return task_of(self.spec.name)

    @property
    def metrics(self) -> list[str]:
        """The metrics, the headline first; statistics of the requests only when there is nothing else."""
        names = list(dict.fromkeys(name for values in self.values.values() for name in values))
        found = [name for name in names if name not in BOOKKEEPING]
        found = found or [name for name in names if name == "logprob"]
        headline = self.described.headline(self.spec, found)
        return sorted(found, key=lambda name: name != headline)

    @property
    def main_split(self) -> str:
        """The split HELM's tables are of."""
        return self.described.main_split(self.spec, set(self.splits.values()))

    @property
    def changes(self) -> list[str]:
        """What was changed in copies of instances."""
        return list(dict.fromkeys(change for _, change, _ in self.values if change))


def task_of(name: str) -> str:
    """Return a run's name without what names the model.

    Examples:
        >>> task_of("mmlu:subject=anatomy,model=openai_gpt-4,eval_split=test")
        'mmlu:subject=anatomy,eval_split=test'
    """
    return _MODEL.sub("", name).rstrip(",:") or name


def load_run(folder: Path) -> Run:
    """Return a run.

    Raises:
        InputError: a file is missing, damaged or too large, or a value is there twice and differs.
        MachineError: the machine refuses to read it.
    """
    run = Run(folder, load(folder / RUN_SPEC_FILE, RUN_SPEC), describe_suite(folder))
    file = folder / VALUES_FILE
    for entry in load(file, INSTANCE_STATS):
        _merge(run, entry, file=str(file))
    if not run.values:
        raise InputError("holds no instance", file=str(file))
    run.printed = load_if_there(folder / STATS_FILE, STATS) or ()
    state = load_if_there(folder / REQUESTS_FILE, SCENARIO_STATE)
    if state is None:
        _take_viewers_files(run)
    else:
        for request in state.request_states:
            run.requests.setdefault(request.key, []).append(request)
        _take_instances(run, (request.instance for request in state.request_states))
    return run


def _merge(run: Run, entry: InstanceStats, *, file: str) -> None:
    """Add what one class of metrics says of an instance on one trial."""
    if not entry.key[0]:
        raise InputError("an instance has no id", file=file, field="instance_id")
    values = run.values.setdefault(entry.key, {})
    for stat in entry.stats:
        name, value = stat.name.name, stat.mean if stat.count else None
        if not name:
            raise InputError("a statistic has no name", file=file, field="stats")
        before = values.get(name)
        if before is not None and value is not None and before != value and name not in BOOKKEEPING:
            problem = f"instance {excerpt(entry.key[0])} has two values of {name!r}: {before:g} and {value:g}"
            raise InputError(problem, file=file, remedy="Two classes of metrics may share this name")
        values[name] = value if before is None else before
        if stat.name.split:
            run.splits[entry.key] = stat.name.split


def _take_instances(run: Run, instances: Iterable[Instance]) -> None:
    for instance in instances:
        name, change, _ = key_of(instance.id, instance.perturbation, 0)
        run.instances.setdefault((name, change), instance)


def _take_viewers_files(run: Run) -> None:
    """Take questions and answers from the files of HELM's viewer, which say nothing of failed requests."""
    _take_instances(run, load_if_there(run.folder / INSTANCES_FILE, INSTANCES) or ())
    predictions = load_if_there(run.folder / PREDICTIONS_FILE, PREDICTIONS) or ()
    run.predicted = {one.key: one.predicted_text for one in predictions if one.predicted_text is not None}
    text = f"there is no {REQUESTS_FILE}, so an answer that an API error made empty cannot be told from a wrong one"
    run.notes.append(Note("no_requests", text))
