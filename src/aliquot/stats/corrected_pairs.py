"""The difference of two systems that a fallible judge measured, corrected by labels: PPI++ and Tango."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.corrected import FEWEST_LABELS
from aliquot.stats.corrected_means import FEWEST_GRADED
from aliquot.stats.distributions import two_sided_t, two_sided_z
from aliquot.stats.inputs import Floats, Integers, as_level, as_values
from aliquot.stats.judged_rows import Drawn, Layout, as_labels, draw_weights, layout
from aliquot.stats.paired import paired_difference
from aliquot.stats.paired_score import tango
from aliquot.stats.prediction_powered import Powered, Predicted, normal_interval_of, powered
from aliquot.stats.results import Estimate, Record, Undefined
from aliquot.stats.strata import Shares

_Given: TypeAlias = ArrayLike | Sequence[float | None]


@dataclass(frozen=True, slots=True)
class CorrectedDifference(Record):
    """A difference three ways, side by side, candidate minus baseline: as judged, as people say, and corrected.

    Attributes:
        raw: the judge's verdicts on all items; a judge that errs shows too small a difference, or another one.
        people: the items labelled for both systems alone.
        corrected: judge and labels together; the labels alone where that is narrower, or there are fewer than ten.
        trust: λ, how much of the judge's difference is used: 0 for none.
        labelled: items with a label of both systems.
        half_labelled: items with a label of one system only; they count as not labelled.
        judged: items the judge read.
    """

    raw: Estimate | Undefined
    people: Estimate | Undefined
    corrected: Estimate | Undefined
    trust: float
    labelled: int
    half_labelled: int
    judged: int


def corrected_difference(
    labels_a: ArrayLike | Sequence[float | None],
    labels_b: ArrayLike | Sequence[float | None],
    verdicts_a: ArrayLike | Sequence[float | None],
    verdicts_b: ArrayLike | Sequence[float | None],
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
) -> CorrectedDifference:
    """Difference on shared items, from a judge's verdicts on all of them and people's labels on some.

    With D the labelled and F the judged difference of an item, n labelled of n + N: λ = cov(D, F)/((1 + n/N) var F) cut
    to [0, 1], d̂ = D̄ + λ(F̄_N − F̄_n), V = s²(D − λF)/n + λ² var(F_N)/N, ψ̂ the larger of |d̂| and the labelled share
    with D ≠ 0; Tango on n_eff = (ψ̂ − d̂²)/V held in [n, n + N], n when V = 0. Where that is wider than Tango on the
    labels, those are given.

    With clusters, weights or labels drawn unlike, V is that of the linearised d̂ by cluster (CR2), the lower bound of
    n_eff falls away, and Tango is asked at n_eff (z/t_ν)². Under ten labelled items it is those alone.

    Grades instead of 0 and 1: PPI++ with its normal interval from 200 labelled items on, those alone under it.

    Args:
        labels_a: the baseline's labels, None or NaN where there is none, one for each item that was judged.
        labels_b: the candidate's labels of the same items.
        verdicts_a: the judge's verdicts on the baseline, numbers; None or NaN is no verdict, and an item that lacks
            one counts as judged alike for both.
        verdicts_b: the judge's verdicts on the candidate.
        drawn: as in :func:`aliquot.stats.corrected_rate`; ``by verdict`` is by the pair of verdicts.
        chances: probability with which each item was drawn to be labelled, when they differ otherwise.
        finite: the items judged are the target, not items like them.
        low: smallest grade there is; None for passes, or grades without limits.
        high: largest grade there is.
        clusters: one label an item; None when items are independent.
        weights: one weight an item.
        strata: one label an item, of fixed shares.
        shares: share of each stratum, ``size`` or ``equal``.
        level: confidence level.

    Returns:
        Raw, people only and corrected side by side.

    Raises:
        UsageError: values that are no numbers, labels outside the limits, or arguments of the wrong shape.

    References:
        Angelopoulos, Duchi & Zrnic (2023), PPI++, arXiv:2311.01453, section 6; Tango (1998) Stat Med 17:891; joined
        here: design of this package.

    Examples:
        >>> labels_a = [1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1] + [None] * 24
        >>> labels_b = [1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1] + [None] * 24
        >>> verdicts_a, verdicts_b = [1, 0, 1, 0, 0, 1] * 6, [1, 1, 1, 0, 1, 1] * 6
        >>> found = corrected_difference(labels_a, labels_b, verdicts_a, verdicts_b)
        >>> print(found.people)
        0.2500 [-0.0531, 0.5323] 95% tango, n = 12
        >>> print(found.corrected)
        0.2500 [-0.0454, 0.5277] 95% tango_prediction_powered, n = 12
    """
    level = as_level(level)
    pairs = _checked(labels_a, labels_b, verdicts_a, verdicts_b, low=low, high=high)
    items = layout(pairs.d.size, clusters=clusters, weights=weights, strata=strata, shares=shares)
    inverse = draw_weights(pairs.d, pairs.kinds, strata=items.strata, drawn=drawn, chances=chances)
    raw, n = _raw(pairs, items, level=level), int((~np.isnan(pairs.d)).sum())
    if isinstance(inverse, Undefined):
        people: Estimate | Undefined = inverse
        return CorrectedDifference(raw, people, inverse, 0.0, n, pairs.half, pairs.d.size)
    rows = Predicted(
        pairs.d,
        pairs.f,
        drawn=items.stands_for(inverse, ~np.isnan(pairs.d)),
        weights=items.weights,
        clusters=items.clusters,
        strata=items.strata,
    )
    people = _people(pairs, rows, level=level)
    few = FEWEST_LABELS if pairs.binary else FEWEST_GRADED
    if n < few or isinstance(people, Undefined):
        corrected = _alone(people, f"{n} labelled items, the minimum is {few}: the labels alone")
        return CorrectedDifference(raw, people, corrected, 0.0, n, pairs.half, pairs.d.size)
    found = powered(rows, finite=finite, ddof=1)
    if isinstance(found, Undefined):
        return CorrectedDifference(raw, people, found, 0.0, n, pairs.half, pairs.d.size)
    if pairs.binary:
        corrected = _tango(found, rows, people, level=level)
    else:
        corrected = _graded(found, people, n=n, reach=pairs.reach, level=level)
    return CorrectedDifference(raw, people, corrected, found.tuning, n, pairs.half, pairs.d.size)


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Sides of the items: labels, their difference where both are labelled (NaN elsewhere), the judged difference.

    ``kinds`` tells pairs of verdicts apart, ``half`` counts items labelled for one system; ``reach`` is high − low.
    """

    a: Floats
    b: Floats
    seen_a: Floats
    seen_b: Floats
    d: Floats
    f: Floats
    kinds: Integers
    half: int
    binary: bool
    low: float | None
    high: float | None

    @property
    def reach(self) -> float | None:
        return None if self.low is None or self.high is None else self.high - self.low


