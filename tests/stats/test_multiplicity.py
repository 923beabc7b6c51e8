from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.multiplicity import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    hochberg,
    holm,
    hommel,
    sidak,
    step_down,
    tarone_holm,
)
from tests.oracles import case, cases

BY_NAME = {
    "holm": holm,
    "hochberg": hochberg,
    "hommel": hommel,
    "bonferroni": bonferroni,
    "BH": benjamini_hochberg,
    "BY": benjamini_yekutieli,
    "SidakSS": sidak,
}
P_VALUES = st.lists(
    st.one_of(st.sampled_from([0.0, 0.01, 0.02, 0.05, 0.5, 1.0]), st.floats(0, 1)), min_size=1, max_size=6
)


@pytest.mark.parametrize(
    "given_case", [c for c in cases("07_multiplicity") if "p_values" in c.values[0]["inputs"]]
)
def test_adjusted_p_as_r_gives_them(given_case: dict[str, Any]) -> None:
    inputs = given_case["inputs"]
    method = inputs["method"]
    found = BY_NAME[method](inputs["p_values"])
    assert found == pytest.approx(given_case["expected"]["adjusted"], abs=given_case["tolerance"])


def test_step_down_min_p_as_multtest_gives_it() -> None:
    oracle = case("07_multiplicity", "07_multiplicity-minp-signflip")
    found = step_down(oracle["inputs"]["differences"], method="min_p")
    # 14 of all 256 sign patterns, twice: 14/256 = .0546875
    assert found == pytest.approx(oracle["expected"]["adjusted_p"], abs=oracle["tolerance"])


def test_chance_of_a_false_flag_among_independent_tests() -> None:
    oracle = case("seeds_more", "s-fwer")
    # 1 − .95^12 = .4596, 1 − .95^14 = .5123, 1 − .95^5 = .2262
    for m, expected in zip(oracle["inputs"]["m"], oracle["expected"]["p"], strict=True):
        assert sidak([0.05] * m)[0] == pytest.approx(expected, abs=oracle["tolerance"])


def _closed(p: list[float], local: Any) -> list[float]:
    """Adjusted p by closed testing: the largest p of an intersection test over all sets that hold the hypothesis."""
    sets = [s for size in range(1, len(p) + 1) for s in itertools.combinations(range(len(p)), size)]
    return [min(1.0, max(local(s) for s in sets if j in s)) for j in range(len(p))]


@given(P_VALUES)
def test_holm_is_closed_bonferroni_and_hommel_closed_simes(p: list[float]) -> None:
    def simes(s: tuple[int, ...]) -> float:
        ranked = sorted(p[i] for i in s)
        return min(len(s) * q / (rank + 1) for rank, q in enumerate(ranked))

    assert holm(p) == pytest.approx(_closed(p, lambda s: len(s) * min(p[i] for i in s)), abs=1e-12)
    assert hommel(p) == pytest.approx(_closed(p, simes), abs=1e-12)


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 8)), min_size=1, max_size=6))
def test_tarone_holm_is_closed_testing_over_tests_that_could_reject(units: list[tuple[int, int]]) -> None:
    floors = [2.0 ** (1 - n) for n, _ in units]
    p = [min(1.0, floor * (1 + extra)) for floor, (_, extra) in zip(floors, units, strict=True)]

    def local(s: tuple[int, ...]) -> float:
        least = min(p[i] for i in s)
        return least * sum(floors[i] <= least for i in s)

    found = tarone_holm(p, least=floors)
    assert found == pytest.approx(_closed(p, local), abs=1e-12)
    assert (found <= holm(p) + 1e-12).all()


def test_tarone_spares_tests_too_small_to_reject() -> None:
    # nine tests of two units each can never fall below .5: they cost the tenth nothing
    p = [0.03] + [0.5] * 9
    assert tarone_holm(p, least=[0.0] + [0.5] * 9)[0] == 0.03
    assert holm(p)[0] == pytest.approx(0.3)


