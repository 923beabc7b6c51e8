from __future__ import annotations

import math

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats import expected_maximum
from tests.oracles import case, cases


@pytest.mark.parametrize("known", cases("14_selection"), ids=lambda known: known["id"])
def test_the_published_means_of_the_largest_come_out(known):
    found = expected_maximum(known["inputs"]["K"])
    assert found == pytest.approx(known["expected"]["expected_max"], abs=known["tolerance"])


def test_the_printed_optimism_of_the_best_of_two_hundred_comes_out():
    printed = case("seeds_more", "s-optimism")
    optimism = printed["inputs"]["sigma"] * expected_maximum(printed["inputs"]["K"])
    assert optimism == pytest.approx(printed["expected"]["exact_EK"], abs=printed["tolerance"])


def test_two_and_three_have_closed_forms():
    assert expected_maximum(2) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-12)
    assert expected_maximum(3) == pytest.approx(1.5 / math.sqrt(math.pi), abs=1e-12)


def test_it_rises_and_agrees_with_draws():
    values = [expected_maximum(k) for k in (1, 2, 5, 20, 1000, 100_000)]
    assert values == sorted(values)
    drawn = np.random.default_rng(3).standard_normal((40_000, 7)).max(axis=1)
    assert expected_maximum(7) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 200)


@pytest.mark.parametrize("k", [0, -1, 0.5, float("nan")])
def test_fewer_than_one_is_refused(k):
    with pytest.raises(UsageError):
        expected_maximum(k)
