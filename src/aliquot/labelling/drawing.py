"""Which answers are labelled, with which probability, by whom, in which order: drawn by a seed, and on record."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

import numpy as np

from aliquot.errors import UsageError
from aliquot.stats.label_plan import allocate_labels

Role: TypeAlias = Literal["shared", "own", "repeat", "known"]
"""Why an answer is in a rater's list: everybody labels it, this rater alone does, it comes again, or its right label
is known."""

_EARLY: Final = 0.4
"""Answers that come again are among this share of a list at its beginning, and come again in this share at its end."""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is drawn together: an answer, or all answers to an item.

    Attributes:
        members: places of its answers.
        stratum: within which it is drawn; "" when there are none.
    """

    members: tuple[int, ...]
    stratum: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A place in a rater's list.

    Attributes:
        answer: place of the answer among those drawn.
        role: why it is there.
        swapped: of a pair, whether the second answer stands first.
    """

    answer: int
    role: Role
    swapped: bool = False


def draw_units(
    units: Sequence[Unit], n: int, *, seed: int, counts: Mapping[str, int] | None = None
) -> dict[int, float]:
    """Draw units without replacement, in proportion to the strata or as many of each as is planned.

    Args:
        units: everything that can be drawn.
        n: units to draw.
        seed: seed of the draw.
        counts: units of each stratum, by plan; None for shares in proportion, at least two of each.

    Returns:
        Place of each unit drawn → the probability with which it was.

    Raises:
        UsageError: more than there are.

    Examples:
        >>> found = draw_units([Unit((i,), "ab"[i % 2]) for i in range(40)], 10, seed=1)
        >>> len(found), set(found.values())
        (10, {0.25})
    """
    if not 1 <= n <= len(units):
        raise UsageError(f"{n} cannot be drawn from {len(units)}; ask for 1 to {len(units)}")
    strata: dict[str, list[int]] = defaultdict(list)
    for place, unit in enumerate(units):
        strata[unit.stratum].append(place)
    names = sorted(strata)
    sizes = [len(strata[name]) for name in names]
    if counts is None:
        shares = allocate_labels(
            n, sizes, [0.5] * len(names), rows=sizes, at_least=2 if n >= 2 * len(names) else 0
        ).tolist()
    else:
        shares = [min(counts.get(name, 0), size) for name, size in zip(names, sizes, strict=True)]
    rng = np.random.default_rng(seed)
    drawn: dict[int, float] = {}
    for name, share, size in zip(names, shares, sizes, strict=True):
        for index in sorted(rng.permutation(size)[:share].tolist()):
            drawn[strata[name][index]] = share / size
    return dict(sorted(drawn.items()))


def assign(
    groups: Sequence[Sequence[int]],
    raters: Sequence[str],
    *,
    overlap: int,
    repeats: int = 0,
    known: Sequence[int] = (),
    pairs: bool = False,
    seed: int,
) -> dict[str, list[Entry]]:
    """Return each rater's list: the answers everybody labels, an even part of the others, in an order of their own.

    Of a pair each answer stands first for half of a rater's list, and for half of the raters of a shared pair.

    Args:
        groups: answers that stay together, by their places among those drawn.
        raters: who labels.
        overlap: answers that everybody labels; whole groups are taken until there are as many.
        repeats: answers that come a second time in each list.
        known: answers whose right label is known, mixed into every list.
        pairs: whether two answers are compared.
        seed: seed of the assignment.

    Raises:
        UsageError: more answers are shared than drawn, or more come again than a list has room for.

    Examples:
        >>> lists = assign([(i,) for i in range(80)], ["ana", "ben"], overlap=20, seed=11)
        >>> {name: len(entries) for name, entries in lists.items()}
        {'ana': 50, 'ben': 50}
    """
    total = sum(map(len, groups))
    if not 0 <= overlap <= total:
        raise UsageError(f"an overlap of {overlap} is more than the {total} answers that are drawn")
    rng = np.random.default_rng([seed, 1])
    order: list[int] = rng.permutation(len(groups)).tolist()
    shared: list[int] = []
    while order and len(shared) < (total if len(raters) == 1 else overlap):
        shared.extend(groups[order.pop(0)])
    own: list[list[int]] = [[] for _ in raters]
    for group in order:  # the shortest list takes the next group, the first rater's on a tie
        min(own, key=len).extend(groups[group])
    sides = _sides(total, rng=rng) if pairs else {}
    lists: dict[str, list[Entry]] = {}
    for place, (name, mine) in enumerate(zip(raters, own, strict=True)):
        entries = [
            *(Entry(one, "shared", sides.get(one, False) ^ bool(place % 2 and pairs)) for one in shared),
            *(Entry(one, "own", sides.get(one, False)) for one in mine),
        ]
        lists[name] = _ordered(entries, known, repeats, rng=np.random.default_rng([seed, 2, place]))
    return lists


def _sides(total: int, *, rng: np.random.Generator) -> dict[int, bool]:
    """Return for half of the pairs, drawn at random, that the second answer stands first."""
    order = rng.permutation(total).tolist()
    return {one: at < total // 2 for at, one in enumerate(order)}


def _ordered(
    entries: Sequence[Entry], known: Sequence[int], repeats: int, *, rng: np.random.Generator
) -> list[Entry]:
    """Return a list in random order, what comes again at its end."""
    every = [*entries, *(Entry(one, "known") for one in known)]
    mixed = [every[at] for at in rng.permutation(len(every)).tolist()]
    if not repeats:
        return mixed
    head = max(1, int(_EARLY * len(mixed)))
    early = [entry for entry in mixed[:head] if entry.role != "known"]
    if repeats > len(early):
        raise UsageError(
            f"{repeats} answers cannot come again in a list of {len(mixed)}; ask for at most {len(early)} "
            "(those at its beginning)"
        )
    again = [early[at] for at in rng.permutation(len(early))[:repeats].tolist()]
    start = len(mixed) - head
    tail = [*mixed[start:], *(Entry(one.answer, "repeat", not one.swapped) for one in again)]
    return [*mixed[:start], *(tail[at] for at in rng.permutation(len(tail)).tolist())]
