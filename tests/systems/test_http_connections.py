"""Connections are used again only when nothing of the last request is left on them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeAlias

import pytest

from aliquot.systems import http_connections
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.openai_api import OpenAIModel
from aliquot.systems.replies import Reply
from aliquot.systems.requests import ChatRequest, Decoding, Message
from aliquot.systems.retries import Patience
from tests.systems.server import chat

Talk: TypeAlias = Callable[[int, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Serves one connection, of which it is given the number (from 0)."""


@asynccontextmanager
async def listening(talk: Talk) -> AsyncIterator[tuple[str, list[int]]]:
    """Serve bare connections; yields the base URL and the numbers of the connections as they come."""
    opened: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append(len(opened))
        try:
            await talk(opened[-1], reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", opened
    finally:
        server.close()


async def request(reader: asyncio.StreamReader) -> tuple[str, str]:
    """Return the head and the body of the next request."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = int(head.lower().split("content-length: ")[1].split("\r\n")[0])
    return head, (await reader.readexactly(length)).decode()


def answer(text: str) -> bytes:
    """Return an answer whole."""
    body = json.dumps(chat(text)).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (
        len(body),
        body,
    )


def asked(talk: Talk, *questions: str, pause_s: float = 0.0, **keys: object) -> tuple[list[Reply], list[int]]:
    """Ask some questions in turn, with a pause after each; return the replies and the connections that were opened."""

    async def work() -> tuple[list[Reply], list[int]]:
        async with listening(talk) as (base_url, opened):
            endpoint = Endpoint(base_url=base_url, model="m", **keys)  # type: ignore[arg-type]
            model = OpenAIModel(endpoint, patience=Patience(tries=1))
            found: list[Reply] = []
            try:
                for one in questions:
                    question = ChatRequest((Message("user", one),), Decoding(max_tokens=8))
                    found.append(await model.chat(question))
                    await asyncio.sleep(pause_s)
            finally:
                await model.close()
            return found, opened

    return asyncio.run(work())


def test_a_connection_is_used_again() -> None:
    heads: list[str] = []

    async def talk(_: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await request(reader)
            heads.append(head)
            writer.write(answer(json.loads(body)["messages"][0]["content"]))

    replies, opened = asked(talk, "a", "b", "c")
    assert [reply.text for reply in replies] == ["a", "b", "c"]
    assert opened == [0]
    assert heads[0].startswith("POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:")
    for line in ("Content-Type: application/json", "User-Agent: aliquot", "Accept: */*"):
        assert f"\r\n{line}\r\n" in heads[0]
    assert heads[0].count("Content-Length") == 1


def test_an_answer_that_comes_too_late_is_not_the_next_one_s() -> None:
    async def talk(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        if number == 0:
            await asyncio.sleep(0.3)
        writer.write(answer(f"connection {number}"))
        await request(reader)

    replies, opened = asked(talk, "a", "b", timeout_s=0.2)
    assert [(reply.status, reply.text) for reply in replies] == [("timeout", ""), ("ok", "connection 1")]
    assert opened == [0, 1]


def test_a_connection_on_which_a_body_is_still_under_way_is_not_used_again() -> None:
    async def talk(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if number == 0:  # refuses by the head alone, and reads no more of it
            writer.write(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
            await asyncio.sleep(30)
        await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
        writer.write(answer("small"))

    replies, opened = asked(talk, "x" * 20_000_000, "b", timeout_s=20.0)
    assert [(reply.status, reply.reason, reply.text) for reply in replies] == [
        ("error", "HTTP 413", ""),
        ("ok", None, "small"),
    ]
    assert opened == [0, 1]


@pytest.mark.parametrize("pause_s", [0.0, 0.05])
def test_an_answer_nobody_asked_for_is_not_the_next_one_s(pause_s: float) -> None:
    async def talk(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(answer(f"connection {number}"))
        await asyncio.sleep(pause_s / 2)
        writer.write(answer("stray"))
        await request(reader)

    replies, opened = asked(talk, "a", "b", pause_s=pause_s)
    assert [reply.text for reply in replies] == ["connection 0", "connection 1"]
    assert opened == [0, 1]


def test_a_connection_that_was_closed_in_the_meantime_is_not_used_again() -> None:
    async def talk(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(answer(f"connection {number}"))
        await writer.drain()

    replies, opened = asked(talk, "a", "b", pause_s=0.05)
    assert [reply.text for reply in replies] == ["connection 0", "connection 1"]
    assert opened == [0, 1]


def test_a_connection_that_was_idle_for_long_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_connections, "KEEP_ALIVE_S", 0.02)

    async def talk(number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await request(reader)
            writer.write(answer(f"connection {number}"))

    replies, opened = asked(talk, "a", "b", pause_s=0.1)
    assert [reply.text for reply in replies] == ["connection 0", "connection 1"]
    assert opened == [0, 1]


def test_what_is_said_before_the_answer_is_not_the_answer() -> None:
    async def talk(_: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await request(reader)
            writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")
            await asyncio.sleep(0.01)
            writer.write(answer("after a hint"))

    replies, opened = asked(talk, "a", "b")
    assert [reply.text for reply in replies] == ["after a hint"] * 2
    assert opened == [0]


def test_a_server_that_closes_after_each_answer_is_asked_on_new_connections() -> None:
    async def talk(_: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(answer("one").replace(b"\r\nContent-Type", b"\r\nConnection: close\r\nContent-Type"))
        await writer.drain()

    replies, opened = asked(talk, "a", "b")
    assert [(reply.status, reply.text) for reply in replies] == [("ok", "one")] * 2
    assert opened == [0, 1]


def test_a_body_without_a_length_ends_with_its_connection() -> None:
    async def talk(_: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await request(reader)
        writer.write(b"HTTP/1.0 200 OK\r\n\r\n" + json.dumps(chat("all of it")).encode())
        await writer.drain()

    replies, opened = asked(talk, "a", "b")
    assert [reply.text for reply in replies] == ["all of it"] * 2
    assert opened == [0, 1]
