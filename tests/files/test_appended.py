"""Reading only what is new, and never half a row."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.files.appended import Mark, read_appended


def lines(*rows: object) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_only_new_rows_are_read_whatever_the_cuts(tmp_path: Path):
    """Every way to cut the bytes into two reads gives each row exactly once."""
    path = tmp_path / "log.jsonl"
    data = lines({"id": 1, "t": "ä\u2028"}, {"id": 2}, {"id": 3, "t": 'quo"te'}).encode()
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        first = read_appended(path, Mark())
        path.write_bytes(data)
        second = read_appended(path, first.mark)
        found = [row["id"] for part in (first, second) for row in part.rows()]
        assert found == [1, 2, 3], cut
        assert second.first == first.height + 1
        assert read_appended(path, second.mark).height == 0


def test_a_cell_over_two_lines_is_one_row_however_it_is_cut(tmp_path: Path):
    path = tmp_path / "log.csv"
    data = b'id,text\n1,"a\nb"\n2,"say ""hi"""\n3,c\n'
    for cut in range(len(data) + 1):
        path.write_bytes(data[:cut])
        if not data[:cut].strip():
            continue
        first = read_appended(path, Mark())
        path.write_bytes(data)
        second = read_appended(path, first.mark)
        found = [(row["id"], row["text"]) for part in (first, second) for row in part.rows()]
        assert found == [("1", "a\nb"), ("2", 'say "hi"'), ("3", "c")], cut


def test_a_torn_line_waits_and_a_whole_object_does_not(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text(lines({"id": 1}) + '{"id": 2', encoding="utf-8")
    torn = read_appended(path, Mark())
    assert (torn.height, torn.torn) == (1, True)
    path.write_text(lines({"id": 1}) + '{"id": 2}', encoding="utf-8")
    whole = read_appended(path, torn.mark)
    assert (whole.height, whole.torn, whole.first) == (1, False, 2)


def test_an_error_names_the_line_of_the_file(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text(lines({"id": 1}, {"id": 2}), encoding="utf-8")
    mark = read_appended(path, Mark()).mark
    path.write_text(
        lines({"id": 1}, {"id": 2}, {"id": 3}) + "nonsense\n" + lines({"id": 5}), encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"line 4"):
        read_appended(path, mark)


def test_another_log_is_refused_unless_it_is_said_to_go_on(tmp_path: Path):
    path = tmp_path / "log.jsonl"
    path.write_text(lines({"id": 1}, {"id": 2}), encoding="utf-8")
    mark = read_appended(path, Mark()).mark
    for other in (lines({"id": 9}, {"id": 2}, {"id": 3}), lines({"id": 1})):
        path.write_text(other, encoding="utf-8")
        with pytest.raises(InputError, match="--rotated goes on with it as a new log, --restart begins anew"):
            read_appended(path, mark)
    found = read_appended(path, mark, rotated=True)
    assert (found.height, found.first, found.mark.rows) == (1, 3, 3)


def test_a_table_that_gets_more_rows(tmp_path: Path):
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"id": [1, 2]}).write_parquet(path)
    first = read_appended(path, Mark())
    pl.DataFrame({"id": [1, 2, 3]}).write_parquet(path)
    second = read_appended(path, first.mark)
    assert [list(part.rows()) for part in (first, second)] == [[{"id": 1}, {"id": 2}], [{"id": 3}]]
    pl.DataFrame({"id": [7, 8, 9]}).write_parquet(path)
    with pytest.raises(InputError, match="not the log that was read before"):
        read_appended(path, second.mark)


def test_what_is_no_log(tmp_path: Path):
    with pytest.raises(UsageError, match="is no table"):
        read_appended(tmp_path / "log.txt", Mark())
    with pytest.raises(InputError, match="no such file"):
        read_appended(tmp_path / "log.csv", Mark())
