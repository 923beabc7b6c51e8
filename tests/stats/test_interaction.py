from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.stats import interaction
from aliquot.stats.interaction import interaction_test
from aliquot.stats.results import HypothesisTest, Undefined

B = 4999


def _p(d: object, groups: object, **options: object) -> float:
    found = interaction_test(d, segments=groups, n_resamples=B, rng=1, **options)  # pyright: ignore[reportArgumentType]
    assert isinstance(found, HypothesisTest)
    return found.p


def _near(exact: float) -> object:
    return pytest.approx(exact, abs=4.5 * math.sqrt(exact * (1 - exact) / B) + 2 / B)


def _exact(d: np.ndarray, groups: list[int], *, blocks: list[list[int]] | None = None) -> float:
    """Share of all exchanges of labels (within blocks) with at least the observed sum of squares between groups."""

    def between(labels: tuple[int, ...]) -> float:
        at = np.array(labels)
        return sum((at == g).sum() * (d[at == g].mean() - d.mean()) ** 2 for g in set(labels))

    parts = [
        list(itertools.permutations([groups[i] for i in block])) for block in blocks or [list(range(d.size))]
    ]
    order = [i for block in blocks or [list(range(d.size))] for i in block]
    values: list[float] = []
    for choice in itertools.product(*parts):
        labels = [0] * d.size
        for place, label in zip(order, itertools.chain(*choice), strict=True):
            labels[place] = label
        values.append(between(tuple(labels)))
    observed = between(tuple(groups))
    return float(np.mean(np.array(values) >= observed - 1e-9))


@pytest.mark.parametrize(
    ("d", "groups"),
    [
        ([1, 1, 0, 0, -1, -1, 0], [0, 0, 0, 1, 1, 1, 1]),
        ([1, 0, 1, 0, 0, -1, -1], [0, 1, 1, 2, 2, 2, 0]),
        ([0.31, 0.22, 0.45, -0.1, 0.04, -0.37, 0.18], [0, 0, 0, 1, 1, 2, 2]),
    ],
)
def test_near_all_exchanges_of_labels(d: list[float], groups: list[int]) -> None:
    assert _p(d, groups) == _near(_exact(np.array(d, dtype=float), groups))


def test_two_groups_of_right_and_wrong_are_a_hypergeometric_tail() -> None:
    d, groups = [1] * 9 + [0] * 6 + [1] * 3 + [0] * 12, ["de"] * 15 + ["en"] * 15
    # 12 ones among 30; group de holds 9 of them where 6 are expected: P(|X − 6| ≥ 3)
    ways = [math.comb(12, x) * math.comb(18, 15 - x) / math.comb(30, 15) for x in range(13)]
    exact = sum(way for x, way in enumerate(ways) if abs(x - 6) >= 3)
    assert _p(d, groups) == _near(exact)


def test_counting_by_kind_and_moving_one_by_one_give_one_law(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    d, groups = rng.integers(-1, 2, size=60), rng.integers(0, 4, size=60)
    counted = _p(d, groups)
    monkeypatch.setattr(interaction, "_KINDS", 0)
    moved = _p(d, groups)
    assert counted == _near(moved)
    assert counted != moved


def test_items_of_a_cluster_move_within_it_when_groups_cross_clusters() -> None:
    d = np.array([0.9, 0.1, 0.2, -0.8, 0.3, -0.4, 0.5])
    groups, clusters = [0, 1, 1, 0, 1, 0, 0], [0, 0, 0, 1, 1, 1, 1]
    exact = _exact(d, groups, blocks=[[0, 1, 2], [3, 4, 5, 6]])
    assert _p(d, groups, clusters=clusters) == _near(exact)
    found = interaction_test(d, segments=groups, clusters=clusters, rng=1)
    assert isinstance(found, HypothesisTest)
    assert found.settings["permuted"] == "items within clusters"


def test_whole_clusters_move_when_each_lies_in_one_group() -> None:
    rng = np.random.default_rng(8)
    clusters = np.repeat(np.arange(10), 8)
    groups = clusters % 2
    rejected = naive = 0
    for _ in range(150):
        d = np.repeat(rng.normal(size=10), 8)
        whole = interaction_test(d, segments=groups, clusters=clusters, n_resamples=199, rng=rng)
        alone = interaction_test(d, segments=groups, n_resamples=199, rng=rng)
        assert isinstance(whole, HypothesisTest)
        assert isinstance(alone, HypothesisTest)
        rejected += whole.p <= 0.05
        naive += alone.p <= 0.05
        assert whole.settings["permuted"] == "clusters"
    # .05 + 3 √(.05 · .95/150) = .103
    assert rejected / 150 <= 0.103
    assert naive / 150 > 0.4


@given(st.integers(0, 50))
@settings(max_examples=15, deadline=None)
def test_scale_labels_and_equal_weights_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    d, groups = rng.normal(size=20), rng.integers(0, 3, size=20)
    base = interaction_test(d, segments=groups, n_resamples=99, rng=4)
    names = np.array(["x", "y", "z"])[groups]
    for other in (
        interaction_test(d * 8 + 3, segments=names, n_resamples=99, rng=4),
        interaction_test(d, segments=groups, weights=np.full(20, 2.5), n_resamples=99, rng=4),
    ):
        assert (other.p if other else None) == (base.p if base else None)


def test_a_row_of_no_weight_is_not_there() -> None:
    d, groups = [0.5, 0.4, 0.1, -0.2, 9.0], [0, 0, 1, 1, 2]
    with_it = interaction_test(d, segments=groups, weights=[1, 1, 1, 1, 0], rng=3)
    without = interaction_test(d[:4], segments=groups[:4], rng=3)
    assert isinstance(with_it, HypothesisTest)
    assert isinstance(without, HypothesisTest)
    assert with_it.p == without.p
    assert with_it.settings["groups"] == 2


def test_what_cannot_be_seen() -> None:
    assert isinstance(interaction_test([1, 0, 1], segments=[1, 1, 1]), Undefined)
    alone = interaction_test([1, 0, 1, 0], segments=[1, 1, 2, 2], clusters=[1, 1, 2, 2])
    assert isinstance(alone, Undefined)
    assert "group of its own" in alone.reason
    nothing = interaction_test([0, 0, 0, 0], segments=[1, 1, 2, 2])
    assert isinstance(nothing, HypothesisTest)
    assert nothing.p == 1.0
