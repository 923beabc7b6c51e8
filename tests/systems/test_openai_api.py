"""Three APIs and many servers: what was said, what was thought, what was refused, and how probable a text was."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from aliquot.errors import UsageError
from aliquot.stats.results import Undefined
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.keys import Key
from aliquot.systems.openai_api import OpenAIModel
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import (
    ChatRequest,
    CompletionRequest,
    Decoding,
    LikelihoodRequest,
    Message,
    Request,
)
from aliquot.systems.retries import Patience
from aliquot.systems.system import Observed, System
from tests.shared import shared
from tests.systems.server import Answer, Server, chat, event, fault, ok, pieces, raw, serve

QUICK = Patience(tries=2, base_s=0.001)
KEY = Key("SERVER_KEY", "sk-very-secret-123")


def question(**drawn: Any) -> ChatRequest:
    return ChatRequest((Message("system", "Be brief."), Message("user", "Hauptstadt?")), Decoding(**drawn))


def ask(answer: Answer, request: Request, **keys: Any) -> tuple[Any, Server, OpenAIModel]:
    """Ask one thing and return the reply, the server and the model asked."""

    async def work() -> tuple[Any, Server, OpenAIModel]:
        async with serve(lambda *_: answer) as server:
            model = OpenAIModel(
                Endpoint(base_url=server.base_url, model="m", **keys), key=KEY, patience=QUICK
            )
            try:
                if isinstance(request, ChatRequest):
                    return await model.chat(request), server, model
                if isinstance(request, CompletionRequest):
                    return await model.complete(request), server, model
                return await model.log_likelihood(request), server, model
            finally:
                await model.close()

    return asyncio.run(work())


def test_it_is_a_system_that_learns_its_snapshot_from_its_answers() -> None:
    _, server, model = ask(ok(), question(), extra={"top_k": 0, "seed": None})
    assert isinstance(model, System)
    assert isinstance(model, Observed)
    assert model.components == {
        "model": "m",
        "base_url": server.base_url,
        "extra": '{"seed":null,"top_k":0}',
    }
    assert model.observed == {"snapshot": "m-2024-08-06 fp_1"}
    assert server.headers[0]["Authorization"] == "Bearer sk-very-secret-123"


def test_everything_said_about_drawing_is_sent_and_extra_has_the_last_word() -> None:
    _, server, _ = ask(
        ok(),
        question(temperature=None, stop=("\n",), top_p=0.5, seed=0, max_tokens=9),
        extra={"seed": None, "top_k": 40},
        json_schema={"type": "object"},
    )
    (body,) = server.bodies
    assert body.pop("messages")[0] == {"role": "system", "content": "Be brief."}
    assert body == {
        "model": "m",
        "max_tokens": 9,
        "stop": ["\n"],
        "top_p": 0.5,
        "top_k": 40,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object"}, "strict": True},
        },
    }


def test_public_case_54_reasoning_is_never_the_answer() -> None:
    bodies = (
        shared("cases", "54-all-thinking-no-answer", "responses.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    replies: list[Reply] = [ask(ok(json.loads(body)), question())[0] for body in bodies]
    cut = ("", "truncated", "token budget used up by reasoning")
    assert [(reply.text, reply.status, reply.reason) for reply in replies] == [
        ("B", "ok", None), cut, cut, cut, ("B", "ok", None), ("A", "ok", None),
    ]  # fmt: skip
    assert {reply.tokens_reasoning for reply in replies} == {64}


SHAPES = {
    "parts": (chat([{"type": "thinking", "thinking": [{"text": "A?"}]}, {"type": "text", "text": "B"}]), "B", "ok"),
    "vLLM's reasoning": (chat("", reasoning="so B"), "", "truncated"),
    "empty": (chat(""), "", "failed"),
    "null": (chat(None), "", "failed"),
    "cut": (chat("The cap", finish="length"), "The cap", "truncated"),
    "another word for cut": (chat("The cap", finish="max_tokens"), "The cap", "truncated"),
    "refused": (chat(None, refusal="I cannot help."), "I cannot help.", "refused"),
    "filtered": (chat("", finish="content_filter"), "", "refused"),
    "a tool": (chat(None, finish="tool_calls", tool_calls=[{"id": "1"}]), "", "failed"),
    "a template that opens the thought": (chat("hm, B</think>\n\nB"), "B", "ok"),
    "talk of the tag": (chat("Use <think>x</think> tags."), "Use <think>x</think> tags.", "ok"),
    "no usage, floats, unknown fields": (
        {"choices": [{"message": {"content": "B", "x": 1}, "finish_reason": None}], "usage": None, "y": {}}, "B", "ok"),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_of_an_answer(name: str) -> None:
    body, text, status = SHAPES[name]
    reply, _, _ = ask(ok(body), question())
    assert (reply.text, reply.status) == (text, status)
    assert (reply.reason is None) == (status == "ok")
    assert reply.tool_calls == (1 if name == "a tool" else None)


def chunk(text: str | None = None, *, finish: str | None = None, **delta: object) -> bytes:
    return event(
        {
            "model": "m-1",
            "choices": [{"index": 0, "delta": {"content": text, **delta}, "finish_reason": finish}],
        }
    )


USED = event(
    {
        "choices": [],
        "usage": {
            "prompt_tokens": 7,
            "completion_tokens": 5,
            "completion_tokens_details": {"reasoning_tokens": 2},
        },
    }
)
DONE = b"data: [DONE]\n\n"


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_stream_is_put_together_wherever_it_is_cut(size: int) -> None:
    sent = (
        b": hello\r\n\r\n"
        + chunk(None, reasoning_content="hm")
        + chunk("Zür")
        + chunk("ich 🏔")
        + chunk(finish="stop")
        + USED
        + DONE
    )
    cut = [sent[start : start + size] for start in range(0, len(sent), size)]
    reply, server, model = ask(pieces(*cut), question(), stream=True)
    assert (reply.text, reply.status) == ("Zürich 🏔", "ok")
    assert (reply.tokens_in, reply.tokens_out, reply.tokens_reasoning) == (7, 5, 2)
    assert reply.latency_s >= reply.first_token_s > 0
    assert server.bodies[0]["stream"] is True
    assert server.bodies[0]["stream_options"] == {"include_usage": True}
    assert model.components["stream"] == "true"


BROKEN_STREAMS = {
    "broken event": (pieces(chunk("Z"), b"data: {x\n\n", DONE), "the answer is not JSON (an event, begins '{x')"),
    "error event": (pieces(event({"error": {"message": "died"}})), "the server answered with an error: died"),
    "no end": (pieces(chunk("Z")), "the answer's stream broke off"),
    "reset": (pieces(chunk("Z"), end=False, pause_s=0.05), "the answer broke off"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN_STREAMS)
def test_a_stream_that_breaks_is_no_answer(name: str) -> None:
    answer, reason = BROKEN_STREAMS[name]
    reply, _, _ = ask(answer, question(), stream=True)
    assert (reply.text, reply.status, reply.reason, len(reply.faults)) == ("", "error", reason, 2)


def test_a_server_that_does_not_stream_is_read_whole_and_the_other_way_round() -> None:
    reply, _, _ = ask(ok(), question(), stream=True)
    assert (reply.text, reply.first_token_s) == ("Paris", None)
    reply, _, _ = ask(pieces(chunk("Paris", finish="stop")), question())
    assert reply.text == "Paris"


def test_completions_and_their_streams() -> None:
    body = {"choices": [{"text": " Oslo", "finish_reason": "stop"}], "usage": {"prompt_tokens": 3}}
    reply, server, _ = ask(ok(body), CompletionRequest("Norway:", Decoding(stop=("\n",))))
    assert (reply.text, reply.status, server.paths) == (" Oslo", "ok", ["/v1/completions"])
    assert server.bodies[0]["prompt"] == "Norway:"
    parts = [
        event({"choices": [{"text": text, "finish_reason": end}]})
        for text, end in ((" Os", None), ("lo", "length"))
    ]
    reply, _, _ = ask(pieces(*parts, DONE), CompletionRequest("Norway:"), stream=True)
    assert (reply.text, reply.status) == (" Oslo", "truncated")


def response(*output: object, status: str = "completed", **more: object) -> dict[str, Any]:
    usage = {"input_tokens": 9, "output_tokens": 70, "output_tokens_details": {"reasoning_tokens": 64}}
    return {"model": "m-1", "status": status, "output": list(output), "usage": usage, **more}


THOUGHT = {"type": "reasoning", "summary": []}
SAID = {"type": "message", "content": [{"type": "output_text", "text": "Oslo"}]}


def test_responses_and_their_streams() -> None:
    reply, server, _ = ask(
        ok(response(THOUGHT, SAID)), question(max_tokens=90), api="responses", json_schema={}
    )
    assert (reply.text, reply.status, reply.tokens_reasoning, reply.tokens_out) == ("Oslo", "ok", 64, 70)
    body = server.bodies[0]
    assert server.paths == ["/v1/responses"]
    assert (body["max_output_tokens"], body["store"]) == (90, False)
    assert body["text"] == {"format": {"type": "json_schema", "name": "answer", "schema": {}, "strict": True}}
    cut = response(THOUGHT, status="incomplete", incomplete_details={"reason": "max_output_tokens"})
    reply, _, _ = ask(ok(cut), question(), api="responses")
    assert (reply.status, reply.reason) == ("truncated", "token budget used up by reasoning")
    no = {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]}
    reply, _, _ = ask(ok(response(no)), question(), api="responses")
    assert (reply.status, reply.text) == ("refused", "No.")
    events = [
        event({"type": "response.output_text.delta", "delta": "Os"}),
        event({"type": "response.completed", "response": response(SAID)}),
    ]
    reply, _, _ = ask(pieces(*events), question(), api="responses", stream=True)
    assert (reply.text, reply.status) == ("Oslo", "ok")
    assert reply.first_token_s is not None
    with pytest.raises(UsageError, match="takes no seed"):
        ask(ok(), question(seed=1), api="responses")


def test_azure_has_its_own_version_and_header() -> None:
    _, server, model = ask(ok(), question(), api_version="2024-10-21")
    assert server.paths == ["/v1/chat/completions?api-version=2024-10-21"]
    assert server.headers[0]["api-key"] == "sk-very-secret-123"
    assert "Authorization" not in server.headers[0]
    assert model.components["api_version"] == "2024-10-21"


def test_an_api_that_does_not_fit_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(UsageError, match="does not fit the mode"):
        ask(ok(), CompletionRequest("x"), api="chat")
    with pytest.raises(UsageError, match="does not fit the mode"):
        ask(ok(), question(), api="completions")


def echoed(
    tokens: list[str], values: list[float | None], tops: list[dict[str, float] | None]
) -> dict[str, Any]:
    told = {"tokens": tokens, "token_logprobs": values, "top_logprobs": tops}
    return {"choices": [{"text": "".join(tokens), "logprobs": told, "finish_reason": "length"}]}


def test_the_probability_of_a_continuation_is_read_off_the_echo() -> None:
    # "The capital: " is asked for; " Os" + "lo" belong to the continuation, the last token was generated
    tokens = ["<s>", "The capital:", " Os", "lo", "."]
    tops = [None, None, {" Os": -0.5}, {"lo": -0.25, "la": -2.0}, {".": -0.1}]
    body = echoed(tokens, [None, -9.0, -0.5, -0.25, -0.1], tops)
    found, server, _ = ask(ok(body), LikelihoodRequest("The capital:", " Oslo"))
    assert isinstance(found, Likelihood)
    assert (found.log_probability, found.tokens, found.greedy) == (-0.75, 2, True)  # -0.5 - 0.25
    sent = server.bodies[0]
    assert (sent["prompt"], sent["echo"], sent["logprobs"]) == ("The capital: Oslo", True, 1)
    tops[3] = {"la": -0.1}
    found, _, _ = ask(
        ok(echoed(tokens, [None, -9.0, -0.5, -0.25, -0.1], tops)), LikelihoodRequest("The capital:", " Oslo")
    )
    assert (found.log_probability, found.greedy) == (-0.75, False)


NO_LIKELIHOOD = {
    "no echo": (ok({"choices": [{"text": ".", "logprobs": None}]}), "tells no log-probabilities"),
    "llama.cpp": (ok({"choices": [{"text": ".", "logprobs": {"content": []}}]}), "tells no log-probabilities"),
    "the answer's own only": (ok(echoed(["."], [-0.1], [None])), "tells no log-probabilities"),
    "merged": (ok(echoed(["a b", "c"], [-0.1, -0.2], [None, None])), "letters of the continuation"),
    "first": (ok(echoed(["a ", "bc"], [-0.1, None], [None, None])), "first token"),
    "refused": (fault(400, "echo is not supported"), "HTTP 400: echo is not supported"),
}  # fmt: skip


@pytest.mark.parametrize("name", NO_LIKELIHOOD)
def test_without_an_echo_there_is_no_likelihood_and_the_reason_is_told(name: str) -> None:
    answer, reason = NO_LIKELIHOOD[name]
    found, _, _ = ask(answer, LikelihoodRequest("a ", "bc"))
    assert isinstance(found, Undefined)
    assert reason in found.reason


def test_a_likelihood_that_was_lost_on_the_way_is_a_fault_and_no_property_of_the_text() -> None:
    found, server, _ = ask(raw(b"", abort=True), LikelihoodRequest("a ", "bc"))
    assert (found.status, found.reason) == ("error", "the server closed the connection")
    assert len(found.faults) == len(server.paths) == QUICK.tries
    with pytest.raises(UsageError, match="refuses the key"):
        ask(fault(401, "no"), LikelihoodRequest("a ", "bc"))


SECRET = "sk-very-secret-123"
ECHOES = {
    "in a fault": lambda: fault(500, f"Incorrect API key {SECRET}"),
    "in a refusal of it": lambda: fault(401, f"Incorrect API key {SECRET}"),
    "in an answer": lambda: ok(chat(f"Your key is {SECRET}")),
    "in garbage": lambda: ok({"choices": [{"finish_reason": [SECRET]}]}),
    "in the model's name": lambda: ok(chat() | {"model": SECRET}),
    "in bad HTTP": lambda: raw(f"{SECRET}\r\n\r\n".encode()),
}


@pytest.mark.parametrize("name", ECHOES)
def test_a_key_is_in_nothing_that_is_shown_or_kept(name: str) -> None:
    shown: list[object] = [KEY]
    refused: list[UsageError] = []
    try:
        reply, _, model = ask(ECHOES[name](), question(), api_key_env="SERVER_KEY")
        shown += [reply, reply.faults, reply.text, model.observed, model.components, model]
    except UsageError as error:
        refused.append(error)
        shown += [error, error.__cause__, error.__context__]
    assert SECRET not in " ".join(f"{one!r} {one}" for one in shown)
    assert ["SERVER_KEY" in str(error) for error in refused] == ([True] if "refusal" in name else [])
