"""Items told apart one by one: broken for sure, fixed for sure, flaky, and how often a good one is named."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from aliquot.analysis.arrays import paired_sample
from aliquot.analysis.item_tests import find_item_tests
from aliquot.evidence.matching import pair
from aliquot.findings.item_tests import ItemTests
from aliquot.findings.scale import Scale
from aliquot.stats.results import Undefined
from tests.evidence_of import evidence_of

BINARY = Scale("binary", 0.0, 1.0, "higher")


def run_tests(a, b, *, scale=BINARY, level=0.95, metrics=None):
    evidence = evidence_of({"main": a, "pr": b}, metrics=metrics)
    pairs = pair(evidence, "main", "pr", task="task", metric="value")
    return find_item_tests(evidence, pairs, paired_sample(pairs), scale, level=level)


def passes(*counts, k=10):
    """Return attempts of items: ``count`` passes of ``k`` each."""
    return [[1.0] * count + [0.0] * (k - count) for count in counts]


def test_one_broken_item_among_fifty_is_named_and_not_drowned():
    found = run_tests(passes(*[10] * 50), passes(*[10] * 49, 0))
    assert isinstance(found, ItemTests)
    (broken,) = found.broke
    assert broken.item == "q-049"
    assert (broken.passed_a, broken.attempts_a, broken.passed_b, broken.attempts_b) == (10, 10, 0, 10)
    assert broken.strip_a == (1.0,) * 10
    assert broken.strip_b == (0.0,) * 10
    # two of C(20, 10) = 184756 tables are as extreme; the 49 others pass always and could show nothing
    assert broken.test.p == pytest.approx(2 / 184756)
    assert broken.p_adjusted == broken.test.p
    assert (found.items, found.testable) == (50, 1)
    assert found.fixed == found.moved == found.flaky_a == found.flaky_b == ()


def test_flaky_items_are_told_from_broken_ones():
    a = passes(10, 10, 7, 5, 0, 10)
    b = passes(0, 8, 6, 5, 10, 10)
    found = run_tests(a, b)
    assert isinstance(found, ItemTests)
    assert [item.item for item in found.broke] == ["q-000"]
    assert [item.item for item in found.fixed] == ["q-004"]
    assert found.moved == ("q-001", "q-002")
    assert found.flaky_a == ("q-002", "q-003")
    assert found.flaky_b == ("q-001", "q-002", "q-003")
    # smallest p given the passes: q-000, q-003, q-004 have 10 of 20 (2/184756), q-001 18 of 20 (.474),
    # q-002 13 of 20 (2 C(10,3)/C(20,7) = .0031): .0031 x 4 is below .05
    assert found.testable == 4


def test_where_lower_is_better_the_sides_turn():
    lower = Scale("binary", 0.0, 1.0, "lower")
    found = run_tests(passes(10, 10), passes(0, 10), scale=lower)
    assert isinstance(found, ItemTests)
    assert [item.item for item in found.fixed] == ["q-000"]
    assert found.broke == ()


def test_the_strip_keeps_the_order_of_attempts_and_the_gaps():
    a = [[1.0] * 12, [1.0] * 12]
    b = [[0.0, 1.0, *[0.0] * 8, None, 0.0], [1.0] * 12]
    found = run_tests(a, b)
    assert isinstance(found, ItemTests)
    assert found.broke[0].strip_b == (0.0, 1.0, *[0.0] * 8, None, 0.0)
    assert (found.broke[0].passed_b, found.broke[0].attempts_b) == (1, 11)


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [([1.0, 0.0], [1.0, 1.0], "attempted twice"), ([[1.0, 0.0]], [[0.5, 1.0]], "repeats of the scorer")],
)
def test_what_cannot_be_tested_says_why(a, b, reason):
    binary = pl.DataFrame({"metric": ["value"], "kind": ["bounded"], "low": [0.0], "high": [1.0]})
    found = run_tests(a, b, metrics=binary)
    assert isinstance(found, Undefined)
    assert reason in found.reason


def test_a_graded_metric_is_not_tested():
    found = run_tests(passes(3), passes(4), scale=Scale("bounded", 0.0, 1.0, "higher"))
    assert isinstance(found, Undefined)


counts = st.lists(
    st.tuples(st.integers(2, 8), st.integers(2, 8), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=8
)


@settings(max_examples=40, deadline=None)
@given(counts)
def test_a_plain_second_way_names_the_same_items(drawn):
    tables = [(round(p * k), k, round(q * m), m) for k, m, p, q in drawn]
    a = [[1.0] * x + [0.0] * (k - x) for x, k, _, _ in tables]
    b = [[1.0] * y + [0.0] * (m - y) for _, _, y, m in tables]
    found = run_tests(a, b)
    assert isinstance(found, ItemTests)

    def p_of(x, k, y, m):
        return fisher_exact([[x, k - x], [y, m - y]]).pvalue

    p = [p_of(*table) for table in tables]
    least = [
        min(p_of(x + y - z, k, z, m) for z in range(max(0, x + y - k), min(x + y, m) + 1))
        for x, k, y, m in tables
    ]
    named, rest = set(), set(range(len(p)))
    while rest:
        best = min(rest, key=lambda i: (p[i], i))
        if p[best] * sum(least[i] <= p[best] * (1 + 1e-9) for i in rest) > 0.05:
            break
        named.add(f"q-{best:03d}")
        rest.remove(best)
    assert {item.item for item in (*found.broke, *found.fixed)} == named
    for item in (*found.broke, *found.fixed):
        assert item.test.p == pytest.approx(p[int(item.item[2:])])


@pytest.mark.heavy
def test_items_whose_rates_are_equal_are_hardly_ever_named():
    # 30 items with rates of .5 to 1, 5 attempts a side: of 200 suites at most 5% may name one; 20 of 200 and more
    # come up at that rate in less than .3% of simulations
    rng = np.random.default_rng(12)
    wrong = 0
    for _ in range(200):
        rates = rng.uniform(0.5, 1, size=30)
        a, b = ((rng.random((30, 5)) < rates[:, None]).astype(float).tolist() for _ in range(2))
        found = run_tests(a, b)
        assert isinstance(found, ItemTests)
        wrong += bool(found.broke or found.fixed)
    assert wrong < 20
