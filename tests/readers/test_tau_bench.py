from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aliquot.errors import AliquotError, InputError
from aliquot.evidence.reduction import units
from aliquot.evidence.tables import Evidence
from aliquot.readers.options import ReadOptions
from aliquot.readers.registry import find_reader, read_one
from aliquot.readers.tau_bench import TauBenchReader
from tests.shared import shared


def _run(task: int, trial: int, reward: float | None, **info: Any) -> dict[str, Any]:
    asked = {"user_id": "u", "instruction": f"Cancel {task}.", "actions": [{"name": "cancel"}], "outputs": []}
    calls = [{"function": {"name": "look", "arguments": "{}"}}]
    turns = [
        {"role": "system", "content": "policy"},
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "assistant", "content": "Done."},
    ]
    return {"task_id": task, "trial": trial, "reward": reward, "info": {"task": asked} | info, "traj": turns}


def _read(folder: Path, runs: Any) -> Evidence:
    path = folder / "gpt-4o-airline.json"
    path.write_text(json.dumps(runs))
    assert find_reader(path).name == "tau-bench"
    return read_one(path)


def test_a_trial_is_an_attempt_and_the_conversation_its_response(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [_run(0, 0, 1.0), _run(0, 1, 0.0), _run(1, 0, 1.0), _run(1, 1, 1.0)])
    rows = evidence.outcomes.select("system", "item", "attempt", "value").rows()
    assert rows[:2] == [("gpt-4o-airline", "0", 1, 1.0), ("gpt-4o-airline", "0", 2, 0.0)]
    frame = units(evidence, "gpt-4o-airline", task="tau-bench", metric="reward").frame
    assert frame["mean"].to_list() == [0.5, 1.0]
    assert evidence.responses.select("steps", "tool_calls").row(0) == (2, 1)
    assert evidence.texts is not None
    assert evidence.texts.inputs("tau-bench", "1") == "Cancel 1."
    assert "Done." in (evidence.texts.response("gpt-4o-airline", "tau-bench", "1", 1) or "")


def test_a_run_that_the_program_lost_is_missing_and_not_a_failure(tmp_path: Path) -> None:
    evidence = _read(tmp_path, [_run(0, 0, 1.0), _run(1, 0, 0.0, error="rate limit\nat x", traceback="…")])
    assert evidence.outcomes["value"].to_list() == [1.0, None]
    assert evidence.responses.select("status", "reason").rows() == [("ok", None), ("error", "rate limit")]


def test_one_id_for_two_tasks_is_refused(tmp_path: Path) -> None:
    other = _run(0, 1, 0.0)
    other["info"]["task"]["instruction"] = "Book."
    with pytest.raises(InputError, match="task '0' asks different things in two runs"):
        _read(tmp_path, [_run(0, 0, 1.0), other])
    with pytest.raises(InputError, match=r"holds .* more than once"):
        _read(tmp_path, [_run(0, 0, 1.0), _run(0, 0, 0.0)])


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["task_id", "trial", "reward", "info", "traj"]),
    st.sampled_from(
        [
            None,
            True,
            -1,
            10**30,
            1e308,
            "x",
            "",
            [],
            {},
            [1, None],
            {"task": {}},
            {"task": {"actions": 10**30}},
        ]
    ),
)
def test_any_value_in_any_field_gives_evidence_or_one_error(tmp_path: Path, field: str, junk: Any) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps([_run(0, 0, 1.0), _run(1, 0, 0.0) | {field: junk}]))
    said = ""
    try:
        assert TauBenchReader().read(path, ReadOptions()).outcomes.height == 2
    except AliquotError as error:
        said = str(error)
    assert "\n" not in said


def test_the_published_airline_trajectories_have_their_pass_rate() -> None:
    evidence = read_one(
        shared("data", "tau_bench", "gpt4o_airline.csv"),
        ReadOptions(attempt="trial", value="reward", metric="reward"),
    )
    assert evidence.outcomes.group_by("item").len()["len"].unique().to_list() == [4]
    by_item = evidence.outcomes.group_by("item").agg(pl.col("value").sum())["value"]
    assert (by_item.len(), by_item.sum()) == (50, 84.0)
