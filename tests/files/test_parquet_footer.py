from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from aliquot.errors import InputError
from aliquot.files import parquet_pages, tables
from aliquot.files.parquet_footer import read_footer
from aliquot.files.parquet_pages import check_parquet
from aliquot.files.tables import read_table

COLUMNS = {"item": ["a", "b", "c"] * 40, "score": [0.5, None, 1.0] * 40, "n": list(range(120)), "ok": [True] * 120,
           "tags": [["x"], [], None] * 40, "about": [{"u": 1, "v": {"w": "z"}}] * 120}  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"row_group_size": 7}, {"compression": "none"}, {"version": "1.0"}])
def test_the_footer_agrees_with_arrow(tmp_path: Path, options: dict[str, object]) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(COLUMNS), path, **options)
    metadata = pq.ParquetFile(path).metadata
    found = check_parquet(path)
    assert (found.rows, found.columns) == (metadata.num_rows, metadata.num_columns)
    groups = [metadata.row_group(i) for i in range(metadata.num_row_groups)]
    assert [(group.rows, group.size) for group in found.groups] == [
        (group.num_rows, group.total_byte_size) for group in groups
    ]
    columns = [group.column(j) for group in groups for j in range(metadata.num_columns)]
    assert [(chunk.stop - chunk.start, chunk.values) for group in found.groups for chunk in group.chunks] == [
        (column.total_compressed_size, column.num_values) for column in columns
    ]


def test_the_footer_of_our_own_files_is_read(tmp_path: Path) -> None:
    pl.DataFrame(COLUMNS).write_parquet(tmp_path / "a.parquet")
    assert read_footer(tmp_path / "a.parquet").rows == 120
    pl.DataFrame({"item": []}, schema={"item": pl.String}).write_parquet(tmp_path / "b.parquet")
    assert read_footer(tmp_path / "b.parquet").rows == 0


@pytest.mark.parametrize(
    ("name", "limit", "problem"),
    [
        ("MAX_CELLS", 100, "holds 840 cells; the limit is 100"),
        ("MAX_COLUMNS", 3, "holds 7 columns; the limit is 3"),
        ("MAX_GROUP_BYTES", 50, "bytes in one row group; the limit is 50"),
    ],
)
def test_a_file_too_large_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, limit: int, problem: str
) -> None:
    pl.DataFrame(COLUMNS).write_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr(parquet_pages, name, limit)
    monkeypatch.setattr(pl, "read_parquet", lambda _: pytest.fail("it was read"))
    with pytest.raises(InputError, match=problem):
        read_table(tmp_path / "a.parquet")


def test_a_text_held_once_and_repeated_in_every_row_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pl.DataFrame({"item": ["x" * 1000] * 50}).write_parquet(tmp_path / "a.parquet")
    monkeypatch.setattr(tables, "MAX_FILE_BYTES", 10_000)
    with pytest.raises(InputError, match="field 'item': holds 50,000 bytes of text; the limit is 10,000"):
        read_table(tmp_path / "a.parquet")


def test_chunks_that_overlap_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": range(100), "b": range(100)}).write_parquet(path, compression="uncompressed")
    raw = path.read_bytes()
    first, second = read_footer(path).groups[0].chunks
    size = (second.stop - second.start, 2 * first.stop)  # as long, but then beyond the other chunk's end
    old, new = (b"\x16" + _varint(2 * length) for length in size)
    assert len(old) == len(new)
    footer = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    path.write_bytes(raw[:footer] + raw[footer:].replace(old, new))
    with pytest.raises(InputError, match="its footer is damaged"):
        read_footer(path)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value >= 0x80:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])
