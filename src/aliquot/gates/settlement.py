"""How many items would settle a condition that is open, and what those that lack would cost."""

from __future__ import annotations

import math
from typing import Final

from aliquot.analysis.costs import Price, price_of
from aliquot.analysis.settle import MOST_ITEMS, POWER
from aliquot.findings.comparison import Settlement
from aliquot.gates.held import Held, Sides
from aliquot.stats.distributions import normal_quantile
from aliquot.stats.results import Estimate, Undefined

_METHOD: Final = "normal"


def settle(sides: Sides, left_open: list[Held]) -> Settlement | Undefined:
    """Return the items with which every open condition would be settled with 80% power if what was seen is true.

    A loss smaller than the margin is shown when L > −m, a larger one when the test rejects; items are as these.

    Args:
        sides: who is held against whom, for the price of an item.
        left_open: the blocking conditions that are undecided.
    """
    needed = [_needed(one, level=sides.choices.level) for one in left_open]
    unknown = next((one for one in needed if isinstance(one, Undefined)), None)
    if unknown is not None or not needed:
        return unknown or Undefined("nothing is open")
    items = max(one for one in needed if not isinstance(one, Undefined))
    systems = [name for name in (sides.baseline, sides.candidate) if name]
    price: Price = price_of(sides.evidence, *systems, task=sides.task)
    lacking = max(0, items - max(one.n for one in left_open))
    return Settlement(
        items=items,
        power=POWER,
        seconds=None if price.seconds is None else lacking * price.seconds,
        cost=None if price.cost is None else lacking * price.cost,
        currency=price.currency,
        method=_METHOD,
    )


def _needed(held: Held, *, level: float) -> int | Undefined:
    found = held.shown.estimate
    if isinstance(found, Undefined):
        return found
    gap = _gap(held, found)
    error = _error(held, found)
    if not error:
        return Undefined(f"{held.name}: the items show no variation to plan with")
    z = normal_quantile(0.5 + level / 2) + normal_quantile(POWER)
    needed = held.n * (z * error / gap) ** 2 if gap else math.inf
    if not needed <= MOST_ITEMS:
        return Undefined(
            f"{held.name} lies so near its limit that more than {MOST_ITEMS:,} items would be needed"
        )
    return max(math.ceil(needed), held.n + 1)


def _gap(held: Held, found: Estimate) -> float:
    """Return how far what was seen is from what would have to be excluded: the margin, no loss, or the floor."""
    if held.shown.asked is not None:
        return abs(found.point - held.shown.asked)
    gain = -found.point if held.shown.better == "lower" else found.point
    margin = held.shown.margin or 0.0
    return gain + margin if gain > -margin else abs(gain)


def _error(held: Held, found: Estimate) -> float:
    """Return the standard error, read off the interval where the method names none, or none that can be planned with.

    Of two item sets the error by itself takes a side whose answers are all right, however few, for one that never errs.
    """
    if found.se and (held.comparison is None or held.comparison.paired):
        return found.se
    z = normal_quantile(0.5 + found.level / 2)
    return 0.0 if math.isinf(found.width) else found.width / 2 / z
