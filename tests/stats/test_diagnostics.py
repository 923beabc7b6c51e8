"""A judge's accuracy: printed examples, joined limits by simulation, groups, and what cannot be seen."""

from __future__ import annotations

import math

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats import Undefined, accuracy_by, clopper_pearson, judge_accuracy, newcombe_unpaired, rate
from tests.oracles import case


def rows(true_pass, false_fail, false_pass, true_fail):
    labels = [1] * (true_pass + false_fail) + [0] * (false_pass + true_fail)
    verdicts = [1] * true_pass + [0] * false_fail + [1] * false_pass + [0] * true_fail
    return labels, verdicts


def test_the_liver_scans_of_altman_and_bland():
    # Altman & Bland (1994) BMJ 308:1552 and 309:102: 231, 27, 32, 54
    found = judge_accuracy(*rows(231, 27, 32, 54))
    shares = {
        "sensitivity": 0.90,
        "specificity": 0.63,
        "ppv": 0.88,
        "npv": 0.67,
        "prevalence": 0.75,
        "accuracy": 0.83,
    }
    assert {name: round(getattr(found, name).point, 2) for name in shares} == shares
    assert found.lr_positive.point == pytest.approx((231 / 258) / (32 / 86))
    assert found.lr_negative.point == pytest.approx((27 / 258) / (54 / 86))
    assert found.counts == {"true_pass": 231, "false_fail": 27, "false_pass": 32, "true_fail": 54}


def test_the_attenuation_of_the_requirements():
    oracle = case("seeds_more", "s-attenuation")
    found = judge_accuracy(*rows(85, 15, 30, 70))
    factor = (
        next(iter(oracle["expected"].values()))
        if isinstance(oracle["expected"], dict)
        else oracle["expected"]
    )
    assert found.factor == pytest.approx(factor, abs=oracle["tolerance"])


def test_youden_without_clusters_is_newcombes_difference():
    # se + sp − 1 = se − (1 − sp), two independent shares: method 10 of Newcombe (1998b)
    found = judge_accuracy(*rows(19, 8, 8, 45)).youden
    expected = newcombe_unpaired(8, 53, 19, 27)
    assert (found.point, found.low, found.high) == pytest.approx(
        (expected.point, expected.low, expected.high)
    )


def test_the_interval_is_the_one_asked_for_and_on_effective_n_with_clusters():
    labels, verdicts = rows(19, 8, 8, 45)
    exact = judge_accuracy(labels, verdicts, method="clopper_pearson").sensitivity
    assert (exact.low, exact.high) == (clopper_pearson(19, 27).low, clopper_pearson(19, 27).high)
    groups = [place // 4 for place in range(80)]
    clustered = judge_accuracy(labels, verdicts, clusters=groups).sensitivity
    assert clustered == rate([1] * 19 + [0] * 8, clusters=groups[:27])


def test_correlated_errors_widen_or_narrow_youden():
    # clusters that are lenient: errors of sensitivity and specificity go opposite ways, and their sum moves less
    nodes, weight = np.polynomial.hermite_e.hermegauss(40)
    share = float(weight @ (1 / (1 + np.exp(-(1.5 + nodes))))) / math.sqrt(2 * math.pi)
    rng = np.random.default_rng(5)
    covered = opposite = 0
    for _ in range(150):
        lenient = rng.normal(size=40)
        groups = np.repeat(np.arange(40), 6)
        labels = (rng.random(240) < 0.5).astype(float)
        verdicts = (rng.random(240) < 1 / (1 + np.exp(-(3 * labels - 1.5 + lenient[groups])))).astype(float)
        found = judge_accuracy(labels, verdicts, clusters=groups).youden
        opposite += found.settings["correlation"] < 0
        covered += found.low <= 2 * share - 1 <= found.high
    assert opposite > 140
    assert covered / 150 >= 0.89


def test_a_ratio_without_an_error_has_only_a_lower_limit():
    found = judge_accuracy(*rows(20, 5, 0, 30))
    assert isinstance(found.lr_positive, Undefined)
    assert "at least" in found.lr_positive.reason
    none_missed = judge_accuracy(*rows(20, 0, 5, 30)).lr_negative
    assert (none_missed.point, none_missed.low) == (0.0, 0.0)
    assert 0 < none_missed.high < 1


def test_what_cannot_be_seen_says_what_is_missing():
    found = judge_accuracy([1, 1, 1, None], [1, 0, 1, 1])
    assert found.sensitivity.point == pytest.approx(2 / 3)
    assert "no labelled row is a failure" in found.specificity.reason
    assert not found.youden
    assert not found.factor
    assert (found.n, found.left_out) == (3, 1)
    nobody = judge_accuracy([None, None], [1, 0])
    assert "no row has both" in nobody.accuracy.reason


def test_a_judge_at_chance_has_no_factor():
    factor = judge_accuracy(*rows(5, 5, 6, 4)).factor
    assert isinstance(factor, Undefined)
    assert "0.900, at most 1" in factor.reason


def test_weights_undo_unlike_drawing():
    # failures of the judge were labelled twice as often
    labels, verdicts = rows(8, 4, 2, 6)
    weights = [1.0 if verdict else 0.5 for verdict in verdicts]
    found = judge_accuracy(labels, verdicts, weights=weights)
    assert found.sensitivity.point == pytest.approx(8 / (8 + 2))


def test_by_system():
    found = accuracy_by([1, 1, 0, 0, 1, 0], [1, 0, 0, 0, 1, 1], by=list("aaabbb"), weights=[1, 1, 2, 1, 1, 1])
    assert list(found) == ["a", "b"]
    assert found["a"].accuracy.point == pytest.approx(0.75)
    assert found["b"].specificity.point == 0.5


@pytest.mark.parametrize(
    ("labels", "verdicts", "text"),
    [
        ([1, 2], [1, 0], "0 and 1"),
        ([1, 0, 1], [1, 0], "same rows"),
        (["yes", "no"], [1, 0], "must be numbers"),
        ([[1, 0]], [1, 0], "one-dimensional"),
    ],
)
def test_bad_input_is_refused(labels, verdicts, text):
    with pytest.raises(UsageError, match=text):
        judge_accuracy(labels, verdicts)
