"""Estimates over strata of fixed shares: a mean, a paired difference, and its sign-flip test."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.clusters import t_interval
from aliquot.stats.distributions import two_sided_t, two_sided_z
from aliquot.stats.effective import rarer_unseen
from aliquot.stats.inputs import Floats, RandomSource, as_codes, as_level, as_values
from aliquot.stats.paired import differences
from aliquot.stats.paired_forms import effective_tango, graded_interval
from aliquot.stats.permutation import sign_flip
from aliquot.stats.proportions import wilson
from aliquot.stats.results import Alternative, Estimate, HypothesisTest, Undefined
from aliquot.stats.strata import Shares, StratifiedVariance, stratified_variance, stratum_weights


def stratified_mean(
    y: ArrayLike,
    *,
    strata: ArrayLike,
    shares: Shares = "size",
    clusters: ArrayLike | None = None,
    low: float | None = None,
    high: float | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Mean over strata of fixed shares: Wilson on n* for bounded values (0 and 1 need no bounds), else t.

    n_eff = m(1 − m)/V, never above n, nor above the number of clusters when the rarer outcome lies in fewer than
    three of them; arguments else as in :func:`stratified_variance`.

    Args:
        y: one value a row.
        strata: one label a row.
        shares: W_h by label, ``size`` or ``equal``.
        clusters: one label a row.
        low: smallest possible value; None for unbounded values.
        high: largest possible value.
        level: confidence level.

    Raises:
        UsageError: as in :func:`stratified_variance`, or a value outside the bounds.

    References:
        Cochran (1977) Sampling Techniques, 5.3 and 5.4; Wilson (1927) JASA 22:209.

    Examples:
        >>> print(stratified_mean([1, 0, 1, 1, 0, 0], strata=list("aaabbb"), shares="equal"))
        0.5000 [0.1027, 0.8973] 95% wilson_stratified, n = 6
    """
    level = as_level(level)
    values, bounds = _bounded(y, low=low, high=high, name="y")
    found = stratified_variance(values, strata=strata, shares=shares, clusters=clusters)
    if isinstance(found, Undefined):
        return found
    if bounds is None:
        return _t_interval(found, level=level)
    v, (least, width) = found.variance, bounds
    spread = max(0.0, v.mean * (1 - v.mean))
    if v.variance > 0:
        n_eff = min(v.n, spread / v.variance)
    else:
        n_eff = min(v.n_clusters, v.kish_n) if values.min() == values.max() else min(v.n, v.kish_n)
    if clusters is not None and rarer_unseen(values, as_codes(clusters, values.size, name="clusters")):
        n_eff = min(n_eff, float(v.n_clusters))
    n_star = n_eff * (two_sided_z(level) / two_sided_t(level, v.df)) ** 2
    limits = wilson(min(max(v.mean, 0.0), 1.0) * n_star, n_star, level=level)
    return replace(
        limits,
        point=least + v.mean * width,
        low=least + limits.low * width,
        high=least + limits.high * width,
        method="wilson_stratified",
        n=v.n,
        se=v.se * width,
        df=v.df,
        clusters=v.n_clusters if v.clustered else None,
        n_eff=n_eff,
        settings={"shares": found.shares, "merged": found.merged, "n_star": n_star},
        why=_why("mean over strata of fixed shares", found.note),
    )


def stratified_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    strata: ArrayLike,
    shares: Shares = "size",
    clusters: ArrayLike | None = None,
    low: float | None = None,
    high: float | None = None,
    level: float = 0.95,
) -> Estimate | Undefined:
    """Paired difference over strata of fixed shares, candidate minus baseline.

    Binary values (all 0 or 1): Tango on effective n with V over strata; scores as for
    :func:`aliquot.stats.paired.paired_graded_difference`. n_eff is never above n.

    Args:
        a: the baseline's value on each item.
        b: the candidate's value on the same items.
        strata: one label an item.
        shares: W_h by label, ``size`` or ``equal``.
        clusters: one label an item.
        low: smallest possible score; None for binary or unbounded scores.
        high: largest possible score.
        level: confidence level.

    Raises:
        UsageError: as in :func:`stratified_variance`, lengths differ, or a value outside the bounds.

    References:
        Cochran (1977) Sampling Techniques, 5.3 and 5.4; Tango (1998), Statistics in Medicine 17:891-908.

    Examples:
        >>> print(stratified_difference([1, 0, 1, 0, 0, 1], [1, 1, 1, 0, 1, 1], strata=list("aaabbb")))
        0.3333 [-0.5445, 0.8410] 95% tango_stratified, n = 6
    """
    level = as_level(level)
    first, bounds = _bounded(a, low=low, high=high, name="a")
    second, other = _bounded(b, low=low, high=high, name="b")
    scale = None if bounds is None or other is None else bounds[1]
    found = stratified_variance(differences(first, second), strata=strata, shares=shares, clusters=clusters)
    if isinstance(found, Undefined):
        return found
    square = found.weights * (second - first) ** 2
    binary = bounds == other == (0.0, 1.0) and all(np.isin(side, (0, 1)).all() for side in (first, second))
    if binary:
        result = effective_tango(found.variance, psi=float(square.sum()), level=level)
    else:
        result = graded_interval(found.variance, square=square, plain=False, scale=scale, level=level)
    if isinstance(result, Undefined):
        return result
    return replace(
        result,
        method="tango_stratified" if binary else f"{result.method}_stratified",
        settings={**result.settings, "shares": found.shares, "merged": found.merged},
        why=_why("difference over strata of fixed shares", result.why, found.note),
    )


def stratified_sign_flip(
    d: ArrayLike,
    *,
    strata: ArrayLike,
    shares: Shares = "size",
    clusters: ArrayLike | None = None,
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> HypothesisTest:
    """Sign-flip test of Σ W_h d̂_h, binary differences too; see :func:`aliquot.stats.permutation.sign_flip`.

    Raises:
        UsageError: as in :func:`stratified_variance`.

    References:
        Fisher (1935) The Design of Experiments, sec. 21.

    Examples:
        >>> print(stratified_sign_flip([1, 1, 0, 1, 1, -1, 1], strata=list("aaaabbb")))
        sign_flip: p = 0.2188 (two-sided)
    """
    values = as_values(d, name="d")
    return sign_flip(
        values,
        clusters=clusters,
        weights=stratum_weights(values.size, strata=strata, shares=shares),
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
    )


def _bounded(
    y: ArrayLike, *, low: float | None, high: float | None, name: str
) -> tuple[Floats, tuple[float, float] | None]:
    """Values rescaled to [0, 1] with (low, high − low); zeros and ones need no bounds."""
    values = as_values(y, name=name, low=low, high=high)
    if low is None and high is None:
        return values, (0.0, 1.0) if np.isin(values, (0, 1)).all() else None
    if low is None or high is None or not low < high:
        raise UsageError(f"give both low and high, low below high; got {low} and {high}")
    return (values - low) / (high - low), (float(low), float(high - low))


def _t_interval(found: StratifiedVariance, *, level: float) -> Estimate | Undefined:
    v = found.variance
    if v.variance == 0:
        return Undefined("values do not vary and have no bounds, so the error of their mean cannot be seen")
    return t_interval(
        v,
        level=level,
        method="t_stratified",
        why=_why("mean over strata of fixed shares", found.note),
        settings={"shares": found.shares, "merged": found.merged},
    )


def _why(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))
