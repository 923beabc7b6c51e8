"""Two mixes of kinds held against each other: does a set of items still look like what comes in?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, RandomSource, as_count, as_generator, as_values
from aliquot.stats.results import HypothesisTest, Record


@dataclass(frozen=True, slots=True)
class MixDifference(Record):
    """How far two mixes lie apart.

    Attributes:
        distance: share of the rows of one that would have to change kind to give the other (total variation).
        by_chance: what the distance would be, on average, of two mixes that are the same.
        test: are the two mixes the same.
        covered: share of the second's rows whose kind the first has at all.
        weights: what a row of the first of each kind would count to stand for the second; 0 for a kind without rows.
        worth: share of the first's rows that it would be worth after such weighting, (Σw)²/(n Σw²).
    """

    distance: float
    by_chance: float
    test: HypothesisTest
    covered: float
    weights: Floats
    worth: float


def mix_difference(
    a: ArrayLike, b: ArrayLike, *, n_resamples: int = 9_999, rng: RandomSource = None
) -> MixDifference:
    """Compare how many rows of each kind two collections have, by permutation of the rows.

    Args:
        a: rows of each kind in the first (the set of items).
        b: rows of the same kinds, in the same order, in the second (what comes in).
        n_resamples: permutations.
        rng: seed or generator.

    Raises:
        UsageError: different lengths, an empty collection, or counts that are no whole numbers.

    References:
        Distance and test: total variation under the permutation law of the table (multivariate hypergeometric); worth:
        Kish (1965) *Survey Sampling*, 11.7.

    Examples:
        >>> found = mix_difference([50, 30, 20, 0], [300, 500, 150, 50], rng=1)
        >>> round(found.distance, 3), round(found.by_chance, 3), found.test.p, found.covered, round(found.worth, 2)
        (0.25, 0.064, 0.0001, 0.95, 0.8)
    """
    first, second = (_as_counts(values, name=name) for values, name in ((a, "a"), (b, "b")))
    if first.size != second.size:
        raise UsageError(f"a and b must have the same kinds; got {first.size} and {second.size}")
    resamples, generator = int(as_count(n_resamples, name="n_resamples", at_least=1)), as_generator(rng)
    n, m = int(first.sum()), int(second.sum())
    both = (first + second).astype(np.int64)
    distance = 0.5 * float(np.abs(first / n - second / m).sum())
    drawn = generator.multivariate_hypergeometric(both, n, size=resamples, method="marginals")
    distances = 0.5 * np.abs(drawn / n - (both - drawn) / m).sum(axis=1)
    p = (1 + float((distances >= distance - 1e-12).sum())) / (resamples + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.where(first > 0, (second / m) / (first / n), 0.0)
    square = float(first @ weights**2)
    return MixDifference(
        distance=distance,
        by_chance=float(distances.mean()),
        test=HypothesisTest("mix_permutation", p, statistic=distance, n_resamples=resamples,
                            null="the two have the same mix"),
        covered=float(second[first > 0].sum()) / m,
        weights=weights,
        worth=float(first @ weights) ** 2 / (n * square) if square else 0.0,
    )  # fmt: skip


def _as_counts(values: ArrayLike, *, name: str) -> Floats:
    counts = as_values(values, name=name, low=0.0)
    if (counts != np.floor(counts)).any() or counts.sum() < 1:
        raise UsageError(f"{name} must hold whole numbers of rows, and at least one row")
    return counts
