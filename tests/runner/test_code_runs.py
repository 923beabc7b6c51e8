"""Rules of code through whole runs: off until switched on, executed once, on record, and beside the asking."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from aliquot import read, rescore, summarize
from aliquot.errors import InputError, UsageError
from aliquot.files.programs import Program, ProgramRecord
from aliquot.runner import executions
from aliquot.systems.fake import FakeSystem
from aliquot.verbs.run import run

FOUR: list[dict[str, Any]] = [
    {"id": f"i{n}", "question": f"{n}", "test_list": [f"assert f(1) == {1 + n}", "assert f(0) < 100"]}
    for n in range(4)
]


COMPILES = "success,compiles/1"


def right(asked: str) -> str:
    return f"```python\ndef f(x): return x + {asked}\n```"


def mixed(asked: str) -> str:
    return [right("0"), "def f(x) return x", "I'm sorry, but I can't help with that.", "Hm."][int(asked)]


def write(
    folder: Path, items: list[dict[str, Any]] = FOUR, *, more: str = "", scoring: str = "passes"
) -> Path:
    (folder / "made.jsonl").write_text("".join(json.dumps(row) + "\n" for row in items), encoding="utf-8")
    path = folder / "code.yaml"
    systems = "{good: {model: good, prompt: '{{ question }}'}, bad: {model: bad, prompt: '{{ question }}'}}"
    path.write_text(
        f"name: code\nitems: made.jsonl\nguards: off\n{more}\nscorers: [{scoring}]\nsystems: {systems}\n",
        encoding="utf-8",
    )
    return path


def asked(file: Path, **choices: Any) -> Path:
    models = {"good": FakeSystem(right), "bad": FakeSystem(mixed)}
    return run(file, directory=file.parent / "runs", models=models, **choices).path


def forbid(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(program: Program) -> ProgramRecord:
        raise AssertionError(program)

    monkeypatch.setattr(executions, "execute_program", never)


def count(monkeypatch: pytest.MonkeyPatch, *, fail: bool = False) -> list[Program]:
    """Note what is executed, and with ``fail`` lose it."""
    seen: list[Program] = []
    execute = executions.execute_program

    async def counted(program: Program) -> ProgramRecord:
        seen.append(program)
        lost = ProgramRecord(program=program.key, ending="error", detail="no process")
        return lost if fail else await execute(program)

    monkeypatch.setattr(executions, "execute_program", counted)
    return seen


def values(path: Path, metric: str = "success") -> dict[tuple[str, str], float | None]:
    rows = read(path).outcomes.filter(pl.col("metric") == metric)
    return {
        (system, item): value for system, item, value in rows.select("system", "item", "value").iter_rows()
    }


def test_off_until_it_is_switched_on_and_nothing_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid(monkeypatch)
    with pytest.raises(UsageError, match=r"'passes' executes programs.* execute_code: true .*--execute-code"):
        asked(write(tmp_path))
    with pytest.raises(UsageError, match="executes programs"):
        asked(write(tmp_path, scoring="'length(most=9)', test_share"))
    assert not (tmp_path / "runs").exists()


def test_a_run_tells_every_kind_of_failure_apart_and_executes_each_program_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = count(monkeypatch)
    path = asked(
        write(tmp_path, more="execute_code: true\nattempts: 2", scoring="passes, compiles, test_share")
    )
    assert (
        len(seen) == 10
    )  # of good 4 to test and 4 to compile, of bad 1 and 1 beyond those; the first is good's own
    rows = read(path).outcomes.filter(
        pl.col("metric") == "success", pl.col("system") == "bad", pl.col("attempt") == 2
    )
    told = {item: (value, label, status) for item, value, label, status in
            rows.select("item", "value", "label", "status").iter_rows()}  # fmt: skip
    assert told == {
        "i0": (1.0, "passed", "ok"),
        "i1": (0.0, "syntax error", "ok"),
        "i2": (None, "refuse", "refused"),
        "i3": (None, None, "unparsed"),
    }
    assert values(path, COMPILES)["bad", "i1"] == 0.0
    assert values(path, COMPILES)["good", "i1"] == values(path, "test_share")["good", "i1"] == 1.0
    found = summarize(path)
    assert {one.system: one.repeats.pass_at[2].point for one in found.lines} == {"good": 1.0, "bad": 0.25}
    assert {one.system: one.repeats.pass_hat[2].point for one in found.lines} == {
        "good": 1.0,
        "bad": 0.25,
    }
    assert json.loads((path / "run.json").read_text(encoding="utf-8"))["settings"]["execute_code"] is True


def test_evidence_is_rebuilt_and_scored_anew_without_executing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = asked(write(tmp_path), execute_code=True)
    before = values(path)
    forbid(monkeypatch)
    for table in (path / "evidence").iterdir():
        table.unlink()
    assert values(path) == before
    assert rescore(path, scorer="test_share").metrics == ("test_share",)  # the same programs
    with pytest.raises(UsageError, match=r"passes\(seconds=9\).*--execute-code"):
        rescore(path, scorer="passes(seconds=9)")
    assert asked(write(tmp_path), execute_code=True) == path  # nothing is owed


def test_other_tests_of_the_same_questions_need_the_switch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = asked(write(tmp_path), execute_code=True)
    harder = [row | {"test_list": [*row["test_list"], "assert f(-1) > 0"]} for row in FOUR]
    file = write(tmp_path, harder)
    with pytest.raises(UsageError, match="--execute-code"):
        rescore(path, evaluation=file)
    seen = count(monkeypatch)
    found = rescore(path, evaluation=file, execute_code=True)
    assert len(seen) == 5  # one of bad's is one of good's
    assert values(path, found.metrics[0])["good", "i1"] == 0.0
    forbid(monkeypatch)
    rescore(path, evaluation=file)  # they are on record now
    changed = [row | {"question": "another"} for row in FOUR]
    with pytest.raises(InputError, match="ask something else"):
        rescore(path, evaluation=write(tmp_path, changed), execute_code=True)


def test_a_run_that_only_compiles_needs_no_switch(tmp_path: Path) -> None:
    path = asked(write(tmp_path, scoring="compiles"))
    assert values(path) == {
        **{("good", f"i{n}"): 1.0 for n in range(4)},
        ("bad", "i0"): 1.0,
        ("bad", "i1"): 0.0,
        ("bad", "i2"): None,
        ("bad", "i3"): None,
    }


def test_what_could_not_be_executed_has_no_value_and_is_executed_by_the_next_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as lost:
        count(lost, fail=True)
        path = asked(write(tmp_path), execute_code=True)
    rows = read(path)
    assert values(path)["good", "i1"] is None
    reasons = rows.responses.filter(pl.col("system") == "good")["reason"].to_list()
    assert "item i1: not executed: no process" in reasons
    seen = count(monkeypatch)
    asked(write(tmp_path), execute_code=True)
    assert len(seen) == 5
    assert values(path)["good", "i1"] == 1.0


def test_answers_whose_programs_a_crash_left_are_executed_when_the_run_goes_on(tmp_path: Path) -> None:
    path = asked(write(tmp_path), execute_code=True)
    before, journal = values(path), path / "journal.jsonl"
    lines = [line for line in journal.read_text(encoding="utf-8").splitlines() if '"execution"' not in line]
    journal.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert values(path)["good", "i1"] is None  # not a failure
    asked(write(tmp_path), execute_code=True)
    assert values(path) == before


def test_a_reference_that_fails_its_own_tests_stops_before_anything_is_asked(tmp_path: Path) -> None:
    items = [row | {"reference": f"def f(x): return x + {n % 3}"} for n, row in enumerate(FOUR)]
    system = FakeSystem(right)
    with pytest.raises(
        InputError, match=r"'i3' is not right by its own rule 'passes'.*failed assertion"
    ) as told:
        run(
            write(tmp_path, items),
            directory=tmp_path / "runs",
            models={"good": system, "bad": system},
            execute_code=True,
        )
    assert told.value.field == "reference"
    assert not system.asked


def test_the_next_question_does_not_wait_for_a_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One request at a time and programs that end only once everything is asked: waiting for them would never end."""
    asked_so_far: list[str] = []
    together = 0
    most = 0

    def answer(question: str) -> str:
        asked_so_far.append(question)
        return right(question)

    async def slow(program: Program) -> ProgramRecord:
        nonlocal together, most
        together += 1
        most = max(most, together)
        until = time.monotonic() + 60
        while len(asked_so_far) < len(items):
            assert time.monotonic() < until, "the questions wait for the programs"
            await asyncio.sleep(0.01)
        together -= 1
        return ProgramRecord(program=program.key, ending="passed", passed=2, tests=2)

    monkeypatch.setattr(executions, "execute_program", slow)
    monkeypatch.setattr(executions, "processors", lambda: 3)
    items = [
        {"id": f"i{n}", "question": f"{n}", "test": f"assert f(1) == {1 + n}"} for n in range(20)
    ]  # no more than the smoke test, whose judgement does wait
    file = write(tmp_path, items)
    file.write_text(
        file.read_text(encoding="utf-8").replace(", bad: {model: bad, prompt: '{{ question }}'}", "")
    )
    path = run(
        file,
        directory=tmp_path / "runs",
        models={"good": FakeSystem(answer)},
        concurrency=1,
        execute_code=True,
    ).path
    assert set(values(path).values()) == {1.0}
    assert most == 3


def test_a_sandbox_that_cannot_hold_programs_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def open_to_all(program: Program) -> ProgramRecord:
        return ProgramRecord(program=program.key, ending="passed", held=("limits", "files"))

    monkeypatch.setattr(executions, "execute_program", open_to_all)
    notes = [note.text for note in read(asked(write(tmp_path), execute_code=True)).notes]
    assert any(
        "did not let the sandbox keep programs from the network, other processes" in note for note in notes
    )
