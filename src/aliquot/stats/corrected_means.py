"""A mean grade that a fallible judge measured, corrected by labels: PPI++ when there are many labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.inputs import Floats, as_level, as_values
from aliquot.stats.judged_rows import Drawn, Layout, as_labels, draw_weights, layout
from aliquot.stats.means import mean, mean_bounded
from aliquot.stats.prediction_powered import Powered, Predicted, normal_interval_of, powered
from aliquot.stats.results import Estimate, Record, Undefined
from aliquot.stats.strata import Shares

FEWEST_GRADED = 200
"""Under so many labels the normal interval covers too little, and the labels stand alone."""


@dataclass(frozen=True, slots=True)
class CorrectedMean(Record):
    """A mean grade three ways, side by side.

    Attributes:
        raw: the judge's grades.
        people: the labels alone.
        corrected: judge and labels together; the labels alone when there are fewer than 200.
        trust: λ, how much of the judge's grades is used: 0 for none.
        labelled: rows with a label.
        judged: rows the judge read, labelled or not.
    """

    raw: Estimate | Undefined
    people: Estimate | Undefined
    corrected: Estimate | Undefined
    trust: float
    labelled: int
    judged: int


def corrected_mean(
    labels: ArrayLike | Sequence[float | None],
    verdicts: ArrayLike | Sequence[float | None],
    *,
    drawn: Drawn = "at random",
    chances: ArrayLike | None = None,
    finite: bool = False,
    low: float | None = None,
    high: float | None = None,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    shares: Shares = "size",
    level: float = 0.95,
) -> CorrectedMean:
    """Mean label of all judged rows, from the judge's grade of each and people's labels of some.

    From 200 labels on it is PPI++ (with clusters, weights or labels drawn unlike: t with V by cluster), under it the
    labels alone. A row without a grade counts as one of the mean grade, which says nothing of it. For passes
    (0 and 1) take :func:`aliquot.stats.corrected_rate`, which holds with few labels too.

    Args:
        labels: numbers, None or NaN where nobody labelled; one for each row that was judged.
        verdicts: the judge's grades, of any scale; None or NaN is no grade.
        drawn: as in :func:`aliquot.stats.corrected_rate`; ``by verdict`` is by grade.
        chances: probability with which each row was drawn to be labelled, when they differ otherwise.
        finite: the rows judged are the target, not rows like them.
        low: smallest label there is; None for labels without limits.
        high: largest label there is.
        clusters: one label a row; None when rows are independent.
        weights: one weight a row.
        strata: one label a row, of fixed shares.
        shares: share of each stratum, ``size`` or ``equal``.
        level: confidence level.

    Returns:
        Raw, people only and corrected side by side.

    Raises:
        UsageError: values that are no numbers, labels outside the limits, or arguments of the wrong shape.

    References:
        Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv:2311.01453, section 6; Särndal, Swensson & Wretman (1992)
        Model Assisted Survey Sampling, ch. 6, the difference estimator, for labels drawn unlike.

    Examples:
        >>> labels = [3, 4, 2, 5, 4, 4, 3, 1, 5, 4] * 20 + [None] * 600
        >>> verdicts = [3, 5, 2, 5, 4, 4, 4, 2, 5, 5] * 80
        >>> found = corrected_mean(labels, verdicts, low=1, high=5)
        >>> print(found.corrected)
        3.5000 [3.3979, 3.6021] 95% prediction_powered, n = 200
    """
    level = as_level(level)
    values = as_labels(labels, name="labels", binary=False)
    seen = as_labels(verdicts, name="verdicts", binary=False)
    if values.size != seen.size or not values.size:
        raise UsageError(f"labels and verdicts must be of the same rows; got {values.size} and {seen.size}")
    if (low is None) != (high is None) or (low is not None and high is not None and not low < high):
        raise UsageError(f"give both low and high, low below high, or neither; got {low} and {high}")
    known = ~np.isnan(values)
    as_values(values[known], name="labels", at_least=0, low=low, high=high)
    sides = _Sides(
        layout(values.size, clusters=clusters, weights=weights, strata=strata, shares=shares),
        None if low is None or high is None else (float(low), float(high)),
        level,
    )
    kinds = np.unique(np.nan_to_num(seen, nan=-1e300), return_inverse=True)[1].astype(np.int64).reshape(-1)
    inverse = draw_weights(values, kinds, strata=sides.rows.strata, drawn=drawn, chances=chances)
    n, raw = int(known.sum()), sides.mean_of(seen, sides.rows.weights)
    if isinstance(inverse, Undefined):
        return CorrectedMean(raw, inverse, inverse, 0.0, n, values.size)
    pulls = sides.rows.stands_for(inverse, known)
    whole = None if pulls is None else np.zeros(values.size)
    if whole is not None and pulls is not None:
        whole[known] = pulls
    people = sides.mean_of(values, whole)
    if n < FEWEST_GRADED:
        few = _alone(people, f"{n} labels, the minimum is {FEWEST_GRADED}: the labels alone")
        return CorrectedMean(raw, people, few, 0.0, n, values.size)
    filled = np.where(np.isnan(seen), np.nanmean(seen) if not np.isnan(seen).all() else 0.0, seen)
    rows = Predicted(values, filled, pulls, sides.rows.weights, sides.rows.clusters, sides.rows.strata)
    found = powered(rows, finite=finite, ddof=1)
    if isinstance(found, Undefined):
        return CorrectedMean(raw, people, found, 0.0, n, values.size)
    return CorrectedMean(raw, people, sides.interval(found, people, n=n), found.tuning, n, values.size)


@dataclass(frozen=True, slots=True)
class _Sides:
    """How the rows hang together, the limits of a label, and the level."""

    rows: Layout
    limits: tuple[float, float] | None
    level: float

    def mean_of(self, values: Floats, weights: Floats | None) -> Estimate | Undefined:
        """Mean of labels or grades with the default interval, over those that are there."""
        given = ~np.isnan(values)
        if not given.any():
            return Undefined("there is no value to take the mean of")
        kept = None if weights is None else weights[given]
        groups = None if self.rows.clusters is None else self.rows.clusters[given]
        found = values[given]
        if self.limits is None or found.min() < self.limits[0] or found.max() > self.limits[1]:
            return mean(found, clusters=groups, weights=kept, level=self.level)
        low, high = self.limits
        return mean_bounded(found, low=low, high=high, clusters=groups, weights=kept, level=self.level)

    def interval(self, found: Powered, people: Estimate | Undefined, *, n: int) -> Estimate | Undefined:
        """Return the interval of the powered mean, within the limits; the labels alone when it has no width."""
        interval = normal_interval_of(found, n=n, level=self.level)
        if isinstance(interval, Undefined):
            return _alone(people, "labels and grades leave no variation: the labels alone")
        if self.limits is None:
            return interval
        low, high = self.limits
        return replace(interval, low=max(interval.low, low), high=min(interval.high, high))


def _alone(people: Estimate | Undefined, why: str) -> Estimate | Undefined:
    return people if isinstance(people, Undefined) else replace(people, why=why)
