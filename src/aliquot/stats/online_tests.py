"""The error of a year shared among the merges of that year, decided one after the other.

Equal or falling shares hold the chance of any false alarm, whatever the tests have to do with each other. LORD and
ADDIS hold the expected share of false ones among the alarms, for tests that are independent, and give back what an
alarm has earned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, as_choice, as_count, as_level, as_values
from aliquot.stats.results import Record

Spending: TypeAlias = Literal["equal", "falling"]

MOST: Final = 100_000
"""Tests that the falling shares are scaled for; they sum to less than the whole beyond it."""


@dataclass(frozen=True, slots=True)
class OnlineTests(Record):
    """Tests in the order they were made, each with the error it was given.

    Attributes:
        alphas: error of each test: it rejects when its p is at most that.
        rejected: whether it did.
        next_alpha: error of the next test.
        level: 1 minus the false discovery rate held.
        method: ``lord`` or ``addis``.
    """

    alphas: Floats
    rejected: NDArray[np.bool_]
    next_alpha: float
    level: float
    method: str


def alpha_shares(merges: int, *, level: float = 0.95, spending: Spending = "equal") -> Floats:
    """Share of the year's error for each merge: all alike, or falling for a number of merges not known beforehand.

    A merge fails when its p is at most its share; the chance of any false alarm in the year is at most 1 − level.

    Args:
        merges: M, merges in the year.
        level: 1 minus the chance of any false alarm in the year.
        spending: ``equal``, α/M each; ``falling``, α·γ_j with γ_j ∝ j^−1.6, whose sum stays below α however many come.

    Raises:
        UsageError: no merge, or an argument out of range.

    References:
        Bonferroni (1936); alpha-spending: Foster & Stine (2008) JRSS B 70:429.

    Examples:
        >>> alpha_shares(250)[0].round(6).item()
        0.0002
    """
    count = int(as_count(merges, name="merges", at_least=1))
    alpha = 1 - as_level(level)
    if as_choice(spending, get_args(Spending), name="spending") == "equal":
        return np.full(count, alpha / count)
    return alpha * _falling(count)


def lord(p: ArrayLike, *, level: float = 0.95, wealth: float | None = None) -> OnlineTests:
    """LORD++: false discovery rate over merges that are decided as they come.

    α_t = γ_t w₀ + (α − w₀) γ_{t−τ₁} + α Σ_{j≥2} γ_{t−τ_j}, τ_j the place of the j-th rejection.

    Args:
        p: p-values in the order of the merges; independent. Empty for what the first merge gets.
        level: 1 minus the false discovery rate.
        wealth: w₀, what the beginning is given; None for half of α.

    Raises:
        UsageError: not values in [0, 1], or a wealth out of range.

    References:
        Javanmard & Montanari (2018) Annals of Statistics 46:526; Ramdas et al. (2017) NeurIPS, eq. 7.

    Examples:
        >>> found = lord([0.0001, 0.2, 0.0003, 0.9])
        >>> found.rejected.tolist(), round(found.next_alpha, 4)
        ([True, False, True, False], 0.0021)
    """
    values, alpha, w0 = _as_stream(p, level, wealth)
    alphas, rejected = lord_years(values[None, :], alpha=alpha, w0=w0)
    return OnlineTests(alphas[0, :-1], rejected[0], float(alphas[0, -1]), 1 - alpha, "lord")


def addis(
    p: ArrayLike,
    *,
    level: float = 0.95,
    wealth: float | None = None,
    candidate: float = 0.25,
    discard: float = 0.5,
) -> OnlineTests:
    """ADDIS: as LORD, sparing the error of merges that look quiet (p above ``discard`` cost nothing).

    Args:
        p: p-values in the order of the merges; independent, conservative under the null. Empty for what the first gets.
        level: 1 minus the false discovery rate.
        wealth: w₀, what the beginning is given; None for half of α.
        candidate: λ; a p below it costs nothing until it is decided.
        discard: τ, above λ and at most 1; a p above it is left out.

    Raises:
        UsageError: not values in [0, 1], or an argument out of range.

    References:
        Tian & Ramdas (2019) NeurIPS, algorithm 1.

    Examples:
        >>> found = addis([0.0001, 0.6, 0.9, 0.7])
        >>> found.rejected.tolist(), round(found.next_alpha, 4)
        ([True, False, False, False], 0.0055)
    """
    if not 0 < candidate < discard <= 1:
        raise UsageError(f"0 < candidate < discard ≤ 1 is needed; got {candidate} and {discard}")
    values, alpha, w0 = _as_stream(p, level, wealth)
    alphas, rejected = addis_years(values[None, :], alpha=alpha, w0=w0, candidate=candidate, discard=discard)
    return OnlineTests(alphas[0, :-1], rejected[0], float(alphas[0, -1]), 1 - alpha, "addis")


def lord_years(p: Floats, *, alpha: float, w0: float) -> tuple[Floats, NDArray[np.bool_]]:
    """LORD++ for many streams at once, one a row of p; errors have one more column, for the next test."""
    streams, n = p.shape
    gamma = _slow(n + 1)
    alphas, worth = np.empty((streams, n + 1)), np.zeros((streams, n))
    rejected = np.zeros((streams, n), dtype=bool)
    for t in range(n + 1):
        alphas[:, t] = w0 * gamma[t] + worth[:, :t] @ gamma[:t][::-1]
        if t < n:
            worth[:, t], rejected[:, t] = _decided(p[:, t], alphas[:, t], rejected[:, :t], alpha, w0)
    return alphas, rejected


def addis_years(
    p: Floats, *, alpha: float, w0: float, candidate: float, discard: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """ADDIS for many streams at once, as :func:`lord_years`; time passes with tests that cost only."""
    streams, n = p.shape
    gamma = _falling(n + 1)
    alphas, worth = np.empty((streams, n + 1)), np.zeros((streams, n))
    rejected = np.zeros((streams, n), dtype=bool)
    costs = (p > candidate) & (p <= discard)  # kept, and no candidate
    clock = np.concatenate([np.zeros((streams, 1), dtype=np.int64), np.cumsum(costs, axis=1)], axis=1)
    for t in range(n + 1):
        since = clock[:, t, None] - clock[:, 1 : t + 1]
        earned = w0 * gamma[clock[:, t]] + (worth[:, :t] * gamma[since]).sum(axis=1)
        alphas[:, t] = np.minimum(candidate, (discard - candidate) * earned)
        if t < n:
            worth[:, t], rejected[:, t] = _decided(p[:, t], alphas[:, t], rejected[:, :t], alpha, w0)
    return alphas, rejected


def _decided(
    p: Floats, alphas: Floats, before: NDArray[np.bool_], alpha: float, w0: float
) -> tuple[Floats, NDArray[np.bool_]]:
    """Whether each stream rejects now, and what that earns it: α, less w₀ for its first."""
    rejects = p <= alphas
    return np.where(rejects, np.where(before.any(axis=1), alpha, alpha - w0), 0.0), rejects


def _as_stream(p: ArrayLike, level: float, wealth: float | None) -> tuple[Floats, float, float]:
    values = as_values(np.asarray(p, dtype=np.float64), name="p", at_least=0, low=0.0, high=1.0)
    if values.size > MOST:
        raise UsageError(f"p holds {values.size} values; the shares are scaled for {MOST:,}")
    alpha = 1 - as_level(level)
    w0 = alpha / 2 if wealth is None else as_count(wealth, name="wealth")
    if not 0 < w0 <= alpha:
        raise UsageError(f"wealth must lie above 0 and be at most 1 − level = {alpha:.4g}; got {w0}")
    return values, alpha, w0


def _slow(n: int) -> Floats:
    """γ_j ∝ log(max(j, 2))/(j exp(√log j)), summing to 1 over j up to :data:`MOST`: LORD's own."""
    j = np.arange(1, MOST + 1)
    shape = np.log(np.maximum(j, 2)) / (j * np.exp(np.sqrt(np.log(j))))
    return (shape / shape.sum())[:n]


def _falling(n: int) -> Floats:
    """γ_j ∝ j^−1.6, summing to 1 over j up to :data:`MOST`."""
    shape = np.arange(1.0, MOST + 1) ** -1.6
    return (shape / shape.sum())[:n]
