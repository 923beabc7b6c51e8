"""Runs that stop as soon as their comparison is settled, and what may be said of them afterwards."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aliquot import compare, explain, from_frame, runs, to_polars
from aliquot.errors import RunStoppedError, UsageError
from aliquot.files.run_directory import RunDirectory
from aliquot.files.table_writing import write_table
from aliquot.reports.render import render
from aliquot.runner.evaluation import SystemSpec
from aliquot.runner.stored import StoredRun
from aliquot.stats import betting_capital, paired_sequence
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Reply
from aliquot.verbs.run import run
from tests.runner.evaluations import evaluation, right, write_evaluation, write_items
from tests.runner.test_judges import FILE, RUBRIC, answer, made, odd, verdict
from tests.runner.test_run import Notes


def answering(first: float, second: float, *, seed: str = "") -> Any:
    """A system that is right on about these shares of the items, always the same ones."""

    def answer(prompt: str) -> str:
        share = second if prompt.startswith("second") else first
        drawn = hashlib.sha256(f"{seed}{prompt}".encode()).digest()
        return right(prompt) if int.from_bytes(drawn[:4]) < share * 2**32 else "wrong"

    return answer


def went(folder: Path, fake: FakeSystem, **options: Any) -> Any:
    return run(folder / "trial.yaml", directory=folder / "runs", models={"fake": fake}, quiet=True, **options)


def test_it_stops_when_it_is_decided_and_says_what_it_saved(tmp_path: Path):
    fake, notes = FakeSystem(answering(0.6, 0.95)), Notes()
    write_evaluation(tmp_path, 300)
    done = run(
        tmp_path / "trial.yaml",
        directory=tmp_path / "runs",
        models={"fake": fake},
        observer=notes,
        stop_when="decided",
    )
    stopping = json.loads((done.path / "run.json").read_text())["stopping"]
    assert stopping["settled"]
    assert stopping["items"] == done.evidence.items.height < 150
    assert len(fake.asked) == 2 * stopping["items"]
    (line,) = runs(tmp_path / "runs").runs
    assert (line.status, line.given, line.asked) == ("finished", len(fake.asked), len(fake.asked))
    left = 600 - len(fake.asked)
    assert any(
        f"stopped by its rule (decided) after {stopping['items']} of 300 items" in text
        and f"{left} answers were not asked for" in text
        for text in notes.texts
    )


def test_its_finding_is_the_sequence_and_never_an_interval_of_a_fixed_number(tmp_path: Path):
    write_evaluation(tmp_path, 200)
    done = went(tmp_path, FakeSystem(answering(0.6, 0.95)), stop_when="decided")
    found = compare(done.path)
    order = [json.loads(line)["item"] for line in (done.path / "items.jsonl").read_text().splitlines()]
    values = {
        (row["system"], row["item"]): row["value"] for row in done.evidence.outcomes.iter_rows(named=True)
    }
    asked = order[: done.evidence.items.height]
    a, b = ([values[name, item] for item in asked] for name in ("first", "second"))
    expected = paired_sequence(a, b).last
    assert found.difference.method == "paired_betting_mixture"
    assert (found.difference.low, found.difference.high) == pytest.approx((expected.low, expected.high))
    assert [(named.test.name, named.decides) for named in found.tests] == [("e_process", True)]
    differences = [y - x for x, y in zip(a, b, strict=True)]
    assert found.deciding.p == pytest.approx(betting_capital(differences, 0, low=-1, high=1).p[-1])
    assert found.verdict.word == "better"
    assert (found.sequence.rule, found.sequence.units) == ("decided", len(asked))
    assert found.sequence.settled <= len(asked)
    assert found.sequence.steps[-1].low == pytest.approx(found.difference.low)
    assert [found.segments, found.power_seen, found.side_metrics, found.contrast] == [None] * 4
    text = render(found, verbose=True)
    assert "the interval that held at every look (95%)" in text
    assert "The run was to stop when: decided." in text
    assert found.baseline.estimate.method == "beta_binomial_mixture"
    (tmp_path / "finding.json").write_text(render(found, form="json"), encoding="utf-8")
    told = explain(tmp_path / "finding.json")
    assert {note.function for note in told.methods} >= {"paired_sequence", "betting_capital"}
    assert "sequence" in render(found, form="html")
    # an interval of a fixed number of items is nowhere near as wide
    assert found.difference.width > 2 * 1.96 * np.std(differences) / np.sqrt(len(asked))


def test_the_same_command_asks_nothing_more_and_another_rule_goes_on(tmp_path: Path):
    write_evaluation(tmp_path, 200)
    first = went(tmp_path, FakeSystem(answering(0.6, 0.95)), stop_when="decided")
    again = FakeSystem(answering(0.6, 0.95))
    second = went(tmp_path, again, stop_when="decided")
    assert again.asked == []
    assert second.evidence.outcomes.equals(first.evidence.outcomes)
    third = went(tmp_path, again, stop_when="better by 15pt")
    assert 0 < len(again.asked) < 400
    assert third.evidence.items.height > first.evidence.items.height
    whole = went(tmp_path, again)
    assert whole.evidence.items.height == 200
    # whoever looked on the way keeps the sequence, at the end too
    assert compare(whole.path).difference.method == "paired_betting_mixture"
    assert len(again.asked) + 2 * first.evidence.items.height == 400


def test_what_was_lost_is_asked_again_before_anything_else(tmp_path: Path):
    write_evaluation(tmp_path, 200)
    honest = answering(0.6, 0.95)
    lost: list[str] = []

    def answer(prompt: str) -> Any:
        if len(lost) < 2 and prompt.startswith("second"):
            lost.append(prompt)
            return Reply(text="", status="error", reason="500")
        return honest(prompt)

    first = went(tmp_path, FakeSystem(answer), stop_when="decided")
    assert first.evidence.items.height >= 10
    healed = FakeSystem(honest)
    second = went(tmp_path, healed, stop_when="decided")
    assert healed.asked[:2] == lost or set(healed.asked[:2]) == set(lost)
    assert (second.evidence.outcomes["status"] == "ok").all()


def test_an_interrupted_run_goes_on_to_the_same_stop(tmp_path: Path):
    write_evaluation(tmp_path, 200)
    whole = went(tmp_path, FakeSystem(answering(0.6, 0.95)), stop_when="decided")
    (tmp_path / "b").mkdir()
    write_evaluation(tmp_path / "b", 200)
    asked = 0

    def failing(prompt: str) -> str:
        nonlocal asked
        asked += 1
        if asked > 30:
            raise RunStoppedError("stopped: the machine")
        return answering(0.6, 0.95)(prompt)

    with pytest.raises(RunStoppedError):
        went(tmp_path / "b", FakeSystem(failing), stop_when="decided")
    done = went(tmp_path / "b", FakeSystem(answering(0.6, 0.95)), stop_when="decided")
    shorter, longer = sorted((done.evidence.items.height, whole.evidence.items.height))
    assert longer - shorter <= 8  # looks fall a round apart
    assert compare(done.path).verdict.word == compare(whole.path).verdict.word == "better"


def test_conversations_and_clusters_are_units_and_stand_whole(tmp_path: Path):
    rows = [
        {"id": f"i{k}", "question": f"q{k}.", "reference": f"a{k}", "doc": f"d{k // 3}"} for k in range(240)
    ]
    (tmp_path / "made.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    text = write_evaluation(tmp_path, 3).read_text().replace("segments: [kind]", "cluster: doc")
    (tmp_path / "trial.yaml").write_text(text)
    (tmp_path / "made.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = went(tmp_path, FakeSystem(answering(0.5, 0.97)), stop_when="decided")
    stopping = RunDirectory(done.path).manifest.stopping
    assert (stopping["unit"], stopping["largest"]) == ("cluster", 3)
    assert stopping["items"] == 3 * stopping["units"] < 240
    found = compare(done.path)
    assert found.difference.clusters == stopping["units"] == found.sequence.units
    assert found.sequence.unit == "cluster"


def test_a_table_of_such_a_run_still_says_that_it_could_stop(tmp_path: Path):
    write_evaluation(tmp_path, 120)
    done = went(tmp_path, FakeSystem(answering(0.5, 0.95)), stop_when="decided")
    expected = compare(done.path).difference
    whole = to_polars(done.evidence)
    write_table(tmp_path / "rows.csv", whole)
    plain = whole.select("system", "task", "item", "metric", "value", "item.place", "item.largest")
    lazy = plain.filter(metric="success").lazy()
    for source in (tmp_path / "rows.csv", from_frame(whole), from_frame(lazy)):
        found = compare(source, noise=None)
        assert (found.difference.low, found.difference.high) == (expected.low, expected.high)
        assert found.deciding.name == "e_process"
    unpaired = compare(done.path, unpaired=True)
    assert unpaired.verdict.word == "nothing_to_judge"


def test_a_stored_baseline_costs_nothing_to_ask(tmp_path: Path):
    items = write_items(tmp_path, 300)
    old = evaluation(
        items, name="old", systems={"first": SystemSpec(model="fake", prompt="first {{ question }}")}
    )
    fake = FakeSystem(answering(0.6, 0.95))
    run(old, directory=tmp_path, models={"fake": fake}, quiet=True)
    new = evaluation(
        items,
        systems={
            "october": SystemSpec(model=StoredRun(run=str(tmp_path / "old"))),
            "second": SystemSpec(model="fake", prompt="second {{ question }}"),
        },
    )
    before = len(fake.asked)
    done = run(new, directory=tmp_path, models={"fake": fake}, quiet=True, stop_when="better by 5pt")
    asked = len(fake.asked) - before
    assert asked == done.evidence.items.height < 150
    assert compare(done.path).verdict.word == "better"


def test_judges_have_their_say_before_each_look(tmp_path: Path):
    write_items(tmp_path, 120)
    (tmp_path / "correct.yaml").write_text(RUBRIC, encoding="utf-8")
    (tmp_path / "judged.yaml").write_text(FILE, encoding="utf-8")
    models = {"good": made(answer, "good"), "odd": made(odd, "odd"), "judge": made(verdict, "judge")}
    done = run(tmp_path / "judged.yaml", directory=tmp_path, models=models, quiet=True, stop_when="decided")
    asked = done.evidence.items.height
    assert len(models["odd"].asked) == len(models["good"].asked) == asked < 120
    differ = done.evidence.outcomes.filter(system="odd", metric="correct")["value"].to_list().count(0.0)
    assert len(models["judge"].asked) == asked + differ  # an answer that both gave is judged once
    found = compare(done.path)
    assert (found.verdict.word, found.difference.method) == ("worse", "paired_betting_mixture")


def test_equal_systems_are_asked_everything_and_stay_undecided(tmp_path: Path):
    write_evaluation(tmp_path, 60)
    fake, notes = FakeSystem(answering(0.8, 0.8)), Notes()
    done = run(
        tmp_path / "trial.yaml",
        directory=tmp_path / "runs",
        models={"fake": fake},
        observer=notes,
        stop_when="decided at 99%",
    )
    assert len(fake.asked) == 120
    assert any("not settled (decided at 99%) by all 60 of 60 items" in text for text in notes.texts)
    assert compare(done.path, level=0.99).verdict.word == "undecided"


def test_not_worse_stops_although_nothing_is_better(tmp_path: Path):
    write_evaluation(tmp_path, 400)
    done = went(tmp_path, FakeSystem(answering(0.9, 0.9)), stop_when="not worse by 25pt")
    assert done.evidence.items.height < 200
    assert compare(done.path, margin="25pt").verdict.word in {"not_worse", "equivalent"}


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        ("soon", "'soon' is no rule to stop at. Write one of: decided; better by 2pt"),
        ("better by", "is no rule to stop at"),
        ("decided by 2pt", "is no rule to stop at"),
        ("better by much", "'much' is not a margin"),
        ("decided at 0%", "level"),
    ],
)
def test_a_rule_that_is_none(tmp_path: Path, rule: str, says: str):
    write_evaluation(tmp_path, 5)
    fake = FakeSystem(right)
    with pytest.raises(UsageError, match=says):
        went(tmp_path, fake, stop_when=rule)
    assert fake.asked == []
    assert not (tmp_path / "runs" / "trial").exists()


def test_one_system_and_metrics_without_limits_cannot_be_watched(tmp_path: Path):
    one = evaluation(write_items(tmp_path, 5))
    with pytest.raises(UsageError, match="needs two systems, the baseline first; 'trial' has 1"):
        run(one, directory=tmp_path, models={"fake": FakeSystem(right)}, stop_when="decided", quiet=True)
    two = write_evaluation(tmp_path, 5)
    with pytest.raises(UsageError, match="only and stop_when exclude each other"):
        run(two, directory=tmp_path, only="broke:first,second", stop_when="decided", quiet=True)


@pytest.mark.heavy
def test_equal_systems_are_decided_in_few_runs_however_often_one_looks(tmp_path: Path):
    """25 runs of two systems that are equally often right, 100 items each, a look every few items."""
    wrong = 0
    for number in range(25):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_evaluation(folder, 100)
        done = went(folder, FakeSystem(answering(0.7, 0.7, seed=str(number))), stop_when="decided")
        wrong += RunDirectory(done.path).manifest.stopping["settled"]
    # at most 1.25 of 25 on average, and three standard errors of 1.1
    assert wrong <= 4
