"""Two rates on different items: outside numbers, plain second implementations, degenerate counts."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from scipy.stats import binom

from aliquot.errors import UsageError
from aliquot.stats.results import Undefined
from aliquot.stats.unpaired_exact import boschloo, fisher, unpaired_test
from aliquot.stats.unpaired_forms import (
    chi_squared,
    newcombe_unpaired,
    unpaired_binary,
    wald_unpaired,
    z_pooled,
)
from aliquot.stats.unpaired_score import mee, miettinen_nurminen, mn_score_test, score_limits
from tests.oracles import case as oracle
from tests.oracles import cases

TOPIC = "03_unpaired"


def systems(inputs: dict[str, int]) -> tuple[int, int, int, int]:
    """The files' first sample is our candidate, as their difference is p1 − p2 and ours B − A."""
    return inputs["x2"], inputs["n2"], inputs["x1"], inputs["n1"]


@pytest.mark.parametrize("case", [p for p in cases(TOPIC) if "lower" in p.values[0]["expected"]])
def test_interval_agrees_with_the_outside_number(case):
    name = case["id"].removeprefix("03_unpaired-")
    method = mee if name.endswith("mee") else miettinen_nurminen if "mn" in name else newcombe_unpaired
    found = method(*systems(case["inputs"]))
    assert found.low == pytest.approx(case["expected"]["lower"], abs=case["tolerance"])
    assert found.high == pytest.approx(case["expected"]["upper"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases(TOPIC, "-fisher-"))
def test_fisher_agrees_with_the_outside_number(case):
    assert fisher(*systems(case["inputs"])).p == pytest.approx(
        case["expected"]["p_value"], abs=case["tolerance"]
    )


@pytest.mark.parametrize("case", cases(TOPIC, "-chisq-"))
def test_chi_squared_agrees_with_the_outside_number(case):
    found = chi_squared(*systems(case["inputs"]))
    assert found.p == pytest.approx(case["expected"]["p_value"], abs=case["tolerance"])
    assert found.statistic == pytest.approx(case["expected"]["statistic"], abs=case["tolerance"])
    assert found.df == 1


def test_the_lady_tasting_tea():
    case = oracle(TOPIC, "03_unpaired-tea-fisher")
    (hits, misses), (wrong, right) = case["inputs"]["table"]
    found = fisher(wrong, wrong + right, hits, hits + misses, alternative="greater")
    assert found.p == pytest.approx(case["expected"]["p_value"], abs=case["tolerance"])
    assert found.p == pytest.approx(17 / 70)


def test_fisher_mid_p_of_the_book():
    # Fagerland, Lydersen & Laake (2017), Ritland data, 0 of 16 and 15 of 72: exact .06287, mid-p .04466
    # (R package contingencytables, tests/testthat/test-ch4.R)
    assert round(fisher(0, 16, 15, 72).p, 5) == 0.06287
    assert round(fisher(0, 16, 15, 72, method="mid_p").p, 5) == 0.04466


def test_miettinen_nurminen_of_the_book():
    # the same data and source: −.2083 (−.3164 to −.0056), there 0/16 − 15/72
    found = miettinen_nurminen(15, 72, 0, 16)
    assert [round(value, 4) for value in (found.point, found.low, found.high)] == [-0.2083, -0.3164, -0.0056]


def test_fisher_of_the_judge_audit():
    expected = oracle("seeds_more", "s-judge-audit")["expected"]["fisher_p"]
    # same winner in both orders, 37/60 against 51/60; preferred the reference, 62/120 against 89/120
    assert fisher(37, 60, 51, 60).p == pytest.approx(expected["same_winner"], abs=5e-6)
    assert fisher(62, 120, 89, 120).p == pytest.approx(expected["preferred_reference"], abs=5e-6)


def test_z_pooled_of_the_requirement_text():
    seed = oracle("seeds_more", "s-unpaired-z")
    found = z_pooled(*systems(seed["inputs"]))
    assert found.statistic == pytest.approx(seed["expected"]["z"], abs=0.0051)
    assert found.p == pytest.approx(seed["expected"]["p"], abs=0.0005)


def test_size_of_an_unpaired_test_on_paired_items():
    """Two systems of 80% that differ on a share psi of 500 items, fixed and broke alike."""
    seed = oracle("seeds_more", "s-type1-unpaired-on-paired")
    rng, n, runs = np.random.default_rng(7), 500, 40_000
    for psi, size in zip(seed["inputs"]["disagreement"], seed["expected"]["size"], strict=True):
        both, one = 0.8 - psi / 2, psi / 2
        cells = rng.multinomial(n, [both, one, one, 1 - both - 2 * one], size=runs)
        tables, times = np.unique(cells, axis=0, return_counts=True)
        a, b = tables[:, 0] + tables[:, 1], tables[:, 0] + tables[:, 2]
        p = np.array([z_pooled(x, n, y, n).p for x, y in zip(a.tolist(), b.tolist(), strict=True)])
        rejected = float(times[p <= 0.05].sum()) / runs
        noise = 4 * math.sqrt(size * (1 - size) / runs)
        assert rejected == pytest.approx(size, abs=seed["tolerance"] + noise)


COUNTS = st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30)).filter(
    lambda c: c[0] + c[1] > 0 and c[2] + c[3] > 0
)


