"""Files of labels: a row a label, a column a rater, logs in which people rated answers, and what cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from aliquot.errors import InputError, UsageError
from aliquot.readers.frame import labels_from
from aliquot.readers.labels import read_labels
from aliquot.readers.options import ReadOptions


def _file(folder: Path, text: str, name: str = "labels.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_row_a_label(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        "item,system,rater,label,labelled_at,rubric,probability\n"
        "1,a,ana,pass,2026-11-01,v1,0.5\n1,a,ben,fail,2026-11-02,v1,0.5\n2,a,ana,pass,2026-11-01,v2,1\n",
    )
    found = read_labels(path)
    assert found.raters == ["ana", "ben"]
    assert found.frame.select("item", "rater", "label", "value", "at", "rubric", "probability").rows()[1] == (
        "1", "ben", "fail", 0.0, "2026-11-02", "v1", 0.5,
    )  # fmt: skip
    assert found.numeric
    assert found.frame["place"][2] == "row 3 (line 4)"


def test_times_are_told_in_one_way_and_what_is_no_date_is_said(tmp_path: Path) -> None:
    times = ("2026-11-30T10:00:00+02:00", "2026-11-30", "11/29/2026", "", "0001-01-01T00:00:00+14:00")
    rows = "".join(f"q{i},ana,pass,{time}\n" for i, time in enumerate(times))
    found = read_labels(_file(tmp_path, "item,rater,label,at\n" + rows))
    assert found.frame["at"].to_list() == ["2026-11-30T08:00:00+00:00", "2026-11-30", None, None, None]
    (said,) = [note.text for note in found.notes if note.code == "no_date"]
    assert said.startswith("2 of 4 dates of labels are read as none, first '0001-01-01T00:00:00+14:00'")


def test_a_column_of_remarks_is_no_rater_unless_it_is_named(tmp_path: Path) -> None:
    remark = "the second half of the answer repeats the question and never gets to the point"
    path = _file(tmp_path, f"item,r1,r2,why\na,good,bad,{remark}\nb,good,good,\n")
    found = read_labels(path)
    assert found.raters == ["r1", "r2"]
    assert any("why" in note.text for note in found.notes)
    assert "why" in read_labels(path, ReadOptions(wide=("r1", "r2", "why"))).raters


def test_a_column_a_rater_needs_no_naming(tmp_path: Path) -> None:
    found = read_labels(_file(tmp_path, "item,r1,r2,note\na,good,bad,why\nb,,good,\n"))
    assert found.raters == ["r1", "r2"]
    assert found.frame.select("item", "rater", "label").rows() == [
        ("a", "r1", "good"), ("a", "r2", "bad"), ("b", "r2", "good"),
    ]  # fmt: skip
    assert not found.numeric


@pytest.mark.parametrize("missing", ["None", "NA"])
def test_texts_that_the_user_names_are_no_labels(tmp_path: Path, missing: str) -> None:
    """Public case 11: an empty cell, None and NA are treated alike."""
    path = _file(tmp_path, f"item,r1,r2,r3\na,2,2,{missing}\nb,2,2,2\nc,3,,3\nd,{missing},1,1\n")
    found = read_labels(path, ReadOptions(missing=(missing,)))
    assert found.frame.height == 9
    assert found.numeric


def test_words_of_yes_and_no_are_values_and_other_words_are_names(tmp_path: Path) -> None:
    found = read_labels(_file(tmp_path, "item,label\n1,Correct\n2,no\n3,2.0\n4,maybe\n"))
    assert found.frame["value"].to_list() == [1.0, 0.0, 2.0, None]


def test_whole_numbers_are_one_label_however_stored(tmp_path: Path) -> None:
    pl.DataFrame({"item": ["1", "2"], "ana": [1.0, None], "ben": [1, 2]}).write_parquet(
        tmp_path / "l.parquet"
    )
    assert read_labels(tmp_path / "l.parquet").frame["label"].to_list() == ["1", "1", "2"]


def test_a_human_column_beside_the_judge_holds_the_labels(tmp_path: Path) -> None:
    found = read_labels(_file(tmp_path, "item,human,judge\n1,1,1\n2,,0\n"))
    assert found.raters == ["people"]
    assert found.frame["label"].to_list() == ["1"]
    assert "judge" in found.notes[0].text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id2,label\n1,1\n", "no column names the item"),
        ("item\n1\n", "no column holds labels"),
        ("item,label\n1,\n", "every label is missing"),
        ("item,label\n,1\n", "row 1 (line 2) has no id"),
        (
            "item,label\n1,1\n1,0\n",
            "people labelled '1' twice: '1' (row 1 (line 2)) and '0' (row 2 (line 3))",
        ),
        ("item,label,attempt\n1,1,x\n", "'x' is no attempt (row 1 (line 2))"),
        ("item,label,attempt\n1,1,0\n", "'0' is no attempt"),
        ("item,label,probability\n1,1,0\n", "'0' is no probability"),
        ("item,label,probability\n1,1,1.5\n", "'1.5' is no probability"),
        ("item,label,probability\n1,1,nan\n", "'nan' is no probability"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        read_labels(_file(tmp_path, text))
    assert said in str(caught.value)


def test_an_unknown_column_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="annotator"):
        read_labels(_file(tmp_path, "item,label,annotator\n1,1,a\n"), ReadOptions(scorer="anotator"))


def test_labels_given_twice_become_repeats_or_one_when_asked(tmp_path: Path) -> None:
    path = _file(tmp_path, "item,rater,label\n1,ana,1\n1,ana,1\n2,ana,0\n")
    assert read_labels(path, ReadOptions(duplicates="attempts")).frame["repeat"].to_list() == [1, 2, 1]
    assert read_labels(path, ReadOptions(duplicates="drop")).frame.height == 2


def test_a_log_gives_what_people_said_in_it(tmp_path: Path) -> None:
    row = {"user_input": "q", "response": "a", "reference": "r"}
    verdicts = [
        {
            "metric_input": {**row, "user_input": f"q{i}"},
            "metric_output": 1,
            "prompts": {},
            "is_accepted": i > 0,
        }
        for i in range(3)
    ]
    path = _file(tmp_path, json.dumps({"correct": verdicts}), "annotations.json")
    found = read_labels(path)
    assert found.questions == ["human: correct"]
    assert sorted(found.frame["value"].to_list()) == [0.0, 1.0, 1.0]


def test_a_log_without_people_is_refused(tmp_path: Path) -> None:
    verdict = {
        "metric_input": {"user_input": "q", "response": "a"},
        "metric_output": 1,
        "prompts": {},
        "is_accepted": None,
    }
    with pytest.raises(InputError, match="nobody labelled"):
        read_labels(_file(tmp_path, json.dumps({"correct": [verdict]}), "annotations.json"))


def test_a_frame_is_read_like_a_file() -> None:
    found = labels_from(pl.DataFrame({"item": ["1"], "rater": ["ana"], "label": [True]}))
    assert found.frame.select("rater", "label", "value").row(0) == ("ana", "true", 1.0)


def test_labels_with_a_decimal_comma_are_numbers(tmp_path: Path) -> None:
    path = _file(tmp_path, "item;ana;ben\n1;1,5;2,5\n2;1;2\n")
    assert read_labels(path).frame["value"].to_list() == [1.5, 1.0, 2.5, 2.0]
    quoted = _file(tmp_path, 'item,rater,label\n1,ana,"0,5"\n1,ben,1\n', "quoted.csv")
    assert read_labels(quoted, ReadOptions(decimal=",")).frame["value"].to_list() == [0.5, 1.0]


def test_a_comma_that_is_no_decimal_mark_makes_a_name(tmp_path: Path) -> None:
    path = _file(tmp_path, 'item,rater,label\n1,ana,"2,5"\n1,ben,"tone, length"\n')
    assert read_labels(path).frame["value"].to_list() == [None, None]
