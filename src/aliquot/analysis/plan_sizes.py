"""How many items a target takes, and what a number of items is worth."""

from __future__ import annotations

import math
from collections.abc import Iterator

from aliquot.analysis.costs import Price
from aliquot.analysis.plan_design import Design, Pilot, Wish
from aliquot.analysis.plan_guesses import ShareGuess
from aliquot.analysis.settle import fewest_units
from aliquot.findings.planning import AttemptsOption, Goal, LabelsOption, Needed, PowerPoint
from aliquot.stats.distributions import normal_quantile, two_sided_z
from aliquot.stats.power_labels import labels_sample_size
from aliquot.stats.results import Undefined

MOST_ITEMS = 1_000_000
"""Items above which a number is out of reach."""

ATTEMPTS = (1, 2, 4, 8)

JUDGED = (1, 2, 5, 10)
"""How many times the items that labels alone would take the judge reads."""

FEWEST_LABELS = 10
"""Labels under which no judge is corrected."""


def items_needed(design: Design, wish: Wish, price: Price) -> Iterator[Needed]:
    """Yield the items that each goal named takes, under each guess, with their time and cost."""
    goals: tuple[tuple[Goal, float | None], ...] = (("differ", wish.difference), ("not_worse", wish.margin))
    for goal, size in goals:
        if size is None:
            continue
        for guess in design.guesses:
            items = _of_design(guess.items_for(goal, abs(size)), design, least=fewest_units(wish.test_level))
            known = isinstance(items, int)
            yield Needed(
                goal=goal,
                psi=guess.psi_for(goal, abs(size)),
                items=items,
                seconds=items * price.seconds if known and price.seconds is not None else None,
                cost=items * price.cost if known and price.cost is not None else None,
            )


def items_within(design: Design, half_width: float) -> int | Undefined:
    """Return the items whose interval of the difference has a half width."""
    return _of_design(design.best.items_within(half_width), design)


def items_worth(design: Design, wish: Wish, n: int) -> PowerPoint:
    """Return what ``n`` items are worth; how a lucky hit would mislead is told below a power of one half."""
    independent = max(1.0, n / design.effect)
    detectable = design.best.detectable(independent)
    if wish.difference is None:
        return PowerPoint(n, None, detectable, None, None)
    size = abs(wish.difference)
    power = design.best.power(independent, size)
    errors = design.best.errors(independent, size) if power < 0.5 else None
    if errors is None:
        return PowerPoint(n, power, detectable, None, None)
    return PowerPoint(n, power, detectable, errors.type_m, errors.type_s)


def items_by_attempts(pilot: Pilot, wish: Wish) -> Iterator[AttemptsOption]:
    """Yield items against attempts, from the pilot's variance between items (by cluster) and within them."""
    repeats = pilot.repeats
    if repeats is None or wish.difference is None or wish.judged:
        return
    z = two_sided_z(wish.test_level) + normal_quantile(wish.power)
    for k in ATTEMPTS:
        needed = (repeats.between + repeats.within / k) * (z / wish.difference) ** 2
        items = _reachable(math.ceil(max(needed, fewest_units(wish.test_level))))
        yield AttemptsOption(k, items, 2 * k * items if isinstance(items, int) else None)


def items_by_labels(design: Design, wish: Wish) -> Iterator[LabelsOption]:
    """Yield items judged against items labelled, for a difference corrected by labels (PPI++).

    The labels' own items are as many as the difference takes without a judge; those that only the judge reads stand
    in for a share of them.
    """
    best = design.best
    if not wish.judged or wish.difference is None or not isinstance(best, ShareGuess):
        return
    size = abs(wish.difference)
    alone = _of_design(best.unjudged().items_for("differ", size), design, least=fewest_units(wish.test_level))
    if isinstance(alone, Undefined):
        return
    for times in JUDGED:
        labels = labels_sample_size(alone, judged=times * alone, r2=best.seen_r2(size))
        yield LabelsOption(times * alone, max(FEWEST_LABELS, labels))


def _of_design(independent: float | Undefined, design: Design, *, least: int = 1) -> int | Undefined:
    """Return the items of this design that are worth so many independent ones."""
    if isinstance(independent, Undefined):
        return independent
    return _reachable(math.ceil(max(independent, least) * design.effect))


def _reachable(items: int) -> int | Undefined:
    return items if items <= MOST_ITEMS else Undefined(f"more than {MOST_ITEMS:,} items would be needed")
