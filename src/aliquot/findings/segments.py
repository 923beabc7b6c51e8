"""What was found when a comparison was taken apart by the items' segments. All of it is exploratory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from aliquot.stats.results import Estimate, HypothesisTest, Undefined

Rows: TypeAlias = Literal["shared_items", "own_rows"]


@dataclass(frozen=True, slots=True)
class SegmentLevel:
    """The comparison on the items of one segment.

    Attributes:
        level: the segment's name.
        pooled: levels of too few items that were joined to make it; empty for a level of its own.
        n: items.
        n_clusters: clusters they lie in, or None when none are known.
        baseline: the baseline's rate or mean there, an interval of its own.
        candidate: the candidate's.
        difference: candidate minus baseline, in an interval that holds together with those of all segments looked at.
        test: its max-T test, which owns that interval; p allows for all segments.
        own_test: the deciding test of these items alone; its p allows for nothing.
        p_holm: p of the own test by Holm over all segments.
        shrunken: the difference drawn towards the mean of its field's levels.
    """

    level: str
    pooled: tuple[str, ...]
    n: int
    n_clusters: int | None
    baseline: Estimate | Undefined
    candidate: Estimate | Undefined
    difference: Estimate | Undefined
    test: HypothesisTest
    own_test: HypothesisTest
    p_holm: float
    shrunken: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class Reversal:
    """An aggregate whose sign is opposite to that of most of its parts.

    Attributes:
        over: ``shared_items`` (item means of the comparison), or ``own_rows`` (each system's rate over all its own
            rows, as a log prints it, where the two may hold other mixtures of levels).
        difference: candidate minus baseline of the aggregate, as the rows give it.
        against: levels whose difference has the opposite sign.
        established: those of them whose simultaneous interval excludes 0.
        levels: levels with a value on both sides.
    """

    over: Rows
    difference: float
    against: tuple[str, ...]
    established: tuple[str, ...]
    levels: int

    @property
    def complete(self) -> bool:
        """Whether every part says the opposite of the whole (Simpson's paradox)."""
        return len(self.against) == self.levels


@dataclass(frozen=True, slots=True)
class SegmentField:
    """One field of the items.

    Attributes:
        field: its name.
        levels: its segments, in the order of their names.
        too_few: levels with too few items to be looked at, with their items.
        unlabelled: items without a value of the field.
        interaction: whether the difference varies from level to level, by permutation.
        p_holm: its p by Holm over the fields scanned; None without a test.
        cochran: Cochran's Q beside it.
        tau: standard deviation of the true differences between levels; None where it cannot be seen.
        reversals: aggregates that most levels contradict.
    """

    field: str
    levels: tuple[SegmentLevel, ...]
    too_few: tuple[tuple[str, int], ...]
    unlabelled: int
    interaction: HypothesisTest | Undefined
    p_holm: float | None
    cochran: HypothesisTest | Undefined
    tau: float | None
    reversals: tuple[Reversal, ...]


@dataclass(frozen=True, slots=True)
class Unscanned:
    """A field that was not taken apart, and why."""

    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class SegmentScan:
    """All segments looked at; exploratory: a segment found here is a question for new items, not an answer.

    Attributes:
        fields: the fields taken apart.
        unscanned: the others, with the reason.
        scanned: segments looked at, over all fields: what every p and interval here allows for.
        critical: c*, which takes the place of z in the intervals.
        level: confidence level of all intervals together.
        fewest: levels of fewer items were pooled or left out.
        seed: seed of the flips and permutations.
    """

    fields: tuple[SegmentField, ...]
    unscanned: tuple[Unscanned, ...]
    scanned: int
    critical: float
    level: float
    fewest: int
    seed: int

    @property
    def established(self) -> tuple[tuple[str, str], ...]:
        """Field and level of every segment whose difference stands when all looks are allowed for."""
        return tuple(
            (field.field, part.level)
            for field in self.fields
            for part in field.levels
            if isinstance(part.difference, Estimate) and not part.difference.low <= 0 <= part.difference.high
        )

    @property
    def reversed(self) -> tuple[str, ...]:
        """Fields with a reversal between the whole and its parts."""
        return tuple(field.field for field in self.fields if field.reversals)
