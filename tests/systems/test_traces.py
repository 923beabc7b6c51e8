"""What functions and commands tell of how they came to an answer: kept, bounded, and read again."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aliquot
from aliquot.evidence.stages import Stage
from aliquot.evidence.transcripts import LEFT_OUT, ToolCall, Turn
from aliquot.files.records import Response, ToldResponse
from aliquot.files.run_directory import RunDirectory
from aliquot.reports.rows import render_rows
from aliquot.runner.evaluation import SystemSpec
from aliquot.systems.fake import FakeSystem
from aliquot.systems.faults import FaultError
from aliquot.systems.mappings import reply_of
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, Message
from aliquot.systems.traces import MAX_KEPT, MAX_LISTED, MAX_VALUE
from tests.runner.evaluations import evaluation, right, write_items
from tests.systems.test_own_systems import AGENT

CHAT = ChatRequest((Message("user", "Times 3?"),))

ASKED = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "2+2?"},
    {"role": "assistant", "content": "4"},
    {"role": "user", "content": "Times 3?"},
]

CALLED = [
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "times", "arguments": '{"a": 4}'}},
            {"id": "c2", "type": "function", "function": {"name": "look", "arguments": "{}"}},
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "12"},
    {"role": "tool", "tool_call_id": "c2", "content": "no such page", "is_error": True},
    {"role": "assistant", "content": "12"},
]

CALLED_TURNS = (
    Turn("assistant", "", (ToolCall("times", '{"a": 4}'), ToolCall("look", "{}"))),
    Turn("tool", "12", tool="times"),
    Turn("tool", "(error) no such page", tool="look"),
    Turn("assistant", "12"),
)


def told(**said: Any) -> Reply:
    return reply_of(said, latency_s=0.1, asked=ASKED)


@pytest.mark.parametrize("key", ["transcript", "messages"])
@pytest.mark.parametrize("repeated", [0, 1, 4])
def test_a_transcript_is_kept_from_the_question_on(key: str, repeated: int) -> None:
    before = {0: [], 1: ASKED[1:], 4: ASKED}[repeated]
    reply = told(**{key: [*before, *CALLED]})
    opening = (Turn("user", "Times 3?"),) if repeated else ()
    assert reply.transcript == (*opening, *CALLED_TURNS)
    assert (reply.text, reply.status) == ("12", "ok")
    assert (reply.tool_calls, reply.tool_errors) == (2, 1)


def test_what_is_said_beside_a_transcript_stands_above_what_it_tells() -> None:
    reply = told(text="twelve", messages=CALLED, tool_calls=7, tool_errors=3, steps=4)
    assert (reply.text, reply.tool_calls, reply.tool_errors, reply.steps) == ("twelve", 7, 3, 4)
    assert told(text="", messages=CALLED).status == "failed"
    unfinished = told(messages=CALLED[:3])
    assert (unfinished.text, unfinished.status) == ("", "failed")
    thinking = [
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "12"}],
        }
    ]
    assert told(messages=thinking).text == "12"  # thoughts are never the answer
    assert told(messages=[]).transcript == ()


def test_listed_calls_are_counted_and_kept_with_names_and_errors() -> None:
    reply = told(
        text="12",
        tool_calls=[
            "clock",
            {"name": "times", "arguments": {"a": 4}, "result": 12},
            {"name": "look", "arguments": "x", "error": "no such page"},
            {"type": "function", "id": "c", "function": {"name": "mail", "arguments": "{}"}, "error": True},
            {"name": "fine", "error": ""},
        ],
    )
    assert (reply.tool_calls, reply.tool_errors) == (5, 2)
    assert reply.transcript == (
        Turn("assistant", "", (ToolCall("clock", ""),)),
        Turn("assistant", "", (ToolCall("times", '{"a":4}'),)),
        Turn("tool", "12", tool="times"),
        Turn("assistant", "", (ToolCall("look", "x"),)),
        Turn("tool", "(error) no such page", tool="look"),
        Turn("assistant", "", (ToolCall("mail", "{}"),)),
        Turn("tool", "(error)", tool="mail"),
        Turn("assistant", "", (ToolCall("fine", ""),)),
    )
    assert (told(text="a", tool_calls=[]).tool_calls, told(text="a").tool_calls) == (0, None)
    both = told(tool_calls=["clock"], messages=[{"role": "assistant", "content": "noon"}])
    assert [turn.text or turn.calls[0].name for turn in both.transcript] == ["clock", "noon"]


def test_stages_are_kept_and_an_answer_that_is_none_is_put_down_to_the_first_that_is_not_ok() -> None:
    stages = [
        {"name": "retrieval", "latency_s": 1, "values": {"documents": ["d1@3", "d7@1"], "index": "2026-11"}},
        {"name": "context", "status": "failed", "reason": "nothing left after the filter"},
        {"name": "generation", "status": "failed"},
    ]
    reply = told(text="", stages=stages)
    assert reply.stages == (
        Stage(name="retrieval", latency_s=1.0, values={"documents": ["d1@3", "d7@1"], "index": "2026-11"}),
        Stage(name="context", status="failed", reason="nothing left after the filter"),
        Stage(name="generation", status="failed"),
    )
    assert (reply.status, reply.stage, reply.reason) == ("failed", "context", "nothing left after the filter")
    named = told(text="", stages=stages, stage="own", reason="why", status="timeout")
    assert (named.status, named.stage, named.reason) == ("timeout", "own", "why")
    answered = told(text="12", stages=stages)
    assert (answered.status, answered.stage) == ("ok", None)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"messages": "hello"}, "messages is 'hello'; it is to be a list of messages"),
        ({"transcript": {}}, "transcript is {}; it is to be a list"),
        ({"transcript": [{"role": "user", "content": "x"}, 7]}, "transcript[1] is 7; it is to be a message"),
        ({"messages": [{"content": "x"}]}, "messages[0] is {'content': 'x'}"),
        ({"messages": [], "transcript": []}, "transcript and messages are the same"),
        ({"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": {1}}}]}]},
         "the transcript holds what is not JSON"),
        ({"tool_calls": [7]}, "tool_calls[0] is 7; it is to be an object"),
        ({"tool_calls": [{"arguments": "x"}]}, "tool_calls[0].name is None; it is to be a text"),
        ({"tool_calls": [{"nam": "x"}]}, "tool_calls[0] has 'nam', which is no key. Did you mean 'name'"),
        ({"tool_calls": [{"name": "x", "arguments": {1}}]}, "tool_calls[0].arguments is {1}, which is not JSON"),
        ({"tool_calls": "x"}, "tool_calls is 'x'; it is to be a count or a list"),
        ({"tool_calls": 1.5}, "tool_calls is 1.5"),
        ({"tool_errors": -1}, "tool_errors is -1; it is to be a count"),
        ({"steps": 1 << 63}, "steps is 9223372036854775808"),
        ({"steps": float("inf")}, "steps is inf"),
        ({"cost": float("inf")}, "cost is inf; it is to be a number from 0"),
        ({"stages": {"name": "x"}}, "stages is {'name': 'x'}; it is to be a list of stages"),
        ({"stages": ["x"]}, "stages[0] is 'x'; it is to be an object"),
        ({"stages": [{"name": "a"}, {"status": "ok"}]}, "stages[1].name is None"),
        ({"stages": [{"name": "a", "status": "good"}]}, "stages[0].status is 'good'; it is to be one of ok"),
        ({"stages": [{"name": "a", "latency_s": "1"}]}, "stages[0].latency_s is '1'"),
        ({"stages": [{"name": "a", "latency_s": float("nan")}]}, "stages[0].latency_s is nan"),
        ({"stages": [{"name": "a", "reason": 3}]}, "stages[0].reason is 3"),
        ({"stages": [{"name": "a", "value": {}}]}, "stages[0] has 'value', which is no key"),
        ({"stages": [{"name": "a", "values": [1]}]}, "stages[0].values is [1]; it is to be an object"),
        ({"stages": [{"name": "a", "values": {"x": float("nan")}}]}, "stages[0].values.x is nan, which is not"),
        ({"stages": [{"name": "a", "values": {"x": object}}]}, "stages[0].values.x is <class 'object'>"),
        ({"stages": [{"name": "a"}] * (MAX_LISTED + 1)}, "stages has 1001 entries; the most are 1000"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named_with_its_place(said: dict[str, Any], words: str) -> None:
    with pytest.raises(FaultError) as caught:
        told(text="a", **said)
    assert words in caught.value.reason
    assert "\n" not in caught.value.reason
    reply = asyncio.run(aliquot.function_system(lambda _: {"text": "a", **said}).chat(CHAT))
    assert (reply.status, reply.reason) == ("error", caught.value.reason)


def test_nesting_without_end_is_an_error_of_its_row() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    looped: dict[str, Any] = {}
    looped["self"] = looped
    for value in (deep, looped):
        said = {"text": "a", "stages": [{"name": "a", "values": {"x": value}}]}
        with pytest.raises(FaultError, match="which is not JSON"):
            told(**said)
        reply = asyncio.run(
            aliquot.function_system(
                lambda _, value=value: {"messages": [{"role": "assistant", "content": value}]}
            ).chat(CHAT)
        )
        assert reply.status == "error"


def test_what_is_kept_is_bounded_and_says_so() -> None:
    many = told(text="a", messages=[{"role": "assistant", "content": "x"}] * 1000)
    assert (len(many.transcript), many.transcript[-1]) == (501, Turn(LEFT_OUT, "500 more turns"))
    calls = [{"role": "assistant", "content": "", "tool_calls": [{"name": "f", "arguments": "{}"}]}] * 1000
    assert told(text="a", messages=calls).tool_calls == 1000  # counted before anything is left out
    assert told(text="a", tool_calls=["f"] * 5000).tool_calls == 5000
    huge = told(text="a", messages=[{"role": "assistant", "content": "x" * 3 * MAX_KEPT}] * 3)
    assert sum(turn.size for turn in huge.transcript) < MAX_KEPT + 1000
    assert huge.transcript[0].text.endswith("(2,000,000 more characters)")
    (stage,) = told(text="a", stages=[{"name": "a", "values": {"x": "y" * 20_000, "z": [1] * 9_000}}]).stages
    assert stage.values["x"] == "y" * MAX_VALUE + " (10,000 more characters)"
    assert str(stage.values["z"]).endswith(f"({2 * 9_000 + 1 - MAX_VALUE:,} more characters)")


class Dumped:
    """A message as the clients of OpenAI and LangChain return it."""

    def model_dump(self) -> dict[str, Any]:
        return {"role": "assistant", "content": "12", "tool_calls": None}


def test_messages_that_are_objects_of_a_client_are_read() -> None:
    assert told(messages=[Dumped()]).text == "12"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(
    said=st.fixed_dictionaries(
        {},
        optional={
            "text": st.text(st.characters()) | st.none(),
            "messages": st.lists(
                st.fixed_dictionaries({"role": st.text(), "content": json_values}), max_size=4
            ),
            "tool_calls": st.lists(
                st.text() | st.fixed_dictionaries({"name": st.text(), "error": json_values})
            ),
            "stages": st.lists(st.fixed_dictionaries({"name": st.text(), "values": json_values})),
            "steps": st.integers() | st.floats(),
        },
    )
)
def test_whatever_is_returned_is_a_reply_that_comes_back_from_disk_or_a_named_fault(
    said: dict[str, Any],
) -> None:
    try:
        reply = told(**said)
    except FaultError:
        return
    record = ToldResponse(
        system="s", task="t", item="i", status=reply.status, text=reply.text, steps=reply.steps,
        tool_calls=reply.tool_calls, tool_errors=reply.tool_errors, stages=reply.stages, transcript=reply.transcript,
    )  # fmt: skip
    line = msgspec.json.encode(record)
    assert msgspec.json.decode(line, type=ToldResponse) == record
    assert msgspec.json.decode(line, type=Response) == record.light()
    assert msgspec.json.decode(msgspec.json.encode(reply), type=Reply) == reply  # what the cache keeps


def test_halves_of_characters_lose_no_answer(tmp_path: Path) -> None:
    half = "\ud83d"

    def function(prompt: str) -> dict[str, Any]:
        return {
            "text": right(prompt) + half, "stage": half, "tool_calls": [{"name": half, "arguments": {half: half}}],
            "stages": [{"name": half, "reason": half, "values": {half: half}}],
        }  # fmt: skip

    given = evaluation(write_items(tmp_path, 2))
    found = aliquot.run(given, directory=tmp_path, models={"fake": aliquot.function_system(function)})
    assert found.evidence.outcomes["value"].to_list() == [1.0, 1.0]
    assert RunDirectory(found.path).read_journal().notes == ()


def test_a_command_tells_the_same_and_a_run_reads_it_back(tmp_path: Path) -> None:
    body = """say(messages=[*asked["messages"], {"role": "assistant", "content": None, "tool_calls": [
    {"id": "1", "function": {"name": "<script>alert(1)</script>", "arguments": "{\\"q\\": 1}"}}]},
    {"role": "tool", "tool_call_id": "1", "content": "\\x1b[2Jgone", "is_error": True},
    {"role": "assistant", "content": "a" + prompt[1:-1]}],
    steps=2.0, stages=[{"name": "retrieval", "latency_s": 0.5, "values": {"documents": ["d1@3"]}}])"""
    script = tmp_path / "agent.py"
    script.write_text(AGENT + "".join(f"    {line}\n" for line in body.splitlines()), encoding="utf-8")
    system = aliquot.command_system([sys.executable, "-u", str(script)])
    specs = {name: SystemSpec(model=name, prompt="{{ question }}") for name in ("plain", "agent")}
    models = {"plain": FakeSystem(lambda _: "no"), "agent": system}
    given = evaluation(write_items(tmp_path, 3), systems=specs)
    found = aliquot.run(given, directory=tmp_path, models=models)
    asyncio.run(system.close())
    read = aliquot.read(found.path)
    rows = read.responses.filter(system="agent")
    assert rows.select("steps", "tool_calls", "tool_errors").rows() == [(2, 1, 1)] * 3
    assert read.texts is not None
    turns = read.texts.transcript("agent", "made", "i1", 1)
    assert turns == (
        Turn("user", "q1."),
        Turn("stage retrieval", 'ok, 0.5 s\ndocuments: ["d1@3"]'),
        Turn("assistant", "", (ToolCall("<script>alert(1)</script>", '{"q": 1}'),)),
        Turn("tool", "(error) \x1b[2Jgone", tool="<script>alert(1)</script>"),
        Turn("assistant", "a1"),
    )
    assert read.texts.transcript("plain", "made", "i1", 1) is None
    shown = render_rows(aliquot.show(found.path, changes=["fixed"]))
    assert "(error) \\x1b[2Jgone" in shown
    assert "\x1b" not in shown
    page = tmp_path / "report.html"
    aliquot.report(found.path, output=page)
    html = page.read_text(encoding="utf-8")
    assert "stage retrieval" in html
    assert "<script>alert(1)" not in html
    assert "\x1b" not in html


def test_the_journal_in_memory_leaves_transcripts_on_disk(tmp_path: Path) -> None:
    messages = [{"role": "assistant", "content": "x" * 10_000 + " a0"}]
    system = aliquot.function_system(lambda _: {"messages": messages})
    found = aliquot.run(evaluation(write_items(tmp_path, 1)), directory=tmp_path, models={"fake": system})
    (record,) = RunDirectory(found.path).read_journal().records
    assert not hasattr(record, "transcript")
    assert record.text == messages[0]["content"]
