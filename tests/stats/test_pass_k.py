from __future__ import annotations

import csv
import itertools
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.means import mean_bounded
from aliquot.stats.pass_k import independence_gap, item_pass_at_k, majority_at_k, pass_at_k, pass_hat_k
from aliquot.stats.results import Undefined
from tests.oracles import case, cases
from tests.shared import shared


@pytest.mark.parametrize(
    "case",
    [
        p
        for p in cases("12_passk", "passk-passk")
        if "k" in p.values[0]["inputs"] and "n" in p.values[0]["inputs"]
    ],
)
def test_human_eval(case: dict[str, Any]) -> None:
    given_ = case["inputs"]
    found = item_pass_at_k([given_["c"]], [given_["n"]], k=given_["k"])
    assert found[0] == pytest.approx(case["expected"]["pass_at_k"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("12_passk", "passhatk"))
def test_tau_bench_formula(case: dict[str, Any]) -> None:
    given_ = case["inputs"]
    twice = pass_hat_k([given_["c"]] * 2, [given_["n"]] * 2, k=given_["k"])
    assert twice.point == pytest.approx(case["expected"]["pass_hat_k"], abs=case["tolerance"])


def test_mean_over_tasks() -> None:
    oracle = case("12_passk", "12_passk-passk-mean")
    n, c = zip(*oracle["inputs"]["n_c"], strict=True)
    found = pass_at_k(c, n, k=oracle["inputs"]["k"])
    assert found.point == pytest.approx(oracle["expected"]["pass_at_5"], abs=oracle["tolerance"])
    interval = mean_bounded(item_pass_at_k(c, n, k=5))
    assert (found.low, found.high, found.n) == (interval.low, interval.high, 4)


def test_case_29_fewer_attempts_than_k() -> None:
    folder = shared("cases", "29-pass-at-k-too-few")
    expected = json.loads((folder / "case.json").read_text(encoding="utf-8"))["expected"]
    with (folder / "samples.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    names, n, c = ([row[key] for row in rows] for key in ("item", "n", "correct"))
    n, c = [int(x) for x in n], [int(x) for x in c]
    for check in expected["checks"]:
        item, k = check["name"].split("_pass_at_")
        value = item_pass_at_k(c, n, k=int(k))[names.index(item)]
        assert value == pytest.approx(check["value"], abs=check["abs_tol"])
    assert isinstance(item_pass_at_k(c, n, k=5)[names.index("x")], Undefined)
    refused = pass_at_k(c, n, k=5)
    assert isinstance(refused, Undefined)
    assert "1 of 4 items" in refused.reason
    left_out = pass_at_k(c, n, k=5, incomplete="leave_out")
    assert left_out.settings["left_out"] == (names.index("x"),)
    assert left_out.point == pytest.approx((1 + 0 + 1) / 3)


@given(st.integers(1, 7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n))))
def test_all_three_equal_listing_every_draw(counts: tuple[int, int, int]) -> None:
    c, n, k = counts
    draws = [sum(chosen) for chosen in itertools.combinations([1] * c + [0] * (n - c), k)]
    expected = {
        pass_at_k: np.mean([x > 0 for x in draws]),
        pass_hat_k: np.mean([x == k for x in draws]),
        majority_at_k: np.mean([1.0 if 2 * x > k else 0.5 if 2 * x == k else 0.0 for x in draws]),
    }
    for function, value in expected.items():
        assert function([c, c], [n, n], k=k).point == pytest.approx(value)


def test_tau_bench_airline() -> None:
    with shared("data", "tau_bench", "gpt4o_airline.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    right: dict[str, list[float]] = {}
    for row in rows:
        right.setdefault(row["item"], []).append(float(row["reward"]))
    c, n = [sum(v) for v in right.values()], [len(v) for v in right.values()]
    assert [pass_hat_k(c, n, k=k).point for k in range(1, 5)] == pytest.approx(
        [0.42, 0.273, 0.22, 0.2], abs=5e-4
    )
    assert [pass_at_k(c, n, k=k).point for k in range(1, 5)] == pytest.approx(
        [0.42, 0.567, 0.66, 0.72], abs=5e-4
    )
    gap = independence_gap(c, n, k=4)
    assert gap.at_k_if_independent == pytest.approx(1 - 0.58**4)
    assert gap.hat_k_if_independent == pytest.approx(0.42**4)
    assert gap.pass_at_k < gap.at_k_if_independent
    assert gap.pass_hat_k > gap.hat_k_if_independent


def test_items_alike_show_no_gap_beyond_drawing_without_replacement() -> None:
    gap = independence_gap([500] * 3, [1000] * 3, k=2)
    assert gap.pass_at_k == pytest.approx(gap.at_k_if_independent, abs=1e-3)


def test_all_right_still_has_a_width() -> None:
    found = pass_at_k([4] * 30, [4] * 30, k=2)
    assert found.point == 1
    assert 0.8 < found.low < 1


def test_clusters_widen_and_weights_move() -> None:
    c, n = [0, 0, 4, 4, 2, 1], [4] * 6
    assert pass_at_k(c, n, k=2, clusters=[1, 1, 2, 2, 3, 3]).width > pass_at_k(c, n, k=2).width
    weighted = pass_at_k(c, n, k=1, weights=[0, 0, 1, 1, 0, 0])
    assert weighted.point == 1
    assert isinstance(pass_at_k(c, n, k=2, clusters=[1] * 6), Undefined)


@pytest.mark.parametrize(
    ("c", "n", "k", "text"),
    [
        ([3], [2], 1, "more right"),
        ([0.5], [2], 1, "whole"),
        ([1], [2], 0, "at least 1"),
        ([1], [2], 1.5, "whole"),
        ([1, 1], [2], 1, "same items"),
        ([1], [0], 1, "between"),
    ],
)
def test_counts_that_cannot_be_are_refused(c: list[float], n: list[float], k: float, text: str) -> None:
    with pytest.raises(UsageError, match=text):
        pass_at_k(c, n, k=k)


def test_leaving_out_everything_is_undefined_and_options_are_checked() -> None:
    assert isinstance(pass_at_k([1], [2], k=3, incomplete="leave_out"), Undefined)
    assert isinstance(independence_gap([1], [2], k=3), Undefined)
    with pytest.raises(UsageError, match="leave_out"):
        pass_at_k([1], [2], k=3, incomplete="drop")
