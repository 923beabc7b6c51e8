"""A run of Inspect as evidence: its items, responses and outcomes."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.assembly import assemble
from aliquot.evidence.matching import spelling_notes
from aliquot.evidence.tables import RESPONSES, Evidence, Note, ScoredBy, Source
from aliquot.readers.cells import text_of
from aliquot.readers.inspect_edits import BEFORE, PERSON, edited_columns
from aliquot.readers.inspect_header import (
    cluster_key,
    headline_of,
    judges_of,
    reported_table,
    settings_table,
)
from aliquot.readers.inspect_records import Choice, Sample, Usage
from aliquot.readers.inspect_run import Run
from aliquot.readers.inspect_samples import REMOVED, SHORTENED, content_of, is_thinned
from aliquot.readers.inspect_scores import ScoreColumn, collect_scores, metric_table, score_notes
from aliquot.readers.inspect_texts import InspectTexts
from aliquot.readers.options import ReadOptions

LIMITS: Final[Mapping[str, str]] = {"time": "timeout", "working": "timeout", "operator": "error"}
"""Status of a response that a limit ended; any other limit cut it off (truncated)."""

STOPS: Final[Mapping[str, str]] = {
    "max_tokens": "truncated",
    "model_length": "truncated",
    "content_filter": "refused",
}
"""Status of a response by why the model stopped, which only the opened samples say."""

MAX_SEGMENT: Final = 200
"""Longest value of metadata that is a segment; longer ones are texts."""

MAX_SEGMENTS: Final = 50
"""Segments an item may have."""


def evidence_of_run(run: Run, options: ReadOptions, *, system: str, source: Source) -> Evidence:
    """Return the evidence in one run.

    Args:
        run: the run.
        options: ``cluster`` may name a path in the metadata.
        system: the system's name.
        source: where it came from.

    Raises:
        UsageError: no sample has the metadata that is to name the cluster.
        InputError: an item's epochs ask different things, or a score cannot be used.
    """
    file, task = str(run.path), run.header.eval.task
    judges = judges_of(run.header)
    columns = collect_scores(run.samples, file=file)
    edited = edited_columns(run.samples, columns) if run.opened else []  # summaries keep no history
    responses = _responses(run)
    key = {"system": pl.lit(system), "task": pl.lit(task)}
    items, notes = _items(run, options)
    epochs = max((sample.epoch for sample in run.samples), default=1)
    return assemble(
        _outcomes([*columns.items(), *edited], responses, judges).with_columns(**key),
        items=items.with_columns(task=pl.lit(task)),
        responses=pl.concat([responses, _never_asked(run, responses)], how="diagonal_relaxed").with_columns(
            **key
        ),
        metrics=metric_table(
            [*columns.items(), *edited], headline=headline_of(run.header, columns), judges=judges
        ),
        reported=reported_table(run.header, system=system, metrics=columns),
        settings=settings_table(run.header, system=system),
        sources=(source,),
        notes=(*run.notes, *notes, *score_notes(columns), *_sample_notes(run)),
        texts=InspectTexts(system, task, run.sources, epochs, run.held),
    )


def _responses(run: Run) -> pl.DataFrame:
    """Return a row for each sample."""
    samples, model = run.samples, run.header.eval.model
    statuses = [_status(sample) for sample in samples]
    usages = [_usage(sample, model) for sample in samples]
    data = {
        "item": [sample.name for sample in samples],
        "attempt": [sample.epoch for sample in samples],
        "status": [status for status, _ in statuses],
        "reason": [reason for _, reason in statuses],
        "latency_s": [
            sample.total_time if sample.working_time is None else sample.working_time for sample in samples
        ],
        "tokens_in": [usage.input_tokens for usage in usages],
        "tokens_out": [usage.output_tokens for usage in usages],
        "tokens_reasoning": [usage.reasoning_tokens for usage in usages],
        "tokens_cached": [usage.input_tokens_cache_read for usage in usages],
        "cost": [usage.total_cost for usage in usages],
        "currency": [None if usage.total_cost is None else "USD" for usage in usages],
        "steps": [sample.turn_count for sample in samples],
        "started": [sample.started_at for sample in samples],
    }
    return pl.DataFrame(data, schema={name: RESPONSES[name] for name in data})


def _usage(sample: Sample, model: str) -> Usage:
    """Return what the model under test took; the tokens of a judge are not the system's."""
    used = sample.model_usage
    if not used:
        return _NOTHING
    return used.get(model) or (next(iter(used.values())) if len(used) == 1 else _NOTHING)


