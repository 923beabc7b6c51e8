"""A Python function as a system."""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from aliquot.errors import UsageError
from aliquot.stats.results import Undefined
from aliquot.systems.faults import FaultError
from aliquot.systems.limits import require_limits
from aliquot.systems.mappings import decoding_of, messages_of, prompt_of, reply_of
from aliquot.systems.recordable import interrupts, raised
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, LikelihoodRequest
from aliquot.systems.system import System


def function_system(
    function: Callable[..., Any],
    *,
    version: str | None = None,
    components: Mapping[str, str] | None = None,
    concurrency: int = 4,
    timeout_s: float = 600.0,
) -> System:
    """Return a system that answers by calling a function, for ``run(..., models={name: system})``.

    The function is given the prompt, and the messages or the decoding too when it has parameters of these names. It
    returns a text, or a mapping with ``text`` and what else is known: ``status``, ``reason``, ``finish``, ``stage``,
    ``steps``, ``tool_calls``, ``tool_errors``, ``tokens_in``, ``tokens_out``, ``tokens_reasoning``,
    ``tokens_cached``, ``cost``, ``currency``, ``first_token_s``, ``logprobs`` (a list of
    ``{token, logprob}``); and how the answer came about: ``transcript`` (or ``messages``), ``tool_calls`` as a list,
    ``stages``.
    What it raises makes a row with status ``error``, and no end of the run.

    Args:
        function: the function, sync (called in threads) or async.
        version: what changes when the function's answers may; None for the hash of its source.
        components: versions of other parts that shape an answer: index, retriever, tools.
        concurrency: calls at once.
        timeout_s: seconds for one answer; a thread is then left to itself.

    Raises:
        UsageError: no function, or a setting that cannot be used.

    Examples:
        >>> import asyncio
        >>> from aliquot.systems.requests import CompletionRequest
        >>> system = function_system(lambda prompt: {"text": prompt.upper(), "steps": 2})
        >>> reply = asyncio.run(system.complete(CompletionRequest("oslo")))
        >>> reply.text, reply.steps
        ('OSLO', 2)
    """
    if not callable(function):
        raise UsageError("function_system needs a function")
    _require_prompt(function)
    require_limits(concurrency=concurrency, timeout_s=timeout_s)
    parts = {"model": getattr(function, "__qualname__", type(function).__qualname__)}
    parts |= {"snapshot": version or _source_hash(function)}
    parts |= dict(components or {})
    known = {name: text for name, text in parts.items() if text}
    return _FunctionSystem(function, components=known, concurrency=concurrency, timeout_s=timeout_s)


class _FunctionSystem:
    """Calls a function; a ``System``."""

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        components: Mapping[str, str],
        concurrency: int,
        timeout_s: float,
    ) -> None:
        self._function, self._timeout_s = function, timeout_s
        self.components, self.concurrency = components, concurrency
        self._named = _named_parameters(function)
        self._pool: ThreadPoolExecutor | None = None

    async def chat(self, request: ChatRequest) -> Reply:
        """Call the function with the conversation's last message."""
        return await self._call(request)

    async def complete(self, request: CompletionRequest) -> Reply:
        """Call the function with the prompt."""
        return await self._call(request)

    async def log_likelihood(self, request: LikelihoodRequest) -> Likelihood | Undefined:
        """Return why there is none."""
        return Undefined(f"a function tells no log-probability of {request.continuation!r}")

    async def close(self) -> None:
        """Let go of the threads."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    async def _call(self, request: ChatRequest | CompletionRequest) -> Reply:
        offered = {"messages": messages_of, "decoding": decoding_of}
        named = {name: offered[name](request) for name in self._named}
        started = time.perf_counter()
        limit = asyncio.timeout(self._timeout_s)
        try:
            async with limit:
                returned = await self._returned(prompt_of(request), named)
            if isinstance(returned, _Raised):
                return raised(returned.error)
            return reply_of(returned, latency_s=time.perf_counter() - started, asked=messages_of(request))
        except FaultError as fault:
            return Reply(text="", status="error", reason=fault.reason)
        except BaseException as error:  # a user's function may raise anything, and no item may end the run
            if interrupts(error):
                raise
            if limit.expired():
                return Reply(text="", status="timeout", reason=f"no answer within {self._timeout_s:g} s")
            return raised(error)

    async def _returned(self, prompt: str, named: Mapping[str, Any]) -> object:
        if inspect.iscoroutinefunction(self._function):
            return await self._function(prompt, **named)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.concurrency, thread_name_prefix="aliquot-function")
        loop = asyncio.get_running_loop()
        returned = await loop.run_in_executor(self._pool, self._in_thread, prompt, named)
        return await returned if inspect.isawaitable(returned) else returned

    def _in_thread(self, prompt: str, named: Mapping[str, Any]) -> object:
        """Call the function; what it raises is carried out, as a future cannot hold all of it (StopIteration)."""
        try:
            return self._function(prompt, **named)
        except BaseException as error:  # noqa: BLE001 - also sys.exit; a signal never comes in this thread
            return _Raised(error)


@dataclass(frozen=True, slots=True)
class _Raised:
    """What a function raised in its thread."""

    error: BaseException


def _require_prompt(function: Callable[..., Any]) -> None:
    """Refuse a function that cannot be called with a prompt, which would make every row an error."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind("prompt", **dict.fromkeys(_named_parameters(function)))
    except TypeError as error:
        raise UsageError(
            f"the function is called with the prompt, and with messages and decoding when it has parameters of these "
            f"names; its own are {signature} ({error})"
        ) from error


def _named_parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return which of the parameters that are offered by name a function has."""
    try:
        parameters = list(inspect.signature(function).parameters)[1:]
    except (TypeError, ValueError):  # a function written in C may tell nothing
        return ()
    return tuple(name for name in ("messages", "decoding") if name in parameters)


def _source_hash(function: Callable[..., Any]) -> str:
    """Return the hash of a function's source; empty when it has none that can be read."""
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):
        return ""
    return f"source sha256:{hashlib.sha256(source.encode()).hexdigest()[:20]}"
