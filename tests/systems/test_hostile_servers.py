"""Servers that leave streams open, count nonsense, write what is no JSON, and send the key back."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from aliquot.errors import UsageError
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.keys import Key
from aliquot.systems.openai_api import OpenAIModel
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, Decoding, Message
from aliquot.systems.retries import Patience, retry_after
from tests.systems.server import Answer, Script, chat, event, ok, serve

KEY = Key("SERVER_KEY", "sk-very/secret+0123456789abcdefghijklmnop")
CHUNK = event({"choices": [{"delta": {"content": "Paris"}, "finish_reason": "stop"}]})
WHOLE = {
    "status": "completed",
    "output": [{"type": "message", "content": [{"type": "output_text", "text": "Paris"}]}],
}


def ask(script: Script, *, times: int = 1, **keys: object) -> list[Reply]:
    """Ask a server that asks for a key, some times in turn."""

    async def work() -> list[Reply]:
        async with serve(script) as server:
            endpoint = Endpoint(base_url=server.base_url, model="m", **keys)  # type: ignore[arg-type]
            model = OpenAIModel(endpoint, key=KEY, patience=Patience(tries=2, base_s=0.001))
            question = ChatRequest((Message("user", "Capital of France?"),), Decoding(max_tokens=8))
            try:
                return [await model.chat(question) for _ in range(times)]
            finally:
                await model.close()

    return asyncio.run(work())


def left_open(*parts: bytes) -> Answer:
    """Send a stream and never close it."""

    async def send(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for part in parts:
            await response.write(part)
        await asyncio.sleep(30)
        return response

    return send


@pytest.mark.parametrize(
    ("api", "parts"),
    [
        ("chat", (CHUNK, b"data: [DONE]\n\n")),
        ("responses", (event({"type": "response.completed", "response": WHOLE}),)),
    ],
)
def test_a_stream_that_is_left_open_behind_its_end_is_an_answer(api: str, parts: tuple[bytes, ...]) -> None:
    replies = ask(lambda *_: left_open(*parts), times=2, api=api, stream=True, timeout_s=20.0)
    assert [(reply.text, reply.status) for reply in replies] == [("Paris", "ok")] * 2
    assert all(reply.latency_s < 15 for reply in replies if reply.latency_s is not None)


@pytest.mark.parametrize("count", [-5, 5.5, 10**30, "many", None, True, [1]])
def test_a_count_that_is_none_is_not_known_and_costs_no_answer(count: object) -> None:
    (reply,) = ask(lambda *_: ok(chat("Paris") | {"usage": {"prompt_tokens": count, "completion_tokens": 2}}))
    assert (reply.text, reply.status, reply.tokens_in, reply.tokens_out) == ("Paris", "ok", None, 2)


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            b'{"choices": [{"message": {"content": "Paris"}, "logprobs": {"x": NaN, "y": -Infinity}}]}',
            "Paris",
        ),
        (rb'{"choices": [{"message": {"content": "Paris \ud83d"}}]}', "Paris \ufffd"),
        (rb'{"choices": [{"message": {"content": "Paris \ud83d\ude00"}}]}', "Paris \U0001f600"),
    ],
)
def test_what_is_nearly_json_is_read(body: bytes, text: str) -> None:
    (reply,) = ask(lambda *_: web.Response(body=body, content_type="application/json"))
    assert (reply.text, reply.status) == (text, "ok")


def told(body: bytes | str, **keys: Any) -> Answer:
    return web.Response(body=body.encode() if isinstance(body, str) else body, **keys)


ECHOES: dict[str, Answer] = {
    "where a long message is cut": told(
        json.dumps({"error": {"message": f"{'x' * 280} {KEY.reveal()}"}}), status=400
    ),
    "where a body that is no JSON is cut": told(f"Bearer {KEY.reveal()}" * 3),
    "with a backslash before its slash": told(
        json.dumps({"error": {"message": KEY.reveal()}}).replace("/", "\\/"), status=400
    ),
    "as the reason of the end": ok(chat("Paris", finish=KEY.reveal())),
    "where an event is cut": web.Response(
        body=f"data: Bearer {KEY.reveal()}\n\n".encode(), content_type="text/event-stream"
    ),
}


@pytest.mark.parametrize("where", ECHOES)
def test_no_part_of_a_key_that_is_sent_back_is_kept(where: str) -> None:
    (reply,) = ask(lambda *_: ECHOES[where])
    assert KEY.reveal()[:10] not in repr(reply)


def test_a_redirect_is_not_followed_and_says_where_it_leads() -> None:
    seen: list[object] = []

    def script(number: int, body: dict[str, Any]) -> Answer:
        seen.append(body)
        return web.Response(status=307, headers={"Location": "http://elsewhere.test/v1/chat?token=abc"})

    words = r"redirect \(HTTP 307, to 'http://elsewhere.test/v1/chat'\)\. It is not followed"
    with pytest.raises(UsageError, match=words):
        ask(script)
    assert len(seen) == 1


@pytest.mark.parametrize(
    "value", ["-5", "1e9", "1767225600", "nan", "inf", "soon", "", "Fri, 31 Dec 9999 23:59:59 GMT"]
)
def test_a_wait_that_makes_no_sense_is_none(value: str) -> None:
    assert retry_after({"Retry-After": value}, now=lambda: 0.0) is None
