"""Variance components of repeated measurements: items, attempts, runs, judge repeats, crossed or nested.

Henderson's first method: quadratic forms T_G = Σ_g (Σ y)²/n_g are equated with their expectations. It is
unbiased for any numbers of rows and equals analysis of variance when the design is balanced.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from aliquot.errors import UsageError, nearest
from aliquot.stats.inputs import Floats, Integers, as_codes, as_count, as_values
from aliquot.stats.results import Record, Undefined

_SINGULAR = 1e-9


@dataclass(frozen=True, slots=True)
class ItemMeans(Record):
    """Attempts reduced to items, in the order of the item labels.

    Attributes:
        means: mean of each item.
        attempts: attempts of each item.
        variances: s² between the attempts of an item; 0 where it has one attempt.
    """

    means: Floats
    attempts: Integers
    variances: Floats

    @property
    def varying(self) -> int:
        """Items whose attempts are not all equal."""
        return int(np.count_nonzero(self.variances))


@dataclass(frozen=True, slots=True)
class VarianceComponents(Record):
    """What the variance of one value is made of, and what it does to the mean.

    Attributes:
        components: variance by source, in the order given; unbiased, so one near 0 may come out negative.
        levels: number of levels of each source.
        mean: mean of all rows.
        se: standard error of ``mean`` when every source is random (negative components taken as 0).
        n: rows.
    """

    components: Mapping[str, float]
    levels: Mapping[str, int]
    mean: float
    se: float
    n: int

    @property
    def shares(self) -> dict[str, float]:
        """Share of each source in the variance of one value, negative components taken as 0."""
        positive = {name: max(0.0, value) for name, value in self.components.items()}
        total = sum(positive.values())
        return {name: value / total if total > 0 else 0.0 for name, value in positive.items()}


@dataclass(frozen=True, slots=True)
class Precision(Record):
    """Standard error of a mean that more items or attempts would give.

    Attributes:
        items: number of items.
        attempts: attempts at each.
        runs: items × attempts, what it costs.
        se: standard error.
    """

    items: int
    attempts: int
    runs: int
    se: float


def item_means(y: ArrayLike, *, items: ArrayLike) -> ItemMeans:
    """Reduce attempts to items: the unit of analysis of a mean over items like these.

    Args:
        y: one value an attempt.
        items: one label an attempt.

    Raises:
        UsageError: an argument has the wrong shape or range.

    Examples:
        >>> item_means([1, 0, 1, 1, 0, 0], items=list("aaabbb")).means.round(3).tolist()
        [0.667, 0.333]
    """
    values = as_values(y, name="y")
    codes = as_codes(items, values.size, name="items")
    k = np.bincount(codes)
    means = np.bincount(codes, values) / k
    squares = np.bincount(codes, (values - means[codes]) ** 2)
    scale = float(np.abs(values).max()) ** 2
    squares = np.where(squares <= 1e-24 * scale * k, 0.0, squares)
    return ItemMeans(means, k.astype(np.int64), squares / np.maximum(k - 1, 1))


def variance_components(
    y: ArrayLike,
    *,
    factors: Mapping[str, ArrayLike],
    nested: Mapping[str, str] | None = None,
    residual: str = "within",
) -> VarianceComponents | Undefined:
    """Variance between items, runs, attempts and whatever else was repeated.

    Factors are crossed unless named in ``nested``; of two crossed factors their interaction is a source too.
    What the rows of one combination still differ by is the residual; a source with one row a level takes its
    place.

    Items and attempts: ``factors={"item": …}``, the residual is the attempts. Items crossed with runs (seed,
    wording, day): ``{"item": …, "run": …}``. Judge repeats within attempts within items:
    ``{"item": …, "attempt": …}, nested={"attempt": "item"}``, the residual is the judge.

    Args:
        y: one value a row.
        factors: labels by name, one a row.
        nested: parent of each nested factor; its labels need be unique within the parent only.
        residual: name of what is left.

    Returns:
        The components, or Undefined when the design cannot tell them apart.

    Raises:
        UsageError: no factor, an unknown parent, or an argument of the wrong shape or range.

    References:
        Henderson (1953) Biometrics 9:226, method 1; Searle, Casella & McCulloch (1992) Variance Components,
        ch. 5.

    Examples:
        >>> found = variance_components([1, 0, 1, 1, 1, 1, 0, 0, 0], factors={"item": list("aaabbbccc")})
        >>> {name: round(value, 4) for name, value in found.components.items()}
        {'item': 0.2222, 'within': 0.1111}
    """
    values = as_values(y, name="y")
    effects = _effects(
        {name: as_codes(labels, values.size, name=name) for name, labels in factors.items()}, nested or {}
    )
    single = [name for name, codes in effects.items() if np.unique(codes).size == values.size]
    for name in single:
        effects.pop(name)
    residual = single[-1] if single else residual
    if not effects:
        return Undefined("every row is its own level, so no source of variance can be told from another")
    constant = np.zeros(values.size, dtype=np.int64)
    groupings = [*effects.values(), np.arange(values.size)]
    design = np.array([[_weight(g, f) - _weight(constant, f) for f in groupings] for g in groupings])
    centred = values - values.mean()
    forms = np.array([_form(centred, g) for g in groupings])  # the mean's own form is 0 once y is centred
    norms = np.abs(design).max(axis=0)
    if np.any(norms == 0) or np.linalg.cond(design / norms) > 1 / _SINGULAR:
        return Undefined(
            f"the design cannot tell apart {', '.join([*effects, residual])}: repeat some of them"
        )
    solved = np.linalg.solve(design, forms).tolist()
    names = [*effects, residual]
    variance = sum(
        max(0.0, value) * _weight(constant, f) / values.size
        for value, f in zip(solved, groupings, strict=True)
    )
    return VarianceComponents(
        components=dict(zip(names, solved, strict=True)),
        levels={name: int(np.unique(codes).size) for name, codes in zip(names, groupings, strict=True)},
        mean=float(values.mean()),
        se=math.sqrt(variance),
        n=values.size,
    )


def precision_table(
    between: float,
    within: float,
    *,
    items: Sequence[int] = (50, 100, 200),
    attempts: Sequence[int] = (1, 2, 4, 8),
) -> tuple[Precision, ...]:
    """Standard error √(between/m + within/(m k)) for m items of k attempts: what more of either would buy.

    Args:
        between: variance between items (a negative estimate counts as 0).
        within: variance between attempts at an item.
        items: numbers of items to look at.
        attempts: numbers of attempts to look at.

    Raises:
        UsageError: a negative variance within, or a number below 1.

    References:
        Searle, Casella & McCulloch (1992) Variance Components, ch. 5.

    Examples:
        >>> [round(row.se, 3) for row in precision_table(0.0997, 0.1467, items=[50], attempts=[1, 4])]
        [0.07, 0.052]
    """
    as_count(within, name="within")
    return tuple(
        Precision(m, k, m * k, math.sqrt((max(0.0, between) + within / k) / m))
        for m in (int(as_count(m, name="items", at_least=1)) for m in items)
        for k in (int(as_count(k, name="attempts", at_least=1)) for k in attempts)
    )


def _effects(codes: Mapping[str, Integers], nested: Mapping[str, str]) -> dict[str, Integers]:
    """Codes of every source: factors, nested ones within their parents, and interactions of crossed pairs."""
    if not codes:
        raise UsageError("factors must name at least one source, for instance {'item': labels}")
    for child, parent in nested.items():
        for name in (child, parent):
            if name not in codes:
                raise UsageError(f"nested names {name!r}, which is no factor. {nearest(name, codes)}")

    def within_parents(name: str, seen: tuple[str, ...] = ()) -> Integers:
        if name in seen:
            raise UsageError(f"nested goes in a circle: {' in '.join([*seen, name])}")
        if name not in nested:
            return codes[name]
        return _joint(within_parents(nested[name], (*seen, name)), codes[name])

    effects = {name: within_parents(name) for name in codes}
    crossed = [name for name in codes if name not in nested]
    for one, other in combinations(crossed, 2):
        effects[f"{one}:{other}"] = _joint(effects[one], effects[other])
    return effects


def _joint(one: Integers, other: Integers) -> Integers:
    return (
        np.unique(one * (int(other.max()) + 1) + other, return_inverse=True)[1].astype(np.int64).reshape(-1)
    )


def _form(y: Floats, groups: Integers) -> float:
    """T_G = Σ_g (Σ y)²/n_g."""
    return float((np.bincount(groups, y) ** 2 / np.bincount(groups)).sum())


def _weight(groups: Integers, effect: Integers) -> float:
    """Coefficient of σ²_F in E[T_G]: Σ_g Σ_f n_gf²/n_g (Henderson 1953)."""
    n_levels = int(effect.max()) + 1
    cells, counts = np.unique(groups * n_levels + effect, return_counts=True)
    return float((counts.astype(np.float64) ** 2 / np.bincount(groups)[cells // n_levels]).sum())
