"""A result near the line is called so, with the test that owns the verdict."""

from __future__ import annotations

import numpy as np
import pytest

from aliquot.analysis.borderline import find_borderline
from aliquot.analysis.method import analyse_pairs
from aliquot.findings.comparison import NamedTest
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from tests.analysis.test_contrast import BINARY, sample_of
from tests.evidence_of import pass_fail


def note_of(*table, clusters=None, level=0.95):
    values = pass_fail(*table)
    sample = sample_of(values["main"], values["pr"], clusters=clusters)
    analysed = analyse_pairs(sample, BINARY, level=level, seed=1)
    return find_borderline(analysed.tests, analysed.difference, level=level)


def test_tests_that_disagree_are_named_with_the_owner():
    # 6 broke, 16 fixed: exact p .0525, mid-p .0347, asymptotic (uncorrected) .0330
    note = note_of(60, 6, 16, 18)
    assert note is not None
    assert note.code == "borderline"
    assert "McNemar mid-p (p 0.035)" in note.text
    assert note.text.endswith("McNemar exact (p 0.052) owns the verdict, by a rule fixed in advance")


def test_five_to_none_would_have_been_claimed_by_the_interval():
    note = note_of(60, 0, 5, 35)
    assert note is not None
    assert "the interval by itself" in note.text


@pytest.mark.parametrize("table", [(60, 2, 20, 18), (60, 10, 12, 18)])
def test_a_clear_result_has_no_note(table):
    assert note_of(*table) is None


@pytest.mark.parametrize(
    ("p", "noted"), [(0.02, False), (0.026, True), (0.0499, True), (0.0749, True), (0.076, False)]
)
def test_near_is_half_of_the_level_either_way(p, noted):
    deciding = NamedTest(HypothesisTest("sign_flip", p), decides=True)
    interval = Estimate(0.05, 0.001 if p <= 0.05 else -0.001, 0.1, 0.95, "t", 50)
    note = find_borderline((deciding,), interval, level=0.95)
    assert (note is not None) is noted
    if note is not None:
        assert note.text.startswith("borderline: p is close to 0.05; sign flip")


def test_tests_that_ignore_the_clusters_are_no_doubt():
    # 20 fixed and 2 broke, but the fixed ones in 5 clusters: every item test rejects, the clusters cannot
    clusters = np.concatenate([np.arange(60) % 5, [0, 1], np.arange(20) // 4, np.arange(18) % 5])
    note = note_of(60, 2, 20, 18, clusters=clusters)
    assert note is not None
    assert note.text == (
        "borderline: the interval by itself would say otherwise; "
        "cluster sign flip (p 0.063) owns the verdict, by a rule fixed in advance"
    )


def test_a_test_that_rejects_beside_an_interval_that_holds_zero():
    deciding = NamedTest(HypothesisTest("sign_flip", 0.01), decides=True)
    note = find_borderline((deciding,), Estimate(0.05, -0.001, 0.1, 0.95, "t", 50), level=0.95)
    assert note is not None
    assert "the interval by itself" in note.text


def test_nothing_to_judge_is_not_borderline():
    assert find_borderline((), Undefined("none"), level=0.95) is None
