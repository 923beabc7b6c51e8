"""Clusters, attempts and judge errors folded into a plain design: against whole covariance matrices and tables."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.power import detectable_difference, mcnemar_power, mcnemar_sample_size
from aliquot.stats.power_design import (
    attempts_detectable,
    attempts_sample_size,
    best_attempts,
    fold_design,
)
from tests.oracles import case as oracle
from tests.oracles import cases


@pytest.mark.parametrize("case", cases("04_power", "-deff-"))
def test_the_design_effect_of_clusters(case):
    given_, expected = case["inputs"], case["expected"]
    design = fold_design(0.7, 0.8, psi=0.3, cluster_size=given_["cluster_size"], icc=given_["icc"])
    assert 1 / design.worth == pytest.approx(expected["design_effect"], abs=case["tolerance"])
    assert design.effective(given_["n"]) == pytest.approx(expected["n_eff"], abs=case["tolerance"])


@pytest.mark.parametrize("case", cases("04_power", "-miller-"))
def test_attempts_by_miller(case):
    given_, expected = case["inputs"], case["expected"]
    parts = {
        "between": given_["omega2"],
        "within_a": given_["sigma2_A"],
        "within_b": given_["sigma2_B"],
        "attempts": given_["K_A"],
        "attempts_b": given_["K_B"],
        "power": given_["power"],
    }
    found = attempts_sample_size(given_["delta"], **parts)
    assert found == pytest.approx(expected["n_unrounded"], abs=case["tolerance"])
    assert attempts_detectable(given_["n_for_mde"], **parts) == pytest.approx(
        expected["mde"], abs=case["tolerance"]
    )


def test_the_judge_shrinks_a_difference_as_the_requirement_text_says():
    seed = oracle("seeds_more", "s-attenuation")
    se, sp = seed["inputs"]["se"], seed["inputs"]["sp"]
    design = fold_design(0.6, 0.7, psi=0.3, sensitivity=se, specificity=sp)
    assert design.factor == pytest.approx(seed["expected"]["factor"], abs=seed["tolerance"])
    assert design.difference == pytest.approx(design.factor * 0.1)


shares = st.floats(0, 1)


@given(a=shares, b=shares, mix=shares, se=st.floats(0.5, 1), sp=st.floats(0.5, 1))
def test_what_the_judge_sees_is_what_a_table_of_truth_and_verdicts_gives(a, b, mix, se, sp):
    low, high = abs(b - a), min(a + b, 2 - a - b)
    psi = low + mix * (high - low)
    both = (a + b - psi) / 2
    truth = {(1, 1): both, (1, 0): a - both, (0, 1): b - both, (0, 0): 1 - a - b + both}
    passes = {1: se, 0: 1 - sp}
    seen = dict.fromkeys(truth, 0.0)
    for (x, y), chance in truth.items():
        for u, v in itertools.product((0, 1), repeat=2):
            of_u, of_v = (passes[t] if w else 1 - passes[t] for t, w in ((x, u), (y, v)))
            seen[u, v] += chance * of_u * of_v
    found = fold_design(a, b, psi=psi, sensitivity=se, specificity=sp)
    assert found.difference == pytest.approx(seen[0, 1] - seen[1, 0], abs=1e-12)
    assert found.psi == pytest.approx(seen[0, 1] + seen[1, 0], abs=1e-12)
    assert found.rate_a == pytest.approx(seen[1, 1] + seen[1, 0], abs=1e-12)
    assert found.rate_b == pytest.approx(seen[1, 1] + seen[0, 1], abs=1e-12)


@given(
    size=st.integers(1, 6),
    k=st.integers(1, 5),
    within=shares,
    icc=shares,
    se=st.floats(0.7, 1),
    sp=st.floats(0.7, 1),
)
def test_worth_is_the_variance_of_a_cluster_written_out(size, k, within, icc, se, sp):
    assume(within + icc <= 1)
    a, b, psi = 0.6, 0.7, 0.3
    found = fold_design(
        a, b, psi=psi, cluster_size=size, icc=icc, attempts=k, within=within, sensitivity=se, specificity=sp
    )
    # rows are attempts; two of one item share 1 − within of the true variance, two items of a cluster icc of it
    true = psi - 0.1**2
    item = np.repeat(np.arange(size), k)
    same = item[:, None] == item
    covariance = found.factor**2 * true * np.where(same, 1 - within, icc)
    np.fill_diagonal(covariance, found.psi - found.difference**2)
    of_cluster = covariance.sum() / (size * k) ** 2
    plain = (found.psi - found.difference**2) / size
    assert found.worth == pytest.approx(plain / of_cluster, rel=1e-9)


def test_power_and_items_of_a_folded_design():
    design = fold_design(0.8, 0.85, psi=0.2, cluster_size=5, icc=0.1)
    assert design.worth == pytest.approx(1 / 1.4)
    assert design.power(700) == mcnemar_power(500, psi=0.2, difference=design.difference)
    needed = mcnemar_sample_size(0.2, design.difference)
    assert design.sample_size() == math.ceil(needed * 1.4 - 1e-9)
    assert design.items(500) == 700
    assert design.power(1) == 0


def test_what_is_detectable_through_a_judge_is_on_the_scale_of_the_truth():
    design = fold_design(0.8, 0.85, psi=0.2, cluster_size=5, icc=0.1, sensitivity=0.9, specificity=0.9)
    plain = detectable_difference(design.effective(500), psi=design.psi)
    found = design.detectable(500)
    assert (found.low, found.high) == pytest.approx((plain.low / 0.8, plain.high / 0.8))
    assert "less than one" in design.detectable(1).reason
    assert "never reject" in design.detectable(6).reason
    weak = fold_design(0.8, 0.85, psi=0.2, sensitivity=0.6, specificity=0.5)
    assert "not even a candidate" in weak.detectable(60).reason


def test_attempts_help_at_most_by_what_they_do_not_share():
    plain, many = (fold_design(0.8, 0.85, psi=0.2, attempts=k, within=0.5) for k in (1, 10_000))
    assert plain.worth == 1
    assert many.worth == pytest.approx(2, rel=1e-3)


def test_a_judge_at_chance_sees_nothing():
    blind = fold_design(0.8, 0.85, psi=0.2, sensitivity=0.5, specificity=0.5)
    assert "cannot see" in blind.sample_size().reason
    assert "cannot see" in blind.detectable(100).reason
    # every verdict a coin: the two differ on half of the items
    assert (blind.difference, blind.psi) == (0, pytest.approx(0.5))


def test_identical_systems_have_no_variance_to_share():
    same = fold_design(0.8, 0.8, psi=0, cluster_size=10, icc=0.5)
    assert (same.psi, same.worth) == (0, 1)


@given(
    between=st.floats(0.001, 1), within=st.floats(0, 1), item=st.floats(0, 10), attempt=st.floats(0.001, 10)
)
def test_best_attempts_is_the_cheapest_of_all(between, within, item, attempt):
    found = best_attempts(between=between, within=within, item_cost=item, attempt_cost=attempt)

    def price(k):
        return (item + attempt * k) * (between + within / k)

    near = range(max(1, found - 50), found + 50)
    assert price(found) == pytest.approx(min(map(price, near)), rel=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fold_design(0.8, 0.85, psi=0.4), "between 0.05 and 0.35"),
        (lambda: fold_design(0.8, 0.85, psi=0.2, within=0.6, icc=0.5), "cannot exceed 1 together"),
        (lambda: fold_design(0.8, 0.85, psi=0.2, sensitivity=0.4, specificity=0.5), "worse than chance"),
        (lambda: fold_design(0.8, 0.85, psi=0.2, attempts=0), "attempts must be"),
        (lambda: fold_design(0.8, 0.85, psi=0.2, icc=-0.1), "icc must lie"),
        (lambda: attempts_sample_size(0, between=1, within_a=1, within_b=1), "smallest one that matters"),
        (lambda: attempts_sample_size(0.1, between=0, within_a=0, within_b=0), "must not all be 0"),
        (lambda: attempts_detectable(0, between=1, within_a=1, within_b=1), "n must be"),
        (lambda: best_attempts(between=0, within=1, item_cost=1, attempt_cost=1), "between must be positive"),
        (lambda: best_attempts(between=1, within=1, item_cost=1, attempt_cost=0), "attempt_cost must be"),
    ],
)
def test_a_design_that_cannot_be_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
