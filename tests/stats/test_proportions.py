from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as reference

from aliquot.errors import UsageError
from aliquot.stats.proportions import (
    METHODS,
    agresti_coull,
    clopper_pearson,
    jeffreys,
    mid_p_interval,
    proportion,
    wilson,
)
from tests.oracles import case, cases

ORACLE_NAMES = {"cp": "clopper_pearson", "midp": "mid_p"}
COUNTS = st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


@pytest.mark.parametrize("case", [p for p in cases("01_binomial") if "method" in p.values[0]["inputs"]])
def test_interval_equals_the_outside_number(case):
    given_, expected = case["inputs"], case["expected"]
    method = ORACLE_NAMES.get(given_["method"], given_["method"])
    found = proportion(given_["x"], given_["n"], method=method, level=given_["conf_level"])
    assert (found.low, found.high) == pytest.approx(
        (expected["lower"], expected["upper"]), abs=case["tolerance"], rel=0
    )


SEEDS = {
    "jeffreys-20": (17, 20, 1),
    "jeffreys-100": (85, 100, 1),
    "jeffreys-1000": (850, 1000, 1),
    "wilson-87-120": (87, 120, 1),
    "wilson-89-120": (89, 120, 1),
    "wilson-34-120": (34, 120, 1),
    "wilson-60-60": (60, 60, 100),
    "wilson-37-60": (37, 60, 100),
    "wilson-51-60": (51, 60, 100),
    "wilson-17-60": (17, 60, 100),
    "wilson-0-60": (0, 60, 100),
    "wilson-6-30": (6, 30, 100),
}


@pytest.mark.parametrize("seed", SEEDS)
def test_interval_equals_the_requirement_text(seed):
    x, n, scale = SEEDS[seed]
    found = proportion(x, n, method=seed.split("-")[0])
    expected = next(p.values[0] for p in cases("seeds", seed) if p.values[0]["id"] == seed)
    assert [scale * found.low, scale * found.high] == pytest.approx(
        expected["expected"], abs=expected["tolerance"], rel=0
    )


@pytest.mark.parametrize("case", cases("seeds_more", "s-wilson-"))
def test_wilson_equals_the_later_requirement_text(case):
    found = wilson(case["inputs"]["x"], case["inputs"]["n"])
    assert found.low == pytest.approx(case["expected"]["low"], abs=case["tolerance"])
    assert found.high == pytest.approx(case["expected"]["high"], abs=case["tolerance"])


def test_half_width_near_eight_tenths():
    # z √(.8 × .2 / n), the normal approximation of the text; Wilson's own half-width at 80% stays near it
    given_ = case("seeds_more", "s-moe")
    for n, points in zip(given_["inputs"]["n"], given_["expected"]["points"], strict=True):
        assert 100 * 1.959964 * math.sqrt(0.16 / n) == pytest.approx(points, abs=given_["tolerance"])
        assert 100 * wilson(0.8 * n, n).width / 2 == pytest.approx(points, rel=0.08)


def test_judge_audit_rates():
    given_ = case("seeds_more", "s-judge-audit")
    rows = {"identical_tie": 60, "same_winner": 60, "preferred_reference": 120, "preferred_padded": 60}
    names = {"same_winner": "same_winner_both_orders", "preferred_reference": "preferred_reference_of_120"}
    for judge in ("small", "large"):
        for what, n in rows.items():
            found = wilson(given_["inputs"][judge][names.get(what, what)], n)
            assert [100 * found.low, 100 * found.high] == pytest.approx(
                given_["expected"][judge][what], abs=given_["tolerance"]
            )


def test_case_17_edges():
    # public case 17: closed ends exactly 0 and 1; .02/2 = .01 = (1 − p)²⁴ gives 1 − .01^(1/24) = .174596
    zero, full = clopper_pearson(0, 24, level=0.98), clopper_pearson(24, 24, level=0.98)
    assert zero.low == 0.0
    assert full.high == 1.0
    assert zero.high == pytest.approx(0.17459581473198157, abs=1e-9)
    assert full.low == pytest.approx(0.8254041852680184, abs=1e-9)
    found = wilson(1, 30)
    assert found.low == pytest.approx(0.005908590381612455, abs=1e-9)
    assert found.high == pytest.approx(0.16670390991409176, abs=1e-9)


def test_case_15_all_passed_has_a_width():
    # public case 15, 28 of 28: Wilson low = 28/(28 + z²), Clopper–Pearson low = .025^(1/28)
    assert wilson(28, 28).low == pytest.approx(0.8793566952341544, abs=1e-6)
    assert clopper_pearson(28, 28).low == pytest.approx(0.8765638814997362, abs=1e-6)
    assert wilson(28, 28).high == clopper_pearson(28, 28).high == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_nothing_of_nothing_is_an_error(method):
    with pytest.raises(UsageError, match="n must be above 0"):
        proportion(0, 0, method=method)
    with pytest.raises(UsageError, match="x must be at most n"):
        proportion(3, 2, method=method)


