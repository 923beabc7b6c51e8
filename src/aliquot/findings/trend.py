"""The finding about a metric over many stored runs: where it changed its level, and whether it drifts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from aliquot.findings.finding import Finding
from aliquot.findings.scale import Scale
from aliquot.stats.results import Estimate, Undefined


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """One run.

    Attributes:
        run: what it is called.
        when: when it was asked, in ISO 8601; empty when not known.
        n_items: items with a value.
        estimate: its rate or mean, for items like these.
        level: number of the level it lies on, counted from 1.
    """

    run: str
    when: str
    n_items: int
    estimate: Estimate | Undefined
    level: int


@dataclass(frozen=True, slots=True)
class LevelChange:
    """One change of level.

    Attributes:
        run: the first run of the new level.
        last: the last run of the old one.
        before: mean of the runs of the level before.
        after: mean of the runs of the level after.
        runs_before: how many runs that is.
        runs_after: how many these are.
        p: chance of a step as clear among these runs, were their order chance.
    """

    run: str
    last: str
    before: float
    after: float
    runs_before: int
    runs_after: int
    p: float


@dataclass(frozen=True, slots=True, repr=False)
class Trend(Finding):
    """A metric over many stored runs.

    Attributes:
        task: the task.
        metric: the metric.
        system: the system; empty where runs name it otherwise each.
        scale: how its numbers are read.
        points: the runs, oldest first.
        changes: changes of level, oldest first.
        clearest_p: p of the clearest step of all; Undefined when there are too few runs to tell.
        tau: Kendall's τ of the metric with time, or why there is none.
        tau_p: its p.
        level: confidence level.
        seed: seed of everything random.
    """

    kind: ClassVar[str] = "trend"

    task: str
    metric: str
    system: str
    scale: Scale
    points: tuple[TrendPoint, ...]
    changes: tuple[LevelChange, ...]
    clearest_p: float | Undefined
    tau: float | Undefined
    tau_p: float | Undefined
    level: float
    seed: int

    @property
    def exit_code(self) -> int:
        """The code a command exits with, as a gate does: 3 worse by now, 4 too few runs to tell, 5 nothing to judge."""
        return {"nothing_to_judge": 5, "worse": 3, "undecided": 4}.get(self.verdict.word, 0)
