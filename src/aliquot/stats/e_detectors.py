"""Has a mean changed since some moment? A detector that runs for ever, with a stated time between false alarms.

An e-detector of the Shiryaev–Roberts kind bets anew from every unit on and adds up what all these bets have won:
M_t = (M_{t−1} + 1) L_t. While nothing has changed M_t is at most t on average, so that it reaches N after N units or
more on average, whatever the shape of the values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.bets import STAKES, as_units
from aliquot.stats.inputs import (
    Floats,
    Integers,
    RandomSource,
    as_array,
    as_choice,
    as_count,
    as_generator,
)
from aliquot.stats.results import Record

Side: TypeAlias = Literal["two-sided", "less", "greater"]
HIGHEST: Final = 1e300
"""Where capital is held: it no longer means more."""


@dataclass(frozen=True, slots=True)
class DetectorState(Record):
    """All that a detector has to remember between two reads.

    Attributes:
        units: units seen.
        sums: M of each stake, one row a direction (fell, rose).
        best: the best single bet's capital of each stake since it began, one row a direction.
        began: the unit with which that bet began.
        peak: the highest value so far.
        alarm: the unit, counted from 1, at which the value first reached the run length; None before.
        since: the unit with which the best bet began when it did: a guess of the last unit before the change.
    """

    units: int
    sums: Floats
    best: Floats
    began: Integers
    peak: float = 0.0
    alarm: int | None = None
    since: int | None = None


@dataclass(frozen=True, slots=True)
class Detection(Record):
    """What a detector says after the units it was given.

    Attributes:
        values: its value after each of these units.
        alarm: the unit, counted from the first ever, at which it first reached ``run_length``; None when it did not.
        since: a guess of the unit after which the change began; None without an alarm.
        run_length: units between false alarms on average, at least, while nothing has changed.
        state: what to go on from.
    """

    values: Floats
    alarm: int | None
    since: int | None
    run_length: float
    state: DetectorState


def e_detector(
    y: ArrayLike,
    *,
    mean: float,
    run_length: float,
    alternative: Side = "two-sided",
    low: float = 0.0,
    high: float = 1.0,
    clusters: ArrayLike | None = None,
    largest: float | None = None,
    state: DetectorState | None = None,
) -> Detection:
    """Watch a bounded mean: Shiryaev–Roberts e-detector over a mixture of stakes.

    While each value's mean, given what came before, is at least ``mean`` (for ``less``), the average number of units
    until an alarm is at least ``run_length``. Several detectors over the same units share that promise when each is
    given their number times the run length; detectors over parts that do not overlap keep it in units of the whole.

    Args:
        y: new values from ``low`` to ``high`` as they came; may be empty.
        mean: what the mean is, or should at least be; strictly between ``low`` and ``high``.
        run_length: N, at least 2.
        alternative: ``less`` for a fall, ``greater`` for a rise, ``two-sided`` for both.
        low: smallest value possible.
        high: largest value possible.
        clusters: one label a row; a cluster is one unit. Give whole clusters at a time.
        largest: the most rows a cluster can have, known beforehand.
        state: from the last call; None for a new detector.

    Raises:
        UsageError: a value outside the limits, or an argument out of range.

    References:
        Shin, Ramdas & Rinaldo (2024) New England Journal of Statistics in Data Science 2:229, definition 2.2.

    Examples:
        >>> found = e_detector([1] * 90 + [0, 1] * 20, mean=0.9, run_length=1000, alternative="less")
        >>> found.alarm, found.since
        (103, 90)
    """
    if not low < mean < high:
        raise UsageError(f"mean must lie strictly between {low} and {high}; got {mean!r}")
    run_length = as_count(run_length, name="run_length", at_least=2)
    sides = {"less": (0,), "greater": (1,), "two-sided": (0, 1)}[
        as_choice(alternative, get_args(Side), name="alternative")
    ]
    now = state or new_state()
    if as_array(y, name="y").size == 0:
        return Detection(np.empty(0), now.alarm, now.since, run_length, now)
    units = as_units(y, low=low, high=high, clusters=clusters, largest=largest)
    m = (mean - low) / (high - low)
    gains = np.stack([units.mirrored().x / (1 - m) - units.w, units.x / m - units.w], axis=1)
    return _watched(gains, now, sides, run_length)


def new_state() -> DetectorState:
    """Return the state of a detector that has seen nothing."""
    shape = (2, STAKES.size)
    return DetectorState(0, np.zeros(shape), np.ones(shape), np.zeros(shape, dtype=np.int64))


def _watched(gains: Floats, state: DetectorState, sides: tuple[int, ...], run_length: float) -> Detection:
    """Run the recursion over units; ``gains`` has one column a direction."""
    sums, best, began = state.sums.copy(), state.best.copy(), state.began.copy()
    values, alarm, since = np.empty(gains.shape[0]), state.alarm, state.since
    chosen = list(sides)
    for k, factor in enumerate(1 + STAKES[None, None, :] * gains[:, :, None]):
        sums = np.minimum((sums + 1) * factor, HIGHEST)
        restarted = best < 1
        began = np.where(restarted, state.units + k, began)
        best = np.minimum(np.where(restarted, 1.0, best) * factor, HIGHEST)
        values[k] = sums[chosen].mean()
        if alarm is None and values[k] >= run_length:
            side, stake = np.unravel_index(int(np.argmax(best[chosen])), best[chosen].shape)
            alarm, since = state.units + k + 1, int(began[chosen][side, stake])
    peak = max(state.peak, float(values.max()))
    left = DetectorState(state.units + gains.shape[0], sums, best, began, peak, alarm, since)
    return Detection(values, alarm, since, run_length, left)


def conformal_ranks(
    codes: ArrayLike, seen: ArrayLike, *, rng: RandomSource = None
) -> tuple[Floats, Integers]:
    """Rank of each new value among all that came before it, ties broken at random: uniform while nothing changes.

    While values are exchangeable with those before, the ranks are independent and uniform on (0, 1), whatever the
    values are, so that :func:`e_detector` with a mean of ½ watches for a change of anything that can be ordered.

    Args:
        codes: new values as whole numbers from 0, in the order they came (the bins of a number, 0 and 1 of a kind).
        seen: how often each code came before; codes beyond its end came never.
        rng: seed or generator for the ties.

    Returns:
        The rank of each new value, and how often each code has come now.

    Raises:
        UsageError: codes that are no whole numbers of at least 0.

    References:
        Vovk, Gammerman & Shafer (2022) *Algorithmic Learning in a Random World*, 2nd ed., proposition 2.4;
        used to detect changes: Vovk et al. (2021) PMLR 152:191.

    Examples:
        >>> ranks, seen = conformal_ranks([0, 0, 3], [50, 30, 20], rng=1)
        >>> ranks.round(2).tolist(), seen.tolist()
        ([0.26, 0.48, 0.99], [52, 30, 20, 1])
    """
    new, before = as_array(codes, name="codes"), as_array(seen, name="seen")
    for name, array in (("codes", new), ("seen", before)):
        if array.size and (array.dtype.kind not in "iu" or array.ndim != 1 or int(array.min()) < 0):
            raise UsageError(f"{name} must be a list of whole numbers of at least 0")
    counts = np.zeros(max(before.size, int(new.max(initial=-1)) + 1), dtype=np.int64)
    counts[: before.size] = before
    ties = as_generator(rng).random(new.size)
    ranks = np.empty(new.size)
    for k, code in enumerate(new.astype(np.int64)):
        counts[code] += 1
        below = int(counts[:code].sum())
        ranks[k] = (below + ties[k] * counts[code]) / int(counts.sum())
    return ranks, counts
