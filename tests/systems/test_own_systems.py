"""Functions and commands as systems: what they return is read, and nothing they do ends the run."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import aliquot
from aliquot.errors import MachineError, UsageError
from aliquot.stats.results import Undefined
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, Decoding, LikelihoodRequest, Message
from aliquot.systems.system import System
from tests.runner.evaluations import evaluation, right, write_items

CHAT = ChatRequest((Message("system", "Be brief."), Message("user", "q7.")), Decoding(max_tokens=8))


def ask(system: System, *requests: ChatRequest | CompletionRequest) -> list[Reply]:
    """Ask all at once and close."""

    async def one(request: ChatRequest | CompletionRequest) -> Reply:
        return await (system.chat(request) if isinstance(request, ChatRequest) else system.complete(request))

    async def work() -> list[Reply]:
        try:
            return list(await asyncio.gather(*(one(request) for request in requests)))
        finally:
            await system.close()

    return asyncio.run(work())


def test_a_function_is_given_what_it_asks_for() -> None:
    seen: list[object] = []

    def full(prompt: str, decoding: dict[str, Any], messages: list[dict[str, str]]) -> str:
        seen.extend([prompt, decoding, messages])
        return "a7"

    system = aliquot.function_system(full)
    assert isinstance(system, System)
    (reply,) = ask(system, CHAT)
    assert (reply.text, reply.status) == ("a7", "ok")
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "q7."}]
    assert seen == ["q7.", {"temperature": 0.0, "max_tokens": 8, "stop": []}, messages]
    found = asyncio.run(system.log_likelihood(LikelihoodRequest("a", "b")))
    assert isinstance(found, Undefined)


def test_sync_functions_run_beside_each_other_and_async_ones_on_the_loop() -> None:
    barrier = threading.Barrier(3, timeout=20)

    def meet(prompt: str) -> str:
        barrier.wait()
        return prompt

    async def later(prompt: str) -> str:
        assert threading.current_thread() is threading.main_thread()
        await asyncio.sleep(0)
        return prompt

    def wrapped(prompt: str) -> object:  # what it returns has to be awaited, which its kind does not tell
        return later(prompt)

    wanted = [CompletionRequest(name) for name in "abc"]
    assert [reply.text for reply in ask(aliquot.function_system(meet), *wanted)] == ["a", "b", "c"]
    assert [reply.text for reply in ask(aliquot.function_system(later), *wanted)] == ["a", "b", "c"]
    assert ask(aliquot.function_system(wrapped), wanted[0])[0].text == "a"


def returning(value: object) -> Reply:
    return ask(aliquot.function_system(lambda _: value), CHAT)[0]


def test_everything_a_mapping_says_is_kept() -> None:
    said = {
        "text": "a7", "finish": "stop", "stage": "answer", "steps": 3, "tool_calls": 2, "tokens_in": 10,
        "tokens_out": 5, "tokens_reasoning": 4, "tokens_cached": 1,
        "cost": 0.5, "currency": "USD", "first_token_s": 0.1,
    }  # fmt: skip
    reply = returning(said)
    assert {name: getattr(reply, name) for name in said} == said
    assert (reply.status, reply.reason) == ("ok", None)
    assert returning({"text": "cut", "finish": "length"}).status == "truncated"
    assert returning({"text": None, "steps": None}).status == "failed"
    stopped = returning({"text": "", "status": "failed", "reason": "no document", "stage": "retrieval"})
    assert (stopped.status, stopped.reason, stopped.stage) == ("failed", "no document", "retrieval")
    assert returning(Reply(text="x", status="refused")).status == "refused"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (7, "7 was returned; return a text or a mapping"),
        (None, "None was returned"),
        ({"txt": "a"}, "'txt' was returned, which is no key. Did you mean 'text'"),
        ({"text": 7}, "text is 7; it is to be a text"),
        ({"text": "a", "steps": 1.5}, "steps is 1.5; it is to be a count"),
        ({"text": "a", "steps": True}, "steps is True"),
        ({"text": "a", "tokens_in": float("nan")}, "tokens_in is nan"),
        ({"text": "a", "cost": -1}, "cost is -1; it is to be a number from 0"),
        ({"text": "a", "status": "good"}, "status is 'good'; it is to be one of ok"),
    ],
)
def test_what_cannot_be_used_is_an_error_that_says_so(value: object, words: str) -> None:
    reply = returning(value)
    assert (reply.text, reply.status) == ("", "error")
    assert words in (reply.reason or "")


def test_what_a_function_raises_is_a_row_and_slowness_a_timeout() -> None:
    def boom(prompt: str) -> str:
        raise TimeoutError("upstream")

    async def slow(prompt: str) -> str:
        await asyncio.sleep(20)
        return prompt

    (reply,) = ask(aliquot.function_system(boom), CHAT)
    assert (reply.status, reply.reason) == ("error", "TimeoutError: upstream")
    (reply,) = ask(aliquot.function_system(slow, timeout_s=0.1), CHAT)
    assert (reply.status, reply.reason) == ("timeout", "no answer within 0.1 s")


def test_versions_are_recorded_and_another_source_is_another_system() -> None:
    one = aliquot.function_system(lambda prompt: prompt, components={"index": "3"}).components
    two = aliquot.function_system(lambda prompt: prompt + "!").components
    assert one["snapshot"].startswith("source sha256:")
    assert one["snapshot"] != two["snapshot"]
    assert one["index"] == "3"
    assert aliquot.function_system(len, version="7").components == {"model": "len", "snapshot": "7"}


def test_settings_that_cannot_be_used_are_refused() -> None:
    with pytest.raises(UsageError, match="needs a function"):
        aliquot.function_system("x")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="a command is a list"):
        aliquot.command_system("python agent.py")
    for make in (
        lambda **keys: aliquot.function_system(len, **keys),
        lambda **keys: aliquot.command_system(["x"], **keys),
    ):
        with pytest.raises(UsageError, match="concurrency is 0"):
            make(concurrency=0)
        with pytest.raises(UsageError, match="timeout_s is 0"):
            make(timeout_s=0)


AGENT = """\
import json, sys, time
for line in sys.stdin:
    asked = json.loads(line)
    prompt, number = asked["prompt"], asked["id"]
    def say(**said):
        print(json.dumps({"id": number, **said}), flush=True)
