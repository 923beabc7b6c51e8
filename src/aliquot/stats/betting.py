"""A confidence interval for a bounded mean that is valid at every n: betting against each candidate mean."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.inputs import (
    DEFAULT_SEED,
    Floats,
    RandomSource,
    as_count,
    as_generator,
    as_level,
    as_values,
)
from aliquot.stats.results import Estimate
from aliquot.stats.roots import bisect

MOST_PERMUTATIONS = 100
"""Orders averaged when n is small; at large n one order says the same and memory allows fewer."""
HELD = 500_000
"""Bets held at once."""
_STAKE = 0.5
"""c: the largest share of the capital at risk in one bet."""


def betting_interval(
    y: ArrayLike,
    *,
    low: float = 0.0,
    high: float = 1.0,
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: RandomSource = None,
) -> Estimate:
    """Hedged-capital interval for the mean of independent scores with known limits, valid at every n.

    For each candidate m a gambler bets that the mean is larger, another that it is smaller. Were m true,
    neither could expect to gain; m is rejected when one of them multiplies the stake by 2/(1 − level). The
    capital is averaged over seeded orders of the rows, which keeps its expectation, so that the answer
    depends little on one order.

    Args:
        y: scores from ``low`` to ``high``, independent, one a row.
        low: smallest possible score.
        high: largest possible score.
        level: confidence level.
        n_resamples: orders averaged; None for 100, and fewer above 5,000 rows.
        rng: seed or generator; None for the fixed default seed.

    Raises:
        UsageError: a score outside the limits, or an argument of the wrong shape or range.

    References:
        Waudby-Smith & Ramdas (2024) JRSS B 86:1, Theorem 3 (hedged capital) with its bets for a fixed n.

    Examples:
        >>> print(betting_interval([0.9, 1.0, 0.7, 0.8, 1.0, 0.95], rng=1))
        0.8917 [0.3285, 1.0000] 95% betting, n = 6
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise UsageError(f"low and high must be finite with low below high; got {low!r} and {high!r}")
    level = as_level(level)
    scores = (as_values(y, name="y", low=low, high=high) - low) / (high - low)
    orders = n_resamples
    if orders is None:
        orders = max(1, min(MOST_PERMUTATIONS, HELD // scores.size))
    orders = int(as_count(orders, name="n_resamples", at_least=1))
    shuffled = _orders(scores, orders, as_generator(rng))
    bets = _bets(shuffled, level)
    mean = float(scores.mean())
    lower = _lower_limit(shuffled, bets, mean, level)
    upper = 1 - _lower_limit(1 - shuffled, bets, 1 - mean, level)
    return Estimate(
        point=low + (high - low) * mean,
        low=low + (high - low) * lower,
        high=low + (high - low) * upper,
        level=level,
        method="betting",
        n=scores.size,
        settings={
            "low": low,
            "high": high,
            "n_resamples": orders,
            **(
                {} if isinstance(rng, np.random.Generator) else {"seed": DEFAULT_SEED if rng is None else rng}
            ),
        },
    )


def _orders(scores: Floats, orders: int, generator: np.random.Generator) -> Floats:
    """The rows in several random orders, shape (orders, n)."""
    return generator.permuted(np.tile(np.sort(scores), (orders, 1)), axis=1)


def _bets(shuffled: Floats, level: float) -> Floats:
    """λ_t = √(2 log(2/α)/(n σ̂²_{t−1})), predictable: it looks only at the rows before t."""
    n = shuffled.shape[1]
    t = np.arange(1, n + 1)
    running_mean = (0.5 + np.cumsum(shuffled, axis=1)) / (t + 1)
    running_variance = (0.25 + np.cumsum((shuffled - running_mean) ** 2, axis=1)) / (t + 1)
    before = np.concatenate([np.full((shuffled.shape[0], 1), 0.25), running_variance[:, :-1]], axis=1)
    return np.sqrt(2 * math.log(2 / (1 - level)) / (n * before))


def _lower_limit(shuffled: Floats, bets: Floats, mean: float, level: float) -> float:
    """Largest m that the bets on a larger mean reject; the capital falls with m, so the limit is one root."""
    needed = math.log(2 / (1 - level))

    def excess(m: float) -> float:
        with np.errstate(divide="ignore"):
            stakes = np.minimum(bets, _STAKE / m) if m > 0 else bets
        capital = np.log1p(stakes * (shuffled - m)).sum(axis=1)
        largest = float(capital.max())
        return largest + math.log(float(np.exp(capital - largest).mean())) - needed

    if mean == 0 or excess(0.0) <= 0:
        return 0.0
    if excess(mean) >= 0:
        return mean
    return bisect(excess, 0.0, mean, steps=40)
