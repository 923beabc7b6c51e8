"""Which items moved, by name, the regressions first, with the value of every attempt on both sides."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from aliquot.analysis.attempts_seen import attempt_values
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.findings.comparison import Comparison
from aliquot.findings.gate import Flip
from aliquot.findings.item_tests import Strip


def find_flips(evidence: Evidence, comparison: Comparison, *, cluster: str | None) -> tuple[Flip, ...]:
    """Return the items on which the candidate does worse, then those on which it does better, each by id.

    Args:
        evidence: the tables, for the values of single attempts.
        comparison: under the metric that is told by item.
        cluster: as in the comparison.
    """
    named = (*comparison.broke, *comparison.fixed)
    if not named:
        return ()
    before, after = (
        strips(evidence, side.system, comparison.task, comparison.metric, items=named, cluster=cluster)
        for side in (comparison.baseline, comparison.candidate)
    )
    often = comparison.noise.often if comparison.noise is not None else {}
    changes: Sequence[tuple[Literal["broke", "fixed"], tuple[str, ...]]] = (
        ("broke", comparison.broke),
        ("fixed", comparison.fixed),
    )
    return tuple(
        Flip(item, change, before.get(item, ()), after.get(item, ()), often_flaky=item in often)
        for change, items in changes
        for item in items
    )


def strips(
    evidence: Evidence, system: str, task: str, metric: str, *, items: Collection[str], cluster: str | None
) -> dict[str, Strip]:
    """Return the value of each attempt of a system at some items, in order."""
    found = attempt_values(evidence, units(evidence, system, task=task, metric=metric, cluster=cluster))
    wanted, known = set(items), dict[str, list[float]]()
    for item, value in found.select("item", "value").iter_rows():
        if item in wanted:
            known.setdefault(item, []).append(value)
    return {item: tuple(values) for item, values in known.items()}
