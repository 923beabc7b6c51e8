"""Logs with changed values and changed bytes: a reader gives evidence or one clear line, never a traceback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError
from aliquot.readers.describe import describe
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import read_one

JUNK = st.sampled_from(
    [
        None,
        True,
        -1,
        0,
        1.5,
        1e308,
        10**30,
        "",
        "x",
        "\x00",
        "\ud800",
        [],
        {},
        [None],
        {"": None},
        "NaN",
        [[]] * 3,
    ]
)
"""What no field of a log expects."""

EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=12)), min_size=1, max_size=4
)
"""Where a file is cut, how much of it goes, and what stands there instead."""

MUTATED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the way to every value of a document."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deep for key, part in parts for deep in places(part, (*path, key)))]


def replaced(document: Any, path: tuple[Any, ...], junk: Any) -> Any:
    """Return the document with another value in one place; it is changed."""
    if not path:
        return junk
    place = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = junk
    return document


def edited(data: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    """Return bytes with some of them replaced."""
    for place, length, junk in edits:
        start = int(place * len(data))
        data = data[:start] + junk + data[start + length :]
    return data


def ends_well(path: Path, *, reader: str) -> None:
    """Read a file: evidence that says what it holds, or one clear line."""
    said = "x"
    try:
        evidence = read_one(path, ReadOptions(reader=reader))
        describe(evidence)
        assert evidence.items.height > 0 or evidence.notes  # totals alone have no items, and say so
    except AliquotError as error:
        said = str(error)
    assert said
    assert "\n" not in said
