"""Which test is which: identity from variables and assertions or a named field, attempts told from copies."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aliquot.errors import InputError, UsageError
from aliquot.evidence.identity import content_hash, text_of
from aliquot.evidence.tables import Note
from aliquot.files.rows import Cell
from aliquot.readers.cells import ids
from aliquot.readers.options import Duplicates
from aliquot.readers.promptfoo_records import Log, Row, mapping

ID_FIELDS: Final = ("metadata.id", "metadata.testCaseId", "metadata.test_id", "metadata.item_id", "vars.id")
"""Fields that name a test where every test has one; promptfoo itself gives tests no id."""

_ADDED: Final = frozenset({"_conversation", "sessionId"})
"""Variables promptfoo adds while it runs."""

_TEXT: Final = 32
_HASH: Final = 10
"""Characters of an id made of a test: of its variables at most, and of the hash; the same hash twice is refused."""

_BETWEEN: Final = re.compile(r"[^\w.+=%@/-]+")
"""What an id made of a test has no place for: what a list of names, or a shell, would take for an end."""


@dataclass(slots=True)
class Items:
    """The tests of a log.

    Attributes:
        names: the item of each row.
        attempts: the attempt of each row.
        contents: item → hash of its variables and assertions.
        texts: item → (variables, assertions), as JSON.
        first: item → its first row.
        notes: what names the items, and what is repeated.
    """

    names: list[str] = field(default_factory=list[str])
    attempts: list[int] = field(default_factory=list[int])
    contents: dict[str, str] = field(default_factory=dict[str, str])
    texts: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    first: dict[str, Row] = field(default_factory=dict[str, Row])
    notes: list[Note] = field(default_factory=list[Note])


def find_items(log: Log, *, item: str | None, duplicates: Duplicates, file: str) -> Items:
    """Return the items of a log's rows.

    A test run ``repeat`` times gives as many attempts; more runs than that are exact copies of the test,
    which become items of their own with the same content (``name#2``), so that they are reported.

    Args:
        log: the log.
        item: the field that names them, such as ``metadata.case``; found when not given.
        duplicates: ``attempts`` takes exact copies of a test as attempts at it.
        file: for messages.

    Raises:
        UsageError: no test has the field.
        InputError: a test lacks the field, or one id stands for two different tests.
    """
    texts = [_texts(row) for row in log.rows]
    contents = [content_hash(*pair) for pair in texts]
    named = _id_field(log.rows, item, file=file)
    if named is None:
        keys = [_key(row, content) for row, content in zip(log.rows, contents, strict=True)]
    else:
        cells = [look_up(row, named) for row in log.rows]
        keys = ids(cells, place=lambda index: f"result {index + 1}", file=file, column=named)
    _refuse_contradictions(keys, contents, named=named, file=file)
    repeat = log.repeat if named is None and duplicates != "attempts" else None
    items = Items(notes=[_key_note(log, named)])
    for row, key, content, pair, run in zip(
        log.rows, keys, contents, texts, _runs(log.rows, keys), strict=True
    ):
        copy, attempt = divmod(run, repeat) if repeat else (0, run)
        if copy and not asked_of(row):
            remedy = "Name the field that tells them apart (--item metadata.id)"
            raise InputError("tests without variables look all the same", file=file, remedy=remedy)
        name = f"{key}#{copy + 1}" if copy else key
        items.names.append(name)
        items.attempts.append(attempt + 1)
        items.contents[name], items.texts[name] = content, pair
        items.first.setdefault(name, row)
    items.notes += _repeat_notes(items, repeat=repeat)
    return items


def look_up(row: Row, path: str) -> Cell:
    """Return a field of a row's test: ``metadata.x``, ``vars.x``, ``description``, or a bare name of either."""
    case = row.test_case
    if path == "description":
        return case.description if case is not None else None
    places = {"metadata": mapping(case.metadata if case is not None else None), "vars": mapping(row.vars)}
    place, _, name = path.partition(".")
    if place in places and name:
        found = places[place].get(name)
    else:
        found = next((values[path] for values in places.values() if path in values), None)
    return found if isinstance(found, str | int | float | bool) else None


def _id_field(rows: Sequence[Row], wanted: str | None, *, file: str) -> str | None:
    """Return the field that names the tests: the user's, or a usual one that every test has."""
    if wanted is None:
        return next((name for name in ID_FIELDS if all(_has(row, name) for row in rows)), None)
    if not any(_has(row, wanted) for row in rows):
        raise UsageError(f"{file}: no test has a field {wanted!r}. Name one such as metadata.id or vars.id.")
    return wanted


def _has(row: Row, name: str) -> bool:
    return look_up(row, name) not in {None, ""}


def _key(row: Row, content: str) -> str:
    """Return the id of a test without one: its variables, shortened, and a hash of its content.

    The hash alone tells tests apart, so the text before it depends on nothing that the hash does not. Where a
    test has no variables, what describes it is asked too.
    """
    asked = asked_of(row)
    if asked:
        return _readable([text_of(asked[name]) or "" for name in sorted(asked)], content)
    description = row.test_case.description if row.test_case is not None else None
    return _readable([description or ""], content_hash(content, description))


def _readable(texts: Sequence[str], content: str) -> str:
    """Return texts as one word of letters and digits, cut to an equal share of it each, and the start of a hash."""
    share = max(_TEXT // max(len(texts), 1), 6)
    words = [_BETWEEN.sub("_", text[: 4 * share])[:share].strip("_") for text in texts]
    word = "_".join(filter(None, words))[:_TEXT].strip("_")
    return f"{word}~{content[:_HASH]}" if word else content[:_HASH]


def asked_of(row: Row) -> dict[str, Any]:
    """Return a row's variables without those that promptfoo adds."""
    return {name: value for name, value in mapping(row.vars).items() if name not in _ADDED}


def _texts(row: Row) -> tuple[str, str]:
    """Return a test's variables and assertions as canonical JSON.

    Variables are texts as a prompt shows them, so 1 and "1" ask the same. Of an assertion only what is
    expected counts, in any order: its judge, weight, threshold and metric may change and the item stays.
    """
    asked = {name: text_of(value) for name, value in asked_of(row).items()}
    asserts = row.test_case.asserts if row.test_case is not None else None
    expected = sorted(_json(_expected(one)) for one in asserts or ())
    return _json(asked), "[" + ",".join(expected) + "]"


def _expected(assertion: Any) -> Any:
    if not isinstance(assertion, dict):
        return assertion
    kept = {name: assertion[name] for name in ("type", "value") if name in assertion}
    inner = assertion.get("assert")
    return kept | ({"assert": [_expected(one) for one in inner]} if isinstance(inner, list) else {})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _runs(rows: Sequence[Row], keys: Sequence[str]) -> list[int]:
    """Return for each row which run of its test it is, from 0, the same for all columns.

    ``testIdx`` only orders the runs of one test; rows without one are ordered as they come, column by column.
    """
    numbered = all(row.test_idx is not None for row in rows)
    seen: dict[tuple[str, int | None], int] = defaultdict(int)
    places: list[int] = []
    for row, key in zip(rows, keys, strict=True):
        column = (key, row.prompt_idx)
        places.append(row.test_idx if numbered and row.test_idx is not None else seen[column])
        seen[column] += 1
    of_test: dict[str, set[int]] = defaultdict(set)
    for key, place in zip(keys, places, strict=True):
        of_test[key].add(place)
    order = {key: {place: run for run, place in enumerate(sorted(found))} for key, found in of_test.items()}
    return [order[key][place] for key, place in zip(keys, places, strict=True)]


def _refuse_contradictions(
    keys: Sequence[str], contents: Sequence[str], *, named: str | None, file: str
) -> None:
    first: dict[str, str] = {}
    differing = {
        key for key, content in zip(keys, contents, strict=True) if first.setdefault(key, content) != content
    }
    if differing:
        listed = ", ".join(repr(key) for key in sorted(differing)[:10])
        raise InputError(
            f"tests of one id have different variables or assertions: {listed}",
            file=file,
            field=named,
            remedy="An id names one test: correct the ids, or name another field (--item)",
        )


def _key_note(log: Log, named: str | None) -> Note:
    if named is not None:
        return Note("item_key", f"the field {named!r}")
    hashed = "hash of the variables and assertions" if log.has_asserts else "hash of the variables"
    return Note("item_key", f"{hashed}, after the variables' first characters")


def _repeat_notes(items: Items, *, repeat: int | None) -> list[Note]:
    copies = sum(name.rpartition("#")[0] in items.first for name in items.first)
    if repeat and copies:
        text = f"exact copies of another test, kept as items of their own: {copies}"
        return [Note("exact_copies", text)]
    if repeat is None and max(items.attempts, default=1) > 1:
        text = (
            "the same test is there several times and the log does not say how often it was to be run; "
            "taken as attempts, though some may be copies of a test"
        )
        return [Note("repeats_assumed", text)]
    return []
