"""A pass rate that a fallible judge measured, corrected by labels: post-stratified by verdict, with MOVER limits."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from aliquot.errors import UsageError, nearest
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.diagnostics import JudgeAccuracy, judge_accuracy
from aliquot.stats.distributions import two_sided_t, two_sided_z
from aliquot.stats.effective import rarer_unseen
from aliquot.stats.inputs import Floats, as_level
from aliquot.stats.judged_rows import NO_VERDICT, Drawn, JudgedRows, judged_rows
from aliquot.stats.rates import floor_interval, rate
from aliquot.stats.results import Estimate, Record, Undefined
from aliquot.stats.strata import Shares

FEWEST_LABELS = 10
"""Under so many labels the judge's errors are not known at all, and the labels stand alone."""

_ALONE_CLUSTER = 1e-9


@dataclass(frozen=True, slots=True)
class VerdictLevel(Record):
    """One verdict: how often the judge gave it, and what labels say of it.

    Attributes:
        name: the verdict.
        share: (weighted) share of the judged rows with it.
        judged: rows with it.
        labelled: labelled rows with it.
        passes: (weighted) share of passes among those; Undefined without a label.
    """

    name: str
    share: float
    judged: int
    labelled: int
    passes: float | Undefined


@dataclass(frozen=True, slots=True)
class CorrectedRate(Record):
    """A pass rate three ways, side by side: as the judge counts, as people count, and corrected.

    Attributes:
        raw: share that the judge passes; no claim about what people would say.
        people: the labels alone.
        corrected: judge and labels together; the labels alone when there are fewer than ten.
        factor: attenuation, sensitivity + specificity − 1: a true difference shows as so much of itself in ``raw``;
            Undefined when it cannot be seen or the judge is no better than chance.
        accuracy: the judge against the labels; None when no verdict was named a pass.
        levels: the verdicts.
        labelled: rows with a label.
        judged: rows the judge read, labelled or not.
    """

    raw: Estimate | Undefined
    people: Estimate | Undefined
    corrected: Estimate | Undefined
    factor: float | Undefined
    accuracy: JudgeAccuracy | None
    levels: tuple[VerdictLevel, ...]
    labelled: int
    judged: int


