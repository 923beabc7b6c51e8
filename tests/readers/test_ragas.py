from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.errors import InputError, UsageError
from aliquot.evidence.contents import headline_metric, systems
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions
from aliquot.readers.ragas import RagasReader
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.readers.mutations import JUNK, ends_well, places
from tests.shared import FOLDER, shared


def _row(number: int, **more: Any) -> dict[str, Any]:
    asked = {"user_input": f"What is {number}?", "retrieved_contexts": [f"it's {number}", 'a "fact"']}
    said = {"response": f"{number}", "reference": f"{number}"}
    return asked | said | {"faithfulness": 0.5, "exact_match": float(number % 2)} | more


def _csv(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Write rows as pandas does: lists as Python shows them, NaN as nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({key: "" if value is None else value for key, value in row.items()} for row in rows)
    return path


def _json(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document))
    return path


def _notes(evidence: Evidence) -> dict[str, str]:
    return {note.code: note.text for note in evidence.notes}


def test_one_table_reads_alike_in_every_form(tmp_path: Path) -> None:
    rows = [_row(0), _row(1, faithfulness=None)]
    lines = tmp_path / "m.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)))
    by_column = {name: {str(k): row[name] for k, row in enumerate(rows)} for name in rows[0]}
    paths = [
        _csv(tmp_path / "m.csv", rows),
        lines,
        _json(tmp_path / "m.json", rows),
        _json(tmp_path / "n.json", by_column),
    ]
    first = read_one(paths[0])
    for path in paths:
        assert find_reader(path).name == "ragas", path
        evidence = read_one(path, ReadOptions(name="m"))
        assert evidence.items.equals(first.items)
        assert evidence.outcomes.equals(first.outcomes)
    assert first.outcomes.select("metric", "value", "status", "by").rows() == [
        ("faithfulness", 0.5, "ok", "judge"),
        ("faithfulness", None, "missing", "judge"),
        ("exact_match", 0.0, "ok", "rule"),
        ("exact_match", 1.0, "ok", "rule"),
    ]
    assert dict(first.metrics.select("metric", "judge").rows()) == {
        "faithfulness": "a model, not named in the log",
        "exact_match": None,
    }
    assert "1 of 2 rows have no faithfulness: unmeasured, not 0" in _notes(first)["unmeasured"]
    item = first.items["item"][0]
    assert first.texts is not None
    assert first.texts.inputs("ragas", item) == "What is 0?"
    assert (first.texts.reference("ragas", item), first.texts.response("m", "ragas", item, 1)) == ("0", "0")


def test_tables_of_before_0_2_are_known_by_one_of_its_metrics(tmp_path: Path) -> None:
    old = {"question": "Why?", "contexts": ["so"], "answer": "So.", "ground_truth": "So."}
    known = _csv(tmp_path / "a.csv", [old | {"answer_relevancy": 0.25}])
    assert find_reader(known).name == "ragas"
    evidence = read_one(known)
    assert evidence.outcomes["value"].to_list() == [0.25]
    assert evidence.texts is not None
    assert evidence.texts.reference("ragas", evidence.items["item"][0]) == "So."
    assert find_reader(_csv(tmp_path / "b.csv", [old | {"id": 1, "score": 1}])).name == "table"
    assert (
        find_reader(
            _csv(
                tmp_path / "c.csv",
                [{"system": "a", "item": 1, "value": 1, "user_input": "x", "response": "y"}],
            )
        ).name
        == "table"
    )


def test_lists_in_cells_are_read_without_evaluating_them(tmp_path: Path) -> None:
    talk = [{"content": "It's 2+2?", "type": "human"}, {"content": "4\n", "type": "ai"}]
    other = [talk[0], {"content": "5", "type": "ai"}]
    paths = [_csv(tmp_path / f"{name}.csv", [{"user_input": said, "reference": "4", "coherence": 1.0}])
             for name, said in (("a", talk), ("b", other))]  # fmt: skip
    a, b = map(read_one, paths)
    assert a.items["item"].to_list() == b.items["item"].to_list()  # the question is the person's part
    assert a.texts is not None
    assert a.texts.response("a", "ragas", a.items["item"][0], 1) == "human: It's 2+2?\n\nai: 4\n"
    harmful = _csv(tmp_path / "c.csv", [_row(0, user_input="[__import__('os').getcwd()]")])
    harmless = read_one(harmful)
    assert harmless.texts is not None
    assert harmless.texts.inputs("ragas", harmless.items["item"][0]) == "[__import__('os').getcwd()]"