def _checked(
    labels_a: _Given,
    labels_b: _Given,
    verdicts_a: _Given,
    verdicts_b: _Given,
    *,
    low: float | None,
    high: float | None,
) -> _Pairs:
    if (low is None) != (high is None) or (low is not None and high is not None and not low < high):
        raise UsageError(f"give both low and high, low below high, or neither; got {low} and {high}")
    names = ("labels_a", "labels_b", "verdicts_a", "verdicts_b")
    given = (labels_a, labels_b, verdicts_a, verdicts_b)
    sides = [as_labels(one, name=name, binary=False) for name, one in zip(names, given, strict=True)]
    sizes = [side.size for side in sides]
    if len(set(sizes)) > 1:
        raise UsageError(
            f"labels and verdicts must be of the same items; got {', '.join(map(str, sizes))} values"
        )
    if not sizes[0]:
        raise UsageError("there is no item")
    for name, side in zip(names[:2], sides[:2], strict=True):
        as_values(side[~np.isnan(side)], name=name, at_least=0, low=low, high=high)
    a, b, seen_a, seen_b = sides
    known = np.concatenate([a[~np.isnan(a)], b[~np.isnan(b)]])
    binary = (low, high) in {(None, None), (0, 1)} and bool(np.isin(known, (0, 1)).all())
    f = seen_b - seen_a
    kinds = np.unique(
        np.stack([np.nan_to_num(seen_a, nan=-1e9), np.nan_to_num(seen_b, nan=-1e9)]),
        axis=1,
        return_inverse=True,
    )[1]
    return _Pairs(
        a=a,
        b=b,
        seen_a=seen_a,
        seen_b=seen_b,
        d=b - a,
        f=np.where(np.isnan(f), 0.0, f),
        kinds=kinds.astype(np.int64).reshape(-1),
        half=int((np.isnan(a) != np.isnan(b)).sum()),
        binary=binary,
        low=low,
        high=high,
    )


