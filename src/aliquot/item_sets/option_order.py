"""The order in which an item's options are shown, and the reference that follows it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias, cast

from aliquot.errors import InputError
from aliquot.item_sets.items import Item
from aliquot.item_sets.options import FIELDS

How: TypeAlias = Literal["as_given", "reversed", "rotated", "shuffled"]

ORDERS: Final = ("as_given", "reversed", "rotated", "shuffled")
"""Ways to order the options of an item."""

_LETTER: Final = re.compile(r"(\W*)([A-Za-z])(\W*)", re.ASCII)
_NUMBER: Final = re.compile(r"\s*[+-]?\d+(\.0)?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class OptionOrder:
    """How options are ordered.

    Attributes:
        how: ``as_given``, ``reversed``, ``rotated`` (the first ``by`` options go to the end) or ``shuffled``.
        by: places for ``rotated``, the seed for ``shuffled``; 0 otherwise.
    """

    how: How = "as_given"
    by: int = 0

    def __str__(self) -> str:
        said = {
            "as_given": "as given",
            "rotated": f"rotated by {self.by}",
            "shuffled": f"shuffled, seed {self.by}",
        }
        return said.get(self.how, self.how)

    def places(self, item: str, count: int) -> tuple[int, ...]:
        """Return which option of the source stands at each place.

        ``shuffled`` sorts the options by the SHA-256 of seed, item and place: each item has an order of its own, and
        the same one on every machine and version, as a stored run is scored by it.

        Args:
            item: the item's id.
            count: how many options it has.

        Examples:
            >>> OptionOrder("rotated", 1).places("capital", 4), OptionOrder("reversed").places("capital", 4)
            ((1, 2, 3, 0), (3, 2, 1, 0))
        """
        given = tuple(range(count))
        if self.how == "reversed":
            return given[::-1]
        if self.how == "rotated" and count:
            return given[self.by % count :] + given[: self.by % count]
        if self.how == "shuffled":
            return tuple(sorted(given, key=lambda place: _rank(self.by, item, place)))
        return given


AS_GIVEN: Final = OptionOrder()
"""The order of the source."""


def listed_options(item: Item) -> tuple[str, list[Any]] | None:
    """Return the field that lists an item's options, and the options; None when none does."""
    for name in FIELDS:
        listed = item.fields.get(name)
        if isinstance(listed, list | tuple):
            return name, list(cast("Sequence[Any]", listed))
    return None


def arranged(item: Item, order: OptionOrder) -> Item:
    """Return an item with its options in another order, as those of the turns before it; without options it stays.

    A reference or accepted answer that is the letter of an option (``B``, ``(b)``) follows that option; one that is an
    option's text, or no option at all, stays.

    Raises:
        InputError: the reference is a number that is none of the options, so that it may be a place counted from 0 or
            from 1.

    Examples:
        >>> asked = arranged(Item("x", {"options": ["a", "b", "see"], "reference": "C"}), OptionOrder("reversed"))
        >>> asked.fields["options"], asked.reference
        (['see', 'b', 'a'], 'A')
    """
    if order.how == "as_given":
        return item
    if item.before is not None:
        item = replace(item, before=arranged(item.before, order))
    found = listed_options(item)
    if found is None:
        return item
    name, options = found
    places = order.places(item.id, len(options))
    fields: dict[str, object] = dict(item.fields) | {name: [options[place] for place in places]}
    shown = {str(option).strip().casefold() for option in options}
    for kept in ("reference", "accept"):
        if kept in fields:
            fields[kept] = _moved(fields[kept], shown, places, item=item, field=kept)
    return replace(item, fields=fields)


def _moved(answer: object, shown: set[str], places: tuple[int, ...], *, item: Item, field: str) -> object:
    """Return an answer, the letter of an option led to where that option stands now."""
    if isinstance(answer, list | tuple):
        parts = cast("Sequence[object]", answer)
        return [_moved(part, shown, places, item=item, field=field) for part in parts]
    if answer is None or isinstance(answer, Mapping) or str(answer).strip().casefold() in shown:
        return answer
    if _NUMBER.fullmatch(str(answer)):
        raise InputError(
            f"item {item.id!r} answers {str(answer).strip()!r}, which is none of its options; whether that counts them "
            "from 0 or from 1 cannot be known, so it cannot follow another order",
            row=item.row,
            field=field,
            remedy="Give the option's text or its letter",
        )
    letter = _LETTER.fullmatch(str(answer))
    if letter is None:
        return answer
    before, sign, behind = letter.groups()
    place = ord(sign.lower()) - ord("a")
    if place >= len(places):
        return answer
    moved = chr(ord("a") + places.index(place))
    return f"{before}{moved.upper() if sign.isupper() else moved}{behind}"


def _rank(seed: int, item: str, place: int) -> bytes:
    return hashlib.sha256(f"{seed}\x1f{item}\x1f{place}".encode("utf-8", "surrogatepass")).digest()
