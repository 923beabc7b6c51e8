"""Loading item sets: what is read, and the one line each fault gets."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError, UsageError
from aliquot.evidence.identity import content_hash
from aliquot.item_sets.items import Item, digest
from aliquot.item_sets.sources import bundled_names, load


def written(folder: Path, text: str, name: str = "set.jsonl") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_bundled_sets_load_by_name_with_version_and_licence() -> None:
    basics = load("basics")
    assert "basics" in bundled_names()
    assert (basics.name, basics.version, basics.licence) == ("basics", "1", "Apache-2.0")


def test_json_lines_and_csv_of_the_same_items_agree(tmp_path: Path) -> None:
    lines = load(
        written(tmp_path, '{"id": "a", "question": "q, r", "reference": "x", "accept": ["y", "z"]}\n')
    )
    cells = load(written(tmp_path, 'id,question,reference,accept,empty\na,"q, r",x,y|z,\n', "set.csv"))
    assert lines.hash == cells.hash
    assert lines.items[0].accept == cells.items[0].accept == ("y", "z")


def test_a_byte_order_mark_and_other_line_ends_change_nothing(tmp_path: Path) -> None:
    one = load(written(tmp_path, '{"id": 1, "q": "x"}\n\n{"id": 2, "q": "y"}\n'))
    two = load(written(tmp_path, '\ufeff{"q": "x", "id": 1}\r\n{"id": 2, "q": "y"}'))
    assert one.hash == two.hash
    assert [item.id for item in one.items] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "a"}\n{"id": "b"}\n{"id": "a"}\n', r"id 'a' is repeated: rows 1 and 3"),
        ('{"id": 1}\n{"id": "1"}\n', r"id '1' stands as text and as number: rows 1 and 2"),
        ('{"id": "a"}\n{"q": "b"}\n', r"row 2, field 'id': this row has no usable id"),
        ('{"id": true}\n', "no usable id"),
        ('{"id": 1.5}\n', "no usable id"),
        ('{"id": "a"}\n{"id": \n', r"row 2: this is not JSON"),
        ('{"id": "a", "x": NaN}\n', r"row 1: this is not JSON \(NaN is not a value\)"),
        ('{"id": "a", "id": "b"}\n', r"row 1: this is not JSON \(the key 'id' stands twice\)"),
        ('{"id": "a", "of": {"x": 1, "x": 2}}\n', "the key 'x' stands twice"),
        ('{"id": "a"}\n{"id": "\\ud83d"}\n', r"row 2: this holds half a character \(\\ud83d\)"),
        ('{"id": "a", "of": [{"\\uDE00": 1}]}\n', r"row 1: this holds half a character \(\\ude00\)"),
        ('{"id": "a", "x": ' + "[" * 9000 + "]" * 9000 + "}\n", "row 1: this is nested too deeply"),
        ("[1]\n", "not a JSON object"),
        ("\n", "there are no items"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(written(tmp_path, text))


def test_a_column_that_stands_twice_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="row 1: the column 'q' stands twice"):
        load(written(tmp_path, "id,q,q\na,b,c\n", "set.csv"))


def test_both_halves_of_a_character_are_one(tmp_path: Path) -> None:
    (item,) = load(written(tmp_path, '{"id": "\\ud83d\\ude00"}\n')).items
    assert item.id == "\U0001f600"


@pytest.mark.parametrize(
    ("field", "cell", "held"),
    [
        ("golden", "d1|d2", ["d1", "d2"]),
        ("golden", "d1 | d2", ["d1", "d2"]),
        ("golden", "d1", ["d1"]),
        ("golden", '["d|1", "d2"]', ["d|1", "d2"]),
        ("golden", '{"d1": 2, "d2": 1}', {"d1": 2, "d2": 1}),
        ("tools", "search|book", ["search", "book"]),
        (
            "tools",
            '[{"name": "book", "arguments": {"seats": 2}}]',
            [{"name": "book", "arguments": {"seats": 2}}],
        ),
        ("tools", "[]", []),
        ("accept", '["[a]"]', ["[a]"]),
        ("test_list", '["assert f(1 | 2) == 3"]', ["assert f(1 | 2) == 3"]),
        ("test_list", "assert f(1 | 2) == 3", "assert f(1 | 2) == 3"),
        ("question", "[a|b]", "[a|b]"),
    ],
)
def test_a_list_in_a_cell_is_json_or_texts_with_bars(
    tmp_path: Path, field: str, cell: str, held: object
) -> None:
    quoted = cell.replace('"', '""')
    assert load(written(tmp_path, f'id,{field}\na,"{quoted}"\n', "set.csv")).items[0].fields[field] == held


@pytest.mark.parametrize("cell", ["[a]", "{d1", '[""a"", NaN]', "[[[[" + "[" * 3000])
def test_a_cell_that_begins_like_json_and_is_none_is_refused(tmp_path: Path, cell: str) -> None:
    with pytest.raises(InputError, match="begins like JSON and is none") as told:
        load(written(tmp_path, f'id,golden\na,"{cell}"\n', "set.csv"))
    assert (told.value.row, told.value.field) == (2, "golden")


def test_a_csv_row_of_another_length_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="row 3: this row has another number of cells"):
        load(written(tmp_path, "id,q\na,b\nc\n", "set.csv"))


def test_bytes_that_are_no_text_are_named_with_their_row(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(b'{"id": "a"}\n{"id": "\xff"}\n')
    with pytest.raises(InputError, match="row 2: this is not UTF-8"):
        load(path)


def test_an_unknown_name_lists_the_bundled_ones(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Did you mean 'basics'"):
        load("basic")
    with pytest.raises(UsageError, match="there is no item set file"):
        load(tmp_path / "none.jsonl")


def test_the_content_hash_covers_inputs_and_reference_alone() -> None:
    item = Item("a", {"id": "a", "question": "q", "reference": "r", "segment": "s", "scorer": "words"})
    same = Item("b", {"scorer": "exact", "reference": "r", "question": "q"})
    assert item.content == same.content == content_hash("q", "r")
    assert item.content != Item("a", {"question": "q", "reference": "R"}).content
    assert item.content != Item("a", {"question": "Q", "reference": "r"}).content


@given(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.none(), max_size=5))
def test_the_order_of_keys_never_changes_a_digest(fields: dict[str, object]) -> None:
    assert digest(fields) == digest(dict(reversed(fields.items())))
