"""The rule that holds an answer against assertions as promptfoo writes and compares them: all must pass."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, cast

from aliquot.errors import InputError
from aliquot.item_sets.assertions import KINDS, python_pattern
from aliquot.item_sets.items import Item
from aliquot.scorers.scores import Score, verdict

_compiled = lru_cache(maxsize=1024)(python_pattern)


def _is_json(text: str, wanted: str) -> bool:  # noqa: ARG001 - one signature for every kind
    try:
        json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(name: str) -> None:
    raise ValueError(name)


_ONE: Final[Mapping[str, Callable[[str, str], bool]]] = {
    "equals": lambda text, wanted: text == wanted,
    "contains": lambda text, wanted: wanted in text,
    "icontains": lambda text, wanted: wanted.lower() in text.lower(),
    "starts-with": lambda text, wanted: text.startswith(wanted),
    "regex": lambda text, wanted: _compiled(wanted).search(text) is not None,
    "is-json": _is_json,
}

_SEVERAL: Final[Mapping[str, tuple[str, Callable[[list[bool]], bool]]]] = {
    "contains-any": ("contains", any),
    "contains-all": ("contains", all),
    "icontains-any": ("icontains", any),
    "icontains-all": ("icontains", all),
}


def holds(kind: str, value: object, text: str) -> bool:
    """Tell whether an answer passes one assertion.

    Args:
        kind: one of ``KINDS``, or with ``not-`` before it.
        value: a text, or a list of texts; nothing for ``is-json``.
        text: the answer.

    Raises:
        TypeError: there is no value.
        re.error: the value is no pattern.

    Examples:
        >>> holds("icontains", "oslo", "It is Oslo."), holds("not-contains", "oslo", "It is Oslo.")
        (True, True)
    """
    bare = kind.removeprefix("not-")
    if value is None and bare != "is-json":
        raise TypeError("it has none")
    if bare in _SEVERAL:
        single, join = _SEVERAL[bare]
        passed = join([_ONE[single](text, str(one)) for one in cast("Sequence[object]", value)])
    else:
        passed = _ONE[bare](text, str(value))
    return passed != kind.startswith("not-")


def score_asserts(item: Item, text: str) -> Score:
    """1 when every assertion in the field ``asserts`` holds; compared as written, nothing is made equal."""
    given = item.fields.get("asserts")
    if not isinstance(given, list | tuple) or not given:
        raise InputError(
            f"item {item.id!r}: the rule 'asserts' needs a list of assertions",
            row=item.row,
            field="asserts",
            remedy="Read the items from a promptfoo file: items: promptfooconfig.yaml",
        )
    failed: list[str] = []
    for one in cast("Sequence[object]", given):
        told = cast("Mapping[str, object]", one) if isinstance(one, Mapping) else {"type": one}
        kind = str(told.get("type"))
        if kind.removeprefix("not-") not in KINDS:
            raise InputError(
                f"item {item.id!r}: there is no assertion {kind!r}", row=item.row, field="asserts"
            )
        try:
            passed = holds(kind, told.get("value"), text)
        except (re.error, TypeError) as error:
            raise InputError(
                f"item {item.id!r}: the assertion {kind!r} cannot use its value ({error})",
                row=item.row,
                field="asserts",
            ) from error
        if not passed:
            failed.append(kind)
    label = f"{len(given) - len(failed)} of {len(given)} assertions"
    return verdict(right=not failed, label=label, note=f"failed: {', '.join(failed)}" if failed else None)
