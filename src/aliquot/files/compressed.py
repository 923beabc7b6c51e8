"""Files that may be gzip: the bytes inside, bounded, whatever the name says."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Final

from aliquot.errors import InputError
from aliquot.files.text import MAX_FILE_BYTES, read_bounded

_MAGIC: Final = b"\x1f\x8b"
_GZIP: Final = 31
"""What zlib calls a gzip stream with the largest window."""


def read_plain(path: Path, *, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return a file's bytes, taken out of gzip when it is that.

    Raises:
        InputError: there is no such file, it is larger than the limit (unpacked too), or damaged.
        MachineError: the machine refuses to read it.
    """
    data = read_bounded(path, limit=limit)
    return _unpack(data, limit=limit, file=str(path)) if data.startswith(_MAGIC) else data


def read_head(path: Path, *, size: int) -> bytes:
    """Return the first bytes of what a file holds, unpacked; nothing when it cannot be read."""
    try:
        with path.open("rb") as file:
            head = file.read(size)
        return zlib.decompressobj(_GZIP).decompress(head, size) if head.startswith(_MAGIC) else head
    except (OSError, zlib.error):
        return b""


def plain_suffix(path: Path) -> str:
    """Return the end of a file's name without ``.gz``, in small letters.

    Examples:
        >>> plain_suffix(Path("a/annotations.json.gz")), plain_suffix(Path("B.JSONL"))
        ('.json', '.jsonl')
    """
    name = Path(path.name[:-3]) if path.suffix.lower() == ".gz" else path
    return name.suffix.lower()


def _unpack(data: bytes, *, limit: int, file: str) -> bytes:
    parts: list[bytes] = []
    size = 0
    while data:
        stream = zlib.decompressobj(_GZIP)
        try:
            part = stream.decompress(data, limit + 1 - size)
        except zlib.error as error:
            raise InputError("is damaged: it cannot be unpacked", file=file) from error
        size += len(part)
        if size > limit:
            raise InputError(f"holds more than {limit:,} bytes when unpacked", file=file, remedy="Split it")
        if not stream.eof:
            raise InputError("is cut off: its end is missing", file=file)
        parts.append(part)
        data = stream.unused_data.lstrip(b"\0")
    return b"".join(parts)
