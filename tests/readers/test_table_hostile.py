"""Tables with changed bytes: evidence or one clear error, never a traceback."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError
from aliquot.readers.describe import describe
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import read_one

ROWS: Final[Sequence[dict[str, Any]]] = [
    {"system": system, "task": "t", "item": f"q{k}", "attempt": attempt, "metric": metric, "scorer": "exact",
     "value": (k + attempt) % 2 if metric == "passed" else None if k == 3 else k / 8, "status": "ok",
     "cluster": f"doc {k // 3}", "segment.topic": 'law, "civil"\nand other', "weight": 2.0, "cost": 1e-4,
     "tokens_out": 7, "item.content": f"{k:08x}"}
    for system in ("old", "new") for k in range(6) for attempt in (1, 2) for metric in ("passed", "f1")
]  # fmt: skip
WIDE = "case;main;kandidat;Quelle\n1;0,5;1;Ä\n2;;0,25;Ö\n3;1;1;Ü\n"
QUESTIONS = '\ufeffquestion,expected,response,score\r\n2+2?,4,four,yes\r\n"3+3,\n?",6,,no\r\n'
SMALL = [
    {"id": k, "epoch": 0, "about": {"topic": "x", "deep": [1, {"a": None}]}, "score": k / 3} for k in range(5)
]

OPTIONS: Final = {
    "wide.csv": ReadOptions(item="case", wide=("main", "kandidat"), cluster="Quelle"),
    "mixed.csv": ReadOptions(duplicates="attempts", missing=("x",)),
}


@cache
def _tables() -> dict[str, bytes]:
    """Return small tables as files of every kind hold them."""
    long = pl.DataFrame(ROWS, infer_schema_length=None)
    parquet, plain = io.BytesIO(), io.BytesIO()
    long.write_parquet(parquet)
    long.write_parquet(plain, compression="uncompressed", row_group_size=7, statistics=False)
    return {
        "long.csv": long.write_csv().encode(),
        "long.tsv": long.write_csv(separator="\t").encode(),
        "mixed.csv": long.drop("attempt").write_csv(separator="|").encode("utf-16"),
        "wide.csv": WIDE.encode(),
        "questions.csv": QUESTIONS.encode(),
        "long.jsonl": long.write_ndjson().encode(),
        "small.jsonl": "\n".join(map(json.dumps, SMALL)).encode(),
        "small.json": json.dumps({"samples": SMALL}).encode(),
        "list.json": json.dumps(SMALL, indent=1).encode(),
        "long.parquet": parquet.getvalue(),
        "plain.parquet": plain.getvalue(),
    }


NAMES = ("long.csv", "long.tsv", "mixed.csv", "wide.csv", "questions.csv", "long.jsonl", "small.jsonl", "small.json",
         "list.json", "long.parquet", "plain.parquet")  # fmt: skip

BYTES = st.one_of(
    st.binary(max_size=6),
    st.sampled_from(
        [b"", b'"', b"\n", b"\r", b",", b";", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"{", b"[" * 300, b"]", b"}",
         b"NaN", b"1e999", b"-Infinity", b"9" * 400, b"0x1", b"null", b"true", b"\\ud800", b"\xe2\x80\xae", b"=1+1",
         b"\x1b[2J", b'"item"', b"item", b"value", b"system", b"item.content", b"metric.kind", b"-1", b"1_0", b"0,5"]
    ),
)  # fmt: skip
KINDS = st.sampled_from(["replace", "insert", "delete", "repeat", "cut"])
CHANGES = st.lists(st.tuples(KINDS, st.floats(0, 1), st.integers(0, 60), BYTES), min_size=1, max_size=4)


def _changed(data: bytes, changes: Sequence[tuple[str, float, int, bytes]]) -> bytes:
    for kind, place, length, new in changes:
        start = int(place * len(data))
        part = data[start : start + length]
        match kind:
            case "replace":
                data = data[:start] + new + data[start + len(new) :]
            case "insert":
                data = data[:start] + new + data[start:]
            case "delete":
                data = data[:start] + data[start + length :]
            case "repeat":
                data = data[:start] + part * 3 + data[start:]
            case _:
                data = data[:start]
    return data


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_read_before_they_are_changed(tmp_path: Path, name: str) -> None:
    assert set(NAMES) == set(_tables())
    (tmp_path / name).write_bytes(_tables()[name])
    assert describe(read_one(tmp_path / name, OPTIONS.get(name))).tasks


@settings(max_examples=150)
@given(name=st.sampled_from(NAMES), changes=CHANGES)
def test_a_table_with_changed_bytes_gives_evidence_or_one_clear_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, changes: list[tuple[str, float, int, bytes]]
) -> None:
    path = tmp_path_factory.getbasetemp() / f"changed {name}"
    path.write_bytes(_changed(_tables()[name], changes))
    said = str(path)
    try:
        evidence = read_one(path, OPTIONS.get(name))
        assert describe(evidence).tasks
        assert evidence.outcomes["value"].drop_nulls().is_finite().all()
    except AliquotError as error:
        said = str(error)
    assert str(path) in said
    assert "\n" not in said
    assert len(said) < 3000


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_half_a_character_in_json_is_replaced_and_said(tmp_path, ending):
    cells = [
        {"system": "a", "item": f"{i}\\ud83d", "value": i % 2, "output": "cut \\udfff"} for i in range(4)
    ]
    lines = [json.dumps(row).replace("\\\\ud", "\\ud") for row in cells]
    path = tmp_path / f"halves.{ending}"
    path.write_text("\n".join(lines) if ending == "jsonl" else f"[{','.join(lines)}]")
    found = read_one(path, ReadOptions())
    assert sorted(found.outcomes["item"]) == [f"{i}\N{REPLACEMENT CHARACTER}" for i in range(4)]
    assert [note.code for note in found.notes if note.code == "half_characters"] == ["half_characters"]
