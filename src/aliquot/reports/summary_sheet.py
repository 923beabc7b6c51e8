"""A summary as a sheet: a line for each system and task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aliquot.evidence.assembly import DEFAULTS
from aliquot.findings.classes import ClassTable
from aliquot.findings.comparison import Quantiles
from aliquot.findings.corrected import ELSEWHERE, Corrected
from aliquot.findings.majority import write_majority
from aliquot.findings.numbers import (
    decimals_for,
    difference_unit,
    write_count,
    write_money,
    write_percent,
)
from aliquot.findings.scale import Scale
from aliquot.findings.summary import Repeats, Steps, Summary, SystemLine
from aliquot.reports.cells import value_cells
from aliquot.reports.chart_rows import drawn_rows, latency_curves, rate_axis, rate_row
from aliquot.reports.charts import Chart, Intervals
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Estimate, Undefined

_MOST_CURVES = 5
"""Systems whose latencies are told apart in one picture."""


def sheet_of(summary: Summary) -> Sheet:
    """Return the text of a summary."""
    return lay_out(summary, (_main(summary), *_sentences(summary)), _details(summary), _charts(summary))


def _charts(summary: Summary) -> Iterator[Chart]:
    """Yield a forest for each metric's scale, and the latencies of a task's systems."""
    tasks, systems = _names(summary.lines)
    for scale, metric in dict.fromkeys((line.scale, line.metric) for line in summary.lines):
        lines = [line for line in summary.lines if (line.scale, line.metric) == (scale, metric)]
        rows = [rate_row(_label(line, tasks, systems), line.estimate, scale) for line in lines]
        known, more = drawn_rows(rows)
        if known:
            yield Intervals(
                title=f"{metric} with its interval",
                rows=known,
                axis=rate_axis(scale, metric),
                caption=f"{100 * summary.level:g}% intervals, each alone. Method: {summary.why}.{more}",
                zero=None,
            )
    for task in tasks:
        mine = [(line.system, line.latency) for line in summary.lines if line.task == task]
        if len(mine) <= _MOST_CURVES and (curves := latency_curves(mine)):
            yield curves


def _label(line: SystemLine, tasks: Sequence[str], systems: Sequence[str]) -> str:
    if len(tasks) > 1:
        return f"{line.task}: {line.system}" if len(systems) > 1 else line.task
    return line.system


def _main(summary: Summary) -> Grid:
    tasks, systems = _names(summary.lines)
    alone = [f"Task {task}" for task in tasks if len(tasks) == 1 and task != DEFAULTS["task"]]
    alone += [f"{'system' if alone else 'System'} {name}" for name in systems if len(systems) == 1]
    return _grid(", ".join(alone), summary.lines, level=summary.level)


def _grid(title: str, lines: Sequence[SystemLine], *, level: float) -> Grid:
    """Return a row for each line; the task and the system are named where there are several."""
    tasks, systems = _names(lines)
    named = [*(["task"] if len(tasks) > 1 else []), *(["system"] if len(systems) > 1 else []), "metric"]
    head = (*named, _items_title(lines), "rate or mean", f"{100 * level:g}% interval", "answered")
    rows = tuple((*(str(getattr(line, name)) for name in named), *_cells(line)) for line in lines)
    return Grid(title, head, rows, names=len(named))


def _names(lines: Sequence[SystemLine]) -> tuple[list[str], list[str]]:
    return list(dict.fromkeys(line.task for line in lines)), list(
        dict.fromkeys(line.system for line in lines)
    )


def _items_title(lines: Sequence[SystemLine]) -> str:
    return "items" if all(line.n_clusters is None for line in lines) else "items (clusters)"


def _cells(line: SystemLine) -> tuple[str, ...]:
    clusters = "" if line.n_clusters is None else f" ({line.n_clusters})"
    answered = write_percent(line.answered, decimals=0) + "%"
    return (f"{line.n_items}{clusters}", *_estimate_cells(line, line.estimate), answered)


def _estimate_cells(line: SystemLine, estimate: Estimate | Undefined) -> tuple[str, str]:
    point, limits = value_cells(estimate, line.scale)
    unit = "%" if line.scale.in_points and isinstance(estimate, Estimate) else ""
    return point + unit, limits


def _sentences(summary: Summary) -> Iterator[str]:
    for line in summary.lines:
        yield from _about(line, named=len(summary.lines) > 1)
    yield from summary.reconciliation[: 3 if len(summary.lines) > 1 else None]


def _about(line: SystemLine, *, named: bool) -> Iterator[str]:
    """Say what the line of one system cannot hold: missing rows, answered rows, repeats, time and money."""
    who = f"{line.system} on {line.task}: " if named else ""
    if line.corrected is not None:
        yield who + _corrected(line, line.corrected)
    if line.if_missing is not None:
        low, high = (_estimate_cells(line, reading)[0] for reading in line.if_missing)
        rows = write_count(line.missing, "row has", plural="rows have")
        yield f"{who}{rows} no value: {low} if all such rows failed, {high} if all passed."
    if isinstance(line.over_answered, Estimate):
        share = write_percent(line.answered)
        over = _estimate_cells(line, line.over_answered)[0]
        yield f"{who}over the {share}% answered alone it is {over}, which is no verdict."
    if line.repeats is not None:
        yield who + _repeats(line, line.repeats)
    if line.majority is not None and line.majority.telling:
        yield who + write_majority(line.majority)
    if line.steps is not None:
        yield who + _steps(line.steps)
    if not named and (spent := _spent(line)):
        yield spent


def _corrected(line: SystemLine, found: Corrected) -> str:
    """Say what the judge alone counts, and what people's labels say alone."""
    judge, judge_limits = _estimate_cells(line, found.raw)
    if found.people == ELSEWHERE:
        return (
            f"corrected by {found.labelled} labels of other answers, as if the judge erred here as it did there; "
            f"the judge alone {judge} ({judge_limits})."
        )
    people, limits = _estimate_cells(line, found.people)
    return (
        f"corrected by {found.labelled} labels of {found.judged} judged answers; the judge alone {judge} "
        f"({judge_limits}), people alone {people} ({limits})."
    )


