from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.design_effects import design_effect, design_effect_of, intraclass, shrout_fleiss
from aliquot.stats.results import Undefined
from tests.oracles import case, cases

TOPIC = "05_clustered_se"


@pytest.mark.parametrize("case", cases(TOPIC, "icc-anova"))
def test_icc_of_r(case: dict[str, Any]) -> None:
    found = intraclass(case["inputs"]["y"], clusters=case["inputs"]["cluster"])
    for name, value in {
        "msb": found.ms_between,
        "msw": found.ms_within,
        "n0": found.n0,
        "icc": found.icc,
    }.items():
        assert value == pytest.approx(case["expected"][name], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases(TOPIC, "deff-empirical"))
def test_empirical_design_effect_of_r(case: dict[str, Any]) -> None:
    found = design_effect(case["inputs"]["y"], clusters=case["inputs"]["cluster"])
    assert found.empirical == pytest.approx(case["expected"]["deff"], abs=case["tolerance"])


def test_six_forms_of_shrout_and_fleiss() -> None:
    printed = case(TOPIC, "05_clustered_se-shrout-fleiss")
    found = shrout_fleiss(printed["inputs"]["ratings"])
    assert set(found) == set(printed["expected"])
    for name, value in printed["expected"].items():
        assert found[name] == pytest.approx(value, abs=printed["tolerance"])


def test_design_effect_of_fifty_clusters_of_twenty() -> None:
    seed = case("seeds_more", "s-deff-50x20")
    given_, expected = seed["inputs"], seed["expected"]
    n = given_["G"] * given_["m"]
    naive = math.sqrt(given_["p"] * (1 - given_["p"]) / n)
    effect = design_effect_of(given_["icc"], given_["m"])
    assert effect == pytest.approx(expected["deff"])
    assert naive == pytest.approx(expected["se_naive"], abs=seed["tolerance"])
    assert naive * math.sqrt(effect) == pytest.approx(expected["se"], abs=seed["tolerance"])


def test_m_star_is_the_cluster_an_average_row_is_in() -> None:
    # sizes 1, 2, 5: Σm²/Σm = 30/8
    y = [1, 0, 1, 1, 1, 0, 1, 1]
    found = design_effect(y, clusters=[1, 2, 2, 3, 3, 3, 3, 3])
    assert found.m_star == 30 / 8
    assert found.formula == 1 + (30 / 8 - 1) * intraclass(y, clusters=[1, 2, 2, 3, 3, 3, 3, 3]).icc
    assert found.n_eff <= found.n


def _plain_icc(y: list[float], groups: list[int]) -> float:
    values = {g: [v for v, h in zip(y, groups, strict=True) if h == g] for g in set(groups)}
    n, k, grand = len(y), len(values), sum(y) / len(y)
    msb = sum(len(v) * (sum(v) / len(v) - grand) ** 2 for v in values.values()) / (k - 1)
    msw = sum((x - sum(v) / len(v)) ** 2 for v in values.values() for x in v) / (n - k)
    n0 = (n - sum(len(v) ** 2 for v in values.values()) / n) / (k - 1)
    return (msb - msw) / (msb + (n0 - 1) * msw)


@given(st.lists(st.tuples(st.sampled_from([0.0, 1.0, 0.5, 7.0]), st.integers(0, 5)), min_size=2, max_size=30))
def test_icc_equals_loops(rows: list[tuple[float, int]]) -> None:
    y, groups = [value for value, _ in rows], [group for _, group in rows]
    found = intraclass(y, clusters=groups)
    if len(set(groups)) in {1, len(groups)} or len(set(y)) == 1:
        assert isinstance(found, Undefined)
    elif not isinstance(found, Undefined):
        assert found.icc == pytest.approx(_plain_icc(y, groups), abs=1e-9)
        assert found.icc <= 1
        assert design_effect(y, clusters=groups).formula <= len(y)


def test_equal_cluster_means_give_a_negative_icc() -> None:
    assert intraclass([0, 1, 0, 1, 0, 1], clusters=[1, 1, 2, 2, 3, 3]).icc == pytest.approx(-1.0)


@pytest.mark.parametrize(
    ("y", "clusters", "reason"),
    [([1, 0], [1, 1], "one cluster"), ([1, 0], [1, 2], "two rows"), ([1, 1, 1], [1, 1, 2], "equal")],
)
def test_icc_that_does_not_exist_says_why(y: list[int], clusters: list[int], reason: str) -> None:
    for found in (intraclass(y, clusters=clusters), design_effect(y, clusters=clusters)):
        assert isinstance(found, Undefined)
        assert reason in found.reason


def test_ratings_without_any_difference_are_undefined() -> None:
    assert all(isinstance(value, Undefined) for value in shrout_fleiss(np.ones((3, 2))).values())


@pytest.mark.parametrize("ratings", [[[1, 2]], [[1], [2]], [[1, math.nan], [2, 3]]])
def test_tables_that_are_none_are_refused(ratings: list[list[float]]) -> None:
    with pytest.raises(UsageError):
        shrout_fleiss(ratings)


@pytest.mark.parametrize(("icc", "m"), [(1.5, 3), (0.2, 0.5), (math.nan, 3)])
def test_design_effect_checks_its_input(icc: float, m: float) -> None:
    with pytest.raises(UsageError):
        design_effect_of(icc, m)
