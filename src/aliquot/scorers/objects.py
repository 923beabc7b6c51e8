"""The rule that compares a JSON object with the reference, field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final, cast

from aliquot.errors import InputError
from aliquot.item_sets.items import Item
from aliquot.scorers.scores import Score, unparsed, verdict
from aliquot.scorers.texts import as_number, trimmed

_DECODER: Final = json.JSONDecoder()

MOST_STARTS: Final = 1_000
"""Braces at which an object is looked for: an answer of braces alone would take quadratic time."""


def score_json_fields(item: Item, text: str) -> Score:
    """1 when the first JSON object in the text has every field of the reference with its value.

    Names and texts are compared after normalisation, numbers by value (``"34"`` equals ``34``); fields the
    reference does not name are ignored. An answer without a JSON object is unparsed.
    """
    wanted = _reference(item)
    found = first_object(text)
    if found is None:
        return unparsed("no JSON object in the answer")
    named = {trimmed(name): value for name, value in found.items()}
    wrong = [name for name, value in wanted.items() if not _same(value, named.get(trimmed(name)))]
    label = f"{len(wanted) - len(wrong)} of {len(wanted)} fields"
    return verdict(right=not wrong, label=label, note=f"wrong: {', '.join(wrong)}" if wrong else None)


def first_object(text: str) -> dict[str, object] | None:
    """Return the first JSON object that stands in the text, or None; the first ``MOST_STARTS`` braces are tried.

    Examples:
        >>> first_object('Sure! {"name": "Anna"} as asked')
        {'name': 'Anna'}
    """
    start = text.find("{")
    for _ in range(MOST_STARTS):
        if start < 0:
            break
        try:
            value: object = _DECODER.raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            return cast("dict[str, object]", value)
        start = text.find("{", start + 1)
    return None


def _reference(item: Item) -> Mapping[str, object]:
    reference = item.reference
    value: object = first_object(reference) if isinstance(reference, str) else reference
    if not isinstance(value, dict) or not value:
        raise InputError(
            f"item {item.id!r}: the rule 'json_fields' needs a JSON object as reference",
            row=item.row,
            field="reference",
        )
    return cast("dict[str, object]", value)


def _same(wanted: object, found: object) -> bool:
    if isinstance(wanted, bool) or isinstance(found, bool) or wanted is None or found is None:
        return wanted is found
    if isinstance(wanted, dict | list) or isinstance(found, dict | list):
        return wanted == found
    number = as_number(wanted)
    if number is not None:
        return as_number(found) == number
    return trimmed(str(wanted)) == trimmed(str(found))
