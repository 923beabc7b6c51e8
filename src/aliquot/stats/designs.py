"""Designs one can draw data from: what a caller knows of an evaluation before or after it is run.

A design names its truth, draws one data set at a time, and says which methods its data need. Rows of a cluster
are drawn so that any two of them have the correlation ``icc``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from aliquot.errors import UsageError
from aliquot.stats.discordance import as_discordance, as_rate
from aliquot.stats.inputs import Floats, Integers, as_count, as_values

Clusters: TypeAlias = int | tuple[int, ...] | None
"""A number of clusters as equal as possible, or the size of each; None when rows are independent."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One data set; ``a`` alone for one system, shape (items, attempts) when there are attempts.

    Attributes:
        a: values of the only system, or of the baseline.
        b: values of the candidate.
        clusters: code of the cluster of each row of ``a`` (and of ``b`` on shared items).
        clusters_b: the same for ``b`` on other items.
    """

    a: Floats
    b: Floats | None = None
    clusters: Integers | None = None
    clusters_b: Integers | None = None


@dataclass(frozen=True, slots=True)
class RateDesign:
    """One system, right or wrong.

    Attributes:
        n: items.
        p: true rate.
        clusters: number or sizes of the clusters of items.
        icc: correlation of two rows of a cluster; of two attempts at an item when there are no clusters.
        attempts: attempts at each item; the item is then the cluster, unless clusters are given.
    """

    n: int
    p: float
    clusters: Clusters = None
    icc: float = 0.0
    attempts: int = 1

    def __post_init__(self) -> None:
        as_rate(self.p, name="p")
        _checked_clusters(self.n, self.clusters, self.icc)
        as_count(self.attempts, name="attempts", at_least=1)

    @property
    def truth(self) -> float:
        """The rate that the interval should hold."""
        return self.p

    def draw(self, rng: np.random.Generator) -> Sample:
        """Zeros and ones from a beta distribution of rates over clusters."""
        codes = _codes(self.n, self.clusters)
        if codes is None and self.attempts > 1:
            codes = np.arange(self.n, dtype=np.int64)
        if codes is None:
            return Sample((rng.random(self.n) < self.p).astype(np.float64))
        codes = np.repeat(codes, self.attempts)
        rates = _beta(rng, self.p, self.icc, int(codes.max()) + 1)
        return Sample((rng.random(codes.size) < rates[codes]).astype(np.float64), clusters=codes)


@dataclass(frozen=True, slots=True)
class PairedDesign:
    """Two systems on shared items, right or wrong.

    Attributes:
        n: items.
        psi: share of items on which the two differ.
        difference: candidate minus baseline.
        clusters: number or sizes of the clusters.
        icc: correlation of the differences of two items of a cluster.
    """

    n: int
    psi: float
    difference: float = 0.0
    clusters: Clusters = None
    icc: float = 0.0

    def __post_init__(self) -> None:
        as_discordance(self.psi, self.difference)
        _checked_clusters(self.n, self.clusters, self.icc)

    @property
    def truth(self) -> float:
        """The difference that the interval should hold."""
        return self.difference

    def draw(self, rng: np.random.Generator) -> Sample:
        """Each row takes its cluster's difference with chance √icc, else its own."""
        chances = [(self.psi - self.difference) / 2, 1 - self.psi, (self.psi + self.difference) / 2]
        d = rng.choice([-1, 0, 1], p=chances, size=self.n)
        codes = _codes(self.n, self.clusters)
        if codes is not None:
            shared = rng.choice([-1, 0, 1], p=chances, size=int(codes.max()) + 1)[codes]
            d = np.where(rng.random(self.n) < math.sqrt(self.icc), shared, d)
        return Sample((d < 0).astype(np.float64), (d > 0).astype(np.float64), clusters=codes)


@dataclass(frozen=True, slots=True)
class AttemptsDesign:
    """Two systems with several attempts at shared items, right or wrong.

    Attributes:
        n: items.
        p: true rate of the baseline.
        attempts: attempts of each system at each item.
        difference: candidate minus baseline.
        icc: correlation of two attempts of a system at an item: how much items differ in difficulty.
        changed: share of items on which the candidate is another draw; on the others the two have one rate.
    """

    n: int
    p: float
    attempts: int
    difference: float = 0.0
    icc: float = 0.5
    changed: float = 0.3

    def __post_init__(self) -> None:
        as_rate(self.p, name="p")
        as_count(self.attempts, name="attempts", at_least=1)
        _checked_clusters(self.n, None, self.icc)
        if not (0 < self.changed <= 1 and 0 <= self._fresh <= 1):
            raise UsageError(
                f"a difference of {self.difference:g} from a rate of {self.p:g} cannot come from a share "
                f"{self.changed:g} of the items; raise changed or lower the difference"
            )

    @property
    def truth(self) -> float:
        """The difference that the interval should hold."""
        return self.difference

    @property
    def _fresh(self) -> float:
        return self.p + self.difference / self.changed

    def draw(self, rng: np.random.Generator) -> Sample:
        """Attempts at each item, shape (items, attempts)."""
        rates_a = _beta(rng, self.p, self.icc, self.n)
        rates_b = np.where(
            rng.random(self.n) < self.changed, _beta(rng, self._fresh, self.icc, self.n), rates_a
        )
        shape = (self.n, self.attempts)
        a, b = (rng.random(shape) < rates[:, None] for rates in (rates_a, rates_b))
        return Sample(a.astype(np.float64), b.astype(np.float64))


