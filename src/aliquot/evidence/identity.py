"""What makes two items the same: the text of what they ask, and the hash of it with the reference."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

_encode: Final = json.JSONEncoder().encode
_encode_sorted: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode


def text_of(value: object) -> str | None:
    """Return a value as text: a number as its exact decimal text, a list or object as JSON, None as None.

    Examples:
        >>> text_of(1), text_of(0.1), text_of(1e22), text_of(True), text_of(["a"])
        ('1', '0.1', '10000000000000000000000', 'true', '["a"]')
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f")
    return _encode_sorted(value)


def inputs_text(fields: Mapping[str, object]) -> str:
    r"""Return what an item asks as one text; the order of its fields does not matter.

    Examples:
        >>> inputs_text({"question": "Who?", "passage": "Ada spoke."})
        'Ada spoke.\n\nWho?'
    """
    return "\n\n".join(text_of(fields[name]) or "" for name in sorted(fields))


def content_hash(inputs: object, reference: object) -> str:
    """Return the SHA-256 over what an item asks and its reference, both as text.

    Every source of items uses this one, so that a run and a table that ask the same match.

    Examples:
        >>> content_hash("2+2", 4) == content_hash("2+2", "4") != content_hash("2+2", None)
        True
    """
    return hashlib.sha256(_encode([text_of(inputs), text_of(reference)]).encode()).hexdigest()
