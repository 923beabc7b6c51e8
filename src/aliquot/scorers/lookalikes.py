"""Words and numbers as a reader sees them: look-alike letters, widths, invisible characters and mark-up made equal."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from typing import Final

# Letters in the shape of Latin ones, from the confusables of Unicode TS 39: Cyrillic, Greek, and two Latin ones.
_LOOKALIKES: Final = str.maketrans(
    "АВЕЅІЈКМНОРСТУХԚԜԍаԁеһіјӏорԛсѕухѵԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυχɡı",
    "ABESIJKMHOPCTYXQWGadehijlopqcsyxvwABEZHIKMNOPTYXaikvopuxgi",
)
_FRONT: Final = " \t*_`\"'“”„‘’«»([{<"
_BACK: Final = " \t*_`\"'“”‘’«»)]}>.!,;"
_JOINTS: Final = re.compile(r"[\s_-]+")
_NUMBER: Final = re.compile(r"[-+]?\d{1,18}(?:\.\d{1,18})?", re.ASCII)


def visible(text: str) -> str:
    r"""Return the text without characters that no reader sees: zero-width ones, marks of direction, variants.

    Examples:
        >>> visible("in\u200bcorrect")
        'incorrect'
    """
    if text.isascii():
        return text
    return "".join(
        one for one in text if unicodedata.category(one) != "Cf" and not "\ufe00" <= one <= "\ufe0f"
    )


def undressed(text: str) -> str:
    """Return the text without quotes, brackets and emphasis around it, and without punctuation at its end.

    What could turn its meaning stays: a minus, an exclamation mark in front, a question mark behind.

    Examples:
        >>> undressed("**[[correct]].**"), undressed("!correct"), undressed("correct?")
        ('correct', '!correct', 'correct?')
    """
    return text.lstrip(_FRONT).rstrip(_BACK)


def skeleton(text: str) -> str:
    """Return a word as it looks: case, width, look-alike letters, hyphens and what stands around it made equal.

    Examples:
        >>> skeleton("**Соrrесt**"), skeleton("ＢＯＴＨ_bad")  # the first with Cyrillic letters
        ('correct', 'both bad')
    """
    seen = unicodedata.normalize("NFKC", visible(text)).translate(_LOOKALIKES).casefold()
    return _JOINTS.sub(" ", undressed(seen)).strip()


def exact_number(text: str) -> Decimal | None:
    """Return the number that a text is, in decimal digits of any script; None when it is anything else.

    Superscripts, fractions, words, commas and more than 18 digits make no number.

    Examples:
        >>> exact_number("４"), exact_number("4.5"), exact_number("4²"), exact_number("four"), exact_number("9" * 5000)
        (Decimal('4'), Decimal('4.5'), None, None, None)
    """
    seen = "".join(_digit(one) for one in visible(text)).replace("\u2212", "-")
    return Decimal(seen) if len(seen) <= 40 and _NUMBER.fullmatch(seen) else None


def _digit(letter: str) -> str:
    value = unicodedata.decimal(letter, None)
    return letter if value is None else str(value)