@dataclass(frozen=True, slots=True)
class UnpairedDesign:
    """Two systems on different items, right or wrong.

    Attributes:
        n_a: items of the baseline.
        p_a: its true rate.
        n_b: items of the candidate.
        p_b: its true rate.
        clusters_a: number or sizes of the baseline's clusters.
        clusters_b: the same for the candidate.
        icc: correlation of two items of a cluster.
    """

    n_a: int
    p_a: float
    n_b: int
    p_b: float
    clusters_a: Clusters = None
    clusters_b: Clusters = None
    icc: float = 0.0

    def __post_init__(self) -> None:
        as_rate(self.p_a, name="p_a")
        as_rate(self.p_b, name="p_b")
        _checked_clusters(self.n_a, self.clusters_a, self.icc)
        _checked_clusters(self.n_b, self.clusters_b, self.icc)

    @property
    def truth(self) -> float:
        """The difference that the interval should hold."""
        return self.p_b - self.p_a

    def draw(self, rng: np.random.Generator) -> Sample:
        """The two systems are drawn as two :class:`RateDesign`."""
        a = RateDesign(self.n_a, self.p_a, self.clusters_a, self.icc).draw(rng)
        b = RateDesign(self.n_b, self.p_b, self.clusters_b, self.icc).draw(rng)
        return Sample(a.a, b.a, clusters=a.clusters, clusters_b=b.clusters)


@dataclass(frozen=True, slots=True)
class ScoresDesign:
    """Scores with known limits, drawn from the caller's own: one system, or two on shared items.

    Attributes:
        n: items.
        a: scores that stand for all items, of the only system or of the baseline.
        b: scores of the candidate on the same items as ``a``; None for one system.
        low: smallest possible score.
        high: largest possible score.
    """

    n: int
    a: tuple[float, ...]
    b: tuple[float, ...] | None = None
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        as_count(self.n, name="n", at_least=1)
        a = as_values(self.a, name="a", low=self.low, high=self.high)
        if self.b is not None and as_values(self.b, name="b", low=self.low, high=self.high).size != a.size:
            raise UsageError(f"a and b must hold the same items; got {len(self.a)} and {len(self.b)} scores")

    @property
    def truth(self) -> float:
        """The mean, or the mean difference, of the scores given."""
        mean = float(np.mean(self.a))
        return mean if self.b is None else float(np.mean(self.b)) - mean

    def draw(self, rng: np.random.Generator) -> Sample:
        """Items with replacement from those given, both scores of an item together."""
        items = rng.integers(len(self.a), size=self.n).tolist()
        b = None if self.b is None else np.array([self.b[i] for i in items])
        return Sample(np.array([self.a[i] for i in items]), b)


Design: TypeAlias = RateDesign | PairedDesign | AttemptsDesign | UnpairedDesign | ScoresDesign


def _checked_clusters(n: int, clusters: Clusters, icc: float) -> None:
    as_count(n, name="n", at_least=1)
    if not 0 <= icc < 1:
        raise UsageError(f"icc must lie from 0 to below 1; got {icc!r}")
    if isinstance(clusters, int) and not 1 <= clusters <= n:
        raise UsageError(f"clusters must be between 1 and n; got {clusters} of {n} items")
    if isinstance(clusters, tuple) and (sum(clusters) != n or min(clusters, default=0) < 1):
        raise UsageError(f"the sizes of clusters must be positive and add up to n = {n}; got {sum(clusters)}")


def _codes(n: int, clusters: Clusters) -> Integers | None:
    """Code of the cluster of each item."""
    if clusters is None:
        return None
    if isinstance(clusters, int):
        return np.sort(np.arange(n, dtype=np.int64) % clusters)
    return np.repeat(np.arange(len(clusters), dtype=np.int64), clusters)


def _beta(rng: np.random.Generator, p: float, icc: float, size: int) -> Floats:
    """Rates with mean p and variance icc p(1 − p)."""
    if icc == 0 or p in {0.0, 1.0}:
        return np.full(size, p)
    strength = (1 - icc) / icc
    return rng.beta(p * strength, (1 - p) * strength, size)
