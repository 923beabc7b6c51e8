"""Which tables of two rates on different items a test rejects, over the tables that carry the probability."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from aliquot.stats.distributions import binomial_pmf, normal_quantile
from aliquot.stats.inputs import Floats, Integers

Region = NDArray[np.bool_]

_TAIL = 9.0  # standard deviations that are summed: what lies outside is below 1e-15
_TIES = 1 + 1e-7  # R's fisher.test counts a table as equally probable within this factor
_SAME = 1 + 1e-9  # one-sided Fisher p-values within this factor are one value computed twice
_NUISANCE = 257
_ZOOMS = 4
_NEAR = 0.95  # a peak between two points of the grid is higher than both by less than the rest


def likely_counts(n: int, rate: float) -> Floats:
    """Counts of a binomial(n, rate) that carry its probability."""
    reach = _TAIL * math.sqrt(n * rate * (1 - rate)) + 40
    return np.arange(max(0, math.floor(n * rate - reach)), min(n, math.ceil(n * rate + reach)) + 1.0)


def fisher_region(x_a: Floats, x_b: Floats, n_a: int, n_b: int, *, alpha: float, mid_p: bool) -> Region:
    """Tables (row x_a, column x_b) whose two-sided Fisher p is at most alpha."""
    totals = np.arange(x_a[0] + x_b[0], x_a[-1] + x_b[-1] + 1)
    base, probability = _hypergeometric(totals, n_a, n_b)
    order = np.argsort(probability, axis=1, kind="stable")
    ranked = np.take_along_axis(probability, order, axis=1)
    up_to = np.cumsum(ranked, axis=1)
    tied = np.zeros(ranked.shape, dtype=np.bool_)  # with the next more probable: the mirror table
    tied[:, :-1] = ranked[:, 1:] <= ranked[:, :-1] * _TIES
    p_ranked = up_to.copy()
    p_ranked[:, :-1] = np.where(tied[:, :-1], up_to[:, 1:], up_to[:, :-1])
    if mid_p:
        seen = ranked.copy()
        seen[:, :-1] += np.where(tied[:, :-1], ranked[:, 1:], 0.0)
        seen[:, 1:] += np.where(tied[:, :-1], ranked[:, :-1], 0.0)
        p_ranked -= seen / 2
    p = np.empty_like(p_ranked)
    np.put_along_axis(p, order, p_ranked, axis=1)
    row = (x_a[:, None] + x_b - totals[0]).astype(np.int64)
    column = x_b - base[row]
    inside = (column >= 0) & (column < p.shape[1])
    found = p[row, np.clip(column, 0, p.shape[1] - 1).astype(np.int64)]
    return ~inside | (found <= alpha)  # what lies outside the window has a probability below 1e-15


def mn_region(x_a: Floats, x_b: Floats, n_a: int, n_b: int, *, alpha: float) -> Region:
    """Tables that Miettinen and Nurminen's score test of equal rates rejects."""
    total = n_a + n_b
    pooled = (x_a[:, None] + x_b) / total
    variance = pooled * (1 - pooled) * (1 / n_a + 1 / n_b) * total / (total - 1)
    z = -normal_quantile(alpha / 2)
    return (variance > 0) & ((x_b / n_b - x_a[:, None] / n_a) ** 2 >= z**2 * variance)


@lru_cache(maxsize=8)
def boschloo_region(n_a: int, n_b: int, *, alpha: float) -> Region:
    """Tables (all of them) that Boschloo's two-sided test rejects: either one-sided test does at alpha/2."""
    up = _boschloo_up(n_a, n_b, alpha=alpha / 2)
    down = up.T if n_a == n_b else _boschloo_up(n_b, n_a, alpha=alpha / 2).T
    return up | down


