"""A seeded, stratified part of an item set, and the record of how it was drawn."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from aliquot.errors import UsageError, nearest
from aliquot.item_sets.items import Item, ItemSet

SHARE: Final = re.compile(r"(\d+(?:\.\d+)?)\s*%")
"""How a share of an item set is written."""


def amount_of(said: int | str) -> int | str:
    """Return how many items are asked for: a number from 1, or a share of more than 0% up to 100% as it is written.

    Raises:
        UsageError: it is neither.

    Examples:
        >>> amount_of("12"), amount_of(12), amount_of(" 50 %")
        (12, 12, '50%')
    """
    text = str(said).strip()
    share = SHARE.fullmatch(text)
    if share is not None and 0 < Fraction(share[1]) <= 100:
        return f"{share[1]}%"
    if not isinstance(said, bool) and text.isascii() and text.isdigit() and int(text) >= 1:
        return int(text)
    raise UsageError(f"{said!r} is neither a number of items from 1 nor a share like 50%")


def count_of(amount: int | str, *, of: int) -> int:
    """Return the number of items that an amount means; a share is rounded up, so that it is never less than asked.

    Args:
        amount: a number of items, or a share as ``amount_of`` returns it.
        of: the number of items in the set.

    Examples:
        >>> [count_of("50%", of=of) for of in (3, 7)], count_of(12, of=100)
        ([2, 4], 12)
    """
    return amount if isinstance(amount, int) else math.ceil(Fraction(amount.rstrip("%")) * of / 100)


@dataclass(frozen=True, slots=True)
class Selection:
    """How the items of a run were chosen; part of its manifest.

    Attributes:
        how: ``all``, ``random`` or ``stratified``.
        n: items chosen.
        of: items in the set.
        asked: items asked for; ``n`` may be smaller where whole clusters did not fit.
        by: the field whose values are the strata.
        seed: seed of the draw.
        cluster: the field whose values were kept whole; ``conversation`` where they are those of the turns.
        strata: chosen and available items by stratum.
    """

    how: str
    n: int
    of: int
    asked: int | None = None
    by: str | None = None
    seed: int | None = None
    cluster: str | None = None
    strata: Mapping[str, tuple[int, int]] | None = None

    @property
    def partial(self) -> bool:
        """Whether items were left out."""
        return self.n < self.of


def sample(
    item_set: ItemSet, n: int, *, by: str | None = None, cluster: str | None = None, seed: int = 0
) -> tuple[tuple[Item, ...], Selection]:
    """Draw a part of the set without replacement, proportionally from each stratum.

    Shares are rounded by largest remainder, ties by stratum name. Where items carry a cluster, or are turns of a
    conversation, whole clusters are drawn: one that no longer fits in its stratum's share is passed over, and what is
    then wanting is drawn from all that is left, whatever its stratum, passing over what does not fit. The part holds
    fewer than ``n`` items only when no single item is left, and never more. A cluster belongs to the stratum of its
    first item. The same seed draws the same items.

    Args:
        item_set: the whole set.
        n: number of items.
        by: field whose values are the strata; None for a simple random part.
        cluster: field whose values are clusters, kept whole; conversations are, with or without it.
        seed: seed of the draw.

    Returns:
        The items in the order of the set, and how they were chosen.

    Raises:
        UsageError: ``n`` is not between 1 and the size of the set, or a field does not occur.

    Examples:
        >>> from aliquot.item_sets.sources import load
        >>> items, selection = sample(load("basics"), 24, by="segment", seed=7)
        >>> len(items), selection.strata["facts"]
        (24, (4, 38))
    """
    if not 1 <= n <= len(item_set):
        raise UsageError(
            f"a sample of {n} items cannot be drawn from {len(item_set)}; ask for 1 to {len(item_set)}"
        )
    for name in (by, cluster):
        if name is not None and name not in item_set.field_names:
            raise UsageError(
                f"items of {item_set.name!r} have no field {name!r}. {nearest(name, item_set.field_names)}"
            )
    rng = np.random.default_rng(seed)
    strata = _strata(item_set.items, by=by, cluster=cluster)
    sizes = {name: sum(map(len, units)) for name, units in strata.items()}
    chosen: set[str] = set()
    for name, share in _shares(sizes, n).items():
        chosen.update(_draw(strata[name], share, rng=rng))
    left = [unit for units in strata.values() for unit in units if unit[0].id not in chosen]
    chosen.update(_draw(left, n - len(chosen), rng=rng))
    counts = {
        name: (sum(item.id in chosen for unit in units for item in unit), sizes[name])
        for name, units in strata.items()
    }
    kept = tuple(item for item in item_set.items if item.id in chosen)
    return kept, Selection(
        how="stratified" if by else "random",
        n=len(kept),
        of=len(item_set),
        asked=n,
        by=by,
        seed=seed,
        cluster=cluster or ("conversation" if item_set.has_conversations else None),
        strata=counts if by else None,
    )


def _strata(items: Sequence[Item], *, by: str | None, cluster: str | None) -> dict[str, list[list[Item]]]:
    """Return each stratum's units (clusters, or single items), sorted by name and by first id."""
    units: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: item.id):
        shared = item.cluster(cluster)
        units["cluster" if shared else "item", shared or item.id].append(item)
    strata: dict[str, list[list[Item]]] = defaultdict(list)
    for unit in units.values():
        strata[(unit[0].text(by) or "") if by else ""].append(unit)
    return dict(sorted(strata.items()))


def _shares(sizes: Mapping[str, int], n: int) -> dict[str, int]:
    total = sum(sizes.values())
    exact = {name: n * size / total for name, size in sizes.items()}
    shares = {name: int(value) for name, value in exact.items()}
    left = n - sum(shares.values())
    for name in sorted(exact, key=lambda name: (shares[name] - exact[name], name))[:left]:
        shares[name] += 1
    return shares


def _draw(units: Sequence[Sequence[Item]], share: int, *, rng: np.random.Generator) -> list[str]:
    drawn: list[str] = []
    order: Any = rng.permutation(len(units))
    for index in order:
        if len(drawn) + len(units[index]) <= share:
            drawn.extend(item.id for item in units[index])
    return drawn
