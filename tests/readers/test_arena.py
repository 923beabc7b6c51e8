from __future__ import annotations

import copy
import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError, UsageError
from aliquot.evidence.tables import Evidence
from aliquot.readers.describe import describe
from aliquot.readers.registry import find_reader, read_evidence, read_one
from aliquot.readers.verdict_words import SIDES
from aliquot.verbs.compare import compare
from aliquot.verbs.summarize import summarize
from tests.readers.mutations import EDITS, JUNK, MUTATED, edited, ends_well, places, replaced
from tests.shared import FOLDER, shared


def _battle(number: int, winner: Any, **more: Any) -> dict[str, Any]:
    return {
        "question_id": f"{number:032x}", "model_a": "x", "model_b": "y", "winner": winner,
        "judge": f"arena_user_{number % 2}", "turn": 1, "anony": True, "language": "English",
        "tstamp": 1_700_000_000 + number, **more,
    }  # fmt: skip


def _read(folder: Path, records: Any, name: str = "clean_battle.json") -> Evidence:
    path = folder / name
    lines = [json.dumps(record) for record in records]
    path.write_text("\n".join(lines) if name.endswith("l") else f"[{','.join(lines)}]")
    assert find_reader(path).name == "arena"
    return read_one(path)


@pytest.mark.parametrize(
    ("word", "verdict"),
    [
        ("model_a", "a"), ("model_b", "b"), ("tie", "tie"), ("tie (bothbad)", "both_bad"), ("both_bad", "both_bad"),
        ("bothbad_vote", "both_bad"), ("tie (both bad)", "both_bad"), ("Model_A", "a"), (" tie ", "tie"), ("left", "a"),
    ],
)  # fmt: skip
def test_every_spelling_of_a_verdict_is_in_a_table(tmp_path: Path, word: str, verdict: str) -> None:
    votes = _read(tmp_path, [_battle(1, word)]).votes
    assert votes.select("verdict", "label", "status").row(0) == (verdict, word, "ok")
    assert SIDES[word.strip().lower()] == verdict


@pytest.mark.parametrize("word", ["error", "model_c", "TIE!", 1, ["tie"], "ties"])
def test_an_unknown_word_is_an_error_naming_the_row_and_never_a_tie(tmp_path: Path, word: Any) -> None:
    with pytest.raises(InputError, match=r"field 'winner'.*is no verdict \(record 2\).*Known: .*both_bad"):
        _read(tmp_path, [_battle(1, "tie"), _battle(2, word)])


def test_no_winner_is_unparsed_and_no_tie(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [_battle(1, None), _battle(2, ""), _battle(3, "tie")])
    assert evidence.votes.select("verdict", "status").rows() == [(None, "unparsed")] * 2 + [("tie", "ok")]
    assert "2 of 3 votes could not be read" in next(
        note.text for note in evidence.notes if note.code == "unparsed_votes"
    )