def _boschloo_up(n_a: int, n_b: int, *, alpha: float) -> Region:
    """Tables with a one-sided Fisher p (B better) so small that no common rate gives them more than alpha."""
    p = _one_sided_fisher(n_a, n_b)
    x_a, x_b = np.arange(n_a + 1.0), np.arange(n_b + 1.0)

    def laws(angles: Floats) -> tuple[Floats, Floats]:
        """P(X_a = x) and P(X_b ≥ k), k up to n_b + 1, a row for each common rate sin²(angle)."""
        rates = np.sin(angles[:, None]) ** 2
        above = np.cumsum(binomial_pmf(x_b, n_b, rates)[:, ::-1], axis=1)[:, ::-1]
        return binomial_pmf(x_a, n_a, rates), np.append(above, np.zeros((angles.size, 1)), axis=1)

    grid = np.linspace(0, np.pi / 2, _NUISANCE)  # on this scale a binomial has the same spread everywhere
    on_grid = laws(grid)

    def exceeded(limit: float) -> bool:
        # Barnard's convexity: with x_a, every x_b from some k on is rejected
        k = n_b + 1 - np.count_nonzero(p <= limit, axis=1)
        size = _size(k, *on_grid)
        if not _NEAR * alpha < size.max() <= alpha:
            return size.max() > alpha
        return _peak(lambda angles: _size(k, *laws(angles)), grid, size) > alpha

    values = np.sort(p[p <= 0.5], axis=None)
    values = values[np.append(values[1:] > values[:-1] * _SAME, True)] * _SAME
    low, high = -1, values.size  # −1: nothing is rejected
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if exceeded(float(values[middle])) else (middle, high)
    return p <= values[low] if low >= 0 else np.zeros(p.shape, dtype=np.bool_)


def _size(k: Integers, law_a: Floats, above_b: Floats) -> Floats:
    """Chance that X_b ≥ k(X_a) at each common rate."""
    return (law_a * above_b[:, k]).sum(axis=1)


def _peak(size: Callable[[Floats], Floats], grid: Floats, found: Floats) -> float:
    """Largest chance near the three best points of a grid, by zooming in."""
    centre, reach = grid[np.argsort(found)[-3:]], float(grid[1] - grid[0])
    best = float(found.max())
    for _ in range(_ZOOMS):
        near = np.clip(centre[:, None] + np.linspace(-reach, reach, 9), 0, np.pi / 2)
        sizes = size(near.ravel()).reshape(near.shape)
        centre, reach = near[np.arange(centre.size), sizes.argmax(axis=1)], reach / 4
        best = max(best, float(sizes.max()))
    return best


def _one_sided_fisher(n_a: int, n_b: int) -> Floats:
    """P(X_b ≥ x_b | x_a + x_b) of every table, row x_a, column x_b."""
    totals = np.arange(n_a + n_b + 1.0)
    base, probability = _hypergeometric(totals, n_a, n_b, window=False)
    above = np.cumsum(probability[:, ::-1], axis=1)[:, ::-1]
    x_a, x_b = np.arange(n_a + 1)[:, None], np.arange(n_b + 1)
    row = x_a + x_b
    return above[row, (x_b - base[row]).astype(np.int64)]


def _hypergeometric(totals: Floats, n_a: int, n_b: int, *, window: bool = True) -> tuple[Floats, Floats]:
    """Smallest number right of B, and the probabilities from it on, a row for each total right."""
    n = n_a + n_b
    least, most = np.maximum(0, totals - n_a), np.minimum(totals, n_b)
    if window:
        spread = np.sqrt(n_a * n_b * totals * (n - totals) / (n * n * max(1.0, n - 1.0)))
        reach = _TAIL * spread + 40
        least = np.maximum(least, np.floor(totals * n_b / n - reach))
        most = np.minimum(most, np.ceil(totals * n_b / n + reach))
    value = least[:, None] + np.arange(float((most - least).max()) + 1)
    held = value <= most[:, None]
    x = np.where(held, value, least[:, None]).astype(np.int64)
    rest = totals.astype(np.int64)[:, None] - x
    log_factorial = special.gammaln(np.arange(max(n_a, n_b) + 1.0) + 1)
    log_p = -log_factorial[x] - log_factorial[n_b - x] - log_factorial[rest] - log_factorial[n_a - rest]
    weights = np.where(held, np.exp(log_p - log_p.max(axis=1, keepdims=True)), 0.0)
    return least, weights / weights.sum(axis=1, keepdims=True)
