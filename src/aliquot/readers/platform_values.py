"""Places in a record, by dotted path in objects and by name in flat tables, and what stands there as numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from aliquot.readers.cells import FALSE, TRUE

MAX_DEPTH: Final = 6
"""Levels of objects in which scores may be nested."""


def look(record: Mapping[str, Any], path: str) -> Any:
    """Return what stands at a path: under that very name, in nested objects, or in columns that begin so.

    Examples:
        >>> look({"item": {"id": "1"}}, "item.id"), look({"item.id": "1"}, "item.id"), look({"in.a": 1}, "in")
        ('1', '1', {'a': 1})
    """
    if path in record:
        return _opened(record[path])
    head, _, rest = path.partition(".")
    inner = _opened(record.get(head))
    if rest and isinstance(inner, Mapping):
        return look(inner, rest)
    start = f"{path}."
    gathered = {name[len(start) :]: value for name, value in record.items() if name.startswith(start)}
    return {name: value for name, value in gathered.items() if name and value is not None} or None


def look_first(record: Mapping[str, Any], paths: Sequence[str]) -> Any:
    """Return what stands at the first of the paths where something does."""
    return next((value for path in paths if (value := look(record, path)) not in (None, "")), None)


def _opened(value: Any) -> Any:
    """Return a list or object that a table holds as JSON text."""
    if isinstance(value, str) and value[:1] in ("{", "[") and value[-1:] in ("}", "]"):
        try:
            return msgspec.json.decode(value)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
            return value
    return value


def number_of(value: Any) -> float | None:
    """Return a score as a number: truth and its spellings as 1 and 0, a finite number in text; else None.

    Examples:
        >>> number_of("yes"), number_of(" 0.5 "), number_of(True), number_of("good"), number_of("nan")
        (1.0, 0.5, 1.0, None, None)
    """
    if isinstance(value, str):
        word = value.strip().lower()
        if word in TRUE or word in FALSE:
            return float(word in TRUE)
        try:
            number = math.nan if "_" in word else float(word)
        except ValueError:
            return None
    elif isinstance(value, bool | int | float):
        number = float(value) if abs(value) < 1e300 else math.nan
    else:
        return None
    return number if math.isfinite(number) and abs(number) < 1e300 else None


def leaves(value: Any, *, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the scores of an object by name; of nested ones ``outer.inner``, and the score of one that has such.

    Examples:
        >>> dict(leaves({"exact": True, "tone": {"score": 0.5, "why": "…"}, "skipped": None}))
        {'exact': True, 'tone': 0.5, 'skipped': None}
    """
    if not isinstance(value, Mapping) or depth > MAX_DEPTH:
        return
    for name, part in value.items():
        full = f"{prefix}{name}"
        if isinstance(part, Mapping):
            if "score" in part and not isinstance(part["score"], Mapping | list):
                yield full, part["score"]
            else:
                yield from leaves(part, prefix=f"{full}.", depth=depth + 1)
        elif (
            part is None
            or (full and isinstance(part, bool | int | float))
            or (not prefix and isinstance(part, str))
        ):
            yield full, part
