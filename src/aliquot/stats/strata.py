"""Variance of a mean over strata of fixed shares, where a stratum of one unit is merged and named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.clusters import ClusterVariance, cluster_variance
from aliquot.stats.inputs import Floats, Integers, as_codes, as_count, as_values
from aliquot.stats.results import Record, Undefined

Shares: TypeAlias = Mapping[object, float] | Literal["size", "equal"]


@dataclass(frozen=True, slots=True)
class StratifiedVariance(Record):
    """A mean over strata with its variance, and what was merged to get it.

    Attributes:
        variance: mean, V = Σ W_h² V_h and ν = V²/Σ(W_h⁴ V_h²/ν_h).
        weights: W_h/n_h of each row; they sum to 1.
        shares: W_h of each stratum by its label's text.
        merged: strata of one unit and the neighbour each was merged with.
    """

    variance: ClusterVariance
    weights: Floats
    shares: Mapping[str, float]
    merged: tuple[tuple[str, str], ...]

    @property
    def note(self) -> str:
        """One sentence that names what was merged; empty when nothing was."""
        pairs = "; ".join(f"{one} with {other}" for one, other in self.merged)
        return f"strata of one unit merged with their neighbour: {pairs}" if pairs else ""


def stratified_variance(
    y: ArrayLike, *, strata: ArrayLike, shares: Shares = "size", clusters: ArrayLike | None = None
) -> StratifiedVariance | Undefined:
    """Variance of Σ W_h ȳ_h with fixed shares W_h.

    A stratum of one unit (row, or cluster when there are clusters) shows no variance; it is merged with the
    next stratum in the order of the labels (the last with the one before) and named. The mean stays the same.

    Args:
        y: one value a row.
        strata: one label a row.
        shares: W_h by label (of any scale), ``size`` for the rows' own shares, or ``equal``.
        clusters: one label a row; a cluster must lie within one stratum.

    Returns:
        The variance, or Undefined when all strata together have one unit.

    Raises:
        UsageError: shares that do not name exactly the strata, a negative share, a cluster in two strata.

    References:
        Cochran (1977) Sampling Techniques, 5.3 and 5.4.

    Examples:
        >>> found = stratified_variance([1, 0, 1, 1, 0, 0], strata=list("aaabbb"), shares="equal")
        >>> round(found.variance.mean, 4), round(found.variance.se, 4), round(found.variance.df, 4)
        (0.5, 0.2357, 4.0)
    """
    values = as_values(y, name="y")
    weights = stratum_weights(values.size, strata=strata, shares=shares)
    labels, codes = _labelled(strata, values.size)
    groups = None if clusters is None else as_codes(clusters, values.size, name="clusters")
    names = [str(label) for label in labels]
    blocks, merged = _merged(_units(codes, groups, weights), names)
    parts: list[tuple[float, ClusterVariance]] = []
    for block in np.unique(blocks[codes[weights > 0]]):
        rows = (blocks[codes] == block) & (weights > 0)
        part = None if groups is None else groups[rows]
        v = cluster_variance(values[rows], clusters=part, weights=weights[rows])
        if isinstance(v, Undefined):
            return v
        parts.append((float(weights[rows].sum()), v))
    by_name = dict(zip(names, np.bincount(codes, weights).tolist(), strict=True))
    return StratifiedVariance(
        _combined(parts, weights, clustered=groups is not None), weights, by_name, merged
    )


def stratum_weights(n: int, *, strata: ArrayLike, shares: Shares) -> Floats:
    """Weight W_h/n_h of each of ``n`` rows, summing to 1; arguments as in :func:`stratified_variance`."""
    labels, codes = _labelled(strata, n)
    sizes = np.bincount(codes).astype(np.float64)
    if isinstance(shares, str):
        if shares not in {"size", "equal"}:
            raise UsageError(f"unknown shares {shares!r}. Known: equal, size, or a share for each stratum")
        share = sizes if shares == "size" else np.ones(sizes.size)
    else:
        if set(shares) != set(labels):
            differing = sorted(map(str, set(shares) ^ set(labels)))
            raise UsageError(f"shares must name exactly the strata; they differ in {', '.join(differing)}")
        share = np.array([as_count(shares[label], name=f"the share of {label}") for label in labels])
    if not share.sum() > 0:
        raise UsageError("shares must not all be zero")
    return (share / share.sum() / sizes)[codes]


def _labelled(strata: ArrayLike, n: int) -> tuple[list[object], Integers]:
    """Labels of the strata in their order, and the code of each row."""
    codes = as_codes(strata, n, name="strata")
    firsts = np.unique(codes, return_index=True)[1]
    given = np.asarray(strata)
    return [given[first].item() if hasattr(given[first], "item") else given[first] for first in firsts], codes


def _units(codes: Integers, groups: Integers | None, weights: Floats) -> Integers:
    """Rows or clusters of positive weight in each stratum; a cluster may lie in one stratum only."""
    if groups is None:
        return np.bincount(codes, weights > 0).astype(np.int64)
    pairs = np.unique(np.stack([groups, codes]), axis=1)
    if pairs.shape[1] > np.unique(groups).size:
        raise UsageError(
            "a cluster lies in two strata; its rows are not independent, so strata must hold whole clusters"
        )
    share = np.bincount(codes, weights)
    return np.where(share > 0, np.bincount(pairs[1], minlength=share.size), 0).astype(np.int64)


def _merged(units: Integers, names: list[str]) -> tuple[Integers, tuple[tuple[str, str], ...]]:
    """Block of each stratum after those of one unit joined the next (the last: the one before)."""
    blocks, merged = np.arange(units.size), list[tuple[str, str]]()
    used = np.flatnonzero(units)
    for place, stratum in enumerate(used):
        if used.size > 1 and units[blocks == blocks[stratum]].sum() < 2:
            other = used[place + 1] if place + 1 < used.size else used[place - 1]
            blocks[blocks == blocks[stratum]] = blocks[other]
            merged.append((names[stratum], names[other]))
    return blocks, tuple(merged)


def _combined(
    parts: list[tuple[float, ClusterVariance]], weights: Floats, *, clustered: bool
) -> ClusterVariance:
    """V = Σ W_h² V_h and ν = V²/Σ(W_h⁴ V_h²/ν_h); ν as for equal variances when nothing varies."""
    terms = [(w * w * v.variance, v.df) for w, v in parts]
    variance = sum(term for term, _ in terms)
    if variance == 0:
        terms = [(w * w / v.kish_n, v.df) for w, v in parts]
    total = sum(term for term, _ in terms)
    return ClusterVariance(
        mean=sum(w * v.mean for w, v in parts),
        variance=variance,
        df=total**2 / sum(term**2 / df for term, df in terms),
        n=sum(v.n for _, v in parts),
        n_clusters=sum(v.n_clusters for _, v in parts),
        kish_n=float(1 / (weights @ weights)),
        clustered=clustered,
    )
