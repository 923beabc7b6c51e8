from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aliquot.errors import InputError
from aliquot.evidence.contents import systems
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.registry import find_reader, read_one
from aliquot.verbs.compare import compare
from tests.readers.mutations import EDITS, JUNK, MUTATED, edited, ends_well, places, replaced
from tests.shared import FOLDER, shared


def _row(
    number: int, score: float | None, *, f1: float = 0.5, more: dict[str, Any] | None = None
) -> dict[str, Any]:
    result = None if score is None else "pass" if score >= 3 else "fail"
    return {
        "inputs.query": f"q{number}", "inputs.response": f"a{number}", "inputs.ground_truth": "g",
        "inputs.topic": "law",
        "outputs.f1_score.f1_score": f1, "outputs.coherence.coherence": score, "outputs.coherence.gpt_coherence": score,
        "outputs.coherence.coherence_result": result, "outputs.coherence.coherence_threshold": 3,
        "outputs.coherence.coherence_reason": "..", "outputs.coherence.coherence_prompt_tokens": 100, **(more or {}),
    }  # fmt: skip


def _write(folder: Path, rows: list[Any], metrics: Any = None, name: str = "one.json") -> Path:
    path = folder / name
    path.write_text(json.dumps({"rows": rows, "metrics": metrics or {}, "studio_url": None}))
    return path


def _read(folder: Path, rows: list[Any], metrics: Any = None) -> Evidence:
    path = _write(folder, rows, metrics)
    assert find_reader(path).name == "azure-evaluation"
    return read_one(path)


def test_scores_and_pass_marks_are_metrics_and_settings_and_old_names_are_not(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [_row(0, 4.0), _row(1, 2.0)])
    assert evidence.metrics.select("metric", "kind", "low", "high").rows() == [
        ("f1_score.f1_score", "bounded", 0.0, 1.0), ("coherence.coherence", "bounded", 1.0, 5.0),
        ("coherence.coherence_result", "binary", 0.0, 1.0),
    ]  # fmt: skip
    marks = evidence.outcomes.filter(pl.col("metric") == "coherence.coherence_result")
    assert marks.select("value", "label", "by").rows() == [(1.0, "pass", "judge"), (0.0, "fail", "judge")]
    assert evidence.items["segment.topic"].to_list() == ["law", "law"]
    assert systems(evidence) == ("one",)


def test_azures_two_denominators(tmp_path: Path) -> None:
    """3 rows pass, 1 fails, 1 is NaN: the mean leaves it out (4 rows), binary_aggregate divides by all 5."""
    rows = [_row(0, 4.0), _row(1, 5.0), _row(2, 3.0), _row(3, 2.0), _row(4, math.nan)]
    rows[4]["outputs.coherence.coherence_result"] = None
    printed = {"coherence.coherence": (4 + 5 + 3 + 2) / 4, "coherence.binary_aggregate": round(3 / 5, 2)}
    evidence = _read(tmp_path, rows, printed)
    assert evidence.reported.select("metric", "statistic", "value").rows() == [
        ("coherence.coherence", "mean", 3.5), ("coherence.coherence_result", "binary_aggregate", 0.6),
    ]  # fmt: skip
    means = {
        name: units(evidence, "one", task="azure-evaluation", metric=name).frame["mean"].drop_nulls()
        for name in ("coherence.coherence", "coherence.coherence_result")
    }
    assert (means["coherence.coherence"].mean(), means["coherence.coherence"].len()) == (3.5, 4)
    assert means["coherence.coherence_result"].mean() == 0.75  # ours: of the rows with a verdict
    assert "two_denominators" in {note.code for note in evidence.notes}
    assert "not_a_number" in {note.code for note in evidence.notes}


def test_the_answer_is_no_part_of_the_item(tmp_path: Path) -> None:
    _write(tmp_path, [_row(number, 2.0, f1=number / 10) for number in range(8)], name="old.json")
    changed = [_row(number, 4.0, f1=0.9) | {"inputs.response": "other"} for number in range(8)]
    _write(tmp_path, changed, name="new.json")
    found = compare(tmp_path / "old.json", tmp_path / "new.json")
    assert (found.n_items, found.metric) == (8, "f1_score.f1_score")
    asked = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]}
    again = {"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Other"}]}
    rows = [{"inputs.conversation": talk, "outputs.f1_score.f1_score": 1.0} for talk in (asked, again)]
    assert _read(tmp_path, rows).outcomes["attempt"].to_list() == [1, 2]


