from __future__ import annotations

import csv
import json
import math
from typing import Any

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.design_effects import intraclass
from aliquot.stats.repeats import item_means, precision_table, variance_components
from aliquot.stats.results import Undefined
from tests.oracles import case
from tests.shared import shared


def _tau_bench() -> tuple[list[str], list[str], list[float]]:
    with shared("data", "tau_bench", "gpt4o_airline.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [r["item"] for r in rows], [r["trial"] for r in rows], [float(r["reward"]) for r in rows]


def test_miller_question_means() -> None:
    oracle = case("05_clustered_se", "05_clustered_se-miller-resample")
    scores = np.array(oracle["inputs"]["scores"])
    items = np.repeat(np.arange(len(scores)), scores.shape[1])
    reduced = item_means(scores.ravel(), items=items)
    v = cluster_variance(reduced.means)
    found = variance_components(scores.ravel(), factors={"item": items})
    for name, value in {
        "mean": v.mean,
        "se": v.se,
        "within_var": reduced.variances.mean(),
        "omega2_hat": found.components["item"],
    }.items():
        assert value == pytest.approx(oracle["expected"][name], abs=oracle["tolerance"])
    assert found.components["within"] == pytest.approx(oracle["expected"]["within_var"])
    assert found.se == pytest.approx(v.se)


def test_case_03_epochs_are_not_items() -> None:
    folder = shared("cases", "03-epochs-are-not-items")
    expected = {
        check["name"]: check["value"]
        for check in json.loads((folder / "case.json").read_text(encoding="utf-8"))["expected"]["checks"]
    }
    with (folder / "scores.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    y, items = [float(row["score"]) for row in rows], [row["item"] for row in rows]
    v = cluster_variance(item_means(y, items=items).means)
    assert v.mean == pytest.approx(expected["mean"], abs=1e-6)
    assert v.se == pytest.approx(expected["stderr_items"], abs=1e-6)
    assert (v.n, len(y)) == (expected["n_items"], expected["n_rows"])


def test_tau_bench_by_item() -> None:
    items, _, y = _tau_bench()
    found = variance_components(y, factors={"item": items})
    assert found.components["item"] == pytest.approx(0.0997, abs=5e-5)
    assert found.components["within"] == pytest.approx(0.1467, abs=5e-5)
    assert found.shares["item"] == pytest.approx(0.405, abs=5e-4)
    assert intraclass(y, clusters=items).icc == pytest.approx(found.shares["item"])
    assert item_means(y, items=items).varying == 26
    table = precision_table(found.components["item"], found.components["within"])
    printed = [0.070, 0.059, 0.052, 0.049, 0.050, 0.042, 0.037, 0.034, 0.035, 0.029, 0.026, 0.024]
    assert [row.se for row in table] == pytest.approx(printed, abs=5e-4)
    assert [row.runs for row in table[:4]] == [50, 100, 200, 400]


def test_crossed_balanced_is_two_way_anova() -> None:
    # Shrout & Fleiss (1979), table 2: BMS 11.24, JMS 32.49, EMS 1.02 of 6 targets × 4 judges
    table = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
    items, runs = np.indices(table.shape)
    found = variance_components(table.ravel(), factors={"item": items.ravel(), "run": runs.ravel()})
    assert list(found.components) == ["item", "run", "item:run"]
    assert found.components["item:run"] == pytest.approx(1.02, abs=0.005)
    assert found.components["item"] == pytest.approx((11.24 - 1.02) / 4, abs=0.005)
    assert found.components["run"] == pytest.approx((32.49 - 1.02) / 6, abs=0.005)


DESIGNS = {
    "unequal attempts": ({"item": [0, 0, 0, 1, 2, 2, 3, 3, 3, 3]}, {}),
    "judge in attempt in item": (
        {"item": [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2], "attempt": [0, 0, 1, 2, 0, 0, 1, 0, 1, 1, 1, 2]},
        {"attempt": "item"},
    ),
    "items by runs, one each": ({"item": [0, 0, 0, 1, 1, 1, 2, 2, 2], "run": [0, 1, 2] * 3}, {}),
    "items by runs with attempts, cells missing": (
        {"item": [0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 3], "run": [0, 0, 1, 0, 1, 1, 1, 1, 2, 0, 2, 2]},
        {},
    ),
}


@pytest.mark.parametrize("name", DESIGNS)
def test_every_component_is_unbiased_in_any_design(name: str) -> None:
    # the estimates are quadratic in y: under σ²_F = 1 alone their expectation is the sum over the levels of F of the
    # estimates from each level's indicator, which must be 1 for F and 0 for every other source
    factors, nested = DESIGNS[name]
    n = len(factors["item"])
    first = variance_components(np.arange(n) % 3, factors=factors, nested=nested)
    groups: dict[str, list[Any]] = {}
    for source in first.components:
        if source == "within" or (source == "item:run" and first.levels[source] == n):
            groups[source] = list(range(n))
        elif source == "attempt":
            groups[source] = list(zip(factors["item"], factors["attempt"], strict=True))
        elif source == "item:run":
            groups[source] = list(zip(factors["item"], factors["run"], strict=True))
        else:
            groups[source] = factors[source]
    for source, labels in groups.items():
        totals = dict.fromkeys(groups, 0.0)
        for level in set(labels):
            indicator = [float(label == level) for label in labels]
            for other, value in variance_components(
                indicator, factors=factors, nested=nested
            ).components.items():
                totals[other] += value
        assert totals == pytest.approx({other: float(other == source) for other in groups}, abs=1e-9)
        assert first.levels[source] == len(set(labels))


def test_nested_labels_need_be_unique_within_the_parent_only() -> None:
    y = [1, 0, 1, 1, 0, 0, 1, 0]
    items, repeated, unique = [0] * 4 + [1] * 4, [0, 0, 1, 1] * 2, [0, 0, 1, 1, 2, 2, 3, 3]
    one, other = (
        variance_components(y, factors={"item": items, "attempt": labels}, nested={"attempt": "item"})
        for labels in (repeated, unique)
    )
    assert one == other


def test_a_negative_component_is_shown_and_counts_as_0() -> None:
    found = variance_components([0, 1, 0, 1, 0, 1], factors={"item": [1, 1, 2, 2, 3, 3]})
    assert found.components["item"] == pytest.approx(-0.25)
    assert found.shares == {"item": 0.0, "within": 1.0}
    assert found.se == pytest.approx(math.sqrt(0.5 / 6))


@pytest.mark.parametrize(
    "factors", [{"item": [1, 2, 3]}, {"item": [1, 1, 1]}, {"item": [1, 1, 2], "document": [1, 1, 2]}]
)
def test_designs_that_cannot_tell_are_undefined(factors: dict[str, list[int]]) -> None:
    assert isinstance(variance_components([1, 0, 1], factors=factors), Undefined)


@pytest.mark.parametrize(
    ("factors", "nested", "text"),
    [
        ({}, None, "at least one"),
        ({"item": [1, 1]}, {"attempt": "item"}, "attempt"),
        ({"item": [1, 1], "run": [1, 2]}, {"item": "run", "run": "item"}, "circle"),
        ({"item": [1]}, None, "one label"),
    ],
)
def test_wrong_factors_are_refused(factors: dict[str, Any], nested: dict[str, str] | None, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        variance_components([1, 0], factors=factors, nested=nested)


def test_precision_checks_its_input() -> None:
    assert precision_table(-0.1, 0.2, items=[10], attempts=[2])[0].se == pytest.approx(math.sqrt(0.2 / 20))
    with pytest.raises(UsageError):
        precision_table(0.1, -0.2)
    with pytest.raises(UsageError):
        precision_table(0.1, 0.2, attempts=[0])
