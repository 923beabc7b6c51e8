"""The public test double does what its script says, and nothing else."""

from __future__ import annotations

import asyncio

import pytest

from aliquot.errors import UsageError
from aliquot.stats.results import Undefined
from aliquot.systems.fake import FakeSystem
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, LikelihoodRequest, Message
from aliquot.systems.system import System


def answer(fake: FakeSystem, prompt: str) -> Reply:
    return asyncio.run(fake.complete(CompletionRequest(prompt)))


def test_it_is_a_system() -> None:
    assert isinstance(FakeSystem({}), System)


def test_the_longest_part_of_the_prompt_wins_and_lists_are_taken_in_turn() -> None:
    fake = FakeSystem({"a": "short", "ab": ["first", "second"]})
    assert [answer(fake, "xaby").text for _ in range(3)] == ["first", "second", "second"]
    assert answer(fake, "xa").text == "short"


def test_faults_are_replies_or_exceptions() -> None:
    fake = FakeSystem({"cut": Reply(text="half", status="truncated"), "crash": OSError("gone")})
    assert answer(fake, "cut").status == "truncated"
    with pytest.raises(OSError, match="gone"):
        answer(fake, "crash")


def test_an_empty_answer_has_the_status_a_real_one_would_have() -> None:
    assert answer(FakeSystem(lambda _: ""), "x").status == "failed"


def test_an_unknown_prompt_is_a_mistake_of_the_test() -> None:
    with pytest.raises(UsageError, match="no answer for 'x'"):
        answer(FakeSystem({}), "x")
    assert answer(FakeSystem({}, default="?"), "x").text == "?"


def test_chat_sees_every_message_and_likelihoods_are_looked_up() -> None:
    fake = FakeSystem(lambda prompt: prompt, likelihoods={" Paris": -0.5})
    request = ChatRequest((Message("system", "Be brief."), Message("user", "Hi")))
    assert asyncio.run(fake.chat(request)).text == "Be brief.\nHi"
    found = asyncio.run(fake.log_likelihood(LikelihoodRequest("x", " Paris")))
    assert isinstance(found, Likelihood)
    assert found.log_probability == -0.5
    assert isinstance(asyncio.run(fake.log_likelihood(LikelihoodRequest("x", " Rome"))), Undefined)
