"""What this design could have shown, and what would settle the difference that was seen."""

from __future__ import annotations

import math

import numpy as np

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.costs import Price
from aliquot.analysis.method import effective_items
from aliquot.findings.comparison import Comparison, Detectable, Settlement
from aliquot.findings.scale import Scale
from aliquot.stats.distributions import normal_quantile, two_sided_t
from aliquot.stats.power import connor_sample_size, detectable_difference, mcnemar_sample_size
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
    units, fewest = _units(sample), fewest_units(level)
    if units < fewest:
        kind = "items" if sample.clusters is None else "clusters"
        return Undefined(
            f"nothing at all, as the deciding test can reject from {fewest} {kind} on and here are {units}"
        )
    if scale.kind == "binary":
        return _detectable_rate(sample, difference, level=level)
    span = scale.span()
    if not difference.se or difference.df is None or "hull" in difference.method:
        return Undefined("too few items differ to tell")
    size = (two_sided_t(level, difference.df) + normal_quantile(POWER)) * difference.se
    if span is not None and size > span:
        return Undefined("nothing at all, as it would have to be wider than the scale")
    return Detectable(size, size, power=POWER, method="t")


def _detectable_rate(sample: PairedSample, difference: Estimate, *, level: float) -> Detectable | Undefined:
    worth = effective_items(sample, difference)
    found = detectable_difference(max(1.0, worth), psi=disagreement(sample), power=POWER, level=level)
    if isinstance(found, Undefined):
        return Undefined(f"nothing at all, as these items are worth about {worth:.0f} independent ones")
    return Detectable(found.low, found.high, power=POWER, method=found.method)


def fewest_units(level: float) -> int:
    """Return the fewest items (or clusters) of which a two-sided sign test can reject: 2^(1−G) at most 1 − level."""
    return 1 + math.ceil(-math.log2(1 - level) - 1e-9)


def _units(sample: PairedSample) -> int:
    return sample.n if sample.n_clusters is None else sample.n_clusters


def disagreement(sample: PairedSample) -> float:
    """Return ψ̂, the (weighted) share of items, or of pairs of attempts, on which the two systems differ."""
    a, b = sample.sides()
    return float(np.average(a * (1 - b) + b * (1 - a), weights=sample.weights))


def disagreement_of(comparison: Comparison) -> float | None:
    """Return ψ̂ of a comparison whose table of right and wrong is known."""
    table = comparison.table
    return None if table is None else (table.fixed + table.broke) / comparison.n_items


def open_difference(difference: Estimate | Undefined) -> Estimate | Undefined:
    """Return a difference that more items could settle, or why there is none."""
    if isinstance(difference, Undefined):
        return difference
    if difference.low > 0 or difference.high < 0:
        return Undefined("the difference is already settled")
    if difference.point == 0:
        return Undefined("no difference was seen, so no number of items would show it")
    return difference


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
    found = open_difference(difference)
    if isinstance(found, Undefined):
        return found
    needed = _needed_items(sample, found, scale, level=level)
    if isinstance(needed, Undefined):
        return needed
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
    """Return the items needed: those of the power calculation, more than there are, and units enough to reject at all.

    A binary sample keeps its design effect (items per independent item), a clustered one its cluster size.
    """
    too_many = Undefined(f"more than {MOST_ITEMS:,} items would be needed")
    if scale.kind == "binary":
        psi, size = disagreement(sample), abs(difference.point)
        if (
            connor_sample_size(psi, size, power=POWER, level=level) > MOST_ITEMS
        ):  # the exact test needs more yet
            return too_many
        found = mcnemar_sample_size(psi, size, power=POWER, level=level)
        if isinstance(found, Undefined):
            return found
        needed = found * max(1.0, sample.n / effective_items(sample, difference))
    elif difference.se:
        z = normal_quantile(0.5 + level / 2) + normal_quantile(POWER)
        needed = sample.n * (z * difference.se / abs(difference.point)) ** 2
    else:
        return Undefined("the differences show no variation to plan with")
    if not needed <= MOST_ITEMS:  # also when it overflowed
        return too_many
    enough = fewest_units(level) * sample.n / _units(sample)
    return max(math.ceil(needed), math.ceil(enough), sample.n + 1)
