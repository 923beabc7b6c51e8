"""The broken demo: the number a careless harness prints, and that it is caught."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from aliquot import demo, function_system
from aliquot.errors import MachineError, UsageError
from aliquot.files.run_directory import RunDirectory
from aliquot.runner.evaluation import ScorerSpec, SystemSpec
from aliquot.systems.embedded import EmbeddedModel
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import REASONED, Reply
from aliquot.systems.requests import Decoding
from aliquot.verbs.breaking import SCENARIOS, break_thinking_budget, thinking_with
from aliquot.verbs.run import run
from tests.cli.called import call
from tests.runner.evaluations import evaluation
from tests.runner.test_smoke import labelled


def test_the_budget_goes_into_thoughts_and_the_number_is_the_majority(tmp_path: Path) -> None:
    found = demo(broken="thinking-budget", directory=tmp_path)
    assert (found.items, found.majority, found.empty) == (48, 45, 48)
    assert found.naive / found.items == 0.9375
    assert (found.exit_code, found.asked, found.statuses, found.passed) == (6, 24, {"truncated": 48}, 0)
    assert (
        "24 of the first 24 answers of 'thinking' used up max_tokens (16), 24 of them by thinking"
        in found.stopped
    )
    assert found.warnings == (
        "thinking always answers 'no': 93.75% is what the most frequent label alone gives",
    )
    assert found.repaired == 47  # one message speaks of smoke grey
    records = RunDirectory(found.path).read_journal().records
    assert {(record.text, record.tokens_reasoning) for record in records} == {("", 16)}
    assert len({record.item for record in records}) == len(records) == 48
    assert demo(broken="thinking-budget", directory=tmp_path) == found  # nothing is asked again


def test_the_command_shows_it_and_ends_well(tmp_path: Path) -> None:
    printed = call("demo", "--break", "thinking-budget", "--directory", tmp_path)
    assert printed.code == 0
    for words in (
        "accuracy 93.75% (45 of 48); always answering the most frequent label gives 93.75%",
        "What aliquot run does after 24 answers (exit code 6): stopped:",
        "thinking always answers 'no': 93.75% is what the most frequent label alone gives.",
        "0 of 48 pass (48 truncated)",
        "47 of 48 pass. CAUGHT.",
        "a script that ships with aliquot",
    ):
        assert words in printed.text
    assert max(map(len, printed.out.splitlines()[:-2])) <= 80


def test_a_model_that_is_made_to_think_spends_its_budget_for_real(tmp_path: Path) -> None:
    def thought(prompt: str) -> Reply:
        return Reply(text="well, so", status="truncated", finish="length", tokens_out=16)

    model = FakeSystem(thought)
    found = break_thinking_budget(tmp_path, model=model, observer=None)
    assert (found.live, found.exit_code, found.naive, found.repaired) == (True, 6, 45, None)
    assert len(model.asked) == 48  # never asked for an answer: nothing of the budget was left


def test_a_model_that_thinks_little_breaks_nothing(tmp_path: Path) -> None:
    model = FakeSystem(
        lambda prompt: Reply(text="no" if "What I thought" in prompt else "hm", finish="stop", tokens_out=1)
    )
    found = break_thinking_budget(tmp_path, model=model, observer=None)
    assert (found.stopped, found.exit_code, found.empty, found.passed) == ("", 0, 0, 45)


def test_what_cannot_be_broken_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no broken run 'thinking'\. Did you mean 'thinking-budget'"):
        demo(broken="thinking", directory=tmp_path)
    with pytest.raises(UsageError, match="asked whole"):
        demo(broken="thinking-budget", items=3, directory=tmp_path)
    assert f"[{'|'.join(SCENARIOS)}]" in call("demo", "--help").text


@pytest.mark.model
def test_the_embedded_model_thinks_its_budget_away(tmp_path: Path) -> None:
    items = labelled(tmp_path, ["no", "yes"])
    pytest.importorskip("xllamacpp", reason="the extra local is not installed")
    try:
        model = EmbeddedModel(threads=1)
    except MachineError as error:
        pytest.skip(str(error))
    try:
        found = run(
            evaluation(
                items,
                scorer=ScorerSpec(rule="choice"),
                systems={
                    "thinking": SystemSpec(
                        model="thinker",
                        prompt="Is this a danger? Answer yes or no.\nMessage: {{ question }}",
                        decoding=Decoding(max_tokens=8),
                    )
                },
            ),
            directory=tmp_path,
            models={"thinker": function_system(thinking_with(model), version="1")},
        )
    finally:
        asyncio.run(model.close())
    assert set(found.evidence.responses.select("status", "reason", "tokens_reasoning").iter_rows()) == {
        ("truncated", REASONED, 8)
    }
