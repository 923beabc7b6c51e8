"""The words for what became of an item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aliquot.findings.rows import Change, Rows

TITLES: Final[Mapping[Change, str]] = {
    "broke": "newly failing",
    "fixed": "newly fixed",
    "still_failing": "still failing",
    "differ": "different otherwise",
    "same": "same on both",
}

ALONE: Final[Mapping[Change, str]] = {
    "still_failing": "failing",
    "differ": "without a value",
    "same": "passing",
}
"""The words where one system is read alone."""


def change_titles(rows: Rows) -> Mapping[Change, str]:
    """Return the words of a change: of two systems, or of one that is read alone."""
    return ALONE if rows.baseline is None else TITLES
