from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError, InputError, UsageError
from aliquot.files import text as text_module
from aliquot.files.delimited import DELIMITERS, find_delimiter, read_delimited
from aliquot.files.json_rows import read_json, read_json_lines
from aliquot.files.tables import Table, read_table, table_of

QUOTED = '{mark}input,target,note\r\n"what is 2+2","4","café"\r\n"line one\r\nline two","x","says ""hi"""\r\n'


def _read(folder: Path, name: str, data: str | bytes) -> Table:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return read_table(path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marks_line_ends_and_quoted_newlines_of_a_spreadsheet(tmp_path: Path, encoding: str) -> None:
    table = _read(tmp_path, "a.csv", QUOTED.format(mark="").encode(encoding))
    assert list(table.columns) == ["input", "target", "note"]
    assert table.columns["input"] == ["what is 2+2", "line one\r\nline two"]
    assert table.columns["note"] == ["café", 'says "hi"']
    assert (table.height, table.lines, table.place(1)) == (2, [2, 3], "row 2 (line 3)")


def test_a_byte_of_another_encoding_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"line 3 holds the byte 0xe9, which is not utf-8. .*--encoding cp1252"
    ):
        _read(tmp_path, "a.csv", "item,score\na,1\ncafé,0\n".encode("cp1252"))
    assert read_table(tmp_path / "a.csv", encoding="cp1252").columns["item"] == ["a", "café"]
    with pytest.raises(InputError, match="no encoding 'cp9999'"):
        read_table(tmp_path / "a.csv", encoding="cp9999")


def test_words_for_nothing_stay_text_and_only_an_empty_cell_is_missing(tmp_path: Path) -> None:
    table = _read(tmp_path, "a.csv", "item,label,answer\nNA,None,null\nnan,n/a,NaN\nx,,yes\n")
    assert table.columns == {
        "item": ["NA", "nan", "x"],
        "label": ["None", "n/a", None],
        "answer": ["null", "NaN", "yes"],
    }


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_delimiters_are_recognised(tmp_path: Path, delimiter: str) -> None:
    data = "".join(delimiter.join(row) + "\n" for row in (["item", "score"], ["a", "1"], ['"x,y;z|\t"', "0"]))
    table = _read(tmp_path, "a.csv", data)
    assert table.columns == {"item": ["a", "x,y;z|\t"], "score": ["1", "0"]}
    assert table.delimiter == delimiter


