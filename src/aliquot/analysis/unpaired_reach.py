"""What two systems on different items could have shown, and what would settle the difference that was seen."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from aliquot.analysis.arrays import SystemSample
from aliquot.analysis.costs import Price
from aliquot.analysis.settle import MOST_ITEMS, POWER, open_difference
from aliquot.findings.comparison import Detectable, Settlement
from aliquot.findings.scale import Scale
from aliquot.stats.distributions import normal_quantile, two_sided_t
from aliquot.stats.power_exact_unpaired import unpaired_exact_detectable, unpaired_exact_sample_size
from aliquot.stats.power_unpaired import unpaired_detectable as smallest_difference
from aliquot.stats.power_unpaired import unpaired_sample_size
from aliquot.stats.results import Estimate, Undefined


def unpaired_detectable(
    sides: Sequence[SystemSample], difference: Estimate | Undefined, scale: Scale, *, level: float
) -> Detectable | Undefined:
    """Return the smallest difference shown with 80% power: by the pooled z test on effective items, else by t."""
    if isinstance(difference, Undefined):
        return difference
    if scale.kind == "binary":
        rate = float(np.average(sides[0].values, weights=sides[0].weights))
        worth = max(1.0, _harmonic(sides) / _design_effect(sides, difference))
        # at a rate of 0 or 1 the normal approximation does not hold
        exact = rate in {0.0, 1.0}
        sizes = [
            found
            for direction in ("up", "down")
            if not isinstance(
                found := unpaired_exact_detectable(
                    worth, rate=rate, power=POWER, level=level, direction=direction
                )
                if exact
                else smallest_difference(worth, rate=rate, power=POWER, level=level, direction=direction),
                Undefined,
            )
        ]
        if not sizes:
            return Undefined(f"nothing at all, as a side is worth about {worth:.0f} independent items")
        return Detectable(
            min(sizes), max(sizes), power=POWER, method="unpaired_exact" if exact else "unpaired_z"
        )
    if not difference.se or difference.df is None:
        return Undefined("too few items differ to tell")
    size = (two_sided_t(level, difference.df) + normal_quantile(POWER)) * difference.se
    span = scale.span()
    if span is not None and size > span:
        return Undefined("nothing at all, as it would have to be wider than the scale")
    return Detectable(size, size, power=POWER, method="t")


def unpaired_settlement(
    sides: Sequence[SystemSample],
    difference: Estimate | Undefined,
    scale: Scale,
    *,
    level: float,
    price: Price,
) -> Settlement | Undefined:
    """Return the items a system would need for 80% power at the observed difference, at this run's own prices."""
    difference = open_difference(difference)
    if isinstance(difference, Undefined):
        return difference
    if scale.kind == "binary":
        a, b = (float(np.average(side.values, weights=side.weights)) for side in sides)
        size, method = _items_for(a, b, level=level)
        needed = size * _design_effect(sides, difference)
    elif difference.se:
        z = normal_quantile(0.5 + level / 2) + normal_quantile(POWER)
        needed, method = _harmonic(sides) * (z * difference.se / abs(difference.point)) ** 2, "normal"
    else:
        return Undefined("the values show no variation to plan with")
    if not needed <= MOST_ITEMS:
        return Undefined(f"more than {MOST_ITEMS:,} items a system would be needed")
    items = max(math.ceil(needed), min(side.n for side in sides) + 1)
    more = sum(max(0, items - side.n) for side in sides) / 2
    return Settlement(
        items=items,
        power=POWER,
        seconds=None if price.seconds is None else more * price.seconds,
        cost=None if price.cost is None else more * price.cost,
        currency=price.currency,
        method=method,
    )


def _items_for(a: float, b: float, *, level: float) -> tuple[float, str]:
    """Items a system for two rates, and how they were found; at 0 or 1 the normal formula does not hold."""
    if not {a, b} & {0.0, 1.0}:
        return unpaired_sample_size(a, b, power=POWER, level=level), "unpaired_z"
    found = unpaired_exact_sample_size(a, b, power=POWER, level=level)
    return math.inf if isinstance(found, Undefined) else found, "unpaired_exact"


def _harmonic(sides: Sequence[SystemSample]) -> float:
    return 2 / sum(1 / side.n for side in sides)


def _design_effect(sides: Sequence[SystemSample], difference: Estimate) -> float:
    """Return how many times wider than that of independent items the variance of the difference is."""
    rates = [float(np.average(side.values, weights=side.weights)) for side in sides]
    independent = sum(rate * (1 - rate) / side.n for rate, side in zip(rates, sides, strict=True))
    return max(1.0, difference.se**2 / independent) if difference.se and independent else 1.0
