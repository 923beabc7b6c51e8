"""The success criteria that a run was begun with, found again when its evidence is judged."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from aliquot.evidence.contents import headline_metric, tasks
from aliquot.evidence.tables import Evidence, Note
from aliquot.files.manifest import read_manifest
from aliquot.files.plan_file import PlanFile
from aliquot.files.run_directory import FORMAT, MANIFEST
from aliquot.findings.summary import Summary

LEVEL: Final = 0.95
"""The confidence level when nobody says one."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a run counts as success.

    Attributes:
        plan: the criteria, with the day they were written.
        path: the manifest that keeps them.
        note: what has to be said of them; None when they stood before the first answer and were not changed.
    """

    plan: PlanFile
    path: Path
    note: Note | None


def criteria_of(evidence: Evidence, *, task: str | None, metric: str | None) -> Criteria | None:
    """Return the criteria of the last run the evidence was read from; None when they are not about this claim.

    Args:
        evidence: the tables; runs among their sources are looked up.
        task: the task that is judged; None for any.
        metric: the metric that is judged; None for the headline.
    """
    for source in reversed(evidence.sources):
        path = Path(source.path) / MANIFEST
        if source.format != FORMAT or not path.exists():
            continue
        manifest = read_manifest(path)
        last = manifest.criteria[-1] if manifest.criteria else None
        if last is None or last.plan is None or not _about(last.plan, evidence, task=task, metric=metric):
            continue
        changed = len(manifest.criteria) > 1
        text = f"the success criteria were {'changed' if changed else 'set'} after {last.after} answers were there"
        return Criteria(last.plan, path, Note("criteria_late", text) if last.after else None)
    return None


def level_of(given: float | None, criteria: Criteria | None) -> float:
    """Return the confidence level of one claim: as given, else of the criteria, else 0.95."""
    if given is not None:
        return given
    return LEVEL if criteria is None else criteria.plan.test_level


def _about(plan: PlanFile, evidence: Evidence, *, task: str | None, metric: str | None) -> bool:
    if plan.task not in ((task,) if task is not None else tasks(evidence)):
        return False
    return (metric or headline_metric(evidence, str(plan.task))) == plan.metric


def say_criteria(found: Summary, criteria: Criteria) -> Summary:
    """Return a summary that says where its floor and level come from."""
    floors = {line.floor.asked for line in found.lines if line.floor is not None}
    if criteria.note is not None:
        found = replace(found, warnings=(criteria.note, *found.warnings))
    if criteria.plan.at_least not in floors:
        return found
    day = criteria.plan.written[:10]
    text = f"{found.verdict.text} The floor is the success criterion of {day} ({criteria.path})."
    return replace(found, verdict=replace(found.verdict, text=text))
