"""Numbers written out in English: ``forty-two``, ``one hundred and five``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_ONES: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS: Final = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_SCALES: Final = {"thousand": 10**3, "million": 10**6, "billion": 10**9}

_SIZES: Final = (
    {word: size for size, word in enumerate(_ONES)}
    | {word: 10 * size for size, word in enumerate(_TENS, start=2)}
    | {"hundred": 100}
    | _SCALES
)
_WORD: Final = rf"(?:{'|'.join(_SIZES)})"
_RUN: Final = re.compile(rf"\b{_WORD}(?:(?:-|\s|\s(and)\s){_WORD})*\b")
_PART: Final = re.compile(rf"(and\s)?({_WORD})\b")


def written_numbers(text: str) -> list[int]:
    """Return the numbers that a normalised text writes out, in order.

    Words that make no number together are numbers of their own: two of "seven and eight".

    Examples:
        >>> written_numbers("forty-two, one hundred and five, seven and eight, two thousand")
        [42, 105, 7, 8, 2000]
    """
    return [number for run in _RUN.finditer(text) for number in _read(run[0])]


def _read(run: str) -> Iterator[int]:
    whole, part = 0, None
    for joined, word in _PART.findall(run):
        size = _SIZES[word]
        if word in _SCALES:
            whole, part = whole + (1 if part is None else part) * size, 0
        elif size == 100 and (part is None or 0 <= part < 20):
            part = (part or 1) * 100
        elif part is not None and _goes_on(whole, part, size, joined=bool(joined)):
            part += size
        else:
            if part is not None:
                yield whole + part
            whole, part = 0, size
    yield whole + (part or 0)


def _goes_on(whole: int, part: int, size: int, *, joined: bool) -> bool:
    """Whether a word adds to those before it: tens or ones to thousands and hundreds, ones to tens."""
    if part % 100 == 0:
        return whole + part > 0 and 0 < size < 100
    return not joined and part % 100 >= 20 and part % 10 == 0 and 0 < size < 10
