"""A rescoring as a sheet: the rates under both rules, and the answers that count otherwise by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aliquot.findings.numbers import write_difference, write_percent, write_value
from aliquot.findings.rescoring import RescoredSystem, Rescoring
from aliquot.findings.scale import Scale
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Estimate, Undefined

_NAMED = 10
"""Answers named without ``-v``, for each system and direction."""


def sheet_of(found: Rescoring) -> Sheet:
    """Return the text of a rescoring."""
    return lay_out(found, _blocks(found), _details(found))


def _blocks(found: Rescoring) -> Iterator[Block]:
    several = len({one.task for one in found.systems}) > 1
    head = (
        "system",
        *(("task",) if several else ()),
        "before",
        "now",
        "change",
        f"{100 * found.level:g}% interval",
        "",
    )
    rows = tuple(
        (
            one.system,
            *((one.task,) if several else ()),
            _rate(one.before, found.scale),
            _rate(one.after, found.scale),
            *_change(found, one),
        )
        for one in found.systems
    )
    yield Grid("", head, rows, names=1 + several)
    for one in found.systems:
        for names, became in ((one.to_right, "right"), (one.to_wrong, "wrong")):
            if names:
                yield f"{_whose(one, several=several)}, now {became}: {_listed(names, _NAMED)}."
    if found.written:
        yield f"Kept as {', '.join(found.metrics)} in {found.written}; the earlier outcomes stay."
    else:
        yield "Nothing was written: -o FILE.parquet keeps both outcomes."


def _whose(one: RescoredSystem, *, several: bool) -> str:
    return f"{one.system} on {one.task}" if several else one.system


def _listed(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more (-v)" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _rate(rate: Estimate | Undefined, scale: Scale) -> str:
    if isinstance(rate, Undefined):
        return "-"
    if scale.in_points:
        return f"{write_percent(rate.point)}%"
    return write_value(rate.point, scale, width=rate.high - rate.low)


def _change(found: Rescoring, one: RescoredSystem) -> tuple[str, str, str]:
    if isinstance(one.difference, Undefined):
        return ("-", "-", "")
    width = one.difference.high - one.difference.low
    point, low, high = (
        write_difference(value, found.scale, width=width)
        for value in (one.difference.point, one.difference.low, one.difference.high)
    )
    return (point, f"{low} to {high}", one.word)


def _details(found: Rescoring) -> Iterator[Block]:
    several = len({one.task for one in found.systems}) > 1
    for one in found.systems:
        for names, became in ((one.to_right, "right"), (one.to_wrong, "wrong")):
            if len(names) > _NAMED:
                yield f"{_whose(one, several=several)}, now {became}, all: {', '.join(names)}."
        counts = ", ".join(f"{count} {status}" for status, count in one.statuses.items())
        yield f"{_whose(one, several=several)} under {found.scorer}: {counts}."
