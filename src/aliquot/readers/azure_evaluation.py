"""Azure AI evaluation: the rows and means that ``azure.ai.evaluation.evaluate`` writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.identity import content_hash, inputs_text, text_of
from aliquot.evidence.tables import REPORTED, Evidence, Note, Source
from aliquot.evidence.texts import HeldTexts
from aliquot.files.compressed import read_head
from aliquot.readers.azure_metrics import RESULT, metric_table, outcomes_of, reason_of
from aliquot.readers.columns import ALIASES
from aliquot.readers.item_fields import item_fields
from aliquot.readers.json_records import HEAD_BYTES, JsonRecords, holds_records, read_json_records
from aliquot.readers.options import ReadOptions

TASK: Final = "azure-evaluation"
INPUTS: Final = "inputs."
ANSWERS: Final = (
    "response",
    "answer",
    "output",
    "completion",
    "prediction",
    "actual_output",
    "generated_answer",
)
"""Inputs of the evaluators that are what the system said."""

REFERENCES: Final = ("ground_truth", "expected", "expected_output", "reference", "label")
CONVERSATION: Final = "conversation"
AGGREGATE: Final = "binary_aggregate"
"""The share of all rows that passed; a row without a verdict counts as not passed."""


class AzureEvaluationReader:
    """Reads the JSON that ``evaluate(output_path=…)`` writes."""

    name = "azure-evaluation"
    reads = "Azure AI evaluation results"

    def sniff(self, path: Path) -> bool | str:
        """Tell results by their rows' columns."""
        file = _file(path)
        if not holds_records(file, "rows"):
            return False
        head = read_head(file, size=HEAD_BYTES)
        return "results" if b'"inputs.' in head and b'"outputs.' in head else False

    def read(self, path: Path, options: ReadOptions) -> Evidence:
        """Read one system's rows; a judge's score that is NaN is missing, not 0.

        Raises:
            UsageError: the inputs lack the field the user named.
            InputError: it holds no rows, or two rows of one id ask different things.
            MachineError: the machine refuses to read it.
        """
        file = _file(path)
        found = read_json_records(file, encoding=options.encoding, members=("rows",))
        inputs = [_inputs(row) for row in found.records]
        name = options.name or (
            file.parent.absolute().name if file.stem == "evaluation_results" else file.stem
        )
        keys, key_note = _keys(inputs, options, found)
        outcomes = outcomes_of(found, system=name, task=TASK, items=keys)
        fields = item_fields(
            {key: _told(one) for key, one in zip(keys, inputs, strict=True)}, cluster=options.cluster
        )
        items = {
            key: {"task": TASK, "item": key, "content": _content(one), **fields[key]}
            for key, one in zip(keys, inputs, strict=True)
        }
        frame, metrics = metric_table(outcomes, file=found.file)
        return assemble(
            frame,
            items=pl.DataFrame(list(items.values()), infer_schema_length=None),
            responses=frame.select("system", "task", "item", "attempt")
            .unique(maintain_order=True)
            .with_columns(status=pl.lit("ok")),
            metrics=metrics,
            reported=_reported(found.document.get("metrics"), set(metrics["metric"]), system=name),
            settings=pl.DataFrame([{"system": name, "name": "harness", "value": "azure-ai-evaluation"}]),
            sources=(Source(str(path), "Azure AI evaluation", "results", found.sha256),),
            notes=(Note("item_key", key_note), *found.notes, *_notes(found.document.get("metrics"), frame)),
            texts=_texts(inputs, keys, system=name, frame=frame, rows=found.records),
        )


def _file(path: Path) -> Path:
    return path / "evaluation_results.json" if path.is_dir() else path


def _inputs(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name.removeprefix(INPUTS): value for name, value in row.items() if name.startswith(INPUTS)}


def _keys(
    inputs: Sequence[Mapping[str, Any]], options: ReadOptions, found: JsonRecords
) -> tuple[list[str], str]:
    """Return the items' ids, and what they are: a field of the inputs, else the hash of what is asked."""
    named = options.item or next(
        (name for name in ALIASES["item"] if all(text_of(one.get(name)) for one in inputs)), None
    )
    if named is None:
        return [_content(one) for one in inputs], "hash of the inputs without the answer"
    keys = [text_of(one.get(named)) or "" for one in inputs]
    if "" in keys:
        place = found.place(keys.index(""))
        raise InputError(f"has no id ({place})", file=found.file, field=f"{INPUTS}{named}")
    asked: dict[str, str] = {}
    for key, one in zip(keys, inputs, strict=True):
        if asked.setdefault(key, _content(one)) != _content(one):
            raise InputError(f"two rows of the id {key!r} ask different things", file=found.file)
    return keys, f"{INPUTS}{named}"


