from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError, InputError, UsageError
from aliquot.evidence.contents import systems, tasks
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import read_one


def _read(folder: Path, data: str, *, name: str = "a.csv", **options: object) -> Evidence:
    path = folder / name
    path.write_bytes(data.encode())
    return read_one(path, ReadOptions(**options))  # type: ignore[arg-type]


def _codes(evidence: Evidence) -> list[str]:
    return [note.code for note in evidence.notes]


def test_a_long_table_needs_no_mapping(tmp_path: Path) -> None:
    data = (
        "system,task,item,attempt,metric,value,status,cluster,stratum,weight,segment.topic,cost,latency_s,tokens_out\n"
        "a,t,1,1,success,1,ok,c1,s1,2,law,0.5,1.25,7\n"
        "a,t,1,1,words,12,ok,c1,s1,2,law,0.5,1.25,7\n"
        "a,t,1,2,success,,timeout,c1,s1,2,law,,,\n"
        "b,t,1,1,success,0,refused,c1,s1,2,law,,,\n"
    )
    evidence = _read(tmp_path, data)
    assert (systems(evidence), tasks(evidence)) == (("a", "b"), ("t",))
    assert evidence.items.to_dicts() == [
        {
            "task": "t",
            "item": "1",
            "content": None,
            "cluster": "c1",
            "stratum": "s1",
            "weight": 2.0,
            "segment.topic": "law",
        }
    ]
    assert evidence.responses.select(
        "system", "attempt", "status", "cost", "latency_s", "tokens_out"
    ).rows() == [
        ("a", 1, "ok", 0.5, 1.25, 7),
        ("a", 2, "timeout", None, None, None),
        ("b", 1, "refused", None, None, None),
    ]
    assert evidence.metrics.select("metric", "kind", "on_failure").rows() == [
        ("success", "binary", 0.0),
        ("words", "real", None),
    ]
    # attempt 2 timed out, so it counts as 0: (1 + 0)/2
    assert units(evidence, "a", task="t", metric="success").frame["mean"].to_list() == [0.5]


def test_a_file_without_a_system_is_one_system_named_by_the_file(tmp_path: Path) -> None:
    evidence = _read(tmp_path, "id,correct\nq1,yes\nq2,no\n", name="gpt.csv")
    assert systems(evidence) == ("gpt",)
    assert evidence.outcomes.select("item", "metric", "value").rows() == [
        ("q1", "correct", 1.0),
        ("q2", "correct", 0.0),
    ]
    assert [note.text for note in evidence.notes] == [
        "taken: 'id' as item, 'correct' as value",
        "column 'id'",
    ]
    assert systems(_read(tmp_path, "id,correct\nq1,yes\n", name="gpt.csv")) == ("gpt",)


def test_columns_are_named_by_the_user_and_a_wide_table_has_a_column_a_system(tmp_path: Path) -> None:
    data = "case,alpha,beta,source\n1,1,0,doc\n2,0.5,,doc\n"
    evidence = _read(tmp_path, data, item="case", wide=("alpha", "beta"), cluster="source", metric="f1")
    assert evidence.outcomes.select("system", "item", "metric", "value", "status").rows() == [
        ("alpha", "1", "f1", 1.0, "ok"),
        ("alpha", "2", "f1", 0.5, "ok"),
        ("beta", "1", "f1", 0.0, "ok"),
        ("beta", "2", "f1", None, "missing"),
    ]
    assert evidence.items["cluster"].to_list() == ["doc", "doc"]
    assert evidence.metrics["kind"].to_list() == ["bounded"]