def _repeats(line: SystemLine, repeats: Repeats) -> str:
    verb = "differs" if repeats.varying == 1 else "differ"
    varying = f"{repeats.varying} of {write_count(line.n_items, 'item')} {verb} between attempts"
    if isinstance(repeats.between, Undefined) or isinstance(repeats.within, Undefined):
        return f"{varying}."
    total = repeats.between + repeats.within
    if total == 0:  # all answers alike: that no error shows is not that there is none
        return f"{varying}."
    text = f"{varying}; {100 * repeats.within / total:.0f}% of the variance is within items."
    once, again = (
        next((row for row in repeats.precision if (row.items, row.attempts) == wanted), None)
        for wanted in ((2 * line.n_items, 1), (line.n_items, 4))
    )
    if once is None or again is None:
        return text
    unit = difference_unit(line.scale)
    return (
        f"{text} Standard error {_error(again.se, line.scale)}{unit} with {again.attempts} attempts at "
        f"{again.items} items, {_error(once.se, line.scale)} with one at {once.items}."
    )


def _steps(steps: Steps) -> str:
    """Say how many steps an answer took, how many calls of tools, and what a step costs."""
    text = f"{steps.mean:.1f} steps an answer (p95 {steps.p95:.0f}; {write_count(steps.answers, 'answer')})"
    if steps.tool_calls is not None:
        failed = "" if steps.tool_errors is None else f", {write_percent(steps.tool_errors)}% of them failed"
        text += f", {steps.tool_calls:.1f} calls of tools{failed}"
    return (
        f"{text}, {write_money(steps.cost, steps.currency)} a step." if steps.cost is not None else f"{text}."
    )


def _error(error: float, scale: Scale) -> str:
    """Write a standard error in the unit of a difference: points for rates."""
    return f"{100 * error:.1f}" if scale.in_points else f"{error:.3g}"


