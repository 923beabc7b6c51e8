"""Zip archives read within bounds: member by member, never unpacked to disk, names never used as paths.

Reads what the standard library does not: members packed with Zstandard (method 93, in several frames),
members written again under the same name (the last one counts), and archives whose directory was never
written because the writer was killed.
"""

from __future__ import annotations

import mmap
import sys
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aliquot.errors import InputError
from aliquot.files.writing import machine_errors
from aliquot.files.zip_directory import (
    DEFLATE,
    MAGIC,
    STORED,
    ZSTD,
    Member,
    member_bytes,
    read_directory,
    scan_members,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_MEMBER_BYTES: Final = 2 << 30
"""Largest member, unpacked."""

MAX_RATIO: Final = 500
"""How many times its packed size a member, or a whole archive, may grow beyond ``FREE_BYTES``."""

FREE_BYTES: Final = 64 << 20
"""Unpacked size up to which any ratio is allowed."""


@dataclass(frozen=True, slots=True)
class Archive:
    """What an archive holds; members are read on demand.

    Attributes:
        path: the file.
        members: name → the last member of that name.
        torn: whether the archive has no directory, so that its members were found by scanning.
    """

    path: Path
    members: dict[str, Member]
    torn: bool = False

    def read(self, name: str, *, limit: int = MAX_MEMBER_BYTES) -> bytes:
        """Return a member's bytes.

        Raises:
            InputError: there is no such member, it is damaged, packed in an unknown way, or larger than its
                entry or the limit allows.
            MachineError: the machine refuses to read the file.
        """
        member = self.members.get(name)
        if member is None:
            raise InputError(f"has no member {name!r}", file=str(self.path))
        where = f"{self.path}, member {name!r}"
        if member.size > min(limit, FREE_BYTES + MAX_RATIO * member.packed):
            raise InputError(f"would unpack from {member.packed:,} to {member.size:,} bytes", file=where)
        with _mapped(self.path) as data:
            unpacked = _unpack(member_bytes(data, member, file=where), member, file=where)
        if len(unpacked) != member.size or zlib.crc32(unpacked) != member.crc:
            raise InputError("is damaged: these are not the bytes that were written", file=where)
        return unpacked


def open_archive(path: Path) -> Archive:
    """Return what an archive holds, by its directory or by scanning when it has none.

    Raises:
        InputError: it is no archive, or its members would unpack to more than is allowed.
        MachineError: the machine refuses to read it.
    """
    name = str(path)
    if not is_archive(path):
        raise InputError("is no zip archive", file=name)
    with _mapped(path) as data:
        size = len(data)
        members = read_directory(data, file=name)
        torn = members is None
        members = scan_members(data, file=name) if members is None else members
    total = sum(member.size for member in members.values())
    if total > FREE_BYTES + MAX_RATIO * size:
        raise InputError(f"holds {size:,} bytes that would unpack to {total:,}", file=name)
    return Archive(path=path, members=members, torn=torn)


def is_archive(path: Path) -> bool:
    """Tell whether a file starts like a zip archive.

    Raises:
        MachineError: the machine refuses to read it.
    """
    with machine_errors(path), path.open("rb") as file:
        return file.read(4) in MAGIC


@contextmanager
def _mapped(path: Path) -> Generator[memoryview]:
    """Give a file's bytes without reading those that are not asked for."""
    with machine_errors(path), path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with mapped, memoryview(mapped) as data:
        yield data


def _unpack(packed: memoryview, member: Member, *, file: str) -> bytes:
    """Return a member's bytes, and never more than one beyond the size its entry says."""
    try:
        with packed:
            if member.method == STORED:
                return bytes(packed[: member.size + 1])
            if member.method == DEFLATE:
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, member.size + 1)
            if member.method == ZSTD:
                return _unpack_frames(packed, member.size)
    except (zlib.error, zstd.ZstdError) as error:
        raise InputError(f"is damaged: {error}", file=file) from error
    raise InputError(f"is packed by method {member.method}, which is not known", file=file)


def _unpack_frames(packed: memoryview, size: int) -> bytes:
    """Return Zstandard frames, one after another, as one text of bytes."""
    parts: list[bytes] = []
    position = unpacked = 0
    while position < len(packed) and unpacked <= size:
        with packed[position:] as rest:
            length = zstd.get_frame_size(rest)
            part = zstd.ZstdDecompressor().decompress(rest[:length], size + 1 - unpacked)
        parts.append(part)
        position, unpacked = position + length, unpacked + len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)
