"""The command line that makes a finding again, reading options included."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path

from aliquot.readers.flags import COLUMNS, PLAIN
from aliquot.readers.options import ReadOptions


def command_line(
    verb: str,
    sources: Sequence[object],
    given: Mapping[str, object],
    *,
    systems: Sequence[str] | None = None,
    reading: ReadOptions | None = None,
) -> str:
    """Return the command line of a verb, or "" when no line says it: what was read in Python, a mapping file.

    Args:
        verb: the verb.
        sources: what it was given.
        given: option → value; None, False and () are left out, a sequence repeats its option, True is a flag alone.
        systems: the systems named, in their order.
        reading: how the sources were read.

    Examples:
        >>> command_line("compare", ["a.csv", "b c.csv"], {"--margin": "2pt", "--task": None, "--unpaired": True})
        "aliquot compare a.csv 'b c.csv' --margin 2pt --unpaired"
    """
    words = _reading_words(reading or ReadOptions())
    if words is None or not all(map(_said, (*sources, *given.values()))):
        return ""
    named = ["--systems", *systems] if systems else []
    options = [word for name, value in given.items() for word in _option_words(name, value)]
    return shlex.join(["aliquot", verb, *map(str, sources), *named, *options, *words])


def _said(value: object) -> bool:
    """Tell whether a value can stand on a command line: evidence and labels read in Python cannot."""
    if isinstance(value, tuple | list):
        return all(map(_said, value))  # pyright: ignore[reportUnknownArgumentType] - whatever was given
    return value is None or isinstance(value, str | Path | int | float)


def _reading_words(reading: ReadOptions) -> list[str] | None:
    default, words = ReadOptions(), list[str]()
    for field in fields(reading):
        value = getattr(reading, field.name)
        if value == getattr(default, field.name):
            continue
        if field.name in COLUMNS:
            words += _option_words(f"--{field.name}-column", value)
        elif field.name in PLAIN:
            words += _option_words(f"--{field.name}", value)
        else:
            return None
    return words


def _option_words(name: str, value: object) -> list[str]:
    if value is None or value is False or value == ():
        return []
    if value is True:
        return [name]
    values = value if isinstance(value, list | tuple) else [value]
    return [word for one in values for word in (name, str(one))]
