"""Whether two systems were judged alike: what two different judges said is not compared unless that is allowed."""

from __future__ import annotations

from aliquot.analysis.settings import contrast_settings, settings_of
from aliquot.errors import UsageError
from aliquot.evidence.contents import tasks
from aliquot.evidence.tables import Evidence


def refuse_other_judge(
    evidence: Evidence, baseline: str, candidate: str, *, task: str, metric: str, allowed: tuple[str, ...]
) -> None:
    """Refuse to compare what two different judges said.

    Args:
        evidence: the tables.
        baseline: one system.
        candidate: the other.
        task: the task.
        metric: the metric; one that no judge scored is never refused.
        allowed: components that may differ; ``judge`` allows this.

    Raises:
        UsageError: the judges of a judged metric differ.
    """
    if "judge" in allowed:
        return
    known = tasks(evidence)
    a, b = (settings_of(evidence.settings, name, task=task, tasks=known) for name in (baseline, candidate))
    different = [
        change for change in contrast_settings(a, b).differs if change.split(".")[0].split(" ")[0] == "judge"
    ]
    if different and _is_judged(evidence, metric):
        raise UsageError(
            f"the two systems were judged by different judges ({'; '.join(different)}), so a difference could be "
            "the judges'. Judge both alike, or allow it by name: --allow judge"
        )


def _is_judged(evidence: Evidence, metric: str) -> bool:
    outcomes = evidence.scan("outcomes", metric=metric).select("by").unique()
    return "judge" in outcomes.collect(backend="polars").to_native()["by"].to_list()
