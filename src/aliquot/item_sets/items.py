"""What an item and an item set are, and when two items are the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from aliquot.evidence.identity import content_hash, inputs_text

NOT_INPUTS: Final = frozenset(
    {
        "id",
        "reference",
        "accept",
        "asserts",
        "expect",
        "never",
        "golden",
        "golden_is",
        "tools",
        "scorer",
        "cluster",
        "segment",
        "stratum",
        "weight",
    }
)
"""Fields that say how an item is scored, grouped or weighted; every other field is part of what it asks."""

PLACE: Final = frozenset({"conversation", "turn"})
"""Fields that every turn of a conversation has: whose turn it is, and which, from 1; no part of what it asks."""


@dataclass(frozen=True)
class Item:
    """One test case: a question of its own, or one turn of a conversation.

    Attributes:
        id: stable name, unique in its set.
        fields: everything its source says about it, by field name.
        row: the row of the source it came from, counted from 1.
        conversation: the id of the conversation whose turn it is; None for a question of its own.
        before: the turn before it in its conversation.
        shared: the fields that it has from its conversation and not of its own.
    """

    id: str
    fields: Mapping[str, object]
    row: int = field(default=0, compare=False)
    conversation: str | None = None
    before: Item | None = field(default=None, compare=False, repr=False)
    shared: frozenset[str] = field(default=frozenset(), compare=False, repr=False)

    @cached_property
    def inputs(self) -> Mapping[str, object]:
        """What the item asks: every field that does not score, group, weight or place it."""
        others = NOT_INPUTS if self.conversation is None else NOT_INPUTS | PLACE
        return {name: value for name, value in self.fields.items() if name not in others}

    @property
    def said(self) -> Mapping[str, object]:
        """What the item asks beyond what was asked before: of a later turn the fields of its own."""
        own = {name: value for name, value in self.inputs.items() if name not in self.shared}
        return own if own and self.before is not None else self.inputs

    @property
    def earlier(self) -> tuple[Item, ...]:
        """The turns before it in its conversation, the first one first."""
        if self.before is None:
            return ()
        found: list[Item] = []
        while (turn := (found[-1] if found else self).before) is not None:
            found.append(turn)
        return tuple(reversed(found))

    @property
    def reference(self) -> object:
        """The right answer: a text, a number, or an object; None when there is none."""
        return self.fields.get("reference")

    @property
    def accept(self) -> tuple[str, ...]:
        """Other answers that are right too."""
        given = self.fields.get("accept")
        if isinstance(given, list | tuple):
            return tuple(str(answer) for answer in given)
        return () if given is None else (str(given),)

    @property
    def expect(self) -> str | None:
        """``refuse`` when refusing is right, ``comply`` when it is not, None when nothing is said."""
        return self.text("expect")

    @cached_property
    def content(self) -> str:
        """SHA-256 over inputs and reference; the order of the keys does not matter.

        Of a later turn it covers what was asked before too: the same words after another beginning are another item.
        """
        asked: object = inputs_text(self.inputs)
        if earlier := self.earlier:
            asked = [*(inputs_text(turn.inputs) for turn in earlier), asked]
        return content_hash(asked, self.reference)

    def cluster(self, name: str | None) -> str | None:
        """Return what the item shares with others: the value of a field, else its conversation; None for nothing.

        Args:
            name: the field that names clusters, when there is one.
        """
        return (self.text(name) if name else None) or self.conversation

    def text(self, name: str) -> str | None:
        """Return a field as text; None when it is absent or empty."""
        value = self.fields.get(name)
        return None if value is None or value == "" else str(value)


@dataclass(frozen=True)
class ItemSet:
    """A named, versioned list of items.

    Attributes:
        name: the set's name; the default name of the task.
        items: the items in the order of their source.
        version: as its author counts, or "" when nothing is said.
        licence: under which the items may be used, or "".
        source: where it was read from, as the user named it.
    """

    name: str
    items: tuple[Item, ...]
    version: str = ""
    licence: str = ""
    source: str = ""

    @cached_property
    def hash(self) -> str:
        """SHA-256 over every field of every item; a changed scorer or segment changes it too."""
        return digest({item.id: dict(item.fields) for item in self.items})

    @property
    def has_conversations(self) -> bool:
        """Whether some items are turns of conversations."""
        return any(item.conversation is not None for item in self.items)

    @property
    def field_names(self) -> tuple[str, ...]:
        """Names of the fields that occur, sorted."""
        return tuple(sorted({name for item in self.items for name in item.fields}))

    def __len__(self) -> int:
        return len(self.items)


def digest(value: object) -> str:
    """Return the SHA-256 of a value's canonical JSON: sorted keys, no spaces, UTF-8.

    Examples:
        >>> digest({"a": 1, "b": [2]}) == digest({"b": [2], "a": 1})
        True
    """
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
