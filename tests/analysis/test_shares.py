from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.analysis.method import interval_of_pairs
from aliquot.analysis.shares import reweigh
from aliquot.errors import UsageError
from aliquot.findings.shares import Reweighted
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from aliquot.stats.stratified import stratified_difference
from tests.analysis.segmented import BINARY, SCORE, segmented

LANGUAGE = ["de"] * 20 + ["en"] * 40
# German: 10 fixed of 20, d = +.5; English: 2 fixed and 12 broke of 40, d = −.25
MAIN = [0.0] * 10 + [1.0] * 10 + [0.0] * 2 + [1.0] * 12 + [1.0] * 26
PR = [1.0] * 10 + [1.0] * 10 + [1.0] * 2 + [0.0] * 12 + [1.0] * 26


def _reweighed(shares: dict[str, float], **options: object) -> Reweighted:
    pairs, sample = segmented(MAIN, PR, language=LANGUAGE, **options)  # pyright: ignore[reportArgumentType]
    return reweigh(pairs, sample, BINARY, field="language", shares=shares, level=0.95, seed=3)


def test_the_difference_on_another_mixture() -> None:
    found = _reweighed({"de": 80, "en": 20})
    assert found.given == {"de": 0.8, "en": 0.2}
    assert found.observed == pytest.approx({"de": 1 / 3, "en": 2 / 3})
    assert isinstance(found.difference, Estimate)
    # .8 · .5 + .2 · (−.25) = .35, where the items themselves give 0
    assert found.difference.point == pytest.approx(0.35)
    expected = stratified_difference(MAIN, PR, strata=LANGUAGE, shares={"de": 0.8, "en": 0.2})
    assert isinstance(expected, Estimate)
    assert (found.difference.low, found.difference.high) == (expected.low, expected.high)
    assert isinstance(found.test, HypothesisTest)
    assert found.test.p < 0.05
    assert found.difference.low > 0


def test_the_share_that_turns_the_sign() -> None:
    de, en = _reweighed({"de": 0.3, "en": 0.7}).break_even
    assert (de.given, en.given) == (0.3, 0.7)
    assert isinstance(de.share, Estimate)
    assert isinstance(en.share, Estimate)
    # s · .5 − (1 − s) · .25 = 0 at s = 1/3
    assert de.share.point == pytest.approx(1 / 3)
    assert en.share.point == pytest.approx(2 / 3)
    assert (de.share.low, de.share.high) == pytest.approx((1 - en.share.high, 1 - en.share.low))
    at_third = _reweighed({"de": 1 / 3, "en": 2 / 3}).difference
    assert isinstance(at_third, Estimate)
    assert at_third.point == pytest.approx(0, abs=1e-12)


@pytest.mark.heavy
def test_break_even_covers_its_truth() -> None:
    """True differences +.3 and −.2: the sign turns at a share of .4; its interval holds it at about its level."""
    rng = np.random.default_rng(12)
    held = seen = 0
    for _ in range(100):
        d = np.concatenate(
            [rng.choice([1, 0, -1], 60, p=[0.4, 0.5, 0.1]), rng.choice([1, 0, -1], 60, p=[0.1, 0.6, 0.3])]
        )
        pairs, sample = segmented(
            (d < 0).astype(float).tolist(), (d > 0).astype(float).tolist(), f=["x"] * 60 + ["y"] * 60
        )
        share = (
            reweigh(pairs, sample, BINARY, field="f", shares={"x": 1, "y": 1}, level=0.95, seed=1)
            .break_even[0]
            .share
        )
        if isinstance(share, Estimate):
            seen += 1
            held += share.low <= 0.4 <= share.high
    assert seen > 90
    # .95 − 3 √(.05 · .95/100) = .885
    assert held / seen >= 0.885


def test_levels_that_agree_are_turned_by_no_share() -> None:
    pairs, sample = segmented(
        [0.0] * 12, [1.0] * 4 + [0.0] * 2 + [1.0] * 3 + [0.0] * 3, f=["x"] * 6 + ["y"] * 6
    )
    found = reweigh(pairs, sample, BINARY, field="f", shares={"x": 1, "y": 3}, level=0.95, seed=1)
    assert all(
        isinstance(one.share, Undefined) and "one sign" in one.share.reason for one in found.break_even
    )


def test_a_level_may_have_no_share() -> None:
    found = _reweighed({"de": 1, "en": 0})
    assert isinstance(found.difference, Estimate)
    assert found.difference.point == 0.5
    de, en = found.break_even
    assert isinstance(de.share, Undefined)
    assert "proportions" in de.share.reason
    assert isinstance(en.share, Estimate)


