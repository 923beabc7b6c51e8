from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.evidence.contents import systems
from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.readers.mutations import JUNK, MUTATED, ends_well, places, replaced


def _tagged(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [_tagged(part) for part in value]}}
    return {"stringValue": value}


def _attributes(told: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": _tagged(value)} for key, value in told.items()]


def _verdict(name: str, value: Any = None, label: str | None = None, **more: Any) -> dict[str, Any]:
    told = {"gen_ai.evaluation.name": name, "gen_ai.evaluation.score.value": value,
            "gen_ai.evaluation.score.label": label, **more}  # fmt: skip
    return {key: part for key, part in told.items() if part is not None}


def _span(number: int, *verdicts: dict[str, Any], **more: Any) -> dict[str, Any]:
    told = {
        "gen_ai.request.model": "m1",
        "gen_ai.usage.input_tokens": 7,
        "test.case.id": f"case-{number}",
        **more,
    }
    events = [{"name": "gen_ai.evaluation.result", "attributes": _attributes(one)} for one in verdicts]
    return {
        "traceId": "t",
        "spanId": f"s{number}",
        "name": "chat",
        "attributes": _attributes(told),
        "events": events,
    }


def _traces(*spans: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": _attributes({"service.name": "bot"})}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": list(spans)}]}]}


def _log(number: int, **told: Any) -> dict[str, Any]:
    record = {
        "eventName": "gen_ai.evaluation.result",
        "spanId": f"s{number}",
        "attributes": _attributes(told),
    }
    resource = {"attributes": _attributes({"service.name": "bot"})}
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [record]}]}]}


def _write(folder: Path, records: list[Any], name: str = "events.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, records)))
    return path


def _read(folder: Path, records: list[Any], options: ReadOptions | None = None) -> Evidence:
    path = _write(folder, records)
    assert find_reader(path).name == "opentelemetry"
    return read_one(path, options)


def test_events_on_a_span_are_the_metrics_of_one_answer(tmp_path: Path) -> None:
    explained = {"gen_ai.evaluation.explanation": "because"}
    spans = [
        _span(1, _verdict("Relevance", 4.0, **explained), _verdict("Exact", 1)),
        _span(2, _verdict("Exact", 0)),
    ]
    evidence = _read(tmp_path, [_traces(*spans)])
    assert evidence.outcomes.select("system", "item", "metric", "value", "by").rows() == [
        ("m1", "case-1", "Relevance", 4.0, "judge"), ("m1", "case-1", "Exact", 1.0, "rule"),
        ("m1", "case-2", "Exact", 0.0, "rule"),
    ]  # fmt: skip
    assert evidence.responses["tokens_in"].to_list() == [7, 7]


def test_log_records_join_the_span_they_name(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [_traces(_span(1)), _log(1, **_verdict("Exact", label="pass"))])
    assert evidence.outcomes.select("item", "value", "label").rows() == [("case-1", 1.0, "pass")]
    assert systems(evidence) == ("m1",)


def test_the_consoles_form_is_the_same(tmp_path: Path) -> None:
    span = {
        "name": "chat", "context": {"trace_id": "0x1", "span_id": "0x2"}, "attributes": {"test.case.id": "c1"},
        "resource": {"attributes": {"service.name": "bot"}},
        "events": [{"name": "gen_ai.evaluation.result", "attributes": _verdict("Exact", True)}],
    }  # fmt: skip
    record = {"body": None, "trace_id": "0x1", "span_id": "0x2", "attributes": _verdict("Tone", 0.5),
              "event_name": "gen_ai.evaluation.result"}  # fmt: skip
    evidence = _read(tmp_path, [span, record])
    assert evidence.outcomes.select("system", "item", "metric", "value").rows() == [
        ("bot", "c1", "Exact", 1.0), ("bot", "c1", "Tone", 0.5),
    ]  # fmt: skip


def test_an_error_of_the_evaluator_and_a_label_without_a_number_are_no_zero(tmp_path: Path) -> None:
    lost = _verdict("Exact", **{"error.type": "timeout"})
    evidence = _read(
        tmp_path,
        [_traces(_span(1, lost), _span(2, _verdict("Exact", label="vague")), _span(3, _verdict("Exact", 1)))],
    )
    assert evidence.outcomes.select("value", "label", "status").rows() == [
        (None, "timeout", "error"), (None, "vague", "unparsed"), (1.0, None, "ok"),
    ]  # fmt: skip
    assert "labels_only" in {note.code for note in evidence.notes}


def test_items_without_a_name_are_their_input_or_pair_with_nothing_and_that_is_said(tmp_path: Path) -> None:
    asked = {"gen_ai.input.messages": "What?", "test.case.id": ""}
    evidence = _read(tmp_path, [_traces(_span(1, _verdict("Exact", 1), **asked))])
    assert len(evidence.items["item"][0]) == 64
    evidence = _read(tmp_path, [_log(1, **_verdict("Exact", 1), **{"gen_ai.response.id": "r1"})])
    assert evidence.items["item"].to_list() == ["r1"]
    assert "items_unnamed" in {note.code for note in evidence.notes}
    named = ReadOptions(item="my.key", system="my.arm")
    span = _span(1, _verdict("Exact", 1), **{"my.key": "k1", "my.arm": "B"})
    evidence = _read(tmp_path, [_traces(span)], named)
    assert evidence.outcomes.select("system", "item").row(0) == ("B", "k1")
    with pytest.raises(InputError, match=r"has no my.key"):
        _read(tmp_path, [_traces(_span(1, _verdict("Exact", 1)))], named)


def test_two_files_of_telemetry_compare(tmp_path: Path) -> None:
    for name, right in (("old", 0), ("new", 1)):
        spans = [_span(k, _verdict("Exact", right), **{"gen_ai.request.model": name}) for k in range(8)]
        _write(tmp_path, [_traces(*spans)], f"{name}.json")
    found = compare(tmp_path / "old.json", tmp_path / "new.json")
    assert (found.n_items, len(found.fixed)) == (8, 8)


def test_a_file_without_such_events_says_so(tmp_path: Path) -> None:
    path = _write(tmp_path, [_traces(_span(1))])
    with pytest.raises(InputError, match=r"holds no event gen_ai.evaluation.result"):
        read_one(path, ReadOptions(reader="opentelemetry"))
    unnamed = {"gen_ai.evaluation.score.value": 1}
    with pytest.raises(InputError, match="an evaluation event has no name"):
        read_one(_write(tmp_path, [_traces(_span(1, unnamed))]), ReadOptions(reader="opentelemetry"))


def test_numbers_too_long_and_nesting_too_deep_are_no_values(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(40):
        deep = [deep]
    evidence = _read(tmp_path, [_traces(_span(1, _verdict("Exact", 1, deep=deep), n=10**30))])
    assert evidence.outcomes["value"].to_list() == [1.0]
    assert evidence.outcomes.filter(pl.col("value").is_null()).is_empty()


@MUTATED
@given(data=st.data(), junk=JUNK)
def test_any_value_in_any_place_gives_evidence_or_one_error(tmp_path: Path, data: Any, junk: Any) -> None:
    records = copy.deepcopy(
        [_traces(_span(1, _verdict("Exact", 1)), _span(2)), _log(2, **_verdict("Tone", 0.5))]
    )
    path = tmp_path / "a.json"
    path.write_text(json.dumps(replaced(records, data.draw(st.sampled_from(places(records))), junk)))
    ends_well(path, reader="opentelemetry")
