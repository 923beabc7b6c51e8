"""Where a row of numbers, one a run, has changed its level; and whether it drifts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from aliquot.stats.correlations import kendall_tau
from aliquot.stats.inputs import Floats, RandomSource, as_count, as_generator, as_level, as_values
from aliquot.stats.results import Record, Undefined

LEAST = 2
"""Runs that a level must last."""


@dataclass(frozen=True, slots=True)
class ChangePoint(Record):
    """One change of level.

    Attributes:
        at: place of the first run of the new level, counted from 0.
        before: mean of the runs of the level before.
        after: mean of the runs of the level after.
        p: chance of a step as clear among the runs it was found in, were their order chance.
    """

    at: int
    before: float
    after: float
    p: float

    @property
    def shift(self) -> float:
        """After minus before; the size of a step that was picked is biased away from 0."""
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class ChangePoints(Record):
    """Levels of a row of numbers.

    Attributes:
        points: changes, in their order.
        clearest_p: p of the clearest step of all, found or not.
        drift: Kendall's τ with time and its p, or why there is none.
        n: numbers.
        level: 1 minus the chance of a change where there is none.
        settings: orders drawn, and the seed.
    """

    points: tuple[ChangePoint, ...]
    clearest_p: float
    drift: tuple[float, float] | Undefined
    n: int
    level: float
    settings: dict[str, object]


def change_points(
    y: ArrayLike, *, level: float = 0.95, n_resamples: int = 1_999, rng: RandomSource = None
) -> ChangePoints | Undefined:
    """Find steps in a row of numbers by splitting it where it splits best, as long as chance would not.

    The best split of the row is held against the best splits of the same numbers in random orders; when it stands, each
    part is looked at in the same way, at the same level. The numbers' own spread decides: runs that share their items
    share the items' error, which a standard error of each run would count as noise between them.

    Args:
        y: one number a run, in the order of time.
        level: 1 minus the chance of finding a change where there is none.
        n_resamples: orders drawn for a part.
        rng: seed or generator.

    Returns:
        The changes, or Undefined for fewer than six numbers, of which no order is rare enough.

    Raises:
        UsageError: not finite numbers, or an argument out of range.

    References:
        Matteson & James (2014) JASA 109:334 (permutation at each split); Daly et al. (2020) ICPE, for runs of software;
        the statistic is the likelihood ratio of Sen & Srivastava (1975) Annals of Statistics 3:98.

    Examples:
        >>> found = change_points([0.81, 0.80, 0.82, 0.81, 0.80, 0.74, 0.75, 0.73, 0.74, 0.75], rng=1)
        >>> [(point.at, round(point.shift, 3)) for point in found.points]
        [(5, -0.066)]
    """
    values, alpha = as_values(y, name="y"), 1 - as_level(level)
    resamples = int(as_count(n_resamples, name="n_resamples", at_least=1 / alpha))
    if values.size < 6:
        return Undefined(f"{values.size} runs: a change of level needs at least 6 to be told from chance")
    generator = as_generator(rng)
    found: list[tuple[int, float]] = []

    def orders(part: Floats) -> Floats:
        return generator.permuted(np.tile(part, (resamples, 1)), axis=1)

    clearest = _split(values, 0, found, alpha, orders)
    edges = [0, *sorted(at for at, _ in found), values.size]
    means = [float(values[i:j].mean()) for i, j in pairwise(edges)]
    points = tuple(ChangePoint(at, means[k], means[k + 1], p) for k, (at, p) in enumerate(sorted(found)))
    settings: dict[str, object] = {"n_resamples": resamples, "least": LEAST}
    return ChangePoints(points, clearest, _drift(values), values.size, 1 - alpha, settings)


def _split(
    y: Floats, start: int, found: list[tuple[int, float]], alpha: float, orders: Callable[[Floats], Floats]
) -> float:
    """Add the changes within ``y`` to ``found``; return p of its best split."""
    if y.size < 2 * LEAST or np.ptp(y) == 0:
        return 1.0
    contrast = _contrasts(y[None, :])[0]
    at = int(np.argmax(contrast))
    drawn = _contrasts(orders(y)).max(axis=1)
    p = (1 + float((drawn >= contrast[at] * (1 - 1e-12)).sum())) / (drawn.size + 1)
    if p <= alpha:
        place = at + LEAST
        found.append((start + place, p))
        _split(y[:place], start, found, alpha, orders)
        _split(y[place:], start + place, found, alpha, orders)
    return p


def _contrasts(y: Floats) -> Floats:
    """Between-parts sum of squares of each split that leaves :data:`LEAST` on either side; rows are orders."""
    n = y.shape[1]
    k = np.arange(LEAST, n - LEAST + 1)
    centred = y - y.mean(axis=1, keepdims=True)
    return np.cumsum(centred, axis=1)[:, LEAST - 1 : n - LEAST] ** 2 * n / (k * (n - k))


def _drift(y: Floats) -> tuple[float, float] | Undefined:
    found = kendall_tau(np.arange(y.size), y)
    if isinstance(found, Undefined):
        return found
    return found.test if isinstance(found.test, Undefined) else (found.point, found.test.p)
