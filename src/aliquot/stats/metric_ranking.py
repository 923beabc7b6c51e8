"""An automatic metric against people: does it order systems, and answers to an item, as people do?

Scores are items × systems, with gaps. At the level of systems the mean scores are compared; at the level of items
the scores of the systems on each item, averaged over items. Intervals come from resampled items, systems or both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.stats.correlations import correlation_of, resampled_interval
from aliquot.stats.inputs import Floats, RandomSource, as_choice, as_codes, as_count, as_level
from aliquot.stats.metric_scores import (
    CellScores,
    cell_scores,
    divide,
    draw_values,
    mean_over_items,
    order_of,
    weighted_correlation,
)
from aliquot.stats.results import Estimate, Record, Undefined

Resample: TypeAlias = Literal["items", "systems", "both"]
Coefficient: TypeAlias = Literal["pearson", "spearman", "kendall"]

_GRID = 200
"""Values of ε that are tried in each resample."""


@dataclass(frozen=True, slots=True)
class MetricAgreement(Record):
    """How far a metric goes with people.

    Attributes:
        point: the correlation or accuracy.
        interval: the same with its interval, or why there is none.
        measure: what it is.
        resampled: ``items``, ``systems`` or ``both``.
        items: items with scores.
        systems: systems with scores.
        left_out: cells without one of the two scores.
        epsilon: differences of the metric up to this count as ties; None where ties are not counted.
        without_ties: the accuracy when only equal scores of the metric are ties.
    """

    point: float
    interval: Estimate | Undefined
    measure: str
    resampled: Resample
    items: int
    systems: int
    left_out: int
    epsilon: float | None = None
    without_ties: float | None = None

    def __str__(self) -> str:
        return str(self.interval) if self.interval else f"{self.point:.4f}, interval {self.interval}"


def system_correlation(
    metric: ArrayLike,
    human: ArrayLike,
    *,
    coefficient: Coefficient = "pearson",
    resample: Resample = "both",
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> MetricAgreement | Undefined:
    """Correlation over systems of their mean score by a metric with that by people.

    Args:
        metric: items × systems; NaN is missing, and a cell counts where both scores are there.
        human: scores of people of the same cells.
        coefficient: ``pearson``, ``spearman`` or ``kendall``.
        resample: ``items`` (these systems), ``systems`` (these items) or ``both``.
        clusters: one label an item; whole clusters are drawn.
        level: confidence level.
        n_resamples: resamples.
        rng: seed or generator; None for the fixed default seed.

    Returns:
        The correlation; Undefined with fewer than three systems, or when one side gives all the same mean.

    Raises:
        UsageError: different shapes, anything but numbers, an unknown name.

    References:
        Deutsch, Dror & Roth (2021) TACL 9:1132 (resampling inputs, systems or both).

    Examples:
        >>> human = [[1, 2, 3, 4], [2, 2, 4, 5], [1, 3, 3, 5]]
        >>> metric = [[0.1, 0.3, 0.4, 0.6], [0.2, 0.1, 0.5, 0.7], [0.3, 0.4, 0.4, 0.9]]
        >>> round(system_correlation(metric, human, resample="items", n_resamples=199).point, 3)
        0.976
    """
    as_choice(coefficient, get_args(Coefficient), name="coefficient")
    scores = cell_scores(metric, human)
    systems = int(scores.there.any(axis=0).sum())
    if systems < 3:
        return Undefined(f"a correlation over systems needs three of them; there are {systems}")

    def statistic(by_item: Floats, by_system: Floats) -> Floats:
        return weighted_correlation(coefficient, *scores.means(by_item), by_system)

    return _found(
        scores,
        statistic,
        f"system_{coefficient}",
        resample=resample,
        clusters=clusters,
        level=level,
        n_resamples=n_resamples,
        rng=rng,
    )


def item_correlation(
    metric: ArrayLike,
    human: ArrayLike,
    *,
    coefficient: Coefficient = "kendall",
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> MetricAgreement | Undefined:
    """Mean over items of the correlation, across systems, of a metric with people; items are resampled.

    Items where one side gives every system the same score have no correlation and are left out.

    Args:
        metric: items × systems, NaN where missing.
        human: scores of people of the same cells.
        coefficient: ``pearson``, ``spearman`` or ``kendall`` (τ-b).
        clusters: one label an item.
        level: confidence level.
        n_resamples: resamples.
        rng: seed or generator.

    Returns:
        The mean; Undefined when no item has a correlation.

    Raises:
        UsageError: as for :func:`system_correlation`.

    References:
        Deutsch, Dror & Roth (2021) TACL 9:1132, "summary-level" correlation.

    Examples:
        >>> human = [[1, 2, 3, 4], [2, 2, 4, 5], [1, 3, 3, 5]]
        >>> metric = [[0.1, 0.3, 0.4, 0.6], [0.2, 0.1, 0.5, 0.7], [0.3, 0.4, 0.4, 0.9]]
        >>> round(item_correlation(metric, human, n_resamples=199).point, 3)
        0.971
    """
    as_choice(coefficient, get_args(Coefficient), name="coefficient")
    scores = cell_scores(metric, human)
    rows = zip(scores.metric, scores.human, scores.there, strict=True)
    each = np.array(
        [correlation_of(coefficient, m[held], h[held]) if held.sum() > 1 else np.nan for m, h, held in rows]
    )
    known = np.isfinite(each)
    if not known.any():
        return Undefined("no item has two systems that both sides tell apart")

    def statistic(by_item: Floats, _by_system: Floats) -> Floats:
        return mean_over_items(by_item, np.where(known, each, 0.0)[:, None], known)[:, 0]

    return _found(
        scores,
        statistic,
        f"item_{coefficient}",
        resample="items",
        clusters=clusters,
        level=level,
        n_resamples=n_resamples,
        rng=rng,
    )


def system_accuracy(
    metric: ArrayLike,
    human: ArrayLike,
    *,
    resample: Resample = "both",
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> MetricAgreement | Undefined:
    """Share of pairs of systems that the metric's means order as those of people do; a tie is right only in both.

    Arguments and errors are those of :func:`system_correlation`.

    References:
        Kocmi et al. (2021) WMT, "To ship or not to ship", section 4.

    Examples:
        >>> human = [[1, 2, 3, 4], [2, 2, 4, 5], [1, 3, 3, 5]]
        >>> metric = [[0.1, 0.3, 0.4, 0.6], [0.2, 0.1, 0.5, 0.7], [0.3, 0.4, 0.4, 0.9]]
        >>> system_accuracy(metric, human, resample="items", n_resamples=199).point
        1.0
    """
    scores = cell_scores(metric, human)
    systems = int(scores.there.any(axis=0).sum())
    if systems < 2:
        return Undefined(f"pairs of systems need two of them; there are {systems}")
    one, other = np.triu_indices(scores.metric.shape[1], 1)

    def statistic(by_item: Floats, by_system: Floats) -> Floats:
        by_metric, by_people = scores.means(by_item)
        gaps = [order_of(means[:, other] - means[:, one]) for means in (by_metric, by_people)]
        weight = by_system[:, one] * by_system[:, other] * ~(np.isnan(gaps[0]) | np.isnan(gaps[1]))
        return divide((weight * (gaps[0] == gaps[1])).sum(axis=1), weight.sum(axis=1))

    return _found(
        scores,
        statistic,
        "system_accuracy",
        resample=resample,
        clusters=clusters,
        level=level,
        n_resamples=n_resamples,
        rng=rng,
    )


def item_accuracy(
    metric: ArrayLike,
    human: ArrayLike,
    *,
    epsilon: float | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> MetricAgreement | Undefined:
    """Accuracy with ties: pairs of systems on an item that metric and people order alike, or both call equal.

    A metric hardly ever gives equal scores, so differences up to ε count as ties of the metric. By default ε is the
    one that makes the accuracy greatest (tie calibration), and it is chosen anew in every resample; an ε from other
    data is the sterner test. Accuracies of items are averaged, and items are resampled.

    Args:
        metric: items × systems, NaN where missing.
        human: scores of people of the same cells; equal ones are ties.
        epsilon: differences of the metric up to this are ties; None to calibrate.
        clusters: one label an item.
        level: confidence level.
        n_resamples: resamples.
        rng: seed or generator.

    Returns:
        The accuracy with the ε in use and the accuracy at ε = 0; Undefined when no item has two systems.

    Raises:
        UsageError: a negative ε, or as for :func:`system_correlation`.

    References:
        Deutsch, Foster & Freitag (2023) EMNLP, "Ties Matter", eq. 7 and section 5.

    Examples:
        >>> human = [[1, 1, 2], [3, 3, 3], [1, 2, 3]]
        >>> metric = [[0.50, 0.52, 0.90], [0.40, 0.41, 0.42], [0.10, 0.50, 0.80]]
        >>> found = item_accuracy(metric, human, n_resamples=199)
        >>> found.point, round(found.epsilon, 3), round(found.without_ties, 3)
        (1.0, 0.02, 0.556)
    """
    scores = cell_scores(metric, human)
    one, other = np.triu_indices(scores.metric.shape[1], 1)
    there = scores.there[:, one] & scores.there[:, other]
    known = there.sum(axis=1) > 0
    if not known.any():
        return Undefined("no item has scores of two systems from both sides")
    gap = np.where(there, scores.metric[:, other] - scores.metric[:, one], 0.0)
    people = np.where(there, order_of(scores.human[:, other] - scores.human[:, one]), 0.0)
    share = there / np.maximum(there.sum(axis=1, keepdims=True), 1)
    if epsilon is None:
        chosen = _calibrated(np.abs(gap[there]), _gains(gap, people, share)[there])
        grid = np.unique(np.append(np.quantile(np.abs(gap[there]), np.linspace(0, 1, _GRID)), [0.0, chosen]))
    else:
        chosen = as_count(epsilon, name="epsilon")
        grid = np.array([chosen])
    each = np.stack([_correct(gap, people, share, at) for at in grid], axis=1)

    def statistic(by_item: Floats, _by_system: Floats) -> Floats:
        return mean_over_items(by_item, each, known).max(axis=1)

    found = _found(
        scores,
        statistic,
        "item_accuracy",
        resample="items",
        clusters=clusters,
        level=level,
        n_resamples=n_resamples,
        rng=rng,
    )
    if isinstance(found, Undefined):
        return found
    plain = float(_correct(gap, people, share, 0.0)[known].mean())
    return replace(found, epsilon=float(chosen), without_ties=plain)


def _correct(gap: Floats, people: Floats, share: Floats, epsilon: float) -> Floats:
    """Share of the pairs of each item that are right at this ε."""
    said = np.where(np.abs(gap) <= epsilon, 0.0, np.sign(gap))
    return ((said == people) * share).sum(axis=1)


def _gains(gap: Floats, people: Floats, share: Floats) -> Floats:
    """What calling each pair a tie would add to the accuracy."""
    return share * ((people == 0).astype(np.float64) - (np.sign(gap) == people))


def _calibrated(sizes: Floats, gains: Floats) -> float:
    """ε with the greatest accuracy among 0 and the sizes of the differences; the smallest of equals."""
    kinds, places = np.unique(np.append(0.0, sizes), return_inverse=True)
    added = np.cumsum(np.bincount(places.reshape(-1)[1:], gains, minlength=kinds.size))
    return float(kinds[int(np.argmax(np.round(added, 12)))])


def _found(
    scores: CellScores,
    statistic: Callable[[Floats, Floats], Floats],
    measure: str,
    *,
    resample: Resample,
    clusters: ArrayLike | None,
    level: float,
    n_resamples: int,
    rng: RandomSource,
) -> MetricAgreement | Undefined:
    as_choice(resample, get_args(Resample), name="resample")
    level, size = as_level(level), int(as_count(n_resamples, name="n_resamples", at_least=99))
    n, s = scores.metric.shape
    codes = as_codes(clusters, n, name="clusters")
    point = float(statistic(np.ones((1, n)), np.ones((1, s)))[0])
    if not np.isfinite(point):
        return Undefined("one side gives every system the same mean, so nothing can go with it")
    items, systems = int(scores.there.any(axis=1).sum()), int(scores.there.any(axis=0).sum())
    by_systems = resample != "items"
    values = draw_values(statistic, codes, s, resample=resample, n_resamples=size, rng=rng)
    groups = None if clusters is None or resample == "systems" else int(codes.max()) + 1
    interval = resampled_interval(
        values,
        point,
        name=measure,
        n=systems if by_systems else items,
        clusters=None if by_systems else groups,
        level=level,
        rng=rng,
        units="systems" if by_systems else "items",
    )
    return MetricAgreement(point, interval, measure, resample, items, systems, scores.left_out)
