"""A command that speaks JSON lines as a system: one request a line on its input, one reply a line on its output."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from aliquot.errors import MachineError, UsageError, excerpt
from aliquot.stats.results import Undefined
from aliquot.systems.faults import FaultError
from aliquot.systems.limits import require_limits
from aliquot.systems.mappings import decoding_of, messages_of, prompt_of, reply_of
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, LikelihoodRequest
from aliquot.systems.speaking import Speaking
from aliquot.systems.system import System

DEATHS: Final = 3
"""Times a command may end before it has ever answered."""


def command_system(
    command: Sequence[str],
    *,
    version: str | None = None,
    components: Mapping[str, str] | None = None,
    concurrency: int = 1,
    timeout_s: float = 600.0,
    folder: str | None = None,
) -> System:
    """Return a system that asks a command, for ``run(..., models={name: system})``.

    The command is started once and read line by line. A request is an object with ``id``, ``prompt``, ``messages``
    and ``decoding``; the reply holds the same ``id``, ``text``, and what else is known as for ``function_system``.
    Logs belong on its standard error. A command that ends, or says what is no reply, makes rows with
    status ``error`` of what it was asked, and is started again.

    Args:
        command: the program and its arguments.
        version: what changes when the command's answers may.
        components: versions of other parts that shape an answer.
        concurrency: requests given to the command before it has answered; it may answer in any order.
        timeout_s: seconds for one answer.
        folder: where it is run; None for where this process is.

    Raises:
        UsageError: no command, or a setting that cannot be used.
    """
    if isinstance(command, str) or not command:
        raise UsageError('a command is a list: ["python", "-u", "agent.py"]')
    require_limits(concurrency=concurrency, timeout_s=timeout_s)
    parts = {"model": " ".join(command), "snapshot": version or ""} | dict(components or {})
    known = {name: text for name, text in parts.items() if text}
    return _CommandSystem(
        tuple(command), components=known, concurrency=concurrency, timeout_s=timeout_s, folder=folder
    )


class _CommandSystem:
    """Asks a command; a ``System``."""

    def __init__(
        self,
        command: tuple[str, ...],
        *,
        components: Mapping[str, str],
        concurrency: int,
        timeout_s: float,
        folder: str | None,
    ) -> None:
        self._command, self._folder, self._timeout_s = command, folder, timeout_s
        self.components, self.concurrency = components, concurrency
        self._speaking: Speaking | None = None
        self._asked = self._deaths = 0

    async def chat(self, request: ChatRequest) -> Reply:
        """Ask the command."""
        return await self._ask(request)

    async def complete(self, request: CompletionRequest) -> Reply:
        """Ask the command."""
        return await self._ask(request)

    async def log_likelihood(self, request: LikelihoodRequest) -> Likelihood | Undefined:
        """Return why there is none."""
        return Undefined(f"a command tells no log-probability of {request.continuation!r}")

    async def close(self) -> None:
        """End the command."""
        speaking, self._speaking = self._speaking, None
        if speaking is not None:
            await speaking.end()

    async def _ask(self, request: ChatRequest | CompletionRequest) -> Reply:
        speaking = self._started()
        self._asked += 1
        number = self._asked
        asked: dict[str, Any] = {"id": number, "prompt": prompt_of(request), "messages": messages_of(request)}
        line = msgspec.json.encode(asked | {"decoding": decoding_of(request)})
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._timeout_s):
                said = await speaking.ask(number, line)
            self._deaths = 0
            return reply_of(said, latency_s=time.perf_counter() - started, asked=asked["messages"])
        except TimeoutError:
            if speaking.idle:  # nobody else waits: what hangs is not to hold up the next
                await speaking.end()
                self._speaking = None if self._speaking is speaking else self._speaking
            return Reply(text="", status="timeout", reason=f"no answer within {self._timeout_s:g} s")
        except FaultError as fault:
            return Reply(text="", status="error", reason=fault.reason)

    def _started(self) -> Speaking:
        """Return the running command, started when it is not.

        Raises:
            MachineError: it cannot be started, or keeps ending without an answer.
        """
        ended = self._speaking
        if ended is not None and ended.over:
            self._deaths += not ended.answered
            if self._deaths >= DEATHS:
                raise MachineError(
                    f"the command {excerpt(self.components['model'])} ended {DEATHS} times without an answer: "
                    f"{ended.last_words}"
                )
            self._speaking = None
        if self._speaking is None:
            self._speaking = Speaking(self._command, folder=self._folder)
        return self._speaking
