from __future__ import annotations

import csv
import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.clustered_tests import clustered_mcnemar
from aliquot.stats.group_permutation import cluster_permutation, permutation_means
from aliquot.stats.paired_tests import mcnemar
from aliquot.stats.permutation import sign_flip
from aliquot.stats.results import Undefined
from tests.shared import shared

SIDES = ("two-sided", "less", "greater")


def _enumerated(sums: list[float], alternative: str) -> float:
    """p-value by listing all sign patterns of the sums by unit."""
    observed, slack = sum(sums), 1e-9 * sum(map(abs, sums))
    all_sums = [
        sum(s * t for s, t in zip(signs, sums, strict=True))
        for signs in itertools.product((-1, 1), repeat=len(sums))
    ]
    extreme = {
        "two-sided": [abs(s) >= abs(observed) - slack for s in all_sums],
        "greater": [s >= observed - slack for s in all_sums],
        "less": [s <= observed + slack for s in all_sums],
    }[alternative]
    return sum(extreme) / len(all_sums)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize(
    ("fixed", "broke"), [(5, 0), (6, 1), (4, 4), (31, 17), (0, 0), (700, 640), (60_000, 59_000)]
)
def test_binary_pairs_give_exact_mcnemar(fixed: int, broke: int, alternative: str) -> None:
    d = np.repeat([1, -1, 0], [fixed, broke, 20])
    found, expected = sign_flip(d, alternative=alternative), mcnemar(fixed, broke, alternative=alternative)
    assert found.p == pytest.approx(expected.p, rel=1e-12)
    assert found.n_resamples is None


@given(
    st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.5, -0.25, 0.3, -0.7, math.pi]), min_size=1, max_size=9),
    st.sampled_from(SIDES),
)
def test_every_exact_way_equals_enumeration(d: list[float], alternative: str) -> None:
    found = sign_flip(d, alternative=alternative, method="exact")
    assert found.p == pytest.approx(_enumerated(d, alternative), rel=1e-12)
    assert found.p >= found.floor - 1e-15


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1.0, -1.0, 0.5, math.e]), st.integers(0, 4)), min_size=1, max_size=15
    ),
    st.sampled_from(SIDES),
)
def test_clusters_flip_as_wholes(rows: list[tuple[float, int]], alternative: str) -> None:
    d, groups = zip(*rows, strict=True)
    sums = [sum(v for v, g in rows if g == group) for group in sorted(set(groups))]
    found = sign_flip(d, clusters=groups, alternative=alternative)
    assert found.p == pytest.approx(_enumerated(sums, alternative), rel=1e-12)
    assert found.name == "cluster_sign_flip"
    assert found.settings["units"] == sum(abs(s) > 1e-12 for s in sums)


def test_convolution_equals_enumeration_on_many_whole_sums() -> None:
    rng = np.random.default_rng(2)
    d = rng.integers(-4, 6, size=16)
    found = sign_flip(d)
    assert found.settings["how"] == "convolution"
    assert found.p == pytest.approx(_enumerated(d.tolist(), "two-sided"), rel=1e-12)


def test_graded_items_are_enumerated_and_monte_carlo_agrees() -> None:
    d = np.random.default_rng(4).normal(0.3, 1, 24)
    exact = sign_flip(d)
    assert exact.settings["how"] == "enumeration"
    random = sign_flip(d, method="monte_carlo", n_resamples=20_000, rng=1)
    assert random.p == pytest.approx(exact.p, abs=4 * math.sqrt(exact.p / 20_000))
    many = np.repeat([1.0, 2.0, -1.0], [20, 9, 25])
    close = sign_flip(many, method="monte_carlo", n_resamples=20_000, rng=1)
    assert close.p == pytest.approx(sign_flip(many).p, abs=4 * math.sqrt(sign_flip(many).p / 20_000))


def test_a_seed_makes_it_reproducible() -> None:
    d = np.random.default_rng(4).normal(0.1, 1, 100)
    assert sign_flip(d, rng=7) == sign_flip(d, rng=7)
    assert sign_flip(d, rng=7).p != sign_flip(d, rng=8).p


