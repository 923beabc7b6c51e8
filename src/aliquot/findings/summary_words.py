"""The first sentence of a summary: what was measured, or whether a floor is met."""

from __future__ import annotations

from collections.abc import Sequence

from aliquot.findings.numbers import write_count, write_percent, write_value
from aliquot.findings.summary import Floor, SystemLine
from aliquot.findings.verdict import Verdict, Word
from aliquot.stats.results import Estimate, Undefined


def write_summary(lines: Sequence[SystemLine]) -> Verdict:
    """Return the verdict of a summary: of the floors when one was asked for, else what was measured.

    With several lines the worst word of a floor stands for all: not met, undecided, then met.
    """
    if all(isinstance(line.estimate, Undefined) for line in lines):
        reasons = [line.estimate.reason for line in lines if isinstance(line.estimate, Undefined)]
        return Verdict("nothing_to_judge", text=f"NOTHING TO JUDGE: {reasons[0] if reasons else 'no row'}.")
    floors = [(line.floor, line) for line in lines if line.floor is not None]
    if floors:
        return _floors(floors)
    if len(lines) == 1:
        return Verdict("estimated", text=_measured(lines[0]))
    systems, tasks = ({str(getattr(line, name)) for line in lines} for name in ("system", "task"))
    who = systems.pop() if len(systems) == 1 else write_count(len(systems), "system")
    counted = f"{who} on {write_count(len(tasks), 'task')}"
    return Verdict("estimated", text=f"{counted}; side by side, not compared (aliquot compare).")


def _measured(line: SystemLine) -> str:
    estimate, scale = line.estimate, line.scale
    if isinstance(estimate, Undefined):
        return f"NOTHING TO JUDGE: {estimate.reason}."
    point, low, high = (
        write_value(value, scale, width=estimate.width)
        for value in (estimate.point, estimate.low, estimate.high)
    )
    unit = "%" if scale.in_points else ""
    what = (
        f"{line.system} passed {point}{unit}"
        if scale.kind == "binary" and scale.better != "lower"
        else f"{line.system}: {'rate of' if scale.kind == 'binary' else 'mean'} {line.metric} {point}{unit}"
    )
    return f"{what} ({100 * estimate.level:g}% interval {low} to {high})."


def _floors(lines: Sequence[tuple[Floor, SystemLine]]) -> Verdict:
    order: tuple[Word, ...] = ("not_met", "undecided", "nothing_to_judge", "met")
    floor, worst = min(lines, key=lambda pair: order.index(pair[0].word))
    asked = f"{round(100 * floor.asked, 9):g}%"
    if not isinstance(floor.estimate, Estimate):
        return Verdict("nothing_to_judge", text=f"NOTHING TO JUDGE: {floor.estimate.reason}.")
    low, high = (
        write_percent(limit, apart_from=floor.asked) for limit in (floor.estimate.low, floor.estimate.high)
    )
    between = (
        f"{worst.system} passes {low} to {high}% ({100 * floor.estimate.level:g}% "
        f"{'Clopper-Pearson' if worst.corrected is None else 'corrected'} interval)"
    )
    items = write_count(worst.n_items, "item")
    on = "" if len(lines) == 1 else f" on {worst.task}"
    match floor.word:
        case "met":
            return Verdict("met", text=f"MET: at least {asked}{on}. {between}{_hangs(floor, worst)}.")
        case "not_met":
            return Verdict(
                "not_met", text=f"NOT MET: less than {asked}{on}. {between}{_hangs(floor, worst)}."
            )
        case _:
            return Verdict(
                "undecided",
                text=f"UNDECIDED: {items} cannot settle a floor of {asked}{on}. {between}.",
            )


def _hangs(floor: Floor, line: SystemLine) -> str:
    """Say that the rows without a value could change whether a floor is met."""
    if not floor.hangs_on_missing:
        return ""
    return f"; {write_count(line.missing, 'row has', plural='rows have')} no value and could change this"