def as_counts(cells: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    right_a, wrong_a, right_b, wrong_b = cells
    return right_a, right_a + wrong_a, right_b, right_b + wrong_b


def plain_score(counts: tuple[float, float, float, float], delta: float, *, factor: bool) -> float:
    """The score statistic with the restricted rates found by golden section on the likelihood."""
    x_a, n_a, x_b, n_b = counts

    def likelihood(p: float) -> float:
        total = 0.0
        for count, chance in ((x_a, p), (n_a - x_a, 1 - p), (x_b, p + delta), (n_b - x_b, 1 - p - delta)):
            if count:
                total += count * (math.log(chance) if chance > 0 else -math.inf)
        return total

    low, high = max(0.0, -delta), min(1.0, 1 - delta)
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(120):
        left, right = high - ratio * (high - low), low + ratio * (high - low)
        if likelihood(left) < likelihood(right):
            low = left
        else:
            high = right
    a = (low + high) / 2
    b, total = a + delta, n_a + n_b
    variance = (a * (1 - a) / n_a + b * (1 - b) / n_b) * (total / (total - 1) if factor else 1)
    gap = x_b / n_b - x_a / n_a - delta
    return gap / math.sqrt(variance) if variance > 0 else math.copysign(math.inf, gap) if gap else 0.0


@pytest.mark.heavy
@given(
    cells=COUNTS,
    scale=st.sampled_from([1.0, 0.83, 2.5]),
    factor=st.booleans(),
    level=st.sampled_from([0.8, 0.95, 0.99]),
)
def test_score_limits_are_where_the_statistic_meets_z(cells, scale, factor, level):
    counts = as_counts(tuple(scale * cell for cell in cells))
    if counts[1] + counts[3] < 1.5:
        return
    found = (miettinen_nurminen if factor else mee)(*counts, level=level)
    z = float(ndtri(0.5 + level / 2))
    assert -1 <= found.low < found.high <= 1
    for limit, inward in ((found.low, 1), (found.high, -1)):
        if abs(limit) < 1 - 2e-5:
            assert abs(plain_score(counts, limit + inward * 1e-5, factor=factor)) < z
            assert abs(plain_score(counts, limit - inward * 1e-5, factor=factor)) > z


@pytest.mark.heavy
@settings(max_examples=30)
@given(cells=COUNTS)
def test_intervals_mirror_when_the_systems_change_places(cells):
    x_a, n_a, x_b, n_b = as_counts(cells)
    for method in (miettinen_nurminen, mee, newcombe_unpaired):
        one, other = method(x_a, n_a, x_b, n_b), method(x_b, n_b, x_a, n_a)
        assert one.low == pytest.approx(-other.high, abs=1e-12)
        assert one.low <= one.point <= one.high
        assert one.low < one.high


@settings(max_examples=50)
@given(cells=COUNTS)
def test_the_score_test_and_the_interval_agree(cells):
    counts = as_counts(cells)
    test, interval = mn_score_test(*counts), miettinen_nurminen(*counts)
    if abs(test.p - 0.05) > 1e-9:
        assert (test.p < 0.05) == (interval.low > 0 or interval.high < 0)
    plain = plain_score(counts, 0.0, factor=True)
    assert test.statistic == pytest.approx(plain, abs=1e-6)


def test_score_limits_with_fewer_than_one_effective_item_say_nothing():
    found = miettinen_nurminen(0.2, 0.4, 0.1, 0.5)
    assert (found.low, found.high) == (-1, 1)


@pytest.mark.parametrize("n", [1, 10, 1e9])
def test_mee_with_nothing_right_has_its_closed_form(n):
    # A at 0, B at δ: n δ² = z² δ(1 − δ) gives δ = z²/(n + z²)
    z2 = float(ndtri(0.975)) ** 2
    found = mee(0, n, 0, n)
    assert found.high == pytest.approx(z2 / (n + z2), rel=1e-9)
    assert found.low == pytest.approx(-found.high, rel=1e-12)


def test_huge_counts_agree_with_wald():
    counts = (3e8, 1e9, 4e8, 1e9)
    score, wald = miettinen_nurminen(*counts), wald_unpaired(*counts)
    assert score.low == pytest.approx(wald.low, abs=1e-9)
    assert score.se == pytest.approx(wald.se)


def test_one_sided_and_simultaneous():
    ninety = miettinen_nurminen(40, 60, 54, 60, level=0.9)
    assert miettinen_nurminen(40, 60, 54, 60, alternative="greater").low == pytest.approx(ninety.low)
    assert miettinen_nurminen(40, 60, 54, 60, alternative="greater").high == math.inf
    assert mee(40, 60, 54, 60, alternative="less").low == -math.inf
    low, high = score_limits(40, 60, 54, 60, z=2.5)
    wide = miettinen_nurminen(40, 60, 54, 60, z=2.5)
    assert (wide.low, wide.high, wide.settings["z"]) == (low, high, 2.5)


def plain_fisher(x_a: int, n_a: int, x_b: int, n_b: int, method: str, alternative: str) -> Fraction:
    right = x_a + x_b
    chance = {
        b: Fraction(math.comb(n_b, b) * math.comb(n_a, right - b), math.comb(n_a + n_b, right))
        for b in range(max(0, right - n_a), min(right, n_b) + 1)
    }
    seen, half = chance[x_b], Fraction(1, 2) if method == "mid_p" else Fraction(1)
    if alternative == "two-sided":
        return sum(p * (half if p == seen else 1) for p in chance.values() if p <= seen)
    side = [p for b, p in chance.items() if (b > x_b if alternative == "greater" else b < x_b)]
    return sum(side, half * seen)


@given(
    cells=COUNTS,
    method=st.sampled_from(["exact", "mid_p"]),
    alternative=st.sampled_from(["two-sided", "less", "greater"]),
)
def test_fisher_agrees_with_fractions(cells, method, alternative):
    counts = as_counts(cells)
    found = fisher(*counts, method=method, alternative=alternative)
    assert found.p == pytest.approx(float(plain_fisher(*counts, method, alternative)), rel=1e-9)
    assert found.name == {"exact": "fisher_exact", "mid_p": "fisher_midp"}[method]


def plain_boschloo(x_a: int, n_a: int, x_b: int, n_b: int) -> float:
    """One-sided p, B better: the largest chance, over the common rate, of a Fisher p as small as the one seen."""
    seen = fisher(x_a, n_a, x_b, n_b, alternative="greater").p
    smaller = np.array(
        [
            [fisher(a, n_a, b, n_b, alternative="greater").p <= seen * (1 + 1e-9) for b in range(n_b + 1)]
            for a in range(n_a + 1)
        ]
    )
    rates = np.linspace(0, 1, 2001)
    a = binom.pmf(np.arange(n_a + 1), n_a, rates[:, None])
    b = binom.pmf(np.arange(n_b + 1), n_b, rates[:, None])
    return float(np.einsum("ri,ij,rj->r", a, smaller, b).max())


@pytest.mark.parametrize("counts", [(3, 10, 9, 10), (2, 7, 6, 7), (9, 12, 3, 8), (1, 1, 0, 6)])
def test_boschloo_agrees_with_plain_enumeration(counts):
    x_a, n_a, x_b, n_b = counts
    greater, less = plain_boschloo(*counts), plain_boschloo(x_b, n_b, x_a, n_a)
    assert boschloo(*counts, alternative="greater").p == pytest.approx(greater, abs=2e-4)
    assert boschloo(*counts, alternative="less").p == pytest.approx(less, abs=2e-4)
    assert boschloo(*counts).p == pytest.approx(min(1, 2 * min(greater, less)), abs=4e-4)


@pytest.mark.parametrize("counts", [(0, 10, 0, 7), (10, 10, 7, 7)])
def test_without_variation_no_test_rejects(counts):
    for test in (boschloo, fisher, z_pooled, mn_score_test, unpaired_test, chi_squared):
        assert test(*counts).p == 1
    assert isinstance(wald_unpaired(*counts), Undefined)


def test_the_deciding_test_changes_beyond_the_limit_and_says_so():
    assert unpaired_test(10, 20, 15, 20).name == "boschloo"
    assert unpaired_test(250, 316, 270, 317).name == "mn_score"  # 316 · 317 = 100172
    with pytest.raises(UsageError, match="use mn_score_test"):
        boschloo(250, 316, 270, 317)


def test_p_is_never_0():
    assert z_pooled(0, 10**6, 10**6, 10**6).p == sys.float_info.min
    assert fisher(0, 10**4, 10**4, 10**4).p == sys.float_info.min
    assert chi_squared(0, 10**6, 10**6, 10**6).p == sys.float_info.min


@given(cells=COUNTS)
def test_z_pooled_agrees_with_its_plain_form(cells):
    x_a, n_a, x_b, n_b = as_counts(cells)
    pooled = (x_a + x_b) / (n_a + n_b)
    if not 0 < pooled < 1:
        return
    z = (x_b / n_b - x_a / n_a) / math.sqrt(pooled * (1 - pooled) * (1 / n_a + 1 / n_b))
    found = {alt: z_pooled(x_a, n_a, x_b, n_b, alternative=alt) for alt in ("two-sided", "greater", "less")}
    assert found["two-sided"].statistic == pytest.approx(z)
    assert found["greater"].p + found["less"].p == pytest.approx(1)
    assert found["two-sided"].p == pytest.approx(2 * min(found["greater"].p, found["less"].p))
    assert (found["greater"].p < 0.5) == (z > 0)


@given(cells=COUNTS, level=st.sampled_from([0.8, 0.95]))
def test_wald_agrees_with_its_plain_form(cells, level):
    x_a, n_a, x_b, n_b = as_counts(cells)
    found = wald_unpaired(x_a, n_a, x_b, n_b, level=level)
    variance = x_a * (n_a - x_a) / n_a**3 + x_b * (n_b - x_b) / n_b**3
    if variance == 0:
        assert isinstance(found, Undefined)
        return
    half = float(ndtri(0.5 + level / 2)) * math.sqrt(variance)
    centre = x_b / n_b - x_a / n_a
    assert found.low == pytest.approx(max(-1, centre - half))
    assert found.high == pytest.approx(min(1, centre + half))


@settings(max_examples=20)
@given(cells=st.tuples(*[st.integers(0, 12)] * 4).filter(lambda c: c[0] + c[1] > 0 and c[2] + c[3] > 0))
def test_the_family_is_made_of_the_single_calls(cells):
    counts = as_counts(cells)
    family = unpaired_binary(*counts)
    assert family.estimates["miettinen_nurminen"] == miettinen_nurminen(*counts)
    assert family.estimates["mee"] == mee(*counts)
    assert family.tests["fisher_midp"] == fisher(*counts, method="mid_p")
    assert family.test == "boschloo"
    claimed = family.decided.low > 0 or family.decided.high < 0
    assert not claimed or family.tests["boschloo"].p <= 0.05


def test_the_family_prints_what_decides():
    text = str(unpaired_binary(1, 10, 6, 10))
    assert text.startswith("unpaired binary, 1 of 10 against 6 of 10    B - A = +0.5000")
    assert text.count("decides the verdict") == 2
    assert "boschloo decides, with miettinen_nurminen." in " ".join(text.split())
    assert unpaired_binary(10, 100, 60, 100).notes == ()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: miettinen_nurminen(3, 2, 1, 2), "x_a must not exceed n_a"),
        (lambda: miettinen_nurminen(1, 2, 1, 0), "n_b must be positive"),
        (lambda: mee(-1, 2, 1, 2), "x_a must be"),
        (lambda: mee(1, 2, 1, 2, alternative="up"), "unknown alternative"),
        (lambda: mee(1, 2, 1, 2, z=0), "z must be"),
        (lambda: newcombe_unpaired(1, 2, 3, 2), "x_b must not exceed"),
        (lambda: fisher(1.5, 2, 1, 2), "x_a must be a whole number"),
        (lambda: fisher(1, 2, 1, 2, method="midp"), "Did you mean 'mid_p'"),
        (lambda: boschloo(1, 2, 1, 2.5), "n_b must be a whole number"),
        (lambda: z_pooled(1, 2, 1, 2, alternative="up"), "unknown alternative"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
