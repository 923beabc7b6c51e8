"""What HELM writes in the folder of a run, typed: only what is read of it."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta, Struct

from aliquot.evidence.identity import text_of

Count: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 40)]


class ObjectSpec(Struct):
    """A class and what it was made with: a scenario, a metric, an annotator."""

    class_name: str = ""
    args: Any = None

    @property
    def short_name(self) -> str:
        """The class without its package."""
        return self.class_name.rpartition(".")[2]


class RunSpec(Struct):
    """What a run was started with."""

    name: str
    scenario_spec: ObjectSpec | None = None
    adapter_spec: dict[str, Any] = {}
    metric_specs: list[ObjectSpec] = []
    annotators: list[ObjectSpec] | None = None
    data_augmenter_spec: Any = None
    groups: list[str] = []


class StatName(Struct):
    """What a statistic is of."""

    name: str
    split: str | None = None
    sub_split: str | None = None
    perturbation: dict[str, Any] | None = None


class Stat(Struct):
    """A statistic: of one instance, or in ``stats.json`` over the trials."""

    name: StatName
    count: float = 0
    mean: float | None = None
    stddev: float | None = None


class InstanceStats(Struct):
    """The statistics that one class of metrics gave an instance on one trial."""

    instance_id: str | int
    stats: list[Stat]
    train_trial_index: Count = 0
    perturbation: dict[str, Any] | None = None

    @property
    def key(self) -> Key:
        """What tells it from the others."""
        return key_of(self.instance_id, self.perturbation, self.train_trial_index)


class Text(Struct):
    """A text, as newer versions wrap it."""

    text: str = ""


class Reference(Struct):
    """An answer to choose or to give."""

    output: Text | str = ""
    tags: list[str] = []

    @property
    def text(self) -> str:
        """The answer."""
        return plain(self.output)


class Instance(Struct):
    """What was asked."""

    input: Text | str = ""
    references: list[Reference] = []
    split: str | None = None
    sub_split: str | None = None
    id: str | int | None = None
    perturbation: dict[str, Any] | None = None
    extra_data: dict[str, Any] | None = None


class Completion(Struct):
    """An answer."""

    text: str = ""
    finish_reason: Any = None


class Result(Struct):
    """What came back for a request."""

    success: bool = True
    completions: list[Completion] = []
    cached: bool = False
    error: str | None = None
    request_time: float | None = None
    request_datetime: float | None = None


class RequestState(Struct):
    """One request made for an instance; some ways of asking make one for each choice."""

    instance: Instance
    train_trial_index: Count = 0
    result: Result | None = None

    @property
    def key(self) -> Key:
        """What it was asked for."""
        return key_of(self.instance.id, self.instance.perturbation, self.train_trial_index)


class ScenarioState(Struct):
    """All requests of a run."""

    request_states: list[RequestState] = []


class Prediction(Struct):
    """An answer as the viewer's file holds it."""

    instance_id: str | int
    train_trial_index: Count = 0
    perturbation: dict[str, Any] | None = None
    predicted_text: str | None = None

    @property
    def key(self) -> Key:
        """What it answers."""
        return key_of(self.instance_id, self.perturbation, self.train_trial_index)


class Environment(Struct):
    """What a group's metrics are called in its tables."""

    main_name: str | None = None
    main_split: str | None = None


class Group(Struct):
    """A group of runs, with its main metric."""

    name: str
    environment: Environment | None = None


class MetricField(Struct):
    """A metric as the viewer describes it."""

    name: str
    lower_is_better: bool | None = None


class Schema(Struct):
    """What ``helm-summarize`` knew of groups and metrics."""

    metrics: list[MetricField] = []
    run_groups: list[Group] = []


Key: TypeAlias = tuple[str, str, int]
"""Instance, what was changed in it (nothing in the original), and trial."""

RUN_SPEC: Final = msgspec.json.Decoder(RunSpec)
INSTANCE_STATS: Final = msgspec.json.Decoder(list[InstanceStats])
SCENARIO_STATE: Final = msgspec.json.Decoder(ScenarioState)
INSTANCES: Final = msgspec.json.Decoder(list[Instance])
PREDICTIONS: Final = msgspec.json.Decoder(list[Prediction])
STATS: Final = msgspec.json.Decoder(list[Stat])
SCHEMA: Final = msgspec.json.Decoder(Schema)

_NO_CHANGE: Final = frozenset({"name", "robustness", "fairness", "computed_on"})


def key_of(instance: str | int | None, perturbation: dict[str, Any] | None, trial: int) -> Key:
    """Return what tells an instance's copies and trials apart."""
    return text_of(instance) or "", change_of(perturbation), trial


def change_of(perturbation: dict[str, Any] | None) -> str:
    """Return what was changed in a copy of an instance, in words.

    Examples:
        >>> change_of({"name": "typos", "robustness": True, "computed_on": "perturbed", "prob": 0.05})
        'typos,prob=0.05'
    """
    if not perturbation:
        return ""
    more = (f",{key}={text_of(perturbation[key])}" for key in sorted(perturbation) if key not in _NO_CHANGE)
    return f"{text_of(perturbation.get('name')) or 'changed'}{''.join(more)}"


def plain(value: Text | str) -> str:
    """Return a text, wrapped or not."""
    return value.text if isinstance(value, Text) else value
