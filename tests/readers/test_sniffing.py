"""No log belongs to two readers."""

from __future__ import annotations

from pathlib import Path

import pytest

from aliquot.readers.registry import own_readers
from tests.shared import FOLDER

FILES = sorted(path for path in (FOLDER / "logs").rglob("*") if path.is_file())


@pytest.mark.skipif(not FILES, reason="../shared/logs is not on this machine")
def test_no_shared_file_is_claimed_by_two_readers() -> None:
    readers = own_readers()
    claimed = {path: [reader.name for reader in readers if reader.sniff(path)] for path in FILES}
    assert {path: names for path, names in claimed.items() if len(names) > 1} == {}
    known = {name for names in claimed.values() for name in names}
    assert {"alpaca-eval", "arena", "mt-bench", "openai-evals", "azure-evaluation"} <= known


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.csv", "a.parquet", "a.json.gz", "a"])
@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"\x1f\x8b", b"\x00\xff", b'[{"id": 1, "score": 1}]', b"id,score\n1,1\n"]
)
def test_what_says_nothing_is_claimed_by_no_reader_of_logs(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    assert [reader.name for reader in own_readers() if reader.sniff(path)] == []
