from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.evidence.contents import systems
from aliquot.evidence.tables import Evidence
from aliquot.readers.mapping import find_mapping
from aliquot.readers.options import ReadOptions
from aliquot.readers.platform_mapping import shipped_mapping, shipped_mappings
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.cli.called import call as aliquot
from tests.readers.mutations import JUNK, MUTATED, ends_well, places, replaced

LANGSMITH = [
    {"inputs.question": "Q1", "outputs.answer": "A", "reference.answer": "R", "feedback.exact": 1,
     "feedback.tone": "good", "error": None, "execution_time": 0.5, "example_id": "e1", "id": "r1"},
    {"inputs.question": "Q2", "outputs.answer": None, "reference.answer": "R", "feedback.exact": None,
     "feedback.tone": None, "error": "TimeoutError()\nat x", "execution_time": 9.0, "example_id": "e2", "id": "r2"},
    {"inputs.question": "Q1", "outputs.answer": "B", "reference.answer": "R", "feedback.exact": 0,
     "feedback.tone": "bad", "error": None, "execution_time": 0.5, "example_id": "e1", "id": "r3"},
]  # fmt: skip

LANGFUSE = {
    "run_name": "main", "item_results": [
        {"item": {"id": "i1", "input": {"q": 1}, "expected_output": "R", "metadata": {"topic": "law"}}, "output": "A",
         "evaluations": [{"name": "exact", "value": True, "data_type": "BOOLEAN"},
                         {"name": "tone", "value": 0.5, "comment": "kind"}], "trace_id": "t1"},
        {"item": {"id": "i2", "input": {"q": 2}, "expected_output": "R", "metadata": {"topic": "law"}}, "output": "B",
         "evaluations": [{"name": "exact", "value": False}, {"name": "verdict", "value": "unclear"}]},
    ],
}  # fmt: skip

BRAINTRUST = [
    {"input": "Q1", "expected": "R", "output": "A", "metadata": {"topic": "law"}, "scores": {"exact": 1, "fuzzy": None},
     "metrics": {"start": 10.0, "end": 12.5, "prompt_tokens": 5, "completion_tokens": 2}, "error": None},
    {"input": "Q2", "expected": "R", "output": None, "metadata": {"topic": "tax"}, "scores": {}, "error": "boom"},
    {"input": "Q1", "expected": "R", "output": "A", "metadata": {"topic": "law"}, "scores": {"exact": 0, "fuzzy": 0.5}},
]  # fmt: skip

MLFLOW = [
    {"trace_id": "t1", "request": "Q1", "response": "A", "expectations": "R", "Correctness/value": "yes",
     "Correctness/rationale": "same", "Length/value": 3.0},
    {"trace_id": "t2", "request": "Q2", "response": "B", "expectations": "R", "Correctness/value": None,
     "Correctness/error_message": "judge 429", "Length/value": 4.0},
]  # fmt: skip

WEAVE = [
    {"inputs": {"example": "weave:///e/1", "model": "weave:///m:v1"}, "exception": None,
     "output": {"output": "A", "scores": {"match": {"correct": True, "overlap": 0.5}}, "model_latency": 0.25}},
    {"inputs": {"example": "weave:///e/2", "model": "weave:///m:v1"}, "exception": "ValueError: x", "output": None},
]  # fmt: skip

PHOENIX = {
    "experiment_id": "x1", "dataset_id": "d1",
    "task_runs": [
        {"id": "r2", "dataset_example_id": "e1", "output": "B", "repetition_number": 2,
         "start_time": "2026-01-01T00:00:00", "end_time": "2026-01-01T00:00:02"},
        {"id": "r1", "dataset_example_id": "e1", "output": "A", "repetition_number": 1, "error": None},
        {"id": "r3", "dataset_example_id": "e2", "output": None, "repetition_number": 1, "error": "timeout"},
    ],
    "evaluation_runs": [
        {"experiment_run_id": "r1", "name": "exact", "annotator_kind": "CODE", "result": {"score": 1.0, "label": "ok"}},
        {"experiment_run_id": "r2", "name": "exact", "annotator_kind": "CODE", "result": {"score": 0.0}},
        {"experiment_run_id": "r1", "name": "tone", "annotator_kind": "LLM",
         "result": {"score": 0.5, "explanation": "…"}},
        {"experiment_run_id": "r2", "name": "tone", "annotator_kind": "LLM", "error": "rate limit"},
        {"experiment_run_id": "r1", "name": "liked", "annotator_kind": "HUMAN", "result": {"score": 1}},
    ],
}  # fmt: skip

FOUNDRYR = [
    {
        "run_id": "run1",
        "datasource_item_id": 0,
        "name": "exact",
        "score": 1.0,
        "label": "",
        "passed": True,
        "reason": "",
    },
    {
        "run_id": "run1",
        "datasource_item_id": 0,
        "name": "tone",
        "score": 0.5,
        "label": "",
        "passed": False,
        "reason": "…",
    },
    {
        "run_id": "run1",
        "datasource_item_id": 1,
        "name": "exact",
        "score": 0.0,
        "label": "",
        "passed": False,
        "reason": "",
    },
]