def _spent(line: SystemLine) -> str:
    parts: list[str] = []
    if line.latency is not None:
        parts.append(_latency(line.latency))
    if line.cost is not None:
        parts.append(f"Cost of the system: {_money(line)}.")
    if line.other_costs:
        parts.append(f"Beside it: {', '.join(line.other_costs)}.")
    return " ".join(parts)


def _money(line: SystemLine) -> str:
    source = f" ({line.cost_source})" if line.cost_source else ""
    return f"{line.cost:.4g} {line.currency or ''}".rstrip() + f" an item{source}"


def _latency(latency: Quantiles) -> str:
    places = decimals_for(latency.median)
    median, p95 = (f"{value:.{places}f}" for value in (latency.median, latency.p95))
    responses = write_count(latency.n, "response")
    return f"Latency: median {median} {latency.unit}, p95 {p95} {latency.unit} ({responses})."


def _details(summary: Summary) -> Iterator[Block]:
    if summary.others:
        yield _grid("Other metrics", summary.others, level=summary.level)
    if len(summary.lines) > 1:
        for line in summary.lines:
            if line.cost is not None:
                yield f"Cost of {line.system} on {line.task}: {_money(line)}."
            if line.other_costs:
                yield f"Beside {line.system}: {', '.join(line.other_costs)}."
    yield Grid("Responses", ("system", "task", "rows", "status"), tuple(map(_responses, summary.lines)))
    for line in summary.lines:
        if line.repeats is not None:
            yield from _repeat_grids(line, line.repeats)
        if line.classes is not None:
            yield from _class_grids(line, line.classes)
    yield f"Method: {summary.why}."
    yield f"Estimand: {summary.estimand}"
    yield from summary.reconciliation
    yield from (f"Not checked: {note.text}." for note in summary.not_checked)


def _responses(line: SystemLine) -> tuple[str, ...]:
    counts = ", ".join(f"{count} {status}" for status, count in sorted(line.statuses.items()) if count)
    return line.system, line.task, str(line.rows), counts


def _repeat_grids(line: SystemLine, repeats: Repeats) -> Iterator[Grid]:
    unit = difference_unit(line.scale)
    attempts = sorted({row.attempts for row in repeats.precision})
    sizes = sorted({row.items for row in repeats.precision})
    errors = {(row.items, row.attempts): row.se for row in repeats.precision}
    yield Grid(
        f"Standard error of {line.system} by items and attempts{unit and f', in{unit}'}",
        ("items", *(f"{k} each" for k in attempts)),
        tuple((str(size), *(_error(errors[size, k], line.scale) for k in attempts)) for size in sizes),
    )
    if repeats.pass_at:
        yield Grid(
            f"Of k attempts of {line.system}",
            ("k", "pass@k (at least one)", "pass^k (all)"),
            tuple(
                (str(k), _share_with_limits(repeats.pass_at[k]), _share_with_limits(repeats.pass_hat[k]))
                for k in repeats.pass_at
            ),
        )


def _class_grids(line: SystemLine, found: ClassTable) -> Iterator[Grid]:
    names = tuple(one.label for one in found.classes)
    yield Grid(
        f"What {line.system} gave on {line.task}, by the right answer",
        ("right answer", *names, "none of them"),
        tuple((name, *map(str, counts)) for name, counts in zip(names, found.counts, strict=True)),
    )
    yield Grid(
        f"Classes as {line.system} tells them apart",
        ("class", "rows", "precision", "recall", "F1"),
        tuple(
            (one.label, str(one.rows), *map(_share_with_limits, (one.precision, one.recall, one.f1)))
            for one in (*found.classes, found.macro, found.micro)
        ),
    )


def _share_with_limits(share: Estimate | Undefined) -> str:
    if isinstance(share, Undefined):
        return "-"
    low, high = write_percent(share.low, decimals=0), write_percent(share.high, decimals=0)
    return f"{write_percent(share.point)}% ({low} to {high})"