def test_floor_is_two_to_the_one_minus_units() -> None:
    found = sign_flip([1, 1, 1, 0, 2, 2], clusters=[1, 1, 2, 3, 4, 4])  # sums 2, 1, 0, 4
    assert found.settings["units"] == 3
    assert found.floor == 2**-2
    assert found.p == 0.25
    assert "exchangeable within clusters" in found.null
    assert sign_flip([1, 1, 1], alternative="greater").floor == 2**-3


def test_nothing_differs() -> None:
    for options in ({}, {"clusters": [1, 1, 2]}, {"method": "monte_carlo"}):
        found = sign_flip([0, 0, 0], **options)
        assert (found.p, found.floor, found.statistic) == (1.0, 1.0, 0.0)
    assert sign_flip([1, -1, 1, -1], clusters=[1, 1, 2, 2]).p == 1.0


def test_p_is_never_0() -> None:
    assert 0 < sign_flip(np.ones(5000)).p < 1e-300


def test_the_statistic_and_p_do_not_depend_on_the_scale() -> None:
    d = np.random.default_rng(4).normal(0.3, 1, 24)
    one, other = sign_flip(d), sign_flip(1e6 * d)
    assert other.statistic == pytest.approx(one.statistic)
    assert other.p == one.p
    assert one.statistic == pytest.approx(d.sum() / math.sqrt((d**2).sum()))


def test_weights_weigh_the_sums() -> None:
    d, w = [1.0, -1.0, 1.0, 1.0], [4, 1, 2, 8]
    assert sign_flip(d, weights=w).p == pytest.approx(_enumerated([4, -1, 2, 8], "two-sided"))


def test_exact_out_of_reach_is_refused() -> None:
    with pytest.raises(UsageError, match="out of reach"):
        sign_flip(np.random.default_rng(1).normal(size=100), method="exact")


