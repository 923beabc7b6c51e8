"""Evidence that may be looked at after every unit: what a fair bet against the null hypothesis has won so far."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln

from aliquot.errors import UsageError
from aliquot.stats.bets import Bets, Units, as_bets, as_units, log_gains
from aliquot.stats.inputs import Floats, as_binary, as_count, as_level
from aliquot.stats.results import HypothesisTest, Record


@dataclass(frozen=True, slots=True)
class EProcess(Record):
    """What 1 has become after each unit for who bets against the null hypothesis.

    Under the null it reaches 1/α with chance at most α, whenever one stops.

    Attributes:
        e: the capital after each unit.
        p: 1 over the highest capital so far, at most 1: valid at every unit at once.
        name: the test's name.
        null: the null hypothesis in words.
        settings: what else made the numbers.
    """

    e: Floats
    p: Floats
    name: str
    null: str
    settings: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def test(self) -> HypothesisTest:
        """The test after the last unit; its statistic is the highest capital."""
        p = max(float(self.p[-1]), math.ulp(0.0))
        return HypothesisTest(
            name=self.name, p=p, statistic=float(self.e.max()), null=self.null, settings=self.settings
        )


def sign_e_value(x: float, n: float) -> float:
    """E-value of the sign test, x of n: likelihood under a uniform prior over the likelihood at ½.

    2^n B(x + 1, n − x + 1). Of fixed and broke items it is McNemar's test that may be looked at at any time.

    Args:
        x: items that go one way.
        n: items that go either way.

    Raises:
        UsageError: counts out of range.

    References:
        Ville (1939); Robbins (1970) Annals of Mathematical Statistics 41:1397, example 2.

    Examples:
        >>> round(sign_e_value(5, 5), 4)
        5.3333
    """
    n, x = as_count(n, name="n"), as_count(x, name="x")
    if x > n:
        raise UsageError(f"x must lie between 0 and n; got {x:g} of {n:g}")
    return math.exp(min(n * math.log(2) + float(betaln(x + 1, n - x + 1)), 700.0))


def sign_e_process(won: ArrayLike) -> EProcess:
    """E-process of the sign test: after each item that goes either way, :func:`sign_e_value` so far.

    Args:
        won: 1 for an item that is fixed, 0 for one that broke, in an order fixed beforehand; others are left out.

    Raises:
        UsageError: a value that is not 0 or 1.

    References:
        Ville (1939); Robbins (1970) Annals of Mathematical Statistics 41:1397, example 2.

    Examples:
        >>> sign_e_process([1, 1, 1, 1, 1, 1, 1, 1]).p.round(3).tolist()
        [1.0, 0.75, 0.5, 0.312, 0.188, 0.109, 0.062, 0.035]
    """
    wins = as_binary(won, name="won")
    x, n = np.cumsum(wins), np.arange(1, wins.size + 1)
    logs = n * math.log(2) + betaln(x + 1, n - x + 1)
    return _process(
        logs, name="sign_e_process", null="an item that goes either way is as likely fixed as broken"
    )


def betting_capital(
    y: ArrayLike,
    m: float,
    *,
    low: float = 0.0,
    high: float = 1.0,
    clusters: ArrayLike | None = None,
    largest: float | None = None,
    bets: Bets = "mixture",
    level: float = 0.95,
) -> EProcess:
    """E-process against "the mean is m", whatever the shape of the values: the better of two hedged gamblers.

    It rejects at a level exactly when :func:`~aliquot.stats.sequences.betting_sequence` leaves m out. For a paired
    difference take the items' differences, m = 0 and limits of ∓(high − low).

    Args:
        y: values from ``low`` to ``high`` in an order fixed beforehand.
        m: the mean under the null hypothesis, between ``low`` and ``high``.
        low: smallest value possible.
        high: largest value possible.
        clusters: one label a row; None when rows are independent.
        largest: the most rows a cluster can have, known beforehand.
        bets: ``mixture`` or ``predictable``.
        level: confidence level that predictable bets aim at.

    Raises:
        UsageError: a value outside the limits, or an argument out of range.

    References:
        Waudby-Smith & Ramdas (2024) JRSS B 86:1, eq. 25 with θ = ½.

    Examples:
        >>> betting_capital([1, 0, 1, 1, 1, 1], 0.3, bets="predictable").e.round(2).tolist()
        [1.08, 0.54, 1.17, 2.54, 5.51, 11.94]
    """
    if not low <= m <= high:
        raise UsageError(f"m must lie between {low} and {high}; got {m!r}")
    units = as_units(y, low=low, high=high, clusters=clusters, largest=largest)
    logs = log_capital(units, (m - low) / (high - low), bets=as_bets(bets), level=as_level(level))
    return _process(logs, name=f"betting_{bets}", null=f"the mean is {m:g}",
                    settings={"low": low, "high": high})  # fmt: skip


def log_capital(units: Units, m: float, *, bets: Bets, level: float) -> Floats:
    """Log of the better half of the stake: one half bets on a larger mean than m, the other on a smaller one."""
    up = log_gains(units, m, bets=bets, level=level)
    down = log_gains(units.mirrored(), 1 - m, bets=bets, level=level)
    return np.maximum(up, down) - math.log(2)


def msprt(n: float, difference: float, *, variance: float, mixing_variance: float) -> HypothesisTest:
    """Mixture sequential probability ratio test of two streams with a known variance, by name only.

    Λ = √(V/(V + n τ²)) exp(n² τ² d²/(2 V (V + n τ²))), V = 2 σ². Where σ² is estimated, or values are skewed, its
    promise is only approximate at small n; betting needs neither.

    Args:
        n: observations in each stream.
        difference: difference of the two means, d.
        variance: variance of one observation, σ², known beforehand.
        mixing_variance: variance τ² of the differences that the mixture expects.

    Raises:
        UsageError: a number out of range.

    References:
        Johari, Koomen, Pekelis & Walsh (2022) Operations Research 70:1806, eq. 5.

    Examples:
        >>> print(msprt(500, -0.08, variance=0.49, mixing_variance=0.0225))
        msprt: p = 0.7868 (two-sided)
    """
    n = as_count(n, name="n", at_least=1)
    v = 2 * as_count(variance, name="variance", at_least=1e-300)
    tau2 = as_count(mixing_variance, name="mixing_variance", at_least=1e-300)
    if not math.isfinite(difference):
        raise UsageError(f"difference must be a finite number; got {difference!r}")
    spread = v + n * tau2
    log_ratio = 0.5 * math.log(v / spread) + n * n * tau2 * difference**2 / (2 * v * spread)
    return HypothesisTest(
        name="msprt",
        p=max(min(1.0, math.exp(-log_ratio)) if log_ratio < 700 else math.exp(-700), math.ulp(0.0)),
        statistic=math.exp(min(log_ratio, 700.0)),
        null="the two means are equal",
        settings={"variance": variance, "mixing_variance": mixing_variance},
    )


def _process(logs: Floats, *, name: str, null: str, settings: Mapping[str, object] | None = None) -> EProcess:
    highest = np.maximum.accumulate(np.maximum(logs, 0.0))
    return EProcess(np.exp(np.minimum(logs, 700.0)), np.exp(-highest), name, null, settings or {})
