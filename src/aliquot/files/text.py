"""Bytes of a file as text: bounded, with its encoding settled and its line ends left alone."""

from __future__ import annotations

import codecs
from pathlib import Path
from typing import Final

from aliquot.errors import InputError
from aliquot.files.writing import machine_errors

MAX_FILE_BYTES: Final = 2 << 30
"""Largest file read as a table of text."""

MAX_LINE_BYTES: Final = 64 << 20
"""Longest line of a file of JSON lines, and longest cell of a delimited table."""

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read_bounded(path: Path, *, limit: int = MAX_FILE_BYTES) -> bytes:
    """Return a file's bytes.

    Raises:
        InputError: the file does not exist, is a folder, or is larger than the limit.
        MachineError: the machine refuses to read it.
    """
    if not path.exists():
        raise InputError("there is no such file", file=str(path))
    if path.is_dir():
        raise InputError("is a folder, not a table", file=str(path))
    with machine_errors(path):
        size = path.stat().st_size
        if size > limit:
            remedy = f"The limit is {limit:,}; convert it to Parquet or split it"
            raise InputError(f"holds {size:,} bytes", file=str(path), remedy=remedy)
        return path.read_bytes()


def decode(data: bytes, *, file: str, encoding: str | None = None) -> str:
    r"""Return bytes as text without a byte-order mark.

    The mark names the encoding when there is one; else it is UTF-8, strictly, or what the caller says.

    Raises:
        InputError: a byte is not of the encoding, named with its line; a NUL byte; an unknown encoding.

    Examples:
        >>> decode(b"\xef\xbb\xbfid,score", file="a.csv")
        'id,score'
    """
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    name = encoding or marked or "utf-8"
    try:
        text = data.decode(name)
    except LookupError as error:
        raise InputError(
            f"there is no encoding {name!r}", file=file, remedy="Try utf-8, utf-16 or cp1252"
        ) from error
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"line {line} holds the byte 0x{data[error.start]:02x}, which is not {name}",
            file=file,
            remedy="Save it as UTF-8, or name its encoding (--encoding cp1252)",
        ) from error
    if "\0" in text:
        raise InputError("holds NUL characters, so it is not a table of text", file=file)
    return text.removeprefix("\ufeff")
