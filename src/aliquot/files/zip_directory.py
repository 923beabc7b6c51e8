"""What a zip archive holds: from its directory, or from the members themselves when it has none."""

from __future__ import annotations

import struct
from typing import Final, NamedTuple

from aliquot.errors import InputError

MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""First bytes of an archive with members, and of an empty one."""

MAX_MEMBERS: Final = 2_000_000
"""Members an archive may have."""

STORED: Final = 0
DEFLATE: Final = 8
ZSTD: Final = 93

LOCAL: Final = struct.Struct("<4s5H3L2H")
"""Header in front of a member (APPNOTE.TXT 4.3.7)."""

_CENTRAL: Final = struct.Struct("<4s4x2H4x3L3H8xL")  # 4.3.12, without the fields that are not needed
_END: Final = struct.Struct("<4s4H2LH")  # 4.3.16
_END64: Final = struct.Struct("<4sQ2H2L4Q")  # 4.3.14
_LOCATOR: Final = struct.Struct("<4sLQL")  # 4.3.15
_ALL_16: Final = 0xFFFF
_ALL_32: Final = 0xFFFFFFFF
_ENCRYPTED, _SIZES_FOLLOW, _UTF8 = 0x1, 0x8, 0x800


class Member(NamedTuple):
    """One member: where it starts, and what its bytes must be."""

    offset: int
    packed: int
    size: int
    crc: int
    method: int


def read_directory(data: memoryview, *, file: str) -> dict[str, Member] | None:
    """Return name → last member of that name, or None when the archive has no whole directory.

    Args:
        data: the whole archive.
        file: its name, for messages.

    Raises:
        InputError: the directory is damaged, or lists too many members.
    """
    found = _find_directory(data)
    if found is None:
        return None
    start, size, shift = found
    listed, position = bytes(data[start : start + size]), 0
    members: dict[str, Member] = {}
    while position < size:
        if size - position < _CENTRAL.size:
            raise InputError("its directory is damaged", file=file)
        mark, flags, method, crc, packed, full, name_length, extra, comment, offset = _CENTRAL.unpack_from(
            listed, position
        )
        name_at = position + _CENTRAL.size
        extra_at = name_at + name_length
        position = extra_at + extra + comment
        if mark != b"PK\x01\x02" or position > size:
            raise InputError("its directory is damaged", file=file)
        name = _name(listed[name_at:extra_at], flags)
        if flags & _ENCRYPTED:
            raise InputError(f"its member {name!r} is encrypted", file=file)
        if _ALL_32 in (full, packed, offset):
            full, packed, offset = _wide((full, packed, offset), listed[extra_at : extra_at + extra])
        members[name] = Member(offset + shift, packed, full, crc, method)
        if len(members) > MAX_MEMBERS:
            raise InputError(f"lists more than {MAX_MEMBERS:,} members", file=file)
    return members


def scan_members(data: memoryview, *, file: str) -> dict[str, Member]:
    """Return the whole members of an archive without a directory, as far as they follow one another.

    A member cut off at the end is left out, and so is whatever follows a member whose size is not written
    before it.

    Args:
        data: the whole archive.
        file: its name, for messages.

    Raises:
        InputError: too many members.
    """
    members: dict[str, Member] = {}
    position = 0
    while position + LOCAL.size <= len(data):
        head = LOCAL.unpack_from(data, position)
        if head[0] != MAGIC[0] or head[2] & (_ENCRYPTED | _SIZES_FOLLOW):
            break
        name_at = position + LOCAL.size
        extra_at = name_at + head[9]
        body_at = extra_at + head[10]
        size, packed, _ = _wide((head[8], head[7], 0), bytes(data[extra_at:body_at]))
        if body_at + packed > len(data) or len(members) >= MAX_MEMBERS:
            break
        members[_name(bytes(data[name_at:extra_at]), head[2])] = Member(
            position, packed, size, head[6], head[3]
        )
        position = body_at + packed
    if not members:
        raise InputError("is an archive without a directory and without a whole member", file=file)
    return members


def member_bytes(data: memoryview, member: Member, *, file: str) -> memoryview:
    """Return a member's packed bytes.

    Raises:
        InputError: no member starts where the directory says.
    """
    if 0 <= member.offset <= len(data) - LOCAL.size:
        head = LOCAL.unpack_from(data, member.offset)
        start = member.offset + LOCAL.size + head[9] + head[10]
        if head[0] == MAGIC[0] and start + member.packed <= len(data):
            return data[start : start + member.packed]
    raise InputError("is not where the archive's directory says", file=file)


def _find_directory(data: memoryview) -> tuple[int, int, int] | None:
    """Return the directory's place and size, and how far members moved."""
    tail_at = max(0, len(data) - _END.size - _ALL_16)
    tail = bytes(data[tail_at:])
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        return None
    end = _END.unpack_from(tail, at)
    size, start, place = end[5], end[6], tail_at + at
    locator_at = place - _LOCATOR.size
    if locator_at >= 0 and bytes(data[locator_at : locator_at + 4]) == b"PK\x06\x07":
        _, _, end64_at, _ = _LOCATOR.unpack_from(data, locator_at)
        if end64_at + _END64.size > locator_at or bytes(data[end64_at : end64_at + 4]) != b"PK\x06\x06":
            return None
        wide = _END64.unpack_from(data, end64_at)
        size, start, place = wide[8], wide[9], end64_at
    if start + size > place:
        return None
    return place - size, size, place - size - start


def _wide(sizes: tuple[int, int, int], extra: bytes) -> tuple[int, int, int]:
    """Return size, packed size and offset with those that did not fit taken from the zip64 field (4.5.3)."""
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, position)
        if kind == 1:
            field = extra[position + 4 : position + 4 + length]
            values = iter(struct.unpack_from(f"<{len(field) // 8}Q", field))
            size, packed, offset = (next(values, value) if value == _ALL_32 else value for value in sizes)
            return size, packed, offset
        position += 4 + length
    return sizes


def _name(raw: bytes, flags: int) -> str:
    return raw.decode("utf-8" if flags & _UTF8 or raw.isascii() else "cp437", "replace")
