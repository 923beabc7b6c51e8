"""A summary as a sheet: a line for each system and task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aliquot.findings.comparison import Quantiles
from aliquot.findings.numbers import write_percent, write_value
from aliquot.findings.summary import Repeats, Summary, SystemLine
from aliquot.reports.sheet import Block, Grid, Sheet
from aliquot.reports.view import write_duration
from aliquot.stats.results import Estimate, Undefined


def sheet_of(summary: Summary) -> Sheet:
    """Return the text of a summary."""
    return Sheet(
        headline=summary.verdict.text,
        blocks=(_main(summary), *_sentences(summary)),
        warnings=tuple(note.text for note in summary.warnings),
        details=tuple(_details(summary)),
        footer=f"Seed {summary.seed}. {', '.join(f'{name} {text}' for name, text in summary.versions.items())}.",
    )


def _main(summary: Summary) -> Grid:
    level = f"{100 * summary.level:g}% interval"
    many = len({line.task for line in summary.lines}) > 1
    head = (*(("task",) if many else ()), "system", "metric", "n", "rate or mean", level, "answered")
    rows = tuple(
        (*((line.task,) if many else ()), line.system, line.metric, *_cells(line)) for line in summary.lines
    )
    return Grid("" if many else f"Task {summary.lines[0].task}", head, rows, names=3 if many else 2)


def _cells(line: SystemLine) -> tuple[str, ...]:
    clusters = "" if line.n_clusters is None else f" in {line.n_clusters}"
    answered = write_percent(line.answered, decimals=0) + "%"
    return (f"{line.n_items}{clusters}", *_estimate_cells(line, line.estimate), answered)


def _estimate_cells(line: SystemLine, estimate: Estimate | Undefined) -> tuple[str, str]:
    if isinstance(estimate, Undefined):
        return "-", "not available"
    point, low, high = (
        write_value(value, line.scale, width=estimate.width)
        for value in (estimate.point, estimate.low, estimate.high)
    )
    return point + ("%" if line.scale.in_points else ""), f"{low} to {high}"


def _sentences(summary: Summary) -> Iterator[str]:
    for line in summary.lines:
        yield from _about(line, named=len(summary.lines) > 1)
    yield from summary.reconciliation[: 3 if len(summary.lines) > 1 else None]


def _about(line: SystemLine, *, named: bool) -> Iterator[str]:
    """Say what the line of one system cannot hold: missing rows, answered rows, repeats, time and money."""
    who = f"{line.system} on {line.task}: " if named else ""
    if line.if_missing is not None:
        low, high = (_estimate_cells(line, reading)[0] for reading in line.if_missing)
        yield f"{who}{line.missing} rows have no value: {low} if they all failed, {high} if they all passed."
    if line.over_answered is not None:
        share = write_percent(line.answered)
        over = _estimate_cells(line, line.over_answered)[0]
        yield f"{who}over the {share}% answered alone {over}, which is no verdict."
    if line.repeats is not None:
        yield who + _repeats(line, line.repeats)
    if not named and (spent := _spent(line)):
        yield spent


def _repeats(line: SystemLine, repeats: Repeats) -> str:
    total = repeats.between + repeats.within
    share = f"{100 * repeats.within / total:.0f}%" if total > 0 else "none"
    varying = f"{repeats.varying} of {line.n_items} items differ between attempts"
    text = f"{varying}; {share} of the variance is within items."
    once, again = (
        next((row for row in repeats.precision if (row.items, row.attempts) == wanted), None)
        for wanted in ((2 * line.n_items, 1), (line.n_items, 4))
    )
    if once is None or again is None:
        return text
    return (
        f"{text} Standard error {again.se:.3f} with {again.attempts} attempts at {again.items} items, "
        f"{once.se:.3f} with one at {once.items}."
    )


def _spent(line: SystemLine) -> str:
    parts: list[str] = []
    if line.latency is not None:
        parts.append(_latency(line.latency))
    if line.cost is not None:
        parts.append(f"{line.cost:.4g} {line.currency or ''} an item".replace("  ", " "))
    return f"Latency and cost: {'; '.join(parts)}." if parts else ""


def _latency(latency: Quantiles) -> str:
    return (
        f"median {write_duration(latency.median)}, p95 {write_duration(latency.p95)} ({latency.n} responses)"
    )


def _details(summary: Summary) -> Iterator[Block]:
    if summary.others:
        rows = tuple((line.system, line.task, line.metric, *_cells(line)) for line in summary.others)
        level = f"{100 * summary.level:g}% interval"
        yield Grid(
            "Other metrics",
            ("system", "task", "metric", "n", "rate or mean", level, "answered"),
            rows,
            names=3,
        )
    yield Grid("Responses", ("system", "task", "rows", "status"), tuple(map(_responses, summary.lines)))
    for line in summary.lines:
        if line.repeats is not None:
            yield from _repeat_grids(line, line.repeats)
    yield f"Method: {summary.why}."
    yield f"Estimand: {summary.estimand}"
    yield from summary.reconciliation
    if summary.not_checked:
        yield f"Not checked: {'; '.join(note.text for note in summary.not_checked)}."


def _responses(line: SystemLine) -> tuple[str, ...]:
    counts = ", ".join(f"{count} {status}" for status, count in sorted(line.statuses.items()) if count)
    return line.system, line.task, str(line.rows), counts


def _repeat_grids(line: SystemLine, repeats: Repeats) -> Iterator[Grid]:
    attempts = sorted({row.attempts for row in repeats.precision})
    sizes = sorted({row.items for row in repeats.precision})
    errors = {(row.items, row.attempts): row.se for row in repeats.precision}
    yield Grid(
        f"Standard error of {line.system} by items and attempts",
        ("items", *(f"{k} each" for k in attempts)),
        tuple((str(size), *(f"{errors[size, k]:.3f}" for k in attempts)) for size in sizes),
    )
    if repeats.pass_at:
        yield Grid(
            "k attempts",
            ("", *(f"k = {k}" for k in repeats.pass_at)),
            (
                ("pass@k (at least one)", *_shares(list(repeats.pass_at.values()))),
                ("pass^k (all)", *_shares(list(repeats.pass_hat.values()))),
            ),
        )


def _shares(estimates: Sequence[Estimate | Undefined]) -> tuple[str, ...]:
    return tuple("-" if isinstance(one, Undefined) else f"{one.point:.3f}" for one in estimates)
