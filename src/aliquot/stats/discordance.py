"""Enumeration of McNemar's test: the discordant items are counted first, then those of them that are fixed.

ψ (``psi``) is the share of items on which the two systems differ, Δ (``difference``) candidate minus
baseline. The number of discordant items m is binomial(n, ψ); given m, the number fixed is binomial(m, (ψ +
Δ)/(2ψ)).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from aliquot.errors import UsageError
from aliquot.stats.distributions import normal_quantile
from aliquot.stats.inputs import Floats, Integers, as_choice, as_count, as_level

_ROUNDING = 1e-12
_TAIL = 9.0  # standard deviations of the discordant count that are summed: what lies outside is below 1e-15
_BLOCK_CELLS = 300_000
_FIRST_BLOCK = 32


@dataclass(frozen=True, slots=True)
class McnemarRule:
    """Level and form (``exact`` or ``mid_p``) of a two-sided McNemar test."""

    level: float
    method: str


def as_rule(level: float, method: str) -> McnemarRule:
    """Return a checked rule."""
    return McnemarRule(as_level(level), as_choice(method, ("exact", "mid_p"), name="method"))


def as_discordance(psi: float, difference: float) -> tuple[float, float]:
    """Return a share of differing items and a difference it allows: at most psi in size."""
    psi = as_count(psi, name="psi")
    if psi > 1:
        raise UsageError(f"psi must lie between 0 and 1; got {psi!r}")
    if not math.isfinite(difference) or abs(difference) > psi + _ROUNDING:
        raise UsageError(
            f"a difference of {difference!r} is impossible when the two differ on a share {psi:g} of the "
            f"items; it must lie between {-psi:g} and {psi:g}"
        )
    return psi, max(-psi, min(psi, float(difference)))


def as_power(power: float) -> float:
    """Return a power strictly between 0 and 1."""
    if not 0 < power < 1:
        raise UsageError(f"power must lie strictly between 0 and 1 (0.8, not 80); got {power!r}")
    return float(power)


def as_items(n: float) -> int:
    """Whole items; an effective number is rounded down."""
    return int(as_count(n, name="n", at_least=1) + _ROUNDING)


def share_fixed(psi: float, difference: float) -> float:
    """Share of the discordant items that are fixed."""
    return min(1.0, max(0.0, 0.5 + difference / (2 * psi))) if psi else 0.5


@lru_cache(maxsize=32)
def critical(low: int, high: int, rule: McnemarRule) -> Floats:
    """Least number on one side of m = low..high discordant items that rejects; above m when none does."""
    m = np.arange(low, high + 1, dtype=np.float64)
    alpha = round(1 - rule.level, 12)
    z = -normal_quantile(alpha / 2)
    k = np.clip(np.floor(m / 2 + z * np.sqrt(m) / 2), np.floor(m / 2) + 1, m + 1)
    todo = np.arange(m.size)
    while todo.size:  # upwards, until k rejects
        todo = todo[(k[todo] <= m[todo]) & (_two_sided(k[todo], m[todo], rule.method) > alpha)]
        k[todo] += 1
    todo = np.arange(m.size)
    while todo.size:  # downwards, as long as one less rejects too
        todo = todo[(k[todo] - 1 > m[todo] / 2) & (_two_sided(k[todo] - 1, m[todo], rule.method) <= alpha)]
        k[todo] -= 1
    k.setflags(write=False)
    return k


def _two_sided(k: Floats, m: Floats, method: str) -> Floats:
    """Two-sided p of ``k`` on the larger side of ``m`` (k above m/2)."""
    tail = upper_tail(k, m, 0.5)
    return 2 * tail if method == "exact" else tail + upper_tail(k + 1, m, 0.5)


def upper_tail(k: Floats, m: Floats, theta: float) -> Floats:
    """P(binomial(m, θ) ≥ k) as an incomplete beta integral; 0 when k exceeds m."""
    tail = special.betainc(np.maximum(k, 1.0), np.maximum(m - k + 1, 1.0), theta)
    return np.where(k > m, 0.0, np.where(k <= 0, 1.0, tail))


def likely(first: int, last: int, psi: float) -> Floats:
    """Discordant counts that carry the probability for n from ``first`` to ``last``."""
    reach = _TAIL * math.sqrt(last * psi * (1 - psi)) + 40
    low, high = max(0, math.floor(first * psi - reach)), min(last, math.ceil(last * psi + reach))
    return np.arange(low, high + 1, dtype=np.float64)


def discordant_pmf(n: Integers, psi: float, m: Floats) -> Floats:
    """Binomial(n, ψ) probability of m discordant items, a row for each n."""
    first = int(n[0])
    log_factorial = special.gammaln(np.arange(max(0, first - int(m[-1])), int(n[-1]) - int(m[0]) + 1) + 1.0)
    rest = n[:, None] - m.astype(np.int64)
    index = np.maximum(rest, 0) - max(0, first - int(m[-1]))
    log_p = special.gammaln(n + 1.0)[:, None] - special.gammaln(m + 1) - log_factorial[index]
    log_p += special.xlogy(m, psi) + special.xlog1py(np.maximum(rest, 0), -psi)
    return np.where(rest >= 0, np.exp(log_p), 0.0)


def powers_over(n: Integers, psi: float, difference: float, rule: McnemarRule) -> Floats:
    """Σ_m P(m | n, ψ) P(reject | m) for a run of consecutive n."""
    m, theta = likely(int(n[0]), int(n[-1]), psi), share_fixed(psi, difference)
    k = critical(int(m[0]), int(m[-1]), rule)
    rejection = upper_tail(k, m, theta) + upper_tail(k, m, 1 - theta)
    return discordant_pmf(n, psi, m) @ rejection


def power_at(n: int, psi: float, difference: float, rule: McnemarRule) -> float:
    """Power at one n."""
    return float(powers_over(np.array([n], dtype=np.int64), psi, difference, rule)[0])


def last_short(last: int, psi: float, difference: float, rule: McnemarRule, *, power: float) -> int:
    """Largest n up to ``last`` whose power falls short; 0 when none does."""
    most = max(_FIRST_BLOCK, _BLOCK_CELLS // likely(last, last, psi).size)
    end, block = last, _FIRST_BLOCK
    while end > 0:
        n = np.arange(max(1, end - block + 1), end + 1)
        short = np.flatnonzero(powers_over(n, psi, difference, rule) < power)
        if short.size:
            return int(n[short[-1]])
        end, block = end - block, min(2 * block, most)
    return 0


def discordance_range(rate_a: float, rate_b: float) -> tuple[float, float]:
    """Smallest and largest share of differing items that two rates on the same items allow.

    Args:
        rate_a: rate of the baseline, in [0, 1].
        rate_b: rate of the candidate, in [0, 1].

    Returns:
        abs(B − A) and min(A + B, 2 − A − B).

    Raises:
        UsageError: a rate outside [0, 1].

    Examples:
        >>> low, high = discordance_range(0.8, 0.85)
        >>> round(low, 2), round(high, 2)
        (0.05, 0.35)
    """
    a, b = as_rate(rate_a, name="rate_a"), as_rate(rate_b, name="rate_b")
    return abs(b - a), min(a + b, 2 - a - b)


def feasible_difference(rate_a: float, rate_b: float, *, psi: float) -> float:
    """Return candidate minus baseline, refusing a share of differing items that the two rates do not allow.

    Args:
        rate_a: rate of the baseline, in [0, 1].
        rate_b: rate of the candidate, in [0, 1].
        psi: share of items on which the two differ.

    Returns:
        B − A, to be passed on as ``difference``.

    Raises:
        UsageError: psi outside the feasible range, which is named.

    Examples:
        >>> round(feasible_difference(0.8, 0.85, psi=0.2), 2)
        0.05
    """
    low, high = discordance_range(rate_a, rate_b)
    if not low - _ROUNDING <= psi <= high + _ROUNDING:
        raise UsageError(
            f"rates of {rate_a:g} and {rate_b:g} on the same items cannot differ on a share {psi!r} of them; "
            f"psi must lie between {low:g} and {high:g}"
        )
    return rate_b - rate_a


def pairing_break_even(rate_a: float, rate_b: float) -> float:
    """Share of differing items below which the paired test is the sharper one: 2p̄(1 − p̄), p̄ the mean rate.

    At that share the variance of the difference under the null hypothesis is the same whether the two systems
    see the same n items or n items each.

    Args:
        rate_a: rate of the baseline, in [0, 1].
        rate_b: rate of the candidate, in [0, 1].

    Returns:
        The share.

    Raises:
        UsageError: a rate outside [0, 1].

    Examples:
        >>> round(pairing_break_even(0.8, 0.85), 3)
        0.289
    """
    mean = (as_rate(rate_a, name="rate_a") + as_rate(rate_b, name="rate_b")) / 2
    return 2 * mean * (1 - mean)


def as_rate(rate: float, *, name: str) -> float:
    """Return a rate between 0 and 1."""
    if not 0 <= rate <= 1:
        raise UsageError(f"{name} must lie between 0 and 1 (0.8, not 80); got {rate!r}")
    return float(rate)