@pytest.mark.parametrize(
    ("data", "options", "problem"),
    [
        (
            "item,score,passed\n1,1,1\n",
            {},
            "'score', 'passed' may each be the column of the value. Name it: --value 'score'",
        ),
        (
            "x,y\n1,1\n",
            {},
            "no column holds the items' ids. Name it: --item-column NAME. The columns are: 'x', 'y'",
        ),
        ("item,y\n1,1\n", {}, "no column holds the values. Name it: --value-column NAME, or --wide"),
        ("item,score\n1,1\n", {"value": "scroe"}, "no column 'scroe'. Did you mean 'score'"),
        ("item,score\n1,4\n", {"kind": "binary"}, "is called binary but holds 4"),
    ],
)
def test_columns_that_cannot_be_told_are_asked_for(
    tmp_path: Path, data: str, options: dict[str, str], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        _read(tmp_path, data, **options)


def test_columns_that_are_not_read_are_named(tmp_path: Path) -> None:
    evidence = _read(tmp_path, "item,value,mood\n1,1,fine\n")
    assert [note.text for note in evidence.notes if note.code == "columns_left_out"] == ["not read: 'mood'"]


def test_the_number_1_and_the_text_1_are_refused_naming_both(tmp_path: Path) -> None:
    data = '{"id": 1, "score": 1}\n{"id": "1", "score": 0}\n{"id": 2, "score": 1}\n'
    with pytest.raises(InputError, match=r'the number 1 \(line 1\) and the text "1" \(line 2\)'):
        _read(tmp_path, data, name="a.jsonl")


def test_numbers_as_ids_become_their_exact_decimal_text(tmp_path: Path) -> None:
    lines = [
        f'{{"id": {number}, "score": 1}}\n' for number in ("7", "0.1", "12345678901234567890123", "1e22")
    ]
    evidence = _read(tmp_path, "".join(lines), name="a.jsonl")
    assert evidence.outcomes["item"].to_list() == [
        "7",
        "0.1",
        "12345678901234567890123",
        "10000000000000000000000",
    ]


def test_the_same_id_with_other_inputs_is_refused_with_both_lines(tmp_path: Path) -> None:
    asked = ('"a", "input": "p"', '"b", "input": "q"', '"a", "input": "r"')
    data = "".join(f'{{"id": {row}, "score": 1}}\n' for row in asked)
    with pytest.raises(
        InputError, match="item 'a' has one inputs or reference in line 1 and another in line 3"
    ):
        _read(tmp_path, data, name="a.jsonl")


def test_an_exact_copy_is_refused_by_default_and_dropped_on_request(tmp_path: Path) -> None:
    data = '{"id": "a", "score": 1}\n{"id": "b", "score": 0}\n{"id": "b", "score": 0}\n'
    with pytest.raises(
        InputError, match=r"item 'b' of 'a' has the same row in line 2 and line 3 .*--duplicates drop"
    ):
        _read(tmp_path, data, name="a.jsonl")
    evidence = _read(tmp_path, data, name="a.jsonl", duplicates="drop")
    assert evidence.outcomes.height == 2
    assert [note.text for note in evidence.notes if note.code == "duplicates_dropped"] == [
        "1 exact copies of rows were dropped"
    ]


def test_an_item_twice_with_other_values_is_an_attempt_only_on_request(tmp_path: Path) -> None:
    data = "item,score\na,1\na,0\n"
    for duplicates in ("error", "drop"):
        with pytest.raises(InputError, match=r"different rows in row 1 \(line 2\) and row 2 \(line 3\)"):
            _read(tmp_path, data, duplicates=duplicates)
    evidence = _read(tmp_path, data, duplicates="attempts")
    assert evidence.outcomes.select("item", "attempt", "value").rows() == [("a", 1, 1.0), ("a", 2, 0.0)]


def test_an_item_in_two_clusters_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"item '1' has one cluster in row 1 .line 2. and another in row 2"):
        _read(tmp_path, "system,item,value,cluster\na,1,1,x\nb,1,1,y\n")


def test_awkward_ids_come_back_byte_for_byte_and_two_spellings_are_noted(tmp_path: Path) -> None:
    ids = ["a/b", "../../etc/x", "C:\\tmp\\x", "con", "日本語", "😀", "\u00e9", "e\u0301", " lead", "tail ", "x" *
    300,
           "50%", "q?a=1#f", "line\nbreak", "NA", "null"]  # fmt: skip
    pl.DataFrame({"id": ids, "score": [1] * len(ids)}).write_ndjson(tmp_path / "a.jsonl")
    pl.DataFrame({"id": ids, "score": [1] * len(ids)}).write_csv(tmp_path / "a.csv")
    for name in ("a.jsonl", "a.csv"):
        evidence = read_one(tmp_path / name)
        assert evidence.outcomes["item"].to_list() == ids
        assert _codes(evidence).count("ids_equal_under_nfc") == 1


def test_truth_in_many_spellings(tmp_path: Path) -> None:
    evidence = _read(tmp_path, "item,passed\na,True\nb,false\nc,1\nd,0\ne,YES\nf,No\ng,\nh,TRUE\n")
    assert evidence.outcomes["value"].to_list() == [1, 0, 1, 0, 1, 0, None, 1]
    frame = units(evidence, "a", task="task", metric="passed").frame
    assert frame["mean"].mean() == pytest.approx(4 / 7, abs=1e-12)  # a, c, e, h of seven with a value
    assert [note.text for note in evidence.notes if note.code == "missing_values"] == [
        "1 of 8 cells of 'passed' hold no value"
    ]


@pytest.mark.parametrize("word", ["maybe", "NA", "None", "1_000", "0x1", "1,5,5"])
def test_any_other_word_is_an_error_with_its_row_unless_it_is_listed(tmp_path: Path, word: str) -> None:
    data = f'item,passed\na,True\nb,"{word}"\n'
    with pytest.raises(
        InputError, match=rf"'{word}' is no value \(row 2 \(line 3\)\)\. .*--missing '{word}'"
    ):
        _read(tmp_path, data)
    assert _read(tmp_path, data, missing=(word,)).outcomes["value"].to_list() == [1.0, None]


def test_a_decimal_comma_is_recognised_or_asked_for(tmp_path: Path) -> None:
    assert _read(tmp_path, "item;score\na;0,5\nb;1\n").outcomes["value"].to_list() == [0.5, 1.0]
    assert _read(tmp_path, 'item,score\na,"0,125"\nb,1\n').outcomes["value"].to_list() == [0.125, 1.0]
    thousands = 'item,score\na,"1,234"\nb,1\n'
    with pytest.raises(InputError, match="'1,234' may be a decimal or thousands"):
        _read(tmp_path, thousands)
    assert _read(tmp_path, thousands, decimal=",").outcomes["value"].to_list() == [1.234, 1.0]


