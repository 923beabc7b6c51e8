"""In which order a run asks its items, drawn from its seed before anything is asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

import numpy as np

from aliquot.item_sets.items import Item

ORDER: Final = (
    "numpy default_rng([seed, 1]) permutation of the ids in byte order; a conversation stands where its first turn "
    "falls; the items of the smoke test first: every item as likely, a systematic draw along the strata by "
    "default_rng([seed, 2])"
)
"""How the order of a run comes about; recorded with it."""

ORDER_OF_UNITS: Final = (
    "numpy default_rng([seed, 1]) permutation of the ids in byte order; a conversation or cluster stands whole where "
    "its first item falls, and each is asked of every system before the next, as the run may stop after any of them"
)
"""How the order of a run that may stop after any unit comes about; recorded with it."""


def ordered(items: tuple[Item, ...], *, seed: int) -> tuple[Item, ...]:
    """Return the items in the order that the seed draws; turns of a conversation stay together."""
    by_id = sorted(items, key=lambda item: item.id.encode("utf-8", "surrogatepass"))
    drawn = [by_id[index] for index in np.random.default_rng([seed, 1]).permutation(len(by_id))]
    threads: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in items:
        threads[_thread(item)].append(item)
    return tuple(turn for item in drawn if item.before is None for turn in threads[_thread(item)])


def unit_of(item: Item, cluster: str | None) -> tuple[str, str]:
    """Return what tells units of analysis apart: the cluster, or the item alone."""
    name = item.cluster(cluster)
    return ("item", item.id) if name is None else ("cluster", name)


def group_units(items: tuple[Item, ...], cluster: str | None) -> tuple[Item, ...]:
    """Return the items with each cluster whole, where its first item stands."""
    together: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in items:
        together[unit_of(item, cluster)].append(item)
    return tuple(item for unit in together.values() for item in unit)


def _thread(item: Item) -> tuple[str, str]:
    """Return what tells threads apart: the conversation, or the item alone."""
    return ("item", item.id) if item.conversation is None else ("conversation", item.conversation)


def threads_of(items: Iterable[Item]) -> list[tuple[Item, ...]]:
    """Return the items as they are asked together: the turns of a conversation, or a single item."""
    return [tuple(together) for _, together in groupby(items, key=_thread)]


def smoke_threads(threads: Sequence[tuple[Item, ...]], first: int) -> int:
    """Return how many threads make the smoke test: about so many turns, and one at least."""
    turns = sum(map(len, threads))
    return min(len(threads), max(1, round(first * len(threads) / turns)))


def smoke_first(
    items: tuple[Item, ...], *, first: int, seed: int, by: str | None, labels: Mapping[str, str]
) -> tuple[Item, ...]:
    """Return the items in order with those of the smoke test first, both parts in the order that was drawn.

    The smoke test is a systematic draw: the items stand by stratum and at random within it, and every n/k-th is taken
    from a random start. So each item is as likely to be in it, and each stratum has its share to within one item.
    Without a field to draw by, the strata are the right answers that several items share. A conversation is drawn
    whole, by its first turn.

    Args:
        items: in the order that was drawn.
        first: about how many make the smoke test.
        seed: the run's seed.
        by: the field whose values are the strata; None for what right answers are called.
        labels: what the right answer of each item is called, by id.
    """
    threads = threads_of(items)
    first = smoke_threads(threads, first)
    if first >= len(threads):
        return items
    shared = {label for label, count in Counter(labels.values()).items() if count > 1 and not by}

    def stratum(thread: tuple[Item, ...]) -> str:
        name = thread[0].text(by) if by else labels.get(thread[0].id)
        return name if name is not None and (by or name in shared) else ""

    along = sorted(
        range(len(threads)), key=lambda place: stratum(threads[place])
    )  # stable: at random within one
    start = np.random.default_rng([seed, 2]).random()
    chosen = {along[int((start + k) * len(along) / first)] for k in range(first)}
    places = sorted(range(len(threads)), key=lambda place: place not in chosen)
    return tuple(item for place in places for item in threads[place])
