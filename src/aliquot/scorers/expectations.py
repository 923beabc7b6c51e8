"""What items expect in the place of a right answer, and what an answer's opening says: to refuse, or to abstain."""

from __future__ import annotations

import re
from collections.abc import Iterable

from aliquot.errors import InputError
from aliquot.item_sets.items import Item
from aliquot.scorers.texts import plain


def expected_of(item: Item, *, among: tuple[str, str], rule: str) -> str:
    """Return what an item expects, by its field ``expect``, else its reference.

    Args:
        item: the item.
        among: the two words that there are.
        rule: what needs to know, for messages.

    Raises:
        InputError: it does not say.
    """
    expected = item.expect or item.text("reference")
    if expected not in among:
        raise InputError(
            f"item {item.id!r}: {rule} needs expect: {' or '.join(among)}", row=item.row, field="expect"
        )
    return expected


def opening_says(text: str, patterns: Iterable[re.Pattern[str]], *, letters: int) -> bool:
    """Whether the first letters of an answer, normalised, hold any of the patterns."""
    opening = plain(text)[:letters]
    return any(pattern.search(opening) for pattern in patterns)
