"""Progress of a run on the terminal: one line that rewrites itself, or a plain line now and then."""

from __future__ import annotations

import json
import shutil
import sys
import time
from importlib import import_module
from math import floor
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from aliquot.runner.progress import Progress

_EVERY_S: Final = {True: 0.2, False: 10.0}
"""Seconds between two lines, on a terminal and elsewhere."""

_PATIENCE: Final = 0.1
"""Share of the time so far until the next line elsewhere: a day's run leaves some eighty lines in a log."""


class ProgressLine:
    """Prints done of total, the rate, the time left and what went wrong, on standard error."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._last = 0.0
        self._open = False

    def started(self, progress: Progress) -> None:
        """Say how much there is to ask."""
        # For the peek: an import on the way would hold up the answers under way.
        import_module("aliquot.stats.proportions")
        import_module("aliquot.findings.numbers")
        if progress.kept == progress.total:
            self._write(f"all {progress.total} answers are on record; nothing is asked")
        else:
            kept = f", {progress.kept} of them on record" if progress.kept else ""
            self._write(f"{progress.total} answers to get{kept}")
        self._end()

    def answered(self, progress: Progress) -> None:
        """Rewrite the line, or print one when it is time."""
        now, finished = time.monotonic(), progress.done == progress.total
        patience = 0.0 if self._live else _PATIENCE * progress.elapsed_s
        if finished or now - self._last >= max(_EVERY_S[self._live], patience):
            self._last = now
            self._write(_line(progress))
        if finished:
            self._end()

    def noted(self, text: str) -> None:
        """Print a sentence on a line of its own."""
        self._end()
        self._write(text)
        self._end()

    def _write(self, text: str) -> None:
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            click.echo(f"\r{text[:width]:<{width}}", err=True, nl=False)
            self._open = True
        else:
            click.echo(text, err=True)

    def _end(self) -> None:
        if self._open:
            click.echo(err=True)
            self._open = False


def _line(progress: Progress) -> str:
    """Write where a run stands: what matters first, as a narrow terminal cuts the end off."""
    parts = [f"{progress.done} of {progress.total}"]
    if progress.rate is not None:
        parts.append(f"{progress.rate:.1f} a second")
    if progress.eta_s is not None and progress.done < progress.total:
        parts.append(f"{_left(progress.eta_s)} left")
    if progress.errors:
        parts.append(f"{progress.errors} {'error' if progress.errors == 1 else 'errors'}")
    if progress.parse_rate is not None:
        parts.append(f"{floor(100 * progress.parse_rate)}% read")
    return ", ".join(parts) + _peek(progress) + _cost(progress)


def _peek(progress: Progress) -> str:
    """Write the rate of the system that is being asked, with an interval, as what it is: a look half-way."""
    seen = progress.peek(progress.system)
    if seen is None or progress.done == progress.total:
        return ""
    return f"; {progress.system[:20]} {100 * seen.point:.0f}% [{100 * seen.low:.0f}, {100 * seen.high:.0f}], a peek"


def _cost(progress: Progress) -> str:
    if not progress.spent:
        return ""
    from aliquot.findings.numbers import write_money

    if progress.expected_cost is None or progress.done == progress.total:
        return f"; cost {write_money(progress.spent, progress.currency)}"
    foreseen = write_money(progress.expected_cost, progress.currency)
    return f"; cost {write_money(progress.spent, None)} of about {foreseen}"


class JsonLines:
    """Writes every step as one JSON object a line on standard error, for programs that watch a run."""

    def started(self, progress: Progress) -> None:
        """Write how much there is to ask."""
        self._write("started", progress)

    def answered(self, progress: Progress) -> None:
        """Write where the run stands."""
        self._write("answered", progress)

    def noted(self, text: str) -> None:
        """Write a sentence."""
        click.echo(json.dumps({"event": "noted", "text": text}), err=True)

    def _write(self, event: str, progress: Progress) -> None:
        from dataclasses import asdict

        seen = {**asdict(progress), "rate": progress.rate, "eta_s": progress.eta_s}
        seen |= {"errors": progress.errors, "parse_rate": progress.parse_rate}
        peeks = {system: progress.peek(system) for system in progress.scores}
        seen["peeks"] = {
            system: {"point": one.point, "low": one.low, "high": one.high, "level": one.level, "n": one.n}
            for system, one in peeks.items()
            if one is not None
        }
        click.echo(json.dumps({"event": event, **seen}), err=True)


def _left(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
