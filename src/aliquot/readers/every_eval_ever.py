"""Every Eval Ever: the shared schema of aggregate results, with the samples they are made of beside them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl
from msgspec import Struct, field

from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import content_hash, text_of
from aliquot.evidence.status import STATUSES
from aliquot.evidence.tables import OUTCOMES, REPORTED, Evidence, Note, Source
from aliquot.files.compressed import plain_suffix
from aliquot.files.table_writing import SAMPLES
from aliquot.readers.every_eval_ever_aggregate import (
    Aggregate,
    Result,
    metric_names,
    reported_rows,
    settings_rows,
)
from aliquot.readers.json_records import JsonRecords, holds_records, read_json_records
from aliquot.readers.options import ReadOptions
from aliquot.readers.scored_rows import ScoredRows, count_of, first_line

UNKNOWN: Final = -1.0
"""A score that says the level is not known, where the metric allows it."""


class _Input(Struct):
    raw: Any = None
    reference: Any = None


class _Output(Struct):
    raw: Any = None


class _Score(Struct):
    score: float | bool | None = None
    is_correct: bool | None = None
    num_turns: int | None = None
    tool_calls_count: int | None = None


class _Tokens(Struct):
    input_tokens: float | None = None
    output_tokens: float | None = None
    reasoning_tokens: float | None = None
    input_tokens_cache_read: float | None = None


class _Speed(Struct):
    latency_ms: float | None = None
    time_to_first_token_ms: float | None = None


class _Sample(Struct):
    evaluation_id: str
    model_id: str
    evaluation_name: str
    sample_id: str
    evaluation: _Score
    schema_version: str = ""
    evaluation_result_id: str | None = None
    input: _Input = field(default_factory=_Input)
    output: _Output | None = None
    messages: Any = None
    token_usage: _Tokens | None = None
    performance: _Speed | None = None
    error: str | None = None
    metadata: dict[str, Any] | None = None


class EveryEvalEverReader:
    """Reads an aggregate and the samples beside it, or either alone."""

    name = "every-eval-ever"
    reads = "Every Eval Ever aggregates and their samples"

    def sniff(self, path: Path) -> bool | str:
        """Tell them by the keys that the schema requires."""
        if holds_records(path, "schema_version", "evaluation_id", "model_id", "sample_id", "evaluation"):
            return "samples"
        whole = holds_records(path, "schema_version", "evaluation_id", "model_info", "evaluation_results")
        return "aggregate" if whole else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read samples, with what their aggregate tells of the metrics; an aggregate alone has nothing per item.

        Raises:
            UsageError: no item has the field the user named.
            InputError: a record does not follow the schema.
            MachineError: the machine refuses to read it.
        """
        found = read_json_records(path, encoding=options.encoding)
        if any("sample_id" in record for record in found.records):
            return _samples(found, _aggregate_beside(path), options)
        (aggregate,) = found.typed(Aggregate)[:1]
        beside = _samples_beside(path)
        if beside is None:
            return _totals(found, aggregate, options)
        return _samples(read_json_records(beside, encoding=options.encoding), aggregate, options)


def _samples_beside(path: Path) -> Path | None:
    """Return the samples that lie beside an aggregate under its own name; the path in it is not followed."""
    stem = path.name.removesuffix(".gz").removesuffix(".json")
    names = (f"{stem}{SAMPLES}", f"{stem}.jsonl")
    return next((place for name in names if (place := path.with_name(name)).is_file()), None)


def _aggregate_beside(path: Path) -> Aggregate | None:
    if plain_suffix(path) != ".jsonl":
        return None
    name = path.name.removesuffix(".gz")
    stem = name.removesuffix(SAMPLES) if name.endswith(SAMPLES) else name.removesuffix(".jsonl")
    place = path.with_name(f"{stem}.json")
    return read_json_records(place).typed(Aggregate)[0] if place.is_file() and place != path else None


def _totals(found: JsonRecords, aggregate: Aggregate, options: ReadOptions) -> Evidence:
    system = options.name or aggregate.model_info.id
    text = "an aggregate without its samples: totals only, nothing per item to compare or check"
    return assemble(
        pl.DataFrame(schema=dict(OUTCOMES)),
        reported=pl.DataFrame(
            reported_rows(aggregate, system, metric_names(aggregate.evaluation_results)),
            schema=dict(REPORTED),
            orient="row",
        ),
        settings=settings_rows(aggregate, system),
        sources=(Source(found.file, "Every Eval Ever", aggregate.schema_version, found.sha256),),
        notes=(Note("totals_only", text), *found.notes),
    )


