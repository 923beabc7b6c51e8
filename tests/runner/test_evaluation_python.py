"""Evaluations written in Python: executed, anchored at their file, and wrong ones refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import aliquot
from aliquot.errors import InputError, UsageError
from aliquot.runner.evaluation_python import load_evaluation
from aliquot.systems.own import PythonFunction
from tests.cli.called import call
from tests.runner.evaluations import RIGHT_MODULE, write_items

GOOD = f"""\
import aliquot
{RIGHT_MODULE}
SPEC = aliquot.SystemSpec(model="mine", prompt="{{{{ question }}}}")
models = {{"mine": aliquot.function_system(answer, version="1")}}
evaluation = aliquot.Evaluation(
    name="trial", items="made.jsonl", scorer=aliquot.ScorerSpec(rule="words"), systems={{"first": SPEC}},
)
"""


def write(folder: Path, text: str = GOOD) -> Path:
    folder.mkdir(exist_ok=True)
    write_items(folder, 4)
    file = folder / "evaluation.py"
    file.write_text(text, encoding="utf-8")
    return file


def test_it_runs_from_another_folder_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    file = write(tmp_path / "there")
    for _ in range(2):
        found = aliquot.run(file, directory=tmp_path / "runs")
        assert found.evidence.outcomes["value"].to_list() == [1.0] * 4
    assert len((found.path / "journal.jsonl").read_text(encoding="utf-8").splitlines()) == 4
    assert aliquot.rescore(found.path, evaluation=file).scorer.startswith("words/1")


def test_a_function_may_make_it_and_what_it_names_is_relative_to_the_file(tmp_path: Path) -> None:
    text = GOOD.replace("evaluation = aliquot.Evaluation(", "def evaluation():\n  return aliquot.Evaluation(")
    text = text.replace('model="mine"', 'model=aliquot.PythonFunction(python="evaluation.py:answer")')
    file = write(tmp_path / "there", text)
    loaded = load_evaluation(file)
    model = loaded.evaluation.systems["first"].model
    assert isinstance(model, PythonFunction)
    assert model.folder == str(tmp_path / "there")
    assert loaded.evaluation.items == str(tmp_path / "there" / "made.jsonl")
    assert aliquot.run(file, directory=tmp_path / "runs").evidence.outcomes["value"].sum() == 4.0


def test_what_is_given_to_run_stands_above_what_the_file_gives(tmp_path: Path) -> None:
    fake = aliquot.FakeSystem({}, default="no")
    found = aliquot.run(write(tmp_path), directory=tmp_path / "runs", models={"mine": fake})
    assert found.evidence.outcomes["value"].sum() == 0.0
    assert not fake.closed


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("evaluation =", "evaluaton =", "evaluation.py has no 'evaluation'"),
        (
            "evaluation =",
            "evaluation = 7 or",
            "evaluation is 7, which is no Evaluation. Write: evaluation = aliquot",
        ),
        ('name="trial"', 'name="../x"', r"cannot name a run: .*evaluation\.py line \d+"),
        ('"words"', '"wrods"', "Did you mean 'words'"),
        ('name="trial", ', "", r"TypeError: .*missing 1 required keyword-only argument: 'name'"),
        ("evaluation = ", "raise SystemExit\nx = ", "ends the program when it is loaded"),
        ("import aliquot", "import aliquot as", r"evaluation\.py line 1 is not valid Python"),
        ("models = {", "models = 7 or {", "field 'models': models is no dict of systems by name"),
        ('aliquot.function_system(answer, version="1")', "answer", r"'mine' is no system\. Wrap a function"),
    ],
)
def test_a_wrong_file_is_one_line(old: str, new: str, words: str, tmp_path: Path) -> None:
    assert old in GOOD
    file = write(tmp_path, GOOD.replace(old, new))
    with pytest.raises(InputError, match=words) as caught:
        aliquot.run(file, directory=tmp_path / "runs")
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "runs").exists()


def test_no_file_a_function_for_a_system_and_the_command_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no evaluation file"):
        load_evaluation(tmp_path / "nowhere.py")
    file = write(tmp_path)
    with pytest.raises(
        UsageError, match=r"models\['mine'\] is no system; wrap a function: aliquot.function_system"
    ):
        aliquot.run(file, directory=tmp_path / "runs", models={"mine": len})  # type: ignore[dict-item]
    result = call("run", str(file), "--directory", str(tmp_path / "runs"))
    assert result.code == 0, result.err
    file.write_text("raise ValueError('boom')", encoding="utf-8")
    result = call("run", str(file))
    assert (result.code, "Traceback" in result.err) == (2, False)
    assert "ValueError: boom" in result.err
