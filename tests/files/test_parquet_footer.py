from __future__ import annotations

from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import AliquotError, InputError
from aliquot.files import parquet_footer, tables
from aliquot.files.parquet_footer import check_parquet, parquet_size
from aliquot.files.tables import read_table

COLUMNS = {"item": ["a", "b", "c"] * 40, "score": [0.5, None, 1.0] * 40, "n": list(range(120)), "ok": [True] * 120,
           "tags": [["x"], [], None] * 40, "about": [{"u": 1, "v": {"w": "z"}}] * 120}  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"row_group_size": 7}, {"compression": "none"}, {"version": "1.0"}])
def test_the_footer_agrees_with_arrow(tmp_path: Path, options: dict[str, object]) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table(COLUMNS), path, **options)
    metadata = pq.ParquetFile(path).metadata
    groups = [metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups)]
    found = check_parquet(path)
    assert (found.rows, found.columns, list(found.groups)) == (
        metadata.num_rows,
        metadata.num_columns,
        groups,
    )


def test_the_footer_of_our_own_files_is_read(tmp_path: Path) -> None:
    pl.DataFrame(COLUMNS).write_parquet(tmp_path / "a.parquet")
    assert parquet_size(tmp_path / "a.parquet").rows == 120
    pl.DataFrame({"item": []}, schema={"item": pl.String}).write_parquet(tmp_path / "b.parquet")
    assert parquet_size(tmp_path / "b.parquet").rows == 0


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
    monkeypatch.setattr(parquet_footer, name, limit)
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


@given(st.data())
def test_a_changed_file_gives_a_table_or_one_clear_error(tmp_path_factory, data: st.DataObject) -> None:
    path = tmp_path_factory.mktemp("changed") / "a.parquet"
    pl.DataFrame({"item": ["a", "b"], "score": [0.0, 1.0]}).write_parquet(path)
    raw = bytearray(path.read_bytes())
    for place in data.draw(st.lists(st.integers(len(raw) // 3, len(raw) - 1), max_size=4)):
        raw[place] = data.draw(st.integers(0, 255))
    path.write_bytes(raw[: data.draw(st.sampled_from([len(raw), len(raw) - 1, len(raw) // 2, 3, 0]))])
    said = ""
    try:
        parquet_size(path)
    except AliquotError as error:
        said = str(error)
    assert "\n" not in said
