"""Does a judge err alike on two systems, in two segments, before and after a date?"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.decision import decided_interval
from aliquot.stats.diagnostics import as_names, as_pair
from aliquot.stats.group_permutation import cluster_permutation
from aliquot.stats.inputs import Floats, Integers, RandomSource, as_codes, as_level
from aliquot.stats.multiplicity import holm
from aliquot.stats.paired import paired_binary_difference
from aliquot.stats.paired_tests import mcnemar
from aliquot.stats.permutation import sign_flip
from aliquot.stats.results import Estimate, HypothesisTest, Record, Undefined
from aliquot.stats.unpaired import unpaired_rates
from aliquot.stats.unpaired_exact import unpaired_test

_SHARED = 0.5
"""Pairs are used when they hold at least this share of the rows of the smaller side."""


@dataclass(frozen=True, slots=True)
class ErrorGap(Record):
    """How a share of right verdicts differs between two systems, segments or dates.

    Attributes:
        share: ``sensitivity``, ``specificity`` or ``accuracy``.
        first: the one.
        second: the other; differences are second minus first.
        difference: of the share, with its interval, which excludes 0 only when the test rejects.
        test: the deciding test: exact McNemar on shared items, else Boschloo or the score test; by whole clusters.
        adjusted: its p by Holm over all gaps looked at; ``accuracy`` holds the other two and is not counted.
        paired: whether it rests on the same items.
        n: rows of either side.
    """

    share: str
    first: str
    second: str
    difference: Estimate | Undefined
    test: HypothesisTest | Undefined
    adjusted: float | Undefined
    paired: bool
    n: tuple[int, int]


def equal_errors(
    labels: ArrayLike | Sequence[float | None],
    verdicts: ArrayLike | Sequence[float | None],
    *,
    by: ArrayLike | Sequence[Hashable],
    items: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> tuple[ErrorGap, ...]:
    """Compare sensitivity, specificity and accuracy of a judge between systems, segments or dates.

    Of every two: among rows labelled a pass (sensitivity), a failure (specificity) and all (accuracy), the share of
    right verdicts. Where at least half of the rows of the smaller side are of items that both have with the same
    label, those pairs decide (exact McNemar; with clusters their sign flip); else all rows do (Boschloo or the score
    test; with clusters whole ones are permuted). A judge that errs otherwise on one system than on another moves their
    difference by itself; before and after a date it has drifted.

    Args:
        labels: 1 for a pass, 0 for a failure, None or NaN where there is no label.
        verdicts: the judge's, alike.
        by: system, segment or date of each row.
        items: the item of each row, for pairs; None when nothing is shared.
        clusters: one label a row; None when rows are independent.
        level: confidence level.
        n_resamples: permutations, when there are clusters and they are not enumerated.
        rng: seed or generator.

    Returns:
        Three gaps for every two of ``by``, in their order.

    Raises:
        UsageError: values other than 0, 1 or missing, one group only, an item twice in a group, or wrong shapes.

    References:
        Fagerland, Lydersen & Laake (2017) Statistical Analysis of Contingency Tables, ch. 4 and 8; Holm (1979).

    Examples:
        >>> labels, verdicts = [1] * 40 + [1] * 40, [1] * 38 + [0] * 2 + [1] * 28 + [0] * 12
        >>> gap = equal_errors(labels, verdicts, by=["May"] * 40 + ["June"] * 40)[0]
        >>> print(gap.first, gap.second, gap.difference)
        June May 0.2500 [0.0914, 0.4144] 95% miettinen_nurminen, n = 80
    """
    level = as_level(level)
    truth, said = as_pair(labels, verdicts)
    codes, names = as_names(by, truth.size, name="by")
    if len(names) < 2:
        raise UsageError("by must name at least two systems, segments or dates")
    units = None if items is None else as_codes(items, truth.size, name="items")
    groups = None if clusters is None else as_codes(clusters, truth.size, name="clusters")
    rows = _Rows(truth, said, codes, units, groups, level, n_resamples, rng)
    gaps = [
        rows.gap(share, (one, other), (names[one], names[other]))
        for one, other in combinations(range(len(names)), 2)
        for share in _AMONG
    ]
    counted = [gap for gap in gaps if gap.share != "accuracy" and isinstance(gap.test, HypothesisTest)]
    adjusted = (
        holm([gap.test.p for gap in counted if isinstance(gap.test, HypothesisTest)]) if counted else []
    )
    by_gap = {(gap.share, gap.first, gap.second): float(p) for gap, p in zip(counted, adjusted, strict=True)}
    return tuple(
        replace(gap, adjusted=by_gap.get((gap.share, gap.first, gap.second), gap.adjusted)) for gap in gaps
    )


_AMONG: dict[str, Callable[[Floats], np.ndarray]] = {
    "sensitivity": lambda truth: truth == 1,
    "specificity": lambda truth: truth == 0,
    "accuracy": lambda truth: ~np.isnan(truth),
}


@dataclass(frozen=True, slots=True)
class _Rows:
    truth: Floats
    said: Floats
    by: Integers
    items: Integers | None
    clusters: Integers | None
    level: float
    n_resamples: int
    rng: RandomSource

    def gap(self, share: str, places: tuple[int, int], names: tuple[str, str]) -> ErrorGap:
        among = _AMONG[share](self.truth) & ~np.isnan(self.said) & ~np.isnan(self.truth)
        sides = [np.flatnonzero(among & (self.by == place)) for place in places]
        sizes = (int(sides[0].size), int(sides[1].size))
        if not min(sizes):
            lacking = Undefined(
                f"{names[0] if not sizes[0] else names[1]} has no labelled row for the {share}"
            )
            return ErrorGap(share, *names, lacking, lacking, lacking, paired=False, n=sizes)
        pairs = self.pairs(*sides)
        paired = pairs is not None and pairs[0].size >= _SHARED * min(sizes)
        difference, test = self.paired(*pairs) if paired and pairs is not None else self.apart(*sides)
        decided = (
            decided_interval(difference, test)
            if isinstance(difference, Estimate) and isinstance(test, HypothesisTest)
            else difference
        )
        uncounted = (
            Undefined("accuracy holds the other two")
            if share == "accuracy"
            else Undefined("there is no test")
        )
        return ErrorGap(share, *names, decided, test, uncounted, paired=paired, n=sizes)

    def pairs(self, first: Integers, second: Integers) -> tuple[Integers, Integers] | None:
        """Rows of the items that both sides have with the same label."""
        if self.items is None:
            return None
        for side in (first, second):
            if np.unique(self.items[side]).size < side.size:
                raise UsageError(
                    "an item has two rows in one of the groups; take one, or leave items out and name clusters"
                )
        _, left, right = np.intersect1d(self.items[first], self.items[second], return_indices=True)
        left, right = first[left], second[right]
        same = self.truth[left] == self.truth[right]
        return left[same], right[same]

    def right(self, rows: Integers) -> Floats:
        return (self.truth[rows] == self.said[rows]).astype(np.float64)

    def paired(
        self, first: Integers, second: Integers
    ) -> tuple[Estimate | Undefined, HypothesisTest | Undefined]:
        a, b = self.right(first), self.right(second)
        groups = None if self.clusters is None else self.clusters[first]
        difference = paired_binary_difference(a, b, clusters=groups, level=self.level)
        if groups is None:
            return difference, mcnemar(int((b > a).sum()), int((b < a).sum()))
        return difference, sign_flip(b - a, clusters=groups, n_resamples=self.n_resamples, rng=self.rng)

    def apart(
        self, first: Integers, second: Integers
    ) -> tuple[Estimate | Undefined, HypothesisTest | Undefined]:
        a, b = self.right(first), self.right(second)
        if self.clusters is None:
            test = unpaired_test(int(a.sum()), a.size, int(b.sum()), b.size)
            return unpaired_rates(a, b, level=self.level), test
        one, other = self.clusters[first], self.clusters[second]
        difference = unpaired_rates(a, b, clusters_a=one, clusters_b=other, level=self.level)
        test = cluster_permutation(
            a, b, clusters_a=one, clusters_b=other, n_resamples=self.n_resamples, rng=self.rng
        )
        return difference, test
