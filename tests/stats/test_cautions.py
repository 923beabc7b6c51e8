"""The warning speaks where the validity table fails, and seldom elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import aliquot.stats as st

UNEQUAL = (2, 4, 8, 40)
FAILS = st.Estimate(
    0.95, 0.85, 0.98, 0.95, "wilson_effective_n", 680, df=20.0, clusters=50, n_eff=60.0, settings={}
)


def spoken(shape, n_clusters, p, icc, reps=60):
    sizes = tuple(int(size) for size in np.resize(shape, n_clusters))
    design, rng = st.RateDesign(sum(sizes), p, sizes, icc), np.random.default_rng(8)
    found = [st.rate(s.a, clusters=s.clusters) for s in (design.draw(rng) for _ in range(reps))]
    return float(np.mean([st.coverage_warning(e) is not None for e in found]))


@pytest.mark.parametrize(
    ("n_clusters", "p", "icc"), [(50, 0.95, 0.5), (50, 0.95, 0.3), (20, 0.8, 0.5), (15, 0.8, 0.5)]
)
def test_it_speaks_in_the_cells_that_fail(n_clusters, p, icc):
    assert spoken(UNEQUAL, n_clusters, p, icc) >= 0.9 - 3 * np.sqrt(0.9 * 0.1 / 60)


@pytest.mark.parametrize(
    ("shape", "n_clusters", "p", "icc"),
    [
        ((8,), 50, 0.95, 0.3),
        ((8,), 10, 0.8, 0.5),
        (UNEQUAL, 50, 0.95, 0.0),
        (UNEQUAL, 50, 0.5, 0.3),
        (UNEQUAL, 5, 0.95, 0.5),
        (UNEQUAL, 10, 0.95, 0.5),
    ],
)
def test_it_is_quiet_where_the_interval_covers(shape, n_clusters, p, icc):
    assert spoken(shape, n_clusters, p, icc) <= 0.05


def test_each_mark_is_needed():
    assert st.coverage_warning(FAILS) is not None
    for change in (
        {"df": 30.0},  # .6 · 49 = 29.4
        {"df": 4.0},
        {"n_eff": 340.0},  # n over n_eff not above 2
        {"n_eff": 50.0},  # the rule for a rarer outcome that is not seen
        {"point": 0.80},  # 21 · .2 = 4.2
        {"point": 0.20},
        {"clusters": None},
        {"df": None},
        {"n_eff": None},
        {"method": "t_cr2"},
    ):
        assert st.coverage_warning(replace(FAILS, **change)) is None, change
    for change in ({"df": 29.0}, {"n_eff": 339.0}, {"point": 0.05}, {"df": 4.1}):
        assert st.coverage_warning(replace(FAILS, **change)) is not None, change


def test_floors_and_bounded_means_speak_too():
    floor = replace(FAILS, method="clopper_pearson_effective_n")
    assert st.coverage_warning(floor) == st.coverage_warning(FAILS)
    bounded = replace(FAILS, method="wilson_bounded", point=9.5, settings={"low": 0.0, "high": 10.0})
    assert st.coverage_warning(bounded) is not None
    assert st.coverage_warning(replace(bounded, point=8.0)) is None


def spoken_of_scores(pool, n, reps=150):
    rng = np.random.default_rng(9)
    found = [st.mean_bounded(rng.choice(pool, n)) for _ in range(reps)]
    return float(np.mean([st.coverage_warning(e) is not None for e in found]))


def test_scores_that_nearly_all_lie_at_a_limit():
    few = np.concatenate([np.ones(95), np.linspace(0.1, 0.9, 5)])
    # silent when none of 50 falls short, .95^50 = 8%: that interval covers
    assert spoken_of_scores(few, 50) >= 0.9 - 3 * np.sqrt(0.9 * 0.1 / 150)
    assert spoken_of_scores(1 - few, 50) >= 0.9 - 3 * np.sqrt(0.9 * 0.1 / 150)
    assert spoken_of_scores(np.linspace(0, 1, 101), 20) == 0
    assert spoken_of_scores(np.ones(5), 20) == 0


def test_the_mark_of_scores_at_a_limit():
    fails = replace(FAILS, method="wilson_bounded", clusters=None, df=49.0, n=50.0, n_eff=90.0)
    assert st.coverage_warning(replace(fails, n_eff=99.0)) is not None  # 99 · .05 = 4.95
    assert st.coverage_warning(replace(fails, n_eff=101.0)) is None
    assert st.coverage_warning(replace(fails, point=1.0, high=1.0)) is None
    assert st.coverage_warning(replace(fails, method="wilson_effective_n")) is None  # weights alone


def test_what_rests_on_the_bounded_form_speaks_under_its_own_name():
    found = st.pass_at_k([5] * 45 + [1, 2, 0, 1, 0], [5] * 50, k=1)
    assert found.method == "pass_at_k"
    assert st.coverage_warning(found) == st.coverage_warning(
        st.mean_bounded([1] * 45 + [0.2, 0.4, 0, 0.2, 0])
    )


def spoken_of_pairs(n_clusters, psi, difference, icc, reps=60):
    design, rng = st.PairedDesign(8 * n_clusters, psi, difference, n_clusters, icc), np.random.default_rng(10)
    drawn = [design.draw(rng) for _ in range(reps)]
    found = [st.paired_binary_difference(s.a, s.b, clusters=s.clusters) for s in drawn]
    return float(np.mean([st.coverage_warning(e) is not None for e in found]))


def test_few_differing_items_of_many_clusters():
    assert spoken_of_pairs(50, 0.03, 0.03, 0.5) >= 0.9 - 3 * np.sqrt(0.9 * 0.1 / 60)
    assert spoken_of_pairs(50, 0.03, 0.03, 0.2) >= 0.9 - 3 * np.sqrt(0.9 * 0.1 / 60)
    assert spoken_of_pairs(50, 0.1, 0.0, 0.2) <= 0.05
    assert spoken_of_pairs(50, 0.3, 0.1, 0.5) <= 0.05
    assert spoken_of_pairs(20, 0.03, 0.03, 0.5) == 0


def test_the_mark_of_few_differing_items():
    fails = replace(FAILS, method="tango_effective_n", point=0.02, df=49.0, settings={"psi": 0.02})
    assert st.coverage_warning(fails) is not None
    for change in (
        {"settings": {"psi": 0.0}, "point": 0.0},
        {"settings": {"psi": 0.06}, "point": 0.06},  # 50 · .06 = 3
        {"settings": {}},
        {"point": 0.0149},  # .75 · .02 = .015
        {"df": 19.5},
        {"clusters": None},  # attempts
    ):
        assert st.coverage_warning(replace(fails, **change)) is None, change
    for change in (
        {"point": -0.02},
        {"point": 0.015},
        {"df": 19.6},
        {"settings": {"psi": 0.0599}, "point": 0.0599},
    ):
        assert st.coverage_warning(replace(fails, **change)) is not None, change


def test_the_sentence_names_the_level_and_nothing_is_said_of_undefined():
    assert "on such data intervals of 90%" in (st.coverage_warning(replace(FAILS, level=0.9)) or "")
    assert st.coverage_warning(st.Undefined("one cluster only")) is None
    assert st.coverage_warning(st.wilson(19, 20)) is None
