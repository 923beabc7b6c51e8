"""The gambler behind betting sequences: what he stakes on each unit, and what he has after it.

A unit is an item, or a cluster. It comes as ``x`` and ``w``: sum of its scaled values, and its rows, both
divided by the size of the largest unit, so that 0 ≤ x ≤ w ≤ 1. Were m the mean, x − m w would be 0 on average, and
neither who bets that the mean is larger nor who bets that it is smaller could expect to gain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, Integers, as_choice, as_codes, as_count, as_values

Bets: TypeAlias = Literal["mixture", "predictable"]

STAKES: Final[Floats] = np.array([0.99 * 0.5**j for j in range(8)])
"""Shares of the capital that the mixture puts at risk on each unit, an eighth of the stake on each."""
_MOST: Final = 0.5
"""c: the largest share that a predictable bet puts at risk."""


@dataclass(frozen=True, slots=True)
class Units:
    """What the bets are made on, in the order they came.

    Attributes:
        x: sum of the scaled values of each unit, over ``largest``; between 0 and w.
        w: rows of each unit, over ``largest``.
        last_row: number of rows up to and with each unit.
        clusters: whether a unit may hold several rows.
    """

    x: Floats
    w: Floats
    last_row: Integers
    clusters: bool

    @property
    def means(self) -> Floats:
        """Mean of all rows so far after each unit, on the scale of 0 to 1."""
        return np.cumsum(self.x) / np.cumsum(self.w)

    def mirrored(self) -> Units:
        """The units with 1 − y in the place of y."""
        return Units(self.w - self.x, self.w, self.last_row, self.clusters)


def as_bets(bets: Bets) -> Bets:
    """Return the name of the bets if it is one."""
    as_choice(bets, get_args(Bets), name="bets")
    return bets


def as_units(
    y: ArrayLike, *, low: float, high: float, clusters: ArrayLike | None, largest: float | None
) -> Units:
    """Return the units of values in the order they came; a cluster stands where its first row does.

    Raises:
        UsageError: a value out of its limits, or a cluster with more rows than the largest may have.
    """
    if not low < high:
        raise UsageError(f"low must lie below high; got {low} and {high}")
    scaled = (as_values(y, name="y", low=low, high=high) - low) / (high - low)
    if clusters is None:
        return Units(scaled, np.ones(scaled.size), np.arange(1, scaled.size + 1), clusters=False)
    codes = as_codes(clusters, scaled.size, name="clusters")
    first = np.unique(codes, return_index=True)[1]
    place = np.empty(first.size, dtype=np.int64)
    place[np.argsort(first, kind="stable")] = np.arange(first.size)
    sums, sizes = np.bincount(place[codes], weights=scaled), np.bincount(place[codes])
    most = float(sizes.max()) if largest is None else as_count(largest, name="largest", at_least=1)
    if sizes.max() > most:
        raise UsageError(f"largest is {most:g}, and a cluster has {sizes.max()} rows; give the most any has")
    return Units(np.clip(sums, 0, sizes) / most, sizes / most, np.cumsum(sizes), clusters=True)


def log_gains(units: Units, m: float, *, bets: Bets, level: float) -> Floats:
    """Log of what 1 has become, after each unit, for who bets that the mean is larger than m; falls with m.

    Predictable bets are those of Waudby-Smith & Ramdas (2024), eq. 26 with 2/α in the place of 1/α for two gamblers.
    The mixture keeps a share of the stake on each of :data:`STAKES`, which is no worse than the best of them by more
    than the log of their number, whatever the difference.
    """
    x, w = units.x, units.w
    if bets == "predictable":
        stakes = predictable_stakes(units, level=level)
        if m > 0:
            stakes = np.minimum(stakes, _MOST / m)
        return np.cumsum(np.log1p(stakes * (x - m * w)))
    if m <= 0:
        return np.where(np.cumsum(x) > 0, np.inf, np.log1p(-STAKES[-1] * w).cumsum())
    moved = x / m - w
    logs = np.stack([np.cumsum(np.log1p(stake * moved)) for stake in STAKES])
    most = logs.max(axis=0)
    return most + np.log(np.exp(logs - most).mean(axis=0))


def predictable_stakes(units: Units, *, level: float) -> Floats:
    """λ_t = √(2 log(2/α)/(σ̂²_{t−1} t log(1 + t))): looks only at the units before t."""
    t = np.arange(1, units.x.size + 1)
    running = (0.5 + np.cumsum(units.x)) / (1 + np.cumsum(units.w))
    spread = (0.25 + np.cumsum((units.x - running * units.w) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], spread[:-1]])
    return np.sqrt(2 * math.log(2 / (1 - level)) / (before * t * np.log1p(t)))