def test_three_levels_keep_the_others_in_proportion() -> None:
    main = [0.0] * 10 + [1.0] * 10 + [0.0] * 10
    pr = [1.0] * 4 + [0.0] * 6 + [0.0] * 5 + [1.0] * 5 + [1.0] * 1 + [0.0] * 9
    pairs, sample = segmented(main, pr, f=["x"] * 10 + ["y"] * 10 + ["z"] * 10)
    found = reweigh(pairs, sample, BINARY, field="f", shares={"x": 2, "y": 1, "z": 1}, level=0.95, seed=1)
    y = found.break_even[1].share
    assert isinstance(y, Estimate)
    # d: x .4, y −.5, z .1; the rest of y is (2 · .4 + .1)/3 = .3, and .3/(.3 + .5) = .375
    assert y.point == pytest.approx(0.375)


@given(st.integers(0, 200), st.floats(0.05, 0.95))
@settings(max_examples=20, deadline=None)
def test_own_shares_change_nothing_and_the_point_is_linear(seed: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    a, b = (rng.random(24) < 0.5).astype(float), (rng.random(24) < 0.6).astype(float)
    pairs, sample = segmented(a.tolist(), b.tolist(), f=["x"] * 8 + ["y"] * 16)
    own = reweigh(pairs, sample, BINARY, field="f", shares={"x": 8, "y": 16}, level=0.95, seed=1)
    assert isinstance(own.difference, Estimate)
    assert own.difference.point == pytest.approx(float((b - a).mean()))
    other = reweigh(pairs, sample, BINARY, field="f", shares={"x": share, "y": 1 - share}, level=0.95, seed=1)
    assert isinstance(other.difference, Estimate)
    d = b - a
    assert other.difference.point == pytest.approx(share * d[:8].mean() + (1 - share) * d[8:].mean())
    assert other.difference.width > 0


def test_weights_within_levels_are_kept() -> None:
    weights = [1.0, 3.0] * 30
    found = _reweighed({"de": 1, "en": 1}, weights=weights)
    w, d = np.array(weights), np.array(PR) - np.array(MAIN)
    means = [np.average(d[part], weights=w[part]) for part in (slice(0, 20), slice(20, 60))]
    assert isinstance(found.difference, Estimate)
    assert found.difference.point == pytest.approx(sum(means) / 2)


def test_clusters_that_cross_levels_carry_the_error_by_weights() -> None:
    clusters = [f"c{i % 12}" for i in range(60)]
    found = _reweighed({"de": 1, "en": 1}, clusters=clusters)
    assert isinstance(found.difference, Estimate)
    assert found.difference.clusters == 12
    assert found.difference.point == pytest.approx((0.5 - 0.25) / 2)
    assert all(isinstance(one.share, Undefined) for one in found.break_even)
    nested = _reweighed({"de": 1, "en": 1}, clusters=[f"c{i // 5}" for i in range(60)])
    assert isinstance(nested.difference, Estimate)
    assert nested.difference.method.startswith("tango_stratified")
    assert isinstance(nested.break_even[0].share, Estimate)


def test_attempts_and_items_without_a_label() -> None:
    main: list[list[float]] = [[0.0, 1.0]] * 8 + [[0.0, 0.0]] * 8
    pr: list[list[float]] = [[1.0, 1.0]] * 6 + [[0.0, 0.0]] * 2 + [[0.0, 1.0]] * 4 + [[0.0, 0.0]] * 4
    pairs, sample = segmented(main, pr, f=["x"] * 8 + ["y"] * 6 + [None] * 2)
    found = reweigh(pairs, sample, SCORE, field="f", shares={"x": 1, "y": 1}, level=0.95, seed=1)
    assert (found.n, found.unlabelled) == (14, 2)
    assert isinstance(found.difference, Estimate)
    # x: (6 · .5 − 2 · .5)/8 = .25; y: 4 · .5/6 = 1/3
    assert found.difference.point == pytest.approx((0.25 + 1 / 3) / 2)
    own = interval_of_pairs(sample, SCORE, level=0.95)[0]
    assert isinstance(own, Estimate)
    assert math.isfinite(found.difference.width)


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        ({"de": 1}, "must name all its levels; en missing"),
        ({"de": 1, "en": 1, "fr": 1}, "no item has language 'fr'"),
        ({"de": -1, "en": 2}, "the share of de must be"),
        ({"de": 0, "en": 0}, "are all 0"),
    ],
)
def test_shares_that_cannot_be_used(shares: dict[str, float], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        _reweighed(shares)
