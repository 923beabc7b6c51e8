"""A server that answers chat completions at once, so that what is measured is the one who asks.

``python -m benchmarks.loopback`` prints its port and answers until its input ends.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Generator
from contextlib import contextmanager
from subprocess import PIPE, Popen

LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)

COMPLETION = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1700000000,
    "model": "mock",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "The answer is 42."},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ],
    "usage": {"prompt_tokens": 60, "completion_tokens": 7, "total_tokens": 67},
    "system_fingerprint": "fp_mock",
}


def _answer(body: object) -> bytes:
    data = json.dumps(body).encode()
    head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n\r\n"
    return head.encode() + data


CHAT = _answer(COMPLETION)
MODELS = _answer({"object": "list", "data": [{"id": "mock", "object": "model"}]})


class Connection(asyncio.Protocol):
    """One connection: a body that has come whole is answered."""

    def __init__(self) -> None:
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._waiting += data
        while (end := self._waiting.find(b"\r\n\r\n")) >= 0:
            head = self._waiting[: end + 2]
            found = LENGTH.search(head)
            whole = end + 4 + (int(found[1]) if found else 0)
            if len(self._waiting) < whole:
                return
            self._waiting = self._waiting[whole:]
            self._transport.write(CHAT if head.startswith(b"POST") else MODELS)


@contextmanager
def serving() -> Generator[str]:
    """Start the server in a process of its own and yield its address."""
    with Popen([sys.executable, "-m", "benchmarks.loopback"], stdin=PIPE, stdout=PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
        server.stdin.close()


async def main() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.read)


if __name__ == "__main__":
    asyncio.run(main())
