"""The options of an item that is a choice, and which of them are right."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Sequence
from typing import Final, cast

from aliquot.errors import InputError, excerpt
from aliquot.evidence.identity import text_of
from aliquot.item_sets.items import Item

LETTERS: Final = string.ascii_uppercase
"""What options are lettered with, in the order of the item."""

FIELDS: Final = ("options", "choices")
"""Fields that hold the options; the first that an item has counts."""

_MOST: Final = 300
"""Letters of a list of options in a message."""


def options_of(item: Item) -> tuple[str, ...]:
    """Return the options of an item, as texts.

    Raises:
        InputError: there is no list of at least two options, one is empty, or there are more than letters.

    Examples:
        >>> options_of(Item("sum", {"question": "2 + 2?", "options": [3, 4]}))
        ('3', '4')
    """
    name = next((name for name in FIELDS if name in item.fields), FIELDS[0])
    given = item.fields.get(name)
    if not isinstance(given, list | tuple) or not 2 <= len(cast("Sequence[object]", given)) <= len(LETTERS):
        raise _refused(
            item, f"has no list of 2 to {len(LETTERS)} options", name, "List them: options: [Oslo, Bergen]"
        )
    options = tuple(text_of(option) or "" for option in cast("Sequence[object]", given))
    if not all(option.strip() for option in options):
        raise _refused(item, "has an empty option", name, "Give every option a text")
    return options


def right_options(item: Item) -> frozenset[str]:
    """Return the right options of an item, as texts: its reference, and what it accepts too.

    Each is the text of an option, or else a letter: A for the first. A number is a text and never a position, as some
    count from 0 and others from 1.

    Raises:
        InputError: the item has no options or no reference, or one that is none of the options.

    Examples:
        >>> item = {"options": ["3", "4"], "reference": "B"}
        >>> right_options(Item("sum", item)), right_options(Item("sum", item | {"reference": 3}))
        (frozenset({'4'}), frozenset({'3'}))
    """
    options = options_of(item)
    if item.reference is None or item.reference == "":
        raise _refused(item, "has no reference", "reference", "Name the right option, or its letter")
    named = (text_of(item.reference) or "", *item.accept)
    return frozenset(_meant(item, options, name) for name in named)


def _meant(item: Item, options: tuple[str, ...], name: str) -> str:
    if name in options:
        return name
    alike = [option for option in options if _plain(option) == _plain(name)]
    place = LETTERS.find(name.strip().upper()) if len(name.strip()) == 1 else -1
    if not alike and 0 <= place < len(options):
        return options[place]
    if len(set(alike)) != 1:
        listed = ", ".join(
            f"{letter} {excerpt(option)}" for letter, option in zip(LETTERS, options, strict=False)
        )
        problem = "several of its options" if alike else "none of its options"
        remedy = "Write the right option as it stands there, or its letter"
        raise _refused(
            item,
            f"has the reference {excerpt(name)}, which is {problem}: {listed[:_MOST]}",
            "reference",
            remedy,
        )
    return alike[0]


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def _refused(item: Item, problem: str, field: str, remedy: str) -> InputError:
    return InputError(f"item {item.id!r} {problem}", row=item.row, field=field, remedy=remedy)
