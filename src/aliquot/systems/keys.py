"""Keys of model servers: read from a variable of the environment, and kept out of everything that is written."""

from __future__ import annotations

import os
import re
from typing import Final

from aliquot.errors import UsageError

HIDDEN: Final = "[key]"
"""What stands where a key stood."""


class Key:
    """A key that shows itself to nobody but the request it is sent with.

    Args:
        variable: the variable it came from.
        value: the key.

    Raises:
        UsageError: it holds what cannot be sent in a header.

    Examples:
        >>> key = Key("SERVER_KEY", "sk-123456")
        >>> key, key.scrub("Incorrect API key: sk-123456")
        (Key(SERVER_KEY), 'Incorrect API key: [key]')
    """

    __slots__ = ("_bytes", "_text", "_value", "variable")

    def __init__(self, variable: str, value: str) -> None:
        if not value.isascii() or not value.isprintable() or " " in value:
            raise UsageError(f"the variable {variable} holds spaces or letters that no key has")
        self.variable = variable
        self._value = value
        pattern = re.escape(value).replace("/", r"\\?/")  # JSON may write a slash with a backslash before it
        self._text, self._bytes = re.compile(pattern), re.compile(pattern.encode())

    def reveal(self) -> str:
        """Return the key itself, for a request's header."""
        return self._value

    def scrub(self, text: str) -> str:
        """Return the text without the key."""
        return self._text.sub(HIDDEN, text)

    def scrub_bytes(self, data: bytes) -> bytes:
        """Return what a server sent without the key, before any of it is cut: half a key is one too."""
        return self._bytes.sub(HIDDEN.encode(), data)

    def __repr__(self) -> str:
        return f"Key({self.variable})"


def read_key(variable: str) -> Key:
    """Return the key that a variable of the environment holds.

    Raises:
        UsageError: it is unset or empty, or holds what cannot be sent in a header.
    """
    value = os.environ.get(variable, "").strip()
    if not value:
        raise UsageError(
            f"the variable {variable} is not set; api_key_env names it. Run: export {variable}=<your key>"
        )
    return Key(variable, value)
