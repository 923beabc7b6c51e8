from __future__ import annotations

import numpy as np
import pytest

from aliquot.analysis.method import analyse_pairs, interval_of_pairs
from aliquot.analysis.parts import part_of
from aliquot.analysis.segments import POOLED, find_segments
from aliquot.errors import UsageError
from aliquot.findings.segments import SegmentScan
from aliquot.stats.multiplicity import holm
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from aliquot.stats.simultaneous import max_t
from tests.analysis.segmented import BINARY, SCORE, segmented


def _scan(*args: object, **fields: object) -> SegmentScan:
    pairs, sample = segmented(*args, **fields)  # pyright: ignore[reportArgumentType]
    found = find_segments(pairs, sample, BINARY, level=0.95, seed=7)
    assert found is not None
    return found


def _two_languages() -> tuple[list[float], list[float], list[str], list[str]]:
    """24 items in German, where pr fixes 14; 36 in English, where it fixes 3 and breaks 4. Topics lie across."""
    main = [0.0] * 14 + [1.0] * 10 + [0.0] * 3 + [1.0] * 4 + [1.0] * 29
    pr = [1.0] * 14 + [1.0] * 10 + [1.0] * 3 + [0.0] * 4 + [1.0] * 29
    return main, pr, ["de"] * 24 + ["en"] * 36, [("law", "tax", "art")[i % 3] for i in range(60)]


def test_every_level_of_every_field_is_one_family() -> None:
    main, pr, language, topic = _two_languages()
    pairs, sample = segmented(main, pr, language=language, topic=topic)
    found = find_segments(pairs, sample, BINARY, level=0.95, seed=7)
    assert found is not None
    assert found.scanned == 5
    assert [(f.field, [part.level for part in f.levels]) for f in found.fields] == [
        ("language", ["de", "en"]),
        ("topic", ["art", "law", "tax"]),
    ]
    masks = [np.array(language) == one for one in ("de", "en")]
    masks += [np.array(topic) == one for one in ("art", "law", "tax")]
    matrix = np.where(np.stack(masks, axis=1), sample.d[:, None], np.nan)
    joint = max_t(matrix, rng=7)
    assert found.critical == joint.critical > 1.96
    own_p: list[float] = []
    for j, part in enumerate([part for f in found.fields for part in f.levels]):
        inside = part_of(sample, masks[j])
        own = interval_of_pairs(inside, BINARY, level=joint.column_level)[0]
        deciding = next(
            named.test for named in analyse_pairs(inside, BINARY, level=0.95, seed=7).tests if named.decides
        )
        own_p.append(deciding.p)
        assert part.n == masks[j].sum()
        assert part.test.p == joint.p[j]
        assert part.own_test == deciding
        assert isinstance(own, Estimate)
        assert isinstance(part.difference, Estimate)
        assert part.difference.point == own.point
        if joint.p[j] <= 0.05:
            assert (part.difference.low, part.difference.high) == (own.low, own.high)
        else:
            assert part.difference.low <= 0 <= part.difference.high
    assert [part.p_holm for f in found.fields for part in f.levels] == pytest.approx(holm(own_p))


def test_the_segment_that_differs_is_established_and_the_field_interacts() -> None:
    main, pr, language, topic = _two_languages()
    found = _scan(main, pr, language=language, topic=topic)
    assert ("language", "de") in found.established
    assert ("language", "en") not in found.established
    languages, topics = found.fields
    assert isinstance(languages.interaction, HypothesisTest)
    assert isinstance(topics.interaction, HypothesisTest)
    assert languages.interaction.p < 0.001
    assert topics.interaction.p > 0.2
    # two fields: Holm doubles the smaller p
    assert languages.p_holm == pytest.approx(2 * languages.interaction.p)
    assert isinstance(languages.cochran, HypothesisTest)
    de, en = languages.levels
    assert isinstance(de.baseline, Estimate)
    assert isinstance(de.candidate, Estimate)
    # German: 10 of 24 to 24 of 24; English: 33 of 36 to 32 of 36
    assert (de.baseline.point, de.candidate.point) == pytest.approx((10 / 24, 1.0))
    assert isinstance(de.shrunken, Estimate)
    assert isinstance(en.shrunken, Estimate)
    assert -1 / 36 < en.shrunken.point < de.shrunken.point < 14 / 24
    assert languages.tau is not None
    assert languages.tau > 0.1


def test_small_levels_are_pooled_or_listed_and_other_fields_named() -> None:
    n = 40
    main, pr = [0.0] * n, [1.0] * 8 + [0.0] * (n - 8)
    kind = ["a"] * 20 + ["b"] * 12 + ["c"] * 4 + ["d"] * 4
    lone = ["a"] * 20 + ["b"] * 17 + ["c"] * 3
    some = ["x"] * 10 + ["y"] * 10 + [None] * 20
    found = _scan(
        main,
        pr,
        kind=kind,
        lone=lone,
        some=some,
        one=["same"] * n,
        empty=[None] * n,
        own=[f"u{i}" for i in range(n)],
        rare=["a"] * 38 + ["b"] * 2,
    )
    kinds, lones, somes = found.fields
    assert [(part.level, part.pooled, part.n) for part in kinds.levels] == [
        ("a", (), 20),
        ("b", (), 12),
        (POOLED, ("c", "d"), 8),
    ]
    assert lones.too_few == (("c", 3),)
    assert somes.unlabelled == 20
    assert found.scanned == 3 + 2 + 2
    assert {one.field: one.reason for one in found.unscanned} == {
        "one": "it has one level only",
        "empty": "no item has a value of it",
        "own": "it has 40 levels; up to 30 are looked at",
        "rare": "fewer than two of its levels have 5 items",
    }


