"""A model behind an OpenAI-compatible API: chat completions, completions and responses, whole or streamed.

Servers differ (OpenAI, Azure, vLLM, SGLang, llama.cpp, ollama); what they send is read tolerantly, and what they refuse
is told once, with the parameter and the remedy.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from aliquot.errors import UsageError
from aliquot.evidence.token_logprobs import TokenLogprob
from aliquot.stats.results import Undefined
from aliquot.systems.endpoint import PATHS, Api, Endpoint
from aliquot.systems.faults import FaultError
from aliquot.systems.http_likelihoods import HttpLikelihoods
from aliquot.systems.http_transport import HttpTransport, Incoming
from aliquot.systems.keys import Key
from aliquot.systems.openai_answers import Said, decode_completion, make_reply, read_choice
from aliquot.systems.openai_bodies import chat_body, completion_body, response_body
from aliquot.systems.openai_faults import Refusals, wants_other_budget
from aliquot.systems.openai_responses import read_response
from aliquot.systems.openai_streams import ChoiceStream, ResponseStream, read_stream
from aliquot.systems.overruled import MOST_TOLD, overruled, warnings_told
from aliquot.systems.pace import Pace
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import ChatRequest, CompletionRequest, Decoding, LikelihoodRequest
from aliquot.systems.retries import Patience, persist

MOST_SNAPSHOTS: Final = 5
"""Snapshots of one server that are told apart; a further one is not recorded."""

T = TypeVar("T")

_encode = msgspec.json.Encoder().encode


class OpenAIModel:
    """A model behind an OpenAI-compatible API; a ``System``.

    Args:
        endpoint: where it is and how it is asked.
        key: the key that goes with every request.
        pace: gate and limit of the server, shared by all models asked there; None for one of its own.
        patience: how long a lost request is tried again; None for the endpoint's number of tries.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        key: Key | None = None,
        pace: Pace | None = None,
        patience: Patience | None = None,
    ) -> None:
        self._endpoint, self._key = endpoint, key
        self._components = endpoint.components
        self._pace, self._patience = pace or Pace(), patience or Patience(tries=endpoint.tries)
        self._transport = HttpTransport(endpoint, key=key)
        self._refusals = Refusals(endpoint)
        self._budget = "max_tokens"
        self._snapshots: dict[str, None] = {}
        self._told: dict[str, dict[str, None]] = {"overruled": {}, "server_warnings": {}}
        self._likelihoods = HttpLikelihoods(endpoint, self._transport, self._persist, self._see)

    @property
    def components(self) -> Mapping[str, str]:
        """Model, base URL and everything else of the endpoint that shapes an answer; no key."""
        return self._components

    @property
    def observed(self) -> Mapping[str, str]:
        """What the server said while it answered: the model it named, what it overruled, how it told likelihoods."""
        told = {"snapshot": self._snapshots, **self._told}
        seen = {name: ", ".join(words) for name, words in told.items() if words}
        return seen | ({"likelihood": self._likelihoods.way} if self._likelihoods.way else {})

    @property
    def load(self) -> Mapping[str, int]:
        """What the pace of the server has counted, for all models that are asked there."""
        return self._pace.seen

    @property
    def concurrency(self) -> int:
        """Requests in flight at most."""
        return self._endpoint.concurrency

    async def chat(self, request: ChatRequest) -> Reply:
        """Continue a conversation."""
        if self._endpoint.api == "responses":
            return await self._ask("responses", response_body(self._endpoint, request), request.decoding)
        self._require("chat")
        body = chat_body(self._endpoint, request, budget=self._budget)
        try:
            return await self._exchange("chat", body, request.decoding)
        except FaultError as fault:
            if not wants_other_budget(fault, body):
                return self._lost(fault, body)
        self._budget = "max_completion_tokens"
        body = chat_body(self._endpoint, request, budget=self._budget)
        return await self._ask("chat", body, request.decoding)

    async def complete(self, request: CompletionRequest) -> Reply:
        """Continue a text."""
        self._require("completions")
        return await self._ask("completions", completion_body(self._endpoint, request), request.decoding)

    async def log_likelihood(self, request: LikelihoodRequest) -> Likelihood | Undefined | Reply:
        """Return how probable a continuation is, as this server tells it: by echo, else by forced tokens."""
        self._require("completions")
        try:
            found = await self._likelihoods.ask(request)
        except FaultError as fault:
            return self._lost(fault, {})
        self._refusals.answered = True
        return found

    async def close(self) -> None:
        """Close all connections."""
        await self._transport.close()

    async def _ask(self, api: Api, body: Mapping[str, Any], drawn: Decoding) -> Reply:
        try:
            return await self._exchange(api, body, drawn)
        except FaultError as fault:
            return self._lost(fault, body)

    async def _exchange(self, api: Api, body: Mapping[str, Any], drawn: Decoding) -> Reply:
        """Send a body until it is answered or given up, and return the answer with the faults before it.

        Raises:
            FaultError: it was given up.
        """
        encoded, read = _encode(body), self._reader(api, body, logprobs=drawn.logprobs)
        reply, faults = await self._persist(lambda: self._transport.send(PATHS[api], encoded, read))
        self._refusals.answered = True
        return self._clean(msgspec.structs.replace(reply, faults=faults) if faults else reply)

    async def _persist(self, once: Callable[[], Awaitable[T]]) -> tuple[T, tuple[str, ...]]:
        """Return what a request brings and the faults before it, at the pace and with the patience of this model."""
        return await persist(once, pace=self._pace, patience=self._patience)

    def _reader(
        self, api: Api, sent: Mapping[str, Any], *, logprobs: int | None
    ) -> Callable[[Incoming], Awaitable[Reply]]:
        async def read(incoming: Incoming) -> Reply:
            if incoming.streams:
                said = await read_stream(incoming, ResponseStream() if api == "responses" else ChoiceStream())
            else:
                body = await incoming.body()
                said = _read_whole(api, body, content_type=incoming.content_type)
            self._see(said.model, said.fingerprint)
            if said.used is not None or said.warnings is not None:
                self._note("overruled", overruled(sent, said.used))
                self._note("server_warnings", warnings_told(said.warnings))
            reply = make_reply(
                said, latency_s=incoming.elapsed_s, first_token_s=incoming.first_s, logprobs=logprobs
            )
            if incoming.streams:
                await incoming.let_go()
            return reply

        return read

    def _lost(self, fault: FaultError, body: Mapping[str, Any]) -> Reply:
        """Return the reply that a fault is.

        Raises:
            AliquotError: it would befall every further request.
        """
        return self._refusals.judge(fault, body)

    def _see(self, model: str | None, fingerprint: str | None) -> None:
        """Note which model answered."""
        name = " ".join(word for word in (model, fingerprint) if word)
        if name and name not in self._snapshots and len(self._snapshots) < MOST_SNAPSHOTS:
            self._snapshots[self._scrub(name)] = None

    def _note(self, name: str, words: Iterable[str]) -> None:
        told = self._told[name]
        for word in words:
            if len(told) < MOST_TOLD:
                told[self._scrub(word)] = None

    def _clean(self, reply: Reply) -> Reply:
        """Return the reply without the key, should the server have sent it back."""
        if self._key is None:
            return reply
        text = self._scrub(reply.text)  # a stream may bring it letter by letter
        if self._tells_key(reply.token_logprobs):
            reply = msgspec.structs.replace(reply, token_logprobs=())
        return reply if text == reply.text else msgspec.structs.replace(reply, text=text)

    def _tells_key(self, tokens: Sequence[TokenLogprob]) -> bool:
        """Tell whether the key stands in tokens, in one or across several."""
        others = (name for one in tokens for name, _ in one.others)
        told = "\n".join(("".join(one.token for one in tokens), *others))
        return self._scrub(told) != told

    def _scrub(self, text: str) -> str:
        return text if self._key is None else self._key.scrub(text)

    def _require(self, api: Api) -> None:
        if self._endpoint.api not in {None, api}:
            raise UsageError(
                f"{self._endpoint.model!r} is asked through the API {self._endpoint.api!r}, which does not "
                f"fit the mode: leave api out, or name {api!r}"
            )


def _read_whole(api: Api, body: bytes, *, content_type: str) -> Said:
    if api == "responses":
        return read_response(body, content_type=content_type)
    return read_choice(decode_completion(body, content_type=content_type))
