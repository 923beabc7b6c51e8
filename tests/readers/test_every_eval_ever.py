from __future__ import annotations

import copy
import hashlib
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.evidence.assembly import assemble
from aliquot.evidence.contents import headline_metric, systems
from aliquot.evidence.identity import content_hash
from aliquot.evidence.tables import OUTCOMES, Evidence
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.every_eval_ever_writing import write_every_eval_ever
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from aliquot.verbs.read import convert
from tests.readers.mutations import JUNK, MUTATED, ends_well, places, replaced
from tests.shared import shared

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def _sample(number: int, score: Any = 1.0, **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.2.2", "evaluation_id": "gsm8k/m1/1", "model_id": "org/m1", "evaluation_name": "gsm8k",
        "sample_id": f"q{number}", "interaction_type": "single_turn",
        "input": {"raw": f"Question {number}", "reference": ["4"]}, "output": {"raw": ["4"]}, "messages": None,
        "answer_attribution": [], "evaluation": {"score": score, "is_correct": score == 1.0},
        "token_usage": {"input_tokens": 3, "output_tokens": 1, "total_tokens": 4},
        "performance": {"latency_ms": 250.0}, "error": None, "metadata": {"topic": f"t{number % 2}"}, **more,
    }  # fmt: skip


def _aggregate(*results: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema_version": "0.2.2", "evaluation_id": "gsm8k/m1/1", "retrieved_timestamp": "1",
        "source_metadata": {"source_type": "evaluation_run"}, "model_info": {"name": "M1", "id": "org/m1"},
        "eval_library": {"name": "lm_eval", "version": "0.4.9"}, "evaluation_results": list(results),
    }  # fmt: skip


def _result(score: float, **config: Any) -> dict[str, Any]:
    return {
        "evaluation_name": "gsm8k", "metric_config": {"lower_is_better": False, **config},
        "score_details": {"score": score, "uncertainty": {"standard_error": {"value": 0.1}}},
    }  # fmt: skip


def _write(folder: Path, samples: list[Any], aggregate: Any = None, name: str = "eee") -> Path:
    path = folder / f"{name}_samples.jsonl"
    path.write_text("\n".join(map(json.dumps, samples)))
    if aggregate is not None:
        (folder / f"{name}.json").write_text(json.dumps(aggregate))
    return path


def test_samples_are_outcomes_with_what_is_known_of_the_answer(tmp_path: Path) -> None:
    path = _write(tmp_path, [_sample(0), _sample(1, 0.0)])
    assert find_reader(path).name == "every-eval-ever"
    evidence = read_one(path)
    assert evidence.outcomes.select("system", "task", "item", "metric", "value").rows() == [
        ("org/m1", "gsm8k", "q0", "score", 1.0), ("org/m1", "gsm8k", "q1", "score", 0.0),
    ]  # fmt: skip
    assert evidence.responses.select("tokens_in", "tokens_out", "latency_s").row(0) == (3, 1, 0.25)
    assert evidence.items["content"][0] == content_hash("Question 0", "4")
    assert read_one(path, ReadOptions(cluster="topic")).items["cluster"].to_list() == ["t0", "t1"]


def test_an_error_makes_the_required_score_none(tmp_path: Path) -> None:
    samples = [_sample(0), _sample(1, 0.0, error="timeout: 60 s"), _sample(2, 0.0, error="HTTP 500\nbody")]
    evidence = read_one(_write(tmp_path, samples))
    assert evidence.outcomes["value"].to_list() == [1.0, None, None]
    assert evidence.responses.select("status", "reason").rows() == [
        ("ok", None), ("timeout", "60 s"), ("error", "HTTP 500"),
    ]  # fmt: skip


def test_lines_of_one_answer_under_several_results_are_its_metrics_and_repeats_its_attempts(
    tmp_path: Path,
) -> None:
    lines = [
        _sample(0, value, evaluation_result_id=result) for value in (1.0, 0.0) for result in ("r/em", "r/f1")
    ]
    evidence = read_one(_write(tmp_path, lines))
    assert evidence.outcomes.select("attempt", "metric", "value").rows() == [
        (1, "r/em", 1.0), (1, "r/f1", 1.0), (2, "r/em", 0.0), (2, "r/f1", 0.0),
    ]  # fmt: skip
    assert evidence.responses.height == 2


def test_the_aggregate_beside_tells_the_metric_and_what_was_printed(tmp_path: Path) -> None:
    judge = {"judges": [{"model_info": {"name": "gpt-4o", "id": "openai/gpt-4o"}}], "input_prompt": "?"}
    config = {"score_type": "continuous", "min_score": -1.0, "max_score": 10.0, "llm_scoring": judge,
              "has_unknown_level": True, "lower_is_better": True}  # fmt: skip
    path = _write(tmp_path, [_sample(0, 3.0), _sample(1, -1)], _aggregate(_result(3.0, **config)))
    for source in (path, tmp_path / "eee.json"):
        evidence = read_one(source)
        assert evidence.outcomes.select("value", "status").rows() == [(3.0, "ok"), (None, "unparsed")]
        assert evidence.metrics.select("low", "high", "better", "judge").row(0) == (
            -1.0,
            10.0,
            "lower",
            "gpt-4o",
        )
        assert evidence.reported.select("metric", "statistic", "value").rows() == [
            ("score", "mean", 3.0), ("score", "stderr", 0.1),
        ]  # fmt: skip
        assert ("harness", "lm_eval 0.4.9") in evidence.settings.select("name", "value").rows()
    stranger = _aggregate(_result(3.0)) | {"evaluation_id": "another"}
    assert read_one(_write(tmp_path, [_sample(0)], stranger)).reported.is_empty()


