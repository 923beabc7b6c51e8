"""Progress of a run on the terminal: one line that rewrites itself, or a plain line now and then."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from aliquot.runner.progress import Progress

_LEAST_PEEKED: Final = 10
"""Scored answers from which a running rate is shown."""

_EVERY_S: Final = {True: 0.2, False: 10.0}
"""Seconds between two lines, on a terminal and elsewhere."""


class ProgressLine:
    """Prints done of total, the rate, the time left and what went wrong, on standard error."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._last = 0.0
        self._open = False

    def started(self, progress: Progress) -> None:
        """Say how much there is to ask."""
        kept = f", {progress.kept} answered before" if progress.kept else ""
        self._write(f"{progress.total} answers to get{kept}")
        self._end()

    def answered(self, progress: Progress) -> None:
        """Rewrite the line, or print one when it is time."""
        now, finished = time.monotonic(), progress.done == progress.total
        if finished or now - self._last >= _EVERY_S[self._live]:
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
            click.echo(f"\r{text[:79]:<79}", err=True, nl=False)
            self._open = True
        else:
            click.echo(text, err=True)

    def _end(self) -> None:
        if self._open:
            click.echo(err=True)
            self._open = False


def _line(progress: Progress) -> str:
    rate = "" if progress.rate is None else f", {progress.rate:.1f} a second"
    left = "" if progress.eta_s is None else f", {_left(progress.eta_s)} left"
    cost = "" if not progress.spent else f", cost {progress.spent:.3g}"
    if progress.expected_cost is not None:
        cost += f" of about {progress.expected_cost:.3g}"
    cost += f" {progress.currency}" if cost and progress.currency else ""
    odd = ", ".join(
        f"{count} {status}" for status, count in sorted(progress.statuses.items()) if status != "ok"
    )
    return (
        f"{progress.done} of {progress.total}{rate}{left}{cost}{f' ({odd})' if odd else ''}{_peek(progress)}"
    )


def _peek(progress: Progress) -> str:
    """Write the rate of the system that is being asked, with an interval, as what it is: a look half-way."""
    total, n = progress.scores.get(progress.system, (0.0, 0))
    if n < _LEAST_PEEKED or progress.done == progress.total or not 0 <= total <= n:
        return ""
    from aliquot.stats.proportions import wilson

    seen = wilson(total, n)
    return f"; {progress.system[:20]} {100 * seen.point:.0f}% [{100 * seen.low:.0f}, {100 * seen.high:.0f}], a peek"


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
        click.echo(json.dumps({"event": event, **seen}), err=True)


def _left(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
