from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError, InputError
from aliquot.evidence.contents import systems
from aliquot.readers.options import ReadOptions
from aliquot.readers.promptfoo import PromptfooReader
from aliquot.readers.registry import find_reader, read_one
from tests.readers.promptfoo_samples import database, error_row, export, row, version_2, write

CSV_HEAD = (
    'Description,a,"[model-a] What is {{a}}?",Status,Score,Named Scores,Metric: right,Grader Reason,Comment'
)


def test_version_2_is_read_from_its_table_and_its_sums_become_means(tmp_path: Path) -> None:
    evidence = read_one(write(tmp_path, version_2()))
    assert evidence.sources[0].version == "v2"
    assert systems(evidence) == ("arith",)
    assert sorted(evidence.responses.select("attempt", "status").rows()) == [
        (1, "error"), (1, "ok"), (2, "error"), (2, "ok"),
    ]  # fmt: skip
    right = evidence.outcomes.filter(pl.col("metric") == "right")["value"].to_list()
    assert right == [1.0, 1.0]  # the log says 2: the sum of two assertions
    success = evidence.outcomes.filter(pl.col("metric") == "success")["value"].to_list()
    assert success == [1.0, 1.0, None, None]
    assert evidence.items["cluster"].to_list() == ["c0", None]
    assert evidence.responses["cached"].sum() == 1  # only the list of results says it


def test_version_2_without_its_table_says_what_is_lost(tmp_path: Path) -> None:
    document = version_2()
    del document["results"]["table"]
    evidence = read_one(write(tmp_path, document))
    assert evidence.responses.height == 2
    assert "this export has no table, so items are known by their variables alone" in [
        n.text for n in evidence.notes
    ]


def test_a_test_is_the_same_item_in_version_2_and_3(tmp_path: Path) -> None:
    old = read_one(write(tmp_path, version_2()))
    case = {"vars": {"a": "4"}, "assert": [{"type": "equals", "value": "4"}]}
    new = read_one(write(tmp_path, export([row(0, test_case=case) | {"vars": {"a": "4"}}]), "new.json"))
    assert new.items["item"][0] in set(old.items["item"])


def test_the_librarys_dump_without_results_names_the_way_out(tmp_path: Path) -> None:
    dump = {
        "_resultsLoaded": False,
        "createdAt": 1,
        "id": "eval-xyz-1",
        "config": {},
        "results": [],
        "prompts": [],
    }
    path = write(tmp_path, dump)
    assert find_reader(path).name == "promptfoo"
    with pytest.raises(
        InputError, match=r"without its results.*promptfoo export eval eval-xyz-1 -o results\.json"
    ):
        read_one(path)
    with pytest.raises(InputError, match="export eval ID -o"):
        read_one(write(tmp_path, dump | {"id": "x; rm -rf ~"}))
    assert read_one(write(tmp_path, dump | {"results": [row(0)]})).outcomes.height == 4


def test_a_database_gives_its_newest_evaluation_also_what_is_still_in_its_log(tmp_path: Path) -> None:
    path = database(tmp_path / "promptfoo.db", {"old": [row(0)], "new": [row(0), error_row(1, value=2)]})
    with sqlite3.connect(path) as writer:  # holds the write-ahead log open, as a running promptfoo does
        writer.execute("UPDATE eval_results SET success = 0 WHERE eval_id = 'new' AND test_idx = 0")
        writer.commit()
        evidence = read_one(path)
    writer.close()
    assert evidence.outcomes.filter(pl.col("metric") == "success")["value"].to_list() == [0.0, None]
    assert evidence.responses["status"].to_list() == ["ok", "error"]
    assert "new is the newest of 2 evaluations" in " ".join(note.text for note in evidence.notes)


def test_a_database_holds_version_2_of_evaluations_from_before(tmp_path: Path) -> None:
    path = database(tmp_path / "promptfoo.db", {"old": []})
    with sqlite3.connect(path) as writer:
        writer.execute("UPDATE evals SET results = ?", (json.dumps(version_2()["results"]),))
    writer.close()
    assert read_one(path).sources[0].version == "database, v2"


