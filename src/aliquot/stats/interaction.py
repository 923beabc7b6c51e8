"""Does a paired difference vary from group to group: a permutation test of the groups' labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike

from aliquot.stats.clusters import cluster_codes
from aliquot.stats.inputs import (
    Floats,
    Integers,
    RandomSource,
    as_codes,
    as_count,
    as_generator,
    as_values,
    as_weights,
)
from aliquot.stats.results import HypothesisTest, Undefined

_TIE = 1e-9
_HELD = 2_000_000
"""Permuted units held at once."""
_KINDS = 8
"""Up to so many kinds of unit are counted by group instead of moved one by one."""


def interaction_test(
    d: ArrayLike,
    *,
    segments: ArrayLike,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> HypothesisTest | Undefined:
    """Test whether a paired difference is the same in all groups, by permuting the groups' labels.

    The statistic is the weighted sum of squares between groups, Σ_s w_s (d̄_s − d̄)². Labels are permuted over items;
    with clusters over whole clusters when each lies in one group, else within clusters. p = (r + 1)/(B + 1). It tests
    that differences are distributed alike in all groups, so that it may also answer to a difference in spread.

    Args:
        d: candidate minus baseline on each item.
        segments: one label an item.
        clusters: one label an item.
        weights: one non-negative weight an item.
        n_resamples: B.
        rng: seed or generator of the permutations.

    Returns:
        The test; Undefined with one group, or when no permutation changes anything.

    Raises:
        UsageError: an argument has the wrong shape or range.

    References:
        Fisher (1935) The Design of Experiments, sec. 21; Phipson & Smyth (2010) SAGMB 9:39, (r + 1)/(B + 1).

    Examples:
        >>> d, segments = [1, 1, 1, 0, 1, 1, 0, -1, 0, -1, 0, -1], ["de"] * 6 + ["en"] * 6
        >>> print(interaction_test(d, segments=segments, rng=1))
        interaction_permutation: p = 0.0092 (two-sided)
    """
    values = as_values(d, name="d")
    labels = as_codes(segments, values.size, name="segments")
    w = np.ones(values.size) if weights is None else as_weights(weights, values.size) * values.size
    draws = int(as_count(n_resamples, name="n_resamples", at_least=1))
    kept = w > 0
    excess, w, labels = (w * (values - np.average(values, weights=w)))[kept], w[kept], labels[kept]
    labels = as_codes(labels, labels.size, name="segments")
    if labels.max() == 0:
        return Undefined("there is one group only, so groups cannot differ")
    codes = None if clusters is None else cluster_codes(clusters, values.size)[kept]
    crossed = codes is not None and _pairs(codes, labels) > np.unique(codes).size
    if codes is not None and not crossed:  # a cluster in one group becomes one unit
        units = as_codes(codes, codes.size, name="clusters")
        firsts = np.unique(units, return_index=True)[1]
        excess, w = (np.bincount(units, part).astype(np.float64) for part in (excess, w))
        labels = labels[firsts]
    within = codes if crossed else None
    if not _movable(labels, within):
        return Undefined(
            "every cluster lies in a group of its own, so no exchange of labels changes anything"
        )
    order = np.argsort(labels, kind="stable")
    excess, w, within = excess[order], w[order], None if within is None else within[order]
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    observed = float(_between(*_by_group(excess[None, :], w[None, :], starts))[0])
    edge = observed - _TIE * float(np.abs(excess).sum()) ** 2 / float(w.sum())
    drawn = _regroupings(excess, w, starts, within, draws=draws, rng=as_generator(rng))
    reached = sum(int(np.count_nonzero(_between(*sums) >= edge)) for sums in drawn)
    return HypothesisTest(
        name="interaction_permutation",
        p=(reached + 1) / (draws + 1),
        statistic=observed,
        floor=1 / (draws + 1),
        n_resamples=draws,
        null="differences are distributed alike in all groups",
        settings={
            "groups": int(starts.size),
            "permuted": _unit_name(clustered=codes is not None, crossed=crossed),
        },
    )


def _pairs(codes: Integers, labels: Integers) -> int:
    return np.unique(np.stack([codes, labels]), axis=1).shape[1]


def _movable(labels: Integers, within: Integers | None) -> bool:
    """Whether an exchange can change which units lie together."""
    return within is not None or labels.size > np.unique(labels).size


def _unit_name(*, clustered: bool, crossed: bool) -> str:
    if crossed:
        return "items within clusters"
    return "clusters" if clustered else "items"


def _between(excess: Floats, w: Floats) -> Floats:
    """Σ_s (Σ w (d − d̄))²/Σ w of each row, from the groups' sums."""
    return (excess**2 / w).sum(axis=1)


def _by_group(excess: Floats, w: Floats, starts: Integers) -> tuple[Floats, Floats]:
    """Sums of the groups that begin at ``starts``."""
    return np.add.reduceat(excess, starts, axis=1), np.add.reduceat(w, starts, axis=1)


def _regroupings(
    excess: Floats,
    w: Floats,
    starts: Integers,
    within: Integers | None,
    *,
    draws: int,
    rng: np.random.Generator,
) -> Iterator[tuple[Floats, Floats]]:
    """The groups' sums under random exchanges, in batches of bounded memory."""
    kinds, counts = np.unique(excess + 1j * w, return_counts=True)  # two columns sort as one complex number
    if within is None and counts.size <= _KINDS:
        sizes = np.diff(np.append(starts, excess.size))
        tables = _random_tables(counts, sizes, draws=draws, rng=rng)
        yield tables @ kinds.real, tables @ kinds.imag
        return
    for places in _permutations(excess.size, within, draws=draws, rng=rng):
        yield _by_group(excess[places], w[places], starts)


def _random_tables(counts: Integers, sizes: Integers, *, draws: int, rng: np.random.Generator) -> Integers:
    """How many units of each kind each group gets, shape (draws, groups, kinds): both margins are fixed.

    One kind after another is dealt to the groups' free places, a hypergeometric number to each group in turn.
    """
    tables = np.zeros((draws, sizes.size, counts.size), dtype=np.int64)
    free = np.tile(sizes, (draws, 1))
    for kind, count in enumerate(counts[:-1].tolist()):
        left, behind = np.full(draws, count), free.sum(axis=1)
        for group in range(sizes.size):
            behind = behind - free[:, group]
            dealt = rng.hypergeometric(free[:, group], behind, left)
            tables[:, group, kind] = dealt
            left = left - dealt
        free = free - tables[:, :, kind]
    tables[:, :, -1] = free
    return tables


def _permutations(
    units: int, within: Integers | None, *, draws: int, rng: np.random.Generator
) -> Iterator[Integers]:
    """Which unit comes to stand at each place, in batches; within clusters a unit stays in its own."""
    step = max(1, _HELD // units)
    places = np.arange(units)
    homes = None if within is None else np.argsort(within, kind="stable")
    for start in range(0, draws, step):
        rows = min(step, draws - start)
        if within is None or homes is None:
            yield rng.permuted(np.broadcast_to(places, (rows, units)), axis=1)
            continue
        keys = within + rng.random((rows, units))
        moved = np.empty((rows, units), dtype=np.int64)
        moved[:, homes] = np.argsort(keys, axis=1)
        yield moved
