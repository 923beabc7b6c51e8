"""Metrics of a whole corpus (F1, MCC, perplexity, BLEU, a ratio of sums), resampled from the parts of its items.

No item has a value of its own: the parts of all items are added up and one value is made of the sums. Resampling draws
items, or whole clusters, with the parts of both systems together.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError
from aliquot.stats.bootstrap_intervals import percentile_interval
from aliquot.stats.distributions import p_value
from aliquot.stats.inputs import (
    DEFAULT_SEED,
    Floats,
    RandomSource,
    as_array,
    as_choice,
    as_codes,
    as_count,
    as_generator,
    as_level,
)
from aliquot.stats.resampling import HELD, Cells, draw_totals
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

Combine: TypeAlias = Literal["ratio", "f1", "macro_f1", "mcc", "perplexity", "bits", "bleu", "chrf"]

_TIE = 1e-12
"""Swapped differences this close to the observed one, relative to it, are ties and count as extreme."""
_ORDERS = 4
"""Lengths of the word sequences that BLEU counts."""
_LETTERS = 6
"""Lengths of the letter sequences that chrF counts."""
_BETA_SQUARED = 4.0
"""chrF weighs recall twice (beta 2)."""


def corpus_value(parts: ArrayLike, *, combine: Combine) -> float | Undefined:
    """Metric of a whole corpus from the parts of its items, without an interval.

    Args:
        parts: one row an item, as in :func:`corpus_metric`.
        combine: how the sums become the value.

    Returns:
        The value; Undefined where the sums leave nothing to divide by.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    Examples:
        >>> corpus_value([[1, 4], [0, 6], [3, 10]], combine="ratio")
        0.2
    """
    value = float(_value(_as_parts(parts, combine).sum(axis=0), combine))
    return _nothing(combine) if math.isnan(value) else value


def _nothing(combine: Combine) -> Undefined:
    return Undefined(f"the sums give no {combine}: there is nothing to divide by")


def corpus_metric(
    parts: ArrayLike,
    *,
    combine: Combine,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 1999,
    rng: RandomSource = None,
) -> Estimate | Undefined:
    """Metric of a whole corpus from the parts of its items, with a percentile bootstrap interval.

    Args:
        parts: one row an item, shape (n, columns). ``ratio`` (x, y): Σx/Σy, such as WER from errors and words;
            ``f1`` (true positives, false positives, false negatives); ``macro_f1`` the same three for each class, whose
            F1 are averaged over the classes that occur; ``mcc`` (those three and true negatives);
            ``perplexity`` (log-likelihood, weight): exp(−Σl/Σw); ``bits`` the same as bits, −Σl/(Σw ln 2); ``bleu``
            (length, reference length, matches of 1 to 4 words, sequences of 1 to 4 words), 0 to 100; ``chrf`` (for 1
            to 6 letters each: sequences of the answer, of the reference, matches), 0 to 100.
        combine: how the sums become the value.
        clusters: one label an item; whole clusters are resampled.
        level: confidence level.
        n_resamples: resamples.
        rng: seed or generator; a fixed seed by default.

    Returns:
        The estimate; Undefined where the sums give no value (nothing to divide by), where too many resamples give
        none, for one item or cluster, and where no resample differs.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Davison & Hinkley (1997), eq. 5.18; for BLEU Papineni et al. (2002), smoothed by Chen & Cherry (2014), method 3;
        for chrF Popović (2015), eq. 1, orders without sequences left out as sacrebleu does.

    Examples:
        >>> print(corpus_metric([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]] * 8, combine="f1"))
        0.7500 [0.6207, 0.8571] 95% bootstrap_percentile, n = 40
    """
    units = _units([_as_parts(parts, combine)], clusters)
    return _estimate(units, combine, level=level, n_resamples=n_resamples, rng=rng)


def corpus_difference(
    a: ArrayLike,
    b: ArrayLike,
    *,
    combine: Combine,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 1999,
    rng: RandomSource = None,
) -> Estimate | Undefined:
    """Candidate minus baseline in a metric of the whole corpus, on the same items; an item keeps both systems' parts.

    Args:
        a: the baseline's parts, one row an item, as in :func:`corpus_metric`.
        b: the candidate's, in the same order.
        combine: how the sums become the value.
        clusters: one label an item; whole clusters are resampled.
        level: confidence level.
        n_resamples: resamples.
        rng: seed or generator; a fixed seed by default.

    Returns:
        The difference; Undefined where either system has no value, as in :func:`corpus_metric`.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Davison & Hinkley (1997), eq. 5.18; Koehn (2004), section 3, for BLEU.

    Examples:
        >>> a = [[-9.0, 4], [-12.0, 5], [-7.0, 4], [-15.0, 6]] * 5
        >>> b = [[-8.0, 4], [-11.5, 5], [-7.5, 4], [-12.0, 6]] * 5
        >>> print(corpus_difference(a, b, combine="perplexity"))
        -1.8250 [-2.8381, -0.8274] 95% bootstrap_percentile, n = 20
    """
    units = _units(_both(a, b, combine), clusters)
    return _estimate(units, combine, level=level, n_resamples=n_resamples, rng=rng)


def corpus_swap(
    a: ArrayLike,
    b: ArrayLike,
    *,
    combine: Combine,
    clusters: ArrayLike | None = None,
    n_resamples: int = 1999,
    rng: RandomSource = None,
) -> HypothesisTest | Undefined:
    """Test whether two systems differ in a corpus metric, by swapping their parts on items or whole clusters.

    All swaps are made when they are no more than ``n_resamples``; else p = (r + 1)/(B + 1) over random ones.

    Args:
        a: the baseline's parts, one row an item, as in :func:`corpus_metric`.
        b: the candidate's, in the same order.
        combine: how the sums become the value.
        clusters: one label an item; whole clusters are swapped.
        n_resamples: B, random swaps when the test is not exact.
        rng: seed or generator; a fixed seed by default.

    Returns:
        ``swap`` or ``cluster_swap``; Undefined when either system has no value.

    Raises:
        UsageError: an argument has the wrong shape, range or name.

    References:
        Riezler & Maxwell (2005), section 4 (approximate randomization).

    Examples:
        >>> a, b = [[4.0, 10], [5.0, 10], [6.0, 10], [7.0, 10]], [[3.0, 10], [3.0, 10], [4.0, 10], [4.0, 10]]
        >>> corpus_swap(a, b, combine="ratio").p
        0.125
    """
    draws = int(as_count(n_resamples, name="n_resamples", at_least=99))
    units = _units(_both(a, b, combine), clusters)
    value = _COMBINED[combine].value
    totals = units.values.sum(axis=0)
    first, second = np.split(totals, 2)
    seen = float(value(second) - value(first))
    if math.isnan(seen):
        return Undefined(f"the sums of a system give no {combine}")
    change = np.subtract(*reversed(np.split(units.values, 2, axis=1)))
    moved = change[np.any(change != 0, axis=1)]
    exact = 2.0 ** moved.shape[0] <= draws
    extreme, made = 0, 0
    for swapped in _swaps(moved, None if exact else draws, as_generator(rng)):
        drawn = np.abs(value(second - swapped) - value(first + swapped))
        extreme += int((~(drawn < abs(seen) * (1 - _TIE))).sum())  # a swap without a value counts as extreme
        made += swapped.shape[0]
    floor = max(2.0 ** (1 - moved.shape[0]) if moved.size else 1.0, 0.0 if exact else 1 / (draws + 1))
    return HypothesisTest(
        name="swap" if clusters is None else "cluster_swap",
        p=p_value(extreme / made if exact else (extreme + 1) / (made + 1)),
        statistic=seen,
        floor=max(floor, sys.float_info.min),
        n_resamples=None if exact else draws,
        null="each item's answers could as well be the other system's",
        settings={"combine": combine, "units": moved.shape[0]},
    )


@dataclass(frozen=True, slots=True)
class _Combined:
    """How summed parts become the value: the columns they have, and a function over the last axis (nan: no value)."""

    columns: int
    value: Callable[[Floats], Floats]
    groups: bool = False

    def takes(self, columns: int) -> bool:
        """Whether parts may have so many columns; those in groups have as many groups as there are classes."""
        return columns == self.columns or (self.groups and columns > 0 and columns % self.columns == 0)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    return np.divide(top, bottom, out=np.full(np.shape(top), np.nan), where=bottom > 0)


def _f1(sums: Floats) -> Floats:
    right, wrong = sums[..., 0], sums[..., 1] + sums[..., 2]
    return _ratio(2 * right, 2 * right + wrong)


def _macro_f1(sums: Floats) -> Floats:
    """Mean over the classes of their F1; a class that is neither there nor predicted takes no part."""
    counts = sums.reshape(*sums.shape[:-1], -1, 3)
    each = _f1(counts)
    there = counts.sum(axis=-1) > 0
    return _ratio(np.where(there, each, 0.0).sum(axis=-1), there.sum(axis=-1).astype(np.float64))


def _mcc(sums: Floats) -> Floats:
    """Matthews (1975): (TP·TN − FP·FN)/√((TP+FP)(TP+FN)(TN+FP)(TN+FN)); no value when a margin is empty."""
    tp, fp, fn, tn = np.moveaxis(sums, -1, 0)
    margins = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return _ratio(tp * tn - fp * fn, margins)


def _bleu(sums: Floats) -> Floats:
    """Papineni et al. (2002), eq. 4; an order without a match counts 1/2, 1/4 … of one, as sacrebleu does."""
    length, reference = sums[..., 0], sums[..., 1]
    matches, sequences = sums[..., 2 : 2 + _ORDERS], sums[..., 2 + _ORDERS :]
    halvings = np.cumsum(matches == 0, axis=-1)
    smoothed = np.where(matches == 0, 0.5**halvings, matches)
    complete = np.all(sequences > 0, axis=-1) & (matches[..., 0] > 0)  # else some precision is 0
    logs = np.log(np.where(sequences > 0, smoothed / np.maximum(sequences, 1), 1.0)).mean(axis=-1)
    brevity = np.minimum(0.0, 1 - _ratio(reference, length))
    return np.where(complete, 100 * np.exp(logs + brevity), np.where(length + reference > 0, 0.0, np.nan))


def _chrf(sums: Floats) -> Floats:
    """Popović (2015), eq. 1: F of the means of precision and recall over the orders that occur on both sides."""
    mine, wanted, matches = np.moveaxis(sums.reshape(*sums.shape[:-1], _LETTERS, 3), -1, 0)
    both = (mine > 0) & (wanted > 0)
    orders = np.maximum(both.sum(axis=-1), 1)
    precision = np.where(both, matches / np.maximum(mine, 1), 0.0).sum(axis=-1) / orders
    recall = np.where(both, matches / np.maximum(wanted, 1), 0.0).sum(axis=-1) / orders
    bottom = _BETA_SQUARED * precision + recall
    score = 100 * (1 + _BETA_SQUARED) * precision * recall / np.where(bottom > 0, bottom, 1.0)
    return np.where((mine + wanted).sum(axis=-1) > 0, score, np.nan)


def _perplexity(sums: Floats) -> Floats:
    """exp(−Σl/Σw); one too large for a float is no value."""
    exponent = -_ratio(sums[..., 0], sums[..., 1])
    return np.exp(np.where(exponent < math.log(sys.float_info.max), exponent, np.nan))


_COMBINED: dict[Combine, _Combined] = {
    "ratio": _Combined(2, lambda sums: _ratio(sums[..., 0], sums[..., 1])),
    "f1": _Combined(3, _f1),
    "macro_f1": _Combined(3, _macro_f1, groups=True),
    "mcc": _Combined(4, _mcc),
    "perplexity": _Combined(2, _perplexity),
    "bits": _Combined(2, lambda sums: -_ratio(sums[..., 0], sums[..., 1]) / math.log(2)),
    "bleu": _Combined(2 + 2 * _ORDERS, _bleu),
    "chrf": _Combined(3 * _LETTERS, _chrf),
}


def takes_columns(combine: Combine, columns: int) -> bool:
    """Return whether the parts of a metric may have so many columns."""
    return _COMBINED[combine].takes(columns)


@dataclass(frozen=True, slots=True)
class _Units:
    """What is resampled: one row an item or cluster, the columns of each system beside each other."""

    values: Floats
    n: int
    clusters: int | None
    systems: int


def _as_parts(parts: ArrayLike, combine: Combine) -> Floats:
    as_choice(combine, get_args(Combine), name="combine")
    known = _COMBINED[combine]
    array = as_array(parts, name="parts", wanted="a table of numbers, one row an item")
    if array.dtype.kind not in "biuf":
        raise UsageError(f"parts must be numbers; got an array of {array.dtype}")
    values = array.astype(np.float64)
    if values.ndim != 2 or values.shape[0] == 0 or not known.takes(values.shape[1]):
        each = " a class" if known.groups else ""
        raise UsageError(
            f"parts of {combine} must have one row an item and {known.columns} columns{each}; got {values.shape}"
        )
    if not np.isfinite(values).all():
        raise UsageError("parts must be finite numbers; leave items without them out")
    return values


def _both(a: ArrayLike, b: ArrayLike, combine: Combine) -> list[Floats]:
    sides = [_as_parts(a, combine), _as_parts(b, combine)]
    if sides[0].shape != sides[1].shape:
        raise UsageError(
            f"a and b must be paired item by item; got {sides[0].shape[0]} and {sides[1].shape[0]} rows"
        )
    return sides


def _units(sides: list[Floats], clusters: ArrayLike | None) -> _Units:
    values = np.concatenate(sides, axis=1)
    if clusters is None:
        return _Units(values, values.shape[0], None, len(sides))
    codes = as_codes(clusters, values.shape[0], name="clusters")
    sums = np.zeros((int(codes.max()) + 1, values.shape[1]))
    np.add.at(sums, codes, values)
    return _Units(sums, values.shape[0], sums.shape[0], len(sides))


def _estimate(
    units: _Units, combine: Combine, *, level: float, n_resamples: int, rng: RandomSource
) -> Estimate | Undefined:
    """Percentile interval of the value, or of the difference when the columns hold two systems."""
    level, size = as_level(level), int(as_count(n_resamples, name="n_resamples", at_least=99))
    point = float(_value(units.values.sum(axis=0), combine, systems=units.systems))
    if math.isnan(point):
        return _nothing(combine)
    if units.values.shape[0] < 2:
        kind = "item" if units.clusters is None else "cluster"
        return Undefined(f"one {kind} only, so the error of the {combine} cannot be seen")
    totals = draw_totals(_cells(units.values), n_resamples=size, rng=rng)
    draws = _value(totals, combine, systems=units.systems)
    kept = draws[~np.isnan(draws)]
    if 1 - kept.size / size > (1 - level) / 2:
        return Undefined(f"{1 - kept.size / size:.0%} of the resamples give no {combine}")
    found = percentile_interval(kept, point, level=level)
    if not found.low < found.high:
        return Undefined(f"no resample differs from {point:g}, so there is no interval")
    seed = {} if isinstance(rng, np.random.Generator) else {"seed": DEFAULT_SEED if rng is None else rng}
    settings = {"combine": combine, "n_resamples": size, "without_value": size - kept.size, **seed}
    return replace(found, n=units.n, clusters=units.clusters, settings=settings)


def _value(totals: Floats, combine: Combine, *, systems: int = 1) -> Floats:
    """Value of the sums of one system; of two systems' sums beside each other, the second's minus the first's."""
    sides = [_COMBINED[combine].value(part) for part in np.split(totals, systems, axis=-1)]
    return sides[0] if len(sides) == 1 else sides[1] - sides[0]


def _cells(values: Floats) -> Cells:
    """Join equal units where they are few, as counts of 0 and 1 are."""
    kinds, counts = np.unique(values, axis=0, return_counts=True)
    if 12 * counts.size > values.shape[0]:
        return Cells(values, np.ones(values.shape[0], dtype=np.int64))
    return Cells(kinds, counts.astype(np.int64))


def _swaps(change: Floats, draws: int | None, generator: np.random.Generator) -> Iterator[Floats]:
    """Yield, in batches, what swapping moves from the second system's sums to the first's; every swap without draws."""
    units = change.shape[0]
    total = 2**units if draws is None else draws
    step = max(1, HELD // max(1, units))
    for start in range(0, total, step):
        rows = np.arange(start, min(start + step, total))
        if draws is None:
            picked = (rows[:, None] >> np.arange(units)) & 1
        else:
            picked = generator.integers(0, 2, size=(rows.size, units))
        yield picked.astype(np.float64) @ change
