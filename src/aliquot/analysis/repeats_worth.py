"""What more attempts at the same items would bring."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from aliquot.analysis.arrays import PairedSample, SystemSample
from aliquot.analysis.attempts_seen import attempt_values
from aliquot.analysis.settle import POWER
from aliquot.evidence.tables import Evidence
from aliquot.evidence.units import Pairs, Units
from aliquot.findings.power_seen import RepeatsWorth
from aliquot.findings.scale import Scale
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.distributions import normal_quantile
from aliquot.stats.inputs import Floats, as_weights
from aliquot.stats.repeats import item_means, precision_table
from aliquot.stats.results import Estimate, Undefined

MOST_ATTEMPTS: Final = 100
"""More attempts at each item than this are no plan."""

_ATTEMPTS: Final = (1, 2, 4, 8)


def find_repeats_worth(
    evidence: Evidence,
    pairs: Pairs,
    sample: PairedSample,
    difference: Estimate | Undefined,
    scale: Scale,
    *,
    level: float,
) -> RepeatsWorth | Undefined:
    """Return what more attempts at the same items would do: variance within items falls, that between them stays.

    V at k attempts of each system is between/n + within/(n k), with ``within`` the mean of the attempts' own variance
    of both systems and between what V holds beyond it; with clusters V is by cluster. An item with one attempt takes
    the mean of the others.

    Args:
        evidence: the tables, for the values of single attempts at a graded metric.
        pairs: the shared items.
        sample: those with a value on both sides.
        difference: the observed difference.
        scale: the metric's scale.
        level: confidence level.
    """
    if isinstance(difference, Undefined):
        return difference
    sides = sample.baseline(), sample.candidate()
    if any((side.attempts < 2).all() for side in sides):
        return Undefined("one attempt at an item does not show how its answers vary; ask items twice or more")
    seen = cluster_variance(sample.d, clusters=sample.clusters, weights=sample.weights)
    if isinstance(seen, Undefined):
        return seen
    within_a, within_b = (
        _within(evidence, units, side, scale)
        for units, side in zip((pairs.baseline, pairs.candidate), sides, strict=True)
    )
    squares = sample.n * as_weights(sample.weights, sample.n) ** 2
    within = float(squares @ (within_a + within_b))
    held = float(squares @ (within_a / sample.k_a + within_b / sample.k_b))
    between = max(0.0, sample.n * seen.variance - held)
    attempts = 1 / float(np.concatenate([1 / sample.k_a, 1 / sample.k_b]).mean())
    return RepeatsWorth(
        between=between,
        within=within,
        precision=precision_table(between, within, items=[sample.n], attempts=_ATTEMPTS),
        attempts=attempts,
        to_settle=_attempts_to_settle(
            difference, between=between, within=within, n=sample.n, now=attempts, level=level
        ),
    )


def _within(evidence: Evidence, units: Units, sample: SystemSample, scale: Scale) -> Floats:
    """Return the unbiased variance of one attempt on each item: k p(1 − p)/(k − 1) for pass or fail."""
    k, several = sample.attempts, sample.attempts > 1
    if scale.kind == "binary":
        found = k * sample.values * (1 - sample.values) / np.maximum(k - 1, 1)
    else:
        rows = attempt_values(evidence, units)
        items = rows["item"].to_numpy()
        variances = item_means(rows["value"].to_numpy(), items=items).variances
        known = dict(zip(np.unique(items).tolist(), variances.tolist(), strict=True))
        found = np.array([known[item] for item in sample.items])
    return np.where(several, found, found[several].mean())


def _attempts_to_settle(
    difference: Estimate, *, between: float, within: float, n: int, now: float, level: float
) -> int | Undefined:
    """Return k with (between + within/k)/n = (d̂/(z + z_power))²."""
    if difference.low > 0 or difference.high < 0:
        return Undefined("the difference is already settled")
    if difference.point == 0:
        return Undefined("no difference was seen, so no number of attempts would show it")
    z = normal_quantile(0.5 + level / 2) + normal_quantile(POWER)
    room = n * (difference.point / z) ** 2 - between
    if room <= 0:
        return Undefined(
            "these items differ too much among themselves: it takes more items, not more attempts"
        )
    needed = max(math.ceil(within / room), math.floor(now) + 1)
    if needed > MOST_ATTEMPTS:
        return Undefined(f"more than {MOST_ATTEMPTS} attempts at each item would be needed")
    return needed
