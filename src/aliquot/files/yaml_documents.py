"""One YAML document as JSON values: bounded, no tags, nothing constructed, and no alias that multiplies."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from aliquot.errors import InputError

MAX_DEPTH: Final = 100
"""Levels of nesting."""

MAX_NODES: Final = 20_000_000
"""Values of a document, an alias counted with all it stands for."""

_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,300}")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]{1,300}(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,5})?")
_WORDS: Final[dict[str, bool | None]] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read, with the values in it and the levels below it so far."""

    value: dict[str, Any] | list[Any]
    anchor: str | None
    nodes: int = 1
    levels: int = 1
    key: str | None = None


@dataclass(slots=True)
class _Builder:
    """Values as the events of a document come.

    Attributes:
        file: for messages.
        stack: mappings and lists not yet ended.
        anchors: name → (value, number of values in it, levels of nesting).
        root: the document, once whole.
    """

    file: str
    stack: list[_Open] = field(default_factory=list[_Open])
    anchors: dict[str, tuple[Any, int, int]] = field(default_factory=dict[str, tuple[Any, int, int]])
    root: Any = None

    def take(self, event: Any) -> None:
        """Take one event of the parser."""
        action = _ACTIONS.get(type(event))
        if action is not None:
            action(self, event)

    def begin(self, event: Any) -> None:
        """Begin a mapping or a list."""
        self._check_depth(event, 1)
        if event.tag not in {None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"}:
            raise self._unknown_tag(event)
        value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        self.stack.append(_Open(value, event.anchor))

    def end(self, event: Any) -> None:
        """End the innermost mapping or list."""
        done = self.stack.pop()
        self._put(event, (done.value, done.nodes, done.levels), anchor=done.anchor)

    def scalar(self, event: Any) -> None:
        """Take a plain value: by the core schema of YAML 1.2 unless it is quoted; no other tag is known."""
        if event.tag not in {None, "!", "tag:yaml.org,2002:str"}:
            raise self._unknown_tag(event)
        text = event.value
        plain = event.implicit[0] and event.tag is None and not self._is_key()
        self._put(event, (_plain(text) if plain else text, 1, 0), anchor=event.anchor)

    def alias(self, event: Any) -> None:
        """Take an alias: the value its anchor names, once that is whole."""
        if event.anchor not in self.anchors or self._is_key():
            raise self._refusal(event, f"refers to {event.anchor[:60]!r}, which is not whole by then")
        known = self.anchors[event.anchor]
        self._check_depth(event, known[2])
        self._put(event, known, anchor=None)

    def _is_key(self) -> bool:
        return bool(self.stack) and isinstance(self.stack[-1].value, dict) and self.stack[-1].key is None

    def _check_depth(self, event: Any, levels: int) -> None:
        if len(self.stack) + levels > MAX_DEPTH:
            raise self._refusal(event, f"is nested deeper than {MAX_DEPTH} levels")

    def _put(self, event: Any, whole: tuple[Any, int, int], *, anchor: str | None) -> None:
        value, nodes, levels = whole
        if anchor is not None:
            self.anchors[anchor] = whole
        if not self.stack:
            self.root = value
            return
        parent = self.stack[-1]
        parent.nodes += nodes
        parent.levels = max(parent.levels, levels + 1)
        if parent.nodes > MAX_NODES:
            raise self._refusal(event, f"holds more than {MAX_NODES:,} values")
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif parent.key is not None:
            parent.value[parent.key], parent.key = value, None
        elif isinstance(value, str):
            if value in parent.value:
                raise self._refusal(event, f"has the key {value[:60]!r} twice")
            parent.key = value
        else:
            raise self._refusal(event, "has a key that is no text")

    def _unknown_tag(self, event: Any) -> InputError:
        return self._refusal(event, f"uses the tag {str(event.tag)[:60]!r}, which is not read")

    def _refusal(self, event: Any, problem: str) -> InputError:
        return InputError(f"{problem} (line {event.start_mark.line + 1})", file=self.file)


_ACTIONS: Final[dict[type, Callable[[_Builder, Any], None]]] = {
    yaml.MappingStartEvent: _Builder.begin,
    yaml.SequenceStartEvent: _Builder.begin,
    yaml.MappingEndEvent: _Builder.end,
    yaml.SequenceEndEvent: _Builder.end,
    yaml.ScalarEvent: _Builder.scalar,
    yaml.AliasEvent: _Builder.alias,
}


def parse_yaml(text: str, *, file: str) -> Any:
    r"""Return the values of one YAML document, as JSON would hold them.

    Plain words follow the core schema of YAML 1.2 (section 10.3.2): no dates, no ``yes``, no sexagesimals.
    An alias stands for a value already whole and counts with all its values, so that a small text cannot
    become a large one.

    Raises:
        InputError: it is not YAML, holds a tag or a repeated key, is too deep or too large.

    Examples:
        >>> parse_yaml("a: &x {on: 1.50}\nb: *x\nc: 2020-01-01", file="a.yaml")
        {'a': {'on': 1.5}, 'b': {'on': 1.5}, 'c': '2020-01-01'}
    """
    builder = _Builder(file)
    documents = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise InputError("holds several YAML documents", file=file, remedy="Give each its own file")
            builder.take(event)
    except (yaml.YAMLError, RecursionError) as error:
        mark: Any = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1})" if mark else ""
        problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "it cannot be parsed"
        raise InputError(f"is not YAML: {problem}{place}", file=file) from error
    return builder.root


def _plain(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if not _FLOAT.fullmatch(text):
        return text
    number = float(text)
    return number if math.isfinite(number) else None
