"""How much of a text of a log is handed on for reading: logs are hostile, and a page has an end."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from aliquot.evidence.identity import text_of

MAX_NOTE: Final = 100_000
"""Characters of what a scorer said of one outcome."""

MAX_VALUE: Final = 50_000
"""Characters of one field of an item's metadata."""

MAX_FIELDS: Final = 200
"""Fields of an item's metadata."""


def shorten(text: str, *, limit: int) -> str:
    """Return a text, cut where it is longer, with the number of characters that are left out.

    Examples:
        >>> shorten("abcdef", limit=4), shorten("abcd", limit=4)
        ('abcd (2 more characters)', 'abcd')
    """
    return text if len(text) <= limit else f"{text[:limit]} ({len(text) - limit:,} more characters)"


def whole(text: str) -> str:
    r"""Return a text that can be written as UTF-8: halves of characters are replaced.

    Examples:
        >>> whole("Zürich"), whole("half \ud83d")
        ('Zürich', 'half ?')
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def bounded_text(value: object, *, limit: int) -> str | None:
    """Return a value of a log as bounded text, JSON when it is nested; None when it says nothing.

    Examples:
        >>> bounded_text(["a", 1], limit=20), bounded_text("", limit=20), bounded_text(None, limit=20)
        ('["a",1]', None, None)
    """
    if value is None or value == "":
        return None
    try:
        text = (
            json.dumps(value, ensure_ascii=False, separators=(",", ":"))
            if _is_nested(value)
            else text_of(value)
        )
    except (TypeError, ValueError, RecursionError):
        text = str(type(value).__name__)
    return shorten(text, limit=limit) if text else None


def _is_nested(value: object) -> bool:
    return isinstance(value, list | tuple | dict)


def bounded_fields(fields: Mapping[str, object]) -> dict[str, str]:
    """Return fields of a log as bounded texts by name, in their order; those that say nothing are left out.

    Examples:
        >>> bounded_fields({"topic": "law", "pages": [1, 2], "none": None})
        {'topic': 'law', 'pages': '[1,2]'}
    """
    found: dict[str, str] = {}
    for name, value in fields.items():
        text = bounded_text(value, limit=MAX_VALUE)
        if text is None:
            continue
        if len(found) == MAX_FIELDS:
            found["..."] = f"more than {MAX_FIELDS} fields; the rest is left out"
            break
        found[shorten(str(name), limit=200)] = text
    return found
