"""A plan held against a comparison: metric, items, repeats, margin, level and comparisons, point by point."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

from aliquot.analysis.settle import disagreement_of
from aliquot.evidence.tables import Better, Note
from aliquot.files.plan_file import Direction, PlanFile
from aliquot.findings.comparison import Comparison
from aliquot.findings.numbers import difference_unit
from aliquot.findings.plan_check import Criterion, Met, PlanCheck, PlanLine
from aliquot.findings.summary import Floor
from aliquot.stats.results import Estimate, Undefined

_LEFT_OPEN = "left open"
_SAME_CLAIM: Final = frozenset({"task", "metric", "level"})
"""Points without which a criterion says nothing of a comparison."""

_WORST_FIRST: Final[tuple[Met, ...]] = ("not_met", "nothing_to_judge", "undecided", "met")
_WORDS: Final[Mapping[Met, str]] = {
    "met": "MET",
    "not_met": "NOT MET",
    "undecided": "UNDECIDED",
    "nothing_to_judge": "NOTHING TO JUDGE",
}
_MET: Final[Mapping[str, Met]] = {word: word for word in _WORST_FIRST}


def hold_against(
    plan: PlanFile, comparison: Comparison, *, path: Path, floor: Floor | None = None
) -> Comparison:
    """Return a comparison with its plan beside it, whether its criteria are met, and a warning for departures.

    Criteria are judged only where task, metric and level are the planned ones; elsewhere the warning stands alone.

    Args:
        plan: what was planned.
        comparison: what was done.
        path: the plan's file.
        floor: whether the candidate's rate reaches the plan's floor; None when the plan sets none.
    """
    lines = tuple(_lines(plan, comparison))
    same = all(line.holds for line in lines if line.name in _SAME_CLAIM)
    criteria = tuple(_criteria(plan, comparison, floor)) if same else ()
    words: list[Met] = [one.word for one in criteria]
    worst: Met | None = min(words, key=_WORST_FIRST.index) if words else None
    check = PlanCheck(str(path), plan.written, lines, criteria, worst)
    found = replace(comparison, plan=check)
    what = "success criteria" if plan.criteria else "plan"
    if worst is not None:
        told = "; ".join(_shown_criterion(one, apart=len(set(words)) > 1) for one in criteria)
        text = f"{found.verdict.text} SUCCESS CRITERIA of {plan.written[:10]}: {_WORDS[worst]} ({told})."
        found = replace(found, verdict=replace(found.verdict, text=text))
    if not check.departures:
        return found
    text = f"departs from the {what} of {plan.written[:10] or path.name}: {', '.join(check.departures)} (-v)"
    return replace(found, warnings=(Note("off_plan", text), *found.warnings))


def _criteria(plan: PlanFile, comparison: Comparison, floor: Floor | None) -> Iterator[Criterion]:
    if plan.direction is not None:
        yield Criterion(
            _direction_text(plan, comparison),
            read_criterion(
                comparison.difference, plan.direction, margin=plan.margin, better=comparison.scale.better
            ),
            hangs_on_missing=comparison.if_missing is not None and comparison.if_missing.changes_verdict,
        )
    if floor is not None:
        yield Criterion(
            f"at least {round(100 * floor.asked, 9):g}% passed", _MET[floor.word], floor.hangs_on_missing
        )


def read_criterion(
    difference: Estimate | Undefined, direction: Direction, *, margin: float | None, better: Better
) -> Met:
    """Return whether the interval of a difference shows what was to be shown.

    Better is met when the verdict is better, and not met when it is worse. Not worse is met when the interval lies
    above the margin's loss, and not met when the verdict is worse beyond it. Equivalent is met when the interval lies
    within the margin, and not met when it lies outside. Anything else is undecided: the data do not settle it.

    Args:
        difference: candidate minus baseline, reconciled with its deciding test.
        direction: what was to be shown.
        margin: the largest loss that does not matter, in the metric's units.
        better: which values are better.

    Examples:
        >>> read_criterion(Estimate(0.04, -0.01, 0.09, 0.95, "tango", 240), "not_worse", margin=0.02, better="higher")
        'met'
    """
    if isinstance(difference, Undefined):
        return "nothing_to_judge"
    low, high = difference.low, difference.high
    if better == "lower":
        low, high = -high, -low
    width = margin or 0.0
    met = {"better": low > 0, "not_worse": low > -width, "equivalent": low > -width and high < width}
    failed = {
        "better": high < 0,
        "not_worse": high < 0 and low <= -width,
        "equivalent": high <= -width or low >= width,
    }
    return "met" if met[direction] else "not_met" if failed[direction] else "undecided"


def _direction_text(plan: PlanFile, comparison: Comparison) -> str:
    unit = difference_unit(comparison.scale)
    size = f"{100 * (plan.margin or 0):g}" if comparison.scale.in_points else f"{plan.margin or 0:g}"
    return {
        "better": "better",
        "not_worse": f"not worse by {size}{unit}",
        "equivalent": f"equivalent within {size}{unit}",
        None: "",
    }[plan.direction]


def _shown_criterion(one: Criterion, *, apart: bool) -> str:
    hangs = ", which hangs on missing rows" if one.hangs_on_missing else ""
    return f"{one.text}{f': {_WORDS[one.word].lower()}' if apart else ''}{hangs}"


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
