"""Where a run stands, on one line to read."""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING

from aliquot.findings.numbers import write_money

if TYPE_CHECKING:
    from aliquot.runner.progress import Progress


def started_line(progress: Progress) -> str:
    """Write how much there is to ask."""
    if progress.kept == progress.total:
        return f"all {progress.total} {progress.what} are on record; nothing is asked"
    kept = f", {progress.kept} of them on record" if progress.kept else ""
    return f"{progress.total} {progress.what} to get{kept}"


def progress_line(progress: Progress) -> str:
    """Write where a run stands: what matters first, as a narrow terminal cuts the end off."""
    counted = "" if progress.what == "answers" else f" {progress.what}"
    parts = [f"{progress.done} of {progress.total}{counted}"]
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
    if progress.expected_cost is None or progress.done == progress.total:
        return f"; cost {write_money(progress.spent, progress.currency)}"
    foreseen = write_money(progress.expected_cost, progress.currency)
    return f"; cost {write_money(progress.spent, None)} of about {foreseen}"


def _left(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
