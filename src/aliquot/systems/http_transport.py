"""Requests over HTTP: one at a time, bounded in time and size, and never sent twice without our saying so.

Every question is a POST, and only what a server says of itself is read by GET. Redirects are not followed. Needs the
extra ``http``.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Final, TypeVar

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from aliquot.systems.deadlines import Deadlines
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.faults import FaultError
from aliquot.systems.http_connections import Answer, Connections
from aliquot.systems.keys import Key
from aliquot.systems.refusals import refusal

T = TypeVar("T")

MOST_BYTES: Final = 32 * 1024 * 1024
"""Bytes of one answer, at most."""

MOST_ERROR_BYTES: Final = 64 * 1024
"""Bytes of a refusal that are looked at."""

LET_GO_S: Final = 0.25
"""Seconds that are waited for the end of a connection whose answer is whole."""


class Incoming:
    """An answer that has begun to arrive.

    Args:
        answer: the answer, its head read.
        began: when the request started, by ``time.perf_counter``.
        begun: called when the answer's first part is there.
        ended: called when the answer is whole before its connection says so.
        hide: takes the key out of bytes that are about to be read.

    Attributes:
        content_type: what the server says the answer is.
        first_s: seconds to the first token, once it is there.
    """

    def __init__(
        self,
        answer: Answer,
        began: float,
        *,
        begun: Callable[[], None],
        ended: Callable[[], None],
        hide: Callable[[bytes], bytes],
    ) -> None:
        self._answer, self._began, self._begun, self._ended = answer, began, begun, ended
        self.hide = hide
        self.content_type = answer.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        self.first_s: float | None = None
        self._whole_s: float | None = None

    @property
    def streams(self) -> bool:
        """Whether the answer is a stream of events, whatever was asked for."""
        return self.content_type == "text/event-stream"

    @property
    def elapsed_s(self) -> float:
        """Seconds from the start of the request until the answer was whole, or until now."""
        return time.perf_counter() - self._began if self._whole_s is None else self._whole_s

    def begin(self) -> None:
        """Note that the first token is there; only the first call counts."""
        if self.first_s is None:
            self.first_s = self.elapsed_s
            self._begun()

    def end(self) -> None:
        """Note that the answer is whole, though its connection may stay open."""
        self._whole_s = self.elapsed_s
        self._begun()
        self._ended()

    async def let_go(self) -> None:
        """Wait a moment for the end behind a whole answer, so that the connection can be used again."""
        with contextlib.suppress(TimeoutError, aiohttp.ClientError, OSError, FaultError):
            async with asyncio.timeout(LET_GO_S):
                async for _ in self.pieces():
                    pass

    async def body(self) -> bytes:
        """Return the whole body.

        Raises:
            FaultError: it is larger than an answer may be.
        """
        self._begun()
        headers = self._answer.headers
        length = int(headers.get("Content-Length", -1))
        if 0 <= length <= MOST_BYTES and "Content-Encoding" not in headers:
            content = self._answer.content
            return self.hide(content.read_nowait() if content.is_eof() else await content.read())
        if length > MOST_BYTES:
            raise FaultError(f"the answer has {length} bytes; {MOST_BYTES} are read at most")
        return self.hide(b"".join([piece async for piece in self.pieces()]))

    async def pieces(self) -> AsyncIterator[bytes]:
        """Return the body as it comes.

        Raises:
            FaultError: it grows larger than an answer may be.
        """
        size = 0
        async for piece in self._answer.content.iter_any():
            size += len(piece)
            if size > MOST_BYTES:
                raise FaultError(f"the answer has more than {MOST_BYTES} bytes, the most that are read")
            yield piece


class HttpTransport:
    """Sends bodies to one server and hands the answers over as they arrive.

    Args:
        endpoint: the server, with its times.
        key: the key that goes with every request.
    """

    def __init__(self, endpoint: Endpoint, *, key: Key | None = None) -> None:
        self._endpoint, self._key = endpoint, key
        self._total, first_s = Deadlines(endpoint.timeout_s), endpoint.first_token_timeout_s
        self._first = Deadlines(first_s) if first_s is not None and first_s < endpoint.timeout_s else None
        self._urls: dict[str, URL] = {}
        self._connections: Connections | None = None

    async def send(
        self, path: str, body: bytes | None, read: Callable[[Incoming], Awaitable[T]], *, root: bool = False
    ) -> T:
        """Send one request and return what ``read`` makes of the answer.

        Args:
            path: where, below the base URL.
            body: the request's body, JSON; None to read what stands there.
            read: reads an answer with status 200; may raise ``FaultError``.
            root: whether the path stands beside ``/v1`` and not below it.

        Raises:
            FaultError: no answer, one that cannot be read, or one that took too long.
        """
        began = time.perf_counter()
        first = None if self._first is None else self._first.start()

        async def take(answer: Answer) -> T:
            if answer.status != 200:
                raise refusal(answer.status, answer.headers, self._hide(await _beginning(answer)))
            begun = first.end if first else _nothing
            return await read(Incoming(answer, began, begun=begun, ended=total.end, hide=self._hide))

        try:
            with self._total.start() as total, first or _UNLIMITED:
                return await self._open().exchange(self._url(path, root=root), body, take)
        except FaultError as found:
            fault = found
        except (aiohttp.ClientError, HttpProcessingError, OSError) as error:
            fault = self._fault_of(error, begun=first is None or not first.expired)
        if self._key is not None:
            fault.hide(self._key)
        raise fault  # outside: what an error came from may hold the request's head, and with it the key

    def _hide(self, data: bytes) -> bytes:
        return data if self._key is None else self._key.scrub_bytes(data)

    def _fault_of(self, error: Exception, *, begun: bool) -> FaultError:
        """Return what an error of the connection, or of the clock, means."""
        at = self._endpoint
        if isinstance(error, TimeoutError) and begun:
            return FaultError(f"no whole answer within {at.timeout_s:g} s", timeout=True)
        if isinstance(error, TimeoutError):
            return FaultError(f"no token within {at.first_token_timeout_s:g} s", timeout=True)
        if isinstance(error, OSError) and not isinstance(error, aiohttp.ClientError):
            return FaultError(f"connection failed: {error.strerror or type(error).__name__}", again=True)
        return FaultError(_broken(error), again=not isinstance(error, aiohttp.InvalidURL))

    async def close(self) -> None:
        """Close all connections."""
        for deadlines in filter(None, (self._total, self._first)):
            deadlines.close()
        connections, self._connections = self._connections, None
        if connections is not None:
            await connections.close()

    def _url(self, path: str, *, root: bool) -> URL:
        if path not in self._urls:
            base = self._endpoint.base_url.rstrip("/")
            url = URL((base.removesuffix("/v1") if root else base) + path)
            version = self._endpoint.api_version
            self._urls[path] = url if version is None else url.with_query({"api-version": version})
        return self._urls[path]

    def _open(self) -> Connections:
        """Return the connections; they are made on the loop that asks."""
        if self._connections is None:
            seconds = self._endpoint.connect_timeout_s
            self._connections = Connections(self._headers(), connect_timeout_s=seconds)
        return self._connections

    def _headers(self) -> Mapping[str, str]:
        headers = {"Content-Type": "application/json", "User-Agent": "aliquot"}
        if self._key is not None and self._endpoint.api_version is not None:
            headers["api-key"] = self._key.reveal()
        elif self._key is not None:
            headers["Authorization"] = f"Bearer {self._key.reveal()}"
        return headers


_UNLIMITED: Final = contextlib.nullcontext()


def _nothing() -> None:
    """Do nothing: no limit ends with the first token."""


async def _beginning(answer: Answer) -> bytes:
    """Return the beginning of a refusal's body; what breaks while it is read says no more."""
    data = b""
    try:
        async for piece in answer.content.iter_any():
            data += piece
            if len(data) >= MOST_ERROR_BYTES:
                break
    except (aiohttp.ClientError, HttpProcessingError, OSError):
        pass
    return data[:MOST_ERROR_BYTES]


_BROKEN: Final[tuple[tuple[type[Exception], str], ...]] = (
    (aiohttp.ClientConnectorCertificateError, "the server's certificate is not trusted"),
    (aiohttp.ClientConnectorDNSError, "the server's name is not known"),
    (aiohttp.ClientConnectorError, "no connection"),
    (aiohttp.ClientPayloadError, "the answer broke off"),
    (aiohttp.ServerDisconnectedError, "the server closed the connection"),
    (aiohttp.ClientOSError, "the server closed the connection"),
    (HttpProcessingError, "the server's answer is not HTTP"),
)


def _broken(error: Exception) -> str:
    """Return in one short line how a connection failed; aiohttp's own words may hold the request."""
    known = next((words for kind, words in _BROKEN if isinstance(error, kind)), None)
    if isinstance(error, aiohttp.ClientConnectorError) and known == "no connection":
        return f"{known}: {error.os_error.strerror or type(error.os_error).__name__}"
    return known or f"the request failed ({type(error).__name__})"
