"""How many labels, of which rows, and whether the judge should read everything: before anything is bought."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.corrected import FEWEST_LABELS, post_stratified_limits
from aliquot.stats.discordance import as_rate
from aliquot.stats.distributions import two_sided_z
from aliquot.stats.inputs import Floats, Integers, as_count, as_level, as_values
from aliquot.stats.results import Record, Undefined
from aliquot.stats.roots import bisect

_LEAST_SPREAD = 0.025
"""A guessed rate is held this far off 0 and 1: labels that would all agree are not to be counted on."""


@dataclass(frozen=True, slots=True)
class LabelPlan(Record):
    """Labels for a corrected rate of a wanted width.

    Attributes:
        labels: rows to label in all.
        by_cell: rows to label in each cell, in the order given.
        width: width of the interval to expect.
        alone: labels that would give this width without a judge; the same width by the labels alone.
        judged: rows that the judge reads.
    """

    labels: int
    by_cell: tuple[int, ...]
    width: float
    alone: int
    judged: int


@dataclass(frozen=True, slots=True)
class TwoPhase(Record):
    """A judge on some rows and labels on some of those, at the least cost.

    Attributes:
        judged: rows the judge reads.
        labelled: rows of those that are labelled.
        se: standard error of the mean.
        cost: what both cost.
        alone: labels that would give the same error without a judge.
        cost_alone: what those would cost.
        worth_it: whether the judge is.
    """

    judged: int
    labelled: int
    se: float
    cost: float
    alone: int
    cost_alone: float
    worth_it: bool


def allocate_labels(
    n: int,
    shares: ArrayLike,
    rates: ArrayLike,
    *,
    costs: ArrayLike | None = None,
    rows: ArrayLike | None = None,
    at_least: int = 2,
) -> Integers:
    """Split ``n`` labels over cells (verdicts, within systems and segments) so that the variance is least: Neyman.

    n_j ∝ w_j √(p_j(1 − p_j)/c_j), whole numbers that sum to n, none above the rows there are; each cell gets
    ``at_least`` first. A rate guessed at 0 or 1 is planned as if it were a little off, since it may be.

    Args:
        n: labels in all.
        shares: w_j of each cell, of any scale.
        rates: guessed share of passes p_j among the rows of each cell.
        costs: cost of a label in each cell; None when all cost the same.
        rows: rows there are in each cell; None for as many as wanted.
        at_least: labels each cell gets at least (its rows, when it has fewer).

    Returns:
        Labels of each cell.

    Raises:
        UsageError: lengths differ, shares or rates out of range, or fewer labels than the cells take at least.

    References:
        Neyman (1934) JRSS 97:558; Cochran (1977) Sampling Techniques, 5.5, with costs.

    Examples:
        >>> allocate_labels(100, [0.75, 0.25], [0.95, 0.5]).tolist()
        [57, 43]
    """
    w, p = as_values(shares, name="shares", low=0.0), as_values(rates, name="rates", low=0.0, high=1.0)
    c = np.ones(w.size) if costs is None else as_values(costs, name="costs", low=0.0)
    most = np.full(w.size, float(n)) if rows is None else as_values(rows, name="rows", low=0.0)
    if not w.size == p.size == c.size == most.size:
        raise UsageError("shares, rates, costs and rows must be of the same cells")
    if not w.sum() > 0 or not c.all():
        raise UsageError("shares must not all be zero, and a label must cost something")
    total = int(as_count(n, name="n", at_least=1))
    least = np.minimum(float(at_least), most) * (w > 0)
    if least.sum() > total or most[w > 0].sum() < total:
        raise UsageError(
            f"{total} labels do not fit {w.size} cells, "
            f"which take {least.sum():g} at least and {most[w > 0].sum():g} at most"
        )
    return _whole(total, w * _spread(p) / np.sqrt(c), least, most)


def corrected_width(
    labels: ArrayLike,
    shares: ArrayLike,
    rates: ArrayLike,
    *,
    judged: float,
    finite: bool = False,
    level: float = 0.95,
) -> float:
    """Width to expect of a corrected rate: that of :func:`aliquot.stats.corrected_rate` at the guessed rates.

    Args:
        labels: labels in each cell (verdict, within systems and segments).
        shares: w_j of each cell, of any scale.
        rates: guessed share of passes among the rows of each cell.
        judged: rows that the judge reads.
        finite: the rows judged are the target, not rows like them.
        level: confidence level.

    Raises:
        UsageError: lengths differ, or numbers out of range.

    References:
        Zou & Donner (2008) Stat Med 27:1693, MOVER, at the guess.

    Examples:
        >>> shares, rates = verdict_cells(0.95, sensitivity=0.9, specificity=0.7)
        >>> round(corrected_width([35, 5], shares, rates, judged=1000), 3)
        0.128
    """
    n, w = as_values(labels, name="labels", low=0.0), as_values(shares, name="shares", low=0.0)
    p = as_values(rates, name="rates", low=0.0, high=1.0)
    if not n.size == w.size == p.size or not w.sum() > 0:
        raise UsageError("labels, shares and rates must be of the same cells, and shares not all zero")
    level, total = as_level(level), as_count(judged, name="judged", at_least=1)
    w = w / w.sum()
    theta = float(w @ p)
    between = 0.0 if finite else two_sided_z(level) ** 2 * max(0.0, float(w @ p**2) - theta**2) / total
    low, high = post_stratified_limits(w, p, n, between=between, level=level)
    return float(high - low)


def verdict_cells(prevalence: float, *, sensitivity: float, specificity: float) -> tuple[Floats, Floats]:
    """Shares of the judge's passes and failures, and the share of true passes in each (PPV and 1 − NPV).

    Args:
        prevalence: guessed share of true passes.
        sensitivity: share of true passes that the judge passes.
        specificity: share of true failures that it fails.

    Returns:
        Shares and rates of two cells: judged a pass, judged a failure.

    Raises:
        UsageError: a share outside 0 to 1.

    Examples:
        >>> shares, rates = verdict_cells(0.7, sensitivity=0.9, specificity=0.7)
        >>> shares.round(2).tolist(), rates.round(3).tolist()
        ([0.72, 0.28], [0.875, 0.25])
    """
    p, se, sp = (
        as_rate(one, name=name)
        for one, name in (
            (prevalence, "prevalence"),
            (sensitivity, "sensitivity"),
            (specificity, "specificity"),
        )
    )
    shares = np.array([p * se + (1 - p) * (1 - sp), p * (1 - se) + (1 - p) * sp])
    hits = np.array([p * se, p * (1 - se)])
    return shares, np.divide(hits, shares, out=np.full(2, 0.5), where=shares > 0)


def plan_labels(
    width: float,
    shares: ArrayLike,
    rates: ArrayLike,
    *,
    judged: int,
    neyman: bool = True,
    finite: bool = False,
    level: float = 0.95,
) -> LabelPlan | Undefined:
    """Labels for a corrected rate of a wanted width, stratified over verdicts, systems and segments.

    Args:
        width: width of the interval, from limit to limit.
        shares: w_j of each cell, of any scale.
        rates: guessed share of passes in each cell; :func:`verdict_cells` gives those of a judge.
        judged: rows that the judge reads, all cells together.
        neyman: where labels help most; otherwise in proportion to the shares, as drawn at random.
        finite: the rows judged are the target, not rows like them.
        level: confidence level.

    Returns:
        The smallest plan of the width; Undefined when even a label on every row leaves a wider one.

    Raises:
        UsageError: a width that is not between 0 and 1, or arguments of the wrong shape.

    Examples:
        >>> shares, rates = verdict_cells(0.8, sensitivity=0.95, specificity=0.9)
        >>> found = plan_labels(0.1, shares, rates, judged=2000)
        >>> found.labels, found.by_cell, found.alone
        (90, (53, 37), 245)
    """
    if not 0 < width < 1:
        raise UsageError(f"width must lie strictly between 0 and 1; got {width!r}")
    w, p = as_values(shares, name="shares", low=0.0), as_values(rates, name="rates", low=0.0, high=1.0)
    if w.size != p.size or not w.sum() > 0:
        raise UsageError("shares and rates must be of the same cells, and shares not all zero")
    rows = int(as_count(judged, name="judged", at_least=1))
    w = w / w.sum()
    most = _whole(rows, w, np.zeros(w.size), np.full(w.size, float(rows))).astype(np.float64)

    def split(n: int) -> Integers:
        if not neyman:
            return _whole(n, w, np.zeros(w.size), most)
        least = np.minimum(2.0, most) * (w > 0)
        return _whole(n, w * _spread(p), least if least.sum() <= n else np.zeros(w.size), most)

    def wide(n: int) -> float:
        return corrected_width(split(n), w, p, judged=rows, finite=finite, level=level)

    found = _smallest(wide, width, low=min(FEWEST_LABELS, rows), high=rows)
    if found is None:
        return Undefined(f"a label on each of the {rows} judged rows leaves ±{50 * wide(rows):.1f} points")
    theta = float(w @ p)
    alone = _smallest(
        lambda n: corrected_width([n], [1.0], [theta], judged=n, level=level), width, low=1, high=10**9
    )
    return LabelPlan(found, tuple(split(found).tolist()), wide(found), alone or 0, rows)


def two_phase_design(
    within: float,
    between: float,
    *,
    cost_judge: float,
    cost_label: float,
    se: float | None = None,
    budget: float | None = None,
    rows: int | None = None,
) -> TwoPhase:
    """Rows to judge and rows to label, for a wanted error or a budget, at the least cost.

    The variance is S_w²/n + S_b²/M: n labels, M rows judged, S_w² what the judge leaves, S_b² what it explains. The
    least cost has n/M = (S_w/S_b) √(c_judge/c_label), at most 1; where the judge reads no more than what is labelled,
    or costs more than it saves, labels alone are better. For a difference take the variances of an item's difference:
    (1 − R²)σ² and R²σ², R² from :func:`aliquot.stats.judged_r2`.

    Args:
        within: S_w², Σ w_j p_j(1 − p_j) with labels in proportion, (Σ w_j √(p_j(1 − p_j)))² with Neyman's allocation.
        between: S_b², Σ w_j (p_j − θ)².
        cost_judge: cost of judging one row.
        cost_label: cost of labelling one row.
        se: wanted standard error; or
        budget: what may be spent.
        rows: rows there are; None for as many as wanted.

    Raises:
        UsageError: neither or both of ``se`` and ``budget``, or a number out of range.

    References:
        Neyman (1938) JASA 33:101; Cochran (1977) Sampling Techniques, 12.3 to 12.5.

    Examples:
        >>> found = two_phase_design(0.05, 0.11, cost_judge=0.002, cost_label=1.0, se=0.02)
        >>> found.judged, found.labelled, found.alone, found.worth_it
        (4421, 134, 400, True)
    """
    inside, outside = (as_count(one, name=name) for one, name in ((within, "within"), (between, "between")))
    judge, label = (
        as_count(one, name=name) for one, name in ((cost_judge, "cost_judge"), (cost_label, "cost_label"))
    )
    if not label > 0 or not inside + outside > 0:
        raise UsageError("a label must cost something, and something must vary")
    if (se is None) == (budget is None):
        raise UsageError("give the wanted se, or the budget")
    most = math.inf if rows is None else as_count(rows, name="rows", at_least=1)
    if judge == 0 and math.isinf(most):
        raise UsageError("a judge that costs nothing reads as many rows as there are: give rows")
    # n/M of the least cost; all that is judged is labelled when the judge explains nothing
    ratio = min(1.0, math.sqrt(inside / outside * judge / label)) if outside > 0 else 1.0
    if se is not None:
        wanted = as_count(se, name="se", at_least=1e-9) ** 2
        alone = math.ceil((inside + outside) / wanted - 1e-9)
        judged = min(most, math.ceil((inside / ratio + outside) / wanted - 1e-9)) if ratio > 0 else most
        left = wanted - outside / judged
        if left <= 0 or inside / left > judged * (1 + 1e-9):
            raise UsageError(f"{judged:g} rows cannot give an error of {se:g}, whatever is labelled")
        labelled = max(math.ceil(inside / left - 1e-9), FEWEST_LABELS)
    else:
        money = as_count(budget or 0.0, name="budget", at_least=label * FEWEST_LABELS)
        alone = int(money // label)
        each = judge + ratio * label
        first = (money - label * FEWEST_LABELS) // judge if ratio == 0 and judge > 0 else math.inf
        judged = min(most, money // each if ratio > 0 else first)
        labelled = max(FEWEST_LABELS, min(judged, (money - judge * judged) // label))
    reads, labelled = max(int(judged), int(labelled)), int(labelled)
    cost, error = reads * judge + labelled * label, math.sqrt(inside / labelled + outside / reads)
    better = cost < alone * label if se is not None else error < math.sqrt((inside + outside) / alone)
    return TwoPhase(reads, labelled, error, cost, alone, alone * label, better)


def _spread(p: Floats) -> Floats:
    """√(p(1 − p)) with the guess kept off 0 and 1."""
    held = np.clip(p, _LEAST_SPREAD, 1 - _LEAST_SPREAD)
    return np.sqrt(held * (1 - held))


def _whole(n: int, pull: Floats, least: Floats, most: Floats) -> Integers:
    """Whole numbers in proportion to ``pull`` that sum to n within bounds: the remainders that are largest go up."""

    def target(factor: float) -> Floats:
        return np.clip(factor * pull, least, most)

    some = pull > 0
    if most[some].sum() <= n:
        return np.where(some, most, 0).astype(np.int64)
    top = 1.01 * float((most[some] / pull[some]).max())
    wanted = target(bisect(lambda factor: float(target(factor).sum()) - n, 0.0, top))
    found = np.floor(wanted + 1e-9)
    room = np.argsort(-np.where(found < most, wanted - found, -1.0), kind="stable")
    found[room[: n - int(found.sum())]] += 1
    return found.astype(np.int64)


def _smallest(wide: Callable[[int], float], width: float, *, low: int, high: int) -> int | None:
    """Smallest n whose width is not above what is wanted; widths fall but for rounding."""
    if wide(high) > width:
        return None
    if wide(low) <= width:
        return low
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if wide(middle) <= width else (middle, high)
    return high
