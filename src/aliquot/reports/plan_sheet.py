"""A plan as a sheet."""

from __future__ import annotations

from collections.abc import Iterator

from aliquot.findings.numbers import difference_unit, write_difference, write_percent
from aliquot.findings.planning import LabelDesign, Needed, Plan, PowerPoint
from aliquot.reports.charts import Chart, Curve, Curves
from aliquot.reports.sheet import Block, Grid, Sheet
from aliquot.reports.view import write_duration
from aliquot.stats.results import Undefined


def sheet_of(plan: Plan) -> Sheet:
    """Return the text of a plan."""
    return Sheet(
        headline=plan.verdict.text,
        blocks=tuple(_blocks(plan)),
        warnings=tuple(note.text for note in plan.warnings),
        details=tuple(_details(plan)),
        charts=tuple(_charts(plan)),
        footer=f"{', '.join(f'{name} {text}' for name, text in plan.versions.items())}.",
    )


def _charts(plan: Plan) -> Iterator[Chart]:
    """Yield the power by items for the difference named, and what each number of items can show."""
    points = sorted(plan.at, key=lambda one: one.items)
    share = f"{100 * plan.power:g}%"
    powers = [(float(one.items), 100 * one.power) for one in points if one.power is not None]
    if len(powers) > 1:
        size = _size(plan, plan.difference or 0.0)
        yield Curves(
            title=f"Power to show {size}",
            curves=(Curve("power", tuple(powers)),),
            axes=("items", "chance that it is shown, %"),
            caption=f"{plan.why[:1].upper()}{plan.why[1:]}.",
            level=(100 * plan.power, share),
            log=True,
        )
    factor = 100 if plan.scale.in_points else 1
    sizes = [
        (float(one.items), factor * one.detectable)
        for one in points
        if not isinstance(one.detectable, Undefined)
    ]
    if len(sizes) > 1:
        yield Curves(
            title=f"The smallest difference shown with {share} power",
            curves=(Curve("smallest difference", tuple(sizes)),),
            axes=("items", f"difference{difference_unit(plan.scale) and ', points'}"),
            caption=f"{plan.why[:1].upper()}{plan.why[1:]}.",
            log=True,
        )


def _blocks(plan: Plan) -> Iterator[Block]:
    for design in plan.corrected:
        yield from _labels(design)
    if plan.needed:
        yield _needed(plan)
    if not plan.corrected:  # what items are worth to the judge alone is another question
        yield _worth(plan)
    if plan.attempts:
        rows = tuple(
            (str(one.attempts), _count(one.items), "-" if one.answers is None else f"{one.answers:,}")
            for one in plan.attempts
        )
        yield Grid("Items against attempts", ("attempts each", "items", "answers in all"), rows)
    if plan.labels:
        rows = tuple((f"{one.judged:,}", f"{one.labels:,}") for one in plan.labels)
        yield Grid("Or corrected by people's labels", ("items judged", "of them labelled"), rows)
    if plan.simulated is not None:
        low, point, high = (
            write_percent(share, decimals=0)
            for share in (plan.simulated.low, plan.simulated.point, plan.simulated.high)
        )
        n = plan.at[0].items
        yield f"Drawn from the pilot's own items, {n:,} of them show it in {point}% of runs ({low} to {high}%)."
    if plan.budget_items is not None:
        yield f"The budget pays for {plan.budget_items:,} items."
    if plan.fit:
        yield f"{plan.fit[0].upper()}{plan.fit[1:]}."
    if plan.sentence:
        yield f'If it stays at that, write: "{plan.sentence}"'


