"""The rows of one task of lighteval: from 0.10 on three structures, before it a column for each thing."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from aliquot.errors import InputError
from aliquot.evidence.identity import content_hash, text_of
from aliquot.files.literals import parse_literal
from aliquot.files.tables import read_frame

OLD: Final = {
    "query": "example", "choices": "choices", "gold_index": "gold_index", "gold": "gold", "specific": "specifics",
    "text": "predictions", "input_tokens": "input_tokens", "output_tokens": "cont_tokens", "truncated": "truncated",
}  # fmt: skip
"""What is read → the column of that before 0.10."""

NEW: Final[Mapping[str, tuple[str, ...]]] = {
    "query": ("doc", "query"), "choices": ("doc", "choices"), "gold_index": ("doc", "gold_index"),
    "id": ("doc", "id"), "task": ("doc", "task_name"), "specific": ("doc", "specific"),
    "text": ("model_response", "text"), "input_tokens": ("model_response", "input_tokens"),
    "output_tokens": ("model_response", "output_tokens"),
    "truncated": ("model_response", "truncated_tokens_count"),
}  # fmt: skip
"""What is read → the structure and its member."""

MAX_PARTS: Final = 1000


@dataclass(slots=True)
class Detail:
    """One row.

    Attributes:
        query: what was asked, without worked examples.
        choices: the answers to choose from, or the right ones.
        gold: the right ones.
        metrics: metric → number, None where it is none; a structure stays one.
        id: the document's number in its data set, before 0.10 empty.
        task: the task as the row names it, empty where it does not.
        fields: what else the row says of its document.
        answers: the texts drawn.
        tokens_in: tokens of the prompt.
        tokens_out: tokens of all answers.
        truncated: whether the prompt was cut to fit.
    """

    query: str
    choices: list[str]
    gold: list[str]
    metrics: Mapping[str, Any]
    id: str = ""
    task: str = ""
    fields: dict[str, str] = field(default_factory=dict[str, str])
    answers: list[str] = field(default_factory=list[str])
    tokens_in: int | None = None
    tokens_out: int | None = None
    truncated: bool = False

    @property
    def content(self) -> str:
        """The hash of what it asks: the question, the choices and the right ones."""
        return content_hash([self.query, self.choices], self.gold)


def read_details(path: Path) -> list[Detail]:
    """Return the rows of a file of details.

    Raises:
        InputError: it is no Parquet file, damaged, too large, or not lighteval's.
        MachineError: the machine refuses to read it.
    """
    frame, file = read_frame(path), str(path)
    new = {"doc", "metric"} <= set(frame.columns)
    if not new and not {"example", "metrics"} <= set(frame.columns):
        remedy = f"It has the columns {', '.join(frame.columns[:20])}"
        raise InputError("has no columns doc and metric, nor example and metrics", file=file, remedy=remedy)
    where = NEW if new else {name: (column,) for name, column in OLD.items()}
    columns = {name: _column(frame, where.get(name, ())) for name in {*NEW, *OLD}}
    metrics = _column(frame, ("metric" if new else "metrics",))
    return [
        _detail({name: cells[row] for name, cells in columns.items()}, metrics[row], file=file, row=row + 1)
        for row in range(frame.height)
    ]


def number(value: Any) -> float | None:
    """Return a finite number, or None for anything else."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float) and math.isfinite(value):
        return float(value)
    return None


def _column(frame: pl.DataFrame, path: Sequence[str]) -> list[Any]:
    """Return a column, or a member of a structure; nothing where it is not there."""
    if not path or path[0] not in frame.columns:
        return [None] * frame.height
    cells = frame[path[0]]
    for name in path[1:]:
        kind = cells.dtype
        if not isinstance(kind, pl.Struct) or name not in {one.name for one in kind.fields}:
            return [None] * frame.height
        cells = cells.struct.field(name)
    return cells.to_list()


def _detail(cells: Mapping[str, Any], metrics: Any, *, file: str, row: int) -> Detail:
    """Return a row; what an older version wrote as text is read as the value it shows."""
    given = _value(metrics)
    if not isinstance(given, Mapping):
        raise InputError("holds no metrics", file=file, row=row, field="metrics")
    choices = _texts(cells["choices"])
    gold = _texts(cells["gold"]) or _chosen(choices, _value(cells["gold_index"]))
    answers = _value(cells["text"])
    drawn = _list(cells["output_tokens"])
    specific = _value(cells["specific"])
    return Detail(
        query=text_of(cells["query"]) or "",
        choices=choices,
        gold=gold,
        metrics=given,
        id=text_of(cells["id"]) or "",
        task=text_of(cells["task"]) or "",
        fields={str(name): text for name, value in specific.items()
                if name and _is_plain(value) and (text := text_of(value)) is not None}
        if isinstance(specific, Mapping) else {},
        answers=[one for one in _flat(answers) if isinstance(one, str)],
        tokens_in=_length(cells["input_tokens"]),
        tokens_out=sum(len(one) if isinstance(one, list) else 1 for one in drawn) or None,
        truncated=any((number(one) or 0) > 0 for one in _flat(_value(cells["truncated"]))),
    )  # fmt: skip


def _value(cell: Any) -> Any:
    """Return the value that a text shows: JSON or what Python shows; any other cell as it is."""
    if not isinstance(cell, str) or cell[:1] not in "[{(":
        return cell
    try:
        return json.loads(cell, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        pass
    try:
        return parse_literal(cell)
    except ValueError:
        return cell


def _list(cell: Any) -> list[Any]:
    value = _value(cell)
    return value if isinstance(value, list) else []


def _flat(value: Any) -> list[Any]:
    """Return a value, or those in a list, one level of lists in it too."""
    if not isinstance(value, list):
        return [] if value is None else [value]
    return [one for part in value for one in (part if isinstance(part, list) else [part])]


def _texts(cell: Any) -> list[str]:
    return [text_of(one) or "" for one in _flat(_value(cell))]


def _chosen(choices: list[str], index: Any) -> list[str]:
    """Return the right choices; an index that is no place is left out."""
    places = [int(one) for one in map(number, _flat(index)) if one is not None and one.is_integer()]
    return [choices[place] for place in places if 0 <= place < len(choices)]


def _length(cell: Any) -> int | None:
    tokens = _list(cell)
    first = tokens[0] if tokens and isinstance(tokens[0], list) else tokens
    return len(first) or None


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float | bool) and len(str(value)) <= MAX_PARTS