"""


def command(tmp_path: Path, body: str, **keys: Any) -> System:
    """Return a system that asks a script; ``body`` is what it does with each request."""
    path = tmp_path / "agent.py"
    path.write_text(AGENT + "".join(f"    {line}\n" for line in body.splitlines()), encoding="utf-8")
    return aliquot.command_system([sys.executable, "-u", str(path)], **keys)


def test_a_command_answers_line_by_line_and_is_started_once(tmp_path: Path) -> None:
    system = command(
        tmp_path,
        "import os\nsay(text=prompt.upper(), steps=os.getpid(), currency=asked['messages'][0]['role'])",
        version="2",
    )
    assert isinstance(system, System)
    replies = ask(system, CHAT, CompletionRequest("zürich"), CompletionRequest("c"))
    assert [reply.text for reply in replies] == ["Q7.", "ZÜRICH", "C"]
    assert [reply.currency for reply in replies] == ["system", "user", "user"]
    assert len({reply.steps for reply in replies}) == 1
    assert system.components["snapshot"] == "2"


def test_a_command_may_answer_in_any_order(tmp_path: Path) -> None:
    body = """held = globals().setdefault("held", [])
held.append((number, prompt))
if len(held) == 3:
    for number, prompt in reversed(held):
        say(text=prompt)"""
    replies = ask(command(tmp_path, body, concurrency=3), *(CompletionRequest(name) for name in "abc"))
    assert [reply.text for reply in replies] == ["a", "b", "c"]


BREAKS = {
    "garbage": (
        "print('Loading…') if prompt == 'bad' else say(text=prompt)",
        "'Loading…', which is not JSON; logs go to its stderr"),
    "no id": ("print('{}') if prompt == 'bad' else say(text=prompt)", "'{}', which has no id of a request"),
    "another id": (
        "print(json.dumps({'id': 99})) if prompt == 'bad' else say(text=prompt)",
        "which has no id of a request"),
    "crash": (
        "if prompt == 'bad': raise KeyError('lost')\nsay(text=prompt)",
        "the command ended with exit code 1 (\"KeyError: 'lost'\")"),
    "exit": ("if prompt == 'bad': sys.exit(0)\nsay(text=prompt)", "the command ended with exit code 0"),
    "a wrong value": ("say(text=7) if prompt == 'bad' else say(text=prompt)", "text is 7; it is to be a text"),
}  # fmt: skip


@pytest.mark.parametrize("name", BREAKS)
def test_what_breaks_is_an_error_and_the_next_is_answered(name: str, tmp_path: Path) -> None:
    body, words = BREAKS[name]
    system = command(tmp_path, body)

    async def work() -> list[Reply]:
        try:
            return [
                await system.complete(CompletionRequest(prompt)) for prompt in ("a", "bad", "b", "bad", "c")
            ]
        finally:
            await system.close()

    replies = asyncio.run(work())
    assert [reply.status for reply in replies] == ["ok", "error", "ok", "error", "ok"]
    assert words in (replies[1].reason or "")


def test_a_command_that_hangs_is_a_timeout_and_started_anew(tmp_path: Path) -> None:
    system = command(tmp_path, "if prompt == 'bad': time.sleep(60)\nsay(text=prompt)", timeout_s=2)
    started = time.monotonic()

    async def work() -> list[Reply]:
        try:
            return [await system.complete(CompletionRequest(prompt)) for prompt in ("bad", "a")]
        finally:
            await system.close()

    replies = asyncio.run(work())
    assert [(reply.text, reply.status) for reply in replies] == [("", "timeout"), ("a", "ok")]
    assert time.monotonic() - started < 30  # the hanging one was not waited for


def test_a_command_that_never_answers_stops_the_run(tmp_path: Path) -> None:
    system = command(tmp_path, "raise SystemExit('no model file')")

    async def work(system: System) -> None:
        try:
            for _ in range(9):
                reply = await system.complete(CompletionRequest("a"))
                assert reply.status == "error"
        finally:
            await system.close()

    with pytest.raises(MachineError, match=r"ended 3 times without an answer: .* 1 .'no model file'"):
        asyncio.run(work(system))
    with pytest.raises(MachineError, match="'no-such-program' cannot be started"):
        asyncio.run(work(aliquot.command_system(["no-such-program"])))


def test_both_are_run_like_any_system(tmp_path: Path) -> None:
    items = write_items(tmp_path, 6)
    for name, system in {
        "function": aliquot.function_system(right),
        "command": command(tmp_path, "say(text='a' + prompt[1:-1])"),
    }.items():
        found = aliquot.run(evaluation(items, name=name), directory=tmp_path, models={"fake": system})
        assert found.evidence.outcomes["value"].to_list() == [1.0] * 6
        asyncio.run(system.close())


def test_what_a_hanging_script_has_started_is_ended_with_it(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        f"{AGENT}    time.sleep(60) if 'hang' in prompt else say(text=prompt)\n", encoding="utf-8"
    )
    (tmp_path / "start.sh").write_text(f'"{sys.executable}" -u agent.py\ntrue\n', encoding="utf-8")
    system = aliquot.command_system(["sh", "start.sh"], folder=str(tmp_path), timeout_s=4.0)

    async def work() -> list[Reply]:
        try:
            return [await system.complete(CompletionRequest(prompt)) for prompt in ("one", "hang", "two")]
        finally:
            await system.close()

    replies = asyncio.run(asyncio.wait_for(work(), timeout=30))
    assert [(reply.text, reply.status) for reply in replies] == [
        ("one", "ok"),
        ("", "timeout"),
        ("two", "ok"),
    ]
