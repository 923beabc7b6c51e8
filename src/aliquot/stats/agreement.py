"""How far two raters agree beyond chance: Cohen's kappa."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from aliquot.stats.distributions import two_sided_z
from aliquot.stats.inputs import Floats, as_level
from aliquot.stats.rater_tables import Ratings, label_table
from aliquot.stats.results import Estimate, Record, Undefined


@dataclass(frozen=True, slots=True)
class Agreement(Record):
    """Agreement of two raters beyond chance.

    Attributes:
        point: the coefficient, at most 1; 0 is what chance gives.
        interval: the same with its interval, or why there is none.
        observed: share of rows on which the raters agree.
        expected: share on which they would agree if each drew from their own labels at random.
        labels: the labels, in order.
        n: rows that both labelled.
        left_out: rows where a label is missing.
    """

    point: float
    interval: Estimate | Undefined
    observed: float
    expected: float
    labels: tuple[Hashable, ...]
    n: int
    left_out: int

    def __str__(self) -> str:
        return str(self.interval) if self.interval else f"{self.point:.4f}, interval {self.interval}"


def cohen_kappa(
    a: Ratings, b: Ratings, *, labels: Sequence[Hashable] | None = None, level: float = 0.95
) -> Agreement | Undefined:
    """Cohen's kappa of two raters, (p_o − p_e)/(1 − p_e), with its large-sample interval.

    Labels are names: how far apart two of them are does not count. When one rater gives one label only, the
    coefficient is exactly 0 whatever the raters agree on, and has no interval.

    Args:
        a: labels of the first rater, one a row; None and NaN are missing.
        b: labels of the second rater of the same rows in the same order.
        labels: all labels there are, in order; by default those that occur, sorted. The coefficient is the same.
        level: confidence level of the interval, which is normal and cut at −1 and 1.

    Returns:
        The coefficient; Undefined when no row has both labels, or when both raters give the same label throughout
        (0/0).

    Raises:
        UsageError: different lengths, labels of mixed types, a label that is not among ``labels``.

    References:
        Cohen (1960) Educational and Psychological Measurement 20:37, eq. 1; Fleiss, Cohen & Everitt (1969)
        Psychological Bulletin 72:323, the large-sample variance of kappa without weights.

    Examples:
        >>> a = ["yes"] * 27 + ["no"] * 53
        >>> b = ["yes"] * 19 + ["no"] * 8 + ["yes"] * 8 + ["no"] * 45
        >>> print(cohen_kappa(a, b))
        0.5528 [0.3594, 0.7462] 95% kappa_normal, n = 80
        >>> print(cohen_kappa(["yes"] * 9, ["yes"] * 9))
        undefined: both raters gave one label only ('yes'), so chance alone explains all 9 agreements
    """
    level, table = as_level(level), label_table(a, b, labels=labels)
    if table.n == 0:
        return Undefined("no row was labelled by both raters")
    p = table.counts / table.n
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float(np.trace(p)), float(rows @ columns)
    used = np.flatnonzero(table.counts.sum(axis=0) + table.counts.sum(axis=1))
    if used.size == 1:
        only = table.labels[int(used[0])]
        return Undefined(
            f"both raters gave one label only ({only!r}), so chance alone explains all {table.n} agreements"
        )
    constant = table.n in {*table.counts.sum(axis=0).tolist(), *table.counts.sum(axis=1).tolist()}
    point = 0.0 if constant else (observed - expected) / (1 - expected)
    interval: Estimate | Undefined = Undefined("one rater gave one label only, so chance explains everything")
    if not constant:
        interval = _interval(point, _variance(p, observed, expected) / table.n, level=level, n=table.n)
    return Agreement(point, interval, observed, expected, table.labels, table.n, table.left_out)


def _variance(p: Floats, observed: float, expected: float) -> float:
    """The variance of kappa, times n: Fleiss, Cohen & Everitt (1969), without weights."""
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    margins = columns[:, None] + rows[None, :]
    terms = p * (np.eye(rows.size) * (1 - expected) - margins * (1 - observed)) ** 2
    return float(terms.sum() - (observed * expected - 2 * expected + observed) ** 2) / (1 - expected) ** 4


def _interval(point: float, variance: float, *, level: float, n: int) -> Estimate | Undefined:
    if not variance > 1e-15:
        always = "agree" if point > 0 else "differ"
        return Undefined(f"the raters {always} on every row, so how far it might be otherwise cannot be seen")
    se = math.sqrt(variance)
    half = two_sided_z(level) * se
    return Estimate(point, max(-1.0, point - half), min(1.0, point + half), level, "kappa_normal", n=n, se=se)
