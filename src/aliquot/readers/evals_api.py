"""Output items of an Evals API run: what each grader said of the answer to each item of a data source."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

import polars as pl
from msgspec import Struct

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import content_hash, inputs_text, text_of
from aliquot.evidence.messages import turns_of
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.evidence.transcripts import is_conversation
from aliquot.readers.item_fields import item_fields
from aliquot.readers.json_records import JsonRecords
from aliquot.readers.options import ReadOptions

PASSED: Final = "passed"
"""The metric that says whether every grader passed an item."""

_UUID: Final = re.compile(r"[-_][0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$")
_STATES: Final = {"pass": 1.0, "passed": 1.0, "fail": 0.0, "failed": 0.0}
_LARGEST: Final = 1e300


class _Usage(Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


class _Error(Struct):
    code: str | int | None = None
    message: str | None = None


class _Sample(Struct):
    model: str | None = None
    input: Any = None
    output: Any = None
    finish_reason: str | None = None
    error: _Error | None = None
    usage: _Usage | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_completion_tokens: int | None = None


class _Result(Struct):
    name: str
    type: str | None = None
    metric: str | None = None
    score: float | bool | None = None
    passed: bool | None = None
    label: str | None = None
    status: str | None = None
    sample: Any = None


class _Item(Struct):
    status: str
    datasource_item: dict[str, Any]
    results: list[_Result]
    datasource_item_id: int | str | None = None
    run_id: str = "run"
    eval_id: str = "eval"
    sample: _Sample | None = None


def read_output_items(found: JsonRecords, options: ReadOptions) -> Evidence:
    """Return the evidence in output items of one or more runs.

    Raises:
        UsageError: the items lack the field the user named as cluster.
        InputError: a record is no output item, or the items have no id.
    """
    items = found.typed(_Item)
    systems = _systems(items, options)
    keys = [_key(one, options, place=found.place(index), file=found.file) for index, one in enumerate(items)]
    attempts = _attempts(list(zip(systems, (one.eval_id for one in items), keys, strict=True)))
    rows = [
        _row(one, system=system, item=key, attempt=attempt)
        for one, system, key, attempt in zip(items, systems, keys, attempts, strict=True)
    ]
    outcomes = [outcome for one, row in zip(items, rows, strict=True) for outcome in _outcomes(one, row)]
    frame = _without_copies(pl.DataFrame(outcomes, schema_overrides=_TYPES, infer_schema_length=None))
    described = item_fields(
        {key: one.datasource_item for key, one in zip(keys, items, strict=True)}, cluster=options.cluster
    )
    table = {
        (one.eval_id, key): {"task": one.eval_id, "item": key, "content": _content(one), **described[key]}
        for key, one in zip(keys, items, strict=True)
    }
    named = options.item or "datasource_item_id"
    more = (
        [Note("more_pages", "the file holds one page; the run has more items")]
        if found.document.get("has_more") is True
        else []
    )
    return assemble(
        frame,
        items=pl.DataFrame(list(table.values()), infer_schema_length=None),
        responses=pl.DataFrame(rows, schema_overrides=_RESPONSE_TYPES, infer_schema_length=None),
        metrics=_metrics(frame),
        settings=_settings(items, systems),
        sources=(Source(found.file, "Evals API", "output items", found.sha256),),
        notes=(Note("item_key", named), *found.notes, *more),
        texts=_texts(items, rows),
    )


_TYPES: Final = {"value": pl.Float64, "label": pl.String, "status": pl.String, "judge": pl.String}
_RESPONSE_TYPES: Final = {
    "reason": pl.String, "stage": pl.String, "tokens_in": pl.Int64, "tokens_out": pl.Int64, "tokens_cached": pl.Int64,
}  # fmt: skip


def _systems(items: Sequence[_Item], options: ReadOptions) -> list[str]:
    """Return the model of each item, with its run where several runs are of one model."""
    pairs = [((one.sample.model if one.sample else None) or "system", one.run_id) for one in items]
    runs = Counter(model for model, _ in set(pairs))
    names = [model if runs[model] == 1 else f"{model} {run}" for model, run in pairs]
    return [options.name] * len(items) if options.name and len(set(names)) == 1 else names


def _key(one: _Item, options: ReadOptions, *, place: str, file: str) -> str:
    value = one.datasource_item.get(options.item) if options.item else one.datasource_item_id
    key = text_of(value)
    if not key:
        raise InputError(f"has no id ({place})", file=file, field=options.item or "datasource_item_id")
    return key


def _attempts(keys: Sequence[tuple[str, str, str]]) -> list[int]:
    seen: Counter[tuple[str, str, str]] = Counter()
    found: list[int] = []
    for key in keys:
        seen[key] += 1
        found.append(seen[key])
    return found


def _content(one: _Item) -> str:
    return content_hash(inputs_text(one.datasource_item), None)


def _row(one: _Item, *, system: str, item: str, attempt: int) -> dict[str, Any]:
    sample = one.sample or _Sample()
    usage = sample.usage or _Usage()
    status, reason = "ok", None
    if sample.error is not None and (sample.error.message or sample.error.code is not None):
        status, reason = "error", _line(sample.error.message or sample.error.code)
    elif one.status == "error" and not one.results:
        status, reason = "error", "the run calls this item an error"
    elif sample.finish_reason == "length":
        status = "truncated"
    elif sample.finish_reason == "content_filter":
        status = "refused"
    return {
        "system": system, "task": one.eval_id, "item": item, "attempt": attempt, "status": status, "reason": reason,
        "stage": "system" if status == "error" else None, "tokens_in": _count(usage.prompt_tokens),
        "tokens_out": _count(usage.completion_tokens), "tokens_cached": _count(usage.cached_tokens),
    }  # fmt: skip


def _outcomes(one: _Item, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return an outcome for each grader, for its own pass mark where the score is no such thing, and for all."""
    key = {name: row[name] for name in ("system", "task", "item", "attempt")}
    names = _names(one.results)
    failed = row["status"] == "error"
    rows = [{**key, "metric": PASSED, "scorer": "all graders", "value": None if failed else _STATES.get(one.status),
             "label": one.status, "status": "missing" if failed else None, "by": "rule", "judge": None}]  # fmt: skip
    for name, result in zip(names, one.results, strict=True):
        judge = _judge(result)
        score = result.score if result.score is not None else result.passed
        value = None if failed or score is None or abs(score) > _LARGEST else float(score)
        status = "error" if value is None and not failed else "missing" if value is None else "ok"
        own = {
            **key,
            "scorer": judge or "grader",
            "by": "judge" if judge else "rule",
            "judge": judge,
            "status": status,
        }
        rows.append({**own, "metric": name, "value": value, "label": result.label})
        if result.passed is not None and result.score is not None:
            mark = None if value is None else float(result.passed)
            rows.append({**own, "metric": f"{name}: {PASSED}", "value": mark, "label": None})
    return rows


