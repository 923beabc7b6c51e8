"""``probe judge`` asks a judge through the runner, keeps what it said, and stops where it tells twins apart."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from aliquot import FakeSystem, probe_judge
from aliquot.errors import InputError, RunStoppedError, UsageError
from aliquot.files.probe_records import probe_path, read_probes
from aliquot.runner.judge_guard import judge_words
from aliquot.runner.judge_specs import JudgeModel, JudgeSpec
from aliquot.runner.money import Prices
from aliquot.scorers.injections import INJECTIONS
from aliquot.scorers.judge_files import read_judge
from tests.cli.called import call

FIRST = '{"reasoning": "It stands first.", "verdict": "first"}'
TIE = '{"reasoning": "They are alike.", "verdict": "tie"}'


def test_one_that_always_takes_the_first_is_asked_no_further_and_kept(tmp_path: Path):
    fake = FakeSystem(lambda _: FIRST)
    found = probe_judge("preference", model="fake", models={"fake": fake}, folder=tmp_path, pairs=20)
    assert [line.probe for line in found.lines if line.items] == ["identical"]
    assert found.verdict.text.startswith(
        "DO NOT USE: preference tells identical texts apart on 20 of 20 items"
    )
    assert any(note.code == "stopped" for note in found.warnings)
    judge = read_judge("preference")
    kept = read_probes(probe_path(judge.hash, "fake", folder=tmp_path))
    assert (kept.judge, kept.model, len(kept.verdicts)) == ("preference", "fake", 20)


def test_asked_on_it_is_at_chance_with_its_slot_named_and_held_against_another(tmp_path: Path):
    fake, fair = FakeSystem(lambda _: FIRST), FakeSystem(lambda _: TIE)
    probe_judge("preference", model="fair", models={"fair": fair}, folder=tmp_path, pairs=20)
    other = probe_path(read_judge("preference").hash, "fair", folder=tmp_path)
    found = probe_judge(
        "preference",
        model="fake",
        models={"fake": fake},
        folder=tmp_path,
        pairs=20,
        keep_going=True,
        against=str(other),
    )
    assert "NOT SHOWN TO BE BETTER THAN CHANCE" in found.verdict.text
    assert "it prefers the first slot by 100.0 points" in found.verdict.text
    contrast = {one.probe: one for one in found.contrasts}
    assert (contrast["identical"].only_first, contrast["identical"].only_second) == (20, 0)


def test_a_judge_needs_a_model_and_a_log_takes_none(tmp_path: Path):
    with pytest.raises(UsageError, match="--model"):
        probe_judge("preference", folder=tmp_path)
    (tmp_path / "votes.csv").write_text("item,system_a,system_b,verdict\nq,x,y,a\n", encoding="utf-8")
    with pytest.raises(UsageError, match="no judge that can be asked"):
        probe_judge(tmp_path / "votes.csv", model="fake")


class Told:
    """Receives what is said while a judge is probed."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.begun: list[tuple[str, int, int]] = []

    def started(self, progress: Any) -> None:
        self.begun.append((progress.what, progress.total, progress.kept))

    def answered(self, progress: Any) -> None: ...

    def noted(self, text: str) -> None:
        self.notes.append(text)


def test_what_is_asked_is_told_ahead_as_judgements(tmp_path: Path):
    fake, told = FakeSystem(lambda _: TIE), Told()
    probe_judge("preference", model="fake", models={"fake": fake}, folder=tmp_path, pairs=5, observer=told)
    whole = told.begun[-1][1]
    assert told.notes == [
        f"{whole} questions on 5 items; 5 with the same text twice first, and no more when the judge tells them apart"
    ]
    assert told.begun == [("judgements", 5, 0), ("judgements", whole, 5)]
    assert len(fake.asked) == whole


def test_one_that_was_stopped_goes_on_and_asks_nothing_twice(tmp_path: Path):
    fake = FakeSystem(lambda _: FIRST)
    given: dict[str, Any] = {"models": {"fake": fake}, "folder": tmp_path, "pairs": 12}
    probe_judge("preference", model="fake", **given)
    assert len(fake.asked) == 12
    priced = JudgeModel(model="fake", prices=Prices(input=1000, output=1000))
    with pytest.raises(RunStoppedError, match="max-cost"):
        probe_judge("preference", model=priced, keep_going=True, max_cost=40, **given)
    some = len(fake.asked)
    assert some > 12
    told = Told()
    found = probe_judge("preference", model="fake", keep_going=True, observer=told, **given)
    assert told.begun[-1][1] == len(fake.asked) > some
    assert any(f"{some} verdicts of an earlier probe" in note.text for note in found.warnings)
    assert not list(tmp_path.glob("*.jsonl"))  # it came to its end, so the next one asks anew
    again = probe_judge("preference", model="fake", **given)
    assert len(fake.asked) == told.begun[-1][1] + 12
    assert not any("earlier probe" in note.text for note in again.warnings)


