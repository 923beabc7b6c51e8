"""What a scorer says about one response."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import msgspec

ScoreStatus: TypeAlias = Literal[
    "ok", "unparsed", "refused", "truncated", "timeout", "failed", "error", "missing"
]


EMPTY: Final = "empty answer"
"""Note on an answer that holds no text."""


class Score(msgspec.Struct, frozen=True):
    """The value of one response under one rule.

    Attributes:
        value: 1 or 0 under a rate, a number under another metric; None when there is none.
        label: what was read out of the response (a number, a choice, "2 of 3 fields").
        status: ``ok``, or why there is no value; a right refusal has status ``refused`` and value 1.
        note: one line on how the value came about, where that is not plain.
        parts: the numbers whose sums over all items make the metric of the whole corpus.
    """

    value: float | None
    label: str | None = None
    status: ScoreStatus = "ok"
    note: str | None = None
    parts: tuple[float, ...] | None = None


def verdict(*, right: bool, label: str, note: str | None = None) -> Score:
    """Return 1 or 0 with what was read."""
    return Score(1.0 if right else 0.0, label=label, note=note)


def unparsed(note: str) -> Score:
    """Return the score of a response in which no answer was found: the system's failure under a rule."""
    return Score(None, status="unparsed", note=note)