def _raw(pairs: _Pairs, items: Layout, *, level: float) -> Estimate | Undefined:
    both = ~(np.isnan(pairs.seen_a) | np.isnan(pairs.seen_b))
    if not both.any():
        return Undefined("the judge gave no item two verdicts")
    a, b = pairs.seen_a[both], pairs.seen_b[both]
    inside = bool(
        pairs.low is not None
        and pairs.high is not None
        and min(a.min(), b.min()) >= pairs.low
        and max(a.max(), b.max()) <= pairs.high
    )
    return paired_difference(
        a,
        b,
        low=pairs.low if inside else None,
        high=pairs.high if inside else None,
        clusters=None if items.clusters is None else items.clusters[both],
        weights=None if items.weights is None else items.weights[both],
        level=level,
    )


def _people(pairs: _Pairs, rows: Predicted, *, level: float) -> Estimate | Undefined:
    both = rows.labelled
    groups = None if rows.clusters is None else rows.clusters[both]
    return paired_difference(
        pairs.a[both],
        pairs.b[both],
        low=pairs.low,
        high=pairs.high,
        clusters=groups,
        weights=rows.drawn,
        level=level,
    )


def _alone(people: Estimate | Undefined, why: str) -> Estimate | Undefined:
    return people if isinstance(people, Undefined) else replace(people, why=why)


def _tango(found: Powered, rows: Predicted, people: Estimate, *, level: float) -> Estimate:
    """Tango on the effective number of items that gives the corrected difference its variance."""
    d, labelled = rows.values[rows.labelled], int(rows.labelled.sum())
    mean, judged = min(max(found.mean, -1.0), 1.0), rows.values.size
    psi = max(float(np.average(d != 0, weights=rows.drawn)), abs(mean))
    apart = psi - mean**2
    n_eff = float(labelled) if found.variance == 0 else min(apart / found.variance, float(judged))
    if rows.plain:
        n_eff = max(n_eff, float(labelled))
    elif apart == 0 or psi == 0:
        n_eff = float(labelled if found.clusters is None else found.clusters)
    n_star = (
        n_eff if math.isinf(found.df) else n_eff * (two_sided_z(level) / two_sided_t(level, found.df)) ** 2
    )
    limits = tango(n_star * (psi + mean) / 2, n_star * (psi - mean) / 2, n_star, level=level)
    if limits.width >= people.width:
        return replace(people, why=f"the judge adds nothing to {labelled} labelled items: the labels alone")
    return replace(
        limits,
        point=found.mean,
        method="tango_prediction_powered",
        n=float(labelled),
        se=math.sqrt(found.variance),
        df=None if math.isinf(found.df) else found.df,
        clusters=found.clusters,
        n_eff=n_eff,
        settings={"tuning": found.tuning, "judged": judged, "psi": psi, "n_star": n_star},
        why=f"{labelled} of {judged} judged items are labelled; the judge's differences count {found.tuning:.2f}",
    )


def _graded(
    found: Powered, people: Estimate, *, n: int, reach: float | None, level: float
) -> Estimate | Undefined:
    interval = normal_interval_of(found, n=n, level=level)
    if isinstance(interval, Undefined):
        return _alone(people, "labels and verdicts leave no variation: the labels alone")
    if reach is None:
        return interval
    return replace(interval, low=max(interval.low, -reach), high=min(interval.high, reach))