def test_a_decimal_comma_does_not_pass_for_a_delimiter() -> None:
    assert find_delimiter("item;score\na;0,5\nb;0,25\n") == ";"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("", "is empty"),
        ("a,a\n1,2\n", "two columns are called 'a'"),
        ("a,\n1,2\n", "column 2 has no name"),
        ("a,b\n1,2,3\n4,5\n", "row 1: has 3 cells where the header has 2 .line 2."),
        ("a,b\n1,2\n3\n", "row 2: has 1 cells where the header has 2 .line 3."),
        ('a,b\n1,"2\n', "from line 2 on is not delimited"),
        ("a,b\n1,\0\n", "NUL characters"),
    ],
)
def test_text_that_is_no_table_is_refused_with_its_place(tmp_path: Path, data: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        _read(tmp_path, "a.csv", data)


@pytest.mark.parametrize(
    ("name", "data", "columns"),
    [
        ("a.csv", "item,score\na,1\nb", {"item": ["a"], "score": ["1"]}),
        ("a.jsonl", '{"item": "a", "score": 1}\n{"item": "b", "sco', {"item": ["a"], "score": [1]}),
        ("a.jsonl", '{"item": "a", "score": 1}\n{"item": {"b": 1}', {"item": ["a"], "score": [1]}),
    ],
)
def test_a_torn_last_line_is_left_out_and_reported(
    tmp_path: Path, name: str, data: str, columns: object
) -> None:
    table = _read(tmp_path, name, data)
    assert table.columns == columns
    assert [(note.code, note.text.split(" is ")[0]) for note in table.notes] == [
        ("torn_line", f"line {data.count(chr(10)) + 1}")
    ]


def test_a_bad_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2 is no JSON object"):
        _read(tmp_path, "a.jsonl", '{"a": 1}\n{"a": \n{"a": 2}\n')
    with pytest.raises(InputError, match="line 1 is no JSON object: it holds another kind"):
        _read(tmp_path, "a.jsonl", "[1]\n")
    with pytest.raises(InputError, match="line 1 is nested too deeply"):
        _read(tmp_path, "a.jsonl", "[" * 100_000 + "\n")


def test_numbers_that_json_does_not_have_are_missing_and_counted() -> None:
    rows = read_json_lines(
        '{"v": NaN}\n{"v": -Infinity}\n{"v": [Infinity]}\n{"v": 1e999}\n{"v": 0}\n', file="a"
    )
    assert rows.columns == {"v": [None, None, "[null]", None, 0]}
    assert [note.text for note in rows.notes] == [
        "4 values are NaN or infinite; they count as missing, not as 0"
    ]


def test_objects_become_dotted_columns_and_new_columns_are_missing_before(tmp_path: Path) -> None:
    table = _read(
        tmp_path,
        "a.jsonl",
        '{"id": 1}\n\n{"id": 12345678901234567890123, "segment": {"topic": "law"}}\n{"x": [1]}\n',
    )
    assert table.columns == {
        "id": [1, 12345678901234567890123, None],
        "segment.topic": [None, "law", None],
        "x": [None, None, "[1]"],
    }
    assert (table.lines, table.place(1)) == ([1, 3, 4], "line 3")


def test_a_json_document_with_one_list_of_objects_is_a_table() -> None:
    assert read_json('{"version": 1, "samples": [{"id": "a"}]}', file="a").columns == {"id": ["a"]}
    assert read_json('[{"id": "a"}]', file="a").columns == {"id": ["a"]}
    for text in ("{}", "[1]", '{"a": [{}], "b": [{}]}', "3"):
        with pytest.raises(InputError, match="no list of objects"):
            read_json(text, file="a")


def test_parquet_keeps_its_types_and_unfolds_structures(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {
            "id": [1, 2],
            "v": [0.5, float("nan")],
            "meta": [{"a": {"b": True}}, {"a": {"b": None}}],
            "t": [[1], None],
        }
    )
    frame.write_parquet(tmp_path / "a.parquet")
    table = read_table(tmp_path / "a.parquet")
    assert table.columns == {"id": [1, 2], "v": [0.5, None], "meta.a.b": [True, None], "t": ["[1]", None]}
    assert table.place(0) == "row 1"
    with pytest.raises(InputError, match="is not a Parquet file"):
        _read(tmp_path, "b.parquet", "item,score\n")


def test_files_that_are_too_large_missing_or_unknown_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(UsageError, match=r"Known endings: .csv"):
        read_table(tmp_path / "none.xyz")
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    monkeypatch.setattr(text_module.read_bounded, "__kwdefaults__", {"limit": 4})
    with pytest.raises(InputError, match=r"holds 8 bytes. The limit is 4"):
        read_table(tmp_path / "a.csv")


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(CELL, CELL), min_size=1, max_size=6),
    st.sampled_from(DELIMITERS),
    st.sampled_from(["\n", "\r\n"]),
)
def test_any_quoted_text_comes_back(rows: list[tuple[str, str]], delimiter: str, end: str) -> None:
    def line(cells: tuple[str, str]) -> str:
        return delimiter.join('"' + cell.replace('"', '""') + '"' for cell in cells) + end

    table = read_delimited(
        "a" + delimiter + "b" + end + "".join(map(line, rows)), file="x", delimiter=delimiter
    )
    assert list(zip(*table.columns.values(), strict=True)) == rows


@settings(max_examples=80, deadline=None)
@given(
    st.one_of(st.binary(max_size=60), st.text('{}[]",:\n aN1\\', max_size=40).map(str.encode)),
    st.sampled_from(["csv", "tsv", "jsonl", "json", "parquet"]),
)
def test_any_bytes_give_a_table_or_one_clear_error(tmp_path_factory, data: bytes, ending: str) -> None:
    path = tmp_path_factory.mktemp("any") / f"a.{ending}"
    path.write_bytes(data)
    try:
        heights = {len(cells) for cells in read_table(path).columns.values()}
        said = ""
    except AliquotError as error:
        heights, said = set[int](), str(error)
    assert len(heights) <= 1
    assert "\n" not in said


def test_a_table_of_a_frame_holds_plain_cells() -> None:
    frame = pl.DataFrame({"when": [1, None]}, schema={"when": pl.Date})
    assert table_of(frame).columns == {"when": ["1970-01-02", None]}
