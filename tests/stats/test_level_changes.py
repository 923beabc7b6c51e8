from __future__ import annotations

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats import Undefined, change_points, mix_difference


def test_a_step_is_found_where_it_is():
    y = np.random.default_rng(1).normal(0.8, 0.01, 30)
    y[18:] -= 0.04
    found = change_points(y, rng=1)
    assert [point.at for point in found.points] == [18]
    assert found.points[0].before == pytest.approx(y[:18].mean())
    assert found.points[0].shift == pytest.approx(y[18:].mean() - y[:18].mean())
    assert found.points[0].p == found.clearest_p <= 0.05


def test_two_steps_are_found_one_within_a_part_of_the_other():
    y = np.repeat([0.8, 0.7, 0.8], 12) + np.random.default_rng(2).normal(0, 0.01, 36)
    assert [point.at for point in change_points(y, rng=1).points] == [12, 24]


def test_of_quiet_rows_one_in_twenty_has_a_step():
    rng = np.random.default_rng(3)
    found = [len(change_points(rng.normal(size=20), n_resamples=199, rng=rng).points) > 0 for _ in range(200)]
    # 10 of 200, three standard errors of 3.1
    assert sum(found) <= 19


def test_a_drift_without_a_step_has_its_tau():
    found = change_points(np.arange(12) / 100 + 0.5, rng=1)
    assert found.drift[0] == pytest.approx(1.0)
    assert found.drift[1] < 1e-6  # exact: 2/12!


def test_what_cannot_show_a_step():
    assert isinstance(change_points([0.8, 0.7, 0.8, 0.7, 0.8]), Undefined)
    assert change_points([0.8] * 10).points == ()
    with pytest.raises(UsageError, match="n_resamples"):
        change_points([0.1] * 10, n_resamples=5)


def test_a_seed_makes_the_same():
    y = np.random.default_rng(4).normal(size=15)
    assert change_points(y, rng=5).clearest_p == change_points(y, rng=5).clearest_p


def test_mixes_apart_and_alike():
    same = mix_difference([50, 30, 20], [500, 300, 200], rng=1)
    assert same.distance == pytest.approx(0)
    assert same.test.p == 1.0
    assert same.worth == pytest.approx(1)
    # half of b's rows are of a kind that a lacks: distance ½, and only the other half is covered
    apart = mix_difference([100, 0], [50, 50], rng=1)
    assert (apart.distance, apart.covered) == (0.5, 0.5)
    assert apart.test.p < 0.001
    # weights 2 and .5 on 20 and 80 rows: (40 + 40)²/(100 (20·4 + 80·.25)) = 6400/10000
    worth = mix_difference([20, 80], [40, 40], rng=1)
    assert worth.weights.tolist() == pytest.approx([2.5, 0.625])
    assert worth.worth == pytest.approx(0.64)


def test_mixes_of_one_law_differ_by_chance_only():
    rng = np.random.default_rng(7)
    p = [
        mix_difference(
            rng.multinomial(100, [0.5, 0.3, 0.2]),
            rng.multinomial(300, [0.5, 0.3, 0.2]),
            n_resamples=199,
            rng=rng,
        ).test.p
        for _ in range(300)
    ]
    assert sum(value <= 0.05 for value in p) <= 15 + 3 * 3.8


def test_no_mix():
    with pytest.raises(UsageError, match="same kinds; got 2 and 1"):
        mix_difference([1, 2], [1])
    with pytest.raises(UsageError, match="at least one row"):
        mix_difference([0, 0], [1, 2])
