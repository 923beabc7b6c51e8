"""One JSON document as Python values: bounded, with what JSON does not have made missing and counted."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from aliquot.errors import InputError
from aliquot.evidence.tables import Note

_LONE_SURROGATES: Final = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


@dataclass(slots=True)
class JsonReading:
    """What parsing JSON met that JSON does not have.

    Attributes:
        not_numbers: values that were NaN or infinite; each is None.
        half_characters: texts with half of a surrogate pair; each half is U+FFFD.
        torn_line: the last line, when it was cut off in the middle and left out; else 0.
    """

    not_numbers: int = 0
    half_characters: int = 0
    torn_line: int = 0

    def parse(self, text: str, *, file: str) -> Any:
        """Return the values of one document.

        Raises:
            InputError: it is not JSON, or nested too deeply.
        """
        try:
            return msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeEncodeError):
            return self._parse_loosely(text, file=file)
        except RecursionError as error:
            raise InputError("is nested too deeply", file=file) from error

    def notes(self) -> tuple[Note, ...]:
        """Return what was met, as notes."""
        found: list[Note] = []
        if self.not_numbers:
            text = f"{self.not_numbers} values are NaN or infinite; they count as missing, not as 0"
            found.append(Note("not_a_number", text))
        if self.half_characters:
            text = f"{self.half_characters} texts end or begin in the middle of a character, shown as \ufffd"
            found.append(Note("half_characters", text))
        if self.torn_line:
            found.append(Note("torn_line", f"line {self.torn_line} is cut off in the middle; it is left out"))
        return tuple(found)

    def _parse_loosely(self, text: str, *, file: str) -> Any:
        """Parse what the fast parser refuses: bare NaN and halves of surrogate pairs."""
        try:
            document = json.loads(text, parse_constant=self._not_a_number, parse_float=self._finite)
            return self._clean(document)
        except RecursionError as error:
            raise InputError("is nested too deeply", file=file) from error
        except ValueError as error:
            raise InputError(f"is not JSON: {error}", file=file) from error

    def _not_a_number(self, _: str) -> None:
        self.not_numbers += 1

    def _finite(self, text: str) -> float | None:
        number = float(text)
        return number if math.isfinite(number) else self._not_a_number(text)

    def _clean(self, value: Any) -> Any:
        if isinstance(value, dict):
            return {self._clean(key): self._clean(part) for key, part in value.items()}
        if isinstance(value, list):
            return [self._clean(part) for part in value]
        if isinstance(value, str) and not value.isascii():
            whole = value.translate(_LONE_SURROGATES)
            self.half_characters += whole != value
            return whole
        return value
