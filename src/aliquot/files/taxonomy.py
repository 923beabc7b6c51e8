"""The kinds of failure a team has names for: a YAML file that grows, one kind a key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from aliquot.errors import InputError
from aliquot.files.documents import Node, parse
from aliquot.files.locks import held_alone
from aliquot.files.text import decode, read_bounded
from aliquot.files.writing import machine_errors, write_whole

KEYS = ("says", "was")
"""What a kind may hold."""


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Names of failures, what they say, and under which other names they went.

    Attributes:
        says: name → what it means, in words; "" where that is not written down.
        was: another name → the name it goes by now.
    """

    says: Mapping[str, str] = field(default_factory=dict[str, str])
    was: Mapping[str, str] = field(default_factory=dict[str, str])

    def name(self, code: str) -> str:
        """Return the name a code goes by; capitals, dashes and underscores do not tell names apart.

        Examples:
            >>> Taxonomy({"wrong tool": ""}, {"bad tool": "wrong tool"}).name("Bad_Tool")
            'wrong tool'
        """
        folded = fold(code)
        known = {fold(name): name for name in self.says} | {fold(old): new for old, new in self.was.items()}
        return known.get(folded, code)


def fold(code: str) -> str:
    """Return a code as it is compared with others.

    Examples:
        >>> fold("Wrong-Tool") == fold(" wrong_tool ") == fold("wrong  tool")
        True
    """
    return " ".join(code.replace("_", " ").replace("-", " ").casefold().split())


def read_taxonomy(path: Path) -> Taxonomy:
    """Read the names from a file: ``name: {says: …, was: [other names]}``, or ``name: what it means``.

    Raises:
        InputError: the file is no such mapping, or one name stands for two kinds.
        MachineError: the file cannot be read.
    """
    text = decode(read_bounded(path), file=str(path))
    if all(not line.strip() or line.lstrip().startswith("#") for line in text.splitlines()):
        return Taxonomy()
    says: dict[str, str] = {}
    was: dict[str, str] = {}
    taken: dict[str, str] = {}
    for name, node in parse(text, file=str(path)).mapping().items():
        meaning, others = _kind(node)
        says[name] = meaning
        was |= dict.fromkeys(others, name)
        for one in (name, *others):
            if taken.setdefault(fold(one), name) != name:
                raise InputError(
                    f"{one!r} stands for {taken[fold(one)]!r} and for {name!r}",
                    file=str(path),
                    row=node.line,
                    remedy="A name is one kind's alone",
                )
    return Taxonomy(says, was)


def grow(path: Path, codes: Iterable[str]) -> tuple[str, ...]:
    """Add the names that a taxonomy's file does not have to it, at the end, and return them.

    Raises:
        InputError: the file is no taxonomy.
        MachineError: the machine refuses; the file is as it was.
    """
    with machine_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with held_alone(path.parent, what=path):
        taxonomy = read_taxonomy(path) if path.exists() else Taxonomy()
        known = {fold(name) for name in (*taxonomy.says, *taxonomy.was)}
        new = {fold(code): code for code in codes if fold(code) not in known}
        if new:
            old = read_bounded(path) if path.exists() else b""
            if old and not old.endswith(b"\n"):
                old += b"\n"
            lines = "".join(yaml.safe_dump({code: ""}, allow_unicode=True) for code in new.values())
            write_whole(path, old + lines.encode())
    return tuple(new.values())


def _kind(node: Node) -> tuple[str, tuple[str, ...]]:
    if not isinstance(node.value, dict):
        return ("" if node.value is None else node.text()), ()
    keys = node.mapping(KEYS)
    says = keys["says"].text() if "says" in keys else ""
    if "was" not in keys:
        return says, ()
    given = keys["was"]
    return says, given.texts() if isinstance(given.value, list) else (given.text(),)
