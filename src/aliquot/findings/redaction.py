"""What is taken out of a finding and its rows for those who may not see what items ask and systems answer."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, replace
from typing import Any, Final, TypeVar

from aliquot.findings.rows import Row, Rows, SideOfRow

TEXTS: Final = ("input", "reference", "answer", "note", "metadata")
"""The texts of an item, by the names under which they are left out."""

Found = TypeVar("Found")


def shareable(finding: Found) -> Found:
    """Return a finding whose warnings hold names and numbers only: none quotes an item or an answer."""
    known = {field.name for field in fields(finding)} & {"warnings", "not_checked"}  # pyright: ignore[reportArgumentType] - every finding is a dataclass
    plain: dict[str, Any] = {
        name: tuple(replace(note, text=note.shareable) for note in getattr(finding, name)) for name in known
    }
    return replace(finding, **plain)  # pyright: ignore[reportArgumentType] - as above


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
    if "answer" in left_out:
        changes |= {"text": None, "turns": None}
    if "note" in left_out:
        changes["notes"] = {}
    return replace(side, **changes)
