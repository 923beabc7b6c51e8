"""The embedded model: llama.cpp in this process (extra ``local``), asked without a network.

Calls block while the model thinks, so each runs in a thread of its own pool and the event loop stays free.
The engine listens on a free loopback port in any case; ``port`` fixes which one, so that others can ask too.
"""

from __future__ import annotations

import asyncio
import http.client
import importlib
import importlib.metadata
import json
import os
import socket
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from aliquot.errors import MachineError
from aliquot.stats.results import Undefined
from aliquot.systems import weights
from aliquot.systems.faults import FaultError
from aliquot.systems.forced_tokens import Engine, ForcedTokens
from aliquot.systems.openai_answers import Completion, make_reply, read_choice, told_fault
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, Decoding, LikelihoodRequest

VARIABLE = "ALIQUOT_MODEL"
ALIAS = "embedded"

MOST_LETTERS: Final = 240
"""Letters of a free text in a reply that a schema holds."""

MOST_ENTRIES: Final = 12
"""Entries of a list in such a reply."""

T = TypeVar("T")


def cache_folder() -> Path:
    """Return the folder of this user's cache that holds the weights."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "aliquot"
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "aliquot"


def named_file() -> Path | None:
    """Return the GGUF file that ``ALIQUOT_MODEL`` names, or None when it names none.

    Raises:
        MachineError: it names something that is not a file.
    """
    named = os.environ.get(VARIABLE)
    if not named:
        return None
    if not Path(named).is_file():
        raise MachineError(f"{VARIABLE} names {named}, which is not a file. Unset it, or run: aliquot model")
    return Path(named)


def model_file() -> Path:
    """Return the GGUF file to load: what ``ALIQUOT_MODEL`` names, else the installed weights.

    Raises:
        MachineError: neither is there.
    """
    return named_file() or weights.find(cache_folder())


def available_cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class EmbeddedModel:
    """The embedded model, loaded; a ``System``.

    Temperature 0 is not reproducible to the letter: what else is worked on, and which beginning of a prompt is still
    in memory, changes the last digits of the sums and now and then a word (4 of 157 answers between two sessions of
    the demo).

    Args:
        file: the GGUF file; None for ``model_file()``.
        threads: computing threads; None for the cores available.
        slots: answers worked on at once.
        context: tokens of prompt and answer that fit in one slot.
        port: loopback port to serve on; None for any free one.

    Raises:
        MachineError: engine or weights are missing, the weights cannot be loaded, or the port is in use.
    """

    def __init__(
        self,
        file: Path | None = None,
        *,
        threads: int | None = None,
        slots: int = 2,
        context: int = 2048,
        port: int | None = None,
    ) -> None:
        file = file or model_file()
        standard = file.name == weights.FILE and file.parent == cache_folder()
        self._snapshot = weights.check(file) if standard else weights.digest(file)
        self._file, self._slots = file, slots
        self._server: Any = _start(
            file, threads=threads or available_cores(), slots=slots, context=context, port=port
        )
        self._pool = ThreadPoolExecutor(max_workers=slots, thread_name_prefix="aliquot-model")
        self._forced = ForcedTokens(Engine(self._complete, self._tokenize, self._properties))

    @property
    def address(self) -> str:
        """URL under which this model also answers OpenAI-style requests."""
        return str(self._server.listening_address)

    @property
    def concurrency(self) -> int:
        """Answers worked on at once: the slots."""
        return self._slots

    @property
    def components(self) -> Mapping[str, str]:
        """Model, snapshot (SHA-256 of the weights) and engine with its version."""
        engine = f"xllamacpp {importlib.metadata.version('xllamacpp')}"
        return {
            "model": self._file.name.removesuffix(".gguf"),
            "snapshot": f"sha256:{self._snapshot}",
            "engine": engine,
        }

    async def chat(self, request: ChatRequest) -> Reply:
        """Continue a conversation; the model's own chat template is applied."""
        body = {
            "messages": [{"role": message.role, "content": message.content} for message in request.messages],
            **_parameters(request.decoding),
        }
        if request.schema is not None:
            form = {"name": "answer", "schema": bounded(json.loads(request.schema)), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        logprobs = request.decoding.logprobs
        if logprobs is not None:
            body |= {"logprobs": True, "top_logprobs": logprobs}
        return await self._in_thread(
            lambda: _reply(self._server.handle_chat_completions, body, logprobs=logprobs)
        )

    async def complete(self, request: CompletionRequest) -> Reply:
        """Continue a text."""
        body = {"prompt": request.prompt, **_parameters(request.decoding)}
        logprobs = request.decoding.logprobs
        if logprobs is not None:
            body["logprobs"] = logprobs
        return await self._in_thread(lambda: _reply(self._server.handle_completions, body, logprobs=logprobs))

    async def log_likelihood(self, request: LikelihoodRequest) -> Likelihood | Undefined | Reply:
        """Force the continuation token by token and sum the log-probabilities the model gave before forcing.

        Without a context it is a text from the model's first token on, in windows of ``context`` tokens.
        """
        try:
            return await self._forced.log_likelihood(request)
        except FaultError as fault:
            return Reply(text="", status="error", reason=fault.reason)
        except (OSError, RuntimeError, ValueError) as error:
            return Reply(text="", status="error", reason=str(error))

    async def close(self) -> None:
        """Wait for the answers being worked on, then free the model's memory."""
        await asyncio.to_thread(self._pool.shutdown)
        self._server = None

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    async def _complete(self, body: Mapping[str, Any]) -> Completion:
        found = await self._in_thread(lambda: self._server.handle_completions(dict(body)))
        if "error" in found:
            raise told_fault(found["error"])
        return msgspec.convert(found, Completion, strict=False)

    async def _tokenize(self, body: Mapping[str, Any]) -> Any:
        return await self._in_thread(lambda: self._call("POST", "/tokenize", json.dumps(body)))

    async def _properties(self) -> Any:
        return await self._in_thread(lambda: self._call("GET", "/props", None))

    def _call(self, method: str, path: str, body: str | None) -> Any:
        """Ask the engine's own server, which alone tells tokens."""
        connection = http.client.HTTPConnection(self.address.removeprefix("http://"), timeout=60)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            return json.load(connection.getresponse())
        finally:
            connection.close()


def bounded(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema whose free texts end after some letters, and lists after some entries.

    A small model that may write any text repeats itself until its budget is gone, and what would have come after the
    text never does.

    Args:
        schema: of an object, a list or a text.

    Examples:
        >>> bounded({"type": "object", "properties": {"why": {"type": "string"}, "yes": {"enum": ["y", "n"]}}})
        {'type': 'object', 'properties': {'why': {'type': 'string', 'maxLength': 240}, 'yes': {'enum': ['y', 'n']}}}
    """
    made = dict(schema)
    if made.get("type") == "string" and "enum" not in made:
        made.setdefault("maxLength", MOST_LETTERS)
    if made.get("type") == "array":
        made.setdefault("maxItems", MOST_ENTRIES)
        made["items"] = bounded(made.get("items", {}))
    if "properties" in made:
        made["properties"] = {name: bounded(part) for name, part in made["properties"].items()}
    return made


def _start(file: Path, *, threads: int, slots: int, context: int, port: int | None) -> object:
    try:
        engine: Any = importlib.import_module("xllamacpp")  # the extra ``local``, which ships no types
    except ImportError as error:
        raise MachineError("The embedded model needs an extra. Run: pip install 'aliquot[local]'") from error
    if port is not None:
        _require_free(port)
    parameters = engine.CommonParams()
    parameters.model.path = str(file)
    parameters.model_alias = {ALIAS}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port or 0
    parameters.n_parallel = slots
    parameters.n_ctx = context * slots
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.verbosity = 0
    try:
        server = engine.Server(parameters)
    except (RuntimeError, ValueError) as error:
        raise MachineError(f"{file} cannot be loaded as a model ({error}). Run: aliquot model") from error
    # The engine hangs for good when it is freed before its loop has begun to wait: one answer proves that it has.
    server.handle_completions({"prompt": "a", "max_tokens": 1})
    return server


def _require_free(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise MachineError(
                f"Port {port} on 127.0.0.1 cannot be used ({error.strerror}). Choose another with --port"
            ) from error


def _parameters(decoding: Decoding) -> dict[str, object]:
    """Return the engine's parameters; its own samplers are off: nothing unrecorded shapes an answer."""
    drawn: dict[str, object] = {
        "temperature": decoding.temperature or 0.0,  # none asked for: the most probable token
        "max_tokens": decoding.max_tokens,
        "top_k": 0,
        "top_p": 1.0 if decoding.top_p is None else decoding.top_p,
        "min_p": 0.0,
    }
    if decoding.stop:
        drawn["stop"] = list(decoding.stop)
    if decoding.seed is not None:
        drawn["seed"] = decoding.seed
    return drawn


def _reply(
    ask: Callable[[dict[str, object]], dict[str, Any]], body: dict[str, object], *, logprobs: int | None
) -> Reply:
    started = time.perf_counter()
    try:
        answer = ask(body)
    except (RuntimeError, ValueError) as error:
        return Reply(text="", status="error", reason=str(error))
    elapsed = time.perf_counter() - started
    if "error" in answer:
        return Reply(
            text="", status="error", reason=str(answer["error"].get("message", "")), latency_s=elapsed
        )
    try:
        said = read_choice(msgspec.convert(answer, Completion, strict=False))
        return make_reply(said, latency_s=elapsed, logprobs=logprobs)
    except (FaultError, msgspec.ValidationError) as error:
        return Reply(text="", status="error", reason=str(error), latency_s=elapsed)
