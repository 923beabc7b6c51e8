"""The first sentence about a log that grows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from aliquot.findings.monitor import Channel
from aliquot.findings.numbers import write_count, write_percent
from aliquot.findings.verdict import Verdict
from aliquot.stats.results import Estimate, Undefined

_FALLEN: Final = {
    "quality": "FALLEN",
    "feedback": "FEEDBACK FALLEN",
    "inputs": "INPUTS CHANGED",
    "answered": "FEWER OR MORE USERS SAY ANYTHING",
}
_GRAVEST: Final = ("quality", "feedback", "inputs", "answered")


def write_monitor(
    channels: Sequence[Channel],
    *,
    before: Estimate | Undefined,
    rows: int,
    watched: int,
    baseline: int,
    baseline_of: int,
    run_length: float,
    window: int,
) -> Verdict:
    """Return the verdict about a log.

    Args:
        channels: what is watched.
        before: quality in the baseline.
        rows: rows read.
        watched: rows read since the baseline.
        baseline: rows of the baseline so far.
        baseline_of: rows it takes.
        run_length: rows between false alarms.
        window: how many the last rows are.
    """
    if rows == 0:
        return Verdict("nothing_to_judge", text="NOTHING TO JUDGE: the log holds no row yet.")
    if baseline < baseline_of:
        text = f"LEARNING: {baseline:,} of {write_count(baseline_of, 'row')} of the baseline. Nothing is watched yet."
        return Verdict("estimated", text=text)
    if not channels:
        return Verdict(
            "nothing_to_judge",
            text=f"NOTHING TO JUDGE: quality of the baseline cannot be held ({_why_not(before)}), and no field of the "
            "inputs is named. Begin anew on other rows: --restart.",
        )
    alarms = [one for what in _GRAVEST for one in channels if one.what == what and one.alarm is not None]
    promise = f"While nothing changes, a false alarm comes once in {run_length:,.0f} rows or more on average."
    silent = any(one.what == "quality" and not one.kind and one.now is None for one in channels)
    if not alarms and silent and watched:
        return Verdict(
            "nothing_to_judge",
            text=f"NOTHING TO JUDGE: none of the last {write_count(window, 'row')} has a value, so that quality is not "
            "watched any more.",
        )
    if not alarms:
        return Verdict("met", text=f"NO ALARM in {watched:,} rows since the baseline. {promise}")
    first = alarms[0]
    others = f" {write_count(len(alarms) - 1, 'other')} alarmed." if len(alarms) > 1 else ""
    return Verdict("not_met", text=f"{_FALLEN[first.what]}{_how(first, window)}.{others} {promise}")


def _why_not(before: Estimate | Undefined) -> str:
    """Return why quality is not watched by a baseline: it is not known, or has no room to fall."""
    return before.reason if isinstance(before, Undefined) else "every value is at the worst end"


def _how(channel: Channel, window: int) -> str:
    where = (
        f" in {channel.field}={channel.kind}"
        if channel.kind
        else f": {channel.field}"
        if channel.field
        else ""
    )
    text = where if channel.what in {"quality", "inputs"} else ""
    if channel.before is not None and channel.now is not None and (channel.kind or channel.what != "inputs"):
        before, now = (write_percent(value) for value in (channel.before, channel.now))
        text += f": {now}% of the last {window:,} rows, {before}% in the baseline"
        if channel.what in {"quality", "feedback"}:
            text += f" (held: {write_percent(channel.held)}%)"
    since = "" if channel.since is None else f", begun about {write_count(channel.since, 'row')} before it"
    return f"{text}; alarm at row {channel.alarm:,}{since}"