@pytest.mark.parametrize("option", [{"alternative": "larger"}, {"method": "bootstrap"}, {"n_resamples": 0}])
def test_wrong_options_are_refused(option: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        sign_flip([1, 2], **option)


def test_case_22_a_permutation_p_is_never_0() -> None:
    folder = shared("cases", "22-monte-carlo-p-floor")
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    with (folder / "paired.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    a, b = [name for name in rows[0] if name != "item"]
    d = [float(row[b]) - float(row[a]) for row in rows]
    draws, seed = case["input"]["params"]["n_resamples"], case["input"]["params"]["seed"]
    random = sign_flip(d, method="monte_carlo", n_resamples=draws, rng=seed)
    floor = case["expected"]["checks"][0]
    assert random.floor == pytest.approx(floor["value"], abs=floor["abs_tol"])
    assert random.p >= 0.001
    assert sign_flip(d, n_resamples=draws).p == pytest.approx(2 / 2**30)


def test_unpaired_permutation_equals_listing_all_groupings() -> None:
    a, b = [2.1, 3.0, 2.6, 3.3], [3.4, 3.9, 2.9, 4.1, 3.6]
    pooled, observed = a + b, np.mean(b) - np.mean(a)
    differences = []
    for chosen in itertools.combinations(range(9), 5):
        inside = [pooled[i] for i in chosen]
        outside = [pooled[i] for i in range(9) if i not in chosen]
        differences.append(np.mean(inside) - np.mean(outside))
    for alternative, extreme in {
        "two-sided": np.abs(differences) >= abs(observed) - 1e-12,
        "greater": np.array(differences) >= observed - 1e-12,
        "less": np.array(differences) <= observed + 1e-12,
    }.items():
        found = permutation_means(a, b, alternative=alternative)
        assert found.p == pytest.approx(extreme.mean())
        assert found.floor == 1 / math.comb(9, 5)
        assert found.statistic == pytest.approx(observed)


def test_unpaired_monte_carlo_never_gives_0() -> None:
    found = permutation_means(np.arange(40), np.arange(40) + 100, n_resamples=199, rng=1)
    assert found.p == 1 / 200
    assert found.n_resamples == 199
    assert permutation_means([1, 1, 1], [1, 1]).p == 1


def test_cluster_permutation_equals_listing_whole_clusters() -> None:
    a, b = [0, 1, 0, 0, 1, 0, 0, 0, 1], [1, 1, 1, 0, 1, 1, 1]
    groups_a, groups_b = [1, 1, 2, 2, 3, 3, 4, 4, 4], [1, 1, 1, 2, 2, 3, 3]
    blocks = [[0, 1], [0, 0], [1, 0], [0, 0, 1], [1, 1, 1], [0, 1], [1, 1]]

    def studentised(second: tuple[int, ...]) -> float:
        parts = []
        for chosen in ([i for i in range(7) if i not in second], second):
            rows = [v for i in chosen for v in blocks[i]]
            mean, n = np.mean(rows), len(rows)
            v = (
                sum((sum(blocks[i]) - mean * len(blocks[i])) ** 2 / (1 - len(blocks[i]) / n) for i in chosen)
                / n**2
            )
            parts.append((mean, v))
        difference, variance = parts[1][0] - parts[0][0], parts[0][1] + parts[1][1]
        if abs(difference) < 1e-12:
            return 0.0
        return difference / math.sqrt(variance) if variance > 1e-20 else math.copysign(math.inf, difference)

    observed = studentised((4, 5, 6))
    values = [studentised(chosen) for chosen in itertools.combinations(range(7), 3)]
    found = cluster_permutation(a, b, clusters_a=groups_a, clusters_b=groups_b)
    assert found.statistic == pytest.approx(observed)
    assert found.p == pytest.approx(np.mean([abs(v) >= abs(observed) - 1e-9 for v in values]))


def test_cluster_permutation_needs_two_clusters_a_side() -> None:
    found = cluster_permutation([1, 0], [1, 1, 0], clusters_a=[1, 1], clusters_b=[1, 2, 2])
    assert isinstance(found, Undefined)
    assert cluster_permutation([1, 1, 1], [1, 1, 1]).p == 1


def test_clustered_mcnemar_by_hand() -> None:
    # cluster sums f − k: 2, 0, 1, −1 of 3, 2, 2, 1 items
    a, b, groups = [1, 0, 0, 1, 0, 0, 1, 1], [1, 1, 1, 1, 0, 1, 1, 0], [1, 1, 1, 2, 2, 3, 3, 4]
    item = clustered_mcnemar(a, b, clusters=groups)
    assert item.statistic == pytest.approx(3 / 4 * 2**2 / (4 + 0 + 1 + 1))
    equal = clustered_mcnemar(a, b, clusters=groups, method="durkalski")
    assert equal.statistic == pytest.approx((2 / 3 + 1 / 2 - 1) ** 2 / (4 / 9 + 1 / 4 + 1))
    assert item.p == pytest.approx(math.erfc(math.sqrt(item.statistic / 2)))


def test_obuchowski_with_one_item_a_cluster_is_mcnemar_short_of_one_cluster() -> None:
    a, b = np.repeat([[0, 1], [1, 0], [1, 1]], [9, 4, 7], axis=0).T
    found = clustered_mcnemar(a, b, clusters=np.arange(20))
    assert found.statistic == pytest.approx(19 / 20 * mcnemar(9, 4, method="asymptotic").statistic)


def test_clustered_mcnemar_edges() -> None:
    assert clustered_mcnemar([1, 0], [1, 0], clusters=[1, 2]).p == 1
    assert isinstance(clustered_mcnemar([1, 0], [0, 0], clusters=[1, 1]), Undefined)
    with pytest.raises(UsageError, match="durkalski"):
        clustered_mcnemar([1, 0], [0, 0], clusters=[1, 1], method="durkalsky")
    with pytest.raises(UsageError, match="same items"):
        clustered_mcnemar([1, 0], [0], clusters=[1, 1])


def test_the_floor_of_a_random_test_is_that_of_its_draws_or_of_its_units():
    draw = np.random.default_rng(4)
    many = sign_flip(draw.normal(size=60), n_resamples=99, rng=1)
    assert many.n_resamples == 99
    assert many.floor == pytest.approx(1 / 100)
    few = sign_flip([1.0, 2.0, 4.0], method="monte_carlo", n_resamples=999, rng=1)
    assert few.floor == pytest.approx(0.25)  # 2^(1 − 3)
