"""Variants of one system: its prompt in other words, another format, another order of options, with other shots."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product
from typing import Final, NamedTuple, cast

from aliquot.errors import InputError, excerpt
from aliquot.files.documents import Node
from aliquot.runner.evaluation import SystemSpec, Variant

VARIANT_KEYS: Final = (
    "prompt",
    "instructions",
    "values",
    "option_order",
    "shots",
    "continuations",
    "separator",
)
"""What a variant may change of its system; model and decoding are another system's."""

MERGED: Final = ("values", "shots")
"""Keys whose parts are changed one by one."""

FLAT: Final = "variant"
"""The one factor of a list of variants."""

SEPARATOR: Final = "/"
"""Between a system's name and the names of its levels."""

MOST: Final = 100
"""Systems that the variants of one system make at most."""

NAME: Final = re.compile(r"[^\s/,:\x00-\x1f][^/,:\x00-\x1f]{0,39}")
"""What can name a factor or a level."""

RESERVED: Final = "of"
"""No factor's name: ``variant.of`` is the setting that names the system."""


class _Level(NamedTuple):
    """A level of a factor, and what it changes, by the key or the part of a key."""

    name: str
    line: int
    changes: Mapping[str, Node]


def expand_variants(
    name: str, node: Node, read_system: Callable[[Node], SystemSpec]
) -> Iterator[tuple[str, SystemSpec]]:
    """Return the systems that an entry of ``systems`` stands for: itself, or one for each of its variants.

    ``variants`` is a list of named changes, or a mapping of factors to their levels, which are crossed: each level of
    one with each level of the others.

    Args:
        name: the system's name.
        node: the entry.
        read_system: reads an entry without variants.

    Raises:
        InputError: a variant that cannot be used, with its line.
    """
    keys = node.mapping()
    if "variants" not in keys:
        yield name, read_system(node)
        return
    given = keys["variants"]
    plain = {key: value for key, value in keys.items() if key != "variants"}
    factors = {FLAT: _listed(given)} if isinstance(given.value, list) else _factors(given)
    _require_apart(factors)
    total = 1
    for levels in factors.values():
        total *= len(levels)
    if total > MOST:
        given.refuse(f"these variants make {total} systems of {name!r}", remedy=f"Make {MOST} at most")
    for chosen in product(*factors.values()):
        changed = _changed(plain, chosen)
        line = max(level.line for level in chosen)
        if "prompt" not in changed:
            text = f"the variant {SEPARATOR.join(level.name for level in chosen)} of {excerpt(name)} has no prompt"
            raise InputError(
                text, file=node.file, row=line, remedy="Give one to the variant or to its system"
            )
        levels = {factor: level.name for factor, level in zip(factors, chosen, strict=True)}
        spec = read_system(Node(changed, node.line, node.file, node.key))
        yield (
            SEPARATOR.join((name, *levels.values())),
            replace(spec, variant=Variant(of=name, levels=levels)),
        )


def _listed(node: Node) -> list[_Level]:
    """Return the variants of a list, each with its name among its keys."""
    found: list[_Level] = []
    for entry in cast("list[Node]", node.value):
        keys = entry.mapping(("name", *VARIANT_KEYS))
        if "name" not in keys:
            entry.refuse("the key 'name' is missing", remedy="Write - {name: terse, prompt: …}")
        label = _named(keys["name"].text(), keys["name"])
        found.append(_Level(label, entry.line, _leaves({key: keys[key] for key in keys if key != "name"})))
    return _some(found, node, what="variant")


def _factors(node: Node) -> dict[str, list[_Level]]:
    """Return the levels of each factor."""
    factors: dict[str, list[_Level]] = {}
    for factor, levels in node.mapping(
        remedy="Write a list of variants, or factors with their levels"
    ).items():
        _named(factor, levels)
        if factor == RESERVED:
            levels.refuse(f"a factor cannot be named {RESERVED!r}", remedy="Give it another name")
        if factor in VARIANT_KEYS:
            levels.refuse(
                f"{factor!r} stands where a factor's name is needed",
                remedy="Write variants: {wording: {plain: {}, terse: {prompt: …}}}, or a list of variants",
            )
        found = [
            _Level(_named(label, level), level.line, _leaves(_changes(level)))
            for label, level in levels.mapping(remedy="Write {plain: {}, terse: {prompt: …}}").items()
        ]
        factors[factor] = _some(found, levels, what="level")
    if not factors:
        node.refuse("no factor is named", remedy="Write {wording: {plain: {}, terse: {prompt: …}}}")
    return factors


def _changes(level: Node) -> dict[str, Node]:
    """Return what a level changes; nothing at all is a level that leaves the system as it is."""
    return {} if level.value is None else level.mapping(VARIANT_KEYS)


def _some(found: list[_Level], node: Node, *, what: str) -> list[_Level]:
    if len(found) < 2:
        node.refuse(f"one {what} alone is nothing to compare", remedy="Give at least two")
    names = [level.name for level in found]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(
                f"the {what} {excerpt(name)} stands twice",
                file=node.file,
                row=found[place].line,
                remedy="Keep one",
            )
    return found


def _named(name: str, node: Node) -> str:
    if not NAME.fullmatch(name):
        node.refuse(
            f"{excerpt(name)} cannot name a factor or a level",
            remedy="Use up to 40 letters, without slash, comma and colon",
        )
    return name


def _leaves(changes: Mapping[str, Node]) -> dict[str, Node]:
    """Return the changes by key, those of ``values`` and ``shots`` by their parts."""
    found: dict[str, Node] = {}
    for key, node in changes.items():
        if key in MERGED:
            found |= {f"{key}.{part}": value for part, value in node.mapping().items()}
        else:
            found[key] = node
    return found


def _require_apart(factors: Mapping[str, list[_Level]]) -> None:
    """Refuse a crossing in which two factors change the same thing: the later one would hide the other."""
    for one, other in combinations(factors, 2):
        touched = {key for level in factors[one] for key in level.changes}
        for level in factors[other]:
            for key, node in level.changes.items():
                if key in touched:
                    node.refuse(
                        f"the factors {one!r} and {other!r} both change {key!r}, so they cannot be crossed",
                        remedy="Let one factor change it, or write a list of variants",
                    )


def _changed(keys: Mapping[str, Node], chosen: tuple[_Level, ...]) -> dict[str, Node]:
    """Return a system's entry with the changes of one level of each factor."""
    found = dict(keys)
    for key, node in (change for level in chosen for change in level.changes.items()):
        head, dot, part = key.partition(".")
        if dot:
            before = found[head].mapping() if head in found else {}
            found[head] = Node({**before, part: node}, node.line, node.file, head)
        else:
            found[key] = node
    return found
