"""The command line that makes a finding again, reading options included."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields
from inspect import Parameter, signature
from pathlib import Path
from types import MappingProxyType

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


def given_options(
    verb: Callable[..., object],
    called: Mapping[str, object],
    *,
    named: Mapping[str, str] = MappingProxyType({}),
    unsaid: Collection[str] = (),
) -> dict[str, object]:
    """Return option → value of what a verb was called with, in its own order, without what it takes by default.

    Args:
        verb: the verb, whose keyword parameters are the options of its command.
        called: its parameters by name: ``locals()`` at its first line.
        named: parameters whose option has another name than their own; with one, ``systems`` is an option too.
        unsaid: further parameters that are no option of a line that makes the finding again.

    Examples:
        >>> def verb(*, match_on="content", level=0.95, memory=None, options=None): ...
        >>> given_options(verb, {"match_on": "id", "level": 0.95, "memory": "m"}, unsaid=["memory"])
        {'--match-on': 'id'}
    """
    silent = {"systems", "options", *unsaid} - set(named)
    return {
        named.get(name, f"--{name.replace('_', '-')}"): _several(called[name])
        for name, parameter in signature(verb).parameters.items()
        if parameter.kind is Parameter.KEYWORD_ONLY
        and name not in silent
        and _several(called[name]) != parameter.default
    }


def _several(value: object) -> object:
    """Return any list as a tuple, as defaults are."""
    return tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] - whatever was given
