"""How texts are made comparable, in one place, so that every rule names the same normalisation."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Final

from aliquot.scorers.number_words import written_numbers

NORMALISATION: Final = (
    "NFC, case folded, typographic quotes and dashes made plain, runs of white space as one"
)

_PLAIN: Final = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "−": "-", "–": "-", "—": "-", "\u00a0": " "}
)
EDGES: Final = " \t\r\n.,;:!?\"'`*_()[]"
"""White space, punctuation and mark-up that may surround an answer."""

NUMBER: Final = (
    r"(?<![\w.,])([-+]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:e[-+]?\d{1,3})?)(?!\d|e[-+]?\d)"
)
"""The pattern of a number in a normalised text: sign, thousands commas, decimals, a power of ten."""
_NUMBER: Final = re.compile(NUMBER)


def plain(text: str) -> str:
    """Return the text normalised (``NORMALISATION``).

    Examples:
        >>> plain("  The  “Café” ")
        'the "café"'
    """
    return " ".join(typed_plainly(text).casefold().split())


def typed_plainly(text: str) -> str:
    """Return the text in NFC with plain quotes and dashes."""
    return text if text.isascii() else unicodedata.normalize("NFC", text).translate(_PLAIN)


def trimmed(text: str) -> str:
    """Return the normalised text without punctuation and mark-up at its ends."""
    return plain(text).strip(EDGES)


def holds(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text as whole words; both normalised.

    Examples:
        >>> holds("The answer is incorrect.", "correct"), holds("It is New  York.", "new york")
        (False, True)
    """
    return bool(present(text, (phrase,)))


def present(text: str, phrases: Iterable[str]) -> list[str]:
    """Return those of the phrases that stand in the text as whole words."""
    return standing(plain(text), phrases)


def standing(said: str, phrases: Iterable[str]) -> list[str]:
    """Return those of the phrases that stand in a normalised text as whole words."""
    return [phrase for phrase in phrases if _stands(said, trimmed(phrase))]


def _stands(text: str, wanted: str) -> bool:
    """Whether a text holds another between ends of words; a pattern for each reference would be compiled anew."""
    start = text.find(wanted) if wanted else -1
    while start >= 0:
        end = start + len(wanted)
        if not (_in_word(text[start - 1 : start]) or _in_word(text[end : end + 1])):
            return True
        start = text.find(wanted, start + 1)
    return False


def _in_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def numbers(text: str) -> list[Decimal]:
    """Return the numbers in the text, in order: digits with thousands commas, sign, decimals and a power of ten.

    Number words are read only when there are no digits.

    Examples:
        >>> numbers("1,234 and -2.50"), numbers("about seven"), numbers("6e3")
        ([Decimal('1234'), Decimal('-2.50')], [Decimal('7')], [Decimal('6E+3')])
    """
    said = plain(text)
    found = [Decimal(match.replace(",", "")) for match in _NUMBER.findall(said)]
    return found or [Decimal(number) for number in written_numbers(said)]


def as_number(value: object) -> Decimal | None:
    """Return a reference as a number, or None when it is none."""
    try:
        number = Decimal(str(value).replace(",", "").strip())
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
