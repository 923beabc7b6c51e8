"""A corrected rate: by hand, by simulation, under clusters, weights and unlike drawing, and where none is claimed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv

from aliquot.errors import UsageError
from aliquot.stats import Undefined, corrected_rate, wilson
from tests.shared import shared
from tests.validity.judged import JUDGES, Z, judged_rates, rate_limits

FIRST = ([1] * 24 + [0] * 6 + [1] * 3 + [0] * 7 + [None] * 360, [1] * 30 + [0] * 10 + [1] * 270 + [0] * 90)


def test_the_rule_by_hand():
    # w = .75, .25; p = 24/30, 3/10; θ = .675; Jeffreys limits of both; M = 400
    found = corrected_rate(*FIRST)
    gaps = []
    for x, n, w in ((24, 30, 0.75), (3, 10, 0.25)):
        low, high = (float(betaincinv(x + 0.5, n - x + 0.5, tail)) for tail in (0.025, 0.975))
        gaps.append((w * (x / n - low), w * (high - x / n)))
    between = Z**2 * (0.75 * 0.8**2 + 0.25 * 0.3**2 - 0.675**2) / 400
    low = 0.675 - math.sqrt(gaps[0][0] ** 2 + gaps[1][0] ** 2 + between)
    high = 0.675 + math.sqrt(gaps[0][1] ** 2 + gaps[1][1] ** 2 + between)
    assert (found.corrected.point, found.corrected.low, found.corrected.high) == pytest.approx(
        (0.675, low, high)
    )
    assert (found.raw.point, found.people.point) == (0.75, 0.675)
    assert (found.labelled, found.judged) == (40, 400)
    assert found.factor == pytest.approx(24 / 27 + 7 / 13 - 1)
    target = corrected_rate(*FIRST, finite=True).corrected
    assert target.low == pytest.approx(0.675 - math.hypot(gaps[0][0], gaps[1][0]))


def test_forty_labels_of_a_thousand_at_a_rate_of_95_percent():
    found = judged_rates(0.95, (0.9, 0.7), 40, 960)(40_000, 1)
    assert found.coverage >= 0.945
    assert found.width == pytest.approx(0.126, abs=0.001)
    assert found.naive < 0.89  # PPI++ with its normal interval
    rng = np.random.default_rng(2)
    alone = [wilson(float(x), 40).width for x in rng.binomial(40, 0.95, size=2000)]
    assert np.mean(alone) > found.width + 0.01


def test_coverage_over_rates_judges_and_numbers_of_labels():
    shares = [
        judged_rates(p, judge, n, others)(3000, n).coverage
        for judge in JUDGES
        for p in (0.5, 0.8, 0.95, 0.99)
        for n in (30, 100)
        for others in (4 * n, 2000)
    ]
    assert min(shares) > 0.926 - 3 * math.sqrt(0.926 * 0.074 / 600)
    assert np.mean(shares) == pytest.approx(0.957, abs=0.003)


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=10, max_size=60),
    st.lists(st.integers(0, 2), max_size=80),
)
@settings(max_examples=60, deadline=None)
def test_the_function_and_the_arrays_agree(known, rest):
    labels = [label for label, _ in known] + [None] * len(rest)
    verdicts = [f"v{verdict}" for _, verdict in known] + [f"v{verdict}" for verdict in rest]
    found = corrected_rate(labels, verdicts, passes=["v2"] if "v2" in verdicts else None).corrected
    levels = sorted(set(verdicts))
    count = [[int(v == name) for name in levels] for v in verdicts]
    labelled = np.array(count[: len(known)]).sum(axis=0)
    passed = (np.array(count[: len(known)]) * np.array([label for label, _ in known])[:, None]).sum(axis=0)
    theta, low, high = rate_limits(labelled[None, :], passed[None, :], np.array(count).sum(axis=0)[None, :])
    assert (found.point, found.low, found.high) == pytest.approx(
        (theta[0], min(low[0], theta[0]), max(high[0], theta[0])), abs=1e-9
    )
    assert found.width > 0
    assert 0 <= found.low <= found.point <= found.high <= 1


def test_case_27_three_labels_stand_alone():
    folder = shared("cases", "27-ppi-three-labels")
    labelled, unlabelled = (
        np.genfromtxt(folder / f"{name}.csv", delimiter=",", names=True)
        for name in ("labelled", "unlabelled")
    )
    labels = [*labelled["human"].tolist(), *[None] * unlabelled.size]
    found = corrected_rate(labels, np.concatenate([labelled["judge"], unlabelled["judge"]])).corrected
    assert (found.low, found.high) == pytest.approx((0.2924017738212866, 1.0), abs=1e-6)
    assert "3 labels" in found.why
    assert "minimum" in found.why


def test_a_verdict_that_nobody_labelled_leaves_its_share_open():
    labels = [1] * 12 + [None] * 8
    found = corrected_rate(labels, ["good"] * 12 + ["unparsed"] * 8, passes=["good"])
    assert found.corrected.point == pytest.approx(0.6 + 0.4 / 2)
    assert found.corrected.low <= 0.6
    assert found.levels[0].passes == 1.0
    assert "no row with it is labelled" in found.levels[1].passes.reason


def test_no_verdict_is_a_level_and_no_pass():
    found = corrected_rate([1, 0] * 10 + [None] * 20, [1, None] * 10 + [1, None, 0, 0] * 5)
    assert [level.name for level in found.levels] == ["0", "1", "no verdict"]
    assert [level.judged for level in found.levels] == [10, 15, 15]
    assert found.raw.n == 25
    assert found.accuracy.left_out == 10


def test_grades_need_a_word_on_what_passes():
    found = corrected_rate([1, 0, 1] * 5 + [None] * 30, [5, 1, 4] * 15)
    assert "1, 4, 5 is a pass was not named" in found.raw.reason
    assert found.accuracy is None
    assert found.corrected.n == 15
    named = corrected_rate([1, 0, 1] * 5 + [None] * 30, [5, 1, 4] * 15, passes=[4, 5])
    assert named.raw.point == pytest.approx(2 / 3)
    assert named.corrected == found.corrected


def test_a_judge_at_chance_has_no_factor_and_does_no_harm():
    rng = np.random.default_rng(6)
    labels = [*(rng.random(60) < 0.8).astype(float).tolist(), *[None] * 600]
    found = corrected_rate(labels, (rng.random(660) < 0.5).astype(int))
    assert isinstance(found.factor, Undefined) or abs(found.factor) < 0.3
    assert found.corrected.width == pytest.approx(found.people.width, rel=0.15)
    against = corrected_rate([1, 0] * 10 + [None] * 20, [0, 1] * 20)
    assert "no better than chance" in against.factor.reason
    assert against.corrected.point == pytest.approx(0.5)


def test_labels_that_were_picked_speak_for_no_other_rows():
    found = corrected_rate(*FIRST, drawn="unknown")
    for claim in (found.people, found.corrected):
        assert isinstance(claim, Undefined)
        assert "picked" in claim.reason
    assert found.raw.point == 0.75
    assert found.accuracy is not None


def test_so_many_of_each_verdict():
    # 30 of 300 passes, 30 of 100 failures: counts by verdict are as they are, but labels alone must be weighed
    labels = [1] * 24 + [0] * 6 + [None] * 270 + [1] * 9 + [0] * 21 + [None] * 70
    found = corrected_rate(labels, [1] * 300 + [0] * 100, drawn="by verdict")
    assert found.corrected.point == pytest.approx(0.75 * 0.8 + 0.25 * 0.3)
    assert found.corrected.method == "post_stratified_mover"
    assert found.people.point == pytest.approx(found.corrected.point)
    # true passes: 240 that it passes, 30 that it fails; true failures: 60 and 70
    assert found.accuracy.sensitivity.point == pytest.approx(240 / 270)
    assert found.accuracy.specificity.point == pytest.approx(70 / 130)


def test_known_chances_undo_a_biased_sample():
    # long answers pass less and were labelled five times as often
    rng = np.random.default_rng(7)
    covered, naive, weighed = 0, [], []
    for _ in range(60):
        long = rng.random(600) < 0.3
        truth = rng.random(600) < np.where(long, 0.4, 0.9)
        verdicts = np.where(rng.random(600) < 0.8, truth, ~truth).astype(int)
        chances = np.where(long, 0.4, 0.08)
        labels = np.where(rng.random(600) < chances, truth, np.nan)
        found = corrected_rate(labels, verdicts, chances=chances).corrected
        naive.append(corrected_rate(labels, verdicts).corrected.point)
        weighed.append(found.point)
        covered += found.low <= 0.75 <= found.high
    assert np.mean(naive) < 0.68
    assert np.mean(weighed) == pytest.approx(0.75, abs=0.01)
    assert covered >= 52


def test_clusters_cost_what_they_cost():
    # documents are right or wrong largely as a whole: labels of 25 of 100 documents, four rows each
    rng = np.random.default_rng(8)
    covered = plain = 0
    groups = np.repeat(np.arange(100), 4)
    for _ in range(60):
        rates = rng.beta(0.7 * 0.8, 0.7 * 0.2, size=100)
        truth = rng.random(400) < rates[groups]
        verdicts = np.where(rng.random(400) < 0.85, truth, ~truth).astype(int)
        labels = np.where(groups < 25, truth, np.nan)
        found = corrected_rate(labels, verdicts, clusters=groups).corrected
        independent = corrected_rate(labels, verdicts).corrected
        covered += found.low <= 0.8 <= found.high
        plain += independent.low <= 0.8 <= independent.high
    assert plain < covered - 6
    assert covered >= 52


def test_strata_of_fixed_shares():
    # a small segment that counts as much as the large one
    labels = [1] * 10 + [None] * 90 + [0] * 6 + [1] * 4 + [None] * 10
    found = corrected_rate(
        labels, [1] * 120, strata=["a"] * 100 + ["b"] * 20, shares="equal", drawn="by stratum"
    )
    assert found.corrected.point == pytest.approx((1.0 + 0.4) / 2)
    sizes = corrected_rate(labels, [1] * 120, strata=["a"] * 100 + ["b"] * 20, drawn="by stratum")
    assert sizes.corrected.point == pytest.approx((100 * 1.0 + 20 * 0.4) / 120)
    nobody = corrected_rate(
        [1] * 12 + [None] * 8, [1] * 20, strata=["a"] * 12 + ["b"] * 8, drawn="by stratum"
    )
    assert "cells that labels were drawn from have none" in nobody.corrected.reason


def test_rows_of_no_weight_are_not_there():
    labels, verdicts = FIRST
    weighted = corrected_rate([*labels, 1, None], [*verdicts, 0, 0], weights=[1] * 400 + [0, 0])
    assert weighted.corrected == corrected_rate(labels, verdicts).corrected


def test_a_cluster_at_least_is_two():
    assert isinstance(
        corrected_rate([1, 0] * 6 + [None] * 3, [1] * 15, clusters=[1] * 12 + [2] * 3).corrected, Undefined
    )


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"labels": [1, 0.5] * 20}, "0 and 1, or nothing"),
        ({"verdicts": [1] * 39}, "one for each of the 40"),
        ({"verdicts": list(range(40))}, "40 different values"),
        ({"passes": ["ok"]}, "no verdict is 'ok'"),
        ({"drawn": "randomly"}, "unknown drawn 'randomly'"),
        ({"drawn": "by stratum"}, "need strata"),
        ({"chances": [0.0] * 40}, "above 0"),
        ({"chances": [0.5] * 4}, "one for each of the 40 rows"),
        ({"strata": [1, 2] * 20, "weights": [1] * 40}, "twice"),
        ({"level": 95}, "level"),
    ],
)
def test_bad_input_is_refused(changed, text):
    arguments = {"labels": [1, 0] * 20, "verdicts": [1, 0] * 20, **changed}
    with pytest.raises(UsageError, match=text):
        corrected_rate(arguments.pop("labels"), arguments.pop("verdicts"), **arguments)


def test_nothing_labelled():
    found = corrected_rate([None] * 12, [1, 0] * 6)
    assert found.corrected.reason == "no row is labelled"
    assert found.raw.point == 0.5


def test_no_row_at_all():
    with pytest.raises(UsageError, match="no judged row"):
        corrected_rate([], [])


def test_clusters_of_one_row_each_say_nothing():
    labels, verdicts = FIRST
    assert corrected_rate(labels, verdicts, clusters=range(400)).corrected == corrected_rate(*FIRST).corrected
