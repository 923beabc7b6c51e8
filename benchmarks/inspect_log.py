"""Reading an Inspect log of 100,000 samples, against decoding the bytes of its summaries and nothing more."""

from __future__ import annotations

import json
import random
import resource
import struct
import sys
import tempfile
import zlib
from pathlib import Path
from typing import BinaryIO

import msgspec

from aliquot.files.archives import open_archive
from aliquot.readers.registry import read_one
from benchmarks.measure import Measured, alternate, call_cpu

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

SAMPLES = 100_000
EPOCHS = 4
PEER_SECONDS = (
    44.0  # inspect_ai.analysis.samples_df 0.3.285: 4.4 s for 10,000 samples, linear in their number
)


class Score(msgspec.Struct):
    value: object = None


class Usage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0


class Summary(msgspec.Struct):
    id: str | int
    epoch: int
    scores: dict[str, Score] | None = None
    error: str | None = None
    model_usage: dict[str, Usage] | None = None
    total_time: float | None = None


BARE = msgspec.json.Decoder(list[Summary])


def measure() -> list[Measured]:
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "log.eval"
        write_log(log, samples=SAMPLES)
        cpu = alternate(
            {"read": call_cpu(lambda: read_one(log)), "bare": call_cpu(lambda: decode_only(log))}, repeats=3
        )
        memory = peak_bytes(log)
    print(f"peak memory of the reading process: {memory / 1e6:.0f} MB", file=sys.stderr)
    return [
        Measured(
            f"an Inspect log of {SAMPLES:,} samples to evidence (peak {memory / 1e6:.0f} MB)",
            cpu["read"],
            "msgspec over the summaries alone",
            cpu["bare"],
            4.0,
            peer="`inspect_ai.analysis.samples_df`, 10 × its time for 10,000",
            peer_seconds=PEER_SECONDS,
        )
    ]


def decode_only(log: Path) -> int:
    """Decode what the table needs from the summaries; the fastest form found."""
    return len(BARE.decode(open_archive(log).read("summaries.json")))


def peak_bytes(log: Path) -> int:
    """Peak memory of a process that reads the log, the interpreter included."""

    def run() -> None:
        read_one(log)
        usage = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        (log.parent / "peak").write_text(str(usage))

    call_cpu(run)()
    return int((log.parent / "peak").read_text())


def write_log(path: Path, *, samples: int) -> None:
    """Write a log as Inspect 0.3.285 does: Zstandard members, four epochs an item, a kilobyte a summary."""
    draw = random.Random(1)
    summaries = [_summary(place, draw) for place in range(samples)]
    members = [("_journal/start.json", {"version": 2, **_header(samples)})]
    members += [
        (f"samples/{one['id']}_epoch_{one['epoch']}.json", {**one, "output": {"completion": "42"}})
        for one in summaries
    ]
    members += [
        ("summaries.json", summaries),
        ("header.json", {"version": 2, "status": "success", **_header(samples)}),
    ]
    with path.open("wb") as file:
        directory = [_write_member(file, name, json.dumps(value).encode()) for name, value in members]
        start = file.tell()
        file.write(b"".join(directory))
        size, count = file.tell() - start, len(directory)
        file.write(struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, start))
        file.write(struct.pack("<4sLQL", b"PK\x06\x07", 0, start + size, 1))
        file.write(struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0))


def _write_member(file: BinaryIO, name: str, data: bytes) -> bytes:
    """Write a member and return its entry in the directory."""
    packed, raw = zstd.compress(data, 3), name.encode()
    offset = file.tell()
    common = struct.pack(
        "<5H3L2H", 63, 0x800, 93, 0, 0, zlib.crc32(data), len(packed), len(data), len(raw), 0
    )
    file.write(b"PK\x03\x04" + common + raw + packed)
    return b"PK\x01\x02" + struct.pack("<H", 63) + common + struct.pack("<3H2L", 0, 0, 0, 0, offset) + raw


def _header(samples: int) -> dict[str, object]:
    items = [f"item-{place}" for place in range(samples // EPOCHS)]
    return {
        "eval": {
            "task": "sums",
            "task_id": "t",
            "run_id": "r",
            "created": "2026-11-29T17:39:20+00:00",
            "model": "stub/a",
            "dataset": {"name": "sums", "sample_ids": items},
            "config": {"epochs": EPOCHS},
            "packages": {"inspect_ai": "0.3.285"},
            "scorers": [{"name": "match", "options": {}, "metrics": []}],
        },
        "plan": {"steps": [], "config": {}},
    }


def _summary(place: int, draw: random.Random) -> dict[str, object]:
    item = place // EPOCHS
    answer = str(draw.randint(0, 99))
    return {
        "id": f"item-{item}",
        "epoch": place % EPOCHS + 1,
        "input": f"What is {item} plus {item % 97}? Answer with the number only. " + "Work carefully. " * 12,
        "target": str(item + item % 97),
        "metadata": {"passage": f"p{item // 20}", "difficulty": ("easy", "hard")[item % 2]},
        "scores": {
            "match": {
                "value": "C" if draw.random() < 0.7 else "I",
                "answer": answer,
                "explanation": answer,
                "history": [],
            }
        },
        "model_usage": {
            "stub/a": {"input_tokens": 40, "output_tokens": draw.randint(1, 90), "total_tokens": 60}
        },
        "role_usage": {},
        "started_at": "2026-11-29T17:39:21.753285+00:00",
        "completed_at": "2026-11-29T17:39:32.282484+00:00",
        "total_time": round(draw.expovariate(1), 3),
        "working_time": round(draw.expovariate(1), 3),
        "uuid": f"{draw.getrandbits(128):032x}",
        "retries": 0,
        "completed": True,
        "message_count": 2,
        "turn_count": 1,
    }


if __name__ == "__main__":
    for row in measure():
        print(row)
