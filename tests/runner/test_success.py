"""Success criteria: said before the run, kept with it, held against what came out, and never changed in silence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aliquot.analysis.plan_check import read_criterion
from aliquot.errors import InputError, UsageError
from aliquot.files.plan_file import fingerprint
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import Evaluation, SystemSpec
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.runner.success import Success
from aliquot.stats.results import Estimate, Undefined
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.compare import compare
from aliquot.verbs.run import run
from aliquot.verbs.summarize import summarize
from tests.runner.evaluations import TEMPLATE, evaluation, right, write_items
from tests.runner.test_run import Notes

SYSTEMS = {
    name: SystemSpec(model="fake", prompt=f"{name} {{{{ question }}}}") for name in ("first", "second")
}
WANTED = Success(direction="not_worse", margin=0.05, at_least=0.8)


def script(prompt: str) -> str:
    """The second system answers all, the first nine of ten."""
    return "wrong" if prompt.startswith("first") and prompt.endswith("3.") else right(prompt)


def ran(folder: Path, success: Success | None, *, n: int = 120, **changes: object) -> tuple[Path, list[str]]:
    given: Evaluation = evaluation(write_items(folder, n), systems=SYSTEMS, success=success, **changes)
    notes = Notes()
    return run(given, directory=folder, models={"fake": FakeSystem(script)}, observer=notes).path, notes.texts


def test_criteria_are_kept_and_are_the_defaults_of_what_judges_the_run(tmp_path: Path):
    path, _ = ran(tmp_path, WANTED)
    manifest = RunDirectory(path).manifest
    assert manifest is not None
    (kept,) = manifest.criteria
    assert kept.after == 0
    assert kept.plan is not None
    assert kept.plan.hash == fingerprint(kept.plan)
    found = compare(path)
    assert (found.margin, found.level) == (0.05, 0.95)
    assert found.plan is not None
    assert found.plan.word == "met"
    assert [one.word for one in found.plan.criteria] == ["met", "met"]
    assert "MET (not worse by 5 points; at least 80% passed)" in found.verdict.text
    summary = summarize(path)
    assert summary.verdict.word == "met"
    assert "The floor is the success criterion of 2" in summary.verdict.text


def test_what_the_caller_says_wins_and_the_departure_is_said(tmp_path: Path):
    path, _ = ran(tmp_path, WANTED)
    found = compare(path, margin="9pt")
    assert found.margin == 0.09
    assert found.warnings[0].text.startswith("departs from the success criteria")
    weaker = compare(path, level=0.8)
    assert weaker.plan is not None
    assert (weaker.plan.word, weaker.plan.criteria) == (None, ())  # another claim than the one that was fixed
    assert summarize(path, at_least=0.99).verdict.word == "not_met"


def test_criteria_changed_after_answers_were_seen_are_said_to_be(tmp_path: Path):
    path, _ = ran(tmp_path, WANTED)
    _, texts = ran(tmp_path, replace(WANTED, margin=0.3))
    assert texts[0] == (
        "the success criteria were changed after 240 answers; comparisons of this run will say so"
    )
    found = compare(path)
    assert found.margin == 0.3
    assert found.warnings[0].text == "the success criteria were changed after 240 answers were there"
    _, texts = ran(tmp_path, replace(WANTED, margin=0.3))
    assert not [text for text in texts if "success" in text]
    assert len(RunDirectory(path).manifest.criteria) == 2  # type: ignore[union-attr]


def test_three_systems_share_the_error_of_two_planned_comparisons(tmp_path: Path):
    systems = {**SYSTEMS, "third": replace(SYSTEMS["second"], prompt="third {{ question }}")}
    given = evaluation(write_items(tmp_path, 60), systems=systems, success=Success(direction="better"))
    path = run(given, directory=tmp_path, models={"fake": FakeSystem(script)}).path
    assert compare(path, systems=("first", "third")).level == pytest.approx(0.975)


@pytest.mark.parametrize(
    ("low", "high", "direction", "word"),
    [
        (0.01, 0.2, "better", "met"),
        (-0.01, 0.2, "better", "undecided"),
        (-0.2, -0.01, "better", "not_met"),
        (-0.04, -0.01, "not_worse", "met"),
        (-0.06, 0.2, "not_worse", "undecided"),
        (-0.06, -0.01, "not_worse", "not_met"),
        (-0.04, 0.04, "equivalent", "met"),
        (-0.04, 0.06, "equivalent", "undecided"),
        (0.06, 0.2, "equivalent", "not_met"),
    ],
)
def test_a_criterion_is_read_from_the_one_interval(low: float, high: float, direction: str, word: str):
    found = Estimate((low + high) / 2, low, high, 0.95, "tango", 100)
    mirrored = Estimate(-(low + high) / 2, -high, -low, 0.95, "tango", 100)
    assert read_criterion(found, direction, margin=0.05, better="higher") == word  # type: ignore[arg-type]
    assert read_criterion(mirrored, direction, margin=0.05, better="lower") == word  # type: ignore[arg-type]
    nothing = read_criterion(Undefined("no row"), direction, margin=0.05, better="higher")  # type: ignore[arg-type]
    assert nothing == "nothing_to_judge"


def test_criteria_are_read_from_the_file_and_refused_with_their_line():
    def parsed(text: str) -> Success | None:
        whole = TEMPLATE.format(items="made.jsonl").replace("seed: 3", f"success: {text}")
        return parse_evaluation(whole, file="trial.yaml").success

    assert parsed("{margin: 2pt, at_least: 90%}") == Success(direction="not_worse", margin=0.02, at_least=0.9)
    for text, wrong in (
        ("{direction: equivalent}", "needs a margin"),
        ("{margin: 200pt}", "as wide as the whole scale"),
        ("{at_least: 1.5}", "between 0 and 1"),
        ("{level: 0.9}", "neither a direction"),
        ("{margn: 2pt}", "margin"),
    ):
        with pytest.raises(InputError, match=wrong) as caught:
            parsed(text)
        assert "trial.yaml" in str(caught.value)
        assert "3" in str(caught.value)  # the line
    with pytest.raises(UsageError, match="comparisons"):
        Success(direction="better", comparisons=0)
