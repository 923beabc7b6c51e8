from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from aliquot.errors import UsageError
from aliquot.stats.binomial_tests import binomial_exact, binomial_mid_p, binomial_score
from aliquot.stats.proportions import clopper_pearson, mid_p_interval, wilson
from tests.oracles import case

COUNTS = st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
NULLS = st.floats(0.02, 0.98)


def test_outside_numbers():
    mid = case("01_binomial", "01_binomial-fll-ligarden-midp-test")
    assert binomial_mid_p(13, 16).p == pytest.approx(mid["expected"]["p_value"], abs=mid["tolerance"])
    score = case("01_binomial", "01_binomial-fll-ligarden-score-test")
    found = binomial_score(13, 16)
    assert found.statistic == pytest.approx(score["expected"]["z"], abs=score["tolerance"])
    assert found.p == pytest.approx(score["expected"]["p_value"], abs=score["tolerance"])


@given(COUNTS, NULLS)
def test_exact_tails_equal_scipy(counts, p0):
    x, n = counts
    upper, lower = reference.binom.sf(x - 1, n, p0), reference.binom.cdf(x, n, p0)
    at = reference.binom.pmf(x, n, p0)
    assert binomial_exact(x, n, p0=p0, alternative="greater").p == pytest.approx(upper, rel=1e-8)
    assert binomial_exact(x, n, p0=p0, alternative="less").p == pytest.approx(lower, rel=1e-8)
    assert binomial_exact(x, n, p0=p0).p == pytest.approx(min(1, 2 * min(upper, lower)), rel=1e-8)
    assert binomial_mid_p(x, n, p0=p0).p == pytest.approx(
        min(1, 2 * (min(upper, lower) - at / 2)), rel=1e-6, abs=1e-12
    )
    assert binomial_mid_p(x, n, p0=p0, alternative="greater").p == pytest.approx(
        upper - at / 2, rel=1e-6, abs=1e-12
    )


@given(COUNTS, NULLS)
def test_each_test_agrees_with_its_interval(counts, p0):
    x, n = counts
    pairs = [
        (binomial_exact, clopper_pearson),
        (binomial_mid_p, mid_p_interval),
        (binomial_score, wilson),
    ]
    for test, interval in pairs:
        found = interval(x, n)
        if min(abs(p0 - found.low), abs(p0 - found.high)) > 1e-9:
            assert (test(x, n, p0=p0).p > 0.05) == (found.low < p0 < found.high)


def test_a_p_value_is_never_zero():
    assert 0 < binomial_exact(100_000, 100_000).p < 1e-300
    assert 0 < binomial_score(100_000, 100_000).p < 1e-300


def test_one_direction_of_the_score_test():
    # z = (13/16 − 1/2)/(√(1/4/16)) = 2.5; P(Z > 2.5) = .0062097
    assert binomial_score(13, 16, alternative="greater").p == pytest.approx(0.0062097, abs=1e-7)
    assert binomial_score(13, 16, alternative="less").p == pytest.approx(1 - 0.0062097, abs=1e-7)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: binomial_exact(3, 2), "at most n"),
        (lambda: binomial_exact(0, 0), "above 0"),
        (lambda: binomial_exact(1.5, 3), "whole numbers"),  # pyright: ignore[reportArgumentType]
        (lambda: binomial_exact(1, 3, p0=1.0), "p0"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(UsageError, match=words):
        call()
