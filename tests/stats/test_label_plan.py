"""Plans of labels: least variance, widths that come true, and the two-phase optimum by search."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats import (
    Undefined,
    allocate_labels,
    corrected_rate,
    corrected_width,
    plan_labels,
    two_phase_design,
    verdict_cells,
)


def test_neyman_is_the_least_variance_of_all_splits():
    w, p, c = np.array([0.5, 0.3, 0.2]), np.array([0.9, 0.5, 0.2]), np.ones(3)
    found = allocate_labels(30, w, p)

    def variance(n):
        return float((w**2 * p * (1 - p) / np.array(n)).sum())

    best = min(
        variance((i, j, 30 - i - j)) for i, j in itertools.product(range(2, 27), repeat=2) if i + j <= 28
    )
    assert variance(found) <= best * 1.002
    assert allocate_labels(30, w, p, costs=c).tolist() == found.tolist()


def test_costs_move_labels_to_where_they_are_cheap():
    found = allocate_labels(100, [1, 1], [0.5, 0.5], costs=[1, 4])
    assert found.tolist() == [67, 33]  # ∝ 1/√c


@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.floats(0, 1), st.integers(2, 60)), min_size=1, max_size=8),
    st.integers(0, 200),
)
def test_whole_numbers_that_sum_and_fit(cells, more):
    shares, rates, rows = (list(part) for part in zip(*cells, strict=True))
    n = min(2 * len(cells) + more, sum(rows))
    found = allocate_labels(n, shares, rates, rows=rows)
    assert found.sum() == n
    assert np.all(found <= rows)
    assert np.all(found >= 2)


def test_the_width_planned_is_the_width_of_such_data():
    shares, rates = verdict_cells(0.95, sensitivity=0.9, specificity=0.7)
    rng = np.random.default_rng(1)
    widths = []
    for _ in range(200):
        truth = rng.random(1000) < 0.95
        verdicts = (rng.random(1000) < np.where(truth, 0.9, 0.3)).astype(int)
        labels = np.where(np.arange(1000) < 40, truth, np.nan)
        widths.append(corrected_rate(labels, verdicts).corrected.width)
    assert corrected_width([35, 5], shares, rates, judged=1000) == pytest.approx(np.mean(widths), abs=0.005)


def test_a_plan_has_its_width_and_no_label_to_spare():
    shares, rates = verdict_cells(0.8, sensitivity=0.95, specificity=0.9)
    found = plan_labels(0.1, shares, rates, judged=2000)
    assert found.width <= 0.1
    assert (
        sum(found.by_cell) == found.labels < plan_labels(0.1, shares, rates, judged=2000, neyman=False).labels
    )
    assert found.alone > 2 * found.labels
    fewer = allocate_labels(found.labels - 2, shares, rates)
    assert corrected_width(fewer, shares, rates, judged=2000) > 0.1


def test_cells_of_systems_and_segments():
    # two systems: each contributes its own verdicts; the uncertain cells get the labels
    cells = [verdict_cells(p, sensitivity=0.9, specificity=0.9) for p in (0.5, 0.95)]
    shares = np.concatenate([cell[0] / 2 for cell in cells])
    rates = np.concatenate([cell[1] for cell in cells])
    found = plan_labels(0.12, shares, rates, judged=4000)
    assert len(found.by_cell) == 4
    per_row = np.array(found.by_cell) / shares
    assert per_row[3] == max(
        per_row
    )  # failures called of a system that is nearly always right: half are passes


def test_a_width_out_of_reach_is_said():
    shares, rates = verdict_cells(0.8, sensitivity=0.95, specificity=0.9)
    found = plan_labels(0.01, shares, rates, judged=300)
    assert isinstance(found, Undefined)
    assert "300 judged rows" in found.reason


@pytest.mark.parametrize("costs", [(0.002, 1.0), (0.05, 1.0), (0.3, 0.5)])
def test_the_two_phase_optimum_by_search(costs):
    within, between = 0.05, 0.11
    judge, label = costs
    found = two_phase_design(within, between, cost_judge=judge, cost_label=label, se=0.02)
    assert found.se <= 0.02
    judged = np.arange(300, 20_000)[:, None].astype(float)
    left = 0.02**2 - between / judged
    labelled = np.where(left > 0, within / np.where(left > 0, left, 1), np.inf)
    cost = np.where(labelled <= judged, judged * judge + labelled * label, np.inf)
    assert found.cost <= float(cost.min()) * 1.01
    assert found.worth_it == (found.cost < found.cost_alone)


def test_a_budget_buys_no_more_than_it_holds():
    found = two_phase_design(0.05, 0.11, cost_judge=0.002, cost_label=1.0, budget=150)
    assert found.cost <= 150
    assert found.worth_it
    assert found.se == pytest.approx(np.sqrt(0.05 / found.labelled + 0.11 / found.judged))
    free = two_phase_design(0.05, 0.11, cost_judge=0, cost_label=1.0, budget=100, rows=5000)
    assert (free.judged, free.labelled) == (5000, 100)


def test_a_judge_that_explains_nothing_is_not_worth_it():
    found = two_phase_design(0.16, 0.0, cost_judge=0.5, cost_label=1.0, se=0.02)
    assert not found.worth_it
    assert found.judged == found.labelled == found.alone


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: allocate_labels(3, [1, 1], [0.5, 0.5]), "do not fit 2 cells"),
        (lambda: allocate_labels(10, [1, 1], [0.5]), "same cells"),
        (lambda: plan_labels(1.5, [1], [0.5], judged=10), "width"),
        (lambda: two_phase_design(0.1, 0.1, cost_judge=1, cost_label=1), "wanted se, or the budget"),
        (lambda: two_phase_design(0.1, 0.1, cost_judge=1, cost_label=1, se=0.02, rows=100), "cannot give"),
        (lambda: two_phase_design(0.1, 0.1, cost_judge=0, cost_label=1, se=0.02), "give rows"),
        (lambda: verdict_cells(1.2, sensitivity=0.9, specificity=0.9), "prevalence"),
    ],
)
def test_bad_input_is_refused(call, text):
    with pytest.raises(UsageError, match=text):
        call()
