"""McNemar: outside numbers, exact fractions, and tables with little or nothing in them."""

from __future__ import annotations

import csv
import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from aliquot.errors import UsageError
from aliquot.stats.paired_tests import as_table, mcnemar, paired_table
from tests.oracles import case as oracle
from tests.oracles import cases
from tests.shared import shared

TOPIC = "02_paired_binary"


def method_of(case_id: str) -> str:
    return {
        "exact": "exact",
        "midp": "mid_p",
        "cc": "asymptotic_corrected",
        "asym": "asymptotic",
    }[case_id.rpartition("-")[2]]


@pytest.mark.parametrize("case", [p for p in cases(TOPIC) if "p_value" in p.values[0]["expected"]])
def test_p_agrees_with_the_outside_number(case):
    # their b (only A) is our broke, their c (only B) our fixed
    found = mcnemar(case["inputs"]["c"], case["inputs"]["b"], method=method_of(case["id"]))
    assert found.p == pytest.approx(case["expected"]["p_value"], abs=case["tolerance"])
    if "statistic" in case["expected"]:
        assert found.statistic == pytest.approx(case["expected"]["statistic"], abs=case["tolerance"])
        assert found.df == 1


@pytest.mark.parametrize(
    ("seed", "fixed", "broke"),
    [
        ("mcnemar-41-28", 41, 28),
        ("mcnemar-18-16", 18, 16),
        ("p-5-0", 5, 0),
        ("p-17-0", 17, 0),
        ("p-14-0", 14, 0),
        ("p-23-9", 23, 9),
    ],
)
def test_exact_p_of_the_requirement_texts(seed, fixed, broke):
    expected = oracle("seeds", seed)
    assert mcnemar(fixed, broke).p == pytest.approx(expected["expected"], abs=expected["tolerance"])


def test_public_case_19():
    with shared("cases", "19-mcnemar-balanced", "pairs.csv").open(encoding="utf-8") as file:
        rows = {row["table"]: row for row in csv.DictReader(file)}
    p = {name: mcnemar(int(row["b_only"]), int(row["a_only"])).p for name, row in rows.items()}
    assert p["equal"] == p["three"] == p["none"] == 1.0
    assert p["lopsided"] == pytest.approx(0.021484375, abs=1e-12)


def plain_p(fixed: int, broke: int, method: str, alternative: str) -> Fraction:
    """Tails of a fair coin in exact fractions, by listing what is at least as extreme."""
    total = fixed + broke
    if total == 0:
        return Fraction(1)
    chance = [Fraction(math.comb(total, k), 2**total) for k in range(total + 1)]
    half = Fraction(1, 2) if method == "mid_p" else Fraction(1)
    if alternative == "greater":
        return sum(chance[fixed + 1 :], half * chance[fixed])
    if alternative == "less":
        return sum(chance[:fixed], half * chance[fixed])
    gap = abs(fixed - broke)
    p = Fraction(0)
    for k in range(total + 1):
        if abs(2 * k - total) >= gap:
            p += chance[k] * (half if abs(2 * k - total) == gap else 1)
    return p


@given(
    fixed=st.integers(0, 70),
    broke=st.integers(0, 70),
    method=st.sampled_from(["exact", "mid_p"]),
    alternative=st.sampled_from(["two-sided", "less", "greater"]),
)
def test_exact_forms_agree_with_fractions(fixed, broke, method, alternative):
    found = mcnemar(fixed, broke, method=method, alternative=alternative)
    assert found.p == pytest.approx(float(plain_p(fixed, broke, method, alternative)), rel=1e-10)
    assert found.name == {"exact": "mcnemar_exact", "mid_p": "mcnemar_midp"}[method]
    assert found.statistic is None
    assert found.df is None


@given(fixed=st.integers(0, 400), broke=st.integers(0, 400), corrected=st.booleans())
def test_asymptotic_forms_agree_with_the_signed_root(fixed, broke, corrected):
    method = "asymptotic_corrected" if corrected else "asymptotic"
    if fixed + broke == 0:
        assert mcnemar(0, 0, method=method).p == 1
        return
    gap = max(abs(fixed - broke) - corrected, 0)
    z = math.copysign(gap / math.sqrt(fixed + broke), fixed - broke)
    expected = {"two-sided": 2 * ndtr(-abs(z)), "greater": ndtr(-z), "less": ndtr(z)}
    for alternative, p in expected.items():
        found = mcnemar(fixed, broke, method=method, alternative=alternative)
        assert found.p == pytest.approx(p, rel=1e-9)
        assert found.statistic == pytest.approx(z * z)


def test_mid_p_with_equal_counts_halves_the_middle():
    # 3 to 3: P(X = 3) = 20/64, 1 − ½ · 20/64 = .84375
    assert mcnemar(3, 3, method="mid_p").p == pytest.approx(0.84375, rel=1e-12)


def test_the_floor_is_the_least_p_of_so_few_items():
    assert mcnemar(2, 3).floor == mcnemar(5, 0).p == 0.0625
    assert mcnemar(2, 3, alternative="less").floor == mcnemar(0, 5, alternative="less").p == 0.03125
    assert mcnemar(2, 3, method="mid_p", alternative="greater").floor == 0.015625
    assert mcnemar(0, 0).floor == 1
    assert mcnemar(9, 5).floor is None


@pytest.mark.parametrize("method", ["exact", "mid_p", "asymptotic", "asymptotic_corrected"])
def test_p_is_never_0(method):
    assert mcnemar(5000, 0, method=method).p == sys.float_info.min


def test_settings_and_null_are_kept():
    found = mcnemar(4, 2)
    assert found.settings == {"fixed": 4, "broke": 2}
    assert "as likely fixed as broke" in found.null


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mcnemar(2.5, 1), "fixed must be a whole number"),
        (lambda: mcnemar(1, -1), "broke must be"),
        (lambda: mcnemar(1, 1, method="midp"), "Did you mean 'mid_p'"),
        (lambda: mcnemar(1, 1, alternative="bigger"), "unknown alternative"),
        (lambda: paired_table([1, 0], [1]), "same items in the same order"),
        (lambda: paired_table([1, 2], [1, 0]), "a must hold 0 and 1"),
        (lambda: as_table([[1, 2, 3], [4, 5, 6]]), r"shape \(2, 3\)"),
        (lambda: as_table([[1, 0.5], [4, 5]]), "broke must be a whole number"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()


@given(pairs=st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=60))
def test_the_table_counts_pairs(pairs):
    a, b = np.array(pairs).T
    expected = ((pairs.count((1, 1)), pairs.count((1, 0))), (pairs.count((0, 1)), pairs.count((0, 0))))
    assert paired_table(a, b) == expected
    assert as_table(np.array(expected)) == expected
