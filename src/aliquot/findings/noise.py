"""The finding of a noise measurement: how much a suite moves when the same system is run twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from aliquot.findings.finding import Finding
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, HypothesisTest, Undefined


@dataclass(frozen=True, slots=True)
class JudgeNoise:
    """System noise and judge noise apart, when the judge scored an answer more than once.

    Attributes:
        system: variance of an item's score from run to run, the judge's part taken out (0 when negative).
        judge: variance between the judge's repeats on one answer.
        repeats: the judge's repeats an answer (their mean).
    """

    system: float
    judge: float
    repeats: float


@dataclass(frozen=True, slots=True)
class Flipped:
    """An item whose attempts disagree, and in how many of the stored measurements of this suite they did."""

    item: str
    values: tuple[float, ...]
    times: int
    of: int


@dataclass(frozen=True, slots=True, repr=False)
class Noise(Finding):
    """What the same system, run again on the same items, moves by itself.

    Attributes:
        systems: the runs' names.
        task: the task.
        metric: the metric.
        scale: how its numbers are read.
        level: confidence level.
        n_items: items with at least two values.
        runs: attempts of each run (the most an item has).
        flipped: items whose attempts disagree, the most often flipped first.
        flip_rate: share of items that flip between two single attempts (binary) or differ at all.
        net: items better minus items worse in the second run; None with one source.
        wobble: half the range in which the difference of two single runs lies, by level, in the metric's units; its
            interval comes from the items.
        repeated: attempts a run → the same half range.
        drift: test whether the two runs differ by more than noise; None with one source.
        judge: the judge's part, when it scored answers more than once.
        why: one line on the method.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "noise"

    systems: tuple[str, ...]
    task: str
    metric: str
    scale: Scale
    level: float
    n_items: int
    runs: tuple[int, ...]
    flipped: tuple[Flipped, ...]
    flip_rate: Estimate | Undefined
    net: int | None
    wobble: Estimate | Undefined
    repeated: Mapping[int, float]
    drift: HypothesisTest | None
    judge: JudgeNoise | None
    why: str
    seed: int


@dataclass(frozen=True, slots=True)
class RememberedNoise:
    """What a suite moved by itself when that was last measured, shown beside later differences.

    Attributes:
        wobble: half the range between two single runs, in the metric's units.
        flipped: items that flipped.
        n_items: items measured.
        measured: when, in ISO 8601.
        often: items that flipped in most of the stored measurements, with their counts.
    """

    wobble: float
    flipped: int
    n_items: int
    measured: str
    often: Mapping[str, tuple[int, int]]
