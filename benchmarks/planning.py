"""The smallest number of items for exact McNemar, where the power is a sawtooth in n."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from scipy import special, stats

from aliquot.stats.power import mcnemar_sample_size
from benchmarks.measure import Measured, alternate, call_cpu

FIXED, BROKE = 0.06, 0.04
MOST, POWER = 3000, 0.8
TABLES = 200


def rejection_by_total(last: int) -> np.ndarray:
    """Chance that the exact test rejects, given each number of discordant items up to ``last``."""
    total = np.arange(last + 1)
    k = stats.binom.ppf(0.025, total, 0.5)
    k = np.where(2 * stats.binom.cdf(k, total, 0.5) <= 0.05, k, k - 1)
    share = FIXED / (FIXED + BROKE)
    chance = stats.binom.cdf(k, total, share) + stats.binom.sf(total - k - 1, total, share)
    return np.where(k >= 0, chance, 0.0)


def scan() -> int:
    """Condition on the number of discordant items, then weigh by its binomial law at every n."""
    rejection, psi = rejection_by_total(MOST), FIXED + BROKE
    log_factorial = special.gammaln(np.arange(MOST + 2) + 1.0)
    power = np.empty(MOST + 1)
    for n in range(MOST + 1):
        reach = 12 * np.sqrt(n * psi * (1 - psi)) + 20
        m = np.arange(max(0, int(n * psi - reach)), min(n, int(n * psi + reach)) + 1)
        log_p = log_factorial[n] - log_factorial[m] - log_factorial[n - m]
        log_p += m * np.log(psi) + (n - m) * np.log1p(-psi)
        power[n] = np.exp(log_p) @ rejection[m]
    return int(np.flatnonzero(power < POWER)[-1]) + 1


def simulate() -> float:
    """What a user would write: draw tables at one n and test each; one of the many n of a search."""
    draw = np.random.default_rng(0)
    tables = draw.multinomial(MOST, [FIXED, BROKE, 1 - FIXED - BROKE], size=TABLES)
    return float(np.mean([stats.binomtest(int(min(a, b)), int(a + b)).pvalue <= 0.05 for a, b, _ in tables]))


def measure() -> list[Measured]:
    found, expected = mcnemar_sample_size(FIXED + BROKE, FIXED - BROKE, power=POWER), scan()
    if found != expected:
        raise SystemExit(f"planning: {found} items, the full scan says {expected}")
    cpu = alternate(
        {
            "ours": call_cpu(lambda: mcnemar_sample_size(FIXED + BROKE, FIXED - BROKE, power=POWER)),
            "scan": call_cpu(scan),
            "peer": call_cpu(simulate, times=10_000 / TABLES),
        },
        repeats=5,
    )
    work = f"smallest n for exact McNemar ({found} at ψ = .10, Δ = .02)"
    peer = f"scipy {version('scipy')} binomtest on 10,000 simulated tables, one n only"
    return [Measured(work, cpu["ours"], "full scan to n = 3000", cpu["scan"], 2.0, peer, cpu["peer"])]
