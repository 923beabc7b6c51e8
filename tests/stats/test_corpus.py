"""Corpus metrics: definitions counted by hand, BLEU against sacrebleu, every resample and every swap written out."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import UsageError
from aliquot.stats.corpus import corpus_difference, corpus_metric, corpus_swap, corpus_value
from aliquot.stats.results import Estimate, HypothesisTest, Undefined
from tests.oracles import cases


def point(parts, combine):
    found = corpus_metric(parts, combine=combine, n_resamples=99)
    assert isinstance(found, Estimate), found
    return found.point


def test_points_counted_by_hand():
    # 6 true positives, 2 false positives, 1 false negative, 3 true negatives
    rows = [[1, 0, 0, 0]] * 6 + [[0, 1, 0, 0]] * 2 + [[0, 0, 1, 0]] + [[0, 0, 0, 1]] * 3
    assert point([row[:3] for row in rows], "f1") == pytest.approx(2 * 6 / (2 * 6 + 2 + 1))
    assert point(rows, "mcc") == pytest.approx((6 * 3 - 2 * 1) / math.sqrt(8 * 7 * 5 * 4))
    # lengths 4, 5, 3 with log-likelihoods −8, −11, −7: exp(26/12), and 26/(12 ln 2) bits
    assert point([[-8, 4], [-11, 5], [-7, 3]], "perplexity") == pytest.approx(math.exp(26 / 12))
    assert point([[-8, 4], [-11, 5], [-7, 3]], "bits") == pytest.approx(26 / 12 / math.log(2))
    # 1 + 0 + 3 errors in 4 + 6 + 10 words; the mean of 1/4, 0 and 3/10 would be .183
    assert point([[1, 4], [0, 6], [3, 10]], "ratio") == 0.2


def test_a_value_is_known_also_where_it_has_no_interval():
    perfect = [[1, 0, 0]] * 9
    assert corpus_value(perfect, combine="f1") == 1.0
    assert isinstance(corpus_metric(perfect, combine="f1"), Undefined)
    assert isinstance(corpus_value([[0, 0, 0]], combine="f1"), Undefined)


def bleu_parts(hypothesis: str, references: list[str]) -> list[float]:
    """Length, closest reference length, clipped matches and sequences of 1 to 4 words."""
    words, others = hypothesis.split(), [reference.split() for reference in references]
    nearest = min((len(other) for other in others), key=lambda size: (abs(size - len(words)), size))
    matches, sequences = [], []
    for order in range(1, 5):
        mine = Counter(tuple(words[i : i + order]) for i in range(len(words) - order + 1))
        most: Counter[tuple[str, ...]] = Counter()
        for other in others:
            most |= Counter(tuple(other[i : i + order]) for i in range(len(other) - order + 1))
        matches.append(sum((mine & most).values()))
        sequences.append(sum(mine.values()))
    return [len(words), nearest, *matches, *sequences]


@pytest.mark.parametrize("case", cases("15_text_metrics", "bleu"))
def test_bleu_equals_sacrebleu(case):
    parts = np.array(bleu_parts(case["inputs"]["hypothesis"], case["inputs"]["references"]))
    uneven = np.array(
        [0, 0, 0.25, *[0.0] * 7]
    )  # two items that add up to the parts, so that resamples differ
    found = point([parts / 2 + uneven, parts / 2 - uneven], "bleu")
    assert found == pytest.approx(case["expected"]["bleu"], abs=case["tolerance"])


def test_bleu_where_an_order_has_no_match():
    # 3 words of 4, then 1 of 3 pairs, no triple of 2 and no four of 1: those count 1/2 and 1/4 of a match
    parts = np.array([4.0, 4, 3, 1, 0, 0, 4, 3, 2, 1])
    expected = 100 * (3 / 4 * 1 / 3 * 0.5 / 2 * 0.25 / 1) ** 0.25
    uneven = np.array([0, 0, 0.25, *[0.0] * 7])
    assert point([parts / 2 + uneven, parts / 2 - uneven], "bleu") == pytest.approx(expected)
    # no word right is 0, and half the words of the reference cost exp(1 - 2)
    assert "from 0," in corpus_metric([[4, 4, 0, 0, 0, 0, 4, 3, 2, 1]] * 2, combine="bleu").reason
    half = np.array([4.0, 8, 4, 3, 2, 1, 4, 3, 2, 1])
    assert point([half / 2 + uneven, half / 2 - uneven], "bleu") == pytest.approx(100 * math.exp(-1))


def test_where_there_is_no_value_there_is_a_reason():
    assert "nothing to divide by" in corpus_metric([[0, 0, 0]] * 5, combine="f1").reason
    assert "nothing to divide by" in corpus_metric([[3, 0, 0, 0]] * 5, combine="mcc").reason
    assert "one item only" in corpus_metric([[1, 2]], combine="ratio").reason
    assert "one cluster only" in corpus_metric([[1, 2], [1, 3]], combine="ratio", clusters=["x", "x"]).reason
    assert "no resample differs from 0.5" in corpus_metric([[1, 2]] * 9, combine="ratio").reason
    assert "of the resamples give no f1" in corpus_metric([[1, 0, 0]] + [[0, 0, 0]] * 4, combine="f1").reason
    assert isinstance(corpus_metric([[-1e6, 1]] * 5, combine="perplexity"), Undefined)
    assert isinstance(corpus_swap([[0, 0, 0]] * 5, [[1, 0, 0]] * 5, combine="f1"), Undefined)
    for wrong in ([[1, 2, 3]], [1, 2], [["a", "b"]], [[1, math.nan]], [[1, 2], [1]], np.zeros((0, 2))):
        with pytest.raises(UsageError):
            corpus_metric(wrong, combine="ratio")
    with pytest.raises(UsageError, match="bleu"):
        corpus_metric([[1, 2]], combine="blue")
    with pytest.raises(UsageError, match="item by item"):
        corpus_difference([[1, 2]], [[1, 2]] * 2, combine="ratio")


def test_the_interval_is_that_of_every_resample():
    # four items have 256 resamples in order; the percentile limits are quantiles of that known distribution
    parts = [[1.0, 4], [2.0, 5], [0.0, 3], [5.0, 6]]
    every = [sum(parts[i][0] for i in pick) / sum(parts[i][1] for i in pick)
             for pick in itertools.product(range(4), repeat=4)]  # fmt: skip
    found = corpus_metric(parts, combine="ratio", n_resamples=20_000)
    assert isinstance(found, Estimate)
    low, high = np.quantile(every, (0.025, 0.975))
    assert (found.low, found.high) == (pytest.approx(low, abs=0.02), pytest.approx(high, abs=0.02))


def plain_swap(a, b, groups, value) -> float:
    """Every swap of whole groups, one item at a time; p of a difference at least as large."""
    names = sorted(set(groups))

    def change(swapped) -> float:
        mine = [y if group in swapped else x for x, y, group in zip(a, b, groups, strict=True)]
        other = [x if group in swapped else y for x, y, group in zip(a, b, groups, strict=True)]
        return value(other) - value(mine)

    seen = abs(change(()))
    subsets = [set(itertools.compress(names, bits)) for bits in itertools.product((0, 1), repeat=len(names))]
    return sum(abs(change(subset)) >= seen - 1e-12 for subset in subsets) / len(subsets)


RATES = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 9), st.integers(0, 3)),
    min_size=1,
    max_size=6,
)


@settings(max_examples=50, deadline=None)
@given(rows=RATES, clustered=st.booleans())
def test_the_swap_test_equals_plain_swapping(rows, clustered):
    a = [[row[0], row[2]] for row in rows]
    b = [[row[1], row[2]] for row in rows]
    groups = [row[3] for row in rows] if clustered else list(range(len(rows)))

    def value(parts) -> float:
        return sum(part[0] for part in parts) / sum(part[1] for part in parts)

    found = corpus_swap(a, b, combine="ratio", clusters=groups if clustered else None, n_resamples=99)
    assert isinstance(found, HypothesisTest)
    assert found.p == pytest.approx(plain_swap(a, b, groups, value))
    assert found.p >= found.floor
    assert found.name == ("cluster_swap" if clustered else "swap")
    assert found.statistic == pytest.approx(value(b) - value(a))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), combine=st.sampled_from(["ratio", "f1", "mcc", "perplexity", "bits"]))
def test_exchanging_the_systems_turns_the_difference(seed, combine):
    columns = {"f1": 3, "mcc": 4}.get(combine, 2)
    rng = np.random.default_rng(seed)
    a, b = rng.integers(1, 6, size=(2, 25, columns)).astype(float)
    clusters = rng.integers(0, 9, size=25)
    one, other = (
        corpus_difference(*sides, combine=combine, clusters=clusters, n_resamples=199)
        for sides in ((a, b), (b, a))
    )
    assert isinstance(one, Estimate)
    assert isinstance(other, Estimate)
    assert (one.point, one.low, one.high) == pytest.approx((-other.point, -other.high, -other.low))
    first, second = (corpus_metric(side, combine=combine, n_resamples=99) for side in (a, b))
    assert isinstance(first, Estimate)
    assert isinstance(second, Estimate)
    assert one.point == pytest.approx(second.point - first.point)
    assert one.clusters == np.unique(clusters).size


def test_random_swaps_have_their_floor_and_a_seed_is_an_answer():
    rng = np.random.default_rng(1)
    a = np.stack([rng.integers(0, 3, 60), np.full(60, 10)], axis=1)
    b = a + np.array([2, 0])
    found = corpus_swap(a, b, combine="ratio", n_resamples=499)
    assert isinstance(found, HypothesisTest)
    assert (found.p, found.floor, found.n_resamples) == (1 / 500, 1 / 500, 499)
    assert corpus_swap(a, b, combine="ratio", n_resamples=499).p == found.p
    same = corpus_swap(a, a, combine="ratio")
    assert isinstance(same, HypothesisTest)
    assert same.p == 1
    assert "no resample differs from 0" in corpus_difference(a, a, combine="ratio").reason


def test_equal_items_drawn_by_count_have_the_same_law():
    # 200 items of two kinds are drawn as counts: a rate of .3 with the binomial's standard error
    parts = [[1.0, 1.0]] * 60 + [[0.0, 1.0]] * 140
    found = corpus_metric(parts, combine="ratio", n_resamples=20_000)
    assert isinstance(found, Estimate)
    error = math.sqrt(0.3 * 0.7 / 200)
    assert found.width / (2 * 1.96 * error) == pytest.approx(1, abs=0.05)
