"""Confidence sequences: intervals that hold the truth at every n at once, so that one may look, and stop, at any time.

The unit is an item, or a cluster when items share a source; units come in an order that does not depend on what they
show. The intervals of a sequence are nested: what was left out once stays out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from aliquot.stats.bets import Bets, Units, as_bets, as_units, log_gains
from aliquot.stats.boundaries import (
    anytime_rate_limits,
    mixture_precision,
    normal_mixture_bound,
    prior_weight,
)
from aliquot.stats.inputs import Floats, Integers, as_binary, as_count, as_level, as_values
from aliquot.stats.paired import differences
from aliquot.stats.results import Alternative, Estimate, Record

SHOWN = 30
"""Steps a sequence shows when there are more units; limits count every unit between them."""
_FINE = 1e-10
"""How finely a limit is sought."""


@dataclass(frozen=True, slots=True)
class ConfidenceSequence(Record):
    """A point and its limits after so many units, for every number of units at once.

    Attributes:
        at: units seen at each step shown, rising.
        rows: rows seen at each step; as ``at`` without clusters.
        point: mean of the rows so far.
        low: lower limit: the highest so far.
        high: upper limit: the lowest so far.
        level: chance that all intervals, however many, hold the truth.
        method: the method's name.
        clusters: whether a unit is a cluster.
        settings: what else made the numbers.
    """

    at: Integers
    rows: Integers
    point: Floats
    low: Floats
    high: Floats
    level: float
    method: str
    clusters: bool = False
    settings: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def last(self) -> Estimate:
        """The estimate after the last unit."""
        return Estimate(
            point=float(self.point[-1]),
            low=float(self.low[-1]),
            high=float(self.high[-1]),
            level=self.level,
            method=self.method,
            n=float(self.rows[-1]),
            clusters=int(self.at[-1]) if self.clusters else None,
            settings=self.settings,
        )

    def __str__(self) -> str:
        return str(self.last)


def rate_sequence(y: ArrayLike, *, planned: float = 100, level: float = 0.95) -> ConfidenceSequence:
    """Confidence sequence of a rate from zeros and ones as they come: beta-binomial mixture.

    Args:
        y: 0 or 1 for each item in an order fixed beforehand; items independent (clusters:
            :func:`betting_sequence`).
        planned: n near which it is narrowest.
        level: confidence level of all steps together.

    Raises:
        UsageError: a value that is not 0 or 1, or a level out of range.

    References:
        Howard, Ramdas, McAuliffe & Sekhon (2021) Annals of Statistics 49:1055, proposition 7.

    Examples:
        >>> print(rate_sequence([1, 1, 0, 1] * 20))
        0.7500 [0.5938, 0.8760] 95% beta_binomial_mixture, n = 80
    """
    passed = as_binary(y, name="y")
    level, weight = as_level(level), prior_weight(as_count(planned, name="planned", at_least=1))
    sums, n = np.cumsum(passed), np.arange(1, passed.size + 1)
    low, high = anytime_rate_limits(sums, n, weight=weight, level=level)
    return _shown(n, sums / n, low, high, level=level, method="beta_binomial_mixture",
                  settings={"planned": planned})  # fmt: skip


def betting_sequence(
    y: ArrayLike,
    *,
    low: float = 0.0,
    high: float = 1.0,
    clusters: ArrayLike | None = None,
    largest: float | None = None,
    bets: Bets = "mixture",
    level: float = 0.95,
) -> ConfidenceSequence:
    """Confidence sequence of a bounded mean by betting: hedged capital, whatever the shape of the values.

    Args:
        y: values from ``low`` to ``high``, one a row, in an order fixed beforehand.
        low: smallest value possible.
        high: largest value possible.
        clusters: one label a row; a cluster is one bet and comes where its first row does. None: each row is one.
        largest: the most rows a cluster can have, known beforehand; None for the most that one here has.
        bets: ``mixture`` of eight stakes, or ``predictable`` plug-in stakes (sharper when few units decide).
        level: confidence level of all steps together.

    Raises:
        UsageError: a value outside the limits, or an argument of the wrong shape or range.

    References:
        Waudby-Smith & Ramdas (2024) JRSS B 86:1, theorem 3; mixture of stakes: section B.4 there.

    Examples:
        >>> print(betting_sequence([0.9, 1.0, 0.7, 0.8, 1.0, 0.95] * 5))
        0.8917 [0.7312, 0.9448] 95% betting_mixture, n = 30
    """
    units = as_units(y, low=low, high=high, clusters=clusters, largest=largest)
    return sequence_of(units, low=low, high=high, bets=as_bets(bets), level=as_level(level))


def paired_sequence(
    a: ArrayLike,
    b: ArrayLike,
    *,
    low: float = 0.0,
    high: float = 1.0,
    clusters: ArrayLike | None = None,
    largest: float | None = None,
    bets: Bets = "mixture",
    level: float = 0.95,
) -> ConfidenceSequence:
    """Confidence sequence of the difference of two means on shared items, by betting on each item's difference.

    Args:
        a: the baseline's value on each item, from ``low`` to ``high``, in an order fixed beforehand.
        b: the candidate's value on the same items.
        low: smallest value a score can take.
        high: largest value a score can take.
        clusters: one label an item; None when items are independent.
        largest: as in :func:`betting_sequence`.
        bets: as in :func:`betting_sequence`.
        level: confidence level of all steps together.

    Raises:
        UsageError: lengths differ, or a value lies outside the limits.

    References:
        Waudby-Smith & Ramdas (2024) JRSS B 86:1, theorem 3, on (d + 1)/2.

    Examples:
        >>> print(paired_sequence([0, 1, 0, 1, 0] * 8, [1, 1, 0, 1, 1] * 8))
        0.4000 [0.1459, 0.6462] 95% betting_mixture, n = 40
    """
    d = differences(as_values(a, name="a", low=low, high=high), as_values(b, name="b", low=low, high=high))
    span = high - low
    units = as_units(d, low=-span, high=span, clusters=clusters, largest=largest)
    return sequence_of(units, low=-span, high=span, bets=as_bets(bets), level=as_level(level))


def empirical_bernstein_sequence(
    y: ArrayLike,
    *,
    low: float = 0.0,
    high: float = 1.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> ConfidenceSequence:
    """Confidence sequence of a bounded mean in closed form; wider than betting, and quick to compute by hand.

    Args:
        y: independent values from ``low`` to ``high`` in an order fixed beforehand.
        low: smallest value possible.
        high: largest value possible.
        alternative: ``two-sided``; ``greater`` for a lower limit, ``less`` for an upper limit only.
        level: confidence level of all steps together.

    Raises:
        UsageError: a value outside the limits, or an argument out of range.

    References:
        Waudby-Smith & Ramdas (2024) JRSS B 86:1, theorem 2.

    Examples:
        >>> print(empirical_bernstein_sequence([0.9, 1.0, 0.7, 0.8, 1.0, 0.95] * 5))
        0.8917 [0.6300, 1.0000] 95% empirical_bernstein, n = 30
    """
    level = as_level(level)
    y = (as_values(y, name="y", low=low, high=high) - low) / (high - low)
    tail = (1 - level) / (2 if alternative == "two-sided" else 1)
    n = np.arange(1, y.size + 1)
    lower = _bernstein_lower(y, tail) if alternative != "less" else np.zeros(y.size)
    upper = 1 - _bernstein_lower(1 - y, tail) if alternative != "greater" else np.ones(y.size)
    span = high - low
    return _shown(n, low + span * np.cumsum(y) / n, low + span * lower, low + span * upper, level=level,
                  method="empirical_bernstein", settings={"alternative": alternative})  # fmt: skip


def subgaussian_sequence(
    y: ArrayLike, *, sd: float, planned: float = 100, level: float = 0.95
) -> ConfidenceSequence:
    """Confidence sequence of the mean of values whose deviations are sub-Gaussian: normal mixture.

    Args:
        y: independent values in an order fixed beforehand.
        sd: a bound that is known, not estimated: (high − low)/2 for values with limits, the standard deviation
            of normal ones. One estimated from the same values breaks the promise.
        planned: n near which it is narrowest.
        level: confidence level of all steps together.

    Raises:
        UsageError: an argument out of range.

    References:
        Howard, Ramdas, McAuliffe & Sekhon (2021) Annals of Statistics 49:1055, eq. 14.

    Examples:
        >>> print(subgaussian_sequence([0.2, -0.4, 0.9, 0.1] * 25, sd=1))
        0.2000 [-0.1035, 0.5005] 95% normal_mixture, n = 100
    """
    y, sd = as_values(y, name="y"), as_count(sd, name="sd", at_least=1e-150)
    n = np.arange(1, y.size + 1)
    rho = mixture_precision(as_count(planned, name="planned", at_least=1), level=level)
    half, means = sd * normal_mixture_bound(n, rho=rho, level=level) / n, np.cumsum(y) / n
    return _shown(n, means, means - half, means + half, level=level, method="normal_mixture",
                  settings={"sd": sd, "planned": planned})  # fmt: skip


def sequence_of(units: Units, *, low: float, high: float, bets: Bets, level: float) -> ConfidenceSequence:
    """The betting sequence of units, on the scale of ``low`` to ``high``."""
    at = _steps(units.x.size)
    span, means, other = high - low, units.means[at - 1], units.mirrored()
    lower = _lower_limits(units, at, bets=bets, level=level)
    upper = 1 - _lower_limits(other, at, bets=bets, level=level)
    return ConfidenceSequence(
        at=at,
        rows=units.last_row[at - 1],
        point=low + span * means,
        low=low + span * lower,
        high=low + span * upper,
        level=level,
        method=f"betting_{bets}",
        clusters=units.clusters,
        settings={"low": low, "high": high},
    )


def _lower_limits(units: Units, at: Integers, *, bets: Bets, level: float) -> Floats:
    """The largest m that the bets on a larger mean have left out by each step; the gains fall with m."""
    needed, found, least = math.log(2 / (1 - level)), np.zeros(at.size), 0.0
    for k, n in enumerate(at):
        seen = Units(units.x[:n], units.w[:n], units.last_row[:n], units.clusters)

        def excess(m: float, seen: Units = seen) -> float:
            return float(log_gains(seen, m, bets=bets, level=level).max()) - needed

        if excess(least) > 0:
            least = _root(excess, least, 1.0)
        found[k] = least
    return found


def _root(excess: Callable[[float], float], low: float, high: float) -> float:
    """Where gains fall below what is needed; at ``high`` itself when they never do.

    False position with a halved weight for the end that stays (Illinois), halving where that is no help: each look is
    a pass over all units.
    """
    at_low, at_high = excess(low), excess(high)
    if at_high >= 0:
        return high
    for turn in range(80):
        if high - low < _FINE:
            break
        straight = math.isfinite(at_low) and math.isfinite(at_high) and turn % 4 != 3
        middle = low + (high - low) * (at_low / (at_low - at_high) if straight else 0.5)
        found = excess(middle)
        if found > 0:
            low, at_low, at_high = middle, found, at_high / 2
        else:
            high, at_high, at_low = middle, found, at_low / 2
    return low


def _bernstein_lower(y: Floats, alpha: float) -> Floats:
    """Lower limits of theorem 2, before they are nested."""
    t = np.arange(1, y.size + 1)
    running = (0.5 + np.cumsum(y)) / (t + 1)
    spread = (0.25 + np.cumsum((y - running) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], spread[:-1]])
    expected = np.concatenate([[0.0], (np.cumsum(y) / t)[:-1]])  # as in confseq: the mean so far, 0 at first
    stakes = np.minimum(np.sqrt(2 * math.log(1 / alpha) / (before * t * np.log1p(t))), 0.5)
    cost = (y - expected) ** 2 * (-np.log1p(-stakes) - stakes)
    limits = (np.cumsum(stakes * y) - math.log(1 / alpha) - np.cumsum(cost)) / np.cumsum(stakes)
    return np.maximum(limits, 0.0)


def _steps(n: int) -> Integers:
    """Units after which a step is shown: all when there are few, else evenly on the log scale."""
    if n <= SHOWN:
        return np.arange(1, n + 1)
    return np.unique(np.geomspace(1, n, SHOWN).round().astype(np.int64))


def _shown(
    n: Integers,
    point: Floats,
    low: Floats,
    high: Floats,
    *,
    level: float,
    method: str,
    settings: Mapping[str, object],
) -> ConfidenceSequence:
    """Nest the limits, then keep the steps that are shown."""
    at = _steps(n.size)
    lower, upper = np.maximum.accumulate(low), np.minimum.accumulate(high)
    return ConfidenceSequence(
        at, at, point[at - 1], lower[at - 1], upper[at - 1], level, method, settings=settings
    )
