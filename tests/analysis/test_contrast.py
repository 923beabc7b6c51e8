"""What the analyses that were not used would have said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.contrast import find_contrast
from aliquot.analysis.method import analyse_pairs
from aliquot.findings.contrast import MethodContrast
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, Undefined
from tests.evidence_of import pass_fail

BINARY = Scale("binary", 0.0, 1.0, "higher")
GRADED = Scale("bounded", 0.0, 1.0, "higher")


def sample_of(a, b, *, clusters=None, weights=None, k=1):
    n = len(a)
    return PairedSample(
        items=tuple(f"q-{i:03d}" for i in range(n)),
        a=np.asarray(a, dtype=float),
        b=np.asarray(b, dtype=float),
        k_a=np.full(n, k),
        k_b=np.full(n, k),
        clusters=None if clusters is None else np.asarray(clusters),
        weights=None if weights is None else np.asarray(weights, dtype=float),
    )


def contrast(sample, scale=BINARY, *, margin=None):
    found = find_contrast(sample, scale, level=0.95, margin=margin, seed=1)
    assert isinstance(found, MethodContrast)
    return found


def test_pairs_show_what_an_unpaired_analysis_does_not():
    values = pass_fail(172, 6, 21, 41)
    sample = sample_of(values["main"], values["pr"])
    paired = analyse_pairs(sample, BINARY, level=0.95, seed=1).difference
    assert isinstance(paired, Estimate)
    assert paired.low > 0
    found = contrast(sample)
    (unpaired,) = found.others
    assert unpaired.name == "unpaired"
    assert isinstance(unpaired.difference, Estimate)
    assert unpaired.difference.method == "miettinen_nurminen"
    assert unpaired.difference.point == pytest.approx(15 / 240)
    assert unpaired.word == "undecided"
    # phi of the table 172/6/21/41: (172·41 − 6·21)/√(178·62·193·47)
    assert found.correlation == pytest.approx((172 * 41 - 6 * 21) / np.sqrt(178 * 62 * 193 * 47))
    # (p q + p' q')/(ψ − d²), the factor n/(n − 1) cancels
    p, q = 178 / 240, 193 / 240
    assert found.variance_ratio == pytest.approx((p * (1 - p) + q * (1 - q)) / (27 / 240 - (15 / 240) ** 2))
    assert found.own_intervals_overlap is True


def test_own_intervals_apart_do_not_overlap():
    values = pass_fail(10, 0, 80, 10)
    assert contrast(sample_of(values["main"], values["pr"])).own_intervals_overlap is False


def test_clusters_and_attempts_add_the_naive_analyses():
    rng = np.random.default_rng(2)
    common = np.repeat(rng.choice([0.0, 0.5, 1.0], size=20), 5)
    sample = sample_of(np.full(100, 0.5), common, clusters=np.arange(100) // 5, k=4)
    found = contrast(sample)
    by_name = {other.name: other for other in found.others}
    assert list(by_name) == ["unpaired", "clusters_ignored", "attempts_as_items"]
    clustered = analyse_pairs(sample, BINARY, level=0.95, seed=1).difference
    ignored, attempts = by_name["clusters_ignored"].difference, by_name["attempts_as_items"].difference
    assert isinstance(clustered, Estimate)
    assert isinstance(ignored, Estimate)
    assert isinstance(attempts, Estimate)
    assert ignored.width < clustered.width
    assert ignored.clusters is None
    assert attempts.n == 800
    assert isinstance(found.correlation, Undefined)  # the baseline scores .5 throughout


def test_scores_are_contrasted_with_welch():
    a = np.linspace(0, 0.8, 40)
    found = contrast(sample_of(a, a + 0.05 + 0.02 * (np.arange(40) % 3)), GRADED)
    assert isinstance(found.others[0].difference, Estimate)
    assert found.others[0].difference.method == "welch"
    assert found.others[0].word == "undecided"
    assert isinstance(found.variance_ratio, float)
    assert found.variance_ratio > 100


def test_the_margin_and_the_direction_of_better_are_read():
    values = pass_fail(90, 1, 1, 8)
    sample = sample_of(values["main"], values["pr"])
    assert contrast(sample, margin=0.2).others[0].word == "equivalent"
    worse = pass_fail(10, 0, 80, 10)
    lower = Scale("binary", 0.0, 1.0, "lower")
    assert contrast(sample_of(worse["main"], worse["pr"]), lower).others[0].word == "worse"


def test_what_does_not_exist_says_why():
    nothing = sample_of([], [])
    assert isinstance(find_contrast(nothing, BINARY, level=0.95, margin=None, seed=1), Undefined)
    same = contrast(sample_of([0.0, 1.0, 1.0], [0.0, 1.0, 1.0]))
    assert isinstance(same.variance_ratio, Undefined)
    assert same.correlation == pytest.approx(1.0)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(1, 4)), min_size=2, max_size=12),
)
def test_correlation_and_ratio_agree_with_numpy(rows):
    a, b, weights = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    repeated_a, repeated_b = (np.repeat(values, weights.astype(int)) for values in (a, b))
    found = contrast(sample_of(a, b, weights=weights if np.ptp(weights) else None), GRADED)
    if not isinstance(found.correlation, Undefined):
        # a weight of w is the item w times over
        cov = np.cov(repeated_a, repeated_b, bias=True)
        expected = cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1])
        assert found.correlation == pytest.approx(expected, abs=1e-6)
    if not np.ptp(weights) and not isinstance(found.variance_ratio, Undefined):
        assert found.variance_ratio == pytest.approx((a.var() + b.var()) / (b - a).var(), rel=1e-6)
