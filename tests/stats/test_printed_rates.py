from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats import attainable, rate_error, sizes_that_fit


def test_the_published_case_fits_no_count_of_124_and_all_of_125():
    # microsoft/SkillOpt#158
    for rate, counts in ((0.224, (27, 28)), (0.272, (33, 34)), (0.520, (64, 65))):
        found = attainable(rate, 124, decimals=3)
        assert not found.possible
        assert tuple(count for count, _ in found.nearest) == counts
    assert sizes_that_fit([0.224, 0.272, 0.520], decimals=[3, 3, 3], around=124) == (125,)


@given(st.integers(1, 400), st.data(), st.integers(1, 5))
def test_every_count_is_attainable_as_it_is_printed(n, data, decimals):
    count = data.draw(st.integers(0, n))
    found = attainable(round(count / n, decimals), n, decimals=decimals)
    assert count in found.counts


@given(st.integers(1, 60), st.integers(0, 1000))
def test_the_counts_are_those_that_a_search_finds(n, thousandths):
    printed = thousandths / 1000
    found = attainable(printed, n, decimals=3)
    searched = tuple(x for x in range(n + 1) if abs(x / n - printed) <= 0.0005 + 1e-12)
    assert found.counts == searched


def test_an_error_that_was_printed_by_a_harness_comes_out():
    # lm-eval toy_mc, org/stub-a: 34 of 60, stderr 0.0645132
    assert rate_error(34 / 60, 60) == pytest.approx(0.06451317, abs=1e-7)
    assert rate_error(34 / 60, 60, divisor="n") == pytest.approx(math.sqrt(34 * 26 / 60**3))


@pytest.mark.parametrize(("rate", "n", "decimals"), [(1.1, 10, 2), (-0.1, 10, 2), (0.5, 0, 2), (0.5, 10, -1)])
def test_what_is_no_rate_is_refused(rate, n, decimals):
    with pytest.raises(UsageError):
        attainable(rate, n, decimals=decimals)


def test_a_size_is_looked_for_only_nearby():
    assert sizes_that_fit([1 / 3], decimals=[15], around=100) != ()
    assert sizes_that_fit([0.123456789], decimals=[9], around=20) == ()
    with pytest.raises(UsageError):
        sizes_that_fit([0.5], decimals=[1, 1], around=10)
