"""What an Inspect log says of its run: settings, judges, the numbers the tool printed, its main metric."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.evidence.tables import REPORTED, SETTINGS
from aliquot.readers.cells import text_of
from aliquot.readers.inspect_records import Header, MetricValue, ScoreResult

DECODING: Final = frozenset(
    {"temperature", "top_p", "top_k", "max_tokens", "stop_seqs", "seed", "frequency_penalty", "presence_penalty",
     "num_choices", "best_of", "logit_bias", "reasoning_effort", "reasoning_tokens", "effort", "system_message"}
)  # fmt: skip
"""Options of a request that change the answer; the others say how it is sent."""

JUDGE_OPTIONS: Final = ("model", "grader_model", "judge_model", "grader", "judge", "model_role")
"""Options of a scorer that name the model it asks."""

_SECRET: Final = re.compile(r"key|token$|secret|password|credential|auth", re.IGNORECASE)
_MODEL_GRADED: Final = re.compile(r"(?:.*/)?model_graded_\w+")


def version_of(header: Header) -> str:
    """Return the version of Inspect that wrote the log, or an empty text."""
    return str((header.eval.packages or {}).get("inspect_ai", ""))


def judges_of(header: Header) -> dict[str, str]:
    """Return scorer → the model that judges for it.

    A scorer that is told no model asks the one bound to its role, else the model under test itself.

    Examples:
        >>> from aliquot.readers.inspect_records import ScorerSpec, Spec
        >>> spec = Spec("t", model="m", scorers=[ScorerSpec("model_graded_qa", {"model": "big"})])
        >>> judges_of(Header(spec))
        {'model_graded_qa': 'big'}
    """
    options = {result.scorer: result.params or {} for result in _results(header)}
    options |= {spec.name: spec.options or {} for spec in header.eval.scorers or ()}
    roles = header.eval.model_roles or {}
    judges: dict[str, str] = {}
    for scorer, said in options.items():
        given = next((name for option in JUDGE_OPTIONS if (name := _model_name(said.get(option), roles))), "")
        if given or _MODEL_GRADED.fullmatch(scorer):
            judges[scorer] = given or _model_name("grader", roles, only_role=True) or header.eval.model
    return judges


def cluster_key(header: Header) -> str | None:
    """Return the metadata key by which the log's own standard errors are clustered, when there is one.

    Examples:
        >>> from aliquot.readers.inspect_records import ScorerSpec, Spec
        >>> metrics = [{"name": "inspect_ai/stderr", "options": {"cluster": "passage"}}]
        >>> cluster_key(Header(Spec("t", scorers=[ScorerSpec("match", {}, metrics)])))
        'passage'
    """
    keys = {key for spec in header.eval.scorers or () for key in _cluster_keys(spec.metrics)}
    return keys.pop() if len(keys) == 1 else None


def headline_of(header: Header, metrics: Collection[str]) -> str | None:
    """Return the log's main metric: its own headline, else the first that it printed or scored."""
    named = header.results.headline if header.results else None
    if named is not None and (found := _metric_named(named.scorer, named.score, metrics)) in metrics:
        return found
    for result in _results(header):
        if (found := _metric_named(result.scorer, result.name, metrics)) in metrics:
            return found
    names = [spec.name for spec in header.eval.scorers or () if spec.name in metrics]
    return next(iter((*names, *metrics)), None)


def reported_table(header: Header, *, system: str, metrics: Collection[str]) -> pl.DataFrame:
    """Return what the tool printed; a reducer other than the mean and a cluster are part of the statistic's name."""
    rows: dict[tuple[str, str], float] = {}
    for result in _results(header):
        metric = _metric_named(result.scorer, result.name, metrics)
        for statistic, value in _statistics(result):
            rows.setdefault((metric, statistic), value)
    return pl.DataFrame(
        [(system, header.eval.task, *key, value) for key, value in rows.items()],
        schema=dict(REPORTED),
        orient="row",
    )


