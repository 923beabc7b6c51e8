"""How merges come out under the conditions of a gate, drawn: what a year of them is simulated from.

Each condition is drawn by itself, for merges that lose so many times a stated loss, and read as a gate reads it: what
passes, what could fail, and the p of its test. Conditions are independent here; where metrics move together more of the
unchanged merges pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, betaincinv, ndtr, stdtr

from aliquot.stats.distributions import two_sided_t, two_sided_z
from aliquot.stats.inputs import Floats, Integers
from aliquot.stats.paired_score import tango_limits

Truths: TypeAlias = NDArray[np.bool_]

_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Drawn:
    """One condition of many merges.

    Attributes:
        passed: whether it holds.
        lost: whether it is missed and a loss is shown, so that its test may fail the merge.
        worse: whether it is on the side of a loss, shown or not.
        p: of its two-sided test; None for what fails without any test.
    """

    passed: Truths
    lost: Truths
    worse: Truths
    p: Floats | None


class MergeCondition(Protocol):
    """One blocking condition, from merge to merge."""

    def draw(self, times: Floats, *, level: float, rng: np.random.Generator) -> Drawn:
        """Draw merges that lose ``times`` the condition's own loss; ``level`` is that of its limits."""
        ...


@dataclass(frozen=True, slots=True)
class PairedMerges:
    """A rate on shared items, held to a margin: Tango's limits, reconciled with the exact McNemar test.

    Attributes:
        n: items.
        margin: largest loss that passes.
        psi: share of items on which candidate and baseline differ.
        loss: what is lost once.
    """

    n: int
    margin: float
    psi: float
    loss: float

    def draw(self, times: Floats, *, level: float, rng: np.random.Generator) -> Drawn:
        """Draw fixed and broken items."""
        loss = times * self.loss
        apart = np.maximum(self.psi, loss)
        differ = rng.binomial(self.n, apart)
        broke = rng.binomial(differ, 0.5 + loss / (2 * apart))
        return self.read(differ - broke, broke, level=level)

    def read(self, fixed: Integers, broke: Integers, *, level: float) -> Drawn:
        """Read numbers of fixed and broken items."""
        p = np.minimum(1.0, 2 * bdtr(np.minimum(fixed, broke).astype(np.float64), fixed + broke, 0.5))
        low, high = self._limits(fixed, broke, level)
        held = p > 1 - level + _ROUNDING
        low, high = np.where(held, np.minimum(low, 0.0), low), np.where(held, np.maximum(high, 0.0), high)
        passed = low > -self.margin
        return Drawn(passed, ~passed & (high < 0), broke > fixed, p)

    def _limits(self, fixed: Integers, broke: Integers, level: float) -> tuple[Floats, Floats]:
        """Return Tango's limits; the same counts come again and again, so each pair is computed once."""
        pairs, place = np.unique(fixed * (self.n + 1) + broke, return_inverse=True)
        counts = pairs // (self.n + 1), pairs % (self.n + 1)
        low, high = tango_limits(*counts, np.full(pairs.size, self.n), z=two_sided_z(level))
        return low[place].reshape(fixed.shape), high[place].reshape(fixed.shape)


@dataclass(frozen=True, slots=True)
class ShiftedMerges:
    """A difference drawn from its error, held to a margin: t, or the normal.

    Attributes:
        margin: largest loss that passes.
        se: standard error of the difference.
        df: of its t; infinite for the normal.
        loss: what is lost once.
    """

    margin: float
    se: float
    df: float
    loss: float

    def draw(self, times: Floats, *, level: float, rng: np.random.Generator) -> Drawn:
        """Draw differences."""
        d = rng.normal(-times * self.loss, self.se)
        reach = self.se * (two_sided_t(level, self.df) if np.isfinite(self.df) else two_sided_z(level))
        away = -np.abs(d) / self.se
        p = 2 * (stdtr(self.df, away) if np.isfinite(self.df) else ndtr(away))
        passed = d - reach > -self.margin
        return Drawn(passed, ~passed & (d + reach < 0), d < 0, p)


