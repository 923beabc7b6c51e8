"""What the stages of pipelines did, as a table of the evidence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from aliquot.evidence.assembly import rename, select
from aliquot.evidence.concealment import conceal
from aliquot.evidence.merging import merge
from aliquot.evidence.tables import STAGES, Evidence
from aliquot.runner.evaluation import SystemSpec
from aliquot.systems.callables import function_system
from aliquot.verbs.read import convert, read
from aliquot.verbs.run import run
from tests.runner.evaluations import evaluation, right, write_items


def pipeline(prompt: str) -> dict[str, Any]:
    """Answer rightly, but find nothing for the second question and tell nothing of the third."""
    if "q1." in prompt:
        missed = {"name": "retrieval", "status": "failed", "reason": 'no "stages":[ found'}
        return {"text": "", "status": "failed", "stages": [missed]}
    stages = [
        {"name": "retrieval", "latency_s": 0.25, "values": {"documents": ["d7", "d9"], "stages": [1]}},
        {"name": "generation"},
    ]
    return {"text": right(prompt) + ' "stages":[', **({} if "q2." in prompt else {"stages": stages})}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Evidence:
    folder = tmp_path_factory.mktemp("stages")
    given = evaluation(
        write_items(folder, 4),
        attempts=2,
        systems={name: SystemSpec(model="own", prompt=f"{name} {{{{ question }}}}") for name in ("a", "b")},
    )
    return run(given, directory=folder, models={"own": function_system(pipeline, version="1")}).evidence


def test_each_stage_of_each_answer_is_a_row(found: Evidence) -> None:
    assert found.stages.schema == dict(STAGES)
    assert found.stages.height == 2 * 2 * (2 + 1 + 0 + 2)
    rows = found.stages.filter(pl.col("system") == "a", pl.col("attempt") == 2).sort("item", "place")
    assert rows.select("item", "place", "stage", "status", "reason", "latency_s").rows() == [
        ("i0", 1, "retrieval", "ok", None, 0.25),
        ("i0", 2, "generation", "ok", None, None),
        ("i1", 1, "retrieval", "failed", 'no "stages":[ found', None),
        ("i3", 1, "retrieval", "ok", None, 0.25),
        ("i3", 2, "generation", "ok", None, None),
    ]
    assert json.loads(rows["values"][0]) == {"documents": ["d7", "d9"], "stages": [1]}
    assert rows["values"][1] is None


def test_failures_can_be_counted_by_stage(found: Evidence) -> None:
    key = ["system", "task", "item", "attempt"]
    failed = found.responses.filter(pl.col("status") == "failed").join(found.stages, on=key)
    assert failed.group_by("stage").len().rows() == [("retrieval", 4)]


def test_it_is_on_disk_and_made_again_from_the_journal(found: Evidence) -> None:
    path = Path(found.sources[0].path)
    key = ["system", "task", "item", "attempt", "place"]
    assert read(path).stages.sort(key).equals(found.stages.sort(key))
    (path / "evidence" / "stages.parquet").unlink()
    assert read(path).stages.is_empty()  # as a run of an older version leaves it
    (path / "evidence" / "rest.json").unlink()
    assert read(path).stages.sort(key).equals(found.stages.sort(key))


def test_it_follows_whatever_is_done_to_evidence(found: Evidence, tmp_path: Path) -> None:
    one = select(found, systems=["a"])
    assert set(one.stages["system"]) == {"a"}
    other = rename(select(found, systems=["b"]), {"b": "c"})
    assert set(other.stages["system"]) == {"c"}
    assert merge(one, other).stages.height == found.stages.height
    hidden = conceal(found, ["item"], salt=b"s")
    assert set(hidden.stages["item"]) <= set(hidden.items["item"])
    assert "stages" in convert(found, tmp_path / "long.csv").left_out


def test_an_answer_that_is_asked_again_has_the_stages_of_the_one_that_counts(tmp_path: Path) -> None:
    tries: list[int] = []

    def flaky(prompt: str) -> dict[str, Any]:
        tries.append(1)
        status = "error" if len(tries) == 1 else "ok"
        return {"text": right(prompt), "status": status, "stages": [{"name": f"try {len(tries)}"}]}

    given = evaluation(write_items(tmp_path, 1))
    models = {"fake": function_system(flaky, version="1")}
    run(given, directory=tmp_path, models=models)
    assert run(given, directory=tmp_path, models=models).evidence.stages["stage"].to_list() == ["try 2"]
