"""What runs there are, as plain text or JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from aliquot.files.records import SYSTEM
from aliquot.files.run_list import RunLine
from aliquot.findings.numbers import write_count, write_money, write_percent
from aliquot.reports.plain import neutralise, wrap
from aliquot.reports.sheet import Grid
from aliquot.reports.sheet_terminal import blocks_lines
from aliquot.reports.view import write_duration

MOST_COMMANDS: Final = 3
"""Commands shown as text; JSON holds all."""

_COLUMNS: Final = ("run", "task", "systems", "items", "status", "given", "answered", "began", "took", "cost")


def render_runs(directory: str, runs: Sequence[RunLine], commands: Sequence[str]) -> str:
    """Return the runs as plain text, a line each.

    Args:
        directory: the folder they are in.
        runs: the runs.
        commands: what compares them.
    """
    broken = [line for line in runs if line.status == "broken"]
    whole = [line for line in runs if line.status != "broken"]
    lines = wrap(f"{neutralise(directory)}: {_counts(runs)}.", indent="")
    if whole:
        rows = [_row(line) for line in whole]
        shown = [place for place, _ in enumerate(_COLUMNS) if any(row[place] for row in rows)]
        grid = Grid(
            "",
            tuple(_COLUMNS[place] for place in shown),
            tuple(tuple(row[place] for place in shown) for row in rows),
            names=3,
        )
        lines += blocks_lines([grid], most=None)
    noted = [line for line in whole if line.reason]
    overlapping = [line for line in whole if line.beside]
    if broken or noted or overlapping or commands:
        lines.append("")
    lines += [f"  {neutralise(line.path)}: broken, {_short(line.reason)}" for line in broken]
    lines += [f"  ! {neutralise(line.name)}: {_short(line.reason)}" for line in noted]
    lines += [
        f"  ! {neutralise(line.name)}: asked at the same time as {_short(', '.join(line.beside))}"
        for line in overlapping
    ]
    lines += [f"  {neutralise(command)}" for command in commands[:MOST_COMMANDS]]
    if len(commands) > MOST_COMMANDS:
        lines.append(f"  {write_count(len(commands) - MOST_COMMANDS, 'more comparison')}: --json")
    return "\n".join(lines) + "\n"


def runs_document(directory: str, runs: Sequence[RunLine], commands: Sequence[str]) -> Mapping[str, Any]:
    """Return the runs as JSON values by the contract ``aliquot.runs/1``."""
    listed = [asdict(line) for line in runs]
    return {"schema": "aliquot.runs/1", "directory": directory, "runs": listed, "commands": list(commands)}


def _counts(runs: Sequence[RunLine]) -> str:
    if not runs:
        return "no runs yet; aliquot run FILE makes one"
    counts: dict[str, int] = {}
    for line in runs:
        counts[line.status] = counts.get(line.status, 0) + 1
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def _row(line: RunLine) -> tuple[str, ...]:
    times = f" x{line.attempts}" if line.attempts > 1 else ""
    return (
        line.name,
        line.task,
        ", ".join(line.systems),
        f"{line.items}{times}",
        line.status,
        "" if line.given == line.asked else f"{line.given} of {line.asked}",
        "" if line.answered is None else f"{write_percent(line.answered, decimals=0)}%",
        line.started[:16].replace("T", " "),
        "" if line.seconds is None else write_duration(line.seconds),
        _cost(line),
    )


def _cost(line: RunLine) -> str:
    """Write what a run cost, and of that what was not paid to the systems under test."""
    total = " + ".join(write_money(cost, currency) for currency, cost in line.costs.items())
    others = [one for one in line.spending if one.scope != SYSTEM]
    of_these = ", ".join(f"{neutralise(one.scope)} {write_money(one.cost, one.currency)}" for one in others)
    return f"{total} ({of_these})" if others else total


def _short(reason: str) -> str:
    return neutralise(reason, limit=160)
