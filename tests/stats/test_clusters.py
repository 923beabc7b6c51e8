from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg

from aliquot.errors import UsageError
from aliquot.stats.clusters import (
    cluster_variance,
    clustered_mean,
    sum_clusters,
    sums_from_totals,
    variance_of_sums,
)
from aliquot.stats.paired_score import tango
from aliquot.stats.results import Undefined
from tests.oracles import cases

TOPIC = "05_clustered_se"


@pytest.mark.parametrize("case", cases(TOPIC, "CR0", "CR1", "CR2", "CR3"))
def test_standard_errors_of_r(case: dict[str, Any]) -> None:
    y, clusters = case["inputs"]["y"], case["inputs"]["cluster"]
    correction = case["id"].split("-")[-1]
    if correction == "satt":
        found = clustered_mean(y, clusters=clusters)
        expected = case["expected"]
        assert found.df == pytest.approx(expected["df"], abs=case["tolerance"])
        assert found.low == pytest.approx(expected["lower"], abs=case["tolerance"])
        assert found.high == pytest.approx(expected["upper"], abs=case["tolerance"])
    else:
        found = cluster_variance(y, clusters=clusters, correction=correction)
        assert found.se == pytest.approx(case["expected"]["se"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases(TOPIC, "mean-iid"))
def test_without_clusters_it_is_the_error_of_a_mean(case: dict[str, Any]) -> None:
    found = cluster_variance(case["inputs"]["y"])
    assert found.mean == pytest.approx(case["expected"]["mean"], abs=case["tolerance"])
    assert found.se == pytest.approx(case["expected"]["se"], abs=case["tolerance"])
    assert found.df == pytest.approx(len(case["inputs"]["y"]) - 1)
    assert not found.clustered


@pytest.mark.parametrize("case", cases(TOPIC, "miller-binary"))
def test_binary_standard_error_of_miller(case: dict[str, Any]) -> None:
    # p n = 137.1 and 1882.5 are not whole; against a baseline that gets nothing right the difference is the rate
    p, n = case["inputs"]["p"], case["inputs"]["n"]
    assert tango(p * n, 0, n).se == pytest.approx(case["expected"]["se"], abs=case["tolerance"])


def _explicit(y: np.ndarray, groups: np.ndarray, w: np.ndarray) -> tuple[float, float]:
    """V and ν by n × n matrices: A_g = (1 − q_g)^(-1/2), residual maker I − 1 w', quadratic form by Satterthwaite."""
    n = y.size
    maker = np.eye(n) - np.outer(np.ones(n), w)
    rows = []
    for g in np.unique(groups):
        chosen = groups == g
        rows.append((w * chosen) @ maker / math.sqrt(1 - w[chosen].sum()))
    root = np.array(rows)
    p = root @ root.T
    return float(((root @ y) ** 2).sum()), float(np.trace(p) ** 2 / (p * p).sum())


def _matrix_cr2(y: np.ndarray, groups: np.ndarray) -> float:
    """CR2 of an intercept by explicit adjustment matrices (I − H_gg)^(-1/2)."""
    n, e = y.size, y - y.mean()
    total = 0.0
    for g in np.unique(groups):
        m = int((groups == g).sum())
        adjust = linalg.inv(linalg.sqrtm(np.eye(m) - np.full((m, m), 1 / n)).real)
        total += float((np.ones(m) @ adjust @ e[groups == g]) ** 2)
    return total / n**2


@st.composite
def _clustered(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n = draw(st.integers(3, 25))
    y = draw(st.lists(st.sampled_from([-1.0, 0.0, 1.0, 0.25, 1e3]), min_size=n, max_size=n))
    groups = draw(st.lists(st.integers(0, 6), min_size=n, max_size=n))
    weights = draw(st.lists(st.sampled_from([0.0, 1.0, 2.5, 0.1]), min_size=n, max_size=n))
    return np.array(y), np.array(groups), np.array(weights)


@given(_clustered())
def test_the_closed_form_equals_matrices(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    y, groups, weights = data
    if weights.sum() == 0:
        with pytest.raises(UsageError, match="not all be zero"):
            cluster_variance(y, clusters=groups, weights=weights)
        return
    found = cluster_variance(y, clusters=groups, weights=weights)
    if np.unique(groups[weights > 0]).size < 2:
        assert isinstance(found, Undefined)
        return
    variance, df = _explicit(y, groups, weights / weights.sum())
    assert found.variance == pytest.approx(variance, rel=1e-9, abs=1e-9)
    assert found.df == pytest.approx(df, rel=1e-9)
    assert found.df <= found.n_clusters - 1 + 1e-9
    assert found.n == (weights > 0).sum()


@given(_clustered())
def test_equal_weights_are_exact_cr2_and_sums_are_enough(
    data: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    y, groups, _ = data
    found = cluster_variance(y, clusters=groups)
    if np.unique(groups).size < 2:
        assert isinstance(found, Undefined)
        return
    assert found.variance == pytest.approx(_matrix_cr2(y, groups), rel=1e-9, abs=1e-9)
    labels = [f"document {g}" for g in groups]
    assert cluster_variance(y, clusters=labels) == found
    from_sums = variance_of_sums(
        sums_from_totals(np.bincount(groups, y, minlength=7), np.bincount(groups, minlength=7))
    )
    assert from_sums.variance == pytest.approx(found.variance, rel=1e-9, abs=1e-12)
    assert from_sums.df == pytest.approx(found.df)
    assert (from_sums.n, from_sums.n_clusters) == (found.n, found.n_clusters)


def test_negative_and_huge_labels_name_the_same_clusters() -> None:
    y = [1, 0, 1, 1, 0, 0]
    plain = cluster_variance(y, clusters=[0, 0, 1, 1, 2, 2])
    assert cluster_variance(y, clusters=[-5, -5, -4, -4, -3, -3]) == plain
    assert cluster_variance(y, clusters=[7, 7, 10**15, 10**15, 2, 2]).variance == pytest.approx(
        plain.variance
    )


def test_a_constant_has_variance_exactly_0_in_any_units() -> None:
    assert cluster_variance([0.1] * 7, clusters=[1, 1, 1, 2, 2, 3, 3]).variance == 0
    assert isinstance(clustered_mean([0.1] * 7, clusters=[1, 1, 1, 2, 2, 3, 3]), Undefined)


def test_equal_cluster_means_have_variance_exactly_0() -> None:
    assert cluster_variance([1, 0, 0] * 3, clusters=[1, 1, 1, 2, 2, 2, 3, 3, 3]).variance == 0


def test_a_shift_changes_the_mean_only() -> None:
    y = np.array([9.0, 12, 10, 13, 15, 14, 8, 7, 9])
    groups = np.repeat([1, 2, 3], 3)
    near, far = (cluster_variance(y + shift, clusters=groups) for shift in (0, 1e6))
    assert far.variance == pytest.approx(near.variance, rel=1e-6)


def test_many_clusters_need_no_square_matrix() -> None:
    n = 200_000
    found = cluster_variance(np.arange(n) % 2, clusters=np.arange(n) // 2)
    assert found.variance == 0  # each cluster holds one 0 and one 1
    assert found.df == pytest.approx(n / 2 - 1)


def test_kish_n() -> None:
    assert cluster_variance([1, 2, 3], weights=[1, 1, 2]).kish_n == pytest.approx(16 / 6)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"y": [1.0, math.nan]}, "NaN|nan"),
        ({"y": [1, 2], "clusters": [1]}, "one label"),
        ({"y": [1, 2], "weights": [1, -1]}, "between"),
        ({"y": [1, 2], "correction": "CR4"}, "CR3"),
    ],
)
def test_wrong_calls_are_refused(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(UsageError, match=text):
        cluster_variance(**arguments)


def test_sums_must_fit_together() -> None:
    with pytest.raises(UsageError, match="one length"):
        sums_from_totals([1, 2], [1])
    with pytest.raises(UsageError, match="zero"):
        sums_from_totals([0, 0], [0, 0])


def test_weighted_sums_need_their_squares() -> None:
    y, groups, w = np.array([1.0, 0, 1, 1, 0]), np.array([0, 0, 1, 1, 2]), np.array([1.0, 2, 1, 3, 1])
    sums = sums_from_totals(
        np.bincount(groups, w * y), np.bincount(groups, w), squares=np.bincount(groups, w * w)
    )
    direct = variance_of_sums(sum_clusters(y, clusters=groups, weights=w))
    assert variance_of_sums(sums).variance == pytest.approx(direct.variance)
    assert variance_of_sums(sums).df == pytest.approx(direct.df)


def test_one_cluster_with_practically_all_weight_is_the_only_one() -> None:
    assert isinstance(cluster_variance([1, 0, 1, 1], weights=[1e-12, 1, 1e-12, 1e-12]), Undefined)
    assert cluster_variance([1, 0, 1, 1], weights=[1e-6, 1, 1e-6, 1e-6]).df == pytest.approx(1, abs=1e-4)


def test_sums_with_squares_count_the_rows_their_weights_are_worth():
    # two rows of weight 1 and one of weight 2, each its own cluster: (Σw)²/Σw² = 16/6
    found = variance_of_sums(sums_from_totals([1.0, 0.0, 2.0], [1.0, 1.0, 2.0], squares=[1.0, 1.0, 4.0]))
    assert found.n == pytest.approx(16 / 6)
    assert found.mean == pytest.approx(3 / 4)


def test_one_group_is_named_for_what_it_is():
    assert "cluster" in str(cluster_variance([1.0, 0.0], clusters=["a", "a"]))
    assert "value" in str(cluster_variance([1.0]))
