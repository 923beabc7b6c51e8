"""Rows with turns: each turn an item of its own, and one line for what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aliquot.errors import InputError
from aliquot.evidence.identity import content_hash
from aliquot.item_sets.items import ItemSet
from aliquot.item_sets.samples import sample
from aliquot.item_sets.sources import load

TRIP = {
    "id": "trip",
    "city": "Oslo",
    "topic": "travel",
    "turns": [
        {"question": "Which country?", "reference": "Norway", "topic": "geography"},
        {"question": "Its king?", "reference": "Harald", "accept": ["Harald V"]},
        "And before him?",
    ],
}


def loaded(folder: Path, *rows: object) -> ItemSet:
    path = folder / "set.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return load(path)


def test_a_turn_is_an_item_with_the_fields_of_the_row_and_its_own(tmp_path: Path) -> None:
    items = loaded(tmp_path, {"id": 1, "question": "2+2?"}, TRIP).items
    assert [item.id for item in items] == ["1", "trip#1", "trip#2", "trip#3"]
    assert [item.conversation for item in items] == [None, "trip", "trip", "trip"]
    assert [item.fields.get("turn") for item in items] == [None, 1, 2, 3]
    first, second, third = items[1:]
    assert first.inputs == {"city": "Oslo", "topic": "geography", "question": "Which country?"}
    assert second.inputs == {"city": "Oslo", "topic": "travel", "question": "Its king?"}
    assert (second.reference, second.accept, second.row) == ("Harald", ("Harald V",), 2)
    assert third.inputs["question"] == "And before him?"
    assert (third.reference, third.accept) == (None, ())
    assert [turn.id for turn in third.earlier] == ["trip#1", "trip#2"]
    assert (first.earlier, items[0].earlier) == ((), ())
    assert [item.cluster(None) for item in items] == [None, "trip", "trip", "trip"]
    assert [item.cluster("city") for item in items] == [None, "Oslo", "Oslo", "Oslo"]
    assert second.cluster("document") == "trip"  # where the field is absent the conversation stands


def test_references_may_stand_beside_texts_as_mt_bench_writes_them(tmp_path: Path) -> None:
    row = {
        "id": 81,
        "category": "math",
        "turns": ["2 + 2?", "Why?", "Times 3?"],
        "reference": ["4", None, "12"],
    }
    items = loaded(tmp_path, row).items
    assert [(item.id, item.reference) for item in items] == [("81#1", "4"), ("81#2", None), ("81#3", "12")]
    assert "reference" not in items[1].fields


def test_content_covers_everything_the_user_has_said_so_far(tmp_path: Path) -> None:
    one = loaded(tmp_path, {"id": "a", "turns": ["x", "y", "z"]}).items
    two = loaded(tmp_path, {"id": "a", "turns": ["X", "y", "z"]}).items
    alone = loaded(tmp_path, {"id": "b", "question": "x"}).items
    assert len({item.content for item in (*one, *two)}) == 6
    assert (
        one[0].content == alone[0].content == content_hash("x", None)
    )  # asked first it is the same question
    assert one[2].content == content_hash(["x", "y", "z"], None)
    joined = loaded(tmp_path, {"id": "a", "turns": ["x", "x\n\ny"]}).items  # parts never run into each other
    assert joined[1].content not in {item.content for item in one}


def test_fields_named_like_a_place_are_inputs_of_an_item_that_is_no_turn(tmp_path: Path) -> None:
    (item,) = loaded(tmp_path, {"id": "a", "conversation": "Ann: hi", "turn": 3}).items
    assert item.inputs == {"conversation": "Ann: hi", "turn": 3}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"turns": []}, r"row 1, field 'turns': turns is not a list of turns \(conversation 'trip'\)"),
        ({"turns": "hello"}, "turns is not a list of turns"),
        ({"turns": None}, "turns is not a list of turns"),
        ({"turns": {"question": "x"}}, "turns is not a list of turns"),
        ({"turns": ["x", ""]}, "turn 2 is ''"),
        ({"turns": ["x", 7]}, "turn 2 is 7"),
        ({"turns": ["x", {}]}, "turn 2 is {}"),
        ({"turns": ["x", None]}, "turn 2 is None"),
        ({"turns": [{"id": "y", "question": "x"}]}, "turn 1 has the field 'id', which belongs to the conv"),
        ({"turns": [{"turns": ["y"]}]}, "turn 1 has the field 'turns'"),
        ({"turns": [{"turn": 4}]}, "the field 'turn' has a meaning of its own in a conversation"),
        ({"conversation": "c"}, "the field 'conversation' has a meaning of its own"),
        ({"reference": "x"}, "one reference stands beside several turns"),
        ({"reference": ["a"]}, "there are 1 references for 3 turns"),
        ({"reference": ["a", "b", "c"]}, "turn 1 has two references"),
        ({"accept": ["x"]}, "accept stands beside the turns"),
        ({"turns": ["x"] * 1001}, "the conversation has 1001 turns; the most are 1000"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_its_place(
    tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    with pytest.raises(InputError, match=words) as caught:
        loaded(tmp_path, TRIP | changes)
    assert "\n" not in str(caught.value)


def test_a_row_named_like_a_turn_is_refused_with_both_places(tmp_path: Path) -> None:
    for rows in ((TRIP, {"id": "trip#2", "question": "x"}), ({"id": "trip#2", "question": "x"}, TRIP)):
        with pytest.raises(InputError, match=r"id 'trip#2' stands for two: row \d, and a turn .* row \d"):
            loaded(tmp_path, *rows)


def test_turns_in_csv_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.csv"
    path.write_text("id,turns\na,hello\n", encoding="utf-8")
    with pytest.raises(InputError, match="In JSON lines, write"):
        load(path)


@pytest.mark.parametrize("seed", range(20))
def test_a_sample_never_cuts_a_conversation(tmp_path: Path, seed: int) -> None:
    rows = [{"id": f"c{k}", "kind": "ab"[k % 2], "turns": ["x"] * (1 + k % 5)} for k in range(20)]
    whole = loaded(tmp_path, *rows, *({"id": f"p{k}", "kind": "a", "question": "x"} for k in range(5)))
    sizes = {f"c{k}": 1 + k % 5 for k in range(20)}
    drawn, selection = sample(whole, 17, by="kind", seed=seed)
    taken = [item.conversation for item in drawn if item.conversation is not None]
    assert {name: taken.count(name) for name in taken} == {name: sizes[name] for name in taken}
    assert selection.n == len(drawn) <= 17
    assert selection.cluster == "conversation"
