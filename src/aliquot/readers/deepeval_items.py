"""What tells DeepEval's test cases apart: no id is kept, so a field of theirs, else what they ask."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.identity import content_hash, text_of
from aliquot.evidence.tables import Note
from aliquot.readers.cells import ids
from aliquot.readers.deepeval_records import Case
from aliquot.readers.options import Duplicates

USUAL_IDS: Final = ("item_id", "id", "case_id", "test_id", "question_id")
"""Members of the metadata that name an item, where every case has one and it never stands for two."""

_REPEAT: Final = re.compile(r"^(?P<test>.*?)-?(?P<number>\d{1,9})-(?P<total>\d{1,9})\]$")
"""What pytest-repeat adds to the name of a test: which repeat of how many."""


@dataclass(frozen=True, slots=True)
class Items:
    """What the cases are.

    Attributes:
        names: each case's item.
        attempts: which attempt at it each is.
        contents: item → the hash of what it asks.
        notes: what was taken for what.
    """

    names: list[str]
    attempts: list[int]
    contents: Mapping[str, str]
    notes: tuple[Note, ...]


def find_items(cases: Sequence[Case], *, item: str | None, duplicates: Duplicates, file: str) -> Items:
    """Return which item and attempt each case is.

    Args:
        cases: in order.
        item: the field that names the item, such as ``metadata.id`` or ``name``.
        duplicates: ``attempts`` takes cases of one item as its attempts.
        file: for messages.

    Raises:
        UsageError: no case has that field.
        InputError: a case lacks it, or an id stands for two cases that ask different things.
    """
    asked = [content_of(case) for case in cases]
    names, notes = _names(cases, asked, item, file=file)
    keyed = names != asked
    groups: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        groups[name].append(place)
    attempts = [1] * len(cases)
    copies = 0
    even = len({len(places) for places in groups.values()}) == 1
    for name, places in groups.items():
        if len({asked[place] for place in places}) > 1:
            problem = f"the id {name!r} stands for cases that ask different things"
            raise InputError(problem, file=file, remedy="Name another field (--item-column)")
        numbers = _repeats([cases[place].name or "" for place in places])
        if len(places) > 1 and not (numbers or even or keyed or duplicates == "attempts"):
            copies += 1
            for count, place in enumerate(places[1:], start=2):
                names[place] = f"{name}#{count}"
        else:
            for number, place in zip(numbers or range(1, len(places) + 1), places, strict=True):
                attempts[place] = number
    if copies:
        text = f"{copies} items are asked again, and no name says that it is a repeat; each is an item (hash#2, …)"
        notes.append(Note("copies", text))
    if max(attempts) > 1:
        text = f"cases that ask the same are attempts at one item, up to {max(attempts)} of them"
        notes.append(Note("repeats", text))
    return Items(names, attempts, dict(zip(names, asked, strict=True)), tuple(notes))


def content_of(case: Case) -> str:
    """Return the hash of what a case asks: its input or scenario, its context, and what is expected."""
    if case.turns is not None or case.scenario is not None:
        said = [turn for turn in case.turns or () if isinstance(turn, dict) and turn.get("role") == "user"]
        asked = case.scenario or [text_of(turn.get("content")) for turn in said]
        return content_hash([asked, case.context], case.expected_outcome)
    return content_hash([case.input, case.context] if case.context else case.input, case.expected_output)


def look_up(case: Case, path: str) -> Any:
    """Return a field of a case: ``name``, ``input``, or a member of its metadata with or without that before it."""
    parts = path.removeprefix("metadata.").split(".")
    if path in {"name", "input"}:
        return getattr(case, path)
    value: Any = case.metadata
    for part in parts:
        value = value.get(part) if isinstance(value, dict) else None
    return value


def fields_of(cases: Sequence[Case]) -> list[str]:
    """Return the members of the cases' metadata that hold plain values."""
    return list(dict.fromkeys(
        name for case in cases for name, value in (case.metadata or {}).items()
        if name and isinstance(value, str | int | float | bool)
    ))  # fmt: skip


def _names(
    cases: Sequence[Case], asked: Sequence[str], item: str | None, *, file: str
) -> tuple[list[str], list[Note]]:
    if item is not None:
        found = [look_up(case, item) for case in cases]
        if all(value is None for value in found):
            known = ["name", "input", *(f"metadata.{name}" for name in fields_of(cases))]
            raise UsageError(f"{file}: no test case has a field {item!r}. {nearest(item, known)}")
        return ids(found, place=lambda k: f"case {k + 1}", file=file, column=item), [Note("item_key", item)]
    for name in USUAL_IDS:
        found = [text_of((case.metadata or {}).get(name)) for case in cases]
        pairs = set(zip(found, asked, strict=True))
        if all(found) and len(pairs) == len({one for one, _ in pairs}):
            return [one or "" for one in found], [Note("item_key", f"metadata.{name}")]
    return list(asked), [Note("item_key", "the hash of input, context and expected output")]


def _repeats(names: Sequence[str]) -> list[int]:
    """Return which repeat each test of one item is, empty when their names do not say."""
    found = [_REPEAT.match(name) for name in names]
    numbers = [int(one["number"]) for one in found if one is not None]
    tests = {(one["test"], one["total"]) for one in found if one is not None}
    fits = (
        len(numbers) == len(names) == len(set(numbers)) and len(tests) == 1 and min(numbers, default=0) >= 1
    )
    return numbers if fits and max(numbers) <= int(next(iter(tests))[1]) else []
