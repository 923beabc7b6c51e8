"""Family calls: each row is the method's own answer, and the default of the data decides."""

from __future__ import annotations

import numpy as np
import pytest

import aliquot.stats as st
from aliquot.errors import UsageError

SCORES = [0.9, 1.0, 0.7, 0.8, 1.0, 0.95]


def test_one_rate_without_a_floor():
    family = st.proportion_family(31, 40)
    assert family.estimates["mid_p"] == st.mid_p_interval(31, 40)
    assert set(family.estimates) >= {"wilson", "wilson_cc", "clopper_pearson", "jeffreys", "agresti_coull"}
    assert (family.interval, family.test, family.tests) == ("wilson", None, {})
    assert family.decided == st.wilson(31, 40)
    assert family.notes == ()
    text = str(family)
    assert text.startswith("one rate, 31 of 40    rate = 0.7750\n")
    assert text.count("decides the verdict") == 1
    assert "test" not in text
    assert "B − A" not in family._repr_html_()


def test_one_rate_against_a_floor():
    family = st.proportion_family(36, 36, floor=0.9)
    assert family.decided == st.clopper_pearson(36, 36)
    assert family.tests["binomial_exact"] == st.binomial_exact(36, 36, p0=0.9)
    assert str(family).count("decides the verdict") == 2
    # wilson_cc .8799 and agresti_coull .8853 do not clear .9
    assert family.notes[0].startswith("Only these clear the floor: wilson, clopper_pearson,")
    assert "agresti_coull" not in family.notes[0]
    assert st.proportion_family(36, 36, floor=0.5).notes == ()
    assert st.proportion_family(3, 36, floor=0.5).notes == ()
    assert family.to_frame().filter(decides=True)["name"].to_list() == ["clopper_pearson", "binomial_exact"]


def test_scores_with_limits_take_the_bounded_form():
    family = st.mean_family(SCORES, low=0, high=1, rng=1)
    assert family.decided == st.mean_bounded(SCORES)
    assert family.estimates["mean_t"] == st.mean_t(SCORES)
    assert family.estimates["bootstrap_percentile"] == st.bootstrap_mean(SCORES, method="percentile", rng=1)
    assert family.estimates["betting"] == st.betting_interval(SCORES, rng=1)
    assert family.point == pytest.approx(5.35 / 6)


def test_a_mean_without_limits_takes_the_default_of_mean():
    few, many = np.arange(20) % 7, np.arange(200) % 7
    assert st.mean_family(few, n_resamples=199).interval == "bootstrap_bca"
    assert st.mean_family(many, n_resamples=199).interval == "mean_t"
    clustered = st.mean_family(few, clusters=np.arange(20) // 4, n_resamples=199)
    assert clustered.interval == "mean_t"
    assert clustered.decided == st.mean(few, clusters=np.arange(20) // 4)
    assert "mean_bounded" not in clustered.estimates
    assert "betting" not in st.mean_family(SCORES, low=0, high=1, clusters=[1, 1, 2, 2, 3, 3]).estimates


def test_graded_pairs_follow_the_rule_of_verdicts():
    a, b = [0.2, 0.5, 0.9, 0.4, 0.6], [0.3, 0.7, 1.0, 0.6, 0.9]
    family = st.paired_scores(a, b, rng=1)
    assert family.estimates["paired_difference"] == st.paired_graded_difference(a, b)
    assert family.estimates["paired_difference"].low > 0
    assert family.tests["sign_flip"].p == 0.0625  # 2^(1−5): five differences of one sign cannot reject
    assert family.decided.low == 0
    assert family.decided.method == "t, limit held at 0 by sign_flip"
    assert family.notes[0].startswith("At level 0.95 the methods disagree.")
    assert str(family).startswith("paired scores, n = 5, 5 differ    B - A = +0.1800")


def test_clusters_of_graded_pairs_reach_every_method():
    rng = np.random.default_rng(2)
    a, b, clusters = rng.random(30), rng.random(30), np.arange(30) // 5
    family = st.paired_scores(a, b, low=0, high=1, clusters=clusters, n_resamples=199, rng=3)
    assert family.test == "cluster_sign_flip"
    assert {e.clusters for e in family.estimates.values() if isinstance(e, st.Estimate)} == {6}


def test_a_wrong_call_is_refused():
    with pytest.raises(UsageError, match="same items"):
        st.paired_scores([0.1, 0.2], [0.3])
    with pytest.raises(UsageError, match="p0 must lie"):
        st.proportion_family(3, 9, floor=90)
    with pytest.raises(UsageError, match="y must lie"):
        st.mean_family([0.2, 1.2], low=0, high=1)
    with pytest.raises(UsageError, match="give both low and high"):
        st.mean_family([0.2, 1.0], low=0)
