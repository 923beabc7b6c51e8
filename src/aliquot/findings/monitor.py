"""The finding about a log that grows: has quality fallen, have inputs changed, does the set still look like them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from aliquot.findings.finding import Finding
from aliquot.stats.results import Estimate, HypothesisTest, Undefined

Watched: TypeAlias = Literal["quality", "feedback", "inputs", "answered"]
"""What a detector is about: the value, what users say, what they ask, or how many of them say anything."""

ALARMED = 3
"""Exit code while an alarm stands."""


@dataclass(frozen=True, slots=True)
class Channel:
    """One thing that is watched.

    Attributes:
        name: ``quality``, ``quality, lang=de``, ``inputs, question``.
        what: what it is about.
        field: the field; empty for all rows.
        kind: the kind of that field; empty for all, and for numbers.
        held: the mean that is held: a floor, or ½ of ranks.
        before: its mean in the baseline; of a kind its share.
        now: the same of the last rows.
        units: units seen since the baseline.
        value: the highest value of the detector so far; it alarms at ``limit``.
        limit: where it alarms.
        alarm: row of the log at which it first did; None when it did not.
        since: about how many units before the alarm the change began.
    """

    name: str
    what: Watched
    field: str
    kind: str
    held: float
    before: float | None
    now: float | None
    units: int
    value: float
    limit: float
    alarm: int | None
    since: int | None


@dataclass(frozen=True, slots=True)
class SegmentSeen:
    """The rows of one kind.

    Attributes:
        field: the field.
        kind: its kind.
        share_before: its share of the baseline.
        share_now: its share of the last rows.
        running: its mean over all rows so far, with limits that hold at every read.
        now: its mean over the last rows.
    """

    field: str
    kind: str
    share_before: float
    share_now: float
    running: Estimate | Undefined
    now: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class MixEffect:
    """How much of a change of quality is a change of the mix of a field.

    Attributes:
        field: the field.
        change: quality of the last rows minus that of the baseline.
        by_mix: what comes with the new mix of kinds: the rest of the change.
        within: the change there would be at the baseline's mix, by direct standardisation.
        at_old_mix: quality of the last rows at the mix of the baseline.
    """

    field: str
    change: float
    by_mix: float
    within: float
    at_old_mix: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class Feedback:
    """What users said.

    Attributes:
        rows: rows among the last.
        said: of those, rows on which the user said something.
        answered: their share.
        liked: share of those that were good.
        if_silent: what the share would be were all the silent ones displeased, and were all pleased.
    """

    rows: int
    said: int
    answered: Estimate | Undefined
    liked: Estimate | Undefined
    if_silent: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Resemblance:
    """Does a set of items look like what comes in.

    Attributes:
        field: by which field.
        distance: share of the items that would have to be of another kind.
        by_chance: the same of two that are alike, on average.
        test: whether the two mixes are the same.
        covered: share of the rows whose kind the set has.
        lacking: the most frequent kinds that it lacks.
        worth: share of the items that the set would be worth if weighted to the rows.
    """

    field: str
    distance: float
    by_chance: float
    test: HypothesisTest
    covered: float
    lacking: tuple[str, ...]
    worth: float


@dataclass(frozen=True, slots=True, repr=False)
class Monitor(Finding):
    """What is known of a log that grows.

    Attributes:
        source: the log.
        rows: rows read so far.
        new_rows: those of this read.
        baseline_rows: rows of the baseline so far.
        baseline_of: rows it takes.
        rated: of the last rows, those with a value.
        before: quality of the baseline.
        running: quality over all rows, with limits that hold at every read.
        now: quality of the last rows.
        window: how many the last rows are.
        channels: what is watched.
        run_length: rows between false alarms of any kind on average, at least.
        segments: the rows by kind.
        mix: what a changed mix does to quality, by field.
        feedback: what users said; None when nothing is known of it.
        resemblance: whether the set of items looks like the rows, by field.
        review: rows written out to be read by people.
        level: confidence level.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "monitor"

    source: str
    rows: int
    new_rows: int
    baseline_rows: int
    baseline_of: int
    rated: int
    before: Estimate | Undefined
    running: Estimate | Undefined
    now: Estimate | Undefined
    window: int
    channels: tuple[Channel, ...]
    run_length: float
    segments: tuple[SegmentSeen, ...]
    mix: tuple[MixEffect, ...]
    feedback: Feedback | None
    resemblance: tuple[Resemblance, ...]
    review: int
    level: float
    seed: int

    @property
    def alarms(self) -> tuple[Channel, ...]:
        """What has alarmed, the first one first."""
        return tuple(
            sorted((one for one in self.channels if one.alarm is not None), key=lambda one: one.alarm or 0)
        )

    @property
    def exit_code(self) -> int:
        """The code a command exits with: 3 while an alarm stands, 5 when there is nothing to judge."""
        return 5 if self.verdict.word == "nothing_to_judge" else ALARMED if self.alarms else 0