@dataclass(frozen=True, slots=True)
class FloorMerges:
    """A rate held to a floor by its Clopper–Pearson limits, the exact test beside.

    Attributes:
        n: items, or what they are worth.
        rate: the rate when nothing is lost.
        asked: the floor; a merge that loses once stands on it, and one that starts below it loses nothing.
    """

    n: int
    rate: float
    asked: float

    def draw(self, times: Floats, *, level: float, rng: np.random.Generator) -> Drawn:
        """Draw passes."""
        rate = np.clip(self.rate - times * max(0.0, self.rate - self.asked), 0.0, 1.0)
        return self.read(rng.binomial(self.n, rate), level=level)

    def read(self, passes: Integers, *, level: float) -> Drawn:
        """Read numbers of passes."""
        counts, place = np.unique(passes, return_inverse=True)
        x, tail = counts.astype(np.float64), (1 - level) / 2
        low = np.where(x > 0, betaincinv(np.maximum(x, 1), self.n - x + 1, tail), 0.0)
        high = np.where(x < self.n, betaincinv(x + 1, np.maximum(self.n - x, 1), 1 - tail), 1.0)
        upper = np.where(x > 0, 1 - bdtr(np.maximum(x - 1, 0), self.n, self.asked), 1.0)
        p = np.minimum(1.0, 2 * np.minimum(bdtr(x, self.n, self.asked), upper))
        back = place.reshape(passes.shape)
        return Drawn(
            (low >= self.asked)[back], (high < self.asked)[back], (x < self.asked * self.n)[back], p[back]
        )


@dataclass(frozen=True, slots=True)
class ItemMerges:
    """Items that must all pass: without a test, whatever else is lost.

    Attributes:
        chance: chance that an unchanged system fails on one of them.
    """

    chance: float

    def draw(self, times: Floats, *, level: float, rng: np.random.Generator) -> Drawn:  # noqa: ARG002 - one signature
        """Draw whether one of them fails."""
        lost = rng.random(times.shape) < self.chance
        return Drawn(~lost, lost, lost, None)


@dataclass(frozen=True, slots=True)
class Merges:
    """Merges under all conditions together.

    Attributes:
        passed: whether every condition holds.
        stopped: whether one that needs no test is missed.
        p: the smallest p by Holm of a condition that is missed on the side of a loss; 1 where there is none.
        told: the smallest p by Holm of any condition on the side of a loss: what the error of later merges hangs on.
    """

    passed: Truths
    stopped: Truths
    p: Floats
    told: Floats

    def failed(self, alpha: Floats | float) -> Truths:
        """Tell which merges fail when the tests of each have so much error together."""
        return self.stopped | (self.p <= alpha + _ROUNDING)


def draw_merges(
    conditions: Sequence[MergeCondition], times: Floats, *, level: float, rng: np.random.Generator
) -> Merges:
    """Draw merges under all conditions of a gate.

    Args:
        conditions: the blocking ones.
        times: how many times each merge loses what each condition calls its loss; of any shape.
        level: of the limits.
        rng: generator.
    """
    drawn = [one.draw(times, level=level, rng=rng) for one in conditions]
    passed = np.all([one.passed for one in drawn], axis=0)
    untested = [one.lost for one in drawn if one.p is None]
    stopped = np.any(untested, axis=0) if untested else np.zeros(times.shape, dtype=bool)
    tested = [one for one in drawn if one.p is not None]
    if not tested:
        return Merges(passed, stopped, np.ones(times.shape), np.ones(times.shape))
    adjusted = _holm(np.array([one.p for one in tested]))
    missed, told = (
        np.where(sides, adjusted, 1.0).min(axis=0)
        for sides in ([one.lost for one in tested], [one.worse for one in tested])
    )
    return Merges(passed, stopped, missed, told)


def _holm(p: Floats) -> Floats:
    """Return p by Holm down the first axis."""
    order = np.argsort(p, axis=0, kind="stable")
    left = np.arange(p.shape[0], 0, -1).reshape(-1, *([1] * (p.ndim - 1)))
    ranked = np.minimum(1.0, np.maximum.accumulate(np.take_along_axis(p, order, axis=0) * left, axis=0))
    found = np.empty_like(ranked)
    np.put_along_axis(found, order, ranked, axis=0)
    return found