def test_half_a_last_line_is_reported_and_its_item_is_not_wrong(tmp_path: Path) -> None:
    data = '{"id": "s0", "epoch": 0, "score": 0}\n{"id": "s1", "epoch": 0, "score": 1}\n{"id": "s2", "epoch": 0, "sco'
    evidence = _read(tmp_path, data, name="a.jsonl")
    assert evidence.outcomes["item"].to_list() == ["s0", "s1"]
    assert [note.text for note in evidence.notes if note.code == "torn_line"] == [
        "line 3 is cut off in the middle; it is left out"
    ]


def test_numbers_that_are_none_are_missing_with_a_reason_and_never_0(tmp_path: Path) -> None:
    data = (
        '{"samples": [{"id": "a", "score": 1.0}, {"id": "b", "score": NaN}, {"id": "c", "score": -Infinity},'
        ' {"id": "d", "score": Infinity}, {"id": "e", "score": null}, {"id": "f", "score": 0.0}]}'
    )
    evidence = _read(tmp_path, data, name="log.json")
    assert evidence.outcomes["value"].to_list() == [1.0, None, None, None, None, 0.0]
    frame = units(evidence, "log", task="task", metric="score").frame
    assert (frame["mean"].mean(), frame["k"].sum(), frame["missing"].sum()) == (0.5, 2, 4)
    assert "not_a_number" in _codes(evidence)
    assert _read(tmp_path, "item,score\na,nan\nb,-inf\nc,1\n").outcomes["value"].to_list() == [
        None,
        None,
        1.0,
    ]


def test_a_resumed_run_is_counted_once_and_a_failed_retry_hides_nothing(tmp_path: Path) -> None:
    tries = [("a", 0, 1, "ok", 1), ("b", 0, 1, "error", None), ("c", 0, 1, "ok", 0),
             ("b", 0, 2, "ok", 1), ("c", 0, 2, "error", None), ("a", 1, 1, "ok", 1)]  # fmt: skip
    columns = ["id", "epoch", "attempt", "status", "score"]
    pl.DataFrame(tries, schema=columns, orient="row").write_ndjson(tmp_path / "a.jsonl")
    evidence = read_one(tmp_path / "a.jsonl")
    rows = sorted(evidence.outcomes.select("item", "attempt", "value").rows())
    assert rows == [("a", 0, 1.0), ("a", 1, 1.0), ("b", 0, 1.0), ("c", 0, 0.0)]
    assert [value for _, attempt, value in rows if attempt == 0] == [1.0, 1.0, 0.0]  # mean 2/3
    assert [note.text for note in evidence.notes if note.code == "tries"] == [
        "2 of 6 rows are other tries of the same attempt; the last complete one counts"
    ]


def test_items_without_ids_are_named_by_what_they_ask(tmp_path: Path) -> None:
    one = _read(tmp_path, "question,expected,score\n2+2,4,1\n3+3,6,0\n")
    two = _read(tmp_path, "score,expected,question\n1,6,3+3\n1,4,2+2\n", name="b.csv")
    assert sorted(one.items["item"]) == sorted(two.items["item"])
    assert one.texts is not None
    assert one.texts.inputs("task", one.items["item"][0]) == "2+2"
    assert "hash of 'question' and the reference" in [note.text for note in one.notes]


def test_an_attempt_without_a_status_is_ok_when_any_metric_has_a_value(tmp_path: Path) -> None:
    rows = ["q,m,1", "q,n,", "p,m,", "p,n,0", "r,m,", "r,n,"]
    for order in (rows, rows[::-1]):
        evidence = _read(tmp_path, "\n".join(["item,metric,value", *order]))
        assert evidence.responses.sort("item").select("item", "status").rows() == [
            ("p", "ok"),
            ("q", "ok"),
            ("r", "missing"),
        ]


def test_an_unknown_status_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no status 'weird' \(row 1 \(line 2\)\). Known: ok, unparsed"):
        _read(tmp_path, "item,value,status\na,1,weird\n")


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no rows"):
        _read(tmp_path, "item,value\n")


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.lists(
            st.sampled_from(["", "1", "0", "yes", "NaN", "x", "0,5", '"', "é", "-1e9", "9" * 400]),
            min_size=3,
            max_size=3,
        ),
        max_size=5,
    )
)
def test_any_cells_give_evidence_or_one_clear_error(tmp_path_factory, rows: list[list[str]]) -> None:
    folder = tmp_path_factory.mktemp("any")
    values = pl.Series([0.0])
    said = ""
    try:
        data = "item;value;attempt\n" + "".join(";".join(row) + "\n" for row in rows)
        values = _read(folder, data).outcomes["value"].drop_nulls()
    except AliquotError as error:
        said = str(error)
    assert values.is_finite().all()
    assert "\n" not in said
