"""JSON documents decoded into typed records, with what strict JSON does not have made harmless."""

from __future__ import annotations

import re
from typing import Final, TypeVar

import msgspec

from aliquot.errors import InputError

Record = TypeVar("Record")

_ESCAPE: Final = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
"""An escape in a text; the group is half of a surrogate pair, which stands for no character."""

_CONSTANT: Final = re.compile(rb"(?<=[:\[,\s])(?:NaN|-?Infinity)(?=[,\]}\s])")


def decode_document(data: bytes, decoder: msgspec.json.Decoder[Record], *, file: str) -> Record:
    """Return a JSON document as a typed record; bare NaN and Infinity are null, half characters U+FFFD.

    Args:
        data: the whole document.
        decoder: of the record's type.
        file: its name, for messages.

    Raises:
        InputError: it is no JSON, nests too deeply, or a member is not of the record's type.

    Examples:
        >>> decode_document(b'[1, NaN, "NaN,"]', msgspec.json.Decoder(list), file="a.json")
        [1, None, 'NaN,']
    """
    try:
        try:
            return decoder.decode(data)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            strict = without_constants(without_halves(data))
            if strict == data:
                raise
        return decoder.decode(strict)
    except msgspec.ValidationError as error:
        raise InputError(f"holds something else than expected: {error}", file=file) from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InputError(f"is not JSON: {error}", file=file, remedy="It may be cut off or damaged") from error
    except RecursionError as error:
        raise InputError("is nested too deeply", file=file) from error


def without_constants(data: bytes) -> bytes:
    """Return JSON with every bare NaN, Infinity and -Infinity as null; texts stay as they are.

    Examples:
        >>> without_constants(b'{"a": NaN, "b": "x: NaN, y"}')
        b'{"a": null, "b": "x: NaN, y"}'
    """
    # A place is inside a text when an odd number of unescaped quotation marks stand before it.
    plain = data.replace(b"\\\\", b"__").replace(b'\\"', b"__")
    parts: list[bytes] = []
    start, counted, quotes = 0, 0, 0
    for found in _CONSTANT.finditer(data):
        quotes += plain.count(b'"', counted, found.start())
        counted = found.start()
        if quotes % 2 == 0:
            parts += (data[start : found.start()], b"null")
            start = found.end()
    return b"".join((*parts, data[start:]))


def without_halves(data: bytes) -> bytes:
    r"""Return JSON in which every escape of half a surrogate pair is that of U+FFFD.

    Examples:
        >>> without_halves(rb'["\ud83d", "\ud83d\ude00", "\\ud83d"]')
        b'["\\ufffd", "\\ud83d\\ude00", "\\\\ud83d"]'
    """
    if b"\\ud" not in data and b"\\uD" not in data:
        return data
    return _ESCAPE.sub(lambda found: rb"\ufffd" if found[1] else found[0], data)
