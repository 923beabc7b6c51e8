"""Which column of a table is which: as the user said, by the design's names, or by an alias."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aliquot.errors import UsageError, nearest
from aliquot.evidence.long_table import CONTENT, METRIC, ORDER, OUTCOME, RESPONSE
from aliquot.evidence.tables import Note
from aliquot.readers.options import ReadOptions

ALIASES: Final[Mapping[str, tuple[str, ...]]] = {
    "item": ("item_id", "id", "doc_id", "question_id", "instance_id", "example_id", "test_id", "sample_id"),
    "system": ("system_name", "model", "model_name"),
    "value": ("score", "correct", "is_correct", "passed", "pass", "success", "resolved", "outcome", "reward"),
    "task": ("task_name", "dataset", "benchmark"),
    "attempt": ("epoch", "repeat", "trial"),
    "try": ("retry",),
    "metric": ("metric_name",),
    "scorer": ("scorer_name",),
    "status": (),
    "reason": (),
    "cluster": ("cluster_id",),
    "stratum": (),
    "weight": (),
    "cost": ("cost_usd",),
    "latency_s": ("latency", "latency_seconds", "duration_s"),
    "tokens_in": ("input_tokens", "prompt_tokens"),
    "tokens_out": ("output_tokens", "completion_tokens"),
    "started": (),
    "inputs": ("input", "question"),
    "reference": ("target", "expected"),
    "response": ("output", "completion"),
    "note": ("explanation",),
    **dict.fromkeys((*OUTCOME, *RESPONSE, *METRIC, *ORDER, CONTENT), ()),
}
"""Names under which columns are known; the first of each row is the design's own (the key)."""

SEGMENT: Final = "segment."


@dataclass(frozen=True, slots=True)
class Mapped:
    """Which column holds what.

    Attributes:
        columns: the design's name → the table's column.
        segments: segment name → column.
        metric: the metric's name, when no column says it.
        notes: what was taken for what, and which columns are left out.
    """

    columns: Mapping[str, str]
    segments: Mapping[str, str]
    metric: str
    notes: tuple[Note, ...]


def map_columns(names: Sequence[str], options: ReadOptions, *, file: str) -> Mapped:
    """Return which column holds what.

    Args:
        names: the table's columns.
        options: what the user said.
        file: for messages.

    Raises:
        UsageError: a named column does not exist, or two columns may be meant and none is named.

    Examples:
        >>> map_columns(["id", "correct"], ReadOptions(), file="a.csv").columns
        {'item': 'id', 'value': 'correct'}
    """
    said = _said(names, options, file=file)
    free = [name for name in names if name not in said.values() and name not in options.wide]
    columns = dict(said)
    if "attempt" in free and "epoch" in free and "attempt" not in said:
        columns |= {
            "attempt": "epoch",
            "try": "attempt",
        }  # a log that repeats by epoch counts retries as attempts
        free = [name for name in free if name not in {"attempt", "epoch"}]
    for meaning, aliases in ALIASES.items():
        if meaning in columns or (options.wide and meaning in {"system", "value"}):
            continue
        if found := _find(meaning, aliases, free, file=file):
            columns[meaning] = found
    segments = {name.removeprefix(SEGMENT): name for name in names if name.startswith(SEGMENT)}
    segments |= {name.removeprefix(SEGMENT): name for name in options.segments}
    used = {*columns.values(), *segments.values(), *options.wide}
    return Mapped(
        columns={meaning: columns[meaning] for meaning in ALIASES if meaning in columns},
        segments=segments,
        metric=_metric(columns, options),
        notes=_notes(columns, [name for name in names if name not in used]),
    )


def _said(names: Sequence[str], options: ReadOptions, *, file: str) -> dict[str, str]:
    """Return the columns the user named; each must exist."""
    said = {
        meaning: column
        for meaning in ALIASES
        if isinstance(column := getattr(options, "try_" if meaning == "try" else meaning, None), str)
    }
    if "metric" in said and said["metric"] not in names:
        del said["metric"]
    if "cluster" in said and said["cluster"] not in names and f"{SEGMENT}{said['cluster']}" in names:
        del said["cluster"]  # analysis clusters by the segment of that name
    for column in (*said.values(), *options.wide, *options.segments):
        if column not in names:
            raise UsageError(f"{file}: there is no column {column!r}. {nearest(column, names)}")
    return said


def _find(meaning: str, aliases: Sequence[str], free: Sequence[str], *, file: str) -> str | None:
    """Return the free column that is known under a meaning; the design's own name stands above the others."""
    if meaning in free:
        return meaning
    known = [name for name in free if name.strip().lower() in {meaning, *aliases}]
    if len(known) > 1:
        listed = ", ".join(repr(name) for name in known)
        raise UsageError(
            f"{file}: {listed} may each be the column of the {meaning}. Name it: --{meaning} {known[0]!r}."
        )
    return known[0] if known else None


def _metric(columns: Mapping[str, str], options: ReadOptions) -> str:
    if options.metric is not None and "metric" not in columns:
        return options.metric
    return "value" if options.wide else columns.get("value", "value")


def _notes(columns: Mapping[str, str], unused: Sequence[str]) -> tuple[Note, ...]:
    notes: list[Note] = []
    taken = [f"{column!r} as {meaning}" for meaning, column in columns.items() if meaning != column]
    if taken:
        notes.append(Note("columns_taken", f"taken: {', '.join(taken)}"))
    if "item" in columns:
        notes.append(Note("item_key", f"column {columns['item']!r}"))
    if unused:
        notes.append(Note("columns_left_out", f"not read: {', '.join(map(repr, unused))}"))
    return tuple(notes)