def _told(inputs: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in inputs.items() if name not in (*ANSWERS, *REFERENCES)}


def _asked(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is asked; of a conversation what the user said."""
    asked = {
        name: value for name, value in _told(inputs).items() if value is not None and name != CONVERSATION
    }
    turns = inputs.get(CONVERSATION)
    messages = turns.get("messages") if isinstance(turns, dict) else turns
    if isinstance(messages, list):
        asked[CONVERSATION] = [
            turn.get("content") for turn in messages if isinstance(turn, dict) and turn.get("role") == "user"
        ]
    return asked


def _reference(inputs: Mapping[str, Any]) -> str | None:
    return next((text for name in REFERENCES if (text := text_of(inputs.get(name))) is not None), None)


def _content(inputs: Mapping[str, Any]) -> str:
    return content_hash(inputs_text(_asked(inputs)), _reference(inputs))


def _reported(printed: Any, known: set[str], *, system: str) -> pl.DataFrame:
    rows: list[tuple[str, str, str, str, float]] = []
    for name, value in printed.items() if isinstance(printed, dict) else ():
        if isinstance(value, bool) or not isinstance(value, int | float):
            continue
        evaluator, _, statistic = name.rpartition(".")
        results = [
            metric
            for metric in sorted(known)
            if metric.startswith(f"{evaluator}.") and metric.endswith(RESULT)
        ]
        metric = results[0] if statistic == AGGREGATE and results else name
        rows.append((system, TASK, metric, AGGREGATE if statistic == AGGREGATE else "mean", float(value)))
    table = pl.DataFrame(rows, schema=dict(REPORTED), orient="row")
    return table.unique(("system", "task", "metric", "statistic"), keep="first", maintain_order=True)


def _notes(printed: Any, frame: pl.DataFrame) -> list[Note]:
    lost = frame.filter(pl.col("value").is_null()).height
    shared = isinstance(printed, dict) and any(str(name).endswith(AGGREGATE) for name in printed)
    if not lost or not shared:
        return []
    text = "Azure's means leave out rows without a score, its binary_aggregate counts them as not passed"
    return [Note("two_denominators", text)]


def _texts(
    inputs: Sequence[Mapping[str, Any]],
    keys: Sequence[str],
    *,
    system: str,
    frame: pl.DataFrame,
    rows: Sequence[Mapping[str, Any]],
) -> HeldTexts:
    attempts = frame.unique("row", keep="first").sort("row")["attempt"].to_list()
    asked = {
        (TASK, key): (inputs_text(_asked(one)), _reference(one))
        for key, one in zip(keys, inputs, strict=True)
    }
    answers = {
        (system, TASK, key, attempt): text
        for key, one, attempt in zip(keys, inputs, attempts, strict=True)
        if (text := next(filter(None, (text_of(one.get(name)) for name in ANSWERS)), None)) is not None
    }
    metrics = frame["metric"].unique(maintain_order=True).to_list()
    attempted = [(system, TASK, key, attempt) for key, attempt in zip(keys, attempts, strict=True)]
    return HeldTexts(
        items=asked,
        responses=answers,
        notes={
            (*key, metric): note
            for key, row in zip(attempted, rows, strict=True)
            for metric in metrics
            if (note := reason_of(row, metric)) is not None
        },
        told={(TASK, key): _told(one) for key, one in zip(keys, inputs, strict=True)},
        spoken={
            key: partial(_conversation, one)
            for key, one in zip(attempted, inputs, strict=True)
            if one.get(CONVERSATION) is not None
        },
    )


def _conversation(inputs: Mapping[str, Any]) -> object:
    """Return the messages of a conversation; it may be kept as JSON text."""
    found = inputs[CONVERSATION]
    try:
        return msgspec.json.decode(found) if isinstance(found, str) else found
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None
