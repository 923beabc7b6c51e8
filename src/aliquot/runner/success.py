"""Success criteria: what counts as success, said before anything is asked, and kept with the run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from aliquot.analysis.margins import check_level, margin_on
from aliquot.errors import UsageError, nearest
from aliquot.files.manifest import Manifest
from aliquot.files.plan_file import DIRECTIONS, Direction, KeptCriteria, PlanFile, seal
from aliquot.findings.scale import Scale

PASS_OR_FAIL: Final = Scale(kind="binary", low=0.0, high=1.0, better="higher")
"""The scale of a run's headline."""

HEADLINE: Final = "success"
"""The metric that criteria are about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Success:
    """What counts as success.

    Attributes:
        direction: what the candidate has to show against the baseline: ``better``, ``not_worse`` by the margin, or
            ``equivalent`` within it; None when only the floor counts.
        margin: largest loss that does not matter, as a share: 0.02 is two points.
        at_least: share of the items that the candidate has to pass.
        level: confidence level of all comparisons together.
        comparisons: planned comparisons, which share the error; None for one with each system but the first.
    """

    direction: Direction | None = None
    margin: float | None = None
    at_least: float | None = None
    level: float = 0.95
    comparisons: int | None = None

    def __post_init__(self) -> None:
        if self.direction is not None and self.direction not in DIRECTIONS:
            raise UsageError(
                f"success: there is no direction {self.direction!r}. {nearest(self.direction, DIRECTIONS)}"
            )
        if self.direction is None and self.at_least is None:
            raise UsageError(
                "success says neither a direction (better, not_worse, equivalent) nor a floor (at_least)"
            )
        if self.direction in ("not_worse", "equivalent") and self.margin is None:
            raise UsageError(f"success: {self.direction} needs a margin; write margin: 2pt")
        if self.at_least is not None and not 0 < self.at_least < 1:
            raise UsageError(f"success: a floor lies between 0 and 1 (0.9, or 90%); got {self.at_least:g}")
        margin_on(PASS_OR_FAIL, self.margin)
        check_level(self.level)
        if self.comparisons is not None and self.comparisons < 1:
            raise UsageError(f"success: comparisons are at least 1; got {self.comparisons}")

    def plan(self, *, task: str, systems: int, now: datetime) -> PlanFile:
        """Return the criteria as a plan that a comparison is held against, hashed and dated."""
        return seal(
            PlanFile(
                written=now.isoformat(timespec="seconds"),
                task=task,
                metric=HEADLINE,
                margin=self.margin,
                comparisons=self.comparisons or max(1, systems - 1),
                level=self.level,
                direction=self.direction,
                at_least=self.at_least,
            )
        )


def with_criteria(
    manifest: Manifest, old: Manifest | None, success: Success | None, *, answers: int, now: datetime
) -> Manifest:
    """Return a manifest with its success criteria: those it had, and new ones behind them when they are others.

    Args:
        manifest: what is asked now.
        old: the run's manifest so far, if it has one.
        success: the criteria of today's evaluation.
        answers: answers that are on record.
        now: the time of day.
    """
    kept = () if old is None else old.criteria
    plan = (
        None if success is None else success.plan(task=manifest.task, systems=len(manifest.systems), now=now)
    )
    last = kept[-1].plan if kept else None
    if _said(last) != _said(plan):
        if kept and not answers:
            kept = ()  # nobody has seen an answer yet
        kept = (*kept, KeptCriteria(plan=plan, after=answers)) if plan is not None or kept else ()
    return msgspec.structs.replace(manifest, criteria=kept)


def criteria_notes(manifest: Manifest, old: Manifest | None) -> Iterator[str]:
    """Yield what is to be said when criteria were set or changed after answers had come."""
    if manifest.criteria and (old is None or manifest.criteria != old.criteria):
        last = manifest.criteria[-1]
        if last.after:
            was = "set" if len(manifest.criteria) == 1 else "changed"
            yield f"the success criteria were {was} after {last.after} answers; comparisons of this run will say so"


def _said(plan: PlanFile | None) -> PlanFile | None:
    return None if plan is None else msgspec.structs.replace(plan, written="", hash="")