def test_a_database_that_is_not_promptfoos_or_broken_is_one_error(tmp_path: Path) -> None:
    path = database(tmp_path / "promptfoo.db", {"one": [row(0)]})
    torn = tmp_path / "torn.db"
    torn.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(InputError, match=r"torn\.db"):
        read_one(torn)
    with sqlite3.connect(path) as writer:
        writer.execute("DROP TABLE eval_results")
        writer.execute(
            "CREATE VIEW eval_results AS"
            " WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
        )
    writer.close()
    with pytest.raises(InputError, match="holds no results"):  # a view is no table: it could ask for ever
        read_one(path)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 20_000), st.integers(0, 255)), min_size=1, max_size=40))
def test_a_database_with_wrong_bytes_gives_evidence_or_one_error(
    tmp_path: Path, changes: list[tuple[int, int]]
) -> None:
    whole = tmp_path / "whole.db"
    if not whole.exists():
        database(whole, {"one": [row(0), error_row(1, value=2)]})
    data = bytearray(whole.read_bytes())
    for place, byte in changes:
        data[place % len(data)] = byte
    path = tmp_path / "changed.db"
    path.write_bytes(bytes(data))
    said = ""
    try:
        assert PromptfooReader().read(path, ReadOptions()).outcomes.height > 0
    except AliquotError as error:
        said = str(error)
    assert "\n" not in said


def test_csv_tells_errors_and_says_what_it_lost(tmp_path: Path) -> None:
    lines = [
        CSV_HEAD,
        'one,1,1,PASS,0.63,"{""right"":0.625}",0.63,fine,',
        'two,2,"a\nb",FAIL,0.00,"{""right"":0}",0.00,wrong,',
        "three,3,,ERROR,0.00,,,,",
    ]
    evidence = read_one(write(tmp_path, "\n".join(lines) + "\n", "a.csv"))
    assert systems(evidence) == ("model-a",)
    assert evidence.responses["status"].to_list() == ["ok", "ok", "error"]
    right = evidence.outcomes.filter(pl.col("metric") == "right")["value"].to_list()
    assert right == [0.625, 0.0]  # the JSON keeps what the two decimals lose
    assert any(note.text.startswith("CSV keeps no assertions") for note in evidence.notes)


def test_csv_of_old_versions_has_its_verdict_in_the_cell(tmp_path: Path) -> None:
    head = json.dumps({"raw": "{{a}}?", "display": "{{a}}?", "provider": "arith"}).replace('"', '""')
    head = head.replace(": ", ":").replace(", ", ",")
    lines = [
        f'a,"{head}"',
        '1,"[PASS] (1.00, right: 2.00)\n\n1\n\nReason: All assertions passed"',
        '2,"[FAIL] (0.00)\n\nExpected 2\n---\n3\n\nReason: Expected 2"',
        '3,"[FAIL] (0.00)\n\nprovider refused\n---"',
    ]
    evidence = read_one(write(tmp_path, "\n".join(lines) + "\n", "a.csv"))
    assert evidence.responses.select("status", "reason").rows() == [
        ("ok", None), ("ok", None), ("error", "provider refused"),
    ]  # fmt: skip
    success = evidence.outcomes.filter(pl.col("metric") == "success")["value"].to_list()
    assert success == [1.0, 0.0, None]
    assert evidence.metrics["metric"].to_list() == ["success", "score"]  # named scores are sums there
    key = evidence.responses.select("system", "task", "item", "attempt").row(1)
    assert evidence.texts is not None
    assert evidence.texts.response(*key) == "3"


def test_a_plain_table_with_a_status_column_stays_a_table(tmp_path: Path) -> None:
    path = write(tmp_path, "item,[x] value,Status,score\n1,a,ok,1\n", "a.csv")
    assert find_reader(path).name == "table"


def test_half_a_last_line_is_left_out_and_half_a_character_is_marked(tmp_path: Path) -> None:
    whole = json.dumps(row(0, response={"output": "cut \ud83d"}))
    evidence = read_one(write(tmp_path, f"{whole}\n{json.dumps(row(1, value=2))[:-40]}", "a.jsonl"))
    assert evidence.responses.height == 1
    codes = [note.code for note in evidence.notes]
    assert "torn_line" in codes
    assert "half_characters" in codes
