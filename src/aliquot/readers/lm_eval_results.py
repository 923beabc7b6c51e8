"""The aggregates of a run: what the harness printed, what made the system, and how tasks are described."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from aliquot.errors import InputError
from aliquot.evidence.identity import text_of
from aliquot.files.json_documents import JsonReading
from aliquot.files.text import decode, read_bounded
from aliquot.readers.lm_eval_values import NO_FILTER, finite, metric_name

MAX_RESULTS_BYTES: Final = 256 << 20
"""Largest file of aggregates that is read."""

_NAMED_BY: Final = ("peft", "delta", "pretrained", "model", "path", "engine")
"""Arguments that name a model, as the harness looks for them (evaluation_tracker.py)."""

_NO_METRIC: Final = frozenset({"alias", "name", "sample_len", "sample_count", "samples", " "})
_STDERR: Final = "_stderr"
_PROMPT: Final = (
    "doc_to_text", "doc_to_target", "doc_to_choice", "description", "target_delimiter", "fewshot_delimiter",
    "fewshot_config", "gen_prefix",
)  # fmt: skip
_SCORING: Final = ("metric_list", "filter_list", "process_results")


@dataclass(frozen=True, slots=True)
class Printed:
    """A number the harness printed.

    Attributes:
        task: task or group.
        metric: as its outcomes are called.
        statistic: ``value`` or ``stderr``.
        value: the number.
    """

    task: str
    metric: str
    statistic: str
    value: float


@dataclass(frozen=True, slots=True)
class Results:
    """One file of aggregates.

    Attributes:
        path: the file.
        document: its content.
    """

    path: Path
    document: Mapping[str, Any]

    def of_tasks(self, tasks: Collection[str]) -> Results:
        """Return what the file says of some tasks."""
        kept = {
            name: {task: value for task, value in self._mapping(name).items() if task in tasks}
            for name in ("results", "configs")
            if name in self.document
        }
        return Results(self.path, {**self.document, **kept, "group_subtasks": {}})

    @property
    def version(self) -> str:
        """The harness's version, empty where the log does not say it."""
        return str(self.document.get("lm_eval_version") or "")

    @property
    def before_04(self) -> bool:
        """Whether the log is from before 0.4: no settings of the tasks, and metrics without a filter."""
        return "configs" not in self.document and "config" not in self.document

    @property
    def model_name(self) -> str:
        """The model's name as the harness finds it: from the log, else from its arguments."""
        given = self.document.get("model_name")
        arguments = self.arguments
        named = (arguments[name] for name in _NAMED_BY if arguments.get(name))
        return str(given or next(named, "") or self.config.get("model") or "")

    @property
    def config(self) -> Mapping[str, Any]:
        """What the run was started with."""
        return self._mapping("config")

    @property
    def arguments(self) -> dict[str, str]:
        """The model's arguments, from an object or from ``name=value,…``."""
        given = self.config.get("model_args")
        if isinstance(given, str):
            pairs = (part.partition("=") for part in given.split(",") if "=" in part)
            return {name.strip(): value for name, _, value in pairs}
        return {name: _text(value) for name, value in given.items()} if isinstance(given, Mapping) else {}

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks with settings of their own, in the order of the results."""
        own = self._mapping("configs")
        return tuple(name for name in self._mapping("results") if name in own) or tuple(own)

    @property
    def groups(self) -> dict[str, tuple[str, ...]]:
        """Groups whose tasks' average is printed → their tasks."""
        printed = self._mapping("results")
        return {
            name: tuple(map(str, tasks))
            for name, tasks in self._mapping("group_subtasks").items()
            if isinstance(tasks, list) and tasks and name in printed
        }

    def task_config(self, task: str) -> Mapping[str, Any]:
        """Return a task's settings."""
        found = self._mapping("configs").get(task)
        return found if isinstance(found, Mapping) else {}

    def filters(self, task: str) -> tuple[str, ...]:
        """Return a task's filters in order."""
        found = self.task_config(task).get("filter_list")
        return (
            tuple(str(one.get("name")) for one in found if isinstance(one, Mapping))
            if isinstance(found, list)
            else ()
        )

    def aggregation(self, task: str, metric: str) -> str:
        """Return how the harness makes one number of a metric's values, empty when the log does not say."""
        listed = self.task_config(task).get("metric_list")
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, Mapping) and one.get("metric") == metric:
                return _text(one.get("aggregation"))
        return ""

    def shots(self, task: str) -> str:
        """Return the number of worked examples in a task's prompts."""
        given = self._mapping("n-shot").get(task, self.task_config(task).get("num_fewshot"))
        return "" if given is None else _text(given)

    def task_version(self, task: str) -> str:
        """Return a task's version."""
        return _text(self._mapping("versions").get(task))

    def higher_is_better(self, task: str, metric: str) -> bool | None:
        """Return the log's word on a metric's direction."""
        said = self._mapping("higher_is_better").get(task)
        found = said.get(metric) if isinstance(said, Mapping) else None
        return found if isinstance(found, bool) else None

    def printed(self) -> Iterator[Printed]:
        """Yield the numbers the harness printed."""
        for task, numbers in self._mapping("results").items():
            for key, value in numbers.items() if isinstance(numbers, Mapping) else ():
                number = None if key in _NO_METRIC or isinstance(value, bool) else finite(value)
                if number is None:
                    continue
                metric, _, filter_name = key.rpartition(",") if "," in key else (key, "", NO_FILTER)
                statistic = "stderr" if metric.endswith(_STDERR) else "value"
                name = metric_name(metric.removesuffix(_STDERR), filter_name)
                yield Printed(task, name, statistic, number)

    def settings(self) -> dict[str, str]:
        """Return what made the system: that of the run, and each task's prompt, decoding and scoring."""
        return self.run_settings() | {name: value for name, value in self._task_settings().items() if value}

    def run_settings(self) -> dict[str, str]:
        """Return what the whole run was started with: model, arguments, harness, decoding, limit, seeds."""
        found = {"model": self.model_name, "backend": _text(self.config.get("model"))}
        found["harness"] = f"lm-evaluation-harness {self.version}".strip()
        found |= {f"model.{name}": value for name, value in self.arguments.items() if name not in _NAMED_BY}
        given = self.config.get("gen_kwargs")
        if isinstance(given, Mapping):
            found |= {f"decoding.{name}": _text(value) for name, value in given.items()}
        elif given:
            found["decoding.given"] = _text(given)
        found["limit"] = _text(self.config.get("limit"))
        for name in ("random", "numpy", "torch", "fewshot"):
            found[f"seed.{name}"] = _text(self.config.get(f"{name}_seed"))
        for name in ("chat_template", "system_instruction"):
            found[name] = _text(self.document.get(f"{name}_sha"))[:20]
        found["fewshot_as_multiturn"] = _text(self.document.get("fewshot_as_multiturn"))
        return {name: value for name, value in found.items() if value}

    def _task_settings(self) -> dict[str, str]:
        """Return the tasks' settings; one that the tasks do not share is named with its task."""
        own = {task: self._settings_of(task) for task in self.tasks}
        found: dict[str, str] = {}
        for name in dict.fromkeys(name for settings in own.values() for name in settings):
            values = {settings.get(name, "") for settings in own.values()}
            if len(values) == 1:
                found[name] = values.pop()
            else:
                found |= {f"{name}.{task}": settings.get(name, "") for task, settings in own.items()}
        return found

    def _settings_of(self, task: str) -> dict[str, str]:
        config = self.task_config(task)
        decoding = config.get("generation_kwargs")
        found = {
            "shots": self.shots(task),
            "prompt": _digest(config, _PROMPT),
            "scorer": _digest(config, _SCORING),
            "task_version": self.task_version(task),
            "attempts": _text(config.get("repeats")),
            "requests": _text(self._mapping("task_hashes").get(task))[:20],
        }
        if isinstance(decoding, Mapping):
            found |= {f"decoding.{name}": _text(value) for name, value in decoding.items()}
        return found

    def _mapping(self, name: str) -> Mapping[str, Any]:
        found = self.document.get(name)
        return found if isinstance(found, Mapping) else {}


