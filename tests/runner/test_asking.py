"""In which order systems are asked, what is refused before, and what a watching program is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aliquot.cli.progress import JsonLines
from aliquot.errors import InputError
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import ScorerSpec
from aliquot.runner.plan import make_plan
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run
from tests.runner.evaluations import evaluation, right, write_evaluation


def test_systems_take_turns_when_interleaved_and_follow_each_other_otherwise(tmp_path: Path) -> None:
    for interleave in (True, False):
        fake = FakeSystem(right)
        run(write_evaluation(tmp_path), directory=tmp_path / str(interleave), models={"fake": fake}, concurrency=1,
            interleave=interleave)  # fmt: skip
        turns = [text.split()[0] for text in fake.asked]
        assert turns == (["first", "second"] * 10 if interleave else ["first"] * 10 + ["second"] * 10)
        questions = [text.split()[1] for text in fake.asked]
        if interleave:
            assert questions[::2] == questions[1::2]


def test_interleaving_is_recorded_and_changes_no_answer(tmp_path: Path) -> None:
    found = [
        run(
            write_evaluation(tmp_path),
            directory=tmp_path / str(turn),
            models={"fake": FakeSystem(right)},
            interleave=turn,
        )
        for turn in (True, False)
    ]
    assert found[0].evidence.outcomes.equals(found[1].evidence.outcomes)
    manifest = RunDirectory(found[0].path).manifest
    assert manifest is not None
    assert manifest.settings["interleave"] is True


@pytest.mark.parametrize(
    ("rule", "reference"),
    [("number", "twelve apples"), ("choice", "maybe"), ("words", "...")],
)
def test_a_reference_that_its_own_rule_finds_wrong_is_refused_with_its_row(
    tmp_path: Path, rule: str, reference: str
) -> None:
    path = tmp_path / "made.jsonl"
    rows = [{"id": "a", "question": "q", "reference": "12" if rule == "number" else "yes"},
            {"id": "b", "question": "q", "reference": reference}]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        make_plan(evaluation(path, scorer=ScorerSpec(rule=rule)))
    assert "row 2" in str(refused.value)


def test_progress_is_json_lines_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(
        write_evaluation(tmp_path),
        directory=tmp_path,
        models={"fake": FakeSystem(right)},
        observer=JsonLines(),
    )
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["event"] for line in lines] == ["started"] + ["answered"] * 20
    assert lines[-1]["done"] == lines[-1]["total"] == 20
    assert lines[-1]["scores"] == {"first": [10.0, 10], "second": [10.0, 10]}