def corrected_rate(
    labels: ArrayLike | Sequence[float | None],
    verdicts: ArrayLike | Sequence[Hashable],
    *,
    passes: Sequence[Hashable] | None = None,
    drawn: Drawn = "at random",
    chances: ArrayLike | None = None,
    finite: bool = False,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    shares: Shares = "size",
    level: float = 0.95,
) -> CorrectedRate:
    """Pass rate of all judged rows, from the judge's verdict on each and people's labels on some.

    θ̂ = Σ w_j p_j, w_j the share of verdict j among all rows judged, p_j the share of passes among its labelled rows (½
    when it has none). With the Jeffreys limits l_j, u_j of p_j (end-point rule; 0 and 1 without a label),
    L = θ̂ − √(Σ w_j²(p_j − l_j)² + z²(Σ w_j p_j² − θ̂²)/M), U alike, M the rows judged. Under ten labels it is the labels
    alone with Clopper–Pearson. The method holds for any judge: a bad one gives what the labels alone would.

    With clusters, weights, or labels drawn with unlike probabilities, every count is divided by one design effect, the
    cluster-robust (CR2) variance of the linearised θ̂ over that of independent rows, at least 1; and by (t_ν/z)², as
    for the rate of one system.

    Args:
        labels: 1, 0, or None/NaN where nobody labelled; one for each row that was judged.
        verdicts: the judge's verdict on each row, of any number of levels; None/NaN (no verdict, unparsed) is a level.
        passes: verdicts that count as a pass in ``raw`` and ``accuracy``; None for 1, when verdicts are 0 and 1.
        drawn: how the labelled rows were drawn: ``at random`` from all, ``by verdict`` (so many of each),
            ``by stratum``, ``by stratum and verdict``, or ``unknown``, for which nothing is claimed.
        chances: probability with which each row was drawn to be labelled, when they differ otherwise.
        finite: the rows judged are the target, not rows like them.
        clusters: one label a row; None when rows are independent.
        weights: one weight a row, for what it stands for.
        strata: one label a row, of fixed shares.
        shares: share of each stratum, ``size`` or ``equal``.
        level: confidence level.

    Returns:
        Raw, people only and corrected side by side. With labels that were picked, both of the latter are Undefined.

    Raises:
        UsageError: a label other than 0 and 1, more than 20 verdicts, an unknown pass, or a wrong shape.

    References:
        Holt & Smith (1979) JRSS A 142:33, post-stratification; Zou & Donner (2008) Stat Med 27:1693, MOVER; Brown, Cai
        & DasGupta (2001) Statist Sci 16:101, Jeffreys; joined here: design of this package.

    Examples:
        >>> labels = [1] * 24 + [0] * 6 + [1] * 3 + [0] * 7 + [None] * 360
        >>> verdicts = [1] * 30 + [0] * 10 + [1] * 270 + [0] * 90
        >>> found = corrected_rate(labels, verdicts)
        >>> print(found.raw)
        0.7500 [0.7053, 0.7899] 95% wilson, n = 400
        >>> print(found.corrected)
        0.6750 [0.5381, 0.7905] 95% post_stratified_mover, n = 40
        >>> print(corrected_rate([1, 1, 1, None, None], [1, 1, 1, 0, 1]).corrected)
        1.0000 [0.2924, 1.0000] 95% clopper_pearson, n = 3
    """
    level = as_level(level)
    rows = judged_rows(
        labels,
        verdicts,
        clusters=clusters,
        weights=weights,
        strata=strata,
        shares=shares,
        drawn=drawn,
        chances=chances,
    )
    said = _passed(rows, verdicts_named(passes, rows.levels))
    raw, accuracy = _raw(rows, said, level=level)
    people, corrected = _people(rows, level=level), _corrected(rows, finite=finite, level=level)
    return CorrectedRate(
        raw=raw,
        people=people,
        corrected=corrected,
        factor=Undefined("name the verdicts that count as a pass") if accuracy is None else accuracy.factor,
        accuracy=accuracy,
        levels=_levels(rows),
        labelled=int(rows.labelled.sum()),
        judged=rows.labels.size,
    )


def post_stratified_limits(
    shares: ArrayLike, rates: ArrayLike, sizes: ArrayLike, *, between: ArrayLike, level: float
) -> tuple[Floats, Floats]:
    """MOVER limits of Σ w_j p_j on arrays; trusts its input (see :func:`corrected_rate`).

    Args:
        shares: w_j, verdicts along the last axis; they sum to 1.
        rates: p_j; ignored where nothing is labelled.
        sizes: n_j, labelled rows of each verdict or what they are worth; 0 where nothing is labelled.
        between: z² times the variance of the mean p_j of the judged rows; 0 for a finite set.
        level: confidence level.

    Returns:
        Lower and upper limits.

    Examples:
        >>> low, high = post_stratified_limits([0.75, 0.25], [0.8, 0.3], [30, 10], between=0.0005, level=0.95)
        >>> round(float(low), 4), round(float(high), 4)
        (0.5379, 0.7907)
    """
    w, p, n = np.broadcast_arrays(*(np.asarray(one, dtype=np.float64) for one in (shares, rates, sizes)))
    p, tail = np.where(n > 0, p, 0.5), (1 - level) / 2
    a, b = p * n + 0.5, (1 - p) * n + 0.5
    low = np.where((n == 0) | (p == 0), 0.0, special.betaincinv(a, b, tail))
    high = np.where((n == 0) | (p == 1), 1.0, special.betaincinv(a, b, 1 - tail))
    theta = (w * p).sum(axis=-1)
    below = np.sqrt((w**2 * (p - low) ** 2).sum(axis=-1) + between)
    above = np.sqrt((w**2 * (high - p) ** 2).sum(axis=-1) + between)
    return np.maximum(theta - below, 0.0), np.minimum(theta + above, 1.0)


