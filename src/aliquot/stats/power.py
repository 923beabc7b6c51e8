"""Power of McNemar's test on shared items, and what follows from it: items needed, and what could be seen.

ψ (``psi``) is the share of items on which the two systems differ, Δ (``difference``) candidate minus
baseline.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from aliquot.errors import UsageError
from aliquot.stats.discordance import (
    as_discordance,
    as_items,
    as_power,
    as_rule,
    critical,
    discordant_pmf,
    last_short,
    likely,
    power_at,
    share_fixed,
    upper_tail,
)
from aliquot.stats.distributions import normal_quantile, two_sided_z
from aliquot.stats.inputs import as_level
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Record, Undefined

PowerMethod: TypeAlias = Literal["exact", "mid_p"]

_MOST_ITEMS = 1_000_000


@dataclass(frozen=True, slots=True)
class DesignErrors(Record):
    """What a significant result would look like under a design.

    Attributes:
        power: chance that the test rejects.
        type_m: mean size of the difference seen when it rejects, over the true size (exaggeration).
        type_s: chance that the sign is wrong when it rejects.
    """

    power: float
    type_m: float
    type_s: float


@dataclass(frozen=True, slots=True)
class Detectable(Record):
    """The smallest true difference that a design would find with the given power.

    Attributes:
        low: the smaller of the differences found at the share of differing items that was seen, and at its upper
            Wilson limit.
        high: the larger of the two; nearly always the one at the upper limit (the sawtooth of an exact test can
            turn them round when nearly all items differ).
        n: items, rounded down when an effective number was given.
        psi: share of differing items seen.
        psi_high: its upper Wilson limit.
        power: chance of rejecting at that difference.
        level: level of the two-sided test, as 1 − α.
        method: the test.
    """

    low: float
    high: float
    n: int
    psi: float
    psi_high: float
    power: float
    level: float
    method: str


def mcnemar_power(
    n: float, *, psi: float, difference: float, level: float = 0.95, method: PowerMethod = "exact"
) -> float:
    """Chance that McNemar's two-sided test rejects at 1 − level.

    Args:
        n: shared items; an effective number is rounded down.
        psi: share of items on which the two differ.
        difference: true difference, between −psi and psi.
        level: confidence level; the test rejects at 1 − level.
        method: ``exact`` or ``mid_p``.

    Returns:
        The power by enumeration over the number of discordant items.

    Raises:
        UsageError: a difference larger than psi, psi outside [0, 1], n below 1.

    References:
        McNemar (1947), Psychometrika 12:153, enumerated over the discordant items.

    Examples:
        >>> round(mcnemar_power(200, psi=0.2, difference=0.05), 3)
        0.298
    """
    items = as_items(n)
    psi, difference = as_discordance(psi, difference)
    rule = as_rule(level, method)
    return power_at(items, psi, difference, rule)


def design_errors(
    n: float, *, psi: float, difference: float, level: float = 0.95, method: PowerMethod = "exact"
) -> DesignErrors | Undefined:
    """Power with the exaggeration (type M) and the wrong-sign rate (type S) of significant results.

    Args:
        n: shared items; an effective number is rounded down.
        psi: share of items on which the two differ.
        difference: true difference, not 0.
        level: confidence level; the test rejects at 1 − level.
        method: ``exact`` or ``mid_p``.

    Returns:
        The three numbers; Undefined when the test can never reject on so few items.

    Raises:
        UsageError: a difference of 0 or larger than psi, psi outside [0, 1], n below 1.

    References:
        Gelman & Carlin (2014), Perspectives on Psychological Science 9:641-651.

    Examples:
        >>> errors = design_errors(200, psi=0.2, difference=0.05)
        >>> round(errors.type_m, 2), round(errors.type_s, 4)
        (1.73, 0.0004)
    """
    items = as_items(n)
    psi, difference = as_discordance(psi, difference)
    if difference == 0:
        raise UsageError("type M and type S errors need a true difference other than 0")
    rule = as_rule(level, method)
    m = likely(items, items, psi)
    theta = share_fixed(psi, abs(difference))
    k = critical(int(m[0]), int(m[-1]), rule)
    right, wrong = upper_tail(k, m, theta), upper_tail(k, m, 1 - theta)
    weight = discordant_pmf(np.array([items]), psi, m)[0]
    power = float(weight @ (right + wrong))
    if power == 0:
        return Undefined(
            f"the test can never reject on {items} items, so there is no significant result to describe"
        )
    # E[x; x ≥ k] of a binomial(m, θ) is mθ P(binomial(m−1, θ) ≥ k−1); the difference seen is (2x − m)/n
    below = np.maximum(m - 1, 0)
    gain = 2 * m * theta * upper_tail(k - 1, below, theta) - m * right
    loss = 2 * m * (1 - theta) * upper_tail(k - 1, below, 1 - theta) - m * wrong
    seen = float(weight @ (gain + loss)) / items / power
    return DesignErrors(power=power, type_m=seen / abs(difference), type_s=float(weight @ wrong) / power)


def connor_sample_size(psi: float, difference: float, *, power: float = 0.8, level: float = 0.95) -> float:
    """Shared items that McNemar's asymptotic test needs, unrounded; round up.

    Args:
        psi: share of items on which the two differ.
        difference: true difference, not 0.
        power: wanted chance of rejecting.
        level: confidence level; the two-sided test rejects at 1 − level.

    Returns:
        Connor's number of items. The exact test needs a little more: see :func:`mcnemar_sample_size`.

    Raises:
        UsageError: a difference of 0 or larger than psi, a power or level outside (0, 1).

    References:
        Connor (1987), Biometrics 43:207-211.

    Examples:
        >>> round(connor_sample_size(34 / 120, 0.05), 3)
        887.178
    """
    psi, difference = as_discordance(psi, difference)
    if difference == 0:
        raise UsageError("no number of items finds a difference of 0; name the smallest one that matters")
    reach = two_sided_z(as_level(level)) * math.sqrt(psi)
    reach += normal_quantile(as_power(power)) * math.sqrt(max(0.0, psi - difference**2))
    return (reach / difference) ** 2 if reach > 0 else 0.0


def mcnemar_sample_size(
    psi: float, difference: float, *, power: float = 0.8, level: float = 0.95, method: PowerMethod = "exact"
) -> int | Undefined:
    """Fewest shared items from which on the power of McNemar's exact test stays at or above the target.

    The power of an exact test is a sawtooth in n: it falls each time the rejection region loses a value. The
    number returned is one more than the last n that falls short, so a few items more never cost power below
    the target.

    Args:
        psi: share of items on which the two differ.
        difference: true difference, not 0.
        power: wanted chance of rejecting.
        level: confidence level; the two-sided test rejects at 1 − level.
        method: ``exact`` or ``mid_p``.

    Returns:
        The number of items; Undefined above a million, where Connor's number serves.

    Raises:
        UsageError: a difference of 0 or larger than psi, a power or level outside (0, 1).

    References:
        McNemar (1947), Psychometrika 12:153, enumerated over the discordant items.

    Examples:
        >>> mcnemar_sample_size(34 / 120, 0.1)
        234
    """
    start = connor_sample_size(psi, difference, power=power, level=level)
    psi, difference = as_discordance(psi, difference)
    rule = as_rule(level, method)
    # the discreteness of the test costs about 1/Δ items (Connor's correction) and one tooth is about as long
    last = math.ceil(1.02 * start + 8 / abs(difference)) + 60
    while last <= _MOST_ITEMS and power_at(last, psi, difference, rule) < power:
        last += last // 4
    if last > _MOST_ITEMS:
        return Undefined(f"more than {_MOST_ITEMS:,} items would be needed (about {start:,.0f})")
    return last_short(last, psi, difference, rule, power=power) + 1


def detectable_difference(
    n: float, *, psi: float, power: float = 0.8, level: float = 0.95, method: PowerMethod = "exact"
) -> Detectable | Undefined:
    """Smallest true difference that McNemar's test on ``n`` shared items would find with the given power.

    Args:
        n: shared items; an effective number is rounded down.
        psi: share of items on which the two were seen to differ.
        power: wanted chance of rejecting.
        level: confidence level; the two-sided test rejects at 1 − level.
        method: ``exact`` or ``mid_p``.

    Returns:
        A range: at the share seen and at its upper Wilson limit. A difference δ needs a share of at least δ,
        so each is taken at the larger of the two. Undefined when even a candidate that fixes everything would
        not be found.

    Raises:
        UsageError: psi outside [0, 1], n below 1, a power or level outside (0, 1).

    References:
        McNemar (1947), Psychometrika 12:153, enumerated; Wilson (1927) JASA 22:209, for the range of ψ.

    Examples:
        >>> found = detectable_difference(100, psi=0)
        >>> round(found.low, 3), round(found.high, 3)
        (0.078, 0.078)
    """
    items = as_items(n)
    psi = as_discordance(psi, 0.0)[0]
    power, level = as_power(power), as_level(level)
    rule = as_rule(level, method)
    if power_at(items, 1.0, 1.0, rule) == 0:
        return Undefined(f"{method} McNemar can never reject on {items} items at level {level:g}")
    limit = wilson(psi * items, items, level=level).high

    def reached(share: float) -> Callable[[float], bool]:
        def enough(delta: float) -> bool:
            return power_at(items, max(share, delta), delta, rule) >= power

        return enough

    at_seen, at_limit = _smallest(reached(psi)), _smallest(reached(limit))
    return Detectable(
        low=min(at_seen, at_limit),
        high=max(at_seen, at_limit),
        n=items,
        psi=psi,
        psi_high=limit,
        power=power,
        level=level,
        method="mcnemar_exact" if method == "exact" else "mcnemar_midp",
    )


def _smallest(enough: Callable[[float], bool]) -> float:
    """Smallest value in (0, 1] that is enough, to six digits, by bisection of a monotone condition."""
    low, high = 0.0, 1.0
    while high - low > 5e-7:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