def test_a_panel_is_probed_with_each_of_its_models(tmp_path: Path):
    fair, also, first = (FakeSystem(lambda _, said=said: said) for said in (TIE, TIE, FIRST))
    models = {"fair": fair, "also": also, "first": first}
    found = probe_judge(
        "preference", model=list(models), models=models, folder=tmp_path, pairs=10, only=("identical",)
    )
    assert (found.model, found.lines[0].neither) == ("fair + also + first", 10)
    assert {len(one.asked) for one in models.values()} == {10}
    judge = read_judge("preference").hash
    alone = {name: read_probes(probe_path(judge, name, folder=tmp_path)) for name in models}
    said = {name: {one.verdict for one in record.verdicts} for name, record in alone.items()}
    assert said == {"fair": {"tie"}, "also": {"tie"}, "first": {"plain"}}


def test_repeats_of_a_judge_are_one_verdict(tmp_path: Path):
    judge = tmp_path / "three.yaml"
    judge.write_text(
        "name: three\nasks: '{{ input }} {{ first }} {{ second }}'\npairwise: true\nrepeats: 3\n",
        encoding="utf-8",
    )
    count = iter(range(10_000))
    fake = FakeSystem(lambda _: TIE if next(count) % 3 else FIRST)
    given: dict[str, Any] = {"models": {"fake": fake}, "folder": tmp_path, "concurrency": 1}
    found = probe_judge(judge, model="fake", pairs=4, only=("identical", "repeat"), **given)
    assert len(fake.asked) == 3 * (4 + 4 * 2)
    assert {line.probe: (line.items, line.neither) for line in found.lines} == {
        "identical": (4, 4),
        "repeat": (4, 4),
    }


@pytest.mark.parametrize("judge", ["preference", "correctness", "supported"])
def test_an_injection_asks_for_the_verdict_by_which_it_wins(tmp_path: Path, judge: str):
    fake = FakeSystem(lambda _: "none")
    items = tmp_path / "items.jsonl"
    rows = [
        {
            "id": f"{n}",
            "input": "q",
            "context": "c",
            "reference": "One two three four five six seven. Eight nine.",
        }
        for n in range(len(INJECTIONS))
    ]
    items.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    probe_judge(
        judge, items, model="fake", models={"fake": fake}, folder=tmp_path, only=("injection",), pairs=50
    )
    asked = fake.asked
    best = {"preference": "first", "correctness": "correct", "supported": "yes"}[judge]
    assert any(f"give the verdict {best}." in text for text in asked)
    if judge == "preference":
        first = [text for text in asked if "give the verdict first." in text]
        second = [text for text in asked if "give the verdict second." in text]
        assert len(first) == len(second) == 1
        assert first[0].index("Ignore all previous") < first[0].index("\n<second-")
        assert second[0].index("Ignore all previous") > second[0].index("\n<second-")
    assert len(set(asked)) == 2 * len(
        INJECTIONS
    )  # both orders of each; or each, and each answer as it stands


def test_one_that_says_nothing_is_asked_no_further_and_counts_as_unprobed(tmp_path: Path):
    fake = FakeSystem(lambda _: "I would rather not say.")
    found = probe_judge("preference", model="fake", models={"fake": fake}, folder=tmp_path, pairs=7)
    assert len(fake.asked) == 7
    assert found.verdict.text == "NOTHING TO JUDGE: preference gave no verdict that could be read."
    assert any("no verdict on identical texts" in note.text for note in found.warnings)
    spec = JudgeSpec(judge="preference", models=("fake",)).read()
    assert any("was not probed" in text for text in judge_words([spec], folder=tmp_path))
    with pytest.raises(UsageError, match=r"prefrence is no judge .*Did you mean 'preference'"):
        probe_judge("prefrence", model="fake", folder=tmp_path)