SAMPLES: dict[str, Any] = {
    "langsmith": LANGSMITH, "langfuse": LANGFUSE, "braintrust": BRAINTRUST, "mlflow": MLFLOW, "weave": WEAVE,
    "phoenix": PHOENIX, "foundryr": FOUNDRYR,
}  # fmt: skip


def _read(folder: Path, name: str, document: Any, **options: Any) -> Evidence:
    path = folder / "export.json"
    path.write_text(json.dumps(document))
    return read_one(path, ReadOptions(reader=name, **options))


def _values(evidence: Evidence) -> list[tuple[Any, ...]]:
    return evidence.outcomes.select("item", "attempt", "metric", "value", "label", "status").rows()


def test_every_shipped_mapping_decodes_and_is_tried_here() -> None:
    assert set(shipped_mappings()) == set(SAMPLES)
    for name in shipped_mappings():
        assert shipped_mapping(name).tool.lower() == name
        assert find_reader(Path("any"), name=name).sniff(Path("any")) is False


def test_langsmith_feedback_is_a_metric_and_runs_of_an_example_are_attempts(tmp_path: Path) -> None:
    evidence = _read(tmp_path, "langsmith", LANGSMITH)
    assert _values(evidence) == [
        ("e1", 1, "exact", 1.0, None, "ok"), ("e1", 1, "tone", None, "good", "ok"),
        ("e2", 1, "exact", None, None, "missing"), ("e2", 1, "tone", None, None, "missing"),
        ("e1", 2, "exact", 0.0, None, "ok"), ("e1", 2, "tone", None, "bad", "ok"),
    ]  # fmt: skip
    assert evidence.responses.select("status", "reason").row(1) == ("error", "TimeoutError()")
    assert dict(evidence.metrics.select("metric", "kind").iter_rows()) == {
        "exact": "binary",
        "tone": "category",
    }
    assert evidence.responses["latency_s"].to_list() == [0.5, 9.0, 0.5]


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_platforms_table_reads_the_same_in_every_format(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"export.{ending}"
    frame = pl.DataFrame(LANGSMITH, infer_schema_length=None)
    if ending == "jsonl":
        frame.write_ndjson(path)
    elif ending == "csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)
    assert _values(read_one(path, ReadOptions(reader="langsmith"))) == _values(
        _read(tmp_path, "langsmith", LANGSMITH)
    )


def test_langfuse_evaluations_and_a_row_a_score(tmp_path: Path) -> None:
    evidence = _read(tmp_path, "langfuse", LANGFUSE)
    assert _values(evidence) == [
        ("i1", 1, "exact", 1.0, None, "ok"), ("i1", 1, "tone", 0.5, None, "ok"), ("i2", 1, "exact", 0.0, None, "ok"),
        ("i2", 1, "verdict", None, "unclear", "ok"),
    ]  # fmt: skip
    assert systems(evidence) == ("main",)
    assert evidence.metrics.filter(pl.col("metric") == "tone")["judge"].to_list() == ["tone"]
    assert evidence.items["segment.topic"].to_list() == ["law", "law"]
    rows = [
        {"datasetItemId": "i1", "name": name, "value": value, "source": source}
        for name, value, source in [("exact", 1, "API"), ("exact", 0, "API"), ("liked", 1, "ANNOTATION")]
    ]
    flat = _read(tmp_path, "langfuse", rows)
    assert flat.outcomes.select("attempt", "metric", "value", "by").rows() == [
        (1, "exact", 1.0, "rule"), (1, "liked", 1.0, "person"), (2, "exact", 0.0, "rule"),
    ]  # fmt: skip


def test_braintrust_trials_share_their_input_and_a_skipped_score_is_missing(tmp_path: Path) -> None:
    evidence = _read(tmp_path, "braintrust", BRAINTRUST)
    assert [row[1:] for row in _values(evidence)] == [
        (1, "exact", 1.0, None, "ok"), (1, "fuzzy", None, None, "missing"), (2, "exact", 0.0, None, "ok"),
        (2, "fuzzy", 0.5, None, "ok"),
    ]  # fmt: skip
    assert evidence.responses.select("status", "latency_s", "tokens_in").rows() == [
        ("ok", 2.5, 5), ("error", None, None), ("ok", None, None),
    ]  # fmt: skip
    assert _read(tmp_path, "braintrust", BRAINTRUST, cluster="topic").items["cluster"].to_list() == [
        "law",
        "tax",
    ]


def test_mlflow_words_are_truth_and_a_graders_error_no_value(tmp_path: Path) -> None:
    evidence = _read(tmp_path, "mlflow", MLFLOW)
    correct = evidence.outcomes.filter(pl.col("metric") == "Correctness")
    assert correct.select("value", "label", "status", "by").rows() == [
        (1.0, "yes", "ok", "judge"), (None, "judge 429", "error", "rule"),
    ]  # fmt: skip
    assert evidence.metrics["judge"].to_list() == ["Correctness", None]


def test_weave_nested_scores_and_calls_that_raised(tmp_path: Path) -> None:
    evidence = _read(tmp_path, "weave", WEAVE)
    assert _values(evidence) == [
        ("weave:///e/1", 1, "match.correct", 1.0, None, "ok"), ("weave:///e/1", 1, "match.overlap", 0.5, None, "ok"),
    ]  # fmt: skip
    assert evidence.responses.select("status", "latency_s").rows() == [("ok", 0.25), ("error", None)]
    assert systems(evidence) == ("weave:///m:v1",)


def test_phoenix_evaluations_join_their_run_and_repetitions_keep_their_order(tmp_path: Path) -> None:
    evidence = _read(tmp_path, "phoenix", PHOENIX)
    found = (
        evidence.outcomes.sort("item", "attempt", "metric")
        .select("attempt", "metric", "value", "by", "status")
        .rows()
    )
    assert found == [
        (1, "exact", 1.0, "rule", "ok"), (1, "liked", 1.0, "person", "ok"), (1, "tone", 0.5, "judge", "ok"),
        (2, "exact", 0.0, "rule", "ok"), (2, "tone", None, "judge", "error"),
    ]  # fmt: skip
    assert evidence.texts is not None
    assert evidence.texts.response("x1", "d1", "e1", 1) == "A"
    assert evidence.responses.sort("item", "attempt")["latency_s"].to_list() == [None, 2.0, None]


def test_foundryr_rows_of_one_item_are_one_answer(tmp_path: Path) -> None:
    evidence = _read(tmp_path, "foundryr", FOUNDRYR)
    assert evidence.responses.height == 2
    assert _values(evidence) == [
        ("0", 1, "exact", 1.0, None, "ok"), ("0", 1, "tone", 0.5, None, "ok"), ("1", 1, "exact", 0.0, None, "ok"),
    ]  # fmt: skip


def test_what_the_user_says_stands_above_the_mapping(tmp_path: Path) -> None:
    rows = [row | {"key": f"k{place}", "arm": "B"} for place, row in enumerate(LANGSMITH)]
    evidence = _read(tmp_path, "langsmith", rows, item="key", system="arm")
    assert evidence.items["item"].to_list() == ["k0", "k1", "k2"]
    assert systems(evidence) == ("B",)
    with pytest.raises(InputError, match=r"field 'key'.*has no id|has no id"):
        _read(tmp_path, "langsmith", LANGSMITH, item="key")
    with pytest.raises(InputError, match=r"nothing names the items; looked for example_id.*--item-column"):
        _read(tmp_path, "langsmith", [{"feedback.exact": 1}])
    with pytest.raises(InputError, match="two rows of the id 'e1' ask different things"):
        _read(tmp_path, "langsmith", [*LANGSMITH, LANGSMITH[0] | {"inputs.question": "other"}])


def test_a_mapping_is_named_or_a_file_and_an_unknown_one_lists_the_known(tmp_path: Path) -> None:
    assert find_mapping("Langfuse") == ReadOptions(reader="langfuse")
    (tmp_path / "mine.yaml").write_text("reader: phoenix\nitem: key\n")
    assert find_mapping(str(tmp_path / "mine.yaml")) == ReadOptions(reader="phoenix", item="key")
    with pytest.raises(
        InputError, match=r"no such mapping file. Shipped mappings: braintrust, foundryr, langfuse"
    ):
        find_mapping("langfuze")


def test_two_exports_compare_on_the_command_line(tmp_path: Path) -> None:
    for name, right in (("old", 0), ("new", 1)):
        rows = [
            LANGSMITH[0] | {"example_id": f"e{k}", "inputs.question": f"Q{k}", "feedback.exact": right}
            for k in range(8)
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps(rows))
    done = aliquot("compare", "old.json", "new.json", "--mapping", "langsmith", folder=tmp_path)
    assert done.code == 0, done.err
    assert "8 fixed, 0 broke" in done.out
    options = ReadOptions(reader="langsmith")
    assert compare(tmp_path / "old.json", tmp_path / "new.json", options=options).n_items == 8


@pytest.mark.parametrize("name", sorted(SAMPLES))
@settings(MUTATED, max_examples=20)
@given(data=st.data(), junk=JUNK)
def test_any_value_in_any_place_gives_evidence_or_one_error(
    tmp_path: Path, name: str, data: Any, junk: Any
) -> None:
    document = copy.deepcopy(SAMPLES[name])
    path = tmp_path / "a.json"
    path.write_text(json.dumps(replaced(document, data.draw(st.sampled_from(places(document))), junk)))
    ends_well(path, reader=name)
