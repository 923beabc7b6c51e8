"""Reading a samples file of lm-evaluation-harness with a million lines, whole, into evidence."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path

import msgspec
import numpy as np

from aliquot.readers.lm_eval import LmEvalReader
from aliquot.readers.options import ReadOptions
from benchmarks.measure import Measured, alternate, call_cpu

LINES = 1_000_000
WORDS = (
    "apples",
    "boxes",
    "clips",
    "friends",
    "more than",
    "in April",
    "half as many",
    "altogether",
    "each",
    "sold",
)


class Row(msgspec.Struct):
    doc_id: int
    filter: str
    exact_match: float


BARE = msgspec.json.Decoder(Row)


def measure() -> list[Measured]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "samples_sums_2026-01-01T00-00-00.jsonl"
        write_log(path, lines=LINES)

        def count_lines() -> int:
            with path.open("rb", buffering=0) as file:
                return sum(block.count(b"\n") for block in iter(lambda: file.read(8 << 20), b""))

        def loads() -> float:
            with path.open("rb") as file:
                return sum(json.loads(line)["exact_match"] for line in file)

        def bare() -> float:
            with path.open("rb") as file:
                return sum(BARE.decode(line).exact_match for line in file)

        count_lines()
        sides = {
            "ours": call_cpu(lambda: LmEvalReader().read(path, ReadOptions())),
            "bytes": call_cpu(count_lines),
            "peer": call_cpu(loads),
            "bare": call_cpu(bare),
        }
        cpu = alternate(sides, repeats=3)
    work = "lm-evaluation-harness log, 1e6 lines, into evidence"
    peer = ("json.loads a line, one number kept", cpu["peer"])
    return [
        Measured(work, cpu["ours"], "reading the bytes and counting lines", cpu["bytes"], 3.0, *peer),
        Measured(work, cpu["ours"], "msgspec, three fields a line, nothing kept", cpu["bare"], 1.5, *peer),
    ]


def write_log(path: Path, *, lines: int) -> None:
    """Write a generation task of one filter, about 0.9 kB a line, in the shape of 0.4.13."""
    draw = np.random.default_rng(0)
    right = draw.random(lines) < 0.7
    picks = draw.integers(0, len(WORDS), size=(lines, 12))
    with path.open("w", encoding="utf-8") as file:
        for number in range(lines):
            question = f"{number}: " + " ".join(WORDS[pick] for pick in picks[number]) + "?"
            answer = "Step by step, one after the other: the total is " + ("72" if right[number] else "71")
            doc = {"question": question, "answer": "the total is 72"}
            known = hashlib.sha256(json.dumps(doc, indent=2).encode()).hexdigest()
            record = {
                "doc_id": number,
                "doc": doc,
                "target": "72",
                "arguments": {
                    "gen_args_0": {"arg_0": f"Question: {question}\nAnswer:", "arg_1": {"until": ["</s>"]}}
                },
                "resps": [[answer]],
                "filtered_resps": [answer[-2:]],
                "filter": "strict-match",
                "metrics": ["exact_match"],
                "doc_hash": known,
                "prompt_hash": known[::-1],
                "target_hash": known,
                "exact_match": float(right[number]),
            }
            file.write(json.dumps(record) + "\n")
