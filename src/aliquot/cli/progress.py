"""Progress of a run on the terminal: one line that rewrites itself, or a plain line now and then."""

from __future__ import annotations

import json
import shutil
import sys
import time
from importlib import import_module
from typing import TYPE_CHECKING, Final

import click

from aliquot.runner.progress_line import progress_line, started_line

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
        self._write(started_line(progress))
        self._end()

    def answered(self, progress: Progress) -> None:
        """Rewrite the line, or print one when it is time."""
        now, finished = time.monotonic(), progress.done == progress.total
        patience = 0.0 if self._live else _PATIENCE * progress.elapsed_s
        if finished or now - self._last >= max(_EVERY_S[self._live], patience):
            self._last = now
            self._write(progress_line(progress))
        if finished:
            self._end()

    def noted(self, text: str) -> None:
        """Print a sentence whole, on lines of its own: it is not rewritten, so it need not fit the terminal's width."""
        self._end()
        click.echo(text, err=True)

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
        from msgspec.structs import asdict

        seen = {**asdict(progress), "rate": progress.rate, "eta_s": progress.eta_s}
        seen |= {"errors": progress.errors, "parse_rate": progress.parse_rate}
        peeks = {system: progress.peek(system) for system in progress.scores}
        seen["peeks"] = {
            system: {"point": one.point, "low": one.low, "high": one.high, "level": one.level, "n": one.n}
            for system, one in peeks.items()
            if one is not None
        }
        click.echo(json.dumps({"event": event, **seen}), err=True)
