from __future__ import annotations

import copy
import json
from pathlib import Path
from statistics import fmean
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.registry import find_reader, read_one
from tests.readers.mutations import EDITS, JUNK, MUTATED, edited, ends_well, places, replaced
from tests.shared import FOLDER, shared


def _single(question: int, score: Any, turn: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "question_id": question, "model": "x", "judge": ["gpt-4", "single-v1"], "user_prompt": "..", "judgment": "..",
        "score": score, "turn": turn, "tstamp": 1_700_000_000, **more,
    }  # fmt: skip


def _pair(question: int, first: Any, second: Any, turn: int = 1) -> dict[str, Any]:
    return {
        "question_id": question, "model_1": "x", "model_2": "y", "g1_winner": first, "g2_winner": second,
        "judge": ["gpt-4", "pair-v2"], "turn": turn, "tstamp": 1_700_000_000,
    }  # fmt: skip


def _read(folder: Path, records: list[Any]) -> Evidence:
    path = folder / "gpt-4.jsonl"
    path.write_text("\n".join(map(json.dumps, records)))
    assert find_reader(path).name == "mt-bench"
    return read_one(path)


def test_a_score_is_an_outcome_by_the_judge_and_the_question_its_cluster(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [_single(81, 7), _single(81, 8.5, turn=2), _single(82, 10)])
    assert evidence.outcomes.select("item", "value", "by", "scorer").rows() == [
        ("81 turn 1", 7.0, "judge", "gpt-4"), ("81 turn 2", 8.5, "judge", "gpt-4"),
        ("82 turn 1", 10.0, "judge", "gpt-4"),
    ]  # fmt: skip
    assert evidence.items["cluster"].to_list() == ["81", "81", "82"]
    assert evidence.metrics.select("kind", "low", "high", "judge").row(0) == ("bounded", 1.0, 10.0, "gpt-4")


def test_minus_one_and_null_are_unparsed_and_other_numbers_are_off_the_scale(tmp_path: Path) -> None:
    evidence = _read(
        tmp_path, [_single(1, -1), _single(2, None), _single(3, 0), _single(4, 11), _single(5, 1)]
    )
    assert evidence.outcomes["value"].to_list() == [None, None, None, None, 1.0]
    assert evidence.outcomes["status"].to_list() == ["unparsed"] * 4 + ["ok"]
    assert evidence.outcomes["label"].to_list() == ["-1.0", "None", "0.0", "11.0", None]
    said = {note.code: note.text for note in evidence.notes}
    assert said["unparsed_scores"].startswith("2 ratings")
    assert said["off_scale"].startswith("2 ratings")


def test_a_rating_given_again_is_a_repeat_of_the_judge(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [_single(1, 4), _single(1, 8)])
    assert units(evidence, "x", task="mt-bench", metric="score").frame["mean"].to_list() == [6.0]


def test_games_are_votes_in_the_order_they_were_shown(tmp_path: Path) -> None:
    evidence = _read(
        tmp_path, [_pair(81, "model_1", "model_2"), _pair(82, "tie", "error"), _pair(83, None, "tie")]
    )
    assert evidence.votes.select("verdict", "shown_first", "status").rows() == [
        ("a", "a", "ok"), ("b", "b", "ok"), ("tie", "a", "ok"), (None, "b", "unparsed"), (None, "a", "unparsed"),
        ("tie", "b", "ok"),
    ]  # fmt: skip
    with pytest.raises(
        InputError, match=r"field 'g2_winner': 'model_3' is no verdict \(line 2\).*Known: error, model_1"
    ):
        _read(tmp_path, [_pair(81, "tie", "tie"), _pair(82, "tie", "model_3")])


def test_the_means_of_show_result_are_reproduced() -> None:
    """FastChat's show_result: the mean of all ratings of a model but -1, by turn and over both."""
    path = shared("logs", "fastchat", "SYNTHETIC_gpt-4_single.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    evidence = read_one(path)
    for model in ("model-a", "model-b"):
        frame = units(evidence, model, task="mt-bench", metric="score").frame
        for turn in ("1", "2", None):
            kept = [
                row["score"]
                for row in rows
                if row["model"] == model and row["score"] != -1 and turn in (None, str(row["turn"]))
            ]
            ours = frame if turn is None else frame.filter(frame["segment.turn"] == turn)
            assert ours["mean"].mean() == pytest.approx(fmean(kept), rel=1e-12)


def test_the_shared_games_agree_with_a_count_by_hand() -> None:
    """FastChat calls a pair a win only when both orders agree; that count can be made of the votes."""
    path = shared("logs", "fastchat", "SYNTHETIC_gpt-4_pair.jsonl")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    consistent = sum(row["g1_winner"] == row["g2_winner"] == "model_1" for row in rows)
    votes = read_one(path).votes
    pairs = votes.group_by("item").agg(both=(pl.col("verdict") == "a").fill_null(value=False).all())
    assert votes.height == 2 * len(rows)
    assert pairs["both"].sum() == consistent


@MUTATED
@given(data=st.data(), junk=JUNK, pair=st.booleans())
def test_any_value_in_any_place_gives_evidence_or_one_error(
    tmp_path: Path, data: Any, junk: Any, pair: bool
) -> None:
    records = [_pair(1, "tie", "tie"), _pair(2, "error", "tie")] if pair else [_single(1, 4), _single(2, 5)]
    records = copy.deepcopy(records)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(replaced(records, data.draw(st.sampled_from(places(records))), junk)))
    ends_well(path, reader="mt-bench")


@MUTATED
@given(name=st.sampled_from(["SYNTHETIC_gpt-4_single.jsonl", "SYNTHETIC_gpt-4_pair.jsonl"]), edits=EDITS)
def test_mutated_files_give_evidence_or_one_error(tmp_path: Path, name: str, edits: Any) -> None:
    source = FOLDER / "logs" / "fastchat" / name
    if not source.exists():
        pytest.skip(f"../shared/logs/fastchat/{name} is not on this machine")
    path = tmp_path / name
    path.write_bytes(edited(source.read_bytes(), edits))
    ends_well(path, reader="mt-bench")
