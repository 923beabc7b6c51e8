"""Planning from a pilot: items by the limits of what it showed, and power by resampling its own items."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_codes
from aliquot.stats.discordance import McnemarRule, as_items, as_power, as_rule, critical
from aliquot.stats.flips import TIE
from aliquot.stats.inputs import Floats, RandomSource, as_choice, as_count, as_generator, as_level, as_values
from aliquot.stats.paired import differences
from aliquot.stats.power import connor_sample_size, mcnemar_sample_size
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Estimate, Record, Undefined
from aliquot.stats.roots import bisect

SizeMethod: TypeAlias = Literal["exact", "mid_p", "connor"]
Imposed: TypeAlias = Literal["tilt", "shift"]

_MOST_CELLS = 200_000_000
_HELD = 4_000_000
_FLIPS = 999
_TRIALS = 24


@dataclass(frozen=True, slots=True)
class SampleSizeRange(Record):
    """Items needed, at the share of differing items that a pilot showed and at its Wilson limits.

    Attributes:
        at_seen: items at the share seen.
        low: items at its lower limit (or at Δ, when that is larger: no smaller share allows the difference).
        high: items at its upper limit.
        psi: the share seen (or Δ, when that is larger).
        psi_low: the lower share used.
        psi_high: the upper share used.
        difference: the difference to be found.
        method: test or formula.
    """

    at_seen: int | Undefined
    low: int | Undefined
    high: int | Undefined
    psi: float
    psi_low: float
    psi_high: float
    difference: float
    method: str


def sample_size_range(
    differing: float,
    n: float,
    *,
    difference: float,
    power: float = 0.8,
    level: float = 0.95,
    method: SizeMethod = "exact",
) -> SampleSizeRange:
    """Items needed when the share of differing items comes from a pilot: a range over its Wilson limits.

    Args:
        differing: items of the pilot on which the two differ.
        n: items of the pilot.
        difference: the difference to be found, not 0.
        power: wanted chance of rejecting.
        level: confidence level, of the limits and of the two-sided test.
        method: ``exact`` or ``mid_p`` McNemar, or ``connor`` for his formula, rounded up.

    Raises:
        UsageError: more differing items than items, a difference of 0 or beyond ±1, a power or level outside (0, 1).

    References:
        Wilson (1927), JASA 22:209-212; Connor (1987), Biometrics 43:207-211.

    Examples:
        >>> found = sample_size_range(34, 120, difference=0.05, method="connor")
        >>> found.at_seen, found.low, found.high
        (888, 659, 1159)
    """
    as_choice(method, ("exact", "mid_p", "connor"), name="method")
    if not 0 < abs(difference) <= 1:
        raise UsageError(f"difference must not be 0 and lie between -1 and 1; got {difference!r}")
    limits = wilson(differing, n, level=level)

    def needed(psi: float) -> int | Undefined:
        if method == "connor":
            return math.ceil(connor_sample_size(psi, difference, power=power, level=level))
        return mcnemar_sample_size(psi, difference, power=power, level=level, method=method)

    seen, least, most = (max(abs(difference), share) for share in (limits.point, limits.low, limits.high))
    return SampleSizeRange(
        at_seen=needed(seen),
        low=needed(least),
        high=needed(most),
        psi=seen,
        psi_low=least,
        psi_high=most,
        difference=difference,
        method=method,
    )


@dataclass(frozen=True, slots=True)
class _Units:
    """Items or clusters of a pilot: the differences of each, and how likely each is drawn."""

    rows: list[Floats]
    chances: Floats
    per_unit: float
    clustered: bool


def pilot_power(
    a: ArrayLike,
    b: ArrayLike,
    *,
    n: float,
    difference: float,
    clusters: ArrayLike | None = None,
    method: Imposed = "tilt",
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: RandomSource = None,
) -> Estimate | Undefined:
    """Power of the deciding test on ``n`` items like those of a pilot, by resampling its items or clusters.

    The pilot's own difference is replaced by the one to be found. ``tilt`` draws items (clusters) with chances
    ∝ exp(λ Σ(d − Δ)), the least change that gives the mean Δ: right and wrong stay right and wrong, scores stay
    within their limits. ``shift`` adds Δ − d̂ to every difference: for unbounded scores. Items of 0 and 1 without
    clusters are decided by exact McNemar, all else by sign flips of items or clusters, 999 that all trials share.

    Args:
        a: the baseline's value on each item of the pilot.
        b: the candidate's value on the same items.
        n: items to plan for; with clusters so many that their average number holds n items.
        difference: true mean difference to be found.
        clusters: one label an item.
        method: ``tilt`` or ``shift``.
        level: confidence level; the two-sided test rejects at 1 − level.
        n_resamples: simulated data sets.
        rng: seed or generator.

    Returns:
        The power with its Monte-Carlo interval (Wilson), method ``pilot_tilt`` or ``pilot_shift``; Undefined when
        the pilot holds no item that could give the difference.

    Raises:
        UsageError: lengths differ, n below 2, or n · n_resamples is too large.

    References:
        Efron (1981), Canadian Journal of Statistics 9:139-172, section 11, for the tilted resampling distribution.

    Examples:
        >>> a, b = [1] * 80 + [0] * 20, [1] * 72 + [0] * 8 + [1] * 12 + [0] * 8
        >>> found = pilot_power(a, b, n=200, difference=0.1, rng=1)
        >>> print(f"{found.point:.2f}")
        0.86
    """
    size, draws = as_items(as_count(n, name="n", at_least=2)), as_items(n_resamples)
    if size * draws > _MOST_CELLS:
        raise UsageError(f"{size:,} items in {draws:,} simulations take too long; lower n_resamples")
    units = _imposed(a, b, difference=difference, clusters=clusters, method=method)
    if isinstance(units, Undefined):
        return units
    generator = as_generator(rng)
    values = np.unique(np.concatenate(units.rows))
    rule = as_rule(level, "exact")
    if not units.clustered and np.isin(values, (-1.0, 0.0, 1.0)).all():
        rejected = _by_counts(units, size, rule, draws=draws, rng=generator)
    else:
        rejected = _by_flips(units, size, level=as_level(level), draws=draws, rng=generator)
    limits = wilson(rejected, draws)
    return Estimate(
        point=rejected / draws,
        low=limits.low,
        high=limits.high,
        level=limits.level,
        method=f"pilot_{method}",
        n=float(size),
        clusters=max(1, round(size / units.per_unit)) if units.clustered else None,
        settings={"difference": difference, "n_resamples": draws, "level_of_test": level},
    )


def pilot_sample_size(
    a: ArrayLike,
    b: ArrayLike,
    *,
    difference: float,
    clusters: ArrayLike | None = None,
    method: Imposed = "tilt",
    power: float = 0.8,
    level: float = 0.95,
    n_resamples: int = 1000,
    rng: RandomSource = None,
) -> int | Undefined:
    """Items like those of a pilot at which the simulated power reaches the target; see :func:`pilot_power`.

    The number is found by bisection with one seed, so it is uncertain by what ``n_resamples`` leaves open: at 1000
    the power at it is known to about ± 0.025.

    Args:
        a: the baseline's value on each item of the pilot.
        b: the candidate's value on the same items.
        difference: true mean difference to be found, not 0.
        clusters: one label an item.
        method: ``tilt`` or ``shift``.
        power: wanted chance of rejecting.
        level: confidence level; the two-sided test rejects at 1 − level.
        n_resamples: simulated data sets at each n.
        rng: seed or generator.

    Returns:
        The number; Undefined when the pilot cannot give the difference, or beyond what can be simulated.

    Raises:
        UsageError: a difference of 0, lengths differ, a power or level outside (0, 1).

    References:
        Efron (1981), Canadian Journal of Statistics 9:139-172, section 11.

    Examples:
        >>> a, b = [1] * 80 + [0] * 20, [1] * 72 + [0] * 8 + [1] * 12 + [0] * 8
        >>> 150 < pilot_sample_size(a, b, difference=0.1, rng=1) < 190
        True
    """
    wanted = as_power(power)
    if difference == 0:
        raise UsageError("no number of items finds a difference of 0; name the smallest one that matters")
    seed = int(as_generator(rng).integers(2**63))
    most = _MOST_CELLS // as_items(n_resamples)

    def reached(n: int) -> bool | Undefined:
        found = pilot_power(
            a, b, n=n, difference=difference, clusters=clusters, method=method,
            level=level, n_resamples=n_resamples, rng=seed,
        )  # fmt: skip
        return found if isinstance(found, Undefined) else found.point >= wanted

    low, high = 2, 16
    for _ in range(_TRIALS):
        found = reached(high)
        if isinstance(found, Undefined):
            return found
        if found:
            break
        low, high = high, 2 * high
        if high > most:
            return Undefined(f"more than {most:,} items would be needed, beyond what can be simulated")
    while high - low > max(1, low // 100):
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _imposed(
    a: ArrayLike, b: ArrayLike, *, difference: float, clusters: ArrayLike | None, method: str
) -> _Units | Undefined:
    """Units whose mean difference is the one to be found."""
    as_choice(method, ("tilt", "shift"), name="method")
    if not math.isfinite(difference):
        raise UsageError(f"difference must be a finite number; got {difference!r}")
    d = differences(as_values(a, name="a", at_least=2), as_values(b, name="b", at_least=2))
    codes = np.arange(d.size) if clusters is None else cluster_codes(clusters, d.size)
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    if method == "shift":
        d = d + (difference - d.mean())
    rows = [part.astype(np.float64) for part in np.split(d[order], starts[1:])]
    per_unit, clustered = d.size / len(rows), len(rows) < d.size
    if len(rows) < 2:
        return Undefined("one cluster only: another draw of clusters cannot be imagined")
    if method == "shift":
        return _Units(rows, np.full(len(rows), 1 / len(rows)), per_unit, clustered)
    pull = np.array([float((part - difference).sum()) for part in rows])
    if not pull.any():
        return _Units(rows, np.full(len(rows), 1 / len(rows)), per_unit, clustered)
    if pull.max() <= 0 or pull.min() >= 0:
        return Undefined(
            f"the pilot holds no items that could give a difference of {difference:g}; plan from psi instead"
        )
    chances = _tilted(pull)
    sizes = np.array([part.size for part in rows])
    return _Units(rows, chances, float(chances @ sizes), clustered)


def _tilted(pull: Floats) -> Floats:
    """Chances ∝ exp(λ pull) under which the mean pull is 0."""
    scale = float(np.abs(pull).max())
    unit = pull / scale

    def weights(strength: float) -> Floats:
        exponent = strength * unit
        found = np.exp(exponent - exponent.max())
        return found / found.sum()

    reach = 1.0
    while float(weights(reach) @ unit) < 0 or float(weights(-reach) @ unit) > 0:
        reach *= 2
    return weights(bisect(lambda strength: float(weights(strength) @ unit), -reach, reach))


def _by_counts(units: _Units, size: int, rule: McnemarRule, *, draws: int, rng: np.random.Generator) -> int:
    """Exact McNemar on drawn numbers of fixed and broke items."""
    d = np.concatenate(units.rows)
    shares = [float(units.chances[d == value].sum()) for value in (1.0, -1.0)]
    counts = rng.multinomial(size, [*shares, max(0.0, 1 - sum(shares))], size=draws)
    larger, total = counts[:, :2].max(axis=1), counts[:, 0] + counts[:, 1]
    least = critical(0, int(total.max()), rule)
    return int(np.count_nonzero(larger >= least[total]))


def _by_flips(units: _Units, size: int, *, level: float, draws: int, rng: np.random.Generator) -> int:
    """Sign flips of drawn units; the flips are the same in all trials, one matrix product for a batch of them."""
    sums = np.array([float(part.sum()) for part in units.rows])
    drawn = max(2, round(size / units.per_unit))
    signs = 2.0 * rng.integers(0, 2, size=(_FLIPS, drawn)).astype(np.float32) - 1
    rejected, step = 0, max(1, _HELD // max(drawn, _FLIPS))
    for start in range(0, draws, step):
        picked = rng.choice(sums.size, p=units.chances, size=(drawn, min(step, draws - start)))
        totals = sums[picked]
        observed = np.abs(totals.sum(axis=0))
        slack = TIE * np.abs(totals).sum(axis=0) + 1e-6 * np.sqrt((totals**2).sum(axis=0))
        as_extreme = np.abs(signs @ totals.astype(np.float32)) >= observed - slack
        p = (np.count_nonzero(as_extreme, axis=0) + 1) / (_FLIPS + 1)
        rejected += int(np.count_nonzero(p <= round(1 - level, 12)))
    return rejected
