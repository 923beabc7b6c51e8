"""Examples shown before the question: which ones an item is asked with, and in which order."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from aliquot.errors import InputError, UsageError, nearest
from aliquot.evidence.identity import inputs_text
from aliquot.item_sets.items import Item, ItemSet, digest
from aliquot.item_sets.option_order import AS_GIVEN, OptionOrder, arranged
from aliquot.item_sets.sources import load

OWN_ITEMS: Final = "items"
"""The source that means the evaluation's own item set."""

SHOTS: Final = "shots"
"""The name under which a prompt sees them."""


@dataclass(frozen=True, slots=True)
class ShotsSpec:
    """Which examples are shown.

    Attributes:
        source: ``items`` (the evaluation's own), a bundled item set, or a path to ``.jsonl`` or ``.csv``.
        field: instead, the field of each item that lists its own examples.
        n: how many.
        seed: seed of the choice and of the order.
    """

    source: str | None = None
    field: str | None = None
    n: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.n and (self.source is None) == (self.field is None):
            raise UsageError("shots come either from a file of examples or from a field of the items")

    def __str__(self) -> str:
        where = f"field {self.field}" if self.source is None else self.source
        return f"{self.n} from {where}, seed {self.seed}" if self.n else "0"


class Shots:
    """The examples of one system.

    All items see the same examples in the same order, but that the item itself, one that asks the same, or one of its
    cluster or conversation is passed over for the next. An example's options stand in the order in which the system
    sees options.

    Args:
        spec: which ones.
        items: the evaluation's own items.
        cluster: the field that names an item's cluster.
        order: the order of options.

    Raises:
        UsageError: no such source or field.
        InputError: a source that cannot be read.
    """

    def __init__(
        self, spec: ShotsSpec, items: ItemSet, *, cluster: str | None = None, order: OptionOrder = AS_GIVEN
    ) -> None:
        self._spec, self._cluster, self._order = spec, cluster, order
        pool: Sequence[Item] = ()
        if spec.n and spec.source is not None:
            pool = items.items if spec.source == OWN_ITEMS else load(spec.source).items
        elif spec.n and spec.field not in items.field_names:
            raise UsageError(
                f"shots: items of {items.name!r} have no field {spec.field!r}. "
                f"{nearest(spec.field or '', items.field_names)}"
            )
        self._own = spec.source == OWN_ITEMS
        self._pool = tuple(sorted(pool, key=lambda example: self._rank(example.id)))
        self._asks = tuple(inputs_text(example.inputs) for example in self._pool)

    @property
    def n(self) -> int:
        """How many an item is asked with."""
        return self._spec.n

    @property
    def hash(self) -> str:
        """SHA-256 over the examples there are to choose from; empty when items carry their own."""
        return digest([dict(example.fields) for example in self._pool]) if self._pool else ""

    def of(self, item: Item) -> list[dict[str, object]]:
        """Return the fields of the examples an item is asked with.

        Raises:
            InputError: there are not enough.
        """
        if not self.n:
            return []
        chosen = self._listed(item) if self._spec.source is None else self._drawn(item)
        if len(chosen) < self.n:
            where = f"its field {self._spec.field!r}" if self._spec.source is None else self._spec.source
            raise InputError(
                f"item {item.id!r} finds {len(chosen)} examples in {where}, and its shots need {self.n}",
                row=item.row,
                field=SHOTS,
                remedy="Give more examples, or a smaller n",
            )
        return [dict(arranged(example, self._order).fields) for example in chosen]

    def _drawn(self, item: Item) -> list[Item]:
        asks, mine = inputs_text(item.inputs), self._cluster_of(item)
        chosen: list[Item] = []
        for example, asked in zip(self._pool, self._asks, strict=True):
            if len(chosen) == self.n:
                break
            itself = (self._own and example.id == item.id) or asked == asks
            if not itself and (mine is None or self._cluster_of(example) != mine):
                chosen.append(example)
        return chosen

    def _listed(self, item: Item) -> list[Item]:
        """Return the examples an item carries itself, the same as it left out."""
        listed = item.fields.get(self._spec.field or "")
        found = cast("list[Any]", listed) if isinstance(listed, list) else []
        if any(not isinstance(one, Mapping) for one in found):
            raise InputError(
                f"item {item.id!r}: the field {self._spec.field!r} must list examples with fields "
                "(question, reference)",
                row=item.row,
                field=self._spec.field,
            )
        examples = [Item(str(place), one, row=item.row) for place, one in enumerate(found)]
        asks = {name: value for name, value in item.inputs.items() if name != self._spec.field}
        others = [one for one in examples if one.inputs != {name: asks.get(name) for name in one.inputs}]
        return sorted(others, key=lambda one: self._rank(one.id))[: self.n]

    def _cluster_of(self, item: Item) -> str | None:
        return item.cluster(self._cluster)

    def _rank(self, example: str) -> bytes:
        """Return what sorts examples; a hash, so that the order is the same on every machine and version."""
        text = f"{self._spec.seed}\x1f{SHOTS}\x1f{example}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
