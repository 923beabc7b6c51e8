"""Labels that people gave in Label Studio or Argilla, as tables with a row a label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

from aliquot.errors import InputError
from aliquot.evidence.identity import text_of
from aliquot.files.compressed import read_head
from aliquot.files.rows import Cell
from aliquot.files.tables import Table
from aliquot.readers.json_records import read_json_records

COLUMNS: Final = ("item", "system", "task", "attempt", "rater", "metric", "label", "at")
"""Columns of such a table."""

KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "item": ("item", "item_id", "aliquot_item", "external_id", "question_id", "doc_id"),
    "system": ("system", "model", "model_name"),
    "task": ("task", "task_name"),
    "attempt": ("attempt", "epoch"),
}
"""Under which names the data and metadata of a task name the answer."""

_HEAD_BYTES: Final = 1 << 16
_LABELS: Final = ("choices", "rating", "number", "labels", "rectanglelabels", "taxonomy")
"""Kinds of results of Label Studio that are labels; texts and spans are none."""


def tool_table(path: Path) -> Table | None:
    """Return the labels of an export of Label Studio or Argilla as a table; None for any other file.

    Of Label Studio the full JSON export (tasks with ``annotations``) is read, of Argilla the records of
    ``records.to_json()``, also a line each. What somebody cancelled, skipped, or only drafted is no label.

    Raises:
        InputError: it is such an export and holds no label, or a task names no item.
        MachineError: the machine refuses to read it.
    """
    if path.suffix.lower() not in {".json", ".jsonl", ".ndjson"} or not path.is_file():
        return None
    head = read_head(path, size=_HEAD_BYTES)
    studio = b'"annotations"' in head and b'"data"' in head
    argilla = b'"responses"' in head and b'"fields"' in head
    if not (studio or argilla):
        return None
    found = read_json_records(path)
    rows = [
        row
        for record in found.records
        for row in (_studio(record, str(path)) if studio else _argilla(record, str(path)))
    ]
    if not rows:
        tool = "Label Studio" if studio else "Argilla"
        raise InputError(
            f"this export of {tool} holds no label: no choice, rating or number that somebody submitted",
            file=str(path),
        )
    columns: dict[str, list[Cell]] = {name: [row.get(name) for row in rows] for name in COLUMNS}
    kept = {name: cells for name, cells in columns.items() if any(cell is not None for cell in cells)}
    return Table(columns=kept, stored="json", notes=found.notes)


def _studio(task: Mapping[str, Any], file: str) -> Iterator[dict[str, Cell]]:
    """Yield what people chose in a task of Label Studio."""
    data, meta = _mapping(task.get("data")), _mapping(task.get("meta"))
    annotations = task.get("annotations")
    key = _answer((data, meta), task.get("id"), file)
    for one in annotations if isinstance(annotations, list) else ():
        annotation = _mapping(one)
        if annotation.get("was_cancelled") or annotation.get("skipped"):
            continue
        who = annotation.get("completed_by")
        named = _mapping(who)
        rater = (
            text_of(named.get("email") or named.get("username") or named.get("id")) if named else text_of(who)
        )
        results = annotation.get("result")
        at = text_of(annotation.get("updated_at") or annotation.get("created_at"))
        for result in results if isinstance(results, list) else ():
            told = _mapping(result)
            for label in _chosen(told):
                yield {
                    **key,
                    "rater": rater,
                    "metric": text_of(told.get("from_name")) or "label",
                    "label": label,
                    "at": at,
                }


def _chosen(result: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a result chose: the one choice, several behind commas, or the number."""
    kind, value = result.get("type"), _mapping(result.get("value"))
    if not isinstance(kind, str) or kind not in _LABELS or kind not in value:
        return
    said = value[kind]
    texts = [text_of(one) for one in said] if isinstance(said, list) else [text_of(said)]
    joined = ", ".join(text for text in texts if text)
    if joined:
        yield joined


def _argilla(record: Mapping[str, Any], file: str) -> Iterator[dict[str, Cell]]:
    """Yield what people submitted on a record of Argilla."""
    key = _answer((_mapping(record.get("metadata")), _mapping(record.get("fields"))), record.get("id"), file)
    responses = record.get("responses")
    if isinstance(responses, Mapping):  # by question, each a list of responses
        for question, given in responses.items():
            for one in given if isinstance(given, list) else ():
                yield from _submitted(key, str(question), _mapping(one))
    for one in responses if isinstance(responses, list) else ():  # by rater, each with values by question
        told = _mapping(one)
        for question, value in _mapping(told.get("values")).items():
            given = {**told, **_mapping(value)} if isinstance(value, Mapping) else {**told, "value": value}
            yield from _submitted(key, str(question), given)


def _submitted(key: Mapping[str, Cell], question: str, told: Mapping[str, Any]) -> Iterator[dict[str, Cell]]:
    if told.get("status") not in (None, "submitted"):
        return
    value = told.get("value")
    if isinstance(value, list):  # several labels; a ranking or spans are objects, and no label
        texts = [text_of(one) for one in value if not isinstance(one, Mapping)]
        value = ", ".join(text for text in texts if text)
    if isinstance(value, bool | int | float | str) and value != "":
        rater = text_of(told.get("user_id") or told.get("username"))
        at = text_of(told.get("updated_at") or told.get("inserted_at"))
        yield {**key, "rater": rater, "metric": question, "label": text_of(value), "at": at}


def _answer(places: Sequence[Mapping[str, Any]], own: object, file: str) -> dict[str, Cell]:
    """Return what names the answer of a task: its data and metadata, else the task's own id."""
    key: dict[str, Cell] = {}
    for name, aliases in KEYS.items():
        found = (
            text_of(place[one]) for place in places for one in aliases if place.get(one) not in (None, "")
        )
        key[name] = next(found, None)
    key["item"] = key["item"] or text_of(own)
    if not key["item"]:
        raise InputError("a task names no item", file=file, remedy="Put the item's id into its data, as item")
    return key


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