def test_an_id_among_the_inputs_names_the_item(tmp_path: Path) -> None:
    rows = [_row(number, 4.0, more={"inputs.id": f"case-{number}"}) for number in (1, 2)]
    assert _read(tmp_path, rows).items["item"].to_list() == ["case-1", "case-2"]
    rows[1]["inputs.id"] = "case-1"
    with pytest.raises(InputError, match="two rows of the id 'case-1' ask different things"):
        _read(tmp_path, rows)


def test_a_severity_is_better_when_lower_and_its_mark_is_already_directed(tmp_path: Path) -> None:
    rows = [
        {
            "inputs.query": f"q{k}",
            "outputs.violence.violence": severity,
            "outputs.violence.violence_result": word,
        }
        for k, (severity, word) in enumerate([(0, "pass"), (6, "fail")])
    ]
    evidence = _read(tmp_path, rows)
    assert dict(evidence.metrics.select("metric", "better").iter_rows()) == {
        "violence.violence": "lower", "violence.violence_result": "higher",
    }  # fmt: skip


def test_what_is_no_score_or_mark_is_an_error_naming_the_row(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"field 'outputs.coherence.coherence': 'high' is no score \(record 2\)"
    ):
        _read(tmp_path, [_row(0, 4.0), _row(1, 3.0, more={"outputs.coherence.coherence": "high"})])
    with pytest.raises(InputError, match=r"'good' is no pass or fail \(record 1\)"):
        _read(tmp_path, [_row(0, 4.0, more={"outputs.coherence.coherence_result": "good"})])
    with pytest.raises(InputError, match="lies off the scale of 1 to 5"):
        _read(tmp_path, [_row(0, 9.0)])
    with pytest.raises(InputError, match="no score of an evaluator"):
        _read(tmp_path, [{"inputs.query": "q", "outputs.response": "a"}])


def test_the_folder_names_the_system(tmp_path: Path) -> None:
    folder = tmp_path / "prompt-2"
    folder.mkdir()
    _write(folder, [_row(0, 4.0)], name="evaluation_results.json")
    assert find_reader(folder).name == "azure-evaluation"
    assert systems(read_one(folder)) == ("prompt-2",)


def test_the_printed_mean_of_the_shared_file_is_reproduced() -> None:
    evidence = read_one(shared("logs", "azure", "SYNTHETIC_azure_evaluate_output.json"))
    (row,) = evidence.reported.rows(named=True)
    found = units(evidence, row["system"], task=row["task"], metric=row["metric"]).frame["mean"]
    assert math.fsum(found) / found.len() == pytest.approx(row["value"], rel=1e-12)
    lost = evidence.outcomes.filter(pl.col("metric") == "coherence.coherence")["value"].null_count()
    assert lost == 2


@MUTATED
@given(data=st.data(), junk=JUNK)
def test_any_value_in_any_place_gives_evidence_or_one_error(tmp_path: Path, data: Any, junk: Any) -> None:
    document = copy.deepcopy({"rows": [_row(0, 4.0), _row(1, None)], "metrics": {"coherence.coherence": 4.0}})
    path = tmp_path / "a.json"
    path.write_text(json.dumps(replaced(document, data.draw(st.sampled_from(places(document))), junk)))
    ends_well(path, reader="azure-evaluation")


@MUTATED
@given(edits=EDITS)
def test_mutated_files_give_evidence_or_one_error(tmp_path: Path, edits: Any) -> None:
    source = FOLDER / "logs" / "azure" / "SYNTHETIC_azure_evaluate_output.json"
    if not source.exists():
        pytest.skip("../shared/logs/azure is not on this machine")
    path = tmp_path / source.name
    path.write_bytes(edited(source.read_bytes(), edits))
    ends_well(path, reader="azure-evaluation")
