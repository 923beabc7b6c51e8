"""Server-sent events, taken apart as their bytes come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

DONE: Final = b"[DONE]"
"""What ends a stream of OpenAI's kind."""


class EventParser:
    r"""Returns the data of each event that the bytes so far complete; other fields and comments are passed over.

    Bytes are split at line ends only, so a character that two pieces share comes out whole.

    Examples:
        >>> parser = EventParser()
        >>> list(parser.feed(b": hello\ndata: {\"a\"")), list(parser.feed(b": 1}\r\n\r\ndata: [DONE]\n\n"))
        ([], [b'{"a": 1}', b'[DONE]'])
    """

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Take some bytes and return the data of the events they complete."""
        whole, newline, rest = (self._rest + piece).rpartition(b"\n")
        self._rest = rest
        if newline:
            for line in whole.split(b"\n"):
                yield from self._line(line.rstrip(b"\r"))

    def close(self) -> Iterator[bytes]:
        """Return what an end without a blank line leaves."""
        yield from self._line(self._rest.rstrip(b"\r"))
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[bytes]:
        if line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))
        elif not line and self._data:
            yield b"\n".join(self._data)
            self._data = []
