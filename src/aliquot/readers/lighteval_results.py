"""The aggregates of a run of lighteval: what it printed, what made the system, and how tasks are described."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from aliquot.errors import InputError
from aliquot.evidence.identity import text_of
from aliquot.evidence.tables import Better
from aliquot.files.json_documents import JsonReading
from aliquot.files.text import decode, read_bounded

MAX_BYTES: Final = 256 << 20
_STDERR: Final = "_stderr"
_LOWER: Final = frozenset({"bits_per_byte", "byte_perplexity", "word_perplexity", "ppl", "ter"})
"""Metrics that lighteval registers with ``higher_is_better=False`` (metrics.py)."""


@dataclass(frozen=True, slots=True)
class Results:
    """One file of aggregates.

    Attributes:
        document: its content.
    """

    document: Mapping[str, Any]

    @property
    def general(self) -> Mapping[str, Any]:
        """What the run was started with."""
        return _mapping(self.document.get("config_general"))

    @property
    def model(self) -> str:
        """The model's name, empty where the log does not say it."""
        settings = _mapping(self.general.get("model_config"))
        return _text(self.general.get("model_name") or settings.get("model_name"))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks with a version, and so rows of their own; averages have none."""
        return tuple(map(str, _mapping(self.document.get("versions"))))

    def metrics(self, task: str) -> tuple[str, ...]:
        """Return a task's metrics in the order in which they were printed."""
        printed = _mapping(_mapping(self.document.get("results")).get(task))
        return tuple(str(name) for name in printed if not str(name).endswith(_STDERR))

    def printed(self) -> Iterator[tuple[str, str, str, float]]:
        """Yield task, metric, statistic and value of each number; averages over tasks too."""
        for task, numbers in _mapping(self.document.get("results")).items():
            for key, value in _mapping(numbers).items():
                if task and key and isinstance(value, int | float) and not isinstance(value, bool):
                    name = str(key).removesuffix(_STDERR)
                    yield str(task), name or str(key), "stderr" if name != key else "value", float(value)

    def better(self, task: str, metric: str) -> Better:
        """Return which direction is good: as the task says, else by the metric's name."""
        listed = _mapping(_mapping(self.document.get("config_tasks")).get(task)).get("metrics")
        if not isinstance(listed, list):
            listed = _mapping(_mapping(self.document.get("config_tasks")).get(task)).get("metric")
        for one in listed if isinstance(listed, list) else ():
            if isinstance(one, Mapping) and one.get("metric_name") == metric:
                said = one.get("higher_is_better")
                said = said.get(metric) if isinstance(said, Mapping) else said
                if isinstance(said, bool):
                    return "higher" if said else "lower"
        return "lower" if metric in _LOWER else "higher"

    def settings(self) -> dict[str, str]:
        """Return what made the system, and each task's version, prompt and scoring."""
        general = self.general
        model = _mapping(general.get("model_config"))
        found = {
            "model": self.model,
            "harness": f"lighteval {_text(general.get('lighteval_sha'))}".strip(" ?"),
        }
        found |= {
            f"model.{name}": _text(value) for name, value in model.items()
            if name not in {"model_name", "generation_parameters"}
        }  # fmt: skip
        decoding = _mapping(model.get("generation_parameters"))
        found |= {f"decoding.{name}": _text(value) for name, value in decoding.items()}
        found["limit"] = _text(general.get("max_samples"))
        found["seed.fewshot"] = _text(general.get("num_fewshot_seeds"))
        for task in self.tasks:
            found |= {f"{name}.{task}": value for name, value in self._settings_of(task).items()}
        return {name: value for name, value in found.items() if value}

    def _settings_of(self, task: str) -> dict[str, str]:
        known = _mapping(self.document.get("config_tasks"))
        config = _mapping(known.get(task) or known.get(task.rpartition("|")[0]))
        return {
            "task_version": _text(_mapping(self.document.get("versions")).get(task)),
            "shots": shots_of(task),
            "prompt": _text(config.get("prompt_function")),
            "scorer": _digest(config.get("metrics") or config.get("metric")),
        }


def read_results(path: Path) -> tuple[Results, str]:
    """Return a file of aggregates, and the digest of its bytes.

    Raises:
        InputError: it is too large, no JSON, or not lighteval's.
        MachineError: the machine refuses to read it.
    """
    file, data = str(path), read_bounded(path, limit=MAX_BYTES)
    document = JsonReading().parse(decode(data, file=file), file=file)
    if not isinstance(document, dict) or not isinstance(document.get("results"), dict):
        raise InputError("holds no results of lighteval", file=file, field="results")
    return Results(document), hashlib.sha256(data).hexdigest()


def shots_of(task: str) -> str:
    """Return the number of worked examples that a task's name ends with.

    Examples:
        >>> shots_of("gsm8k|5"), shots_of("leaderboard|arc:challenge|25|0"), shots_of("all")
        ('5', '25', '')
    """
    ends = [part for part in task.split("|")[1:] if part.isdecimal()]
    return ends[0] if ends else ""


def _digest(value: Any) -> str:
    if not value:
        return ""
    return f"sha256:{hashlib.sha256(msgspec.json.encode(value, order='sorted')).hexdigest()[:20]}"


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    if value is None or isinstance(value, str | bool | int | float):
        return text_of(value) or ""
    return msgspec.json.encode(value, order="sorted").decode()