_NOTHING: Final = Usage()


def _status(sample: Sample) -> tuple[str, str | None]:
    """Return why there is, or is not, an answer."""
    if sample.invalidation is not None:
        return "missing", "invalidated after the run"
    if sample.error is not None:
        message = sample.error if isinstance(sample.error, str) else sample.error.message
        return "error", " ".join(message.split())[:MAX_SEGMENT]
    if sample.limit is not None:
        kind = sample.limit if isinstance(sample.limit, str) else sample.limit.type
        return LIMITS.get(kind, "truncated"), f"{kind} limit"
    if sample.output is not None and sample.output.choices:
        stop = _stop(sample.output.choices[0])
        return STOPS.get(stop, "ok"), stop if stop in STOPS else None
    return "ok", None


def _stop(choice: Choice) -> str:
    return choice.stop_reason or ""


def _never_asked(run: Run, responses: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each sample the run was to make and did not."""
    dataset = run.header.eval.dataset
    epochs = (run.header.eval.config or {}).get("epochs")
    epochs = epochs if isinstance(epochs, int) and 1 <= epochs <= 1_000 and not run.reduced else 1
    planned = list(dict.fromkeys(map(str, (dataset.sample_ids if dataset else None) or ())))
    items = pl.DataFrame({"item": planned}, schema={"item": RESPONSES["item"]})
    attempts = pl.DataFrame({"attempt": range(1, epochs + 1)}, schema={"attempt": RESPONSES["attempt"]})
    asked = items.join(attempts, how="cross", maintain_order="left_right")
    lacking = asked.join(responses, on=["item", "attempt"], how="anti", maintain_order="left")
    return lacking.with_columns(status=pl.lit("missing"), reason=pl.lit("never asked"))


def _outcomes(
    columns: Sequence[tuple[str, ScoreColumn]], responses: pl.DataFrame, judges: Mapping[str, str]
) -> pl.DataFrame:
    """Return a row for each score."""
    keys = responses.select("item", "attempt")
    parts = [_outcomes_of(metric, column, keys, by=_by(metric, column, judges)) for metric, column in columns]
    schema = {"item": pl.String, "attempt": pl.Int64, "value": pl.Float64}
    return pl.concat(parts) if parts else pl.DataFrame(schema=schema)


def _by(metric: str, column: ScoreColumn, judges: Mapping[str, str]) -> ScoredBy:
    if metric.startswith(PERSON):
        return "person"
    return "judge" if column.scorer in judges else "rule"


def _outcomes_of(metric: str, column: ScoreColumn, keys: pl.DataFrame, *, by: ScoredBy) -> pl.DataFrame:
    without = "unparsed" if by == "judge" else "missing"
    labelled = pl.lit(column.kind == "category") & pl.col("label").is_not_null()
    whole = len(column.rows) == keys.height
    frame = (keys if whole else keys[column.rows]).with_columns(
        value=pl.Series(column.values, dtype=pl.Float64),
        label=pl.Series(column.labels, dtype=pl.String),
        metric=pl.lit(metric),
        scorer=pl.lit(column.scorer),
        by=pl.lit(by),
    )
    scored = pl.col("value").is_not_null() | labelled
    return frame.with_columns(status=pl.when(scored).then(pl.lit("ok")).otherwise(pl.lit(without)))


def _items(run: Run, options: ReadOptions) -> tuple[pl.DataFrame, list[Note]]:
    """Return a row for each item, with the hash of what it asks, its cluster and its segments."""
    firsts: dict[str, Sample] = {}
    for sample in run.samples:
        first = firsts.setdefault(sample.name, sample)
        if (first.input, first.target) != (sample.input, sample.target):
            raise InputError(
                f"item {sample.name!r} asks one thing in epoch {first.epoch} and another in epoch {sample.epoch}",
                file=str(run.path),
                remedy="An id names one item: correct the ids of the data set",
            )
    notes = list(spelling_notes(firsts))
    contents = [None if run.reduced else _content(run, sample) for sample in firsts.values()]
    data: dict[str, Any] = {"item": list(firsts), "content": contents, **_segments(firsts)}
    key = options.cluster or cluster_key(run.header)
    if key is not None and not run.reduced:
        clusters = [_cluster(run, sample, key.removeprefix("metadata.")) for sample in firsts.values()]
        if any(clusters):
            data["cluster"] = clusters
        if options.cluster is None and any(clusters):
            text = (
                f"clustered by metadata.{key}, as the log's own standard error is (--cluster item for none)"
            )
            notes.append(Note("log_cluster", text))
        if options.cluster is not None and not any(clusters):
            raise _no_cluster(run, options.cluster)
    schema = dict.fromkeys(data, pl.String)
    return pl.DataFrame(data, schema=schema), notes


def _content(run: Run, sample: Sample) -> str:
    """Return the hash of what an item asks; where the summary holds only a part of it, the sample is opened."""
    whole = run.whole(sample) if not run.opened and is_thinned(sample) else sample
    return hashlib.sha256(content_of(whole)).hexdigest()


def _segments(firsts: Mapping[str, Sample]) -> dict[str, list[str | None]]:
    """Return the short values of metadata that several items share, by field."""
    height = len(firsts)
    columns: dict[str, list[str | None]] = {}
    for row, sample in enumerate(firsts.values()):
        for name, value in _short_values(sample.metadata or {}):
            column = columns.get(name)
            if column is None:
                column = columns[name] = [None] * height
            column[row] = value
    shared = {name: column for name, column in columns.items() if len(set(column) - {None}) < max(2, height)}
    return {f"segment.{name}": shared[name] for name in list(shared)[:MAX_SEGMENTS]}


def _short_values(metadata: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in metadata.items():
        if isinstance(value, str):
            if len(value) <= MAX_SEGMENT and value != REMOVED:
                yield name, value
        elif isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
            text = text_of(value)
            if text is not None and len(text) <= MAX_SEGMENT:
                yield name, text


def _cluster(run: Run, sample: Sample, path: str) -> str | None:
    """Return the metadata at a path as text, from the sample where the summary dropped or shortened it."""
    value = _at(sample.metadata or {}, path)
    shortened = isinstance(value, str) and len(value) >= SHORTENED and value.endswith("...")
    if not run.opened and (value is None or value == REMOVED or shortened):
        value = _at(run.whole(sample).metadata or {}, path)
    if value is None or isinstance(value, str):
        return value or None
    return text_of(value) if isinstance(value, int | float) else msgspec.json.encode(value).decode()


def _at(metadata: Mapping[str, Any], path: str) -> Any:
    """Return what stands at a dotted path; a key that itself holds dots is found whole."""
    if path in metadata:
        return metadata[path]
    head, _, rest = path.partition(".")
    inner = metadata.get(head)
    if inner == REMOVED:
        return inner
    return _at(inner, rest) if rest and isinstance(inner, Mapping) else None


def _no_cluster(run: Run, cluster: str) -> UsageError:
    known = {f"metadata.{name}" for sample in run.samples[:1_000] for name in sample.metadata or {}}
    return UsageError(
        f"{run.path}: no sample has {cluster!r} to cluster by. {nearest(cluster, sorted(known)[:MAX_SEGMENTS])}"
    )


def _is_edited(sample: Sample) -> bool:
    return any(score.history for score in (sample.scores or {}).values())


def _sample_notes(run: Run) -> list[Note]:
    """Return what must be said of retries, edits, invalidated samples and what was not opened."""
    retried = sum(bool(sample.retries or sample.error_retries) for sample in run.samples)
    edited = sum(map(_is_edited, run.samples)) if run.opened else 0  # summaries keep no history
    invalidated = sum(sample.invalidation is not None for sample in run.samples)
    total = len(run.samples)
    counted = (
        (retried, "retried", "samples were tried again after an error; the last try counts"),
        (
            edited,
            "edited_scores",
            f"samples have scores that were edited after the run; the edited value counts ({PERSON!r}, {BEFORE!r})",
        ),
        (invalidated, "invalidated", "samples were invalidated after the run; their scores are left out"),
    )
    notes = [Note(code, f"{count} of {total} {text}") for count, code, text in counted if count]
    if not run.opened:
        text = "the summaries were read; why an answer ended and edits of scores stand in the samples, not opened"
        notes.append(Note("read_summaries", text))
    return notes
