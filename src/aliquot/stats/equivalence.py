"""Power and items for "not worse by more than m" and "equivalent within ±m".

``level`` is that of the two-sided interval that is read: at .95 each one-sided test is at .025. With clusters give
``design_effect``; the functions then speak of real items and compute with independent ones.

The tables of a test that reaches its goal are found row by row: with the other count held, the score z rises with
the candidate's (Barnard's convexity; tests/stats/test_equivalence.py), so each row is an interval of counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.discordance import as_discordance, as_items, as_power, as_rate, upper_tail
from aliquot.stats.distributions import binomial_pmf, normal_quantile, two_sided_t, two_sided_z
from aliquot.stats.inputs import Floats, as_count, as_level
from aliquot.stats.margins import Goal, as_goal, as_margin, paired_margin_z, unpaired_margin_z
from aliquot.stats.power_graded import as_spread, sd_law
from aliquot.stats.results import Undefined
from aliquot.stats.sawtooth import stays_from
from aliquot.stats.unpaired_regions import likely_counts

Bits: TypeAlias = NDArray[np.bool_]

_MOST_ITEMS = 1_000_000
_ROUNDING = 1e-12


def paired_margin_power(
    n: float,
    *,
    psi: float,
    margin: float,
    difference: float = 0.0,
    goal: Goal = "not_worse",
    design_effect: float = 1.0,
    level: float = 0.95,
) -> float:
    """Chance that Tango's interval on ``n`` shared items stays clear of the margin, by summing over the tables.

    Args:
        n: shared items; what they are worth is rounded down.
        psi: share of items on which the two differ.
        margin: the difference that still does not matter, between 0 and 1.
        difference: true difference, candidate minus baseline.
        goal: ``not_worse`` (lower limit above −margin) or ``equivalent`` (both limits within ±margin).
        design_effect: variance of clustered items over that of independent ones.
        level: confidence level of the two-sided interval.

    Raises:
        UsageError: a difference larger than psi, a margin outside (0, 1), n below 1.

    References:
        Tango (1998), Statistics in Medicine 17:891-908, enumerated.

    Examples:
        >>> round(paired_margin_power(40, psi=0.2, margin=0.15, level=0.9), 4)
        0.6462
    """
    items = as_items(as_count(n, name="n") / _as_effect(design_effect))
    psi, difference = as_discordance(psi, difference)
    z, m = two_sided_z(as_level(level)), as_margin(margin, most=1.0)
    up, down = (psi + difference) / 2, (psi - difference) / 2
    broke = likely_counts(items, down)
    rest = items - broke

    def clear(fixed: Floats) -> Bits:
        return paired_margin_z(fixed, broke, items, margin=m, goal="not_worse") >= z

    def too_far(fixed: Floats) -> Bits:
        return paired_margin_z(broke, fixed, items, margin=m, goal="not_worse") < z

    low = _first(clear, rest)
    high = _first(too_far, rest) if as_goal(goal) == "equivalent" else rest + 1
    # broke is binomial(n, down), fixed then binomial(n − broke, up / (1 − down))
    share = min(1.0, up / (1 - down)) if down < 1 else 0.0
    chance = upper_tail(low, rest, share) - upper_tail(np.maximum(low, high), rest, share)
    return min(1.0, float(binomial_pmf(broke, items, down) @ chance))


def paired_margin_sample_size(
    psi: float,
    *,
    margin: float,
    difference: float = 0.0,
    goal: Goal = "not_worse",
    design_effect: float = 1.0,
    power: float = 0.8,
    level: float = 0.95,
) -> int | Undefined:
    """Fewest shared items from which on that power stays at or above the target.

    Arguments as in :func:`paired_margin_power`; ``power`` is the wanted chance.

    Raises:
        UsageError: a true difference at or beyond the margin, a difference larger than psi, a bad level or power.

    References:
        Tango (1998), Statistics in Medicine 17:891-908, enumerated.

    Examples:
        >>> paired_margin_sample_size(0.2, margin=0.1)
        165
    """
    psi, difference = as_discordance(psi, difference)
    start = _formula(psi - difference**2, difference, margin, goal=goal, power=power, level=level, most=1.0)

    def power_of(n: int) -> float:
        return paired_margin_power(n, psi=psi, margin=margin, difference=difference, goal=goal, level=level)

    return _scan(
        power_of, start=start, room=_room(difference, margin, goal), power=power, effect=design_effect
    )


def unpaired_margin_power(
    n_a: float,
    *,
    rate_a: float,
    rate_b: float,
    margin: float,
    n_b: float | None = None,
    goal: Goal = "not_worse",
    design_effect: float = 1.0,
    level: float = 0.95,
) -> float:
    """Chance that Miettinen and Nurminen's interval stays clear of the margin, by summing over the tables.

    Args:
        n_a: items of the baseline; what they are worth is rounded down.
        rate_a: true rate of the baseline.
        rate_b: true rate of the candidate.
        margin: the difference that still does not matter, between 0 and 1.
        n_b: items of the candidate; as many as the baseline when left out.
        goal: ``not_worse`` or ``equivalent``, as in :func:`paired_margin_power`.
        design_effect: variance of clustered items over that of independent ones, on both sides.
        level: confidence level of the two-sided interval.

    Raises:
        UsageError: rates outside [0, 1], a margin outside (0, 1), n below 1.

    References:
        Miettinen & Nurminen (1985), Statistics in Medicine 4:213-226, enumerated.

    Examples:
        >>> round(unpaired_margin_power(200, rate_a=0.8, rate_b=0.8, margin=0.1), 3)
        0.702
    """
    effect = _as_effect(design_effect)
    size_a = as_items(as_count(n_a, name="n_a") / effect)
    size_b = size_a if n_b is None else as_items(as_count(n_b, name="n_b") / effect)
    a, b = as_rate(rate_a, name="rate_a"), as_rate(rate_b, name="rate_b")
    z, m = two_sided_z(as_level(level)), as_margin(margin, most=1.0)
    x_a = likely_counts(size_a, a)
    rest = np.full(x_a.size, float(size_b))

    def clear(x_b: Floats) -> Bits:
        return unpaired_margin_z(x_a, size_a, x_b, size_b, margin=m, goal="not_worse") >= z

    def too_far(x_b: Floats) -> Bits:
        return unpaired_margin_z(x_b, size_b, x_a, size_a, margin=m, goal="not_worse") < z

    low = _first(clear, rest)
    high = _first(too_far, rest) if as_goal(goal) == "equivalent" else rest + 1
    chance = upper_tail(low, rest, b) - upper_tail(np.maximum(low, high), rest, b)
    return min(1.0, float(binomial_pmf(x_a, size_a, a) @ chance))


def unpaired_margin_sample_size(
    rate_a: float,
    rate_b: float,
    *,
    margin: float,
    goal: Goal = "not_worse",
    design_effect: float = 1.0,
    power: float = 0.8,
    level: float = 0.95,
) -> int | Undefined:
    """Fewest items for each of two systems from which on that power stays at or above the target.

    Arguments as in :func:`unpaired_margin_power`; ``power`` is the wanted chance.

    Raises:
        UsageError: a true difference at or beyond the margin, rates outside [0, 1], a bad level or power.

    References:
        Miettinen & Nurminen (1985), Statistics in Medicine 4:213-226, enumerated.

    Examples:
        >>> unpaired_margin_sample_size(0.8, 0.8, margin=0.1)
        253
    """
    a, b = as_rate(rate_a, name="rate_a"), as_rate(rate_b, name="rate_b")
    variance = a * (1 - a) + b * (1 - b)
    start = _formula(variance, b - a, margin, goal=goal, power=power, level=level, most=1.0)

    def power_of(n: int) -> float:
        return unpaired_margin_power(n, rate_a=a, rate_b=b, margin=margin, goal=goal, level=level)

    return _scan(power_of, start=start, room=_room(b - a, margin, goal), power=power, effect=design_effect)


def graded_margin_power(
    n: float,
    *,
    sd: float,
    margin: float,
    difference: float = 0.0,
    goal: Goal = "not_worse",
    design_effect: float = 1.0,
    level: float = 0.95,
) -> float:
    """Chance that the t interval of a mean paired difference stays clear of the margin.

    Args:
        n: shared items, worth at least 2.
        sd: standard deviation of the differences of items.
        margin: the difference that still does not matter, in the units of the scores.
        difference: true mean difference.
        goal: ``not_worse`` or ``equivalent``, as in :func:`paired_margin_power`.
        design_effect: variance of clustered items over that of independent ones.
        level: confidence level of the two-sided interval.

    Raises:
        UsageError: an sd or margin that is not positive, n worth less than 2.

    References:
        Phillips (1990), Journal of Pharmacokinetics and Biopharmaceutics 18:137-144: both tests share one s.

    Examples:
        >>> round(graded_margin_power(100, sd=0.5, margin=0.15), 4)
        0.8439
    """
    size = as_count(as_count(n, name="n") / _as_effect(design_effect), name="n", at_least=2)
    spread, m = as_spread(sd, difference=difference), as_margin(margin)
    t = two_sided_t(as_level(level), size - 1)
    scale = math.sqrt(size) / spread
    s, weight = sd_law(size - 1, bend=scale * m / t)  # a wider s leaves no mean between the margins
    beyond = special.ndtr(scale * (difference + m) - t * s)  # lower limit above −m
    if as_goal(goal) == "equivalent":
        beyond = np.maximum(0.0, beyond + special.ndtr(scale * (m - difference) - t * s) - 1)
    return min(1.0, float(weight @ beyond))


def graded_margin_sample_size(
    *,
    sd: float,
    margin: float,
    difference: float = 0.0,
    goal: Goal = "not_worse",
    design_effect: float = 1.0,
    power: float = 0.8,
    level: float = 0.95,
) -> int | Undefined:
    """Fewest shared items from which on that power stays at or above the target.

    Arguments as in :func:`graded_margin_power`; ``power`` is the wanted chance.

    Raises:
        UsageError: a true difference at or beyond the margin, an sd or margin that is not positive.

    References:
        Phillips (1990), Journal of Pharmacokinetics and Biopharmaceutics 18:137-144.

    Examples:
        >>> graded_margin_sample_size(sd=0.5, margin=0.15)
        90
    """
    start = _formula(
        as_spread(sd, difference=difference) ** 2, difference, margin, goal=goal, power=power, level=level
    )

    def power_of(n: int) -> float:
        if n < 2:
            return 0.0
        return graded_margin_power(n, sd=sd, margin=margin, difference=difference, goal=goal, level=level)

    return _scan(power_of, start=start, room=math.inf, power=power, effect=design_effect)


def _room(difference: float, margin: float, goal: str) -> float:
    """Distance of the true difference from the (nearer) margin."""
    return difference + margin if goal == "not_worse" else margin - abs(difference)


def _formula(
    variance: float,
    difference: float,
    margin: float,
    *,
    goal: str,
    power: float,
    level: float,
    most: float = math.inf,
) -> float:
    """Items by the normal formula; for equivalence with half of the chance of missing on either side."""
    m, wanted = as_margin(margin, most=most), as_power(power)
    room = _room(difference, m, as_goal(goal))
    if room <= _ROUNDING:
        raise UsageError(
            f"a true difference of {difference:g} lies at or beyond the margin of {m:g}; no number of items helps"
        )
    if goal == "equivalent" and difference == 0:
        wanted = (1 + wanted) / 2
    reach = two_sided_z(as_level(level)) + normal_quantile(wanted)
    return max(0.0, variance) * (max(0.0, reach) / room) ** 2


def _scan(
    power_of: Callable[[int], float], *, start: float, room: float, power: float, effect: float
) -> int | Undefined:
    """Scan independent items and return real ones."""
    found = stays_from(power_of, power=power, start=start, slack=2 / room, most=_MOST_ITEMS)
    return found if isinstance(found, Undefined) else math.ceil(found * _as_effect(effect) - 1e-9)


def _as_effect(design_effect: float) -> float:
    effect = as_count(design_effect, name="design_effect")
    if effect == 0:
        raise UsageError("design_effect must be positive; 1 is that of independent items")
    return effect


def _first(reached: Callable[[Floats], Bits], most: Floats) -> Floats:
    """Least count from 0 to ``most`` at which a condition that then stays holds, for each row; most + 1 when none."""
    below, above = np.full(most.shape, -1.0), most + 1
    while (above - below > 1).any():
        middle = np.floor((below + above) / 2)
        held = reached(np.clip(middle, 0, most))
        open_ = above - below > 1
        above, below = np.where(open_ & held, middle, above), np.where(open_ & ~held, middle, below)
    return above
