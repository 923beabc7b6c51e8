"""Kinds of failure as a sheet: counts and shares side by side, and what moved."""

from __future__ import annotations

from collections.abc import Iterator

from aliquot.findings.failures import FailureKind, Failures, FailureSide
from aliquot.findings.failures_words import PLURAL, write_change
from aliquot.findings.numbers import write_count, write_percent
from aliquot.reports.cells import p_cell
from aliquot.reports.sheet import Block, Grid, Sheet, lay_out
from aliquot.stats.results import Estimate, Undefined

_SHOWN = 20
"""Kinds shown without ``-v``."""


def sheet_of(found: Failures) -> Sheet:
    """Return the text of a finding about failures."""
    return lay_out(found, _blocks(found), _details(found))


def _blocks(found: Failures) -> Iterator[Block]:
    cut = f", the {_SHOWN} most frequent of {len(found.kinds)}" if len(found.kinds) > _SHOWN else ""
    title = f"Answers with each kind, and their % of the {PLURAL[found.base]}{cut}"
    yield _kinds(found, found.kinds[:_SHOWN], title=title)
    for side in found.sides:
        yield _side(side)


def _kinds(found: Failures, kinds: tuple[FailureKind, ...], *, title: str) -> Grid:
    percent = f"{100 * found.level:g}% interval"
    two = found.paired is not None
    head = ["kind"]
    for side in found.sides:
        head += [side.name, *(() if two else ("%", percent))]
    if two:
        head += ["diff.", f"{100 * found.level:g}% together", "p", ""]
    rows = tuple((kind.code, *_cells(kind, two=two)) for kind in kinds)
    return Grid(title, tuple(head), rows)


def _cells(kind: FailureKind, *, two: bool) -> Iterator[str]:
    for count, share in zip(kind.counts, kind.shares, strict=True):
        if isinstance(share, Undefined):
            yield from ((str(count),) if two else (str(count), "-", "not available"))
        elif two:
            yield f"{count} ({write_percent(share.point)}%)"
        else:
            limits = f"{write_percent(share.low)} to {write_percent(share.high)}"
            yield from (str(count), write_percent(share.point), limits)
    if two:
        estimate = kind.difference
        if isinstance(estimate, Estimate):
            yield from write_change(estimate)
        else:
            yield from ("-", "not available")
        yield p_cell(kind.test)
        yield kind.moved if kind.moved in {"more", "fewer"} else ""


def _side(side: FailureSide) -> str:
    who = "by people" if side.by == "person" else "by the stages and statuses on record"
    if side.answers is None or side.failed is None:
        return f"{side.name}: {write_count(side.read, 'answer')} read {who}, {side.coded} with a code."
    text = (
        f"{side.name}: {side.failed} of {write_count(side.answers, 'answer')} failed; "
        f"{side.coded + side.unnamed} of the failing ones coded {who}"
    )
    return f"{text}, {side.unnamed} of them without a name." if side.unnamed else f"{text}."


def _details(found: Failures) -> Iterator[Block]:
    if len(found.kinds) > _SHOWN:
        yield _kinds(found, found.kinds[_SHOWN:], title="The others")
    rows = tuple((kind.code, kind.says or "-", ", ".join(kind.items) or "-") for kind in found.kinds)
    yield Grid("To read", ("kind", "what it means", "items"), rows, names=3)
    yield f"Method: {found.why}."
    yield f"Estimand: {found.estimand}"
