"""What is taken out of a finding and its rows for those who may not see what items ask and systems answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from aliquot.findings.finding import Finding
from aliquot.findings.rows import Row, Rows, SideOfRow
from aliquot.findings.side_metrics import Failures, SideMetrics
from aliquot.findings.summary import Summary, SystemLine

TEXTS: Final = ("input", "reference", "answer", "note", "metadata")
"""The texts of an item, by the names under which they are left out."""

REASON: Final = "reason"
"""The fact of an attempt that says why it has no answer."""

Found = TypeVar("Found", bound=Finding)


def shareable(finding: Found) -> Found:
    """Return a finding whose warnings hold names and numbers only: none quotes an item or an answer.

    What did not answer keeps its status and stage; an error message often repeats the request.
    """
    known = {field.name for field in fields(finding)} & {"warnings", "not_checked"}
    plain: dict[str, Any] = {
        name: tuple(replace(note, text=note.shareable) for note in getattr(finding, name)) for name in known
    }
    beside = getattr(finding, "side_metrics", None)
    if isinstance(beside, SideMetrics):
        plain["side_metrics"] = replace(beside, failures=_without_reasons(beside.failures))
    if isinstance(finding, Summary):
        plain["lines"] = tuple(map(_without_classes, finding.lines))
        plain["others"] = tuple(map(_without_classes, finding.others))
    return replace(finding, **plain)


def _without_classes(line: SystemLine) -> SystemLine:
    """Return a line whose classes have no names: they are right answers of items."""
    return line if line.classes is None else replace(line, classes=line.classes.unnamed())


def _without_reasons(failures: Iterable[Failures]) -> tuple[Failures, ...]:
    """Return the failures of each system, status and stage, the most frequent first."""
    rows: Counter[tuple[str, str, str]] = Counter()
    for one in failures:
        rows[one.system, one.status, one.stage] += one.rows
    systems = list(dict.fromkeys(system for system, _, _ in rows))
    ranked = sorted(rows.items(), key=lambda known: (systems.index(known[0][0]), -known[1], known[0]))
    return tuple(Failures(*key, reason="", rows=count) for key, count in ranked)


def without_texts(rows: Rows, left_out: Collection[str]) -> Rows:
    """Return rows without some of their texts.

    Args:
        rows: the rows.
        left_out: of ``TEXTS``.
    """
    return replace(rows, rows=tuple(_row(row, left_out) for row in rows.rows))


def _row(row: Row, left_out: Collection[str]) -> Row:
    changes: dict[str, Any] = {"candidate": _side(row.candidate, left_out)}
    if row.baseline is not None:
        changes["baseline"] = _side(row.baseline, left_out)
    if "input" in left_out:
        changes |= {"inputs": None, "asks": None}
    if "reference" in left_out:
        changes["reference"] = None
    if "metadata" in left_out:
        changes["metadata"] = {}
    return replace(row, **changes)


def _side(side: SideOfRow, left_out: Collection[str]) -> SideOfRow:
    changes: dict[str, Any] = {}
    if "answer" in left_out:  # an error message stands where the answer would, and often repeats the request
        facts = {name: text for name, text in side.facts.items() if name != REASON}
        changes |= {"text": None, "turns": None, "facts": facts}
    if "note" in left_out:
        changes["notes"] = {}
    return replace(side, **changes)
