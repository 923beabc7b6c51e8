"""Rescoring: stored answers under another rule, nothing asked, nothing overwritten, every change named."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from aliquot import compare, read, rescore
from aliquot.errors import AliquotError, InputError, UsageError
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import Guards, ScorerSpec
from aliquot.stats.results import Estimate
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run
from tests.cli.called import call
from tests.evidence_of import evidence_of
from tests.runner.evaluations import evaluation, right, write_evaluation, write_items
from tests.shared import shared


def wordy(prompt: str) -> str:
    """Answer rightly but for every fourth item of the second system; every fifth answer is a sentence."""
    answer = right(prompt)
    number = int(answer[1:])
    if number % 5 == 0:
        return f"It is {answer}."
    return "no" if "second" in prompt and number % 4 == 0 else answer


def finished(folder: Path, n: int = 20) -> Path:
    file = write_evaluation(folder, n)
    return run(file, directory=folder / "runs", models={"fake": FakeSystem(wordy)}).path


def changed(path: Path, old: str, new: str) -> Path:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return path


def test_both_outcomes_are_kept_and_every_change_is_named(tmp_path: Path) -> None:
    path = finished(tmp_path)
    journal, before = (path / "journal.jsonl").read_bytes(), read(path).outcomes
    found = rescore(path, scorer="exact")
    after = read(path).outcomes
    assert (path / "journal.jsonl").read_bytes() == journal
    assert after.filter(pl.col("metric") == "success").equals(before)
    new = after.filter(pl.col("metric") == "success,exact/1")
    assert set(new["scorer"]) == {"exact/1"}
    assert new["value"].sum() == 40 - 2 * 4 - 4  # sentences of i0, i5, i10, i15; "no" to i4, i8, i12, i16
    for one in found.systems:
        assert sorted(one.to_wrong) == ["i0", "i10", "i15", "i5"]
        assert (one.to_right, one.answers, one.one_sided) == ((), 20, 0)
    assert isinstance(found.systems[0].difference, Estimate)
    assert found.systems[0].difference.point == pytest.approx(-4 / 20)
    assert found.verdict.text == (
        "RESCORED by exact/1: 8 of 40 answers count otherwise, 0 from wrong to right and 8 from right to wrong."
    )


def test_compare_shows_the_new_rule_beside_the_old_and_under_its_own_name(tmp_path: Path) -> None:
    path = finished(tmp_path)
    rescore(path, scorer="exact")
    rules = compare(path).scoring
    assert rules is not None
    assert [(one.metric, one.scorer, one.relation) for one in rules.others] == [
        ("success,exact/1", "exact/1", "filter")
    ]
    assert compare(path, metric="success,exact/1").metric == "success,exact/1"


def test_the_new_outcomes_survive_a_rebuild_and_a_second_run(tmp_path: Path) -> None:
    path = finished(tmp_path)
    rescore(path, scorer="exact")
    rescore(path, scorer="exact")  # the same again replaces itself
    before = read(path).outcomes.sort(pl.all().exclude("parts"))
    fake = FakeSystem(wordy)
    again = run(tmp_path / "trial.yaml", directory=tmp_path / "runs", models={"fake": fake})
    assert fake.asked == []
    assert again.evidence.outcomes.sort(pl.all().exclude("parts")).equals(before)
    assert before.height == 80


def test_other_references_come_from_an_evaluation_and_are_part_of_the_name(tmp_path: Path) -> None:
    path = finished(tmp_path)
    changed(tmp_path / "made.jsonl", '"reference": "a4"', '"reference": "no"')
    found = rescore(path, evaluation=tmp_path / "trial.yaml")
    assert [one.to_right for one in found.systems] == [(), ("i4",)]
    assert [one.to_wrong for one in found.systems] == [("i4",), ()]
    assert found.metrics[0].startswith("success,words/1@")
    assert set(read(path).outcomes["metric"]) == {"success", *found.metrics}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"question": "q4."', '"question": "q5?"', r"made\.jsonl: 1 of 20 items ask something else .*: i4\."),
        ('"id": "i4"', '"id": "j4"', r"made\.jsonl: 1 of 20 items that were asked are not in it: i4\."),
        ('"reference": "a4"', '"reference": ""', r"made\.jsonl, row 5, field 'reference': item 'i4' has no"),
    ],
)
def test_items_that_are_not_those_asked_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = finished(tmp_path)
    before = (path / "evidence" / "rest.json").read_bytes()
    changed(tmp_path / "made.jsonl", old, new)
    with pytest.raises(InputError, match=message):
        rescore(path, evaluation=tmp_path / "trial.yaml")
    assert (path / "evidence" / "rest.json").read_bytes() == before
    assert not (path / "rescorings.jsonl").exists()


def test_what_cannot_be_scored_says_why(tmp_path: Path) -> None:
    path = finished(tmp_path)
    with pytest.raises(UsageError, match="say by which rule"):
        rescore(path)
    with pytest.raises(UsageError, match=r"no rule 'wrods'\. Did you mean 'words'"):
        rescore(path, scorer="wrods")
    with pytest.raises(InputError, match=r"the rule 'number' needs a number .*--evaluation FILE"):
        rescore(path, scorer="number")
    with pytest.raises(InputError, match="keeps no answers"):
        rescore(evidence_of({"a": [1.0, 0.0]}), scorer="exact")
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "journal.jsonl").touch()
    with pytest.raises(InputError, match="holds no answers yet"):
        rescore(tmp_path / "empty", scorer="exact")
    (path / "rescorings.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(InputError, match="not a run's rescorings"):
        rescore(path, scorer="exact")


def test_cut_and_lost_answers_keep_their_status(tmp_path: Path) -> None:
    from aliquot.systems.replies import Reply

    script = {
        "q0.": Reply(text="a0", status="truncated"),
        "q1.": Reply(text="", status="error", reason="500"),
        "q2.": "It is a2.",
    }
    given = evaluation(write_items(tmp_path, 3), guards=Guards(parse_rate=0))
    path = run(given, directory=tmp_path, models={"fake": FakeSystem(script)}).path
    (one,) = rescore(path, scorer="exact").systems
    assert (one.answers, one.to_wrong, one.statuses) == (2, ("i2",), {"error": 1, "ok": 1, "truncated": 1})


def test_attempts_are_named_apart(tmp_path: Path) -> None:
    given = evaluation(write_items(tmp_path, 2), attempts=2)
    path = run(
        given, directory=tmp_path, models={"fake": FakeSystem({"q0.": ["a0", "It is a0"], "q1.": "a1"})}
    ).path
    (one,) = rescore(path, scorer="exact").systems
    assert one.to_wrong == ("i0 (attempt 2)",)


def test_rules_named_by_the_items_are_all_in_the_name(tmp_path: Path) -> None:
    items = write_items(tmp_path, 4)
    rows = [json.loads(line) for line in items.read_text(encoding="utf-8").splitlines()]
    items.write_text(
        "".join(json.dumps(row | {"rule": "exact" if k else "words"}) + "\n" for k, row in enumerate(rows))
    )
    path = run(evaluation(items), directory=tmp_path, models={"fake": FakeSystem(right)}).path
    found = rescore(path, evaluation=evaluation(items, scorer=ScorerSpec(field="rule")))
    assert found.scorer.startswith("exact/1+words/1@")


def test_a_log_is_scored_too_and_written_where_it_is_told(tmp_path: Path) -> None:
    log = shared("logs", "inspect", "2026-11-29T17-39-20-00-00_toy-add_5ePAd3NJvrdSZB8pSPdgs3.eval")
    found = rescore(log, scorer="exact", output=tmp_path / "both.parquet")
    kept = read(tmp_path / "both.parquet")
    old, new = (kept.outcomes.filter(pl.col("metric") == name) for name in ("match", *found.metrics))
    assert old.height == new.height == found.systems[0].answers == 40
    moved = int((old["value"].sum() or 0) - (new["value"].sum() or 0))
    assert moved == len(found.systems[0].to_wrong) - len(found.systems[0].to_right)


def test_references_that_fit_no_answer_are_warned_of() -> None:
    log = shared("logs", "promptfoo", "two_prompts.json")
    found = rescore(log, scorer="words")
    assert "none_right" in {note.code for note in found.warnings}


def test_the_command_prints_and_writes(tmp_path: Path) -> None:
    path = finished(tmp_path)
    done = call("rescore", path, "--scorer", "exact", "-o", tmp_path / "both.csv")
    assert done.code == 0
    assert "first, now wrong: i0, i10, i15, i5." in done.text
    assert f"Keptassuccess,exact/1in{tmp_path / 'both.csv'};" in done.text.replace(" ", "")
    assert not (path / "rescorings.jsonl").exists()
    assert (
        json.loads(call("rescore", path, "--scorer", "exact", "--json").out)["verdict"]["word"] == "undecided"
    )
    assert call("rescore", path).code == 2
    assert "-o" in call("rescore", "--help").out


def test_a_running_process_is_not_disturbed(tmp_path: Path) -> None:
    from aliquot.files.journal import Journal

    path = finished(tmp_path)
    with Journal.open(RunDirectory(path).journal_path), pytest.raises(AliquotError, match="another process"):
        rescore(path, scorer="exact")
