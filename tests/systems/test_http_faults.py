"""Whatever a server does, a request ends as a reply with the right status, and nothing is sent that was not counted."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import Callable
from email.utils import formatdate
from time import time

import pytest
from aiohttp import web

from aliquot.errors import RunStoppedError, UsageError
from aliquot.systems import http_transport
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.openai_api import OpenAIModel
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, Decoding, Message
from aliquot.systems.retries import Patience
from tests.systems.server import Answer, Script, Server, chat, fault, ok, pieces, raw, serve, silence

QUESTION = ChatRequest((Message("user", "Capital of France?"),), Decoding(max_tokens=8))
QUICK = Patience(tries=3, base_s=0.001)


def ask(
    script: Script, *, patience: Patience = QUICK, times: int = 1, **keys: object
) -> tuple[list[Reply], Server]:
    """Ask one question some times in turn and return the replies."""

    async def work() -> tuple[list[Reply], Server]:
        async with serve(script) as server:
            endpoint = Endpoint(base_url=server.base_url, model="m", **keys)  # type: ignore[arg-type]
            model = OpenAIModel(endpoint, patience=patience)
            try:
                return [await model.chat(QUESTION) for _ in range(times)], server
            finally:
                await model.close()

    return asyncio.run(work())


def first(answer: Answer) -> Script:
    """Answer the first request badly and all others well."""
    return lambda number, _: answer if number == 0 else ok()


def always(answer: Callable[[], Answer]) -> Script:
    return lambda *_: answer()


def test_an_answer_is_read_whole() -> None:
    (reply,), server = ask(always(ok))
    assert (reply.text, reply.status, reply.finish, reply.faults) == ("Paris", "ok", "stop", ())
    assert (reply.tokens_in, reply.tokens_out) == (12, 3)
    assert reply.latency_s is not None
    assert reply.latency_s > 0
    assert server.bodies == [
        {
            "model": "m",
            "messages": [{"role": "user", "content": "Capital of France?"}],
            "temperature": 0.0,
            "max_tokens": 8,
        }
    ]
    assert server.paths == ["/v1/chat/completions"]
    assert "Authorization" not in server.headers[0]


BROKEN: dict[str, tuple[Callable[[], Answer], str]] = {
    "500": (lambda: fault(500, "boom"), "HTTP 500: boom"),
    "502 of a proxy": (
        lambda: web.Response(status=502, text="<html>Bad\nGateway</html>"),
        "HTTP 502: <html>Bad Gateway</html>",
    ),
    "408": (lambda: fault(408), "HTTP 408: no"),
    "garbage": (
        lambda: web.Response(text="\x00garbage"),
        "the answer is not JSON (text/plain, begins '\\x00garbage')",
    ),
    "html": (
        lambda: web.Response(text="<html>", content_type="text/html"),
        "the answer is not JSON (text/html, begins '<html>')",
    ),
    "empty": (lambda: web.Response(text=""), "the answer is not JSON (text/plain, begins '')"),
    "other JSON": (
        lambda: web.json_response([1]),
        "the answer has not the shape of a completion: Expected `object`, got `array`",
    ),
    "no choice": (lambda: web.json_response({"choices": []}), "the answer holds no choice"),
    "error with 200": (
        lambda: web.json_response({"error": {"message": "busy", "code": 503}}),
        "the server answered with an error: busy",
    ),
    "half a body": (
        lambda: raw(b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"choices": ['),
        "the answer broke off",
    ),
    "no HTTP": (lambda: raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), "the server's answer is not HTTP"),
    "reset": (lambda: raw(b"", abort=True), "the server closed the connection"),
    "closed": (lambda: raw(b""), "the server closed the connection"),
    "finish error": (lambda: ok(chat("x", finish="error")), "the server ended the answer with 'error'"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_lost_request_is_made_again_and_counted(name: str) -> None:
    answer, reason = BROKEN[name]
    (reply,), server = ask(first(answer()))
    assert (reply.text, reply.status, reply.faults) == ("Paris", "ok", (reason,))
    assert len(server.times) == 2


@pytest.mark.parametrize("name", BROKEN)
def test_what_stays_lost_is_an_error_with_its_history(name: str) -> None:
    answer, reason = BROKEN[name]
    (reply,), server = ask(always(answer))
    assert (reply.text, reply.status, reply.reason, reply.faults) == ("", "error", reason, (reason,) * 3)
    assert len(server.times) == 3


def test_a_reset_of_a_kept_connection_sends_nothing_behind_our_back() -> None:
    replies, server = ask(lambda number, _: raw(b"", abort=True) if number == 1 else ok(), times=2)
    assert [reply.faults for reply in replies] == [(), ("the server closed the connection",)]
    assert len(server.times) == 3
    replies, server = ask(
        lambda number, _: raw(b"", abort=True) if number == 1 else ok(), times=2, patience=Patience(tries=1)
    )
    assert [reply.status for reply in replies] == ["ok", "error"]
    assert len(server.times) == 2


def test_nobody_there_is_an_error() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]

    async def work() -> Reply:
        model = OpenAIModel(Endpoint(base_url=f"http://127.0.0.1:{port}", model="m"), patience=QUICK)
        try:
            return await model.chat(QUESTION)
        finally:
            await model.close()

    reply = asyncio.run(work())
    assert (reply.status, len(reply.faults)) == ("error", 3)
    assert "no connection" in (reply.reason or "")


def test_silence_is_a_timeout_of_the_system_and_asked_once() -> None:
    (reply,), server = ask(always(lambda: silence), timeout_s=0.2)
    assert (reply.status, reply.reason) == ("timeout", "no whole answer within 0.2 s")
    assert len(server.times) == 1


def test_slow_drips_end_at_the_total_time() -> None:
    drips = pieces(*[b" "] * 100, pause_s=0.02, content_type="application/json")
    (reply,), _ = ask(always(lambda: drips), timeout_s=0.3)
    assert (reply.status, reply.reason) == ("timeout", "no whole answer within 0.3 s")


def test_no_first_token_in_time_is_told_apart() -> None:
    (reply,), _ = ask(always(lambda: silence), timeout_s=9, first_token_timeout_s=0.2)
    assert (reply.status, reply.reason) == ("timeout", "no token within 0.2 s")
    comments = pieces(*[b": still working\n\n"] * 100, pause_s=0.02)
    (reply,), _ = ask(always(lambda: comments), stream=True, timeout_s=9, first_token_timeout_s=0.3)
    assert (reply.status, reply.reason) == ("timeout", "no token within 0.3 s")


def test_a_huge_body_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_transport, "MOST_BYTES", 1000)
    bomb = gzip.compress(b"x" * 100_000)
    zipped = web.Response(body=bomb, headers={"Content-Encoding": "gzip", "Content-Type": "application/json"})
    assert len(bomb) < 1000
    for answer in (ok(chat("x" * 2000)), zipped, pieces(b"x" * 600, b"x" * 600, content_type="text/plain")):
        (reply,), server = ask(always(lambda answer=answer: answer))
        assert reply.status == "error"
        assert "1000" in (reply.reason or "")
        assert len(server.times) == 1


def test_a_wrong_content_type_does_not_matter() -> None:
    (reply,), _ = ask(always(lambda: web.Response(text=ok().text, content_type="text/html")))
    assert (reply.text, reply.status) == ("Paris", "ok")


@pytest.mark.parametrize("header", ["0.3", "date"])
def test_retry_after_is_the_least_wait(header: str) -> None:
    def script(number: int, _: object) -> Answer:
        value = formatdate(time() + 1, usegmt=True) if header == "date" else header
        return fault(429, "slow down", headers={"Retry-After": value}) if number == 0 else ok()

    (reply,), server = ask(script)
    assert (reply.status, reply.faults) == ("ok", ("HTTP 429: slow down",))
    if header != "date":  # a date is of whole seconds
        assert server.times[1] - server.times[0] >= 0.3


def test_a_limit_that_outlasts_the_retries_is_an_error_and_no_wrong_answer() -> None:
    (reply,), server = ask(always(lambda: fault(429, "slow", headers={"Retry-After": "0"})))
    assert (reply.status, reply.reason, len(reply.faults)) == ("error", "HTTP 429: slow", 3)
    assert len(server.times) == 3


def test_a_wait_nobody_has_patience_for_is_not_hammered() -> None:
    replies, server = ask(always(lambda: fault(429, headers={"Retry-After": "7200"})), times=3)
    assert [reply.status for reply in replies] == ["error"] * 3
    assert (
        replies[2].reason
        == "not asked: the server wants no request for 7200 s, longer than the 600 s waited for"
    )
    assert len(server.times) == 1


def test_a_dead_server_is_not_asked_eight_times_about_every_item() -> None:
    replies, server = ask(always(lambda: fault(500)), times=120)
    assert {reply.status for reply in replies} == {"error"}
    assert len(server.times) == 120 + 100  # the budget of retries before anything is answered


SETTINGS = {
    "key": (
        lambda: fault(401, "bad key"),
        UsageError,
        "'m' at .* refuses the key .HTTP 401: bad key.. Name the key's variable",
    ),
    "model": (lambda: fault(404, "no model m"), UsageError, "has no such model or API .HTTP 404: no model m"),
    "redirect": (lambda: web.Response(status=307, headers={"Location": "/x"}), UsageError, "HTTP 307"),
    "parameter": (
        lambda: fault(400, "Unsupported value: 'temperature' does not support 0.0", param="temperature"),
        UsageError,
        r"refuses temperature = 0.0 .*decoding: \{temperature: null\}",
    ),
    "vLLM": (
        lambda: web.json_response(
            {"object": "error", "message": "top_k must be -1 or at least 1", "code": 400}, status=400
        ),
        UsageError,
        "refuses top_k = 0 .*Change it under extra",
    ),
    "FastAPI": (
        lambda: web.json_response(
            {"detail": [{"loc": ["body", "top_k"], "msg": "extra fields not permitted"}]}, status=422
        ),
        UsageError,
        "refuses top_k = 0",
    ),
    "quota": (
        lambda: fault(429, "You exceeded your quota", code="insufficient_quota"),
        RunStoppedError,
        "quota",
    ),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_what_would_befall_every_request_stops_the_run(name: str) -> None:
    answer, kind, words = SETTINGS[name]
    with pytest.raises(kind, match=words):
        ask(always(answer), extra={"top_k": 0})


def test_the_same_after_an_answer_is_one_request_s_own() -> None:
    replies, _ = ask(
        lambda number, _: ok() if number != 1 else fault(403, "blocked by the firewall"), times=3
    )
    assert [reply.status for reply in replies] == ["ok", "error", "ok"]
    assert replies[1].reason == "HTTP 403: blocked by the firewall"


def test_the_budget_is_named_as_the_server_wants_it() -> None:
    def script(_: int, body: dict[str, object]) -> Answer:
        if "max_tokens" in body:
            return fault(
                400,
                "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                param="max_tokens",
            )
        return ok()

    replies, server = ask(script, times=2)
    assert [reply.status for reply in replies] == ["ok", "ok"]
    assert [body.get("max_completion_tokens") for body in server.bodies] == [None, 8, 8]


def test_prompts_that_do_not_fit_or_are_filtered_are_the_system_s_doing() -> None:
    (reply,), _ = ask(
        always(
            lambda: fault(
                400, "This model's maximum context length is 10 tokens", code="context_length_exceeded"
            )
        )
    )
    assert reply.status == "failed"
    assert "does not fit" in (reply.reason or "")
    (reply,), _ = ask(
        always(
            lambda: fault(
                400, "filtered", code="content_filter", innererror={"code": "ResponsibleAIPolicyViolation"}
            )
        )
    )
    assert reply.status == "refused"
    (reply,), _ = ask(always(lambda: fault(400, "messages must not be empty", param="messages")))
    assert (reply.status, reply.reason) == ("error", "HTTP 400: messages must not be empty")
