"""The first and the last bytes of a file, by which a reader tells whether it is its own."""

from __future__ import annotations

from pathlib import Path
from typing import Final

HEAD: Final = 1 << 20
TAIL: Final = 1 << 16


def file_ends(path: Path, *, head: int = HEAD, tail: int = TAIL) -> tuple[bytes, bytes]:
    """Return the first and the last bytes of a file, which overlap in a short one; nothing when it cannot be read.

    Args:
        path: the file.
        head: first bytes at most.
        tail: last bytes at most.
    """
    try:
        with path.open("rb") as file:
            first = file.read(head)
            file.seek(max(0, path.stat().st_size - tail))
            return first, file.read(tail)
    except OSError:
        return b"", b""
