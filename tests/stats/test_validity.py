"""``coverage`` reruns the validity table: against enumeration, and that it sees what clusters and attempts do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import aliquot.stats as st
from aliquot.errors import UsageError

PAIRED_TESTS = ("sign_flip", "mcnemar_exact", "mcnemar_midp", "mcnemar_asymptotic", "mcnemar_obuchowski")
PAIRED_INTERVALS = (
    "paired_difference",
    "t_cr2",
    "tango",
    "newcombe_paired",
    "bonett_price",
    "agresti_min",
    "wald_paired",
)


def enumerated(form, n, p):
    x = np.arange(n + 1)
    limits = [form(float(k), float(n)) for k in x]
    holds = np.array([e.low <= p <= e.high for e in limits])
    chance = binom.pmf(x, n, p)
    return float(chance @ holds), float(chance @ [e.width for e in limits])


@pytest.mark.parametrize(
    ("name", "form"), [("clopper_pearson", st.clopper_pearson), ("jeffreys", st.jeffreys)]
)
def test_simulation_agrees_with_enumeration(name, form):
    found = st.coverage(name, st.RateDesign(n=20, p=0.9), reps=2000, rng=4)
    covered, width = enumerated(form, 20, 0.9)
    row = found[name]
    assert row.role == "asked"
    assert row.share.n == 2000
    assert abs(row.share.point - covered) < 4 * np.sqrt(covered * (1 - covered) / 2000)
    assert row.width == pytest.approx(width, rel=0.02)


@pytest.mark.heavy
def test_the_size_of_a_test_agrees_with_the_binomial():
    # 10 of 10 items differ: exact McNemar rejects at 9 : 1 (p .0215) and beyond; size 2 · 11/1024
    found = st.coverage("default", st.PairedDesign(n=10, psi=1.0), reps=800, rng=5)
    size = 2 * 11 / 1024
    assert abs(found["mcnemar_exact"].share.point - size) < 4 * np.sqrt(size / 800)
    assert found["sign_flip"].share == found["mcnemar_exact"].share  # without clusters one test
    assert found["mcnemar_exact"].width is None


def test_it_shows_what_ignoring_clusters_does():
    design = st.RateDesign(n=160, p=0.8, clusters=20, icc=0.5)
    found = st.coverage("default", design, reps=300, rng=6)
    assert [(row.name, row.role) for row in found] == [("rate", "default"), ("wilson", "naive")]
    assert found["rate"].share.point > 0.9
    assert found["wilson"].share.point < 0.8
    assert found["rate"].width > found["wilson"].width


def test_attempts_are_not_items():
    found = st.coverage("t", st.AttemptsDesign(n=30, p=0.5, attempts=8, changed=1.0), reps=150, rng=7)
    assert [row.role for row in found] == ["asked", "default", "decides", "naive", "naive"]
    assert found["paired_attempts"].share.point > 0.9
    assert found["tango"].share.point < 0.8
    assert found["mcnemar_exact"].share.point > 0.15 > found["sign_flip"].share.point


@pytest.mark.parametrize("name", [*PAIRED_TESTS, *PAIRED_INTERVALS])
def test_every_paired_method_runs_on_clusters(name):
    found = st.coverage(name, st.PairedDesign(n=40, psi=0.5, clusters=8, icc=0.2), reps=5)
    assert found[name].undefined + found[name].share.n == 5


@pytest.mark.parametrize("clusters", [None, 10])
@pytest.mark.parametrize(
    "name", ["unpaired_rates", "miettinen_nurminen", "mee", "newcombe_unpaired", "wald_unpaired", "z_pooled"]
)
def test_every_unpaired_method_runs(name, clusters):
    design = st.UnpairedDesign(20, 0.5, 20, 0.7, clusters_a=clusters, clusters_b=clusters, icc=0.1)
    found = st.coverage(name, design, reps=4)
    assert found[name].undefined == 0
    assert {row.role for row in found} >= {"default", "decides", "naive"}
    decides = next(row.name for row in found if row.role == "decides")
    assert decides == ("unpaired_test" if clusters is None else "cluster_permutation")


def test_scores_near_the_ceiling():
    scores = (1.0,) * 38 + (0.2, 0.6)
    found = st.coverage("bootstrap_mean", st.ScoresDesign(n=20, a=scores), reps=100)
    assert found["mean_bounded"].share.point > 0.9
    assert found["mean_bounded"].undefined == 0
    assert found["mean_t"].undefined > 10  # (38/40)^20 = 36% of samples do not vary
    pairs = st.coverage("default", st.ScoresDesign(n=20, a=scores, b=(1.0,) * 40), reps=50)
    assert [row.role for row in pairs] == ["default", "decides", "naive"]


def test_a_share_without_a_result_is_undefined():
    found = st.coverage("wald_paired", st.PairedDesign(n=5, psi=0.0), reps=3)
    assert isinstance(found["wald_paired"].share, st.Undefined)
    assert found["wald_paired"].width is None
    assert found["wald_paired"].undefined == 3
    assert found["tango"].share.point == 1.0


def test_a_seed_makes_it_identical_and_another_does_not():
    design = st.RateDesign(n=30, p=0.8)
    first, again = (st.coverage("default", design, reps=50, rng=1) for _ in range(2))
    assert first == again
    assert first["rate"].width != st.coverage("default", design, reps=50, rng=2)["rate"].width


def test_it_prints_and_makes_a_frame():
    found = st.coverage("default", st.PairedDesign(n=30, psi=0.4), reps=20, rng=3)
    text = str(found)
    assert text.splitlines()[0].startswith("PairedDesign(n=30, psi=0.4, difference=0,")
    assert "coverage" in text
    assert "size" in text
    assert "power" in str(st.coverage("default", st.PairedDesign(n=30, psi=0.4, difference=0.2), reps=20))
    frame = found.to_frame()
    assert frame["name"].to_list() == ["paired_difference", "sign_flip", "tango", "mcnemar_exact"]
    assert frame["share"].to_list() == [row.share.point for row in found]
    assert found._repr_html_().count("<tr>") == 5


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: st.coverage("wilsn", st.RateDesign(n=9, p=0.5)),
            "unknown method 'wilsn'. Did you mean 'wilson'",
        ),
        (lambda: st.coverage("default", st.RateDesign(n=9, p=0.5), reps=0), "reps must be"),
        (lambda: st.coverage("default", st.RateDesign(n=9, p=0.5), level=95), "level must lie"),
        (lambda: st.coverage("default", st.RateDesign(n=9, p=0.5), reps=1)["tango"], "unknown method"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
