from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.registry import find_reader, read_one
from aliquot.stats.results import Estimate
from aliquot.verbs.compare import compare
from tests.readers.mutations import JUNK, MUTATED, ends_well, places, replaced


def _judgment(uid: str, first: Any, second: Any, *, model: str = "mine", **more: Any) -> dict[str, Any]:
    games = [{"score": score, "judgment": "..", "prompt": []} for score in (first, second)]
    return {
        "uid": uid,
        "category": "hard",
        "judge": "gpt-4.1",
        "model": model,
        "baseline": "base",
        "games": games,
        **more,
    }


def _read(folder: Path, records: list[Any], name: str = "mine.jsonl") -> Evidence:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, records)))
    assert find_reader(path).name == "arena-hard"
    return read_one(path)


def test_the_second_game_is_played_with_the_sides_swapped(tmp_path: Path) -> None:
    """Game 1: A is the baseline; game 2: A is the model, so that A>B there is the model's win."""
    evidence = _read(
        tmp_path,
        [_judgment("u1", "A>B", "A>B"), _judgment("u2", "B>>A", "A>>B"), _judgment("u3", "A=B", None)],
    )
    assert evidence.votes.select("item", "repeat", "verdict", "shown_first", "label", "status").rows() == [
        ("u1", 1, "a", "a", "A>B", "ok"), ("u1", 2, "b", "b", "A>B", "ok"), ("u2", 1, "b", "a", "B>>A", "ok"),
        ("u2", 2, "b", "b", "A>>B", "ok"), ("u3", 1, "tie", "a", "A=B", "ok"), ("u3", 2, None, "b", None, "unparsed"),
    ]  # fmt: skip
    frame = units(evidence, "mine", task="arena-hard", metric="win over base").frame
    assert frame["mean"].to_list() == [0.5, 1.0, 0.5]  # (0 + 1)/2, (1 + 1)/2, the one game that was read
    assert "2 of 6 verdicts are strong" in next(
        note.text for note in evidence.notes if note.code == "strong_verdicts"
    )


@pytest.mark.parametrize("word", ["A", "tie", "A>>>B", 1, "model_a"])
def test_an_unknown_word_is_an_error_naming_the_row(tmp_path: Path, word: Any) -> None:
    with pytest.raises(InputError, match=r"is no verdict \(line 2\).*a<<b"):
        _read(tmp_path, [_judgment("u1", "A>B", "A>B"), _judgment("u2", "A>B", word)])


def test_files_of_the_first_version_name_questions(tmp_path: Path) -> None:
    old = _judgment("", "A>B", "B>A", question_id="q1")
    assert _read(tmp_path, [old, old | {"question_id": "q2"}]).items["item"].to_list() == ["q1", "q2"]
    with pytest.raises(InputError, match=r"has no id \(line 2\)"):
        _read(tmp_path, [old, _judgment("", "A>B", "A>B")])


def test_two_models_against_one_baseline_compare_with_only_their_paths(tmp_path: Path) -> None:
    _read(tmp_path, [_judgment(f"u{k}", "A>B", "B>A") for k in range(8)], "one.jsonl")
    _read(tmp_path, [_judgment(f"u{k}", "B>A", "A>B", model="new") for k in range(8)], "two.jsonl")
    found = compare(tmp_path / "one.jsonl", tmp_path / "two.jsonl")
    assert isinstance(found.difference, Estimate)
    assert (found.difference.point, found.n_items) == (1.0, 8)


@MUTATED
@given(data=st.data(), junk=JUNK)
def test_any_value_in_any_place_gives_evidence_or_one_error(tmp_path: Path, data: Any, junk: Any) -> None:
    records = copy.deepcopy([_judgment("u1", "A>B", "A>B"), _judgment("u2", "A=B", None)])
    path = tmp_path / "a.json"
    path.write_text(json.dumps(replaced(records, data.draw(st.sampled_from(places(records))), junk)))
    ends_well(path, reader="arena-hard")