@given(P_VALUES, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_rules_nest(p: list[float], random: Any) -> None:
    order = list(range(len(p)))
    random.shuffle(order)
    for method in BY_NAME.values():
        found = method(p)
        assert method([p[i] for i in order]) == pytest.approx(found[order], abs=1e-15)
        assert (found >= np.asarray(p) - 1e-15).all()
        assert (found <= 1).all()
    for sharper, safer in itertools.pairwise([benjamini_hochberg, hommel, hochberg, holm, bonferroni]):
        assert (sharper(p) <= safer(p) + 1e-12).all()
    assert (sidak(p) <= bonferroni(p) + 1e-12).all()


def _step_down_by_hand(d: np.ndarray, *, min_p: bool) -> list[float]:
    """Every sign pattern, column after column, as the definition reads."""
    patterns = np.array(list(itertools.product((-1, 1), repeat=d.shape[0])))
    norms = [float(np.sqrt((column**2).sum())) or 1.0 for column in d.T]
    t = np.array(
        [[abs(float(s @ column)) / norm for column, norm in zip(d.T, norms, strict=True)] for s in patterns]
    )
    observed = np.abs(d.sum(axis=0)) / norms
    if min_p:
        raw = lambda value, j: np.mean(t[:, j] >= value - 1e-9)  # noqa: E731
        observed = np.array([-raw(value, j) for j, value in enumerate(observed)])
        t = np.array([[-raw(value, j) for j, value in enumerate(row)] for row in t])
    order = sorted(range(d.shape[1]), key=lambda j: -observed[j])
    p = [0.0] * d.shape[1]
    before = 0.0
    for rank, j in enumerate(order):
        rest = t[:, order[rank:]].max(axis=1)
        before = max(before, float(np.mean(rest >= observed[j] - 1e-9)))
        p[j] = before
    return p


MATRICES = st.integers(1, 6).flatmap(
    lambda n: st.integers(1, 4).flatmap(
        lambda k: st.lists(
            st.lists(st.sampled_from([-1.0, -0.3, 0.0, 0.0, 0.1, 0.5, 1.0]), min_size=k, max_size=k),
            min_size=n,
            max_size=n,
        )
    )
)


@given(MATRICES, st.booleans())
@settings(max_examples=60, deadline=None)
def test_step_down_agrees_with_the_definition(rows: list[list[float]], min_p: bool) -> None:
    found = step_down(rows, method="min_p" if min_p else "max_t")
    assert found == pytest.approx(_step_down_by_hand(np.array(rows), min_p=min_p), abs=1e-9)


@pytest.mark.parametrize("method", ["max_t", "min_p"])
def test_random_flips_come_near_the_enumeration(method: Any) -> None:
    d = np.random.default_rng(5).normal([0.9, 0.6, 0.0], 1.0, size=(12, 3))
    exact = step_down(d, method=method, n_resamples=2**11)
    drawn = step_down(d, method=method, n_resamples=2000, rng=3)
    # four standard errors of a share of 2000: 4 √(.25/2000) = .045
    assert drawn == pytest.approx(exact, abs=0.045)
    assert not np.array_equal(drawn, exact)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: holm([0.2, 1.2]), "between 0.0 and 1.0"),
        (lambda: holm([]), "at least 1"),
        (lambda: holm([0.2, float("nan")]), "missing value"),
        (lambda: tarone_holm([0.2], least=[0.1, 0.1]), "one value for each of the 1"),
        (lambda: tarone_holm([0.2], least=[0.5]), "below the least it can be"),
        (lambda: step_down([[1.0]], method="maxt"), "Did you mean 'max_t'"),
        (lambda: step_down([1.0, 2.0]), "must be a matrix"),
        (lambda: step_down([[1.0, float("nan")]]), "column 1 of differences has no value"),
        (lambda: step_down([[1.0, float("inf")]]), "inf"),
    ],
)
def test_wrong_calls_say_what_would_be_right(call: Any, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        call()
