"""Rows of JSON objects: one a line, or a list of them in one document."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from aliquot.errors import InputError
from aliquot.evidence.tables import Note
from aliquot.files.rows import Cell, Rows
from aliquot.files.text import MAX_LINE_BYTES
from aliquot.files.typed_json import without_halves

MAX_NESTING: Final = 8
"""Levels of objects that become dotted column names; deeper ones stay JSON text."""


@dataclass(slots=True)
class _Constants:
    """How many values were NaN or infinite, which JSON does not have, and documents with halves of characters."""

    count: int = 0
    halves: int = 0

    def take(self, _: str) -> None:
        """Count one; it is missing."""
        self.count += 1

    def parse_float(self, text: str) -> float | None:
        """Return a number, or count one that is too large to be finite."""
        number = float(text)
        return number if math.isfinite(number) else self.take(text)


def read_json_lines(text: str, *, file: str) -> Rows:
    """Read one object a line; a last line cut off in the middle is left out and noted.

    NaN, Infinity and -Infinity are missing and counted in a note, never 0.

    Raises:
        InputError: a line is no JSON object, or too long.
    """
    rows, constants = Rows(file=file), _Constants()
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            rows.add(flatten(_object(line, constants)), line=number)
        except (ValueError, RecursionError) as error:
            if number == len(lines) and rows.lines:
                rows.notes.append(
                    Note("torn_line", f"line {number} is cut off in the middle; it is left out")
                )
                break
            problem = (
                "is nested too deeply" if isinstance(error, RecursionError) else f"is no JSON object: {error}"
            )
            raise InputError(f"line {number} {problem}", file=file) from error
    rows.notes.extend(_constant_notes(constants))
    return rows


def read_json(text: str, *, file: str) -> Rows:
    """Read a list of objects, or an object of which exactly one member is a list of objects.

    Raises:
        InputError: the document is neither.
    """
    rows, constants = Rows(file=file), _Constants()
    try:
        document = _parse(text, constants)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}", file=file) from error
    for number, record in enumerate(_list_of_objects(document, file=file), start=1):
        rows.add(flatten(record), line=number)
    rows.lines = []
    rows.notes.extend(_constant_notes(constants))
    return rows


def flatten(record: Mapping[str, Any], *, prefix: str = "", depth: int = 1) -> dict[str, Cell]:
    """Return an object's members as cells; nested objects get dotted names, lists become JSON text.

    Examples:
        >>> flatten({"id": 1, "segment": {"topic": "law"}, "tags": ["a"]})
        {'id': 1, 'segment.topic': 'law', 'tags': '["a"]'}
    """
    cells: dict[str, Cell] = {}
    for key, value in record.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping) and depth < MAX_NESTING:
            cells |= flatten(value, prefix=f"{name}.", depth=depth + 1)
        elif isinstance(value, Mapping | list):
            cells[name] = msgspec.json.encode(value).decode()
        else:
            cells[name] = value
    return cells


def _parse(text: str, constants: _Constants) -> Any:
    """Parse JSON; the slower standard parser takes the constants JSON does not have. Half a character is U+FFFD."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        given = text.encode("utf-8", "replace")
        whole = without_halves(given)
        constants.halves += whole != given
        return json.loads(whole, parse_constant=constants.take, parse_float=constants.parse_float)


def _object(line: str, constants: _Constants) -> dict[str, Any]:
    if len(line) > MAX_LINE_BYTES:
        raise ValueError(f"it has more than {MAX_LINE_BYTES:,} characters")
    record = _parse(line, constants)
    if not isinstance(record, dict):
        raise ValueError("it holds another kind of value")  # noqa: TRY004 - of the file, not of an argument
    return record


def _list_of_objects(document: Any, *, file: str) -> list[dict[str, Any]]:
    lists = [document] if isinstance(document, list) else []
    if isinstance(document, dict):
        lists = [part for part in document.values() if isinstance(part, list) and part]
    rows = [part for part in lists if all(isinstance(record, dict) for record in part)]
    if len(rows) != 1:
        raise InputError(
            "is JSON, but no list of objects", file=file, remedy="Store one object a line (.jsonl)"
        )
    return rows[0]


def _constant_notes(constants: _Constants) -> list[Note]:
    notes: list[Note] = []
    if constants.count:
        text = f"{constants.count} values are NaN or infinite; they count as missing, not as 0"
        notes.append(Note("not_a_number", text))
    if constants.halves:
        text = f"{constants.halves} rows or files hold half of a character, read as \N{REPLACEMENT CHARACTER}"
        notes.append(Note("half_characters", text))
    return notes
