"""A table of tasks × systems as a sheet."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from aliquot.findings.numbers import difference_unit, write_count, write_difference
from aliquot.findings.scale import Scale
from aliquot.findings.table import GroupMean, Table, TableRow
from aliquot.reports.cells import difference_cells, p_cell, value_cells
from aliquot.reports.chart_rows import difference_axis, drawn_rows, ends_of, interval_row
from aliquot.reports.charts import Chart, Intervals
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import HypothesisTest, Undefined


def sheet_of(table: Table) -> Sheet:
    """Return the text of a table."""
    return lay_out(table, _blocks(table), _details(table), _charts(table))


def _charts(table: Table) -> Iterator[Chart]:
    """Yield a forest for each scale of the rows."""
    many = len({row.candidate for row in table.rows}) > 1
    for scale in dict.fromkeys(row.scale for row in table.rows):
        mine = [row for row in table.rows if row.scale == scale]
        drawn = [
            interval_row(f"{row.task}: {row.candidate}" if many else row.task, row.difference, scale)
            for row in mine
        ]
        known, more = drawn_rows(drawn)
        metrics = ", ".join(dict.fromkeys(row.metric for row in mine))
        others = "the other" if many else mine[0].candidate
        if known:
            yield Intervals(
                title="Every difference from the baseline",
                rows=known,
                axis=difference_axis(scale, metrics),
                caption=(
                    f"Minus {table.baseline}; the {100 * table.level:g}% intervals of all rows hold together "
                    f"(c* = {table.critical:.2f}).{more}"
                ),
                ends=ends_of(scale, table.baseline, others),
            )


def main_grid(table: Table) -> Grid:
    """Return the table itself: a row for each task and candidate."""
    many = len({row.candidate for row in table.rows}) > 1
    rates = (table.baseline, "rate" if many else table.rows[0].candidate)
    head = ("task", *(("system",) if many else ()), *rates)
    head = (*head, "diff.", f"{100 * table.level:g}% interval", "p", "p Holm", "")
    return Grid("", head, tuple(_row(row, many=many) for row in table.rows), names=2 if many else 1)


def _row(row: TableRow, *, many: bool) -> tuple[str, ...]:
    word = {"undecided": "tie", "nothing_to_judge": "-"}.get(row.word, row.word.replace("_", " "))
    return (
        row.task,
        *((row.candidate,) if many else ()),
        value_cells(row.baseline_rate, row.scale)[0],
        value_cells(row.candidate_rate, row.scale)[0],
        *difference_cells(row.difference, row.scale),
        p_cell(row.p_max_t),
        "-" if row.p_holm is None else p_cell(HypothesisTest("holm", max(row.p_holm, 1e-300))),
        word,
    )


def _blocks(table: Table) -> Iterator[Block]:
    yield main_grid(table)
    if table.groups and table.scale is not None:
        yield _groups(table, table.scale)
    yield from _split(table)
    yield from (f"{task} is left out: it {reason}." for task, reason in table.left_out.items())
    if reach := _reach(table):
        yield reach
    yield f"Method: {table.why}."


def _split(table: Table) -> Iterator[str]:
    """Say why a row is a tie although its p is small: the interval and the test must both tell."""
    for row in table.rows:
        small = row.p_max_t is not None and row.p_max_t.p < 1 - table.level
        if row.word == "undecided" and small:
            yield (
                f"{row.candidate} on {row.task}: p is under {1 - table.level:.2g} and the interval holds 0. Both must "
                "tell a difference, so it is a tie."
            )


def _groups(table: Table, scale: Scale) -> Grid:
    many = len({mean.candidate for mean in table.groups}) > 1

    def cells(mean: GroupMean) -> tuple[str, ...]:
        return (
            mean.weighting,
            *((mean.candidate,) if many else ()),
            value_cells(mean.baseline_rate, scale)[0],
            value_cells(mean.candidate_rate, scale)[0],
            *difference_cells(mean.difference, scale),
        )

    rates = (table.baseline, "rate" if many else table.groups[0].candidate)
    system = ("system",) if many else ()
    head = ("mean over tasks", *system, *rates, "diff.", f"{100 * table.level:g}% interval")
    title = "Means over tasks, each interval by itself and not one of those above"
    return Grid(title, head, tuple(map(cells, table.groups)), names=2 if many else 1)


def _reach(table: Table) -> str:
    """Say which differences the rows can show, each alone."""
    sizes = [(row.detectable, row.scale) for row in table.rows if not isinstance(row.detectable, Undefined)]
    if not sizes or len({scale for _, scale in sizes}) > 1:
        return ""
    scale = sizes[0][1]
    low, high = min(one.low for one, _ in sizes), max(one.high for one, _ in sizes)
    shown = " to ".join(
        dict.fromkeys(write_difference(size, scale, width=high).lstrip("+") for size in (low, high))
    )
    return f"Alone, these rows can show {shown}{difference_unit(scale)} (80% power)."


def _details(table: Table) -> Iterator[Block]:
    rows = tuple(
        (
            row.task,
            row.candidate,
            row.metric,
            str(row.n_items),
            "-" if row.n_clusters is None else str(row.n_clusters),
            p_cell(row.test),
        )
        for row in table.rows
    )
    yield Grid("Rows", ("task", "system", "metric", "items", "clusters", "p alone"), rows, names=3)
    yield f"Intervals by {_by_method(table, _interval_method)}; p alone by {_by_method(table, _test_name)}."
    yield f"Estimand: {table.estimand}"
    if table.groups:
        yield (
            "Tasks as strata: every task weighs alike, the tasks are fixed and only items vary. Items pooled: every "
            "item weighs alike, as one sample. Each error is that of its own weighting."
        )
    yield f"{write_count(table.comparisons, 'comparison')} made."


def _interval_method(row: TableRow) -> str:
    return "" if isinstance(row.difference, Undefined) else row.difference.method


def _test_name(row: TableRow) -> str:
    return "" if row.test is None else row.test.name


def _by_method(table: Table, method_of: Callable[[TableRow], str]) -> str:
    """Name the methods, with their tasks where there are several."""
    tasks: dict[str, dict[str, None]] = {}
    for row in table.rows:
        if method := method_of(row):
            tasks.setdefault(method, {})[row.task] = None
    if len(tasks) < 2:
        return "".join(tasks) or "no method"
    return ", ".join(f"{method} ({', '.join(names)})" for method, names in tasks.items())
