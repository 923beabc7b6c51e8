"""Two margins on shared items: the tables they allow and the range of p."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.paired_margins import feasible_tables, mcnemar_range
from aliquot.stats.paired_tests import mcnemar
from tests.oracles import case as oracle


def test_37_against_51_of_60():
    seed = oracle("seeds_more", "s-margins")
    found = mcnemar_range(seed["inputs"]["a"], seed["inputs"]["b"], seed["inputs"]["n"])
    expected, tolerance = seed["expected"], seed["tolerance"]
    assert found.p_low == pytest.approx(expected["p_min"], abs=5e-6)  # .00012 as printed
    assert found.p_high == pytest.approx(expected["p_max"], abs=tolerance)
    assert [found.table_low[1][0], found.table_low[0][1]] == expected["table_min"]
    assert [found.table_high[1][0], found.table_high[0][1]] == expected["table_max"]
    # both = 37 down to 37 + 51 − 60 = 28
    assert found.feasible == 10
    assert found.difference == pytest.approx(14 / 60)
    assert found.test == "mcnemar_exact"


@given(n=st.integers(1, 12), data=st.data())
def test_feasible_tables_are_all_there_are(n, data):
    x_a, x_b = data.draw(st.integers(0, n)), data.draw(st.integers(0, n))
    every = {
        ((both, broke), (fixed, n - both - broke - fixed))
        for both, broke, fixed in itertools.product(range(n + 1), repeat=3)
        if both + broke + fixed <= n and both + broke == x_a and both + fixed == x_b
    }
    found = feasible_tables(x_a, x_b, n)
    assert len(found) == len(every)
    assert set(found) == every
    for method in ("exact", "asymptotic"):
        ps = [mcnemar(table[1][0], table[0][1], method=method).p for table in found]
        ends = mcnemar_range(x_a, x_b, n, method=method)
        assert (ends.p_low, ends.p_high) == (min(ps), max(ps))
        for p, table in ((ends.p_low, ends.table_low), (ends.p_high, ends.table_high)):
            assert mcnemar(table[1][0], table[0][1], method=method).p == p


def test_equal_margins_may_hide_any_disagreement_but_no_evidence():
    found = mcnemar_range(3, 3, 6)
    assert (found.p_low, found.p_high) == (1, 1)
    assert found.table_low == found.table_high == ((3, 0), (0, 3))


def test_one_sided():
    assert mcnemar_range(1, 6, 10, alternative="greater").p_low == 1 / 32  # 5 to 0


@pytest.mark.parametrize("margins", [(7, 3, 6), (3, 7, 6), (0, 0, 0), (1.5, 1, 6)])
def test_impossible_margins_are_refused(margins):
    with pytest.raises(UsageError):
        mcnemar_range(*margins)