def test_who_when_and_on_which_side_is_kept(tmp_path: Path) -> None:
    turns = [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": "Hello."}]
    other = [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": "Go away."}]
    evidence = _read(tmp_path, [_battle(1, "model_a", conversation_a=turns, conversation_b=other)])
    row = evidence.votes.row(0, named=True)
    assert (row["rater"], row["by"], row["shown_first"]) == ("arena_user_1", "person", "a")
    assert row["at"] == "2023-11-14T22:13:21+00:00"
    assert evidence.items["segment.language"].to_list() == ["English"]
    assert evidence.texts is not None
    assert evidence.texts.inputs("arena", row["item"]) == "Hi?"
    assert evidence.texts.response("y", "arena", row["item"], 1) == "Go away."


def test_votes_with_the_names_in_sight_are_left_out_and_counted(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [_battle(1, "model_a"), _battle(2, "model_b", anony=False)])
    assert evidence.votes.height == 1
    assert "1 votes were given with the systems' names in sight" in str(
        [note.text for note in evidence.notes]
    )
    with pytest.raises(InputError, match="holds no blind vote"):
        _read(tmp_path, [_battle(2, "model_b", anony=False)])


def test_battles_without_an_id_are_told_apart_by_what_they_say(tmp_path: Path) -> None:
    records = [_battle(number, "tie") for number in (1, 2)]
    for record in records:
        del record["question_id"]
    evidence = _read(tmp_path, [*records, records[0]])
    assert evidence.votes["item"].n_unique() == 2
    assert evidence.votes["repeat"].to_list() == [1, 1, 2]
    assert describe(evidence).item_key == "hash of the vote, which has no id"


def test_one_hot_winners_of_the_55k_release(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"
    head = "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
    cells = 'x,y,"[""Q""]","[""A""]","[""B""]"'
    path.write_text(head + f"1,{cells},1,0,0\n2,{cells},0,1,0\n3,{cells},0,0,1\n4,{cells},0,0,0\n")
    assert find_reader(path).name == "arena"
    votes = read_one(path).votes
    assert votes["verdict"].to_list() == ["a", "b", "tie", None]
    path.write_text(head + f"1,{cells},1,1,0\n")
    with pytest.raises(InputError, match=r"has two winners \(row 1 \(line 2\)\)"):
        read_one(path)
    path.write_text(head + f"1,{cells},yes,0,0\n")
    with pytest.raises(InputError, match="'yes' is no 0 or 1"):
        read_one(path)


@pytest.mark.parametrize("ending", ["jsonl", "parquet", "csv"])
def test_sessions_of_the_140k_release_are_clusters(tmp_path: Path, ending: str) -> None:
    rows = [
        {
            "id": f"v{number}", "model_a": "x", "model_b": "y", "winner": word,
            "evaluation_session_id": f"s{number // 2}", "evaluation_order": 1, "language": "en",
            "is_code": number == 1, "timestamp": 1_700_000_000.5,
        }
        for number, word in enumerate(["model_a", "both_bad", "tie"])
    ]  # fmt: skip
    path = tmp_path / f"votes.{ending}"
    if ending == "parquet":
        pl.DataFrame(rows).write_parquet(path)
    elif ending == "csv":
        pl.DataFrame(rows).write_csv(path)
    else:
        path.write_text("\n".join(map(json.dumps, rows)))
    assert find_reader(path).name == "arena"
    evidence = read_one(path)
    assert evidence.votes["verdict"].to_list() == ["a", "both_bad", "tie"]
    assert evidence.votes["session"].to_list() == evidence.items["cluster"].to_list() == ["s0", "s0", "s1"]
    assert evidence.items["segment.is_code"].to_list() == ["false", "true", "false"]


def test_people_and_judges_on_mt_bench_are_told_apart(tmp_path: Path) -> None:
    rows = [
        {"question_id": 81, "model_a": "x", "model_b": "y", "winner": "tie", "judge": judge, "turn": 2}
        for judge in ("expert_0", "author_1", ["gpt-4", "pair-v2"])
    ]
    evidence = _read(tmp_path, rows, "human.jsonl")
    assert evidence.votes.select("rater", "by").rows() == [
        ("expert_0", "person"), ("author_1", "person"), ("gpt-4", "judge"),
    ]  # fmt: skip
    assert evidence.items.select("task", "item", "cluster").rows() == [("mt-bench", "81 turn 2", "81")]
    assert evidence.votes["shown_first"].null_count() == 3
    with pytest.raises(InputError, match="mixes votes on MT-bench questions with others"):
        _read(tmp_path, [rows[0], _battle(1, "tie")])


def test_two_files_of_votes_on_the_same_systems_are_one(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(json.dumps([_battle(1, "model_a")]))
    two.write_text(json.dumps([_battle(2, "model_b")]))
    assert read_evidence([one, two, one]).votes["verdict"].to_list() == ["a", "b"]


def test_votes_are_no_scores_and_that_is_said(tmp_path: Path) -> None:
    _read(tmp_path, [_battle(1, "model_a")])
    path = tmp_path / "clean_battle.json"
    for verb in (compare, summarize):
        with pytest.raises((InputError, UsageError), match="votes between systems, and no score"):
            verb(path)


def test_the_shared_battles_keep_every_count() -> None:
    path = shared("logs", "fastchat", "SYNTHETIC_clean_battle.json")
    rows = [row for row in json.loads(path.read_text()) if row["anony"]]
    found = Counter(read_one(path).votes["label"])
    assert found == Counter(row["winner"] for row in rows)
    crowd = shared("data", "llmfao_votes", "crowd-comparisons.csv")
    known = Counter(row["winner"] for row in csv.DictReader(crowd.read_text().splitlines()))
    votes = read_one(crowd).votes
    assert Counter(votes["verdict"]) == {"a": known["left"], "b": known["right"], "tie": known["tie"]}
    assert votes["rater"].n_unique() == 124


@pytest.mark.parametrize(
    ("name", "votes"),
    [
        ("SYNTHETIC_140k_schema.jsonl", 1200),
        ("SYNTHETIC_kaggle55k_schema.csv", 800),
        ("SYNTHETIC_clean_battle.json", 2695),
    ],
)
def test_every_shared_file_reads(name: str, votes: int) -> None:
    assert read_one(shared("logs", "fastchat", name)).votes.height == votes


@MUTATED
@given(data=st.data(), junk=JUNK)
def test_any_value_in_any_place_gives_evidence_or_one_error(tmp_path: Path, data: Any, junk: Any) -> None:
    turns = [{"role": "user", "content": "Hi?"}]
    records = copy.deepcopy([_battle(1, "tie"), _battle(2, "model_a", conversation_a=turns)])
    path = tmp_path / "a.json"
    path.write_text(json.dumps(replaced(records, data.draw(st.sampled_from(places(records))), junk)))
    ends_well(path, reader="arena")


@MUTATED
@given(
    name=st.sampled_from(
        ["SYNTHETIC_140k_schema.jsonl", "SYNTHETIC_kaggle55k_schema.csv", "SYNTHETIC_clean_battle.json"]
    ),
    edits=EDITS,
)
def test_mutated_files_give_evidence_or_one_error(tmp_path: Path, name: str, edits: Any) -> None:
    source = FOLDER / "logs" / "fastchat" / name
    if not source.exists():
        pytest.skip(f"../shared/logs/fastchat/{name} is not on this machine")
    path = tmp_path / name
    path.write_bytes(edited(source.read_bytes(), edits))
    ends_well(path, reader="arena")
