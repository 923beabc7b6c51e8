"""What was found when fields of the items were tried as clusters nobody had named."""

from __future__ import annotations

from dataclasses import dataclass

from aliquot.stats.results import Estimate, HypothesisTest, Undefined


@dataclass(frozen=True, slots=True)
class TriedField:
    """A field of the items, tried as cluster of the difference.

    Attributes:
        field: the field's name, as ``--cluster`` takes it.
        n_clusters: its values (an item without one is a cluster of its own).
        largest: items of the most frequent value.
        design_effect: variance of the difference by these clusters over that of independent items.
        test: the permutation test of likeness within values; None where the design effect is too small to matter.
        p_adjusted: its p, corrected for the fields tried; None without a test.
    """

    field: str
    n_clusters: int
    largest: int
    design_effect: float
    test: HypothesisTest | None
    p_adjusted: float | None


@dataclass(frozen=True, slots=True)
class ClusterField:
    """A field within whose values the differences are alike, and what the comparison would be by it.

    Attributes:
        tried: the field and its test.
        difference: the difference with these clusters, already reconciled with its deciding test.
        deciding: that test; None when there is none.
    """

    tried: TriedField
    difference: Estimate | Undefined
    deciding: HypothesisTest | None


@dataclass(frozen=True, slots=True)
class ClusterSearch:
    """The search over fields; the headline is never changed by it.

    Attributes:
        tried: the fields that could act as clusters, the largest design effect first; fields that group the items
            alike count once.
        found: those that do: significant, with a design effect that matters.
        headline: the difference over independent items, as printed.
        smallest_effect: design effects below this do not matter.
    """

    tried: tuple[TriedField, ...]
    found: tuple[ClusterField, ...]
    headline: Estimate
    smallest_effect: float

    @property
    def unsettled(self) -> tuple[TriedField, ...]:
        """Fields whose design effect would matter, were it more than chance: too few clusters to tell."""
        shown = [field.tried for field in self.found]
        return tuple(field for field in self.tried if field.test is not None and field not in shown)
