"""YAML with line numbers: what an evaluation file is read from, so that every complaint names its line."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, NoReturn, cast

import yaml

from aliquot.errors import InputError, excerpt, nearest

MOST_DEEP: Final = 100
"""Lists and mappings inside each other, at most; the parser takes quadratic time over deeper ones."""


_EMPTY: Final = "Write at least name, items and systems"


@dataclass(frozen=True, slots=True)
class Node:
    """A value with the line it stands on.

    Attributes:
        value: a scalar, a list of nodes, or a mapping from key to node.
        line: counted from 1.
        file: the file, as the user named it.
        key: the key this is the value of.
    """

    value: object
    line: int
    file: str
    key: str = ""

    def refuse(self, problem: str, *, remedy: str | None = None) -> NoReturn:
        """Raise the InputError that names file, line and key."""
        raise InputError(problem, file=self.file, row=self.line, field=self.key or None, remedy=remedy)

    def lacking(self, required: Collection[str]) -> dict[str, str]:
        """Return the required keys that are missing, with a present key and its line where one looks like it."""
        present = cast("dict[str, Node]", self.value) if isinstance(self.value, dict) else {}
        spare = [name for name in present if name not in required]
        found: dict[str, str] = {}
        for name in (name for name in required if name not in present):
            close = difflib.get_close_matches(name, spare, n=1)
            found[name] = f"line {present[close[0]].line} has {excerpt(close[0])}" if close else ""
        return found

    def mapping(self, known: Collection[str] | None = None, *, remedy: str | None = None) -> dict[str, Node]:
        """Return a mapping whose keys are all known; ``remedy`` is said when it is none."""
        if not isinstance(self.value, dict):
            self.refuse(f"{_shown(self.value)} stands where key: value lines are needed", remedy=remedy)
        nodes = cast("dict[str, Node]", self.value)
        for name, node in nodes.items():
            if known is not None and name not in known:
                raise InputError(
                    f"there is no key {excerpt(name)}",
                    file=self.file,
                    row=node.line,
                    remedy=nearest(name, known),
                )
        return nodes

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            self.refuse(f"{_shown(self.value)} is not text", remedy="Put it in quotes")
        return self.value

    def number(self, *, low: float = float("-inf"), high: float = float("inf")) -> float:
        """Return a number between two bounds."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.refuse(f"{_shown(self.value)} is not a number")
        if not (isfinite(self.value) and low <= self.value <= high):
            wanted = (
                f" from {low:g} to {high:g}"
                if isfinite(high)
                else f" of {low:g} or more"
                if isfinite(low)
                else ""
            )
            self.refuse(f"{self.value} is out of range", remedy=f"Give a finite number{wanted}")
        return self.value

    def whole(self, *, low: int = 0) -> int:
        """Return a whole number of at least ``low``."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < low:
            self.refuse(f"{_shown(self.value)} is not a whole number from {low}")
        return self.value

    def entries(self) -> tuple[Node, ...]:
        """Return what a list holds."""
        if not isinstance(self.value, list):
            self.refuse(f"{_shown(self.value)} is not a list", remedy="Write [one, two]")
        return tuple(cast("list[Node]", self.value))

    def texts(self) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(node.text() for node in self.entries())

    def flag(self) -> bool:
        """Return true or false."""
        if not isinstance(self.value, bool):
            self.refuse(f"{_shown(self.value)} is neither true nor false")
        return self.value

    def plain(self) -> object:
        """Return the value without its lines: scalars, lists and dicts."""
        if isinstance(self.value, dict):
            return {name: node.plain() for name, node in cast("dict[str, Node]", self.value).items()}
        if isinstance(self.value, list):
            return [node.plain() for node in cast("list[Node]", self.value)]
        return self.value

    def one_of(self, known: Collection[str]) -> str:
        """Return a text out of a few."""
        value = self.text()
        if value not in known:
            self.refuse(f"{excerpt(value)} is not known here", remedy=nearest(value, known))
        return value


def parse(text: str, *, file: str, remedy: str | None = None, empty: str = _EMPTY) -> Node:
    r"""Read YAML without anchors, aliases, tags or repeated keys; a whole number as a key is its digits.

    Args:
        text: the YAML text.
        file: its name, for messages.
        remedy: what to say when the text is no YAML.
        empty: what to say when there is nothing in it.

    Raises:
        InputError: the text is not YAML, or uses what is not allowed here.

    Examples:
        >>> parse("name: trial\nseed: 7", file="trial.yaml").mapping()["seed"].line
        2
    """
    try:
        _check_events(text, file=file)
        root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
        if root is None:
            raise InputError("the file is empty", file=file, remedy=empty)
        return _node(root, file=file)
    except (yaml.YAMLError, RecursionError) as error:
        place: Any = getattr(error, "problem_mark", None)
        problem = str(getattr(error, "problem", None) or "it is nested too deeply")
        raise InputError(
            f"this is not YAML ({problem[:120]})",
            file=file,
            row=place.line + 1 if place else None,
            remedy=remedy,
        ) from error


def _check_events(text: str, *, file: str) -> None:
    """Refuse what is not read here, before anything is made of the text."""
    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEEP:
            raise RecursionError
        if getattr(event, "anchor", None):
            mark: Any = event.start_mark
            raise InputError(
                "anchors and aliases are not read here", file=file, row=mark.line + 1, remedy="Write it out"
            )


def _node(source: Any, *, file: str, key: str = "") -> Node:
    line = source.start_mark.line + 1
    if isinstance(source, yaml.MappingNode):
        entries: dict[str, Node] = {}
        for name_node, value_node in cast("list[tuple[Any, Any]]", source.value):
            name = _scalar(name_node)
            name_line = name_node.start_mark.line + 1
            if isinstance(name, int) and not isinstance(name, bool):
                name = str(name)
            if not isinstance(name, str):
                raise InputError(
                    f"the key {_shown(name)} is not text", file=file, row=name_line, remedy="Put it in quotes"
                )
            if name in entries:
                raise InputError(
                    f"the key {excerpt(name)} stands twice", file=file, row=name_line, remedy="Keep one"
                )
            entries[name] = _node(value_node, file=file, key=name)
        return Node(entries, line, file, key)
    if isinstance(source, yaml.SequenceNode):
        return Node(
            [_node(part, file=file, key=key) for part in cast("list[Any]", source.value)], line, file, key
        )
    return Node(_scalar(source), line, file, key)


def _scalar(source: Any) -> object:
    """Return a scalar's value; what is no scalar of a standard type is an error of the file."""
    return yaml.constructor.SafeConstructor().construct_object(source, deep=True)


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    return "nothing" if value is None else excerpt(value)
