"""A difference on a mixture of segments other than that of the items, and the mixtures that would turn its sign."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from aliquot.stats.ratios import UnboundedRatio
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


@dataclass(frozen=True, slots=True)
class BreakEven:
    """The share of one level at which the difference is 0, the others keeping their proportions.

    Attributes:
        level: the level.
        given: its share in the mixture asked for.
        observed: its share among the items.
        share: the share at which neither system leads, cut to [0, 1]; Undefined when no share turns the sign.
    """

    level: str
    given: float
    observed: float
    share: Estimate | UnboundedRatio | Undefined


@dataclass(frozen=True, slots=True)
class Reweighted:
    """The comparison on a given mixture of a field's levels.

    Attributes:
        field: the field.
        given: share of each level in the mixture asked for; they sum to 1.
        observed: share of each level among the items.
        n: items with a value of the field.
        unlabelled: items without one, left out.
        difference: candidate minus baseline on the mixture, reconciled with its test.
        test: the sign flip of the weighted differences; None when nothing could be judged.
        break_even: the shares that would turn the sign, a level each.
    """

    field: str
    given: Mapping[str, float]
    observed: Mapping[str, float]
    n: int
    unlabelled: int
    difference: Estimate | Undefined
    test: HypothesisTest | None
    break_even: tuple[BreakEven, ...]