def settings_table(header: Header, *, system: str) -> pl.DataFrame:
    """Return what made the system, by name; nothing that looks like a key is read."""
    rows = [(system, name, text) for name, value in _settings(header) if (text := _text(value)) is not None]
    return pl.DataFrame(rows, schema=dict(SETTINGS), orient="row").unique(
        ("system", "name"), keep="first", maintain_order=True
    )


def _settings(header: Header) -> Iterator[tuple[str, Any]]:
    spec, config = header.eval, header.eval.config or {}
    yield "harness", "inspect_ai"
    yield "harness_version", version_of(header) or None
    yield "model", spec.model
    yield from _named("model", spec.model_args)
    decoding = {**((header.plan and header.plan.config) or {}), **(spec.model_generate_config or {})}
    yield from _named("decoding", {name: decoding.get(name) for name in DECODING})
    yield "task_version", spec.task_version
    yield from _named("task_args", spec.task_args)
    yield "items", spec.dataset.name if spec.dataset else None
    steps = (header.plan and header.plan.steps) or []
    yield "solver", spec.solver or " > ".join(str(step.get("solver", "")) for step in steps) or None
    asked = [step.get("params") for step in steps if step.get("params")]
    yield "prompt", hashlib.sha256(msgspec.json.encode(asked)).hexdigest()[:16] if asked else None
    for name in ("limit", "epochs", "sample_shuffle", "message_limit", "token_limit", "time_limit"):
        yield name, config.get(name)
    for scorer, judge in judges_of(header).items():
        yield f"judge.{scorer}", judge
    for scorer in spec.scorers or ():
        yield f"scorer.{scorer.name}", scorer.options or "default"
    yield "asked", spec.created[:10] or None


def _named(group: str, values: Mapping[str, Any] | None) -> Iterator[tuple[str, Any]]:
    for name in sorted(values or {}):
        if not _SECRET.search(name):
            yield f"{group}.{name}", (values or {})[name]


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str | int | float | bool):
        return text_of(value)
    return msgspec.json.encode(value).decode()


def _model_name(given: Any, roles: Mapping[str, Any], *, only_role: bool = False) -> str:
    """Return the model a scorer's option names: itself, a role, or several models."""
    if isinstance(given, list):
        return ", ".join(filter(None, (_model_name(one, roles) for one in given)))
    if isinstance(given, dict):
        return str(given.get("model") or given.get("name") or "")
    if not isinstance(given, str):
        return ""
    if given in roles:
        bound = roles[given]
        return str(bound.get("model", "")) if isinstance(bound, dict) else str(bound)
    return "" if only_role else given


def _cluster_keys(metrics: Any) -> Iterator[str]:
    if isinstance(metrics, dict):
        options = metrics.get("options")
        if isinstance(options, dict) and isinstance(options.get("cluster"), str):
            yield options["cluster"]
        metrics = [part for part in metrics.values() if isinstance(part, list)]
    if isinstance(metrics, list):
        for part in metrics:
            yield from _cluster_keys(part)


def _results(header: Header) -> list[ScoreResult]:
    return (header.results and header.results.scores) or []


def _metric_named(scorer: str, name: str, metrics: Collection[str]) -> str:
    """Return the metric that a printed score stands for: the scorer's own, or one key of its scores."""
    part = f"{scorer}.{name}"
    return part if part in metrics and name not in metrics else name


def _statistics(result: ScoreResult) -> Iterator[tuple[str, float]]:
    prefix = f"{result.reducer}: " if result.reducer not in {None, "", "mean"} else ""
    for name, metric in (result.metrics or {}).items():
        if isinstance(metric.value, int | float) and math.isfinite(metric.value):
            yield prefix + _statistic(name, metric), float(metric.value)
    for name in ("scored_samples", "unscored_samples"):
        count = getattr(result, name)
        if count is not None:
            yield prefix + name, float(count)


def _statistic(key: str, metric: MetricValue) -> str:
    cluster = (metric.params or {}).get("cluster")
    if isinstance(cluster, str):
        return f"{metric.name}(cluster={cluster})"
    return f"{metric.group}: {metric.name}" if metric.group else key
