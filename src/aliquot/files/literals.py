"""Values that Python wrote as it shows them (``['a', None, nan]``): parsed within bounds, nothing evaluated."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Final, NoReturn

MAX_CHARACTERS: Final = 16 << 20
MAX_NESTING: Final = 50

_SPACE: Final = re.compile(r"\s*")
_NUMBER: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])")
_WORD: Final = re.compile(r"[+-]?[A-Za-z_][\w.]*")
_TEXT: Final = re.compile(r"""(?P<quote>['"])(?P<body>(?:\\.|(?!(?P=quote))[^\\\n])*+)(?P=quote)""")
_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)")
_PLAIN: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f",
                 "v": "\v"}  # fmt: skip
_WORDS: Final = {
    "None": None,
    "True": True,
    "False": False,
    "nan": None,
    "NaN": None,
    "inf": None,
    "-inf": None,
}
_CLOSING: Final = {"[": "]", "(": ")", "{": "}"}
_MAX_DIGITS: Final = 400


def parse_literal(text: str) -> Any:
    """Return the value of a text as Python shows lists, tuples (as lists), dictionaries, texts and numbers.

    What is no finite number is None. Names, calls, sets, bytes and formatted texts are refused.

    Raises:
        ValueError: it is something else, too long or nested too deeply.

    Examples:
        >>> parse_literal("['a', {'c': (1, nan)}, None, True]")
        ['a', {'c': [1, None]}, None, True]
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"it has more than {MAX_CHARACTERS:,} characters")
    reading = _Reading(text)
    value = reading.value(depth=0)
    reading.skip()
    if reading.place < len(text):
        reading.fail()
    return value


@dataclass(slots=True)
class _Reading:
    """A text and how far it is read."""

    text: str
    place: int = 0

    def fail(self) -> NoReturn:
        """Raise the error that names the place."""
        raise ValueError(f"it is no plain value from character {self.place + 1} on")

    def skip(self) -> str:
        """Pass over space; return the next character, empty at the end."""
        found = _SPACE.match(self.text, self.place)
        self.place = found.end() if found else self.place
        return self.text[self.place : self.place + 1]

    def value(self, *, depth: int) -> Any:
        """Return the next value."""
        if depth > MAX_NESTING:
            raise ValueError(f"it is nested deeper than {MAX_NESTING} levels")
        first = self.skip()
        if first in ("[", "("):
            return self._list(_CLOSING[first], depth=depth)
        if first == "{":
            return self._dictionary(depth=depth)
        if first in ("'", '"'):
            return self._texts()
        return self._number_or_word()

    def _list(self, closing: str, *, depth: int) -> list[Any]:
        values: list[Any] = []
        self.place += 1
        while self.skip() != closing:
            values.append(self.value(depth=depth + 1))
            self._comma_before(closing)
        self.place += 1
        return values

    def _dictionary(self, *, depth: int) -> dict[Any, Any]:
        values: dict[Any, Any] = {}
        self.place += 1
        while self.skip() != "}":
            key = self.value(depth=depth + 1)
            if isinstance(key, list | dict) or self.skip() != ":":
                self.fail()
            self.place += 1
            values[key] = self.value(depth=depth + 1)
            self._comma_before("}")
        self.place += 1
        return values

    def _comma_before(self, closing: str) -> None:
        following = self.skip()
        if following == ",":
            self.place += 1
        elif following != closing:
            self.fail()

    def _texts(self) -> str:
        """Return a text; several beside each other are one."""
        parts: list[str] = []
        while found := _TEXT.match(self.text, self.place):
            parts.append(_ESCAPE.sub(_unescape, found["body"]))
            self.place = found.end()
            self.skip()
        return "".join(parts) if parts else self.fail()

    def _number_or_word(self) -> Any:
        if found := _NUMBER.match(self.text, self.place):
            if len(found[0]) > _MAX_DIGITS:
                self.fail()
            self.place = found.end()
            number = float(found[0])
            if not math.isfinite(number):
                return None
            return int(found[0]) if found[0].lstrip("+-").isdecimal() else number
        found = _WORD.match(self.text, self.place)
        if found is None or found[0] not in _WORDS:
            self.fail()
        self.place = found.end()
        return _WORDS[found[0]]


def _unescape(found: re.Match[str]) -> str:
    """Return what an escape stands for; an unknown one stays as it is, half a surrogate pair is U+FFFD."""
    what = found[1]
    if what in _PLAIN:
        return _PLAIN[what]
    digits = what[1:] if what[0] in "xuU" and len(what) > 1 else what
    if what[0] in "xuU" and len(what) > 1:
        code = int(digits, 16)
    elif what.isdigit() and what[0] in "01234567":
        code = int(digits, 8)
    else:
        return found[0]
    return "\ufffd" if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF else chr(code)
