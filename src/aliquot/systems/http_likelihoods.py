"""How probable a continuation is, asked of a server in whichever way it has: the echo of a prompt, or forced tokens."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Literal, Protocol, TypeAlias, TypeVar

import msgspec

from aliquot.stats.results import Undefined
from aliquot.systems.endpoint import PATHS, Endpoint
from aliquot.systems.faults import FaultError
from aliquot.systems.forced_tokens import EMPTY, NOT_TOLD, Engine, ForcedTokens
from aliquot.systems.http_transport import HttpTransport, Incoming
from aliquot.systems.openai_answers import Completion, decode_completion
from aliquot.systems.openai_bodies import echo_body, forced_body
from aliquot.systems.openai_likelihood import NO_ECHO, read_likelihood
from aliquot.systems.refusals import is_too_long
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import LikelihoodRequest
from aliquot.systems.told_json import decode_told

T = TypeVar("T")

Way: TypeAlias = Literal["echo", "forced tokens"]
"""How a server tells log-probabilities."""

REFUSED: Final = frozenset({400, 401, 403, 404, 405, 422, 501})
"""HTTP statuses with which a server says that it has no such thing."""

_encode = msgspec.json.Encoder().encode
_ANYTHING: Final = msgspec.json.Decoder()


class Persist(Protocol):
    """Makes a request until it is answered or given up, and returns the answer with the faults before it."""

    async def __call__(self, once: Callable[[], Awaitable[T]]) -> tuple[T, tuple[str, ...]]:
        """Make the request that ``once`` makes."""
        ...


class HttpLikelihoods:
    """Asks one server for log-probabilities; what it answers first decides the way, which is kept.

    Args:
        endpoint: the server.
        transport: sends requests.
        persist: sends them until they are answered.
        see: takes note of the model and fingerprint that an answer names.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        transport: HttpTransport,
        persist: Persist,
        see: Callable[[str | None, str | None], None],
    ) -> None:
        self._endpoint, self._transport, self._persist, self._see = endpoint, transport, persist, see
        self._forced = ForcedTokens(Engine(self._complete, self._tokenize, self._properties))
        self.way: Way | None = None
        self._neither: Undefined | None = None

    async def ask(self, request: LikelihoodRequest) -> Likelihood | Undefined | Reply:
        """Return how probable a continuation is; Undefined where this server cannot tell it.

        Raises:
            FaultError: the request was given up.
        """
        if not request.continuation:
            return Undefined(EMPTY)
        if self._neither is not None:
            return self._neither
        if self.way != "forced tokens":
            found = await self._echo(request)
            if found is not None:
                self.way = "echo"
                return found
        forced = await self._force(request)
        if isinstance(forced, Likelihood):
            self.way = "forced tokens"
        elif isinstance(forced, Undefined) and forced.reason.startswith(NO_ECHO):
            self._neither = forced
        return forced

    async def _echo(self, request: LikelihoodRequest) -> Likelihood | Undefined | None:
        """Return what the echo of the prompt tells; None where the server has none."""

        async def read(incoming: Incoming) -> tuple[Completion, float]:
            return await self._completion(incoming), incoming.elapsed_s

        body = _encode(echo_body(self._endpoint, request))
        try:
            (found, elapsed_s), faults = await self._persist(
                lambda: self._transport.send(PATHS["completions"], body, read)
            )
        except FaultError as fault:
            if (
                self.way is None
                and fault.status in {400, 422}
                and not is_too_long(fault.error, status=fault.status)
            ):
                return None
            raise
        told = read_likelihood(
            found, context=request.context, continuation=request.continuation, latency_s=elapsed_s
        )
        if isinstance(told, Undefined):
            return None if told.reason == NO_ECHO else told
        return msgspec.structs.replace(told, faults=faults)

    async def _force(self, request: LikelihoodRequest) -> Likelihood | Undefined | Reply:
        """Return what forced tokens tell; where the server knows no tokens, say so."""
        try:
            found = await self._forced.log_likelihood(request)
        except msgspec.ValidationError as error:
            return Undefined(f"{NO_ECHO}, and says no tokens ({error})")
        except FaultError as fault:
            if (
                self.way is None
                and fault.status in REFUSED
                and not is_too_long(fault.error, status=fault.status)
            ):
                return Undefined(f"{NO_ECHO}, and lets no tokens be forced ({fault.reason})")
            raise
        if isinstance(found, Undefined) and found.reason == NOT_TOLD:
            return Undefined(f"{NO_ECHO}, and lets no tokens be forced ({NOT_TOLD})")
        return found

    async def _complete(self, asked: Mapping[str, Any]) -> Completion:
        body, read = _encode(forced_body(self._endpoint, asked)), self._completion
        found, _ = await self._persist(lambda: self._transport.send(PATHS["completions"], body, read))
        return found

    async def _completion(self, incoming: Incoming) -> Completion:
        found = decode_completion(await incoming.body(), content_type=incoming.content_type)
        self._see(found.model, found.system_fingerprint)
        return found

    async def _tokenize(self, asked: Mapping[str, Any]) -> Any:
        body = _encode(asked)
        found, _ = await self._persist(lambda: self._transport.send("/tokenize", body, _read_json, root=True))
        return found

    async def _properties(self) -> Any:
        """Return what the server says of its model; a server that has no such page says nothing."""
        try:
            found, _ = await self._persist(
                lambda: self._transport.send("/props", None, _read_json, root=True)
            )
        except FaultError as fault:
            if fault.status in REFUSED:
                return None
            raise
        return found


async def _read_json(incoming: Incoming) -> Any:
    body = await incoming.body()
    return decode_told(body, _ANYTHING, of="an answer", content_type=incoming.content_type)
