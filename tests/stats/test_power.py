"""Power of McNemar's test: outside numbers, plain enumeration, the sawtooth, designs that cannot be."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from aliquot.errors import UsageError
from aliquot.stats.discordance import (
    as_rule,
    critical,
    discordance_range,
    feasible_difference,
    pairing_break_even,
    powers_over,
)
from aliquot.stats.paired_tests import mcnemar
from aliquot.stats.power import (
    connor_sample_size,
    design_errors,
    detectable_difference,
    mcnemar_power,
    mcnemar_sample_size,
)
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Undefined
from tests.oracles import case as oracle
from tests.oracles import cases


@pytest.mark.parametrize("case", cases("seeds", "mcnemar-power-"))
def test_exact_power_of_the_requirement_texts(case):
    _, _, n, points = case["id"].split("-")
    psi = int(points) / 100
    found = mcnemar_power(int(n), psi=psi, difference=feasible_difference(0.80, 0.85, psi=psi))
    assert found == pytest.approx(case["expected"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("04_power", "-mcnemar-"))
def test_exact_power_computed_elsewhere(case):
    given = case["inputs"]
    found = mcnemar_power(given["n"], psi=given["p10"] + given["p01"], difference=given["p01"] - given["p10"])
    assert found == pytest.approx(case["expected"]["power"], abs=case["tolerance"])


def plain_power(
    n: int, psi: float, difference: float, alpha: float, method: str
) -> tuple[float, float, float]:
    """Sum over every pair (fixed, broke): power, mean size of the difference when it rejects, wrong sign."""
    up, down = (psi + difference) / 2, (psi - difference) / 2
    power = seen = wrong = 0.0
    for fixed in range(n + 1):
        for broke in range(n + 1 - fixed):
            if mcnemar(fixed, broke, method=method).p <= alpha:
                ways = math.comb(n, fixed) * math.comb(n - fixed, broke)
                chance = ways * up**fixed * down**broke * (1 - psi) ** (n - fixed - broke)
                power += chance
                seen += chance * abs(fixed - broke) / n
                wrong += chance * ((fixed - broke) * difference < 0)
    return power, seen, wrong


@settings(max_examples=25)
@given(
    n=st.integers(1, 22),
    psi=st.floats(0.05, 0.95),
    share=st.floats(-0.99, 0.99),
    level=st.sampled_from([0.8, 0.95]),
    method=st.sampled_from(["exact", "mid_p"]),
)
def test_power_and_design_errors_agree_with_plain_enumeration(n, psi, share, level, method):
    difference = psi * share
    power, seen, wrong = plain_power(n, psi, difference, round(1 - level, 12), method)
    found = mcnemar_power(n, psi=psi, difference=difference, level=level, method=method)
    assert found == pytest.approx(power, abs=1e-10)
    if abs(difference) < 1e-3:
        return
    errors = design_errors(n, psi=psi, difference=difference, level=level, method=method)
    if isinstance(errors, Undefined):
        assert power == 0
        return
    assert errors.power == pytest.approx(power, abs=1e-10)
    assert errors.type_m == pytest.approx(seen / power / abs(difference), rel=1e-6)
    assert errors.type_s == pytest.approx(wrong / power, abs=1e-8)


@pytest.mark.parametrize("method", ["exact", "mid_p"])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.999])
def test_the_critical_value_is_the_first_that_rejects(method, level):
    k = critical(0, 400, as_rule(level, method))
    alpha = round(1 - level, 12)
    for m in (*range(41), 100, 257, 400):
        rejecting = [x for x in range(m // 2 + 1, m + 1) if mcnemar(x, m - x, method=method).p <= alpha]
        assert k[m] == (rejecting[0] if rejecting else m + 1)


def test_type_m_and_type_s_of_the_requirement_text():
    seed = oracle("seeds_more", "s-typeM")
    design, expected = seed["inputs"], seed["expected"]
    difference = feasible_difference(design["pA"], design["pB"], psi=design["psi"])
    found = design_errors(design["n"], psi=design["psi"], difference=difference)
    assert found.power == pytest.approx(expected["power"], abs=0.0005)
    assert found.type_m == pytest.approx(expected["type_m"], abs=0.005)
    assert found.type_s == pytest.approx(expected["type_s"], abs=0.00005)


def test_the_sign_of_the_difference_does_not_matter():
    up, down = (mcnemar_power(150, psi=0.3, difference=d) for d in (0.1, -0.1))
    assert up == pytest.approx(down, abs=1e-13)
    assert design_errors(150, psi=0.3, difference=-0.1) == design_errors(150, psi=0.3, difference=0.1)


def test_without_a_difference_power_is_the_size():
    # n = 6, ψ = 1: only 6 to 0 and 0 to 6 reject, 2/64
    assert mcnemar_power(6, psi=1, difference=0) == pytest.approx(2 / 64)
    assert mcnemar_power(50, psi=0, difference=0) == 0


def test_an_effective_number_is_rounded_down():
    assert mcnemar_power(99.9, psi=0.3, difference=0.1) == mcnemar_power(99, psi=0.3, difference=0.1)
    assert detectable_difference(99.9, psi=0.1).n == 99


@pytest.mark.parametrize("case", cases("seeds", "connor-34-120"))
def test_connor_of_the_requirement_texts(case):
    difference = float(case["id"].rpartition("-")[2])
    assert math.ceil(connor_sample_size(34 / 120, difference)) == case["expected"]


def test_connor_at_the_wilson_limits():
    interval = wilson(34, 120)
    found = [math.ceil(connor_sample_size(psi, 0.05)) for psi in (interval.low, interval.high)]
    assert found == oracle("seeds", "connor-range-wilson-34-120")["expected"]


@pytest.mark.parametrize("case", cases("04_power", "-connor-"))
def test_connor_computed_elsewhere(case):
    given, expected = case["inputs"], case["expected"]
    found = connor_sample_size(given["psi"], given["delta"], power=given["power"])
    assert found == pytest.approx(expected["n_unrounded"], abs=case["tolerance"])
    assert math.ceil(found) == expected.get("n", math.ceil(found))


@pytest.mark.parametrize(
    ("psi", "difference", "power", "level", "method"),
    [
        (0.1, 0.1, 0.8, 0.95, "exact"),
        (34 / 120, 0.1, 0.8, 0.95, "exact"),
        (34 / 120, 0.1, 0.8, 0.95, "mid_p"),
        (0.3, -0.05, 0.8, 0.95, "exact"),
        (1.0, 0.5, 0.8, 0.95, "exact"),
        (1.0, 1.0, 0.8, 0.95, "exact"),
        (0.5, 0.45, 0.99, 0.95, "exact"),
        (0.02, 0.02, 0.999, 0.95, "exact"),
        (0.2, 0.1, 0.1, 0.95, "exact"),
        (0.2, 0.15, 0.9, 0.999, "exact"),
        (0.9, 0.2, 0.5, 0.5, "exact"),
    ],
)
def test_sample_size_is_past_the_last_tooth(psi, difference, power, level, method):
    found = mcnemar_sample_size(psi, difference, power=power, level=level, method=method)
    powers = powers_over(np.arange(1, found * 3 // 2 + 100), psi, difference, as_rule(level, method))
    short = np.flatnonzero(powers < power)
    assert found == (short[-1] + 2 if short.size else 1)


def test_sample_size_waits_for_the_sawtooth():
    # ψ = 1, Δ = .5: 30 items reach .8, 31 and 32 fall short of it again
    rule = as_rule(0.95, "exact")
    reached = powers_over(np.arange(1, 60), 1.0, 0.5, rule) >= 0.8
    first, found = int(np.argmax(reached)) + 1, mcnemar_sample_size(1.0, 0.5)
    assert first < found
    assert not reached[found - 2]
    assert reached[found - 1 :].all()


def test_a_sample_size_beyond_reach_is_undefined():
    found = mcnemar_sample_size(0.3, 0.0005)
    assert isinstance(found, Undefined)
    assert "items would be needed" in found.reason


def test_detectable_with_nothing_seen_to_differ_is_8_points_of_100():
    found = detectable_difference(100, psi=0)
    # every differing item is fixed: power = P(binomial(100, δ) ≥ 6), as 6 to 0 is the least that rejects
    assert float(binom.sf(5, 100, found.low)) == pytest.approx(0.8, abs=1e-5)
    assert round(100 * found.low) == 8
    assert found.psi_high == pytest.approx(wilson(0, 100).high)


@settings(max_examples=30)
@given(n=st.integers(8, 400), psi=st.floats(0, 1), power=st.sampled_from([0.5, 0.8, 0.9]))
def test_detectable_is_where_the_power_is_reached(n, psi, power):
    found = detectable_difference(n, psi=psi, power=power)
    assert found.psi_high == pytest.approx(wilson(psi * n, n).high)
    turned = found.psi_high > 0.8 and mcnemar_power(n, psi=max(psi, found.low), difference=found.low) < power
    ends = (found.high, found.low) if turned else (found.low, found.high)
    for delta, share in zip(ends, (psi, found.psi_high), strict=True):
        assert mcnemar_power(n, psi=max(share, delta), difference=delta) >= power
        less = delta - 2e-6
        assert mcnemar_power(n, psi=max(share, less), difference=less) < power
    assert found.low <= found.high
    assert (found.n, found.psi, found.power, found.level) == (n, psi, power, 0.95)


def test_detectable_keeps_the_order_of_its_ends_when_the_sawtooth_turns_them():
    found = detectable_difference(15, psi=0.9375, power=0.5)
    # at the share seen .5433, at its upper limit (.989) .5304: one more discordant item allows another value
    assert (round(found.low, 4), round(found.high, 4)) == (0.5304, 0.5433)


def test_too_few_items_can_detect_nothing():
    # five items reach p = .0625 at the least
    assert "never reject on 5 items" in detectable_difference(5, psi=0.1).reason
    assert detectable_difference(6, psi=0.1).low > 0.9
    assert detectable_difference(5, psi=0.1, method="mid_p").method == "mcnemar_midp"
    assert "never reject on 5 items" in design_errors(5, psi=0.5, difference=0.1).reason


def test_the_range_and_the_threshold_of_the_requirement_texts():
    low, high = discordance_range(0.80, 0.85)
    delta = oracle("seeds", "delta-max")
    assert high == pytest.approx(delta["expected"], abs=delta["tolerance"])
    assert low == pytest.approx(0.05)
    threshold = oracle("seeds", "threshold")
    assert pairing_break_even(0.80, 0.85) == pytest.approx(threshold["expected"], abs=threshold["tolerance"])
    assert discordance_range(0.2, 0.1) == pytest.approx((0.1, 0.3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mcnemar_power(100, psi=0.1, difference=0.2), "between -0.1 and 0.1"),
        (lambda: mcnemar_power(100, psi=0, difference=0.1), "impossible"),
        (lambda: mcnemar_power(100, psi=1.1, difference=0.1), "psi must lie"),
        (lambda: mcnemar_power(100, psi=0.1, difference=math.nan), "impossible"),
        (lambda: mcnemar_power(0.5, psi=0.1, difference=0.1), "n must be"),
        (lambda: mcnemar_power(10, psi=0.1, difference=0.1, method="asymptotic"), "unknown method"),
        (lambda: feasible_difference(0.8, 0.85, psi=0.36), "between 0.05 and 0.35"),
        (lambda: feasible_difference(0.8, 0.85, psi=0.04), "between 0.05 and 0.35"),
        (lambda: discordance_range(80, 85), "0.8, not 80"),
        (lambda: pairing_break_even(0.8, 1.2), "rate_b must lie"),
        (lambda: connor_sample_size(0.2, 0), "smallest one that matters"),
        (lambda: connor_sample_size(0.2, 0.1, power=80), "0.8, not 80"),
        (lambda: design_errors(100, psi=0.2, difference=0), "other than 0"),
        (lambda: detectable_difference(100, psi=-0.1), "psi must be"),
    ],
)
def test_a_design_that_cannot_be_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
