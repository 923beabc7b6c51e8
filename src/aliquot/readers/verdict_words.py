"""What votes say: each log's own words for a verdict, by table; a word in no table is an error, never a tie."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from aliquot.errors import InputError, excerpt, nearest

UNPARSED: Final = "unparsed"
"""What stands in these tables for a word that says the vote could not be read."""

SIDES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("model_a", "a", "left", "leftvote", "model_x"), "a"),
    **dict.fromkeys(("model_b", "b", "right", "rightvote", "model_y"), "b"),
    **dict.fromkeys(("tie", "tievote", "draw"), "tie"),
    **dict.fromkeys(
        (
            "tie (bothbad)",
            "tie (both bad)",
            "tie(bothbad)",
            "both_bad",
            "bothbad",
            "both bad",
            "bothbad_vote",
        ),
        "both_bad",
    ),
}
"""Words of people's votes: Chatbot Arena in all its releases, FastChat's server logs, left and right."""

GAMES: Final[Mapping[str, str]] = {
    "model_1": "a",
    "model_2": "b",
    "tie": "tie",
    "error": UNPARSED,
}
"""Words of MT-bench's pairwise judge."""

LETTERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("a>>b", "a>b", "b<a", "b<<a"), "a"),
    **dict.fromkeys(("b>>a", "b>a", "a<b", "a<<b"), "b"),
    **dict.fromkeys(("a=b", "b=a"), "tie"),
}
"""Words of Arena-Hard's judge; A is the answer shown first."""

STRONG: Final = (">>", "<<")
"""In a word of Arena-Hard: the judge called it significantly better."""


def verdict_of(
    word: Any, words: Mapping[str, str], *, place: str, file: str, field: str
) -> tuple[str | None, str]:
    """Return the verdict that a word stands for, and the status of the vote.

    Args:
        word: what the log says; nothing (null, an empty text) is unparsed.
        words: the table of the log's words, in small letters.
        place: where it stands, for messages.
        file: for messages.
        field: for messages.

    Raises:
        InputError: the word is in no table.

    Examples:
        >>> verdict_of("tie (bothbad)", SIDES, place="row 1", file="a.json", field="winner")
        ('both_bad', 'ok')
        >>> verdict_of(None, SIDES, place="row 1", file="a.json", field="winner")
        (None, 'unparsed')
    """
    if word is None or word == "":
        return None, UNPARSED
    found = words.get(word.strip().lower()) if isinstance(word, str) else None
    if found is None:
        remedy = nearest(word, words) if isinstance(word, str) and len(word) < 80 else nearest("", words)
        raise InputError(f"{excerpt(word)} is no verdict ({place})", file=file, field=field, remedy=remedy)
    return (None, UNPARSED) if found == UNPARSED else (found, "ok")


def time_of(value: Any) -> str | None:
    """Return a time as ISO 8601 in UTC, from seconds since 1970 or as it is written; None when it is no time.

    Examples:
        >>> time_of(1700000002.7889), time_of("2024-01-02T03:04:05"), time_of(1e300)
        ('2023-11-14T22:13:22.788900+00:00', '2024-01-02T03:04:05', None)
    """
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    try:
        return datetime.fromtimestamp(value, tz=UTC).isoformat()
    except (OverflowError, OSError, ValueError):
        return None
