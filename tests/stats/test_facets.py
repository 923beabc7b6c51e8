"""What to buy next: Shrout and Fleiss' raters as a D study, and errors of simulated designs."""

from __future__ import annotations

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats import decision_study, variance_components

RATINGS = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], dtype=float
)
"""Shrout & Fleiss (1979) Psychological Bulletin 86:420, table 2: six targets, four judges."""


def test_the_raters_of_shrout_and_fleiss():
    targets, judges = np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6)
    found = variance_components(
        RATINGS.ravel(), factors={"target": targets, "judge": judges}, residual="within"
    )
    # mean squares 11.24, 32.49 and 1.02 of their table 3
    parts = {name: found.components[name] for name in ("target", "judge", "target:judge")}
    assert parts == pytest.approx(
        {"target": (11.24 - 1.02) / 4, "judge": (32.49 - 1.02) / 6, "target:judge": 1.02}, abs=0.005
    )
    one, four = (
        decision_study(parts, levels={"judge": n}, costs={"judge": 1}, target="target") for n in (1, 4)
    )
    # printed: ICC(2,1) .29, ICC(3,1) .71, ICC(2,4) .62, ICC(3,4) .91
    seen = [one.dependability, one.generalizability, four.dependability, four.generalizability]
    assert seen == pytest.approx([0.29, 0.71, 0.62, 0.91], abs=0.005)


def simulated(rng, items, raters, repeats):
    """Two systems on the same items, raters and repeats; means of both."""
    shape = (2, items, raters, repeats)
    y = (
        rng.normal(scale=0.5, size=(1, items, 1, 1))
        + rng.normal(scale=0.4, size=(1, 1, raters, 1))
        + rng.normal(scale=0.3, size=(2, items, 1, 1))
        + rng.normal(scale=0.2, size=(2, 1, raters, 1))
        + rng.normal(scale=0.3, size=(1, items, raters, 1))
        + rng.normal(scale=0.6, size=shape)
    )
    return y.mean(axis=(1, 2, 3))


PARTS = {
    "item": 0.25,
    "rater": 0.16,
    "system:item": 0.09,
    "system:rater": 0.04,
    "item:rater": 0.09,
    "within": 0.36,
}
LEVELS = {"item": 20, "rater": 3, "repeat": 2}
COSTS = {"item": 2.0, "item:repeat": 0.1, "item:repeat:rater": 0.5}


def test_errors_are_those_of_simulated_designs():
    rng = np.random.default_rng(1)
    means = np.array([simulated(rng, 20, 3, 2) for _ in range(4000)])
    mean = decision_study(PARTS, levels=LEVELS, costs=COSTS, target="system")
    difference = decision_study(PARTS, levels=LEVELS, costs=COSTS, target="system", difference=True)
    assert mean.se == pytest.approx(means[:, 0].std(), rel=0.03)
    assert difference.se == pytest.approx((means[:, 1] - means[:, 0]).std(), rel=0.03)
    assert set(difference.variance) == {"system:item", "system:rater", "within"}


def test_the_first_step_takes_most_off_for_its_cost():
    found = decision_study(PARTS, levels=LEVELS, costs=COSTS, target="system", difference=True)
    assert found.cost == pytest.approx(20 * 2 + 40 * 0.1 + 120 * 0.5)
    for step in found.steps:
        more = {**LEVELS, step.facet: 2 * LEVELS[step.facet]}
        again = decision_study(PARTS, levels=more, costs=COSTS, target="system", difference=True)
        assert (again.se, again.cost - found.cost) == pytest.approx((step.se, step.cost))
        assert step.gain == pytest.approx((found.se**2 - step.se**2) / step.cost)
    assert [step.gain for step in found.steps] == sorted((step.gain for step in found.steps), reverse=True)


def test_a_negative_component_counts_as_0_and_is_named():
    found = decision_study({"item": -0.02, "within": 0.2}, levels={"item": 10, "attempt": 2}, costs={})
    assert found.held == ("item",)
    assert found.variance == {"item": 0.0, "within": 0.01}
    assert all(step.gain > 0 for step in found.steps)  # what costs nothing is taken first


def test_nested_facets_are_averaged_over_their_parents():
    found = decision_study(
        {"item": 0.1, "attempt": 0.2, "within": 0.4},
        levels={"item": 10, "attempt": 3, "judge": 2},
        costs={"attempt": 1},
        nested={"attempt": "item"},
    )
    assert found.variance == pytest.approx({"item": 0.01, "attempt": 0.2 / 30, "within": 0.4 / 60})
    assert found.cost == 30


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"levels": {}}, "at least one facet"),
        ({"levels": {"items": 10}}, "components name 'item'.*items"),
        ({"costs": {"rater": 1}}, "costs name 'rater'"),
        ({"costs": {"item": -1}}, "the cost of item"),
        ({"levels": {"item": 0}}, "levels of item"),
        ({"difference": True}, "needs target"),
        ({"nested": {"item": "document"}}, "nested name 'document'"),
    ],
)
def test_bad_input_is_refused(changed, text):
    with pytest.raises(UsageError, match=text):
        decision_study(
            {"item": 0.1, "within": 0.2}, **{"levels": {"item": 10}, "costs": {"item": 1}, **changed}
        )
