"""Designs draw what they say: the truth, the correlation within clusters, sizes, and refusals."""

from __future__ import annotations

import numpy as np
import pytest

import aliquot.stats as st
from aliquot.errors import UsageError


def draws(design, reps=400, seed=1):
    rng = np.random.default_rng(seed)
    return [design.draw(rng) for _ in range(reps)]


@pytest.mark.parametrize(
    "design",
    [
        st.RateDesign(n=40, p=0.7),
        st.RateDesign(n=40, p=0.7, clusters=8, icc=0.4),
        st.RateDesign(n=40, p=0.7, attempts=3, icc=0.4),
        st.PairedDesign(n=40, psi=0.4, difference=0.1),
        st.PairedDesign(n=40, psi=0.4, difference=-0.1, clusters=(10, 30), icc=0.3),
        st.AttemptsDesign(n=40, p=0.6, attempts=3, difference=0.05),
        st.UnpairedDesign(40, 0.5, 20, 0.8),
        st.UnpairedDesign(40, 0.5, 20, 0.8, clusters_a=4, clusters_b=5, icc=0.2),
        st.ScoresDesign(n=40, a=(0.1, 0.4, 1.0)),
        st.ScoresDesign(n=40, a=(0.1, 0.4, 1.0), b=(0.2, 0.9, 0.6)),
    ],
    ids=lambda design: type(design).__name__,
)
def test_the_mean_of_many_draws_is_the_truth(design):
    found = [s.a.mean() if s.b is None else s.b.mean() - s.a.mean() for s in draws(design)]
    assert abs(np.mean(found) - design.truth) < 4.5 * np.std(found) / 20


@pytest.mark.parametrize("icc", [0.0, 0.3, 0.6])
def test_rows_of_a_cluster_have_the_correlation_asked_for(icc):
    rates = [s.a[:2] for s in draws(st.RateDesign(n=8, p=0.6, clusters=(2, 6), icc=icc), reps=4000)]
    pairs = [
        (s.b - s.a)[:2] for s in draws(st.PairedDesign(n=8, psi=0.5, clusters=(2, 6), icc=icc), reps=4000)
    ]
    for rows in (rates, pairs):
        first, second = np.array(rows).T
        assert abs(np.corrcoef(first, second)[0, 1] - icc) < 0.06


def test_psi_is_the_share_that_differs():
    d = np.concatenate([s.b - s.a for s in draws(st.PairedDesign(n=50, psi=0.3, difference=0.1))])
    assert abs((d != 0).mean() - 0.3) < 0.02


def test_attempts_at_an_item_are_correlated_and_systems_share_items():
    s = st.AttemptsDesign(n=20_000, p=0.6, attempts=2, icc=0.5, changed=0.5).draw(np.random.default_rng(2))
    assert s.a.shape == s.b.shape == (20_000, 2)
    assert abs(np.corrcoef(s.a.T)[0, 1] - 0.5) < 0.03
    assert abs(np.corrcoef(s.a[:, 0], s.b[:, 0])[0, 1] - 0.25) < 0.03  # half of the items keep their rate


def test_sizes_of_clusters():
    rng = np.random.default_rng(3)
    assert np.bincount(st.RateDesign(n=10, p=0.5, clusters=4).draw(rng).clusters).tolist() == [3, 3, 2, 2]
    assert np.bincount(st.PairedDesign(n=6, psi=0.5, clusters=(1, 5)).draw(rng).clusters).tolist() == [1, 5]
    assert st.RateDesign(n=10, p=0.5).draw(rng).clusters is None
    attempts = st.RateDesign(n=3, p=0.5, attempts=2).draw(rng)
    assert attempts.clusters.tolist() == [0, 0, 1, 1, 2, 2]
    both = st.RateDesign(n=4, p=0.5, clusters=(1, 3), attempts=2).draw(rng)
    assert both.clusters.tolist() == [0, 0, 1, 1, 1, 1, 1, 1]


def test_scores_keep_pairs_together():
    s = st.ScoresDesign(n=50, a=(0.1, 0.4, 1.0), b=(0.2, 0.9, 0.6)).draw(np.random.default_rng(4))
    assert set(zip(s.a.tolist(), s.b.tolist(), strict=True)) == {(0.1, 0.2), (0.4, 0.9), (1.0, 0.6)}


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_a_sure_rate_in_clusters(p):
    assert set(st.RateDesign(n=6, p=p, clusters=2, icc=0.5).draw(np.random.default_rng(5)).a) == {p}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: st.RateDesign(n=0, p=0.5), "n must be"),
        (lambda: st.RateDesign(n=9, p=1.5), "p must lie"),
        (lambda: st.RateDesign(n=9, p=0.5, icc=1.0), "icc must lie"),
        (lambda: st.RateDesign(n=9, p=0.5, clusters=10), "clusters must be between 1 and n"),
        (lambda: st.RateDesign(n=9, p=0.5, clusters=(4, 4)), "add up to n = 9; got 8"),
        (lambda: st.RateDesign(n=9, p=0.5, clusters=(9, 0)), "must be positive"),
        (lambda: st.RateDesign(n=9, p=0.5, attempts=0), "attempts must be"),
        (lambda: st.PairedDesign(n=9, psi=0.1, difference=0.2), "impossible"),
        (lambda: st.AttemptsDesign(n=9, p=0.9, attempts=2, difference=0.2), "raise changed"),
        (lambda: st.AttemptsDesign(n=9, p=0.9, attempts=2, changed=0.0), "cannot come from"),
        (lambda: st.UnpairedDesign(9, 0.5, 9, 2), "p_b must lie"),
        (lambda: st.ScoresDesign(n=9, a=(0.1, 1.5)), "a must lie between"),
        (lambda: st.ScoresDesign(n=9, a=(0.1, 0.5), b=(0.2,)), "same items"),
    ],
)
def test_a_design_that_cannot_be_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