def test_copies_are_items_and_even_repeats_attempts(tmp_path: Path) -> None:
    even = read_one(_csv(tmp_path / "a.csv", [_row(0), _row(1), _row(0), _row(1)]))
    assert (even.items.height, even.responses["attempt"].to_list()) == (2, [1, 1, 2, 2])
    copies = read_one(_csv(tmp_path / "b.csv", [_row(0), _row(1), _row(0)]))
    assert copies.items["item"].to_list()[2] == f"{copies.items['item'][0]}#2"
    assert "copies" in _notes(copies)
    cases = [_row(0, case="x", group="g"), _row(1, case="y", group="g"), _row(0, case="x", group="g")]
    path = _csv(tmp_path / "c.csv", cases)
    named = read_one(path, ReadOptions(item="case", cluster="group"))
    assert named.items.select("item", "cluster").rows() == [("x", "g"), ("y", "g")]
    assert named.responses["attempt"].to_list() == [1, 1, 2]
    with pytest.raises(UsageError, match=r"there is no column 'cas'\. Did you mean 'case'"):
        read_one(path, ReadOptions(item="cas"))
    with pytest.raises(
        InputError, match="row 2, field 'group': the id 'g' stands for rows that ask different things"
    ):
        read_one(path, ReadOptions(item="group"))


def test_an_empty_answer_failed(tmp_path: Path) -> None:
    evidence = read_one(_csv(tmp_path / "a.csv", [_row(0, response=None), _row(1)]))
    assert evidence.responses["status"].to_list() == ["failed", "ok"]


def test_a_metric_without_any_value_is_there(tmp_path: Path) -> None:
    evidence = read_one(
        _csv(tmp_path / "a.csv", [_row(k, context_recall=None, note=None, reason="so") for k in range(2)])
    )
    assert evidence.metrics["metric"].to_list() == ["faithfulness", "exact_match", "context_recall"]
    assert _notes(evidence)["columns_left_out"].endswith(": note, reason")


def test_scores_without_questions_pair_with_no_other_file(tmp_path: Path) -> None:
    scores = [{"faithfulness": 1.0, "exact_match": float("nan")}, {"faithfulness": 0.5, "exact_match": 1.0}]
    paths = [_json(tmp_path / f"{name}.scores.json", scores) for name in "ab"]  # bare NaN, as json writes it
    a, b = map(read_one, paths)
    assert find_reader(paths[0]).name == "ragas"
    assert systems(a) == ("a",)
    assert not set(a.items["item"]) & set(b.items["item"])
    assert "1 values are NaN" in _notes(a)["not_a_number"]
    assert "cannot be paired" in _notes(a)["no_questions"]


def test_an_experiments_folder_holds_a_system_a_file(tmp_path: Path) -> None:
    asked = [{"question": "What?", "expected": 15}, {"question": "Who?", "expected": 10}]
    _csv(tmp_path / "datasets" / "sums.csv", asked)
    for name, verdicts in (("base", ("pass", "fail")), ("new", ("pass", "pass"))):
        rows = [row | {"got": f"{name} {k}", "verdict": verdicts[k]} for k, row in enumerate(asked)]
        _csv(tmp_path / "experiments" / f"{name}.csv", rows)
    assert find_reader(tmp_path).name == "ragas"
    evidence = read_one(tmp_path)
    assert systems(evidence) == ("base", "new")
    assert (evidence.items.height, headline_metric(evidence, "ragas")) == (2, "verdict")
    assert evidence.outcomes["value"].to_list() == [1.0, 0.0, 1.0, 1.0]
    assert compare(tmp_path).n_items == 2
    with pytest.raises(UsageError, match=r"holds 2 systems \(base, new\)"):
        read_one(tmp_path, ReadOptions(name="mine"))
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="holds no experiment of RAGAS"):
        RagasReader().read(tmp_path / "none", ReadOptions())


def _verdict(
    question: str, answer: str, output: Any, *, accepted: bool | None = None, **more: Any
) -> dict[str, Any]:
    known = {
        "metric_input": {"user_input": question, "response": answer},
        "metric_output": output,
        "prompts": {},
    }
    return known | ({} if accepted is None else {"is_accepted": accepted}) | more


