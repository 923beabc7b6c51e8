from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError, InputError
from aliquot.files import parquet_pages
from aliquot.files.parquet_footer import read_footer
from aliquot.files.parquet_pages import check_parquet
from aliquot.files.tables import read_table
from aliquot.files.thrift import Compact

COLUMNS = {"item": [f"q{k}" for k in range(60)], "score": [0.5, None, 1.0] * 20, "ok": [True, False] * 30,
           "tags": [["x"], [], None] * 20}  # fmt: skip
KINDS: dict[str, dict[str, Any]] = {
    "pages 1": {"compression": "none", "use_dictionary": False},
    "dictionary": {"compression": "none", "row_group_size": 20},
    "gzip": {"compression": "gzip"},
    "pages 2": {"data_page_version": "2.0", "use_dictionary": False, "column_encoding": {"item": "DELTA_BYTE_ARRAY"}},
    "small pages": {"data_page_size": 16, "write_batch_size": 4},
}  # fmt: skip


def _write(path: Path, kind: str) -> bytes:
    pq.write_table(pa.table(COLUMNS), path, **KINDS[kind])
    return path.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_sound_file_is_read_whatever_its_pages_are(tmp_path: Path, kind: str) -> None:
    _write(tmp_path / "a.parquet", kind)
    table = read_table(tmp_path / "a.parquet")
    assert [list(table.columns[name]) for name in ("item", "score", "ok")] == [
        COLUMNS[name] for name in ("item", "score", "ok")
    ]


def test_a_number_of_values_below_0_is_refused_before_polars_reserves_them(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    raw = bytearray(_write(path, "pages 1"))
    score = read_footer(path).groups[0].chunks[1].start
    values = raw.index(b"\x2c\x15\x78", score) + 2  # field 5 of the header, its field 1: 60, as zigzag 120
    raw[values] = 119  # zigzag of -60: with it Polars asks for 2^61 bytes and the process ends
    path.write_bytes(raw)
    with pytest.raises(InputError, match=r"a\.parquet: is damaged: a page is not what its header says"):
        read_table(path)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (1, 0x0C),  # the page's kind: 6, which is none
        (3, 0x01),  # unpacked bytes: -1
        (5, 0x01),  # stored bytes: -1
        (8, 0x7A),  # values: 61 of 60
        (10, 0x02),  # encoding 1, which is none
        (10, 0x14),  # encoding 10, which is none
    ],
)
def test_a_header_that_cannot_be_is_refused(tmp_path: Path, field: int, value: int) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"n": pa.array([7] * 60, pa.int8())}), path, use_dictionary=False, compression="none",
                   column_encoding={"n": "DELTA_BINARY_PACKED"}, write_statistics=False)  # fmt: skip
    raw = bytearray(path.read_bytes())
    assert raw[4:6] == b"\x15\x00"  # the first header: field 1, a data page
    assert (raw[6], raw[8], raw[10:13], raw[13]) == (0x15, 0x15, b"\x2c\x15\x78", 0x15)
    raw[4 + field] = value
    path.write_bytes(raw)
    with pytest.raises(InputError, match="is damaged: a page is not what its header says"):
        check_parquet(path)


def test_pages_that_unpack_to_more_than_their_group_may_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.parquet"
    _write(path, "small pages")
    size = read_footer(path).groups[0].size
    monkeypatch.setattr(parquet_pages, "MAX_GROUP_BYTES", size)
    check_parquet(path)
    monkeypatch.setattr(parquet_pages, "_check_pages", lambda *_: size)  # four columns of it
    with pytest.raises(InputError, match="a page is not what"):
        check_parquet(path)


def test_a_header_longer_than_the_first_read_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    text = "x" * 3000
    pq.write_table(pa.table({"item": [text]}), path, use_dictionary=False)
    raw = path.read_bytes()
    header = Compact(raw[4:])
    assert header.struct()[5][5][5] == text.encode()  # the largest value, in the header's statistics
    assert header.position > 6000
    assert check_parquet(path).rows == 1


@settings(max_examples=150)
@given(data=st.data(), kind=st.sampled_from(sorted(KINDS)))
def test_changed_bytes_give_a_table_or_one_clear_error(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, kind: str
) -> None:
    path = tmp_path_factory.mktemp("changed") / "a.parquet"
    raw = bytearray(_write(path, kind))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(4, len(raw) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.one_of(st.none(), st.integers(0, len(raw))))
    path.write_bytes(raw[:cut])
    said = ""
    try:
        assert read_table(path).height >= 0
    except AliquotError as error:
        said = str(error)
        assert said.startswith(str(path))
    assert "\n" not in said