def _samples(found: JsonRecords, aggregate: Aggregate | None, options: ReadOptions) -> Evidence:
    samples = found.typed(_Sample)
    if aggregate is not None and aggregate.evaluation_id not in {one.evaluation_id for one in samples}:
        aggregate = None  # it lies beside them by chance
    results = aggregate.evaluation_results if aggregate else []
    names = metric_names(results)
    known = {(one.evaluation_name, names[place]): one for place, one in enumerate(results)}
    models = {one.model_id for one in samples}
    rows = ScoredRows(found.file)
    counted = _Counted()
    for key, group in _answers(samples).items():
        system = options.name if options.name and len(models) == 1 else key[0]
        _take(
            rows,
            group,
            system=system,
            task=key[1],
            ids=_names_of(results, names),
            known=known,
            counted=counted,
        )
    system = options.name or next(iter(models))
    tables: dict[str, Any] = {}
    if aggregate is not None:
        reported = reported_rows(aggregate, system, names)
        tables["reported"] = pl.DataFrame(reported, schema=dict(REPORTED), orient="row")
        tables["settings"] = settings_rows(aggregate, system)
    configs = {metric: one.metric_config for (_, metric), one in known.items()}
    return rows.evidence(
        source=Source(found.file, "Every Eval Ever", samples[0].schema_version, found.sha256),
        notes=(Note("item_key", "sample_id"), *found.notes, *counted.notes()),
        cluster=options.cluster,
        headline=names[0] if names else None,
        bounds={name: one.bounds for name, one in configs.items() if one.bounds is not None},
        lower=[name for name, one in configs.items() if one.lower_is_better],
        **tables,
    )


def _answers(samples: Sequence[_Sample]) -> dict[tuple[str, str, str, int], list[_Sample]]:
    """Return the lines of each answer: one for each result it was scored for; the same one again is another attempt."""
    seen: dict[tuple[str, str, str, str], int] = defaultdict(int)
    groups: dict[tuple[str, str, str, int], list[_Sample]] = {}
    for one in samples:
        key = (one.model_id, one.evaluation_name, one.sample_id)
        seen[*key, one.evaluation_result_id or ""] += 1
        groups.setdefault((*key, seen[*key, one.evaluation_result_id or ""]), []).append(one)
    return groups


def _names_of(results: Sequence[Result], names: Sequence[str]) -> dict[str, str]:
    """Return the metric of each result's id."""
    return {
        one.evaluation_result_id: name
        for one, name in zip(results, names, strict=True)
        if one.evaluation_result_id
    }


class _Counted:
    """What must be said of the samples."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.errors = self.unknown = 0

    def notes(self) -> list[Note]:
        """Return it as notes."""
        found: list[Note] = []
        if self.errors:
            text = f"{self.errors} samples carry an error; the score the schema requires of them is not taken"
            found.append(Note("errors_not_scored", text))
        if self.unknown:
            found.append(
                Note("unparsed_scores", f"{self.unknown} scores of -1 say the level is unknown: missing")
            )
        return found


def _take(
    rows: ScoredRows,
    group: Sequence[_Sample],
    *,
    system: str,
    task: str,
    ids: Mapping[str, str],
    known: Mapping[tuple[str, str], Result],
    counted: _Counted,
) -> None:
    first = group[0]
    status, reason = _status(first.error)
    counted.errors += status != "ok"
    raw, reference = text_of(first.input.raw), _reference(first.input.reference)
    tokens, speed = first.token_usage or _Tokens(), first.performance or _Speed()
    rows.add(
        system, task, first.sample_id, status=status, reason=reason,
        content=content_hash(raw, reference) if raw else None, asked=(raw or None, reference), answer=_answer(first),
        fields={name.removeprefix("segment."): value for name, value in (first.metadata or {}).items()},
        tokens_in=count_of(tokens.input_tokens), tokens_out=count_of(tokens.output_tokens),
        tokens_reasoning=count_of(tokens.reasoning_tokens), tokens_cached=count_of(tokens.input_tokens_cache_read),
        latency_s=_seconds(speed.latency_ms), first_token_s=_seconds(speed.time_to_first_token_ms),
        steps=count_of(first.evaluation.num_turns), tool_calls=count_of(first.evaluation.tool_calls_count),
    )  # fmt: skip
    several = len({one.evaluation_result_id for one in group}) > 1
    for one in group:
        metric = (
            ids.get(one.evaluation_result_id or "")
            or (one.evaluation_result_id if several else None)
            or "score"
        )
        config = known[task, metric].metric_config if (task, metric) in known else None
        unknown = config is not None and config.has_unknown_level is True and one.evaluation.score == UNKNOWN
        counted.unknown += unknown
        value = None if unknown or status != "ok" else one.evaluation.score
        state = "unparsed" if unknown else status if status != "ok" else None
        rows.score(metric, value, judge=config.judge if config else None, status=state)


def _status(error: str | None) -> tuple[str, str | None]:
    """Return the status an error's text begins with, as we write it, else error."""
    if not error or not error.strip():
        return "ok", None
    word, _, rest = error.partition(":")
    named = word.strip().lower()
    if named in STATUSES and named != "ok":
        return named, first_line(rest) if rest.strip() else None
    return "timeout" if named.startswith(("timeout", "timed out")) else "error", first_line(error)


def _reference(given: Any) -> str | None:
    """Return the references as one text: one alone as it is, several as a list."""
    if isinstance(given, list):
        return None if not given else text_of(given[0]) if len(given) == 1 else text_of(given)
    return text_of(given)


def _answer(one: _Sample) -> str | None:
    if one.output is not None:
        texts = one.output.raw if isinstance(one.output.raw, list) else [one.output.raw]
        return "\n\n".join(filter(None, map(text_of, texts))) or None
    return text_of(one.messages)


def _seconds(milliseconds: float | None) -> float | None:
    return milliseconds / 1000 if milliseconds is not None and 0 <= milliseconds < 1e15 else None