def verdicts_named(passes: Sequence[Hashable] | None, levels: tuple[str, ...]) -> list[str] | None:
    """Names of the levels that count as a pass; None when none is named and the verdicts are not 0 and 1."""
    if passes is None:
        return ["1"] if set(levels) <= {"0", "1", NO_VERDICT} else None
    passes = [passes] if isinstance(passes, str) else passes
    named = [f"{one:g}" if isinstance(one, int | float) else str(one) for one in passes]
    unknown = next((name for name in named if name not in levels), None)
    if unknown is not None and not set(named) & set(levels):
        raise UsageError(f"no verdict is {unknown!r}. {nearest(unknown, levels)}")
    return named


def _passed(rows: JudgedRows, named: list[str] | None) -> Floats | None:
    """1 and 0 for each row's verdict, NaN without one."""
    if named is None:
        return None
    of_level = [np.nan if name == NO_VERDICT else float(name in named) for name in rows.levels]
    return np.array(of_level)[rows.verdicts]


def _raw(
    rows: JudgedRows, said: Floats | None, *, level: float
) -> tuple[Estimate | Undefined, JudgeAccuracy | None]:
    """Share of passes among the rows with a verdict, and the judge against the labels."""
    if said is None:
        return Undefined(f"which of the verdicts {', '.join(rows.levels)} is a pass was not named"), None
    given, labelled = ~np.isnan(said), rows.labelled
    raw: Estimate | Undefined = Undefined("the judge gave no verdict on any row")
    if given.any():
        groups = None if rows.clusters is None else rows.clusters[given]
        raw = rate(said[given], clusters=groups, weights=rows.weights[given], level=level)
    groups = None if rows.clusters is None else rows.clusters[labelled]
    found = judge_accuracy(
        rows.labels[labelled], said[labelled], clusters=groups, weights=rows.drawn, level=level
    )
    return raw, found


def _people(rows: JudgedRows, *, level: float) -> Estimate | Undefined:
    """The labels alone; Clopper–Pearson when they are few."""
    if rows.refused is not None:
        return rows.refused
    known = rows.labels[rows.labelled]
    groups = None if rows.clusters is None else rows.clusters[rows.labelled]
    form = floor_interval if known.size < FEWEST_LABELS else rate
    found = form(known, clusters=groups, weights=rows.drawn, level=level)
    return replace(found, why="the labels alone") if isinstance(found, Estimate) else found


def _corrected(rows: JudgedRows, *, finite: bool, level: float) -> Estimate | Undefined:
    labelled = int(rows.labelled.sum())
    if rows.refused is not None:
        return rows.refused
    if labelled < FEWEST_LABELS:
        alone = _people(rows, level=level)
        if isinstance(alone, Undefined):
            return alone
        few = f"{labelled} labels, the minimum is {FEWEST_LABELS}: too few to know the judge's errors; the labels alone"
        return replace(alone, why=few)
    cells = _cells(rows)
    effect = _design_effect(rows, cells, finite=finite, level=level)
    if isinstance(effect, Undefined):
        return effect
    z, stretch = two_sided_z(level), effect.ratio * effect.stretch
    between = 0.0 if finite else z**2 * stretch * cells.between
    low, high = post_stratified_limits(
        cells.shares, cells.rates, cells.sizes / stretch, between=between, level=level
    )
    point = float(cells.shares @ cells.rates)
    variance = effect.ratio * (cells.within + (0.0 if finite else cells.between))
    return Estimate(
        point=point,
        low=min(float(low), point),
        high=max(float(high), point),
        level=level,
        method="post_stratified_mover" if rows.plain else "post_stratified_mover_effective_n",
        n=labelled,
        se=math.sqrt(variance),
        df=effect.df,
        clusters=None if rows.clusters is None else int(np.unique(rows.clusters[rows.labelled]).size),
        n_eff=None if rows.plain else float(cells.sizes.sum()) / effect.ratio,
        settings={"judged": rows.labels.size, "finite": finite, "design_effect": effect.ratio},
        why=f"{labelled} of {rows.labels.size} judged rows are labelled; shares of verdicts from all of them",
    )


@dataclass(frozen=True, slots=True)
class _Cells:
    """Verdicts: share w_j, p_j, n_j (what the labels are worth), and the two parts of the variance of θ̂."""

    shares: Floats
    rates: Floats
    sizes: Floats
    within: float
    between: float