def _names(results: Sequence[_Result]) -> list[str]:
    """Return the graders' metrics, each by a name of its own."""
    names = [_name(result) for result in results]
    if len(set(names)) < len(names):
        names = [result.name for result in results]
    if len(set(names)) < len(names):
        names = [f"{name} {place}" for place, name in enumerate(names, start=1)]
    return names


def _without_copies(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the outcomes without the pass marks that say what the grader's score says."""
    copies: list[str] = []
    for name in frame["metric"].unique(maintain_order=True):
        score = name.removesuffix(f": {PASSED}")
        own, marks = (frame.filter(pl.col("metric") == one)["value"] for one in (score, name))
        if score != name and own.equals(marks, check_names=False):
            copies.append(name)
    return frame.filter(~pl.col("metric").is_in(copies))


def _name(result: _Result) -> str:
    name = _UUID.sub("", result.name) or result.name
    return f"{name}.{result.metric}" if result.metric and result.metric != name else name


def _judge(result: _Result) -> str | None:
    """Return the model that graded, or None for a rule."""
    model = result.sample.get("model") if isinstance(result.sample, dict) else None
    asked = isinstance(result.sample, dict) or "model" in (result.type or "")
    return (model if isinstance(model, str) and model else _name(result)) if asked else None


def _metrics(frame: pl.DataFrame) -> pl.DataFrame:
    rows = [
        metric_row(name, own["value"], headline=name == PASSED) | {"judge": own["judge"].drop_nulls().first()}
        for name in frame["metric"].unique(maintain_order=True)
        for own in (frame.filter(pl.col("metric") == name),)
    ]
    return pl.DataFrame(rows, schema=dict(METRICS))


def _settings(items: Sequence[_Item], systems: Sequence[str]) -> pl.DataFrame:
    told: dict[tuple[str, str], str] = {}
    for one, system in zip(items, systems, strict=True):
        sample = one.sample or _Sample()
        known = {"harness": "Evals API", "model": sample.model, "run": one.run_id, "temperature": sample.temperature,
                 "top_p": sample.top_p, "seed": sample.seed, "max_tokens": sample.max_completion_tokens}  # fmt: skip
        told |= {
            (system, name): text
            for name, value in known.items()
            if (text := text_of(value)) and (system, name) not in told
        }
    return pl.DataFrame([{"system": key[0], "name": key[1], "value": value} for key, value in told.items()])


def _texts(items: Sequence[_Item], rows: Sequence[Mapping[str, Any]]) -> HeldTexts:
    asked: dict[tuple[str, str], tuple[str | None, str | None]] = {}
    answers: dict[tuple[str, str, str, int], str] = {}
    for one, row in zip(items, rows, strict=True):
        asked[row["task"], row["item"]] = (inputs_text(one.datasource_item), None)
        if (text := _answer(one)) is not None:
            answers[row["system"], row["task"], row["item"], row["attempt"]] = text
    attempted = [(row["system"], row["task"], row["item"], row["attempt"]) for row in rows]
    return HeldTexts(
        items=asked,
        responses=answers,
        notes={
            (*key, metric): note
            for key, one in zip(attempted, items, strict=True)
            for metric, note in _notes(one)
        },
        told={key[1:3]: one.datasource_item for key, one in zip(attempted, items, strict=True)},
        spoken={
            key: partial(_chat, one.sample)
            for key, one in zip(attempted, items, strict=True)
            if one.sample is not None and isinstance(one.sample.output, list)
        },
    )


def _notes(one: _Item) -> Iterator[tuple[str, str]]:
    """Yield metric → what its grader wrote; under the headline that of those that did not pass."""
    failing: list[str] = []
    for name, result in zip(_names(one.results), one.results, strict=True):
        written = result.sample.get("output") if isinstance(result.sample, dict) else None
        said = _texts_of(written) if isinstance(written, list) else text_of(written)
        if said:
            yield name, said
            yield f"{name}: {PASSED}", said
            failing += [f"{name}: {said}"] if result.passed is False else []
    if failing:
        yield PASSED, "\n".join(failing)


def _chat(sample: _Sample) -> object:
    """Return what was asked and answered as messages, None when that is a question and one answer."""
    asked: list[Any] = sample.input if isinstance(sample.input, list) else []
    messages = [*asked, *(sample.output if isinstance(sample.output, list) else [])]
    turns = turns_of(messages)
    return messages if turns is not None and is_conversation(turns) else None


def _answer(one: _Item) -> str | None:
    output = one.sample.output if one.sample else None
    if not isinstance(output, list):
        return text_of(output)
    return _texts_of(output)


def _texts_of(messages: list[Any]) -> str | None:
    parts = [text_of(turn.get("content")) for turn in messages if isinstance(turn, dict)]
    return "\n\n".join(filter(None, parts)) or None


def _count(value: int | None) -> int | None:
    return value if value is not None and 0 <= value < 1 << 53 else None


def _line(value: Any) -> str:
    return ((text_of(value) or "").strip().splitlines() or ["error"])[0][:300]
