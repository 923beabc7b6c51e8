"""A run of DeepEval as evidence: whether each case passed, the metrics' scores, and what it took."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.errors import UsageError, nearest
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import text_of
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, OUTCOMES, REPORTED, RESPONSES, SETTINGS, Evidence, Note, Source
from aliquot.readers.deepeval_items import Items, fields_of, find_items, look_up
from aliquot.readers.deepeval_records import SUCCESS, Case, Log, named
from aliquot.readers.deepeval_texts import texts_of
from aliquot.readers.options import ReadOptions

SCORER: Final = "deepeval"
MAX_SEGMENTS: Final = 100
_USUAL_CLUSTERS: Final = ("metadata.cluster", "metadata.cluster_id")
_OUTCOME: Final = ("system", "task", "item", "attempt", "metric", "scorer", "value", "status", "by")


def evidence_of_log(log: Log, options: ReadOptions, *, system: str, source: Source) -> Evidence:
    """Return the evidence in a run.

    Raises:
        UsageError: a field the user named is in no case.
        InputError: an id stands for two cases.
    """
    task = log.task or "deepeval"
    items = find_items(log.cases, item=options.item, duplicates=options.duplicates, file=source.path)
    keys = [(system, task, item, attempt) for item, attempt in zip(items.names, items.attempts, strict=True)]
    judges = _judges(log.cases)
    _require_fields(log.cases, options, file=source.path)
    outcomes = pl.DataFrame(
        [row for key, case in zip(keys, log.cases, strict=True) for row in _outcomes(key, case, judges)],
        schema={name: OUTCOMES[name] for name in _OUTCOME}, orient="row",
    )  # fmt: skip
    responses = [_response(key, case) for key, case in zip(keys, log.cases, strict=True)]
    return assemble(
        outcomes,
        items=pl.DataFrame(list(_items(log, items, options, task=task)), infer_schema_length=None),
        responses=pl.DataFrame(responses, schema=dict(RESPONSES)),
        metrics=pl.DataFrame(list(_metrics(outcomes, judges)), schema=dict(METRICS)),
        reported=pl.DataFrame(
            [(system, task, *row) for row in _reported(log)], schema=dict(REPORTED), orient="row"
        ),
        settings=pl.DataFrame(
            [(system, *row) for row in _settings(log, system, judges).items()],
            schema=dict(SETTINGS),
            orient="row",
        ),
        sources=(source,),
        notes=(*items.notes, *log.notes, *_notes(log.cases)),
        texts=texts_of(log.cases, keys),
    )


def _require_fields(cases: Sequence[Case], options: ReadOptions, *, file: str) -> None:
    for path in (options.cluster, options.stratum):
        if path is not None and all(look_up(case, path) is None for case in cases):
            raise UsageError(f"{file}: no test case has a field {path!r}. {nearest(path, fields_of(cases))}")


def passed(case: Case) -> tuple[float | None, str]:
    """Return whether a case passed, and the status of that.

    DeepEval fails a case of which a metric broke. That is a failure only where another metric failed it too; else
    nothing is known. Metrics declared flaky never decide.
    """
    deciding = [one for one in case.metrics_data or () if not one.flaky]
    broken = [one for one in deciding if one.error is not None and one.score is None]
    if broken and all(one.success is not False for one in deciding if one not in broken):
        return None, "error"
    return (None, "missing") if case.success is None else (float(case.success), "ok")


def _outcomes(
    key: tuple[str, str, str, int], case: Case, judges: Mapping[str, str]
) -> Iterator[tuple[Any, ...]]:
    value, status = passed(case)
    if case.success is not None:
        yield (*key, SUCCESS, SCORER, value, status, "rule")
    for name, one in named(case.metrics_data or ()):
        score = None if one.score is None else float(one.score)
        status = "ok" if score is not None else "error" if one.error is not None else "missing"
        by = "judge" if name in judges else "rule"
        yield (*key, name, judges.get(name, SCORER), score, status, by)


def _judges(cases: Sequence[Case]) -> dict[str, str]:
    """Return metric → the models that judged it."""
    found: dict[str, dict[str, None]] = {}
    for case in cases:
        for name, one in named(case.metrics_data or ()):
            if one.judge:
                found.setdefault(name, {})[one.judge] = None
    return {name: ", ".join(models) for name, models in found.items()}


def _response(key: tuple[str, str, str, int], case: Case) -> dict[str, Any]:
    status, reason = "ok", None
    if case.turns is None and case.actual_output in (None, ""):
        status, reason = "failed", "empty answer"
    turns = [turn for turn in case.turns or () if isinstance(turn, dict) and turn.get("role") == "assistant"]
    cost = case.token_cost if case.token_cost is not None and case.token_cost >= 0 else None
    return dict(zip(("system", "task", "item", "attempt"), key, strict=True)) | {
        "status": status,
        "reason": reason,
        "latency_s": case.completion_time if (case.completion_time or -1) >= 0 else None,
        "cost": cost,
        "currency": None if cost is None else "USD",
        "steps": len(turns) or None,
        "tool_calls": None if case.tools_called is None else len(case.tools_called),
    }


def _items(log: Log, items: Items, options: ReadOptions, *, task: str) -> Iterator[dict[str, Any]]:
    usual = (name for name in _USUAL_CLUSTERS if any(look_up(case, name) is not None for case in log.cases))
    cluster = options.cluster or next(usual, None)
    names = [name for name in fields_of(log.cases) if f"metadata.{name}" != cluster][:MAX_SEGMENTS]
    first = dict(zip(reversed(items.names), reversed(log.cases), strict=True))
    for item in dict.fromkeys(items.names):
        case = first[item]
        known: dict[str, Any] = {"task": task, "item": item, "content": items.contents[item]}
        known["cluster"] = text_of(look_up(case, cluster)) if cluster else None
        known["stratum"] = text_of(look_up(case, options.stratum)) if options.stratum else None
        tags = ", ".join(text for tag in case.tags or () if (text := text_of(tag)))
        fields = {"tags": tags} if tags else {}
        fields |= {name: text_of((case.metadata or {}).get(name)) for name in names}
        yield known | {f"segment.{name}": value for name, value in fields.items()}


def _metrics(outcomes: pl.DataFrame, judges: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    names = outcomes["metric"].unique(maintain_order=True)
    for place, name in enumerate(names):
        values = outcomes.filter(pl.col("metric") == name)["value"]
        kind = "binary" if name == SUCCESS else None
        yield metric_row(name, values, kind=kind, headline=place == 0) | {"judge": judges.get(name)}


def _reported(log: Log) -> Iterator[tuple[str, str, float]]:
    """Yield what DeepEval printed: cases that passed, and of each metric passes, fails and errors."""
    if log.passed is not None and log.failed is not None and 0 < log.passed + log.failed < 1 << 53:
        yield SUCCESS, "pass_count", float(log.passed)
        yield SUCCESS, "fail_count", float(log.failed)
        yield SUCCESS, "pass_rate", log.passed / (log.passed + log.failed)
    for one in {scores.metric: scores for scores in log.scores if scores.metric}.values():
        for statistic, count in (("passes", one.passes), ("fails", one.fails), ("errors", one.errors)):
            if count is not None and abs(count) < 1 << 53:
                yield one.metric, statistic, float(count)
        values = [float(score) for score in one.scores if score is not None]
        if values and len(values) == len(one.scores):
            yield one.metric, "mean", sum(values) / len(values)


def _settings(log: Log, system: str, judges: Mapping[str, str]) -> dict[str, str]:
    rules = {
        name: [one.threshold, one.strict_mode]
        for case in log.cases
        for name, one in named(case.metrics_data or ())
    }
    scorer = hashlib.sha256(msgspec.json.encode(rules, order="sorted")).hexdigest()[:20]
    found = {"model": system, "harness": "deepeval", "scorer": f"sha256:{scorer}" if rules else ""}
    found["judge"] = ", ".join(dict.fromkeys(judges.values()))
    for name, value in log.hyperparameters.items():
        said = name.lower()
        where = (
            "model"
            if said == "model"
            else f"decoding.{name}"
            if said in _DECODING
            else f"hyperparameters.{name}"
        )
        found[where] = text_of(value) or ""
    return {name: value for name, value in found.items() if value}


_DECODING: Final = frozenset({"temperature", "top_p", "max_tokens", "seed", "stop"})


def _notes(cases: Sequence[Case]) -> Iterator[Note]:
    broken = Counter(name for case in cases for name, one in named(case.metrics_data or ())
                     if one.error is not None and one.score is None)  # fmt: skip
    for name, count in broken.items():
        counted = "1 case" if count == 1 else f"{count} cases"
        text = f"{name} broke on {counted}; DeepEval counts a case like that as failed, here it is missing"
        yield Note("metric_failed", text)
    undecided = sum(passed(case)[1] == "error" for case in cases)
    if undecided:
        text = (
            f"{undecided} cases failed only because a metric broke; whether they pass is not known: missing"
        )
        yield Note("success_unknown", text)
    flaky = dict.fromkeys(name for case in cases for name, one in named(case.metrics_data or ()) if one.flaky)
    if flaky:
        yield Note(
            "flaky_metrics", f"declared flaky, so they never decide whether a case passed: {', '.join(flaky)}"
        )
