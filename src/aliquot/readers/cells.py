"""Cells as ids, values and status words: one table of spellings, and an error for anything else."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Collection, Sequence
from typing import Final, Literal

import msgspec

from aliquot.errors import InputError
from aliquot.evidence.identity import text_of
from aliquot.evidence.status import STATUSES
from aliquot.files.rows import Cell

TRUE: Final = frozenset({"true", "t", "yes", "y", "pass", "passed", "correct", "right", "success"})
"""Spellings of 1, in any case."""

FALSE: Final = frozenset({"false", "f", "no", "n", "fail", "failed", "incorrect", "wrong", "failure"})
"""Spellings of 0, in any case."""

NOT_NUMBERS: Final = frozenset({"nan", "inf", "infinity"})
"""Spellings of numbers that are none, with or without a sign: missing, and counted."""

_COMMA: Final = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")
_THOUSANDS: Final = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+")


def ids(cells: Sequence[Cell], *, place: Callable[[int], str], file: str, column: str) -> list[str]:
    """Return ids as text, byte for byte.

    Raises:
        InputError: an id is empty, or a number and a text are the same id.

    Examples:
        >>> ids([1, 2], place=str, file="a.jsonl", column="id")
        ['1', '2']
    """
    names: list[str] = []
    first: dict[str, int] = {}
    for index, cell in enumerate(cells):
        name = text_of(cell)
        if not name:
            raise InputError(f"{place(index)} has no id", file=file, field=column)
        before = first.setdefault(name, index)
        if isinstance(cell, str) is not isinstance(cells[before], str):
            pair = " and ".join(f"{_typed(cells[i])} ({place(i)})" for i in (before, index))
            raise InputError(
                f"two ids become one: {pair}", file=file, field=column, remedy="Write both as text"
            )
        names.append(name)
    return names


def _typed(cell: Cell) -> str:
    return f'the text "{cell}"' if isinstance(cell, str) else f"the number {text_of(cell)}"


def decimal_mark(cells: Sequence[Cell], *, delimiter: str, file: str, column: str) -> Literal[".", ","]:
    """Return the decimal mark of a column of numbers in text.

    Raises:
        InputError: its commas may part thousands as well.

    Examples:
        >>> decimal_mark(["0,5", "1"], delimiter=";", file="a.csv", column="score")
        ','
    """
    with_comma = {cell.strip() for cell in cells if isinstance(cell, str) and "," in cell}
    if not with_comma or not all(_COMMA.fullmatch(text) or _THOUSANDS.fullmatch(text) for text in with_comma):
        return "."
    if delimiter != ";" and all(_THOUSANDS.fullmatch(text) for text in with_comma):
        example = min(with_comma)
        remedy = "Say which: --decimal , (or write the numbers without commas)"
        raise InputError(f"{example!r} may be a decimal or thousands", file=file, field=column, remedy=remedy)
    return ","


def values(
    cells: Sequence[Cell],
    *,
    place: Callable[[int], str],
    file: str,
    column: str,
    decimal: Literal[".", ","] = ".",
    missing: Collection[str] = (),
    remedy: str = "",
) -> tuple[list[float | None], int]:
    """Return values, and how many cells were NaN or infinite and so count as missing.

    An empty cell is missing, and so is a text the user lists. Truth is read in the spellings of ``TRUE`` and
    ``FALSE``. ``remedy`` is what to do about any other, where there is no option ``--missing``.

    Raises:
        InputError: a cell is anything else, named with its row.

    Examples:
        >>> values(["True", "no", None, "0.5"], place=str, file="a.csv", column="score")
        ([1.0, 0.0, None, 0.5], 0)
    """
    known: dict[Cell, float | None] = {}
    found: list[float | None] = []
    not_numbers = 0
    for index, cell in enumerate(cells):
        number = known[cell] if isinstance(cell, str) and cell in known else _number(cell, decimal, missing)
        if isinstance(number, str):
            raise InputError(
                f"{cell!r} is no value ({place(index)})",
                file=file,
                field=column,
                remedy=remedy
                or f"Write a number, true or false; to read it as missing: --missing {number!r}",
            )
        if number is not None and not math.isfinite(number):
            not_numbers += 1
        known[cell] = number
        found.append(number if number is not None and math.isfinite(number) else None)
    return found, not_numbers


def holds_values(cells: Sequence[Cell], *, missing: Collection[str] = ()) -> bool:
    """Tell whether a column holds numbers or truth values alone, and at least one.

    Examples:
        >>> holds_values(["yes", None, "0,5"]), holds_values(["a", "1"]), holds_values([None])
        (True, False, False)
    """
    found = {_number(cell, ",", missing) for cell in set(cells)}
    return found != {None} and not any(isinstance(number, str) for number in found)


def _number(cell: Cell, decimal: str, missing: Collection[str]) -> float | str | None:
    """Return a cell's number (perhaps NaN), None when missing, the text itself when it is neither."""
    if cell is None:
        return None
    if isinstance(cell, str):
        text = cell.strip()
        return None if not text or text in missing or cell in missing else _number_in(text, decimal)
    return math.nan if isinstance(cell, int) and abs(cell) > sys.float_info.max else float(cell)


def _number_in(text: str, decimal: str) -> float | str:
    word = text.lower()
    if word in TRUE or word in FALSE:
        return float(word in TRUE)
    if word.lstrip("+-") in NOT_NUMBERS:
        return math.nan
    try:
        return text if "_" in text else float(text.replace(",", ".") if decimal == "," else text)
    except ValueError:
        return text


def statuses(
    cells: Sequence[Cell], *, place: Callable[[int], str], file: str, column: str
) -> list[str | None]:
    """Return status words; an empty cell is None.

    Raises:
        InputError: a word is no status.
    """
    found: list[str | None] = []
    for index, cell in enumerate(cells):
        word = (text_of(cell) or "").strip().lower() or None
        if word is not None and word not in STATUSES:
            raise InputError(
                f"there is no status {cell!r} ({place(index)})",
                file=file,
                field=column,
                remedy=f"Known: {', '.join(STATUSES)}",
            )
        found.append(word)
    return found


def parts(
    cells: Sequence[Cell], *, place: Callable[[int], str], file: str, column: str
) -> list[list[float] | None]:
    """Return lists of numbers, written as JSON; an empty cell is None.

    Raises:
        InputError: a cell holds anything else.

    Examples:
        >>> parts(["[1, 2.5]", None], place=str, file="a.csv", column="outcome.parts")
        [[1.0, 2.5], None]
    """
    decoder = msgspec.json.Decoder(list[float])
    found: list[list[float] | None] = []
    for index, cell in enumerate(cells):
        try:
            found.append(None if cell is None else decoder.decode(str(cell)))
        except (msgspec.MsgspecError, UnicodeEncodeError) as error:
            raise InputError(
                f"{cell!r} is no list of numbers ({place(index)})", file=file, field=column
            ) from error
    return found