def _labels(design: LabelDesign) -> Iterator[Block]:
    """Yield where to draw the labels of one system, and what they are to bring."""
    told = any(cell.segment for cell in design.cells)
    half = f"{100 * design.half_width_now:.1f}"
    now = f"{design.system}: {design.labelled} labels of {design.judged} answers give ±{half}"
    head = (*(("slice",) if told else ()), "verdict", "answers", "people pass", "to label")
    rows = tuple(
        (
            *((cell.segment,) if told else ()), cell.verdict, f"{cell.rows:,}",
            f"{write_percent(cell.passes, decimals=0)}%", f"{cell.labels:,}" if cell.labels else "-",
        )
        for cell in design.cells
    )  # fmt: skip
    yield Grid(f"{now} points", head, rows, names=2 if told else 1)
    if design.alone is not None and isinstance(design.labels, int):
        yield (
            f"{design.labels:,} labels in all, drawn at random within each row; without the judge it would take "
            f"{design.alone:,}."
        )
    first = design.judge_first
    if first is not None:
        whole = f"{first.alone:,} labels alone cost {first.cost_alone:,.4g}"
        yield (
            f"At the least cost: judge {first.judged:,} answers and label {first.labelled:,} of them "
            f"({first.cost:,.4g}); {whole}."
            if first.worth_it
            else f"The judge is not worth its cost here: {whole}."
        )


def _needed(plan: Plan) -> Grid:
    priced = any(one.cost is not None for one in plan.needed)
    timed = any(one.seconds is not None for one in plan.needed)
    head = ("to show", *(("if they differ on",) if plan.psi is not None else ()), "items")
    head = (
        *head,
        *(("time",) if timed else ()),
        *((f"cost {plan.currency or ''}".strip(),) if priced else ()),
    )
    rows = tuple(_needed_row(plan, one, timed=timed, priced=priced) for one in plan.needed)
    return Grid("", head, rows)


def _needed_row(plan: Plan, one: Needed, *, timed: bool, priced: bool) -> tuple[str, ...]:
    size = plan.difference if one.goal == "differ" else plan.margin
    what = _size(plan, size or 0.0) if one.goal == "differ" else f"not worse by {_size(plan, size or 0.0)}"
    return (
        what,
        *((f"{100 * one.psi:.1f}%",) if one.psi is not None else ()),
        _count(one.items),
        *(("-" if one.seconds is None else write_duration(one.seconds),) if timed else ()),
        *(("-" if one.cost is None else f"{one.cost:.2f}",) if priced else ()),
    )


def _worth(plan: Plan) -> Grid:
    powers = plan.difference is not None
    head = ("items", *((f"power for {_size(plan, plan.difference or 0.0)}",) if powers else ()), "can show")
    rows = tuple(
        _worth_row(plan, point, powers=powers) for point in sorted(plan.at, key=lambda one: one.items)
    )
    return Grid(f"What items are worth ({100 * plan.power:g}% power)", head, rows)


def _worth_row(plan: Plan, point: PowerPoint, *, powers: bool) -> tuple[str, ...]:
    can = "nothing" if isinstance(point.detectable, Undefined) else _size(plan, point.detectable)
    power = "-" if point.power is None else f"{write_percent(point.power, decimals=0)}%"
    return (f"{point.items:,}", *((power,) if powers else ()), can)


def _size(plan: Plan, size: float) -> str:
    shown = write_difference(abs(size), plan.scale, width=abs(size) or 1.0).lstrip("+")
    return shown + difference_unit(plan.scale)


def _count(items: int | Undefined) -> str:
    return "out of reach" if isinstance(items, Undefined) else f"{items:,}"


def _details(plan: Plan) -> Iterator[Block]:
    shown = [point for point in plan.at if point.type_m is not None and point.type_s is not None]
    if shown:
        rows = tuple(
            (
                f"{point.items:,}",
                f"{point.type_m:.2f} times",
                f"{write_percent(point.type_s or 0.0, decimals=2)}%",
            )
            for point in sorted(shown, key=lambda one: one.items)
        )
        yield Grid(
            "Where power is below 50%, what is shown is", ("items", "too large by", "of the wrong sign"), rows
        )
    if plan.psi_range is not None and plan.psi is not None:
        low, high = (f"{100 * share:.1f}" for share in plan.psi_range)
        yield f"The pilot's systems differ on {100 * plan.psi:.1f}% of the items ({low} to {high}%)."
    if plan.half_width is not None:
        yield f"Half width of {_size(plan, plan.half_width_asked or 0.0)}: {_count(plan.half_width)} items."
    yield f"Method: {plan.why}."
