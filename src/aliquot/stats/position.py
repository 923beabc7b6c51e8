"""Does a judge of two answers prefer the one in the first slot?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.decision import decided_interval
from aliquot.stats.group_permutation import cluster_permutation
from aliquot.stats.inputs import Floats, Integers, RandomSource, as_binary, as_codes, as_level, as_values
from aliquot.stats.means import mean_bounded
from aliquot.stats.paired import paired_difference
from aliquot.stats.permutation import sign_flip
from aliquot.stats.rates import rate
from aliquot.stats.results import Estimate, HypothesisTest, Record, Undefined
from aliquot.stats.unpaired import unpaired_means, unpaired_rates
from aliquot.stats.unpaired_exact import unpaired_test


@dataclass(frozen=True, slots=True)
class PositionBias(Record):
    """The effect of the slot on who wins.

    Attributes:
        effect: candidate's share of wins shown first, minus shown second; 0 for a judge that is blind to the slot.
        test: of no effect; it decides, and holds the interval's limit at 0 where it does not reject.
        first_slot: share of wins of whatever stood first; items as clusters.
        consistent: items judged in both orders with the same winner both times; Undefined without such items.
        shift: what the bias adds to the candidate's share of wins as the slots were dealt: effect × (share shown first
            − ½); exactly half the effect where it always stood first.
        both_orders: items judged in both orders; the effect rests on them when there are any.
        left_out: rows of items judged in one order only that it then leaves out.
    """

    effect: Estimate | Undefined
    test: HypothesisTest | Undefined
    first_slot: Estimate | Undefined
    consistent: Estimate | Undefined
    shift: Estimate | Undefined
    both_orders: int
    left_out: int


def position_bias(
    wins: ArrayLike,
    first: ArrayLike,
    *,
    items: ArrayLike,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: RandomSource = None,
) -> PositionBias:
    """Position bias of a pairwise judge, from both orders of each pair or from slots dealt at random.

    With items judged in both orders the effect is the paired difference of wins shown first and second (Tango, exact
    McNemar; with ties t joined with Tango, sign flip): what the answers are worth drops out. Without, it is the
    difference between the items shown one way and the other, which is only fair when the slots were dealt at random.

    Args:
        wins: 1 where the judge prefers the candidate, 0 the baseline, ½ a tie.
        first: 1 where the candidate stood in the first slot, 0 in the second.
        items: the pair each row is of; several rows of an order are averaged.
        clusters: one label a row, the same for all rows of an item; None when items are independent.
        level: confidence level.
        n_resamples: permutations, where they are not enumerated.
        rng: seed or generator.

    Returns:
        The effect in points of the share of wins, and what it does to the comparison as dealt.

    Raises:
        UsageError: values out of range, or arguments of the wrong shape.

    References:
        Zheng et al. (2023) NeurIPS 36, MT-bench, section 3.3, both orders; Tango (1998) Stat Med 17:891.

    Examples:
        >>> wins, first = [1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 0, 0], [1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
        >>> found = position_bias(wins, first, items=[1, 2, 3, 4, 5, 6] * 2)
        >>> print(found.effect)
        0.6667 [-0.1270, 0.9399] 95% tango, n = 6
        >>> print(found.consistent)
        0.0000 [0.0000, 0.3903] 95% wilson, n = 6
    """
    level = as_level(level)
    won, slot = as_values(wins, name="wins", low=0, high=1), as_binary(first, name="first")
    if slot.size != won.size:
        raise UsageError(f"wins and first must be of the same rows; got {won.size} and {slot.size}")
    codes = as_codes(items, won.size, name="items")
    groups = None if clusters is None else as_codes(clusters, won.size, name="clusters")
    orders = [_by_item(won[slot == place], codes[slot == place], int(codes.max()) + 1) for place in (1, 0)]
    both = ~(np.isnan(orders[0]) | np.isnan(orders[1]))
    of_item = None if groups is None else groups[np.unique(codes, return_index=True)[1]]
    if both.any():
        found = _paired(
            orders[1][both],
            orders[0][both],
            None if of_item is None else of_item[both],
            level=level,
            n_resamples=n_resamples,
            rng=rng,
        )
    else:
        seconds = None if of_item is None else of_item[~np.isnan(orders[1])]
        firsts = None if of_item is None else of_item[~np.isnan(orders[0])]
        sides = [side[~np.isnan(side)] for side in orders]
        found = _apart(sides[1], sides[0], seconds, firsts, level=level, n_resamples=n_resamples, rng=rng)
    effect, test = found
    shown = np.where(slot == 1, won, 1 - won)
    units = codes if groups is None else groups
    same = (orders[0][both] == orders[1][both]).astype(np.float64)
    consistent: Estimate | Undefined = Undefined("no item was judged in both orders")
    if both.any():
        consistent = rate(same, clusters=None if of_item is None else of_item[both], level=level)
    return PositionBias(
        effect=effect,
        test=test,
        first_slot=rate(shown, clusters=units, level=level)
        if np.isin(shown, (0, 1)).all()
        else mean_bounded(shown, clusters=units, level=level),
        consistent=consistent,
        shift=_scaled(effect, float(slot.mean()) - 0.5),
        both_orders=int(both.sum()),
        left_out=int((~both[codes]).sum()) if both.any() else 0,
    )


def _by_item(won: Floats, codes: Integers, count: int) -> Floats:
    """Mean of each item's rows; NaN for an item without."""
    rows = np.bincount(codes, minlength=count)
    return np.divide(
        np.bincount(codes, won, minlength=count), rows, out=np.full(count, np.nan), where=rows > 0
    )


_Found = tuple[Estimate | Undefined, HypothesisTest | Undefined]


def _paired(
    second: Floats,
    first: Floats,
    clusters: Integers | None,
    *,
    level: float,
    n_resamples: int,
    rng: RandomSource,
) -> _Found:
    bounds = {} if np.isin([second, first], (0, 1)).all() else {"low": 0.0, "high": 1.0}
    difference = paired_difference(second, first, clusters=clusters, level=level, **bounds)
    test = sign_flip(first - second, clusters=clusters, n_resamples=n_resamples, rng=rng)
    return decided_interval(difference, test), test


def _apart(
    second: Floats,
    first: Floats,
    clusters_a: Integers | None,
    clusters_b: Integers | None,
    *,
    level: float,
    n_resamples: int,
    rng: RandomSource,
) -> _Found:
    if not second.size or not first.size:
        missing = Undefined(
            "the candidate always stood in the same slot, so the slot cannot be told from the candidate"
        )
        return missing, missing
    whole = bool(np.isin(second, (0, 1)).all() and np.isin(first, (0, 1)).all())
    difference = (unpaired_rates if whole else unpaired_means)(
        second, first, clusters_a=clusters_a, clusters_b=clusters_b, level=level
    )
    test: HypothesisTest | Undefined
    if whole and clusters_a is None:
        test = unpaired_test(int(second.sum()), second.size, int(first.sum()), first.size)
    else:
        test = cluster_permutation(
            second, first, clusters_a=clusters_a, clusters_b=clusters_b, n_resamples=n_resamples, rng=rng
        )
    return decided_interval(difference, test), test


def _scaled(effect: Estimate | Undefined, by: float) -> Estimate | Undefined:
    if isinstance(effect, Undefined):
        return effect
    if by == 0:
        return Undefined("the candidate stood first as often as second, so the slot moves nothing")
    low, high = sorted((effect.low * by, effect.high * by))
    se = None if effect.se is None else effect.se * abs(by)
    return replace(
        effect, point=effect.point * by, low=low, high=high, se=se, settings={"share_first": by + 0.5}
    )