def read_results(path: Path) -> Results:
    """Return a file of aggregates.

    Raises:
        InputError: it is too large, or no such file.
        MachineError: the machine refuses to read it.
    """
    text = decode(read_bounded(path, limit=MAX_RESULTS_BYTES), file=str(path))
    document = JsonReading().parse(text, file=str(path))
    if not isinstance(document, dict) or not isinstance(document.get("results"), dict):
        raise InputError("holds no results of lm-evaluation-harness", file=str(path), field="results")
    return Results(path, document)


def shared_items(groups: Sequence[str], hashes: Mapping[str, frozenset[str]]) -> int:
    """Return how many items of a group's tasks are in several of them.

    Examples:
        >>> shared_items(["a", "b"], {"a": frozenset("xy"), "b": frozenset("yz")})
        1
    """
    known = [hashes[task] for task in groups if task in hashes]
    return sum(map(len, known)) - len(frozenset[str]().union(*known))


def _digest(config: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return a short hash of some settings; paths of the machine that ran it are not among them."""
    kept = {name: config[name] for name in names if config.get(name) is not None}
    data = msgspec.json.encode(kept, order="sorted")
    return f"sha256:{hashlib.sha256(data).hexdigest()[:20]}" if kept else ""


def _text(value: Any) -> str:
    if value is None or isinstance(value, str | bool | int | float):
        return text_of(value) or ""
    return msgspec.json.encode(value, order="sorted").decode()
