"""The comparison on a given mixture of a field's levels (the traffic a system will meet), and where its sign turns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from aliquot.analysis.arrays import PairedSample
from aliquot.analysis.method import interval_of_pairs
from aliquot.analysis.parts import labels_of, part_of
from aliquot.errors import UsageError, nearest
from aliquot.evidence.units import Pairs
from aliquot.findings.scale import Scale
from aliquot.findings.shares import BreakEven, Reweighted
from aliquot.stats.clusters import cluster_variance
from aliquot.stats.decision import decided_interval
from aliquot.stats.inputs import Floats, as_count
from aliquot.stats.permutation import sign_flip
from aliquot.stats.ratios import UnboundedRatio, fieller_from_moments
from aliquot.stats.results import Estimate, Undefined
from aliquot.stats.stratified import stratified_difference


def reweigh(
    pairs: Pairs,
    sample: PairedSample,
    scale: Scale,
    *,
    field: str,
    shares: Mapping[str, float],
    level: float,
    seed: int,
) -> Reweighted:
    """Return the difference with every level of a field given its share, and the shares that would turn its sign.

    Args:
        pairs: the shared items with their ``segment.*`` columns.
        sample: those with a value on both sides.
        scale: the metric's scale.
        field: the field.
        shares: share of each of its levels, of any scale (``{"de": 30, "en": 70}``).
        level: confidence level.
        seed: seed of the flips.

    Raises:
        UsageError: no such field, shares that do not name exactly its levels, or a share that is negative.
    """
    labels = labels_of(pairs, sample, field)
    known = np.array([label is not None for label in labels], dtype=np.bool_)
    inside = part_of(sample, known)
    strata = np.array([label for label in labels if label is not None], dtype=np.str_)
    levels, counts = np.unique(strata, return_counts=True)
    given = _as_shares(shares, [str(one) for one in levels], field=field)
    observed = {str(one): count / strata.size for one, count in zip(levels, counts, strict=True)}
    weights = _weights(inside, strata, given)
    difference, test = _difference(inside, scale, strata, given, weights=weights, level=level), None
    if isinstance(difference, Estimate):
        test = sign_flip(inside.d, clusters=inside.clusters, weights=weights, rng=seed)
        difference = decided_interval(difference, test, level=level)
    return Reweighted(
        field=field,
        given=given,
        observed=observed,
        n=inside.n,
        unlabelled=sample.n - inside.n,
        difference=difference,
        test=test,
        break_even=tuple(
            BreakEven(one, given[one], observed[one], _turning_share(inside, strata, given, one, level=level))
            for one in given
        ),
    )


def _as_shares(shares: Mapping[str, float], levels: list[str], *, field: str) -> dict[str, float]:
    for name in shares:
        if name not in levels:
            raise UsageError(
                f"no item has {field} {name!r}, so it can have no share. {nearest(name, levels)}"
            )
    lacking = [name for name in levels if name not in shares]
    if lacking:
        raise UsageError(
            f"shares of {field} must name all its levels; {', '.join(lacking)} missing (a share may be 0)"
        )
    given = {name: as_count(shares[name], name=f"the share of {name}") for name in levels}
    total = sum(given.values())
    if total == 0:
        raise UsageError(f"the shares of {field} are all 0; give the mixture that matters")
    return {name: share / total for name, share in given.items()}


def _weights(sample: PairedSample, strata: np.ndarray, given: Mapping[str, float]) -> Floats:
    """Weight of each item: its level's share, divided among the level's items by their own weights."""
    own = np.ones(sample.n) if sample.weights is None else sample.weights
    weights = np.zeros(sample.n)
    for name, share in given.items():
        here = strata == name
        weights[here] = share * own[here] / own[here].sum()
    return weights


def _difference(
    sample: PairedSample,
    scale: Scale,
    strata: np.ndarray,
    given: Mapping[str, float],
    *,
    weights: Floats,
    level: float,
) -> Estimate | Undefined:
    """Strata of fixed shares; where clusters cross them, or items weigh differently within, the weights of items."""
    crossed = sample.clusters is not None and _crossed(sample.clusters, strata)
    if crossed or sample.weights is not None:
        weighted = replace(sample, strata=None, weights=weights)
        return interval_of_pairs(weighted, scale, level=level)[0]
    kept = weights > 0
    return stratified_difference(
        sample.a[kept],
        sample.b[kept],
        strata=strata[kept],
        shares={name: share for name, share in given.items() if share > 0},
        clusters=None if sample.clusters is None else sample.clusters[kept],
        low=scale.low,
        high=scale.high,
        level=level,
    )


def _crossed(clusters: np.ndarray, strata: np.ndarray) -> bool:
    codes = np.unique(strata, return_inverse=True)[1].reshape(-1)
    return np.unique(np.stack([clusters, codes]), axis=1).shape[1] > np.unique(clusters).size


@dataclass(frozen=True, slots=True)
class _Moments:
    """Mean difference of a group of items and its variance."""

    mean: float
    variance: float


def _turning_share(
    sample: PairedSample, strata: np.ndarray, given: Mapping[str, float], name: str, *, level: float
) -> Estimate | UnboundedRatio | Undefined:
    """Share s of one level at which s d_level + (1 − s) d_rest = 0, so s = d_rest/(d_rest − d_level), by Fieller."""
    if sample.clusters is not None and _crossed(sample.clusters, strata):
        return Undefined("clusters lie across the levels, whose errors are not independent")
    own = _moments(sample, strata == name)
    if isinstance(own, Undefined):
        return own
    rest = _mixture(sample, strata, {other: share for other, share in given.items() if other != name})
    if isinstance(rest, Undefined):
        return rest
    if own.mean * rest.mean >= 0:
        return Undefined("its difference and that of the rest have one sign, so no share turns it")
    found = fieller_from_moments(
        rest.mean,
        rest.mean - own.mean,
        variances=(rest.variance, rest.variance + own.variance),
        covariance=rest.variance,
        n=sample.n,
        level=level,
    )
    if isinstance(found, Estimate):
        return replace(found, low=max(0.0, found.low), high=min(1.0, found.high))
    return found


def _mixture(sample: PairedSample, strata: np.ndarray, shares: Mapping[str, float]) -> _Moments | Undefined:
    total = sum(shares.values())
    if total == 0:
        return Undefined("the other levels have no share to keep their proportions by")
    mean = variance = 0.0
    for name, share in shares.items():
        if share > 0:
            part = _moments(sample, strata == name)
            if isinstance(part, Undefined):
                return part
            mean += share / total * part.mean
            variance += (share / total) ** 2 * part.variance
    return _Moments(mean, variance)


def _moments(sample: PairedSample, kept: np.ndarray) -> _Moments | Undefined:
    part = part_of(sample, kept)
    found = cluster_variance(part.d, clusters=part.clusters, weights=part.weights)
    return found if isinstance(found, Undefined) else _Moments(found.mean, found.variance)
