"""Inspect logs made by hand for the tests: archives byte by byte, headers, summaries and samples."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

STORED, DEFLATE, ZSTD = 0, 8, 93


def pack(data: bytes, method: int, *, frames: int = 1) -> bytes:
    if method == DEFLATE:
        packer = zlib.compressobj(wbits=-15)
        return packer.compress(data) + packer.flush()
    if method == ZSTD:
        step = max(1, -(-len(data) // frames))
        parts = [data[at : at + step] for at in range(0, len(data), step)] or [b""]
        return b"".join(zstd.compress(part) for part in parts)
    return data


def zip_bytes(
    members: Sequence[tuple[str, bytes]],
    *,
    method: int = ZSTD,
    frames: int = 1,
    zip64: bool = False,
    directory: bool = True,
    flags: int = 0x800,
    claimed: int | None = None,
    prefix: bytes = b"",
) -> bytes:
    """Return a zip archive.

    Args:
        members: name and content, in order; a name may come again.
        method: how they are packed; an unknown number leaves them as they are.
        frames: Zstandard frames a member is split into.
        zip64: write every size and offset in the wide fields.
        directory: whether the directory was written before the writer died.
        flags: general purpose flags of every member.
        claimed: the unpacked size the entries claim, in place of the true one.
        prefix: bytes in front of the archive.
    """
    body, entries = bytearray(prefix), bytearray()
    for name, data in members:
        packed, raw, offset = pack(data, method, frames=frames), name.encode(), len(body) - len(prefix)
        size = len(data) if claimed is None else claimed
        wide = struct.pack("<2H2Q", 1, 16, size, len(packed)) if zip64 else b""
        sizes = (0xFFFFFFFF, 0xFFFFFFFF) if zip64 else (len(packed), size)
        common = struct.pack(
            "<5H3L2H", 45, flags, method, 0, 0, zlib.crc32(data), *sizes, len(raw), len(wide)
        )
        body += b"PK\x03\x04" + common + raw + wide + packed
        if zip64:
            wide = struct.pack("<2H3Q", 1, 24, size, len(packed), offset)
            common = common[:-2] + struct.pack("<H", len(wide))
        at = 0xFFFFFFFF if zip64 else offset
        entries += (
            b"PK\x01\x02" + struct.pack("<H", 45) + common + struct.pack("<3H2L", 0, 0, 0, 0, at) + raw + wide
        )
    if not directory:
        return bytes(body)
    start, size, count = len(body) - len(prefix), len(entries), len(members)
    tail = b""
    if zip64:
        tail = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, start)
        tail += struct.pack("<4sLQL", b"PK\x06\x07", 0, len(prefix) + start + size, 1)
        start = size = 0xFFFFFFFF
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count & 0xFFFF, count & 0xFFFF, size, start, 0)
    return bytes(body + entries) + tail + end


def header(**changes: Any) -> dict[str, Any]:
    """Return a header; ``eval`` fields and top fields may be changed by name."""
    spec = {
        "run_id": "r",
        "created": "2026-01-01T00:00:00+00:00",
        "task": "sums",
        "task_id": "t1",
        "model": "stub/a",
        "dataset": {"name": "sums"},
        "config": {"epochs": 1},
        "packages": {"inspect_ai": "0.3.285"},
    }
    top = {"version": 2, "status": "success", "plan": {"steps": [], "config": {}}}
    for name, value in changes.items():
        (top if name in {"version", "status", "plan", "results", "error", "invalidated"} else spec)[name] = (
            value
        )
    return {**top, "eval": spec}


def summary(item: int | str, value: Any = "C", *, epoch: int = 1, **fields: Any) -> dict[str, Any]:
    scores = {} if value is ... else {"match": {"value": value}}
    given = {
        "id": item,
        "epoch": epoch,
        "input": f"q {item}",
        "target": "1",
        "metadata": {},
        "scores": scores,
    }
    return {**given, "model_usage": {}, "total_time": 1.0, **fields}


def sample(item: int | str, value: Any = "C", *, epoch: int = 1, **fields: Any) -> dict[str, Any]:
    output = {"completion": f"answer to {item}", "choices": [{"stop_reason": "stop"}]}
    return {**summary(item, value, epoch=epoch), "output": output, "messages": [], **fields}


def member(one: dict[str, Any]) -> tuple[str, bytes]:
    return f"samples/{one['id']}_epoch_{one['epoch']}.json", encode(one)


def encode(value: Any) -> bytes:
    return json.dumps(value).encode()


def eval_log(
    path: Path,
    summaries: Sequence[dict[str, Any]] | None,
    *,
    samples: Sequence[dict[str, Any]] = (),
    extra: Sequence[tuple[str, bytes]] = (),
    head: dict[str, Any] | None = None,
    **packing: Any,
) -> Path:
    """Write a finished log."""
    members = [("_journal/start.json", encode(header())), *map(member, samples)]
    members += [] if summaries is None else [("summaries.json", encode(summaries))]
    members += [*extra, ("header.json", encode(head or header()))]
    path.write_bytes(zip_bytes(members, **packing))
    return path


def json_log(
    path: Path, samples: Sequence[dict[str, Any]] | None, *, head: dict[str, Any] | None = None
) -> Path:
    path.write_bytes(encode({**(head or header()), "samples": samples}))
    return path