def test_nothing_to_take_apart() -> None:
    pairs, sample = segmented([0.0, 1.0], [1.0, 1.0])
    assert find_segments(pairs, sample, BINARY, level=0.95, seed=1) is None
    found = _scan([0.0] * 6, [1.0] * 6, only=["x"] * 6)
    assert (found.fields, found.scanned) == ((), 0)


def test_clusters_are_flipped_whole_and_one_cluster_is_undefined() -> None:
    clusters = ["c1"] * 8 + [f"k{i // 2}" for i in range(16)]
    main = [0.0] * 24
    pr = [1.0] * 8 + [1.0, 1.0, 0.0, 0.0] * 4
    found = _scan(main, pr, clusters=clusters, part=["one"] * 8 + ["many"] * 16)
    many, one = found.fields[0].levels
    assert (one.n, one.n_clusters) == (8, 1)
    assert isinstance(one.difference, Undefined)
    assert isinstance(one.shrunken, Undefined)
    assert many.n_clusters == 8
    # the own test of the lone cluster can only be 1: one unit, two signs
    assert one.own_test.p == 1.0
    assert many.own_test.name == "cluster_sign_flip"


def test_nothing_discordant_still_has_width() -> None:
    found = _scan([1.0] * 20, [1.0] * 20, half=["x"] * 10 + ["y"] * 10)
    for part in found.fields[0].levels:
        assert part.test.p == 1.0
        assert isinstance(part.difference, Estimate)
        assert part.difference.width > 0
        assert isinstance(part.shrunken, Estimate)
    assert found.established == ()


def test_few_large_levels_outvote_many_small_ones() -> None:
    # two small levels lose one item of ten each, the large one wins 6 of 20: the whole wins 4 of 40
    main = [1.0] + [0.0] * 9 + [1.0] + [0.0] * 9 + [0.0] * 20
    pr = [0.0] * 20 + [1.0] * 6 + [0.0] * 14
    found = _scan(main, pr, size=["s1"] * 10 + ["s2"] * 10 + ["large"] * 20)
    (reversal,) = [one for one in found.fields[0].reversals if one.over == "shared_items"]
    assert reversal.against == ("s1", "s2")
    assert reversal.difference == pytest.approx(4 / 40)
    assert (reversal.levels, reversal.complete, reversal.established) == (3, False, ())


def test_simpson_over_unequal_attempts() -> None:
    """pr is better on easy and on hard items, but most of its attempts are at the hard ones."""
    # easy: main 4/5 right a item of 10 attempts, pr 1 of 1; hard: main 0 of 1, pr 2 of 10
    main: list[list[float]] = [[1.0] * 8 + [0.0] * 2] * 6 + [[0.0]] * 6
    pr: list[list[float]] = [[1.0]] * 6 + [[1.0] * 2 + [0.0] * 8] * 6
    found = _scan(main, pr, how=["easy"] * 6 + ["hard"] * 6)
    (reversal,) = found.fields[0].reversals
    assert reversal.over == "own_rows"
    # rows: main 48/66 = .727, pr (6 + 12)/66 = .273
    assert reversal.difference == pytest.approx(18 / 66 - 48 / 66)
    assert reversal.complete
    assert reversal.against == ("easy", "hard")
    assert found.reversed == ("how",)


def test_graded_scores_and_a_seed() -> None:
    rng = np.random.default_rng(3)
    a = rng.random(40).round(2)
    b = np.clip(a + rng.normal(0.05, 0.1, 40), 0, 1).round(2)
    pairs, sample = segmented(a.tolist(), b.tolist(), g=["x", "y"] * 20)
    first = find_segments(pairs, sample, SCORE, level=0.9, seed=2)
    assert first == find_segments(pairs, sample, SCORE, level=0.9, seed=2)
    assert first is not None
    for part in first.fields[0].levels:
        assert isinstance(part.difference, Estimate)
        assert part.difference.level == 0.9
        assert "tango_hull_max_t" in part.difference.method  # five items' worth of differences a level


def test_an_unknown_field_lists_the_known() -> None:
    from aliquot.analysis.parts import labels_of

    pairs, sample = segmented([0.0, 1.0], [1.0, 1.0], language=["de", "en"])
    assert labels_of(pairs, sample, "segment.language") == ("de", "en")
    with pytest.raises(UsageError, match=r"no field 'langage'\. Did you mean 'language'"):
        labels_of(pairs, sample, "langage")
