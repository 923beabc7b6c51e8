"""A plan held against a comparison: metric, items, repeats, margin, level and comparisons, point by point."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from aliquot.analysis.settle import disagreement_of
from aliquot.evidence.tables import Note
from aliquot.files.plan_file import PlanFile
from aliquot.findings.comparison import Comparison
from aliquot.findings.plan_check import PlanCheck, PlanLine

_LEFT_OPEN = "left open"


def hold_against(plan: PlanFile, comparison: Comparison, *, path: Path) -> Comparison:
    """Return a comparison with its plan beside it, and a warning for what was not kept to.

    Args:
        plan: what was planned.
        comparison: what was done.
        path: the plan's file.
    """
    check = PlanCheck(path=str(path), written=plan.written, lines=tuple(_lines(plan, comparison)))
    if not check.departures:
        return replace(comparison, plan=check)
    text = f"departs from the plan of {plan.written[:10] or path.name}: {', '.join(check.departures)} (-v)"
    return replace(comparison, plan=check, warnings=(Note("off_plan", text), *comparison.warnings))


def _lines(plan: PlanFile, comparison: Comparison) -> Iterator[PlanLine]:
    yield _line("task", plan.task, comparison.task)
    yield _line("metric", plan.metric, comparison.metric)
    yield _line("scoring rule", plan.scorer, comparison.scorer)
    yield _margin(plan.margin, comparison.margin)
    yield _level(plan.test_level, comparison.level)
    yield _at_least("items", plan.items, comparison.n_items)
    yield _at_least("attempts", plan.attempts, min(comparison.attempts))
    made = 1  # the headline; what else was looked at is exploratory and says so
    yield PlanLine(
        "comparisons",
        _shown(plan.comparisons),
        str(made),
        plan.comparisons is None or made <= plan.comparisons,
    )
    psi = disagreement_of(comparison)
    if plan.disagreement is not None and psi is not None:
        yield PlanLine(
            "disagreement", f"{plan.disagreement:.3g}", f"{psi:.3g}", psi <= 1.25 * plan.disagreement
        )
    if plan.difference is not None:
        yield PlanLine("difference looked for", f"{plan.difference:.3g}", "see the interval", holds=True)


def _line(name: str, planned: str | float | None, done: str | float | None) -> PlanLine:
    return PlanLine(name, _shown(planned), _shown(done), planned is None or planned == done)


def _margin(planned: float | None, done: float | None) -> PlanLine:
    """Return the line of the margin: one that was not planned departs, as it could be chosen afterwards."""
    return PlanLine("margin", _shown(planned), _shown(done), planned == done)


def _level(planned: float, done: float) -> PlanLine:
    """Return the line of the level of one comparison; a share of the error is typed as it was printed."""
    same = math.isclose(1 - planned, 1 - done, rel_tol=1e-3)
    return PlanLine("level", _shown(planned), _shown(done), same)


def _at_least(name: str, planned: int | None, done: int) -> PlanLine:
    return PlanLine(name, _shown(planned), str(done), planned is None or done >= planned)


def _shown(value: str | float | None) -> str:
    if value is None:
        return _LEFT_OPEN
    return value if isinstance(value, str) else f"{value:g}"