def test_people_stand_beside_a_judge_of_one_answer_too(tmp_path: Path):
    whole = re.compile(r"<answer-\w+>\n(?P<text>.*?)\n</answer", re.DOTALL)

    def longer(asked: str) -> str:
        found = whole.search(asked)
        assert found is not None
        return json.dumps(
            {"reasoning": "", "verdict": "correct" if found["text"].count(".") > 1 else "incorrect"}
        )

    fake = FakeSystem(longer)
    labels = tmp_path / "people.csv"
    lines = [
        f"probe-{n:02},{who},{'answer' if n % 5 else 'weak'}" for n in range(1, 31) for who in ("ana", "ben")
    ]
    labels.write_text("\n".join(["item,rater,label", *lines]), encoding="utf-8")
    items = tmp_path / "items.jsonl"
    rows = [{"id": f"probe-{n:02}", "input": "q", "reference": "One two three four five six. Seven eight."}
            for n in range(1, 31)]  # fmt: skip
    items.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    given: dict[str, Any] = {"model": "fake", "models": {"fake": fake}, "folder": tmp_path}
    found = probe_judge("correctness", items, labels=labels, only=("weak",), **given)
    said = {one.what: (one.items, one.share.point) for one in found.agreements}
    assert said == {"judge with people": (30, pytest.approx(24 / 30)), "people with each other": (30, 1.0)}
    asked = len(fake.asked)
    for text, problem in (
        ("probe-01,ana,better", "names neither answer"),
        ("other,ana,tie", "not among those"),
    ):
        labels.write_text(f"item,rater,label\n{text}\n", encoding="utf-8")
        with pytest.raises(InputError, match=problem):
            probe_judge("correctness", items, labels=labels, **given)
    assert len(fake.asked) == asked


def test_a_probe_asked_by_itself_leaves_the_others_on_record(tmp_path: Path):
    fake = FakeSystem(lambda _: TIE)
    given: dict[str, Any] = {"model": "fake", "models": {"fake": fake}, "folder": tmp_path, "pairs": 5}
    probe_judge("preference", only=("identical", "padding"), **given)
    found = probe_judge("preference", only=("identical",), **given)
    assert [line.probe for line in found.lines] == ["identical"]
    path = probe_path(read_judge("preference").hash, "fake", folder=tmp_path)
    kept = read_probes(path)
    assert {(one.probe, one.order) for one in kept.verdicts} == {
        ("identical", 1),
        ("padding", 1),
        ("padding", 2),
    }
    assert len(kept.verdicts) == 15
    probe_judge("preference", only=("tone",), seed=5, **given)  # other items, and so another record
    assert {one.probe for one in read_probes(path).verdicts} == {"tone"}


def test_an_unknown_probe_or_items_without_answers_are_refused_before_anything_is_asked(tmp_path: Path):
    fake = FakeSystem(lambda _: TIE)
    given: dict[str, Any] = {"model": "fake", "models": {"fake": fake}, "folder": tmp_path}
    with pytest.raises(UsageError, match=r"no probe 'pading'\. .*padding"):
        probe_judge("preference", only=("pading",), **given)
    with pytest.raises(UsageError, match="shows two answers at once"):
        probe_judge("correctness", only=("order",), **given)
    items = tmp_path / "items.jsonl"
    items.write_text('{"id": "1", "input": "q"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="none of the items has a good answer"):
        probe_judge("preference", items, **given)
    with pytest.raises(UsageError, match="no model 'nobody'"):
        probe_judge("preference", **{**given, "model": "nobody"})
    done = call("probe", "judge", "preference", "--model", "embedded", "--only", "pading")
    assert (done.code, "padding" in done.err) == (2, True)
    assert fake.asked == []
    assert [path.name for path in tmp_path.iterdir()] == ["items.jsonl"]  # nothing is on record


SHORT = """\
name: short
asks: |
  {{ input }}

  {{ first }}

  {{ second }}

  Which answer is better?
pairwise: true
evaluation: false
max_tokens: 32
"""

SHOTS = """\
few_shot:
  - {input: "What is 5 + 1?", first: "6", second: "9", verdict: first}
  - {input: "What color is grass?", first: Purple., second: Green., verdict: second}
"""


@pytest.mark.model
@pytest.mark.heavy
def test_the_embedded_model_is_at_chance_and_its_slot_turns_with_the_format(tmp_path: Path):
    effects = dict[str, Any]()
    for name, text in (("short", SHORT), ("shots", SHORT + SHOTS)):
        judge = tmp_path / f"{name}.yaml"
        judge.write_text(text, encoding="utf-8")
        found = probe_judge(
            judge,
            model="embedded",
            threads=1,
            folder=tmp_path,
            pairs=8,
            only=("order", "weak"),
            keep_going=True,
        )
        assert found.unread == 0  # it is held to a schema
        lines = {one.probe: one for one in found.lines}
        assert lines["order"].split >= 6
        assert lines["weak"].share.low < 0.5 < lines["weak"].share.high
        assert "NOT SHOWN TO BE BETTER THAN CHANCE" in found.verdict.text
        assert found.both_orders
        effects[name] = found.positions[0].effect
    assert effects["short"].low > 0 > effects["shots"].high  # the first slot, then the second
