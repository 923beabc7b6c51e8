"""Where item sets come from: the bundled ones by name, the user's own as JSON lines or CSV.

A file ``NAME.yaml`` beside the items may say ``name``, ``version`` and ``licence``.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, NoReturn, cast

import yaml

from aliquot.errors import InputError, UsageError, excerpt, nearest
from aliquot.item_sets.conversations import TURNS, turns_of
from aliquot.item_sets.items import Item, ItemSet
from aliquot.item_sets.promptfoo import read_tests

LISTS: Final = frozenset({"accept", "never", "golden", "tools", "test_list", "test_imports"})
"""Fields that are lists: a cell of CSV holds them as JSON where it begins with ``[`` or ``{``, else with ``|`` between.
"""

UNSPLIT: Final = frozenset({"test_list", "test_imports"})
"""Those of them that hold Python, where ``|`` has a meaning of its own: JSON, or one text."""

ENDINGS = (".jsonl", ".csv", ".yaml", ".yml")
"""Endings of item sets; YAML is the test list of promptfoo."""

_BUNDLED = resources.files("aliquot.item_sets") / "bundled"


def bundled_names() -> tuple[str, ...]:
    """Return the names of the item sets that come with the package."""
    return tuple(
        sorted(
            file.name.removesuffix(".jsonl") for file in _BUNDLED.iterdir() if file.name.endswith(".jsonl")
        )
    )


def load(name_or_path: str | Path) -> ItemSet:
    """Read an item set: a bundled name, or a path to ``.jsonl``, ``.csv`` or the ``.yaml`` of promptfoo.

    Every row needs ``id`` (text or a whole number). ``reference``, ``accept``, ``scorer``, ``expect``,
    ``cluster`` and ``segment`` have their meaning; every other field is part of what the item asks. A row with
    ``turns`` is a conversation, and each turn an item. In CSV every value is text, an empty cell is an absent field,
    and lists (``accept``, ``never``, ``golden``, ``tools``, ``test_list``) are JSON or texts with ``|`` between them.

    Raises:
        UsageError: no such bundled set and no such file.
        InputError: a row that cannot be read, an id that is missing or repeated.

    Examples:
        >>> basics = load("basics")
        >>> len(basics), basics.items[0].id
        (230, 'facts-001')
    """
    name = str(name_or_path)
    path = Path(name_or_path)
    if name in bundled_names():
        data, about = (_BUNDLED / f"{name}.jsonl").read_bytes(), _BUNDLED / f"{name}.yaml"
    elif path.suffix in ENDINGS and path.is_file():
        data, about = path.read_bytes(), path.with_suffix(".yaml")
    elif path.suffix in ENDINGS:
        raise UsageError(f"there is no item set file {name}. Bundled item sets: {', '.join(bundled_names())}")
    else:
        raise UsageError(
            f"there is no item set {name!r}. {nearest(name, bundled_names())} Or give a .jsonl or .csv file"
        )
    if path.suffix in {".yaml", ".yml"}:
        items = read_tests(_decode(data, file=name), file=name)
        return ItemSet(name=path.stem, items=items, source=name)
    described = _describe(about.read_text(encoding="utf-8"), file=str(about.name)) if about.is_file() else {}
    text = _decode(data, file=name)
    rows = _csv_rows(text, file=name) if path.suffix == ".csv" else _json_rows(text, file=name)
    return ItemSet(
        name=described.get("name") or path.stem,
        items=_items(rows, file=name),
        version=described.get("version", ""),
        licence=described.get("licence", ""),
        source=name,
    )


def _describe(text: str, *, file: str) -> dict[str, str]:
    try:
        read: object = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(
            "this is not YAML", file=file, remedy="Write name, version and licence as key: value"
        ) from error
    return (
        {str(key): str(value) for key, value in cast("dict[Any, Any]", read).items()}
        if isinstance(read, dict)
        else {}
    )


def _decode(data: bytes, *, file: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data[: error.start].count(b"\n") + 1
        raise InputError(
            "this is not UTF-8 text", file=file, row=row, remedy="Save the file as UTF-8"
        ) from error


def _json_rows(text: str, *, file: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    decode = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_refuse_repetition).decode
    for number, line in enumerate(io.StringIO(text), start=1):
        if not line.strip():
            continue
        try:
            row: object = decode(line)
        except ValueError as error:
            raise InputError(
                f"this is not JSON ({error})", file=file, row=number, remedy="Write one JSON object a line"
            ) from error
        except RecursionError as error:
            raise InputError("this is nested too deeply", file=file, row=number) from error
        if "\\ud" in line.lower() and (half := _half(row)):
            raise InputError(
                f"this holds half a character ({half})",
                file=file,
                row=number,
                remedy="Write the character itself, or both halves",
            )
        if not isinstance(row, dict):
            raise InputError(
                "this is not a JSON object", file=file, row=number, remedy="Write one JSON object a line"
            )
        yield number, cast("dict[str, object]", row)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a value")


def _refuse_repetition(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for place, (name, _) in enumerate(pairs) if name in dict(pairs[:place]))
        raise ValueError(f"the key {excerpt(twice)} stands twice")
    return found


def _half(row: object) -> str:
    """Return half a character that stands alone somewhere in a row, as its escape; "" when there is none."""
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        return f"\\u{ord(error.object[error.start]):x}"
    return ""


def _csv_rows(text: str, *, file: str) -> Iterator[tuple[int, Mapping[str, object]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        header = list(reader.fieldnames or ())
        if twice := next((name for place, name in enumerate(header) if name in header[:place]), None):
            raise InputError(
                f"the column {excerpt(twice)} stands twice", file=file, row=1, remedy="Rename one"
            )
        for row in reader:
            if None in row or None in row.values():
                raise InputError(
                    "this row has another number of cells than the header", file=file, row=reader.line_num
                )
            fields: dict[str, object] = {name: cell for name, cell in row.items() if cell != ""}
            for name in LISTS & fields.keys():
                fields[name] = _listed(str(fields[name]), file=file, row=reader.line_num, field=name)
            yield reader.line_num, fields
    except csv.Error as error:
        raise InputError(f"this is not CSV ({error})", file=file, row=reader.line_num) from error


def _listed(cell: str, *, file: str, row: int, field: str) -> object:
    """Return the list that a cell holds, or the object (golden ids with their grades)."""
    if not cell.lstrip().startswith(("[", "{")):
        return cell if field in UNSPLIT else [part.strip() for part in cell.split("|")]
    try:
        return json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_refuse_repetition).decode(
            cell
        )
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"this begins like JSON and is none ({error})",
            file=file,
            row=row,
            field=field,
            remedy='Write a JSON list, such as ["[a]", "b"], or texts with | between them',
        ) from error


def _items(rows: Iterator[tuple[int, Mapping[str, object]]], *, file: str) -> tuple[Item, ...]:
    seen: dict[str, tuple[int, object]] = {}
    items: list[Item] = []
    for number, fields in rows:
        given = fields.get("id")
        if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
            raise InputError(
                "this row has no usable id",
                file=file,
                row=number,
                field="id",
                remedy="Give it a text or a whole number",
            )
        if str(given) in seen:
            first, earlier = seen[str(given)]
            kind = "stands as text and as number" if type(earlier) is not type(given) else "is repeated"
            raise InputError(
                f"id {str(given)!r} {kind}: rows {first} and {number}",
                file=file,
                field="id",
                remedy="Make ids unique",
            )
        seen[str(given)] = (number, given)
        if TURNS in fields:
            items.extend(turns_of(str(given), fields, row=number, file=file))
        else:
            items.append(Item(id=str(given), fields=dict(fields), row=number))
    if not items:
        raise InputError("there are no items", file=file)
    _require_apart(items, file=file)
    return tuple(items)


def _require_apart(items: list[Item], *, file: str) -> None:
    """Refuse a row whose id is that of a turn."""
    turns = {item.id: item for item in items if item.conversation is not None}
    for item in items:
        turn = turns.get(item.id, item)
        if turn is not item:
            raise InputError(
                f"id {item.id!r} stands for two: row {item.row}, and a turn of the conversation in row {turn.row}",
                file=file,
                field="id",
                remedy="Give the row another id",
            )
