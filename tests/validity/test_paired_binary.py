"""Enumerated sizes and coverage of the paired binary rule: no simulation, every table is counted.

The interval and the tests depend on the counts of fixed and broke items alone, so a design is n, ψ and Δ.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln, ndtri, xlogy
from scipy.stats import binom

from aliquot.stats.discordance import as_rule, power_at
from aliquot.stats.paired_score import tango_limits
from aliquot.stats.paired_tests import mcnemar

SIZES = (20, 50, 100, 200, 500, 1000)
SHARES = np.linspace(0.02, 0.60, 30)
Z = float(ndtri(0.975))


def score_rejections(n: int) -> NDArray[np.float64]:
    """Chance that Tango's interval excludes 0, given m = 0..n discordant items under the null hypothesis."""
    chances = [0.0]
    for m in range(1, n + 1):
        x = np.arange(m + 1)
        chances.append(float(binom.pmf(x, m, 0.5)[(2 * x - m) ** 2 > Z**2 * m].sum()))
    return np.array(chances)


@pytest.fixture(scope="module")
def sizes() -> dict[str, NDArray[np.float64]]:
    """Sizes at 5% by test, one row for each n, one column for each ψ."""
    tango = score_rejections(max(SIZES))
    exact, mid_p = as_rule(0.95, "exact"), as_rule(0.95, "mid_p")
    return {
        "exact": np.array([[power_at(n, psi, 0.0, exact) for psi in SHARES] for n in SIZES]),
        "mid_p": np.array([[power_at(n, psi, 0.0, mid_p) for psi in SHARES] for n in SIZES]),
        "tango": np.array(
            [[binom.pmf(np.arange(n + 1), n, psi) @ tango[: n + 1] for psi in SHARES] for n in SIZES]
        ),
    }


def test_the_exact_test_has_a_worst_size_of_024_to_045(sizes):
    worst = sizes["exact"].max(axis=1).round(3)  # over ψ, for each n
    assert (worst[0], worst[-1]) == (0.024, 0.045)
    assert ((worst >= 0.024) & (worst <= 0.045)).all()


def test_mid_p_keeps_5_percent_up_to_60_percent_discordance(sizes):
    assert sizes["mid_p"].max() <= 0.050


def test_tango_alone_is_a_little_over_5_percent(sizes):
    assert 0.050 < sizes["tango"].max() <= 0.054


def test_the_limits_are_passed_only_when_nearly_all_items_differ():
    # with ψ = 1 there is one m: at 50, 32 to 18 has mid-p .0497 and a size of P(|2X − 50| ≥ 14) = .0649
    assert mcnemar(32, 18, method="mid_p").p <= 0.05
    assert power_at(50, 1.0, 0.0, as_rule(0.95, "mid_p")) == pytest.approx(
        2 * float(binom.sf(31, 50, 0.5)), abs=1e-12
    )
    for n in SIZES:
        assert max(power_at(n, psi, 0.0, as_rule(0.95, "exact")) for psi in (0.7, 0.8, 0.9, 1.0)) <= 0.05


def coverage(n: int, psi: float, difference: float) -> tuple[float, float]:
    """Coverage of Tango's interval and of the interval the verdict reads, over all tables."""
    fixed, broke = (grid.ravel() for grid in np.meshgrid(np.arange(n + 1), np.arange(n + 1)))
    kept = fixed + broke <= n
    fixed, broke = fixed[kept], broke[kept]
    up, down = (psi + difference) / 2, (psi - difference) / 2
    log_p = gammaln(n + 1) - gammaln(fixed + 1) - gammaln(broke + 1) - gammaln(n - fixed - broke + 1)
    log_p += xlogy(fixed, up) + xlogy(broke, down) + xlogy(n - fixed - broke, 1 - psi)
    chance = np.exp(log_p)
    likely = chance > 1e-12
    fixed, broke, chance = fixed[likely], broke[likely], chance[likely]
    low, high = tango_limits(fixed, broke, n, z=Z)
    undecided = np.array([mcnemar(int(x), int(y)).p > 0.05 for x, y in zip(fixed, broke, strict=True)])
    held_low = np.where(undecided & (low > 0), 0.0, low)
    held_high = np.where(undecided & (high < 0), 0.0, high)
    inside, held = (
        (low <= difference) & (difference <= high),
        (held_low <= difference) & (difference <= held_high),
    )
    return float(chance @ inside), float(chance @ held)


@pytest.mark.parametrize("n", [20, 50, 100])
def test_tango_covers_and_holding_a_limit_at_0_only_adds(n):
    designs = [(psi, psi * share) for psi in (0.05, 0.1, 0.3, 0.6) for share in (0.0, 0.3, 0.7, 1.0)]
    found = np.array([coverage(n, psi, difference) for psi, difference in designs])
    assert found[:, 0].mean() >= 0.945
    assert found[:, 0].min() >= (0.90 if n >= 50 else 0.88)
    assert (found[:, 1] >= found[:, 0]).all()


def test_wald_shows_why_it_is_not_the_default():
    # n = 50, ψ = .05, Δ = 0: nothing discordant in .95^50 = 8% of samples, where Wald has no width
    n, psi = 50, 0.05
    m = np.arange(n + 1)
    covered = np.array(
        [
            sum(
                binom.pmf(x, k, 0.5)
                for x in range(k + 1)
                if abs(2 * x - k) <= Z * np.sqrt(max(0.0, k - (2 * x - k) ** 2 / n)) and k
            )
            for k in m
        ]
    )
    assert float(binom.pmf(m, n, psi) @ covered) < 0.93
    assert coverage(n, psi, 0.0)[0] > 0.95
