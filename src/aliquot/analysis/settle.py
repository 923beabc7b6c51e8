"""What this design could have shown, and what would settle the difference that was seen."""

from __future__ import annotations

import math

import numpy as np

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.costs import Price
from aliquot.analysis.method import effective_items
from aliquot.findings.comparison import Detectable, Scale, Settlement
from aliquot.stats.distributions import normal_quantile, two_sided_t
from aliquot.stats.power import detectable_difference, mcnemar_sample_size
from aliquot.stats.results import Estimate, Undefined

POWER = 0.8
"""The power at which a difference counts as detectable."""

MOST_ITEMS = 100_000
"""Above this many items "what would settle it" is not a plan any more."""


def find_detectable(
    sample: PairedSample, difference: Estimate | Undefined, scale: Scale, *, level: float
) -> Detectable | Undefined:
    """Return the smallest difference shown with 80% power: exact McNemar on effective items, else by the t interval."""
    if isinstance(difference, Undefined):
        return difference
    clusters = sample.n_clusters
    if clusters is not None and 2.0 ** (1 - clusters) > 1 - level:
        return Undefined(f"nothing at all, as the sign-flip test of {clusters} clusters can never reject")
    if scale.kind == "binary":
        found = detectable_difference(
            effective_items(sample, difference), psi=disagreement(sample), power=POWER, level=level
        )
        if isinstance(found, Undefined):
            return found
        return Detectable(found.low, found.high, power=POWER, method=found.method)
    if not difference.se or difference.df is None:
        return Undefined("the differences show no variation to plan with")
    size = (two_sided_t(level, difference.df) + normal_quantile(POWER)) * difference.se
    return Detectable(size, size, power=POWER, method="t")


def disagreement(sample: PairedSample) -> float:
    """Return ψ̂, the (weighted) share of items, or of pairs of attempts, on which the two systems differ."""
    a, b = sample.sides()
    return float(np.average(a * (1 - b) + b * (1 - a), weights=sample.weights))


def find_settlement(
    sample: PairedSample, difference: Estimate | Undefined, scale: Scale, *, level: float, price: Price
) -> Settlement | Undefined:
    """Return how many items would show the observed difference with 80% power, and the price of the missing ones.

    Args:
        sample: items with a value on both sides.
        difference: the observed difference.
        scale: the metric's scale.
        level: confidence level.
        price: what one more item costs.
    """
    if isinstance(difference, Undefined):
        return difference
    if difference.low > 0 or difference.high < 0:
        return Undefined("the difference is already settled")
    if difference.point == 0:
        return Undefined("no difference was seen, so no number of items would show it")
    needed = _needed_items(sample, difference, scale, level=level)
    if isinstance(needed, Undefined):
        return needed
    if needed > MOST_ITEMS:
        return Undefined(f"more than {MOST_ITEMS:,} items would be needed")
    more = max(0, needed - sample.n)
    return Settlement(
        items=needed,
        power=POWER,
        seconds=None if price.seconds is None else more * price.seconds,
        cost=None if price.cost is None else more * price.cost,
        currency=price.currency,
        method="mcnemar_exact" if scale.kind == "binary" else "normal",
    )


def _needed_items(
    sample: PairedSample, difference: Estimate, scale: Scale, *, level: float
) -> int | Undefined:
    """Return the items needed; a binary sample keeps its design effect (items per independent item)."""
    if scale.kind == "binary":
        needed = mcnemar_sample_size(disagreement(sample), abs(difference.point), power=POWER, level=level)
        if isinstance(needed, Undefined):
            return needed
        return math.ceil(needed * max(1.0, sample.n / effective_items(sample, difference)))
    if not difference.se:
        return Undefined("the differences show no variation to plan with")
    z = normal_quantile(0.5 + level / 2) + normal_quantile(POWER)
    return math.ceil(sample.n * (z * difference.se / difference.point) ** 2)
