"""A log that grows as a sheet: what alarmed, quality before and now, segments, feedback, the set against the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from aliquot.findings.monitor import Channel, Monitor, Resemblance
from aliquot.findings.numbers import write_count, write_difference, write_p, write_percent
from aliquot.findings.scale import Scale
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Estimate, Undefined

_SCALE: Final = Scale("bounded", 0.0, 1.0, "higher")
_SHOWN: Final = 8
_MANY: Final = 0.8
"""Worth of a set below which its difference from the rows costs something."""


def sheet_of(found: Monitor) -> Sheet:
    """Return the text of a finding about a log."""
    return lay_out(found, _blocks(found), _details(found))


def _blocks(found: Monitor) -> Iterator[Block]:
    if len(found.alarms) > 1:
        yield _alarms(found)
    yield (
        f"{found.source}: {write_count(found.rows, 'row')}, {found.new_rows:,} of them new. Quality: "
        f"{_rate(found.before)} in the baseline, {_rate(found.now)} of the last {found.window:,}, "
        f"{_rate(found.running)} over all rows, at every look."
    )
    if found.segments:
        yield _segments(found, _SHOWN)
    if found.alarms:
        yield from _mix(found)
    feedback = found.feedback
    if feedback is not None:
        low, high = (write_percent(share) for share in feedback.if_silent)
        yield (
            f"Feedback: {feedback.said:,} of the last {feedback.rows:,} rows ({_rate(feedback.answered)}); "
            f"{_rate(feedback.liked)} of it is good. With the silent it could be {low} to {high}%."
        )
    for one in found.resemblance:
        yield _resemblance(one)
    if found.review:
        yield f"{write_count(found.review, 'row')} drawn for people to read, each with its chance and weight."


def _mix(found: Monitor) -> Iterator[Block]:
    for effect in found.mix:
        change, mix, within = (
            write_difference(value, _SCALE, width=0.1)
            for value in (effect.change, effect.by_mix, effect.within)
        )
        yield (
            f"At the baseline's mix of {effect.field} the last rows would stand at {within} points since then, and not "
            f"at {change}; {mix} come with the new mix."
        )


def _rate(estimate: Estimate | Undefined) -> str:
    if isinstance(estimate, Undefined):
        return "not known"
    low, high = (write_percent(value) for value in (estimate.low, estimate.high))
    return f"{write_percent(estimate.point)}% ({low} to {high})"


def _alarms(found: Monitor) -> Grid:
    rows = tuple(
        (one.name, _number(one, one.before), _number(one, one.now), f"{one.alarm:,}", str(one.since or "-"))
        for one in found.alarms[:_SHOWN]
    )
    cut = f", the first {_SHOWN} of {len(found.alarms)}" if len(found.alarms) > _SHOWN else ""
    return Grid(f"What alarmed{cut}", ("", "baseline", "now", "at row", "begun before it"), rows)


def _number(channel: Channel, value: float | None) -> str:
    """Return a mean as it is read: a share, or the number of an input."""
    if value is None:
        return "-"
    if channel.what == "inputs" and not channel.kind:
        return f"{value:,.4g}"
    return f"{write_percent(value)}%"


def _segments(found: Monitor, most: int) -> Grid:
    rows = tuple(
        (
            f"{one.field}={one.kind}",
            f"{write_percent(one.share_before)}%",
            f"{write_percent(one.share_now)}%",
            _rate(one.now),
            _rate(one.running),
        )
        for one in found.segments[:most]
    )
    cut = f", {most} of {len(found.segments)}" if len(found.segments) > most else ""
    head = ("segment", "share before", "now", f"quality of the last {found.window:,}", "at every look")
    return Grid(f"Segments{cut}", head, rows)


def _resemblance(one: Resemblance) -> str:
    far, chance = write_percent(one.distance), write_percent(one.by_chance)
    text = (
        f"The set against the rows, by {one.field}: {far}% of the items would have to be of another kind (by chance "
        f"{chance}, {write_p(one.test)})"
    )
    if one.lacking:
        names = ", ".join(one.lacking[:3])
        text += f"; it lacks {names} ({write_percent(1 - one.covered)}% of the rows)"
    if one.worth < _MANY:
        text += f"; weighted to the rows it is worth {write_percent(one.worth)}% of its size"
    return f"{text}."


def _details(found: Monitor) -> Iterator[Block]:
    if not found.alarms:
        yield from _mix(found)
    if len(found.segments) > _SHOWN:
        yield _segments(found, len(found.segments))
    rows = tuple(
        (
            one.name,
            f"{one.held:.3g}",
            _number(one, one.before),
            _number(one, one.now),
            f"{one.units:,}",
            f"{min(one.value, 1e12):,.0f}",
            "-" if one.alarm is None else f"{one.alarm:,}",
        )
        for one in found.channels
    )
    if rows:
        limit = found.channels[0].limit
        head = ("", "held", "baseline", "now", "units", "highest value", "alarm")
        yield Grid(f"What is watched; each alarms at {limit:,.0f}", head, rows)
    yield (
        "Method: Shiryaev-Roberts e-detectors over eight stakes; quality and feedback against the lower limit of the "
        "baseline's interval or the floor that was given, inputs by the rank of each row among those before it."
    )
