"""In which order systems are asked, what is refused before, and what a watching program is told."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from aliquot.cli import progress
from aliquot.cli.progress import JsonLines, ProgressLine
from aliquot.errors import InputError
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import ScorerSpec
from aliquot.runner.plan import make_plan
from aliquot.runner.progress import Progress, Silent
from aliquot.runner.workers import Workers
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Reply
from aliquot.verbs.run import run
from tests.runner.evaluations import evaluation, right, write_evaluation, write_items


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
    assert (lines[-1]["errors"], lines[-1]["parse_rate"], lines[-2]["eta_s"] > 0) == (0, 1.0, True)
    low = 10 / (10 + 1.959963984540054**2)  # Wilson at 10 of 10: n / (n + z²)
    assert lines[-1]["peeks"]["second"] == {
        "point": 1.0, "low": pytest.approx(low), "high": 1.0, "level": 0.95, "n": 10,
    }  # fmt: skip
    assert lines[5]["peeks"] == {}  # five answers are no rate


def test_a_peek_counts_answers_that_were_too_late_as_the_result_will(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def late(prompt: str) -> str | Reply:
        return (
            Reply(text="", status="timeout") if right(prompt) in {"a1", "a2", "a3", "a4"} else right(prompt)
        )

    run(
        write_evaluation(tmp_path),
        directory=tmp_path,
        models={"fake": FakeSystem(late)},
        observer=JsonLines(),
    )
    last = json.loads(capsys.readouterr().err.splitlines()[-1])
    assert last["scores"] == {"first": [6.0, 10], "second": [6.0, 10]}


def test_a_line_tells_rate_time_errors_what_could_be_read_and_a_peek(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = Progress(
        system="first", done=40, total=100, kept=0, statuses={"ok": 33, "refused": 1, "unparsed": 4, "error": 2},
        elapsed_s=20.0, spent=0.4, currency="USD", expected_cost=1.0, scores={"first": (19.0, 38)},
    )  # fmt: skip
    ProgressLine().answered(shown)
    assert capsys.readouterr().err == (
        "40 of 100, 2.0 a second, 30 s left, 2 errors, 89% read; first 50% [35, 65], a peek; "
        "cost 0.40 of about 1.00 USD\n"
    )


def test_lines_that_are_no_terminal_are_few_however_long_a_run_takes(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock[0])
    line = ProgressLine()
    for done in range(1, 86_401):  # a day, an answer a second
        clock[0] += 1
        line.answered(
            Progress(system="a", done=done, total=86_400, kept=0, statuses={"ok": done}, elapsed_s=done)
        )
    printed = capsys.readouterr().err.splitlines()
    assert 20 < len(printed) < 100
    assert printed[-1].startswith("86400 of 86400, 1.0 a second, 100% read")


def test_a_sentence_is_printed_whole_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress.sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    line = ProgressLine()
    line.answered(Progress(system="a", done=1, total=2, kept=0, statuses={"ok": 1}, elapsed_s=1.0))
    line.noted("check the scorer and what the prompt gives away. " * 3)
    assert capsys.readouterr().err.splitlines()[-1] == "check the scorer and what the prompt gives away. " * 3


def test_every_accepted_answer_and_every_field_of_a_reference_must_be_right_by_its_rule(
    tmp_path: Path,
) -> None:
    def plan(rule: str, **fields: object) -> None:
        path = tmp_path / "made.jsonl"
        path.write_text(json.dumps({"id": "a", "question": "q", **fields}) + "\n", encoding="utf-8")
        make_plan(evaluation(path, scorer=ScorerSpec(rule=rule)))

    plan("words", reference="8", accept=["eight", "VIII"])
    plan("json_fields", reference={"name": "Anna", "age": 34})
    with pytest.raises(
        InputError, match=r"field 'accept': '\.\.\.' of item 'a' is not right by its own rule 'words'"
    ):
        plan("words", reference="8", accept=["eight", "..."])
    with pytest.raises(InputError, match="field 'accept': 'maybe' of item 'a'"):
        plan("choice", reference="yes", accept=["maybe"])
    with pytest.raises(
        InputError, match="the reference of item 'a'"
    ):  # two fields of one name, as names are compared
        plan("json_fields", reference={"Name": "Anna", "name": "Bert"})


def test_an_item_that_an_empty_answer_would_pass_is_told_of_and_passes_none(tmp_path: Path) -> None:
    path = tmp_path / "promptfooconfig.yaml"
    path.write_text(
        "tests:\n- vars: {question: q0.}\n  assert: [{type: not-contains, value: sorry}]\n"
        "- vars: {question: q1.}\n  assert: [{type: contains, value: a1}]\n",
        encoding="utf-8",
    )
    notes: list[str] = []

    class Noting(Silent):
        def noted(self, text: str) -> None:
            notes.append(text)

    found = run(
        evaluation(path, scorer=ScorerSpec(rule="asserts")),
        directory=tmp_path,
        models={"fake": FakeSystem(lambda _: "")},
        observer=Noting(),
    )
    assert notes[0].startswith("1 item asks for nothing that an empty answer lacks")
    assert found.evidence.outcomes["value"].to_list() == [None, None]


def test_there_are_no_more_workers_than_work() -> None:
    seen: list[int] = []

    async def do(_: int) -> None:
        await asyncio.sleep(0)
        seen.append(len(asyncio.all_tasks()))

    async def work() -> None:
        workers = Workers(10_000, note=seen.append, on_stop=seen.clear)  # type: ignore[arg-type]
        await workers.share([1, 2, 3], do)
        await workers.share([], do)

    asyncio.run(work())
    assert len(seen) == 3
    assert max(seen) == 4  # and the task that shares the work


def test_answers_that_were_lost_are_told_of_at_the_end_and_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked, sometimes = (
        evaluation(write_items(tmp_path, 20)),
        {"q7.": "no index", "q9.": "no index", "q3.": "late"},
    )

    def answer(prompt: str) -> str:
        if prompt in sometimes:
            raise OSError(sometimes[prompt])
        return right(prompt)

    models = {"fake": FakeSystem(answer)}
    run(asked, directory=tmp_path, models=models, observer=ProgressLine())
    lost = "lost: 3 answers ('OSError: no index'), without a value until the same command has asked again\n"
    assert lost in capsys.readouterr().err
    sometimes.clear()
    run(asked, directory=tmp_path, models=models, observer=ProgressLine())
    said = capsys.readouterr().err
    assert said.startswith("20 answers to get, 17 of them on record\n")
    assert "lost" not in said
    run(asked, directory=tmp_path, models=models, observer=ProgressLine())
    assert capsys.readouterr().err.startswith("all 20 answers are on record; nothing is asked\n")
    assert len(models["fake"].asked) == 23


def test_small_sums_of_money_are_written_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    line, statuses = ProgressLine(), {"ok": 1}
    line.answered(Progress("a", 1, 1, 0, statuses, 1.0, spent=0.00002, currency="USD", expected_cost=0.00002))
    assert capsys.readouterr().err == "1 of 1, 1.0 a second, 100% read; cost 0.00002 USD\n"
