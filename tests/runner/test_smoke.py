"""The smoke test: who is asked what first, what stops a run there, and what goes on where it stopped."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aliquot import summarize
from aliquot.errors import RunStoppedError, UsageError
from aliquot.files.manifest import read_manifest
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import NO_GUARDS, Guards, SampleSpec, ScorerSpec, SystemSpec
from aliquot.runner.evaluation_file import parse_evaluation
from aliquot.runner.guards import LOST_IN_A_ROW
from aliquot.runner.plan import make_plan
from aliquot.systems.callables import function_system
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import REASONED, Reply
from aliquot.verbs.run import run
from tests.runner.evaluations import cut, evaluation, right, write_evaluation, write_items
from tests.runner.test_interruptions import start, wait_for_answers
from tests.runner.test_run import Notes
from tests.shared import shared

LOST = Reply(text="", status="error", reason="HTTP 503: overloaded")
TWO = {name: SystemSpec(model=name, prompt="{{ question }}") for name in ("good", "bad")}


def labelled(folder: Path, labels: list[str], *, segment: str | None = None) -> Path:
    path = folder / "labelled.jsonl"
    rows = [{"id": f"i{k}", "question": f"q{k}.", "reference": label} for k, label in enumerate(labels)]
    if segment:
        rows = [row | {segment: str(k % 4)} for k, row in enumerate(rows)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def choices(path: Path, **changes: object):
    return evaluation(path, scorer=ScorerSpec(rule="choice"), **changes)


def test_every_system_is_asked_the_first_24_before_any_is_asked_the_rest(tmp_path: Path) -> None:
    fake = FakeSystem(right)
    run(write_evaluation(tmp_path, 60), directory=tmp_path, models={"fake": fake}, concurrency=1)
    turns = [text.split()[0] for text in fake.asked]
    assert turns == ["first"] * 24 + ["second"] * 24 + ["first"] * 36 + ["second"] * 36
    assert {text.split()[1] for text in fake.asked[:24]} == {text.split()[1] for text in fake.asked[24:48]}
    assert set(Counter(fake.asked).values()) == {1}


def test_a_broken_second_system_is_found_before_the_first_has_spent_everything(tmp_path: Path) -> None:
    good, bad = FakeSystem(right), FakeSystem(cut)
    path = write_items(tmp_path, 200)
    with pytest.raises(
        RunStoppedError, match="24 of the first 24 answers of 'bad' used up max_tokens"
    ) as stop:
        run(evaluation(path, systems=TWO), directory=tmp_path, models={"good": good, "bad": bad})
    assert stop.value.exit_code == 6
    assert (len(good.asked), len(bad.asked)) == (24, 24)
    with pytest.raises(RunStoppedError):
        run(evaluation(path, systems=TWO), directory=tmp_path, models={"good": good, "bad": bad})
    assert (len(good.asked), len(bad.asked)) == (24, 24)  # stopped again before anything was asked
    off = evaluation(path, systems=TWO, guards=NO_GUARDS)
    assert run(off, directory=tmp_path, models={"good": good, "bad": bad}).evidence.responses.height == 400
    assert (len(good.asked), len(bad.asked)) == (200, 200)


@pytest.mark.parametrize(("answer", "words"), [
    (cut, "24 of the first 24 answers of 'first' used up max_tokens (256), so the run would measure the budget"),
    (lambda _: Reply(text="", tokens_reasoning=64), "256), 24 of them by thinking alone, so the run"),
    (lambda _: "...", "only 0 of the first 24 answers of 'first' could be read (24 unparsed). Look at them"),
    (lambda _: "", "could be read (24 failed). Look at them with aliquot show: the system may answer with nothing"),
    (lambda _: Reply(text="", status="timeout"), "(24 timeout). Look at them with aliquot show: timeout_s"),
    (lambda _: LOST, "the last 24 requests to 'first' were lost ('HTTP 503: overloaded')"),
])  # fmt: skip
def test_the_message_says_what_to_look_at_and_what_to_change(tmp_path: Path, answer, words: str) -> None:
    with pytest.raises(RunStoppedError) as stop:
        run(evaluation(write_items(tmp_path, 40)), directory=tmp_path, models={"fake": FakeSystem(answer)})
    assert words in str(stop.value)
    assert "\n" not in str(stop.value)


@pytest.mark.parametrize(("broken", "stops"), [(12, False), (13, True)])
def test_half_is_the_limit_of_each_share(tmp_path: Path, broken: int, stops: bool) -> None:
    path = write_items(tmp_path, 24)
    for number, reply in enumerate((cut(""), "...", LOST)):
        fake = FakeSystem(
            lambda prompt, reply=reply: reply if int(right(prompt)[1:]) < broken else right(prompt)
        )
        asked = evaluation(path, name=f"r{number}")
        if stops:
            with pytest.raises(RunStoppedError):
                run(asked, directory=tmp_path, models={"fake": fake})
        else:
            assert run(asked, directory=tmp_path, models={"fake": fake}).evidence.responses.height == 24


def test_nine_answers_are_too_few_to_judge_and_ten_are_not(tmp_path: Path) -> None:
    assert run(evaluation(write_items(tmp_path, 9)), directory=tmp_path, models={"fake": FakeSystem(cut)})
    ten = evaluation(write_items(tmp_path, 10), name="ten")
    with pytest.raises(RunStoppedError, match="10 of the first 10"):
        run(ten, directory=tmp_path, models={"fake": FakeSystem(cut)})
    four = evaluation(write_items(tmp_path, 40), name="four", guards=Guards(first=4))
    with pytest.raises(RunStoppedError, match="4 of the first 4"):
        run(four, directory=tmp_path, models={"fake": FakeSystem(cut)})


def test_a_server_that_goes_down_half_way_stops_the_run_and_what_was_lost_is_asked_again(
    tmp_path: Path,
) -> None:
    path, times = write_items(tmp_path, 400), Counter[str]()

    def answer(prompt: str) -> str | Reply:
        times["asked"] += 1
        return right(prompt) if times["asked"] <= 100 else LOST

    with pytest.raises(RunStoppedError, match="then run the same command"):
        run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(answer)})
    assert times["asked"] <= 100 + LOST_IN_A_ROW + 4
    fake = FakeSystem(right)
    assert (
        run(evaluation(path), directory=tmp_path, models={"fake": fake}).evidence.outcomes["value"].sum()
        == 400
    )
    assert len(fake.asked) == 300


def test_a_cut_answer_that_its_opening_decides_is_no_reason_to_stop(tmp_path: Path) -> None:
    path = labelled(tmp_path, ["comply"] * 20 + ["refuse"] * 10)
    fake = FakeSystem(lambda _: Reply(text="Sure, here is how", status="truncated"))
    asked = evaluation(path, scorer=ScorerSpec(rule="refusal"))
    assert run(asked, directory=tmp_path, models={"fake": fake}).evidence.outcomes["value"].sum() == 20


def test_more_workers_than_items_of_the_smoke_test_do_not_wait(tmp_path: Path) -> None:
    fake = FakeSystem(cut)
    with pytest.raises(RunStoppedError, match="of the first 24"):
        run(evaluation(write_items(tmp_path, 200)), directory=tmp_path, models={"fake": fake}, concurrency=40)
    assert len(fake.asked) == 40


@pytest.mark.parametrize("answers", [5, 30])
def test_killed_in_the_smoke_test_nothing_is_lost_or_asked_twice(tmp_path: Path, answers: int) -> None:
    file, journal = write_evaluation(tmp_path, 40), tmp_path / "runs" / "trial" / "journal.jsonl"
    process = start(file, tmp_path / "runs")
    wait_for_answers(process, journal, answers)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    on_disk = journal.read_bytes().count(b"\n")
    fake = FakeSystem(right)
    found = run(file, directory=tmp_path / "runs", models={"fake": fake}, concurrency=1)
    assert len(fake.asked) == 80 - on_disk
    records = RunDirectory(found.path).read_journal().records
    assert set(Counter(record.key for record in records).values()) == {1}
    smoke = [record.item for record in records if record.system == "second"][:24]
    assert set(smoke) == {record.item for record in records if record.system == "first"} & set(smoke)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 120),
    first=st.integers(1, 40),
    by=st.sampled_from([None, "part"]),
)
@settings(max_examples=30, deadline=None)
def test_the_order_is_a_permutation_whose_head_has_each_stratum_to_within_one(
    tmp_path_factory: pytest.TempPathFactory, seed: int, n: int, first: int, by: str | None
) -> None:
    path = labelled(
        tmp_path_factory.mktemp("order"), [("no", "yes")[k % 7 == 0] for k in range(n)], segment="part"
    )
    asked = choices(path, seed=seed, guards=Guards(first=first), segments=(by,) if by else ())
    plan = make_plan(asked)
    assert sorted(item.id for item in plan.items) == sorted(f"i{k}" for k in range(n))
    assert make_plan(asked).items == plan.items
    assert len(plan.smoke) == min(first, n)
    strata = [item.text(by or "reference") for item in plan.items]
    if not by:  # a label that one item has is no stratum
        strata = [name if strata.count(name) > 1 else "" for name in strata]
    for name, there in Counter(strata).items():
        share = len(plan.smoke) * there / n
        assert abs(strata[: len(plan.smoke)].count(name) - share) < 1 + 1e-9


def test_every_item_is_as_likely_to_be_in_the_smoke_test(tmp_path: Path) -> None:
    # 400 seeds, 10 of 25 items: each is in 160 of them, with a standard deviation of at most 9.8
    path, counts = labelled(tmp_path, ["no"] * 20 + ["yes"] * 5), Counter[str]()
    for seed in range(400):
        counts.update(item.id for item in make_plan(choices(path, seed=seed, guards=Guards(first=10))).smoke)
    assert sum(counts.values()) == 4000
    assert max(abs(counts[f"i{k}"] - 160) for k in range(25)) < 4 * 9.8


def test_the_field_of_the_sample_goes_before_the_segment(tmp_path: Path) -> None:
    path = labelled(tmp_path, ["no", "yes"] * 40, segment="part")
    plan = make_plan(
        choices(path, sample=SampleSpec(60, "part"), segments=("reference",), guards=Guards(first=8))
    )
    assert Counter(item.text("part") for item in plan.smoke) == {"0": 2, "1": 2, "2": 2, "3": 2}


def test_the_size_of_the_smoke_test_may_change_between_sessions(tmp_path: Path) -> None:
    path = write_items(tmp_path, 40)
    with pytest.raises(RunStoppedError):
        run(evaluation(path), directory=tmp_path, models={"fake": FakeSystem(cut)})
    fake = FakeSystem(right)
    more = evaluation(path, guards=Guards(truncated=1, parse_rate=0.1, first=40))
    assert run(more, directory=tmp_path, models={"fake": fake}).evidence.responses.height == 40
    assert len(fake.asked) == 16


@pytest.mark.parametrize(("written", "wanted"), [
    ("off", NO_GUARDS), ("{first: 8}", Guards(first=8)), ("{truncated: off}", Guards(truncated=1)),
    ("{errors: 0.2, parse_rate: off}", Guards(errors=0.2, parse_rate=0)), ("{}", Guards()),
])  # fmt: skip
def test_guards_of_a_file(written: str, wanted: Guards) -> None:
    text = (
        "name: a\nitems: basics\nscorer: words\nsystems: {a: {model: m, prompt: '{{ question }}'}}\nguards: "
    )
    assert parse_evaluation(text + written, file="a.yaml").guards == wanted


def test_guards_that_are_no_shares_are_refused() -> None:
    for changes in ({"parse_rate": 2}, {"truncated": -0.1}, {"first": 0}):
        with pytest.raises(UsageError, match=next(iter(changes))):
            Guards(**changes)  # type: ignore[arg-type]


def thinks(prompt: str) -> dict[str, object]:
    return {"text": "<think>so I lean to", "tokens_reasoning": None}


@pytest.mark.parametrize("returned", [
    {"text": "", "tokens_reasoning": 64}, {"text": None, "tokens_reasoning": 64, "status": "ok"},
    {"text": "<think>I lean to B"}, "<think>I lean to B", Reply(text=" ", tokens_reasoning=3),
    Reply(text="", status="failed", reason="empty answer", tokens_reasoning=3),
], ids=str)  # fmt: skip
def test_an_empty_answer_after_thinking_is_truncated_for_every_system(
    tmp_path: Path, returned: object
) -> None:
    system = function_system(lambda _: returned, version="1")
    found = run(evaluation(write_items(tmp_path, 2)), directory=tmp_path, models={"fake": system})
    assert set(found.evidence.responses.select("status", "reason").iter_rows()) == {("truncated", REASONED)}
    assert found.evidence.outcomes["value"].to_list() == [None, None]


def test_public_case_54_from_the_answers_to_the_rate_with_and_without_them(tmp_path: Path) -> None:
    case = json.loads(shared("cases", "54-all-thinking-no-answer", "case.json").read_text(encoding="utf-8"))
    text = shared("cases", "54-all-thinking-no-answer", "responses.jsonl").read_text(encoding="utf-8")
    bodies = [json.loads(line) for line in text.splitlines()]

    def answer(prompt: str) -> dict[str, object]:
        choice = bodies[int(right(prompt)[1:])]["choices"][0]
        return {
            "text": choice["message"]["content"],
            "finish": choice["finish_reason"],
            "tokens_reasoning": 64,
        }

    path = labelled(tmp_path, ["B"] * 6)
    found = run(choices(path), directory=tmp_path, models={"fake": function_system(answer, version="1")})
    rows = dict(found.evidence.responses.select("item", "status").iter_rows())
    values = dict(found.evidence.outcomes.select("item", "value").iter_rows())
    outcomes = [
        "no_answer" if rows[f"i{k}"] == "truncated" else "correct" if values[f"i{k}"] else "incorrect"
        for k in range(6)
    ]
    assert outcomes == case["expected"]["outcomes"]
    checks = {one["name"]: one["value"] for one in case["expected"]["checks"]}
    (line,) = summarize(found.path).lines
    assert line.statuses["truncated"] / line.rows == pytest.approx(checks["no_answer_rate"])
    assert line.estimate.point == pytest.approx(checks["score_no_answer_as_wrong"])
    assert line.over_answered.point == pytest.approx(checks["score_answered_only"])


def test_the_majority_baseline_is_kept_and_a_rate_that_equals_it_is_told(tmp_path: Path) -> None:
    path, notes = labelled(tmp_path, ["No."] * 45 + ["yes"] * 3), Notes()
    found = run(
        choices(path), directory=tmp_path, models={"fake": FakeSystem(lambda _: "no")}, observer=notes
    )
    manifest = read_manifest(found.path / "run.json")
    assert manifest.item_set["majority"] == {"label": "no", "items": 45, "of": 48, "rate": 0.9375}
    always = "first always answers 'no': 93.75% is what the most frequent label alone gives"
    assert f"{always}." in notes.texts
    assert f"{always}." in manifest.warnings
    assert "Always giving the most frequent right answer would pass 45 of 48 (93.75%)." in notes.texts
    summary = summarize(found.path)
    assert always in [note.text for note in summary.warnings if note.code == "majority_baseline"]
    assert (summary.lines[0].majority.items, summary.lines[0].majority.rate) == (45, 0.9375)


def test_what_a_refusal_expects_is_its_label(tmp_path: Path) -> None:
    path = tmp_path / "asked.jsonl"
    rows = [{"id": str(k), "question": "q", "expect": "comply" if k < 15 else "refuse"} for k in range(16)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    asked = evaluation(path, scorer=ScorerSpec(rule="refusal"))
    found = run(asked, directory=tmp_path, models={"fake": FakeSystem(lambda _: "Sure.")})
    assert read_manifest(found.path / "run.json").item_set["majority"]["label"] == "comply"
    (warned,) = [note for note in summarize(found.path).warnings if note.code == "majority_baseline"]
    assert warned.text == "first always answers 'comply': 93.75% is what the most frequent label alone gives"


def test_references_that_no_two_items_share_have_no_majority(tmp_path: Path) -> None:
    notes = Notes()
    found = run(
        evaluation(write_items(tmp_path, 12)),
        directory=tmp_path,
        models={"fake": FakeSystem(right)},
        observer=notes,
    )
    assert read_manifest(found.path / "run.json").item_set["majority"] is None
    assert notes.texts == []
