"""Equal errors of a judge: against the tests they are made of, on nulls, with pairs and clusters, and drift."""

from __future__ import annotations

import numpy as np
import pytest

from aliquot.errors import UsageError
from aliquot.stats import Undefined, boschloo, equal_errors, holm, mcnemar, miettinen_nurminen, tango
from aliquot.stats.results import HypothesisTest


def table(*parts):
    """Labels and verdicts from (label, verdict, rows)."""
    labels = [label for label, _, n in parts for _ in range(n)]
    return labels, [verdict for _, verdict, n in parts for _ in range(n)]


def test_a_judge_that_drifts_in_one_direction_only():
    may, june = (
        ((1, 1, 24), (1, 0, 1), (0, 0, 8), (0, 1, 2)),
        ((1, 1, 15), (1, 0, 10), (0, 0, 7), (0, 1, 3)),
    )
    labels, verdicts = (first + second for first, second in zip(table(*may), table(*june), strict=True))
    gaps = {gap.share: gap for gap in equal_errors(labels, verdicts, by=["2026-05"] * 35 + ["2026-06"] * 35)}
    expected = miettinen_nurminen(24, 25, 15, 25)
    assert gaps["sensitivity"].difference.low == expected.low
    assert gaps["sensitivity"].test == boschloo(24, 25, 15, 25)
    assert (gaps["sensitivity"].first, gaps["sensitivity"].second) == ("2026-05", "2026-06")
    tests = [gaps[share].test.p for share in ("sensitivity", "specificity")]
    assert [gaps[share].adjusted for share in ("sensitivity", "specificity")] == pytest.approx(
        holm(tests).tolist()
    )
    assert gaps["specificity"].difference.low < 0 < gaps["specificity"].difference.high
    assert gaps["accuracy"].difference.point == pytest.approx(22 / 35 - 32 / 35)
    assert isinstance(gaps["accuracy"].adjusted, Undefined)


def test_two_systems_on_the_same_items_are_paired():
    labels, verdicts = table((1, 1, 30), (1, 0, 10))
    other = [1] * 24 + [0] * 6 + [1] * 9 + [0] * 1
    gap = equal_errors(labels * 2, verdicts + other, by=["a"] * 40 + ["b"] * 40, items=[*range(40)] * 2)[0]
    assert gap.paired
    assert gap.test == mcnemar(9, 6)
    assert gap.difference.low == tango(9, 6, 40).low
    apart = equal_errors(labels * 2, verdicts + other, by=["a"] * 40 + ["b"] * 40)[0]
    assert not apart.paired


def test_where_few_items_share_their_label_all_rows_decide():
    labels = [1] * 20 + [0] * 20 + [0] * 18 + [1] * 22
    gap = equal_errors(labels, labels, by=["a"] * 40 + ["b"] * 40, items=[*range(40)] * 2)[0]
    assert not gap.paired
    assert gap.n == (20, 22)


def test_size_under_equal_errors():
    rng = np.random.default_rng(1)
    rejected = 0
    for _ in range(60):
        labels = np.tile((rng.random(60) < 0.7).astype(float), 2)
        verdicts = np.where(rng.random(120) < 0.85, labels, 1 - labels)
        gaps = equal_errors(labels, verdicts, by=np.repeat(["a", "b"], 60), items=np.tile(np.arange(60), 2))
        rejected += any(isinstance(gap.adjusted, float) and gap.adjusted <= 0.05 for gap in gaps)
    assert rejected / 60 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_whole_clusters_are_flipped_or_permuted():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(12), 5)
    labels = np.ones(120)
    verdicts = (rng.random(120) < 0.8).astype(float)
    shared = equal_errors(
        labels,
        verdicts,
        by=np.repeat(["a", "b"], 60),
        items=np.tile(np.arange(60), 2),
        clusters=np.tile(groups, 2),
    )[0]
    apart = equal_errors(
        labels,
        verdicts,
        by=np.repeat(["a", "b"], 60),
        clusters=np.concatenate([groups, groups + 12]),
        n_resamples=999,
    )[0]
    assert isinstance(shared.test, HypothesisTest)
    assert isinstance(apart.test, HypothesisTest)
    assert (shared.test.name, apart.test.name) == ("cluster_sign_flip", "cluster_permutation")


def test_what_is_missing_is_named():
    gaps = equal_errors([1, 1, 1, 0], [1, 0, 1, 0], by=["a", "a", "b", "b"])
    assert "a has no labelled row for the specificity" in gaps[1].difference.reason
    with pytest.raises(UsageError, match="at least two"):
        equal_errors([1, 0], [1, 0], by=["a", "a"])
    with pytest.raises(UsageError, match="two rows in one of the groups"):
        equal_errors([1, 1, 1], [1, 0, 1], by=["a", "a", "b"], items=[1, 1, 1])
