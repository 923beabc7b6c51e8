"""Rules about JSON: its form apart from its content, and the content field by field."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Literal, cast

from aliquot.errors import InputError, UsageError
from aliquot.item_sets.items import Item
from aliquot.scorers.json_answers import check_schema, read_json_answer, right_fields
from aliquot.scorers.rule import Settings
from aliquot.scorers.scores import Score, unparsed, verdict
from aliquot.scorers.texts import trimmed


class JsonForm(Settings, frozen=True):
    """What form the JSON must have.

    Attributes:
        schema: JSON Schema of every answer; without one that in the item's field ``schema``; without either, being
            JSON is enough.
    """

    schema: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.schema is not None:
            check_schema(self.schema)


class JsonContent(Settings, frozen=True):
    """How values are compared.

    Attributes:
        texts: whether texts must be the same letter by letter, or after normalisation.
    """

    texts: Literal["as_written", "normalised"] = "as_written"


class JsonField(Settings, frozen=True):
    """Which field, and how its value is compared.

    Attributes:
        path: the field, as a JSON Pointer: ``/address/city``, ``/names/0``.
        texts: whether texts must be the same letter by letter, or after normalisation.
    """

    path: str
    texts: Literal["as_written", "normalised"] = "as_written"

    def __post_init__(self) -> None:
        if not self.path.startswith("/"):
            raise UsageError(f"the rule 'json_field': the path {self.path!r} must begin with /")


def score_json_valid(item: Item, text: str, settings: JsonForm) -> Score:
    """1 when the answer is JSON of the wanted form, whatever its values are.

    The label tells what else it is: ``refused``, ``truncated`` (it breaks off), ``syntax`` or ``schema``.
    """
    found = read_json_answer(text, schema=_schema(settings, item))
    return verdict(right=found.fault is None, label=found.fault or "valid", note=found.reason)


def score_json_share(item: Item, text: str, settings: JsonContent) -> Score:
    """Share of the reference's fields that the answer has right, its form apart; unparsed when it is no JSON."""
    fields = _compared(item, text, "json_share", settings.texts)
    if isinstance(fields, Score):
        return fields
    wrong = [path for path, right in fields.items() if not right]
    note = f"wrong: {', '.join(wrong[:20])}" if wrong else None
    label = f"{len(fields) - len(wrong)} of {len(fields)} fields"
    return Score(1 - len(wrong) / len(fields), label=label, note=note)


def score_json_field(item: Item, text: str, settings: JsonField) -> Score:
    """1 when one field of the answer, with all below it, has the reference's value; unparsed when it is no JSON."""
    fields = _compared(item, text, "json_field", settings.texts, path=settings.path)
    return fields if isinstance(fields, Score) else verdict(right=all(fields.values()), label=settings.path)


def _compared(
    item: Item, text: str, rule: str, texts: Literal["as_written", "normalised"], *, path: str = ""
) -> dict[str, bool] | Score:
    """Return which fields of the reference, below a path, are right; a score when the answer is no JSON.

    Raises:
        InputError: the reference is no JSON object or list, or has nothing at the path.
    """
    reference = item.reference
    wanted = read_json_answer(reference).value if isinstance(reference, str) else reference
    if not isinstance(wanted, dict | list) or not wanted:
        raise InputError(
            f"item {item.id!r}: the rule {rule!r} needs a JSON object or list as reference",
            row=item.row,
            field="reference",
        )
    answer = read_json_answer(text)
    try:
        same_text = operator.eq if texts == "as_written" else _same_normalised
        every = right_fields(cast("object", wanted), answer.value, same_text=same_text)
    except UsageError as error:
        raise InputError(f"item {item.id!r}: {error}", row=item.row, field="reference") from error
    fields = {name: right for name, right in every.items() if f"{name}/".startswith(f"{path}/")}
    if not fields:
        raise InputError(
            f"item {item.id!r}: the reference has no field {path!r}", row=item.row, field="reference"
        )
    return fields if answer.fault is None else unparsed(f"{answer.fault}: {answer.reason}")


def _same_normalised(one: str, other: str) -> bool:
    return trimmed(one) == trimmed(other)


def _schema(settings: JsonForm, item: Item) -> Mapping[str, Any] | None:
    """Return the schema that an answer has to follow.

    Raises:
        InputError: the item's own is none that can be used.
    """
    given = item.fields.get("schema")
    if settings.schema is not None or given is None:
        return settings.schema
    if not isinstance(given, dict):
        raise InputError(f"item {item.id!r}: its schema is no object", row=item.row, field="schema")
    schema = cast("dict[str, Any]", given)
    try:
        check_schema(schema)
    except UsageError as error:
        raise InputError(f"item {item.id!r}: {error}", row=item.row, field="schema") from error
    return schema
