"""Rows of a log as they are watched: values on one scale, kinds and numbers of the inputs, what users said."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from aliquot.analysis.margins import share_of
from aliquot.errors import InputError, UsageError
from aliquot.evidence.identity import text_of
from aliquot.files.appended import Appended
from aliquot.files.rows import Cell
from aliquot.findings.numbers import write_count
from aliquot.gates.monitor_report import octave_of
from aliquot.gates.monitor_state import Kept, State
from aliquot.gates.monitoring import code_of
from aliquot.item_sets.sources import load
from aliquot.readers.cells import FALSE, TRUE, values

LONG: Final = 40
"""Letters, and WORDS words, from which a text is watched by its length."""
WORDS: Final = 4
MOST_LETTERS: Final = 80
"""Letters of a kind that are kept."""
TYPES: Final = ("kind", "number", "length")

VALUES: Final = ("value", "score", "passed", "correct", "success")
"""Columns that hold the value when none is named."""

GOOD: Final = TRUE | {
    "up",
    "thumbs_up",
    "thumbsup",
    "positive",
    "good",
    "like",
    "liked",
    "+1",
    "1",
    "1.0",
    "👍",
}
BAD: Final = FALSE | {
    "down", "thumbs_down", "thumbsdown", "negative", "bad", "dislike", "disliked", "-1", "0", "0.0", "-1.0", "👎",
}  # fmt: skip
"""What users say, in any case."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Which column is what.

    Attributes:
        value: the value; None for none.
        by: kinds that are segments.
        drift: further fields of the inputs, perhaps with their type behind a colon.
        cluster: what rows share.
        feedback: what users said.
        flag: marks rows to look at.
        low: smallest possible value.
        high: largest possible value.
        lower_is_better: the smaller the better.
        value_named: whether the column of the value was named, and not found by its name.
    """

    value: str | None
    by: tuple[str, ...]
    drift: tuple[str, ...]
    cluster: str | None
    feedback: str | None
    flag: str | None
    low: float
    high: float
    lower_is_better: bool
    value_named: bool = True

    def __post_init__(self) -> None:
        if not (self.low < self.high and math.isfinite(self.low) and math.isfinite(self.high)):
            raise UsageError(f"--low must lie below --high; got {self.low} and {self.high}")

    @property
    def drifting(self) -> tuple[str, ...]:
        """Fields of the inputs beside the segments, without their types."""
        return tuple(name for name, _ in map(_typed, self.drift))

    @property
    def named(self) -> tuple[str, ...]:
        """Every column that has to be there."""
        given = (self.value, *self.by, *self.drifting, self.cluster, self.feedback, self.flag)
        return tuple(dict.fromkeys(name for name in given if name is not None))

    def with_found(self, name: str | None) -> Columns:
        """Return them with the column of the value that was found."""
        return replace(self, value=name, value_named=False)

    def scaled(self, value: float) -> float:
        """Return a value on the scale of 0 to 1, 1 the better end."""
        share = (value - self.low) / (self.high - self.low)
        return 1 - share if self.lower_is_better else share

    def scaled_floor(self, floor: float | str | None) -> float | None:
        """Return a floor on that scale.

        Raises:
            UsageError: no number, or one outside the limits.
        """
        if floor is None:
            return None
        found = self.scaled(share_of(floor))
        if not 0 < found < 1:
            raise UsageError(
                f"a floor lies strictly between the limits {self.low:g} and {self.high:g}; got {floor}"
            )
        return found


def _typed(field: str) -> tuple[str, str | None]:
    name, colon, kind = field.rpartition(":")
    return (name, kind) if colon and kind in TYPES else (field, None)


def type_fields(state: State, columns: Columns, cells: Mapping[str, Sequence[Cell]]) -> None:
    """Settle, once, whether a field is watched as a kind, a number or a length, by its first rows."""
    for name in columns.by:
        state.typed.setdefault(name, "kind")
    for name, kind in map(_typed, columns.drift):
        if name not in state.typed:
            state.typed[name] = kind or _type_of(cells[name])


def _type_of(cells: Sequence[Cell]) -> str:
    told = [cell for cell in cells if cell is not None]
    if told and all(_number(cell) is not None for cell in told):
        return "number"
    texts = [str(cell) for cell in told]
    return "length" if any(len(text) > LONG or len(text.split()) > WORDS for text in texts) else "kind"


def _number(cell: Cell) -> float | None:
    if isinstance(cell, bool):
        return None
    try:
        number = float(cell)  # pyright: ignore[reportArgumentType] - a text that is no number is caught
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def kept_rows(
    appended: Appended, columns: Columns, typed: Mapping[str, str], *, file: str
) -> list[tuple[Kept, bool]]:
    """Return new rows as they are watched, each with whether people should look at it.

    Raises:
        InputError: a value outside its limits, or a word of a user that is neither good nor bad.
    """
    if not appended.height:
        return []

    def place(index: int) -> str:
        return f"row {appended.first + index}"

    nothing: list[Cell] = [None] * appended.height
    of = appended.columns
    told = nothing if columns.value is None else of[columns.value]
    remedy = "Write a number, true or false; an empty cell, or null, is no value"
    measured, _ = values(told, place=place, file=file, column=columns.value or "", remedy=remedy)
    liked = nothing if columns.feedback is None else of[columns.feedback]
    units = nothing if columns.cluster is None else of[columns.cluster]
    flags = nothing if columns.flag is None else of[columns.flag]
    fields = tuple(dict.fromkeys((*columns.by, *columns.drifting)))
    found: list[tuple[Kept, bool]] = []
    for index in range(appended.height):
        value = measured[index]
        row = appended.first + index
        if value is not None and not columns.low <= value <= columns.high:
            raise InputError(
                f"the value {value:g} lies outside {columns.low:g} to {columns.high:g}",
                file=file,
                row=row,
                field=columns.value,
                remedy="Name the scale: --low and --high",
            )
        scaled = None if value is None else columns.scaled(value)
        said = _liked(liked[index], file=file, row=row, field=columns.feedback)
        kinds, numbers = _inputs(of, index, fields, typed)
        kept = Kept(value=scaled, unit=text_of(units[index]), kinds=kinds, numbers=numbers, liked=said)
        found.append((kept, scaled == 0 or said is False or _marked(flags[index])))
    return found


def require_watchable(
    rows: Sequence[tuple[Kept, bool]], columns: Columns, there: Sequence[str], *, file: str
) -> None:
    """Refuse the first rows of a monitor when nothing in them can be watched: said now, not when the baseline is whole.

    Args:
        rows: the first rows.
        columns: which column is what.
        there: the columns that there are.
        file: the log, for messages.

    Raises:
        InputError: no column of the value and nothing else named, or a column of the value without a single one.
    """
    if any(row.value is not None for row, _ in rows):
        return
    others = (*columns.by, *columns.drift, *filter(None, (columns.feedback,)))
    if columns.value is not None and (columns.value_named or not others):
        raise InputError(
            f"none of {write_count(len(rows), 'row')} has a value; the columns are {', '.join(there)}",
            file=file,
            field=columns.value,
            remedy="Name the one that holds it: --value COLUMN; read again once a row is rated; or, without --value, "
            "watch the inputs alone: --by or --drift COLUMN",
        )
    if not others:
        raise InputError(
            f"no column is called {', '.join(VALUES[:-1])} or {VALUES[-1]}; the columns are {', '.join(there)}",
            file=file,
            remedy="Name the one that holds the value: --value COLUMN; or watch the inputs alone: --by or --drift "
            "COLUMN",
        )


def _inputs(
    of: Mapping[str, Sequence[Cell]], index: int, fields: Sequence[str], typed: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, float]]:
    kinds: dict[str, str] = {}
    numbers: dict[str, float] = {}
    for name in fields:
        cell = of[name][index]
        if cell is None:
            continue
        if typed[name] == "kind":
            kinds[name] = (text_of(cell) or "")[:MOST_LETTERS]
        elif typed[name] == "length":
            numbers[name] = float(len(str(cell)))
        elif (number := _number(cell)) is not None:
            numbers[name] = number
    return kinds, numbers


def _liked(cell: Cell, *, file: str, row: int, field: str | None) -> bool | None:
    word = (text_of(cell) or "").strip().lower()
    if not word:
        return None
    if word in GOOD or word in BAD:
        return word in GOOD
    raise InputError(
        f"{str(cell)[:40]!r} is neither good nor bad",
        file=file,
        row=row,
        field=field,
        remedy="Write up or down, good or bad, 1 or 0, and nothing where the user said nothing",
    )


def _marked(cell: Cell) -> bool:
    word = (text_of(cell) or "").strip().lower()
    return bool(word) and word not in FALSE and word not in {"0", "0.0"}


def kinds_of_items(items: str | Path, state: State, fields: Sequence[str]) -> dict[str, Counter[str]]:
    """Return how many items of a set there are of each kind of the fields that both know.

    Raises:
        UsageError: no such set, or the set has none of the fields.
        InputError: a set that cannot be read.
    """
    loaded = load(items)
    found: dict[str, Counter[str]] = {}
    for name in dict.fromkeys(fields):
        if name not in loaded.field_names:
            continue
        counts: Counter[str] = Counter()
        for item in loaded.items:
            text = item.text(name)
            if text is None:
                continue
            if state.typed.get(name) == "kind":
                counts[text[:MOST_LETTERS]] += 1
            else:
                number = float(len(text)) if state.typed.get(name) == "length" else _number(text)
                if number is not None:
                    counts[octave_of(code_of(number))] += 1
        found[name] = counts
    if not found:
        raise UsageError(
            f"{loaded.name!r} has none of the fields {', '.join(fields) or '(none named: --by, --drift)'}; it has "
            f"{', '.join(loaded.field_names)}"
        )
    return found
