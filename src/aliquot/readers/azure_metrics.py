"""What Azure's evaluators said of each row: a score, a pass mark, the judge; and which direction is good."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.metrics import metric_row
from aliquot.evidence.tables import METRICS, Better
from aliquot.readers.json_records import JsonRecords

OUTPUTS: Final = "outputs."
RESULT: Final = "_result"
PASS: Final[Mapping[str, float]] = {"pass": 1.0, "fail": 0.0, "true": 1.0, "false": 0.0}
"""Azure's words for a pass mark."""

LEGACY: Final = "gpt_"
"""In front of an older name of the same score."""

NO_SCORES: Final = (
    "_threshold", "_reason", "_tokens", "_model", "_finish_reason", "_sample_input", "_sample_output", "_details",
    "_count", "_properties",
)  # fmt: skip

JUDGED: Final = frozenset(
    {"coherence", "fluency", "relevance", "groundedness", "similarity", "retrieval", "response_completeness",
     "intent_resolution", "task_adherence", "tool_call_accuracy"}
)  # fmt: skip
"""Scores by a model from 1 to 5."""

SEVERITIES: Final = frozenset({"violence", "sexual", "self_harm", "hate_unfairness"})
"""Scores by a model from 0 to 7; the lower the better."""

_LARGEST: Final = 1e300


def outcomes_of(found: JsonRecords, *, system: str, task: str, items: Sequence[str]) -> list[dict[str, Any]]:
    """Return an outcome for every score and pass mark of every row; equal ids are attempts in their order.

    Args:
        found: the rows.
        system: the system's name.
        task: the task's name.
        items: the item of each row.

    Raises:
        InputError: a score is no number, or a pass mark no word of Azure's.
    """
    columns = list(dict.fromkeys(name for row in found.records for name in row if name.startswith(OUTPUTS)))
    scores = [name for name in columns if _is_score(name, columns, found)]
    marks = [name for name in columns if name.endswith(RESULT) and name.count(".") >= 2]
    seen: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    for index, (row, item) in enumerate(zip(found.records, items, strict=True)):
        seen[item] += 1
        key = {"row": index, "system": system, "task": task, "item": item, "attempt": seen[item]}
        rows.extend(
            key | cell for cell in _cells(row, scores, marks, place=found.place(index), file=found.file)
        )
    if not rows:
        raise InputError("holds no score of an evaluator", file=found.file)
    return rows


def _is_score(name: str, columns: Sequence[str], found: JsonRecords) -> bool:
    """Tell whether a column holds scores: numbers that are no setting, count or older name of another column."""
    evaluator, _, key = name.removeprefix(OUTPUTS).rpartition(".")
    if not evaluator or key.endswith((*NO_SCORES, RESULT)) or "evaluation_per_turn" in name:
        return False
    if key.startswith(LEGACY) and f"{OUTPUTS}{evaluator}.{key.removeprefix(LEGACY)}" in columns:
        return False
    cells = [row.get(name) for row in found.records]
    return any(isinstance(cell, int | float) for cell in cells) or (
        all(cell is None for cell in cells) and any(other.startswith(f"{name}_") for other in columns)
    )


def _cells(
    row: Mapping[str, Any], scores: Sequence[str], marks: Sequence[str], *, place: str, file: str
) -> Iterator[dict[str, Any]]:
    for name in scores:
        value = row.get(name)
        if value is not None and (not isinstance(value, int | float) or abs(value) > _LARGEST):
            raise InputError(f"{value!r} is no score ({place})"[:300], file=file, field=name)
        yield _cell(name, None if value is None else float(value), None, row)
    for name in marks:
        word = row.get(name)
        if word is not None and str(word).strip().lower() not in PASS:
            raise InputError(f"{word!r} is no pass or fail ({place})"[:300], file=file, field=name)
        value = None if word is None else PASS[str(word).strip().lower()]
        yield _cell(name, value, None if word is None else str(word), row)


def _cell(name: str, value: float | None, label: str | None, row: Mapping[str, Any]) -> dict[str, Any]:
    metric = name.removeprefix(OUTPUTS)
    score = metric.removesuffix(RESULT)
    key = score.rpartition(".")[2].removeprefix(LEGACY)
    reason = any(f"{OUTPUTS}{score}{end}" in row for end in ("_reason", "_model"))
    judged = key in JUDGED or key in SEVERITIES or reason
    model = row.get(f"{OUTPUTS}{score}_model")
    judge = (
        (model if isinstance(model, str) and model else f"Azure {score.partition('.')[0]}")
        if judged
        else None
    )
    return {
        "metric": metric, "value": value, "label": label, "by": "judge" if judged else "rule", "judge": judge,
        "scorer": "azure", "status": "ok" if value is not None else "error", "key": key,
    }  # fmt: skip


def reason_of(row: Mapping[str, Any], metric: str) -> str | None:
    """Return why an evaluator gave a row the score or the pass mark of a metric, when it says."""
    name = f"{OUTPUTS}{metric.removesuffix(RESULT)}"
    evaluator, _, key = name.rpartition(".")
    places = (f"{name}_reason", f"{evaluator}.{LEGACY}{key}_reason", f"{evaluator}.reason")
    return next((said for place in places if isinstance(said := row.get(place), str) and said), None)


def metric_table(outcomes: Sequence[Mapping[str, Any]], *, file: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the outcomes as a frame, and the metrics they are under.

    Raises:
        InputError: a severity or rating lies off its scale.
    """
    types = {"value": pl.Float64, "label": pl.String, "judge": pl.String}
    frame = pl.DataFrame(outcomes, schema_overrides=types, infer_schema_length=None)
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(frame["metric"].unique(maintain_order=True)):
        own = frame.filter(pl.col("metric") == name)
        key = own["key"][0]
        low, high = (1.0, 5.0) if key in JUDGED else (0.0, 7.0) if key in SEVERITIES else (None, None)
        better: Better | None = "lower" if key in SEVERITIES and not name.endswith(RESULT) else None
        if name.endswith(RESULT):
            low = high = None
        if low is not None and high is not None and not own["value"].drop_nulls().is_between(low, high).all():
            raise InputError(
                f"a score lies off the scale of {low:g} to {high:g}", file=file, field=f"{OUTPUTS}{name}"
            )
        row = metric_row(name, own["value"], low=low, high=high, better=better, headline=place == 0)
        rows.append(row | {"judge": own["judge"].drop_nulls().first()})
    return frame, pl.DataFrame(rows, schema=dict(METRICS))