@dataclass(frozen=True, slots=True)
class _Effect:
    """Variance over that of independent rows, the factor (t/z)² of its degrees of freedom, and those."""

    ratio: float
    stretch: float
    df: float | None


def _cells(rows: JudgedRows) -> _Cells:
    count, labelled = len(rows.levels), rows.labelled
    of_label, known, w = rows.verdicts[labelled], rows.labels[labelled], rows.drawn
    even = rows.weights.min() == rows.weights.max()
    shares = np.bincount(rows.verdicts, None if even else rows.weights, minlength=count).astype(np.float64)
    total, squares = (np.bincount(of_label, part, minlength=count) for part in (w, w * w))
    hits = np.bincount(of_label, w * known, minlength=count)
    rates = np.divide(hits, total, out=np.full(count, 0.5), where=total > 0)
    sizes = np.divide(total**2, squares, out=np.zeros(count), where=total > 0)
    shares /= shares.sum()
    spread = np.divide(shares**2 * rates * (1 - rates), sizes, out=np.zeros(count), where=sizes > 0)
    apart = rows.weights * _centred(rows, rates)
    return _Cells(shares, rates, sizes, float(spread.sum()), float(apart @ apart))


def _centred(rows: JudgedRows, rates: Floats) -> Floats:
    """p_j of each judged row less its mean, within strata when their shares are fixed."""
    values = rates[rows.verdicts]
    codes = np.zeros(values.size, dtype=np.int64) if rows.strata is None else rows.strata
    means = np.bincount(codes, rows.weights * values) / np.bincount(codes, rows.weights)
    return values - means[codes]


def _design_effect(rows: JudgedRows, cells: _Cells, *, finite: bool, level: float) -> _Effect | Undefined:
    if rows.plain:
        return _Effect(1.0, 1.0, None)
    labelled, count = rows.labelled, len(rows.levels)
    groups = np.arange(rows.labels.size) if rows.clusters is None else rows.clusters
    of_label, known = rows.verdicts[labelled], rows.labels[labelled]
    total = np.bincount(of_label, rows.drawn, minlength=count)
    pull = cells.shares[of_label] * rows.drawn / total[of_label]
    v = cluster_variance(known, clusters=groups[labelled], weights=pull)
    if isinstance(v, Undefined):
        return v
    parts = np.zeros((int(groups.max()) + 1, count + 1))
    held = np.zeros_like(parts)
    np.add.at(parts, (groups[labelled], of_label), pull * (known - cells.rates[of_label]))
    np.add.at(held, (groups[labelled], of_label), rows.drawn / total[of_label])
    if not finite:
        np.add.at(parts[:, count], groups, rows.weights * _centred(rows, cells.rates))
        np.add.at(held[:, count], groups, rows.weights)
    # CR2 by level: a cluster that holds all of a level leaves no residual there
    rest = np.where(1 - held > _ALONE_CLUSTER, 1 - held, 1.0)
    variance = float(((parts / np.sqrt(rest)).sum(axis=1) ** 2).sum())
    plain = cells.within + (0.0 if finite else cells.between)
    worth = float(cells.sizes.sum())
    unseen = rows.clusters is not None and rarer_unseen(known, rows.clusters[labelled])
    ratio = max(1.0, variance / plain) if plain > 0 else 1.0
    if unseen or cells.within == 0:
        ratio = max(ratio, worth / v.n_clusters)
    return _Effect(ratio, (two_sided_t(level, v.df) / two_sided_z(level)) ** 2, v.df)


def _levels(rows: JudgedRows) -> tuple[VerdictLevel, ...]:
    cells, labelled = _cells(rows), rows.labelled
    judged = np.bincount(rows.verdicts, minlength=len(rows.levels))
    known = np.bincount(rows.verdicts[labelled], minlength=len(rows.levels))
    return tuple(
        VerdictLevel(
            name=name,
            share=float(cells.shares[place]),
            judged=int(judged[place]),
            labelled=int(known[place]),
            passes=float(cells.rates[place]) if known[place] else Undefined("no row with it is labelled"),
        )
        for place, name in enumerate(rows.levels)
    )
