"""Connections to one server: aiohttp's sockets, TLS and parser, without the layers of its session.

A session follows redirects, keeps cookies, sends again what it holds for idempotent and gives each body a task of its
own. Nothing of it is wanted here, and it is most of what a request costs. What is left is one write, and the answer as
aiohttp's parser tells it. Nothing is sent twice. Needs the extra ``http``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import aiohttp

from aliquot.systems.faults import FaultError

if TYPE_CHECKING:
    from aiohttp.connector import Connection
    from yarl import URL

T = TypeVar("T")

KEEP_ALIVE_S: Final = 4.0
"""Seconds an idle connection is kept: less than the five after which common servers close theirs."""

_BUFFER: Final = 2**18
"""Bytes of an answer that are held before more is read from its connection."""

_SWITCHED: Final = 101
"""HTTP status after which there is no HTTP; every other one below 200 says that the answer is still to come."""


class Answer(NamedTuple):
    """An answer whose head is there.

    Attributes:
        status: its HTTP status.
        headers: its headers; names in any case.
        content: its body as it comes.
    """

    status: int
    headers: Mapping[str, str]
    content: aiohttp.StreamReader


class _Target(NamedTuple):
    """What all requests to one path share.

    Attributes:
        request: tells the connector where to connect to, and how.
        head: the first bytes, up to the length of the body.
    """

    request: aiohttp.ClientRequest
    head: bytes


class Connections:
    """Connections to one server that are kept for further requests; made on the loop that asks.

    Args:
        headers: what every request has in its head.
        connect_timeout_s: seconds for a connection.
    """

    def __init__(self, headers: Mapping[str, str], *, connect_timeout_s: float) -> None:
        self._headers, self._connect_timeout_s = headers, connect_timeout_s
        self._timeout = aiohttp.ClientTimeout(total=None, sock_connect=connect_timeout_s)
        self._connector = aiohttp.TCPConnector(limit=0)
        self._targets: dict[tuple[str, URL], _Target] = {}
        self._idle: list[tuple[Connection, float]] = []

    async def exchange(self, url: URL, body: bytes | None, read: Callable[[Answer], Awaitable[T]]) -> T:
        """Send one request and return what ``read`` makes of the answer.

        Args:
            url: where to.
            body: what is posted; None for a request that only reads.
            read: reads the answer; a connection whose answer it does not read to the end is closed.

        Raises:
            FaultError: there was no connection in time.
            ClientError: the connection broke, as aiohttp tells it.
            HttpProcessingError: the answer is not HTTP.
        """
        target = self._target("GET" if body is None else "POST", url)
        connection = self._kept() or await self._connect(target.request)
        try:
            answer = await _answer_to(connection, target.head, body)
        except BaseException:
            connection.close()  # the answer may still come, and is not to be the next one's
            raise
        try:
            return await read(answer)
        finally:
            self._give_back(connection)

    async def close(self) -> None:
        """Close all connections."""
        for connection, _ in self._idle:
            connection.close()
        self._idle.clear()
        await self._connector.close()

    def _kept(self) -> Connection | None:
        """Return a connection that is there already, the one used last; None when there is none."""
        while self._idle:
            connection, since = self._idle.pop()
            if _is_free(connection) and monotonic() - since <= KEEP_ALIVE_S:
                return connection
            connection.close()
        return None

    def _give_back(self, connection: Connection) -> None:
        """Keep a connection for the next request, unless its own is not at an end on either side."""
        if _is_free(connection):
            self._idle.append((connection, monotonic()))
        else:
            connection.close()

    async def _connect(self, request: aiohttp.ClientRequest) -> Connection:
        try:
            return await self._connector.connect(request, [], self._timeout)
        except TimeoutError as error:
            raise FaultError(f"no connection within {self._connect_timeout_s:g} s", again=True) from error

    def _target(self, method: str, url: URL) -> _Target:
        held = self._targets.get((method, url))
        if held is None:
            request = aiohttp.ClientRequest(
                method, url, headers=self._headers, loop=asyncio.get_running_loop()
            )
            held = self._targets[method, url] = _Target(request, _head(request))
        return held


def _head(request: aiohttp.ClientRequest) -> bytes:
    """Return the head of a request with all of aiohttp's own headers but the length."""
    lines = [f"{request.method} {request.url.raw_path_qs} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in request.headers.items() if name != "Content-Length"]
    return "\r\n".join(lines).encode()


async def _answer_to(connection: Connection, head: bytes, body: bytes | None) -> Answer:
    """Send a request and return its answer once the head is there."""
    protocol = connection.protocol
    if protocol is None or protocol.transport is None:
        raise aiohttp.ServerDisconnectedError
    protocol.set_response_params(read_until_eof=True, read_bufsize=_BUFFER)
    length = b"" if body is None else b"\r\nContent-Length: %d" % len(body)
    protocol.transport.write(b"%b%b\r\n\r\n%b" % (head, length, body or b""))
    while True:
        message, content = await protocol.read()
        if message.code >= 200 or message.code == _SWITCHED:
            return Answer(message.code, message.headers, content)


def _is_free(connection: Connection) -> bool:
    """Tell whether a connection is open with nothing under way: no rest of a request, no rest of an answer, no more."""
    protocol, transport = connection.protocol, connection.transport
    return (
        protocol is not None and transport is not None
        and protocol.is_connected() and not protocol.should_close
        and not transport.get_write_buffer_size()
    )  # fmt: skip