def test_unknown_names_list_the_known():
    with pytest.raises(UsageError, match="Did you mean 'wilson'"):
        proportion(1, 2, method="wilsn")
    with pytest.raises(UsageError, match="alternative"):
        wilson(1, 2, alternative="up")  # pyright: ignore[reportArgumentType]


@given(COUNTS, LEVELS, st.sampled_from(sorted(METHODS)))
def test_limits_are_ordered_inside_and_mirror(counts, level, method):
    x, n = counts
    found = proportion(x, n, method=method, level=level)
    assert 0 <= found.low <= found.high <= 1
    assert found.low < found.high
    mirrored = proportion(n - x, n, method=method, level=level)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high), abs=1e-9)
    if method != "jeffreys":
        assert (x > 0) or found.low == 0.0
        assert (x < n) or found.high == 1.0
    wider = proportion(x, n, method=method, level=(1 + level) / 2)
    assert wider.low <= found.low + 1e-12
    assert wider.high >= found.high - 1e-12


@given(COUNTS, st.sampled_from(sorted(METHODS)))
def test_one_sided_is_one_end_of_the_wider_two_sided(counts, method):
    x, n = counts
    both = proportion(x, n, method=method, level=0.9)
    lower = proportion(x, n, method=method, level=0.95, alternative="greater")
    upper = proportion(x, n, method=method, level=0.95, alternative="less")
    assert (lower.low, lower.high) == (pytest.approx(both.low, abs=1e-12), 1.0)
    assert (upper.low, upper.high) == (0.0, pytest.approx(both.high, abs=1e-12))


@given(COUNTS, LEVELS)
def test_wilson_holds_exactly_the_p_the_score_test_accepts(counts, level):
    x, n = counts
    z = reference.norm.isf((1 - level) / 2)
    found = wilson(x, n, level=level)
    for limit in (found.low, found.high):
        if 0 < limit < 1:
            assert abs(x / n - limit) / math.sqrt(limit * (1 - limit) / n) == pytest.approx(z, rel=1e-6)


@given(COUNTS, LEVELS)
def test_exact_limits_by_root_finding_on_the_tails(counts, level):
    x, n = counts
    tail = (1 - level) / 2
    exact, mid = clopper_pearson(x, n, level=level), mid_p_interval(x, n, level=level)
    if x > 0:
        low = optimize.brentq(lambda p: reference.binom.sf(x - 1, n, p) - tail, 0, 1, xtol=1e-13)
        assert exact.low == pytest.approx(low, abs=1e-9)
        low = optimize.brentq(
            lambda p: reference.binom.sf(x, n, p) + reference.binom.pmf(x, n, p) / 2 - tail, 0, 1, xtol=1e-13
        )
        assert mid.low == pytest.approx(low, abs=1e-9)
    assert exact.low <= mid.low + 1e-12
    assert mid.high <= exact.high + 1e-12


@given(COUNTS)
def test_correction_shifts_the_score_equation_by_half_a_count(counts):
    x, n = counts
    found = wilson(x, n, correction=True)
    plain = wilson(x, n)
    assert found.low <= plain.low
    assert found.high >= plain.high
    for limit, shift in ((found.low, -0.5), (found.high, 0.5)):
        if 0 < limit < 1:
            z = (x + shift - n * limit) / math.sqrt(n * limit * (1 - limit))
            assert abs(z) == pytest.approx(1.959963984540054, rel=1e-6)


@given(COUNTS)
def test_agresti_coull_centre_is_wilsons(counts):
    x, n = counts
    z2 = 1.959963984540054**2
    p = (x + z2 / 2) / (n + z2)
    half = math.sqrt(z2 * p * (1 - p) / (n + z2))
    found = agresti_coull(x, n)
    assert found.low == pytest.approx(max(0, p - half), abs=1e-12)
    assert found.high == pytest.approx(min(1, p + half), abs=1e-12)


def test_jeffreys_rule_only_touches_the_ends():
    assert jeffreys(0, 10, endpoint_rule=True).low == 0.0
    assert jeffreys(0, 10, endpoint_rule=True).high == jeffreys(0, 10).high
    assert jeffreys(10, 10, endpoint_rule=True).high == 1.0
    assert jeffreys(0, 10).low > 0
    assert jeffreys(3, 10, endpoint_rule=True).low == jeffreys(3, 10).low


def test_fractional_counts_lie_between_whole_ones():
    for method in (wilson, clopper_pearson, jeffreys):
        assert method(7, 10).low < method(7.5, 10).low < method(8, 10).low


def test_huge_n():
    assert wilson(10**9, 2 * 10**9).width == pytest.approx(2 * 1.959964 * 0.5 / math.sqrt(2e9), rel=1e-6)
    assert clopper_pearson(10**7, 2 * 10**7).width == pytest.approx(wilson(10**7, 2 * 10**7).width, rel=1e-3)
