"""Coverage and size by weighing every data set with its probability: no simulation, no Monte-Carlo error."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri, xlogy
from scipy.stats import binom

from aliquot.stats import boschloo, mn_score_test, proportion
from aliquot.stats.discordance import as_rule, power_at
from aliquot.stats.paired_score import tango_limits
from aliquot.stats.unpaired_exact import BOSCHLOO_LIMIT
from aliquot.stats.unpaired_score import score_limits
from tests.validity.cells import SIZE, Result

Floats = NDArray[np.float64]

Z = float(ndtri(0.975))
UNLIKELY = 1e-11


def one_rate(method: str, n: int, p: float) -> Callable[[int, int], Result]:
    """Coverage of an interval for x of n, the Wald interval beside it."""

    def run(reps: int, seed: int) -> Result:
        x, chance = _likely(n, p)
        limits = np.array([(e.low, e.high) for e in (proportion(k, n, method=method) for k in x.tolist())])
        half = Z * np.sqrt(x / n * (1 - x / n) / n)
        return Result(
            coverage=_held(limits[:, 0], limits[:, 1], p, chance),
            width=float(chance @ (limits[:, 1] - limits[:, 0])),
            naive=_held(x / n - half, x / n + half, p, chance),
        )

    return run


def mean_rate(method: str, n: int) -> Callable[[int, int], Result]:
    """Mean over p = .01, .02 … .99."""

    def run(reps: int, seed: int) -> Result:
        found = [one_rate(method, n, p)(reps, seed) for p in np.linspace(0.01, 0.99, 99).tolist()]
        return Result(
            *(
                float(np.mean(part))
                for part in zip(*((r.coverage, r.width, r.naive) for r in found), strict=True)
            )
        )

    return run


def paired_rates(n: int, psi: float, difference: float) -> Callable[[int, int], Result]:
    """Coverage of Tango's interval and size of exact McNemar; Wald and the asymptotic test are the naive ones."""

    def run(reps: int, seed: int) -> Result:
        fixed, broke, chance = _tables(n, (psi + difference) / 2, (psi - difference) / 2)
        low, high = tango_limits(fixed, broke, n, z=Z)
        d = (fixed - broke) / n
        half = Z * np.sqrt(np.maximum(0.0, (fixed + broke) / n - d**2) / n)
        null = difference == 0
        rejects = (fixed - broke) ** 2 > Z**2 * (fixed + broke)
        return Result(
            coverage=_held(low, high, difference, chance),
            width=float(chance @ (high - low)),
            naive=_held(d - half, d + half, difference, chance),
            size=power_at(n, psi, 0.0, as_rule(0.95, "exact")) if null else None,
            naive_size=float(chance @ rejects) if null else None,
        )

    return run


def mid_p_size(n: int, psi: float) -> float:
    """Size of the mid-p form of McNemar's test."""
    return power_at(n, psi, 0.0, as_rule(0.95, "mid_p"))


def two_rates(n: int, p_a: float, p_b: float) -> Callable[[int, int], Result]:
    """Coverage of Miettinen–Nurminen and size of the deciding test; Wald and the pooled z are the naive ones."""

    def run(reps: int, seed: int) -> Result:
        (x_a, chance_a), (x_b, chance_b) = _likely(n, p_a), _likely(n, p_b)
        chance = np.outer(chance_a, chance_b)
        low, high = score_limits(x_a[:, None], n, x_b, n, z=Z)
        a, b = x_a[:, None] / n, x_b / n
        half = Z * np.sqrt((a * (1 - a) + b * (1 - b)) / n)
        truth = p_b - p_a
        pooled = (a + b) / 2
        rejects = (b - a) ** 2 > Z**2 * pooled * (1 - pooled) * 2 / n
        return Result(
            coverage=_held(low, high, truth, chance),
            width=float((chance * (high - low)).sum()),
            naive=_held(b - a - half, b - a + half, truth, chance),
            size=_deciding_size(n, x_a, x_b, chance) if truth == 0 else None,
            naive_size=float((chance * rejects).sum()) if truth == 0 else None,
        )

    return run


def _deciding_size(n: int, x_a: Floats, x_b: Floats, chance: Floats) -> float | None:
    """Chance that the deciding test rejects; None where too many tables need Boschloo's test."""
    if n * n > BOSCHLOO_LIMIT:
        test: Callable[[int, int], float] = lambda a, b: mn_score_test(a, n, b, n).p  # noqa: E731
    elif n <= 20:
        test = partial(_boschloo_p, n)
    else:
        return None
    p = np.array([[test(int(a), int(b)) for b in x_b] for a in x_a])
    return float((chance * (p <= SIZE)).sum())


_KNOWN: dict[tuple[int, int, int], float] = {}


def _boschloo_p(n: int, a: int, b: int) -> float:
    """The same p serves the mirrored table and the two systems exchanged."""
    key = (n, *min(sorted((a, b)), sorted((n - a, n - b))))
    if key not in _KNOWN:
        _KNOWN[key] = boschloo(key[1], n, key[2], n).p
    return _KNOWN[key]


def _likely(n: int, p: float) -> tuple[Floats, Floats]:
    x = np.arange(n + 1, dtype=np.float64)
    chance = binom.pmf(x, n, p)
    return x[chance > UNLIKELY], chance[chance > UNLIKELY]


def _tables(n: int, up: float, down: float) -> tuple[Floats, Floats, Floats]:
    """Numbers fixed and broke that are not too unlikely, with their probability."""
    grid = np.meshgrid(_likely(n, up)[0], _likely(n, down)[0])
    fixed, broke = (part.ravel() for part in grid)
    kept = fixed + broke <= n
    fixed, broke = fixed[kept], broke[kept]
    rest = n - fixed - broke
    log_p = math.lgamma(n + 1) - gammaln(fixed + 1) - gammaln(broke + 1) - gammaln(rest + 1)
    log_p += xlogy(fixed, up) + xlogy(broke, down) + xlogy(rest, max(0.0, 1 - up - down))
    chance = np.exp(log_p)
    return fixed[chance > UNLIKELY], broke[chance > UNLIKELY], chance[chance > UNLIKELY]


def _held(low: Floats, high: Floats, truth: float, chance: Floats) -> float:
    inside = (low <= truth + 1e-12) & (truth - 1e-12 <= high) & (high > low)
    return float((chance * inside).sum())