def test_an_aggregate_alone_is_totals_only(tmp_path: Path) -> None:
    path = tmp_path / "alone.json"
    path.write_text(
        json.dumps(_aggregate(_result(0.5)) | {"detailed_evaluation_results": {"file_path": "/etc/passwd"}})
    )
    assert find_reader(path).name == "every-eval-ever"
    evidence = read_one(path)
    assert (evidence.outcomes.height, evidence.reported.height) == (0, 2)
    with pytest.raises(InputError, match="totals only, nothing per item"):
        compare(path)


def _evidence() -> Evidence:
    rows: list[dict[str, Any]] = [
        {
            "system": "m",
            "task": "t",
            "item": str(number),
            "attempt": attempt,
            "metric": "em",
            "value": float(number % 2),
        }
        for number in range(4)
        for attempt in (1, 2)
    ]
    rows[2] = rows[2] | {"value": None, "status": "timeout"}
    responses = [
        {name: row[name] for name in ("system", "task", "item", "attempt")}
        | {"status": row.get("status", "ok"), "tokens_in": 3, "tokens_out": 2, "latency_s": 0.5}
        for row in rows
    ]
    items = [{"task": "t", "item": str(number), "cluster": f"c{number // 2}", "segment.topic": f"s{number // 2}",
              "content": content_hash(f"Q{number}", "R")} for number in range(4)]  # fmt: skip
    texts = HeldTexts(items={("t", str(number)): (f"Q{number}", "R") for number in range(4)})
    return assemble(
        pl.DataFrame(rows, infer_schema_length=None),
        items=pl.DataFrame(items),
        responses=pl.DataFrame(responses),
        texts=texts,
    )


def test_what_is_written_reads_back_to_the_same_rows(tmp_path: Path) -> None:
    evidence = _evidence()
    assert write_every_eval_ever(tmp_path / "x_samples.jsonl", evidence, now=NOW) == (8, 1)
    back = read_one(tmp_path / "x.json")
    keys = ["item", "attempt"]
    for table, columns in (
        ("outcomes", [*keys, "metric", "value", "status"]),
        ("responses", [*keys, "status", "tokens_in", "tokens_out", "latency_s"]),
    ):
        one, two = (getattr(source, table).select(columns).sort(keys) for source in (evidence, back))
        assert one.equals(two), table
    assert (
        back.items.select("item", "content", "cluster", "segment.topic")
        .sort("item")
        .equals(evidence.items.select("item", "content", "cluster", "segment.topic").sort("item"))
    )
    assert headline_metric(back, "t") == "em"


def test_the_written_files_hold_what_the_schema_requires(tmp_path: Path) -> None:
    write_every_eval_ever(tmp_path / "x_samples.jsonl", _evidence(), now=NOW)
    data = (tmp_path / "x_samples.jsonl").read_bytes()
    lines = [json.loads(line) for line in data.splitlines()]
    required = {"schema_version", "evaluation_id", "model_id", "evaluation_name", "sample_id", "interaction_type",
                "input", "answer_attribution", "evaluation", "output"}  # fmt: skip
    told = {"raw": "Q0", "reference": ["R"]}
    canonical = json.dumps(told, sort_keys=True, separators=(",", ":")).encode()
    for line in lines:
        assert required <= set(line)
        assert isinstance(line["evaluation"]["score"], float)
        assert all(isinstance(value, str) for value in line["metadata"].values())
    assert lines[0]["sample_hash"] == hashlib.sha256(canonical).hexdigest()
    assert [line["error"] for line in lines if "error" in line] == ["timeout: no value"]
    aggregate = json.loads((tmp_path / "x.json").read_text())
    details = aggregate["detailed_evaluation_results"]
    assert (details["total_rows"], details["checksum"]) == (8, hashlib.sha256(data).hexdigest())
    assert {line["evaluation_id"] for line in lines} == {aggregate["evaluation_id"]}
    (result,) = aggregate["evaluation_results"]
    assert result["score_details"]["score"] == 0.375  # (0 + (0 timed out + 1)/2 + 0 + 1)/4
    assert result["metric_config"]["score_type"] == "binary"


def test_several_systems_are_written_under_numbers_and_nothing_scored_is_refused(tmp_path: Path) -> None:
    evidence = read_one(shared("logs", "fastchat", "SYNTHETIC_gpt-4_single.jsonl"))
    assert convert(evidence, tmp_path / "mt_samples.jsonl").rows == 320
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "mt-1.json", "mt-1_samples.jsonl", "mt-2.json", "mt-2_samples.jsonl",
    ]  # fmt: skip
    assert systems(read_one(tmp_path / "mt-2.json")) == ("model-b",)
    with pytest.raises(InputError, match="no score to write"):
        write_every_eval_ever(
            tmp_path / "y_samples.jsonl", assemble(pl.DataFrame(schema=dict(OUTCOMES))), now=NOW
        )


@MUTATED
@given(data=st.data(), junk=JUNK, whole=st.booleans())
def test_any_value_in_any_place_gives_evidence_or_one_error(
    tmp_path: Path, data: Any, junk: Any, whole: bool
) -> None:
    samples = copy.deepcopy([_sample(0), _sample(1, 0.0)])
    aggregate = copy.deepcopy(_aggregate(_result(0.5, score_type="binary")))
    document: Any = aggregate if whole else samples
    changed = replaced(document, data.draw(st.sampled_from(places(document))), junk)
    (tmp_path / "a.json").write_text(json.dumps(changed if whole else aggregate))
    (tmp_path / "a_samples.jsonl").write_text(json.dumps(samples if whole else changed))
    ends_well(tmp_path / ("a.json" if whole else "a_samples.jsonl"), reader="every-eval-ever")