def test_annotations_are_the_word_of_a_person_beside_the_judges(tmp_path: Path) -> None:
    edited = {
        "prompts": {
            "p": {"prompt_input": {}, "prompt_output": {"verdict": 0}, "edited_output": {"verdict": 1}}
        }
    }
    samples = [
        _verdict("a", "x", 1, accepted=True),
        _verdict("a", "y", 1, accepted=False),
        _verdict("a", "y", 0, accepted=False),
        _verdict("b", "x", 0, accepted=False, **edited),
        _verdict("b", "y", 0.5, accepted=False),
        _verdict("b", "z", 0.5, accepted=False, target=0.75),
    ]
    path = _json(tmp_path / "notes.json", {"helpful": samples})
    assert find_reader(path).name == "ragas"
    evidence = read_one(path)
    rows = evidence.outcomes.select("attempt", "repeat", "metric", "by", "value", "label").rows()
    people = [row for row in rows if row[3] == "person"]
    assert people == [
        (1, 1, "human: helpful", "person", 1.0, "accepted"),
        (2, 1, "human: helpful", "person", 0.0, "rejected"),
        (2, 2, "human: helpful", "person", 1.0, "rejected"),
        (1, 1, "human: helpful", "person", 1.0, "rejected"),
        (2, 1, "human: helpful", "person", None, "rejected"),
        (3, 1, "human: helpful", "person", 0.75, "rejected"),
    ]
    assert [row[4] for row in rows if row[3] == "judge"] == [1.0, 1.0, 0.0, 0.0, 0.5, 0.5]
    assert headline_metric(evidence, "ragas") == "helpful"
    assert "1 rejected verdicts" in _notes(evidence)["labels_unknown"]


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"m": []}, "holds no annotated verdict"),
        ({"m": [{"metric_input": 1}]}, "is no file of RAGAS's annotations: Expected `object`, got `int`"),
        ([], "holds no rows of RAGAS"),
        ("x", "holds no rows of RAGAS"),
        ([{"user_input": "a", "response": "b", "metric": 1}, 2], "holds no rows of RAGAS"),
    ],
)
def test_what_is_not_ragas_is_one_clear_line(tmp_path: Path, document: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        RagasReader().read(_json(tmp_path / "a.json", document), ReadOptions())


def test_the_shared_tables_read_and_their_means_are_ragass() -> None:
    """RAGAS 0.4.3 printed .7584 for this run, over the 17 items its judge did not lose."""
    folder = shared("logs", "ragas")
    for name in ("ragas_model-a.csv", "ragas_model-a.jsonl", "ragas_model-a.scores.json"):
        assert find_reader(folder / name).name == "ragas"
        evidence = read_one(folder / name)
        frame = units(evidence, "ragas_model-a", task="ragas", metric="flaky_judge").frame
        assert (frame.height, frame["mean"].null_count()) == (20, 3)
        assert frame["mean"].mean() == pytest.approx(0.7584, abs=5e-5)
    found = compare(folder / "ragas_model-a.csv", folder / "ragas_model-a.jsonl", metric="flaky_judge")
    assert found.n_items == 17
    assert getattr(found.difference, "point", None) == pytest.approx(
        0.0, abs=1e-10
    )  # pandas' JSON has ten digits


def test_the_shared_annotations_are_accepted_or_turned_round() -> None:
    """Counted in the files: of 21 verdicts on helpfulness 5 were rejected, of 19 on summaries 9."""
    folder = shared("logs", "ragas")
    for name, verdicts, rejected in (("annotated_data", 21, 5), ("sample_annotated_summary", 19, 9)):
        outcomes = read_one(folder / f"{name}.json").outcomes
        judge, people = (outcomes.filter(pl.col("by") == by)["value"] for by in ("judge", "person"))
        assert (len(judge), len(people), (judge != people).sum()) == (verdicts, verdicts, rejected)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), junk=JUNK, ending=st.sampled_from([".json", ".jsonl", ".csv", "annotations"]))
def test_any_value_in_any_place_gives_evidence_or_one_error(
    tmp_path_factory: Any, data: Any, junk: Any, ending: str
) -> None:
    talk = [{"content": "Hi", "type": "human"}, {"content": "Hello", "type": "ai"}]
    document: Any = [_row(0), _row(1, user_input=talk)]
    if ending == "annotations":
        document = {
            "m": [_verdict("a", "x", 1, accepted=True), _verdict("a", "y", 0, accepted=False, target=1)]
        }
    place = data.draw(st.sampled_from(places(document)[1:]))
    part = document
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = junk
    folder = tmp_path_factory.mktemp("any")
    if ending == ".csv":
        if junk == "\ud800" or not all(
            isinstance(row, dict) and set(row) == set(_row(0)) for row in document
        ):
            return
        ends_well(_csv(folder / "a.csv", document), reader="ragas")
    elif ending == ".jsonl":
        (folder / "a.jsonl").write_text("\n".join(map(json.dumps, document)))
        ends_well(folder / "a.jsonl", reader="ragas")
    else:
        ends_well(_json(folder / "a.json", document), reader="ragas")


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(
        ["ragas_model-a.csv", "ragas_model-a.jsonl", "ragas_model-a.scores.json", "annotated_data.json"]
    ),
    place=st.floats(0, 1), cut=st.integers(0, 60),
    splice=st.sampled_from([b"", b"NaN", b"null", b"{}", b'"', b"[[", b"1e999", b"\xff", b"\n", b'"\\ud800"', b"\x00"]),
)  # fmt: skip
def test_mutated_logs_give_evidence_or_one_clear_line(
    tmp_path_factory: Any, name: str, place: float, cut: int, splice: bytes
) -> None:
    source = FOLDER / "logs" / "ragas" / name
    if not source.exists():
        pytest.skip("../shared/logs/ragas is not on this machine")
    data = source.read_bytes()
    start = int(place * len(data))
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(data[:start] + splice + data[start + cut :])
    ends_well(path, reader="ragas")
