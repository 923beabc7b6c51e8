"""PPI and PPI++ against ppi-python, and the difference estimator against brute force."""

from __future__ import annotations

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats import Undefined, prediction_powered_mean
from aliquot.stats.prediction_powered import Predicted, powered
from tests.oracles import cases


@pytest.mark.parametrize("case", cases("09_diagnostic", "-ppi"))
def test_as_ppi_python(case):
    given, expected = case["inputs"], case["expected"]
    found = prediction_powered_mean(
        given["Y"], given["Yhat"], given["Yhat_unlabeled"], tuning=given.get("lam"), level=1 - given["alpha"]
    )
    seen = {"estimate": found.point, "lower": found.low, "upper": found.high}
    if "lambda" in expected:
        seen["lambda"] = found.settings["tuning"]
    assert seen == pytest.approx(expected, abs=case["tolerance"])


def drawn(rng, n, others):
    truth = rng.normal(size=n + others)
    y = np.where(np.arange(n + others) < n, truth, np.nan)
    return y, truth + rng.normal(size=n + others)


def test_weights_that_are_alike_are_no_weights():
    rng = np.random.default_rng(2)
    y, f = drawn(rng, 30, 70)
    plain = powered(Predicted(y, f), ddof=1)
    weighted = powered(Predicted(y, f, drawn=np.full(30, 1 / 30), weights=np.full(100, 1 / 100)))
    assert weighted.mean == pytest.approx(plain.mean, rel=0.02)  # λ from pooled and from labelled variances
    assert weighted.variance == pytest.approx(plain.variance, rel=0.1)
    clustered = powered(Predicted(y, f, clusters=np.arange(100)))
    assert clustered.mean == plain.mean
    assert clustered.variance == pytest.approx(plain.variance, rel=0.01)


def test_labels_drawn_with_known_chances_are_weighed_back():
    # rows with a high prediction are labelled four times as often: the plain mean is biased, the weighted one is not
    rng = np.random.default_rng(3)
    naive, found, widths = [], [], []
    for _ in range(400):
        truth = rng.normal(size=300)
        f = truth + rng.normal(size=300)
        chance = np.where(f > 0, 0.4, 0.1)
        known = rng.random(300) < chance
        y = np.where(known, truth, np.nan)
        one = powered(Predicted(y, f, drawn=1 / chance[known], weights=np.full(300, 1 / 300)))
        naive.append(np.nanmean(y))
        found.append(one.mean)
        widths.append(one.variance)
    assert np.mean(naive) > 0.2
    assert abs(np.mean(found)) < 3 * np.std(found) / 20
    assert np.mean(widths) == pytest.approx(np.var(found), rel=0.25)


def test_variance_by_cluster_is_that_of_estimates_over_repeated_draws():
    rng = np.random.default_rng(4)
    found, variances = [], []
    groups = np.repeat(np.arange(60), 5)
    for _ in range(500):
        shift = rng.normal(size=60)
        truth = rng.normal(size=300) + shift[groups]
        f = truth + rng.normal(size=300)
        y = np.where(np.isin(groups, np.arange(20)), truth, np.nan)
        one = powered(Predicted(y, f, clusters=groups))
        found.append(one.mean)
        variances.append(one.variance)
    assert np.mean(variances) == pytest.approx(np.var(found), rel=0.2)


def test_without_variation_there_is_no_interval():
    assert isinstance(prediction_powered_mean([1, 1, 1], [1, 1, 1], [1, 1, 1]), Undefined)


def test_lengths_are_checked():
    with pytest.raises(UsageError, match="same rows"):
        prediction_powered_mean([1, 0], [1], [1, 0])
