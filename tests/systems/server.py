"""A model server on the loopback that answers as a test tells it, well or badly."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from aiohttp import web

Answer: TypeAlias = "web.StreamResponse | Callable[[web.Request], Awaitable[web.StreamResponse]]"
"""What to send, or what does the sending."""

Script: TypeAlias = "Callable[[int, dict[str, Any]], Answer]"
"""Answers the n-th request (from 0), whose body it is given."""


@dataclass
class Server:
    """A running server: where it is, and what it was asked."""

    url: str
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"


@asynccontextmanager
async def serve(script: Script, *, pages: Mapping[str, Any] | None = None) -> AsyncIterator[Server]:
    """Serve on a free port until the block ends; ``pages`` are what a GET reads, and one that is None is not there."""
    server = Server("")

    async def handle(request: web.Request) -> web.StreamResponse:
        number = len(server.times)
        server.times.append(time.monotonic())
        server.paths.append(request.path_qs)
        server.headers.append(dict(request.headers))
        server.bodies.append(json.loads(await request.read()))
        answer = script(number, server.bodies[-1])
        if isinstance(answer, web.Response):  # a copy: a response can be sent once
            return web.Response(body=answer.body, status=answer.status, headers=answer.headers)
        return answer if isinstance(answer, web.StreamResponse) else await answer(request)

    async def page(request: web.Request) -> web.StreamResponse:
        found = (pages or {}).get(request.path)
        return web.Response(status=404) if found is None else web.json_response(found)

    app = web.Application()
    app.router.add_get("/{path:.*}", page)
    app.router.add_post("/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield server
    finally:
        await runner.cleanup()


def chat(content: object = "Paris", *, finish: str = "stop", **message: object) -> dict[str, Any]:
    """Return the body of a chat completion."""
    return {
        "id": "c",
        "object": "chat.completion",
        "model": "m-2024-08-06",
        "system_fingerprint": "fp_1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": content, **message},
            }
        ],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15},
    }


def ok(body: object = None) -> web.Response:
    """Return a good answer."""
    return web.json_response(chat() if body is None else body)


def fault(
    status: int, message: str = "no", /, *, headers: dict[str, str] | None = None, **error: object
) -> web.Response:
    """Return a refusal in OpenAI's shape."""
    return web.json_response({"error": {"message": message, **error}}, status=status, headers=headers)


def raw(data: bytes, *, abort: bool = False) -> Answer:
    """Send bytes past the HTTP of the server, then close the connection or reset it."""

    async def send(request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        if data:
            request.transport.write(data)
        if abort:
            request.transport.abort()
        else:
            request.transport.close()
        return web.Response()

    return send


async def silence(request: web.Request) -> web.StreamResponse:
    """Say nothing until the other side goes away."""
    await asyncio.sleep(30)
    return web.Response()


def pieces(
    *parts: bytes, pause_s: float = 0.0, content_type: str = "text/event-stream", end: bool = True
) -> Answer:
    """Send a body piece by piece; without its end, break off."""

    async def send(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": content_type})
        await response.prepare(request)
        for part in parts:
            await response.write(part)
            await asyncio.sleep(pause_s)
        if end:
            await response.write_eof()
        elif request.transport is not None:
            request.transport.abort()
        return response

    return send


def event(body: object) -> bytes:
    """Return a server-sent event."""
    return f"data: {json.dumps(body, ensure_ascii=False)}\n\n".encode()
