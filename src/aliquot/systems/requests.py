"""What a system is asked: frozen requests with one canonical form each."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Final, Literal, TypeAlias

import msgspec

from aliquot.errors import UsageError

Role: TypeAlias = Literal["system", "user", "assistant"]

MOST_LOGPROBS: Final = 20
"""The most alternatives that can be asked for at the place of a token; servers take no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoding:
    """How the answer is drawn.

    Attributes:
        temperature: 0 takes the most probable token each time; None sends none, which is not 0.
        max_tokens: the answer's budget; an answer that uses it up is ``truncated``.
        stop: texts that end the answer (they are not part of it).
        top_p: nucleus share in (0, 1], or None for the model's own.
        seed: seed of the draw, where the system takes one.
        logprobs: ask how probable each token of the answer was, with so many of the most probable tokens at its place;
            None for not asking. True is one, False is None.
    """

    temperature: float | None = 0.0
    max_tokens: int = 256
    stop: tuple[str, ...] = ()
    top_p: float | None = None
    seed: int | None = None
    logprobs: int | None = None

    def __post_init__(self) -> None:
        if self.temperature is not None and self.temperature < 0:
            raise UsageError(f"temperature is {self.temperature}; it must be 0 or more")
        if self.max_tokens < 1:
            raise UsageError(f"max_tokens is {self.max_tokens}; it must be 1 or more")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise UsageError(f"top_p is {self.top_p}; it must lie in (0, 1]")
        if isinstance(self.logprobs, bool):
            object.__setattr__(self, "logprobs", 1 if self.logprobs else None)
        if self.logprobs is not None and not 1 <= self.logprobs <= MOST_LOGPROBS:
            raise UsageError(
                f"logprobs is {self.logprobs}; it must be true, or a number of alternatives from 1 to {MOST_LOGPROBS}"
            )


class Message(msgspec.Struct, frozen=True):
    """One message of a conversation."""

    role: Role
    content: str


class ChatRequest(msgspec.Struct, frozen=True):
    """A conversation that the system is to continue.

    Attributes:
        messages: the conversation so far.
        decoding: how the answer is drawn.
        schema: JSON Schema that the answer has to follow, as JSON, of servers that can hold it to one; None for none.
    """

    messages: tuple[Message, ...]
    decoding: Decoding = Decoding()
    schema: str | None = None


class CompletionRequest(msgspec.Struct, frozen=True):
    """A text that the system is to continue."""

    prompt: str
    decoding: Decoding = Decoding()


class LikelihoodRequest(msgspec.Struct, frozen=True):
    """How probable is ``continuation`` after ``context``, token by token.

    Without a context it is how probable a text is from its first token on; one that is longer than what the model reads
    is then cut into windows.
    """

    context: str
    continuation: str


class ChoiceRequest(msgspec.Struct, frozen=True):
    """Which of several continuations is the most probable; asked as one ``LikelihoodRequest`` for each.

    Attributes:
        context: the question.
        options: the options' texts, of which the answer is one.
        continuations: what stands for each option behind the context.
        unconditional: a context without the question, after which each continuation is asked too; None for none.
        named: what is written for each option, without what separates it, where that is not its text; () where it is.
    """

    context: str
    options: tuple[str, ...]
    continuations: tuple[str, ...]
    unconditional: str | None = None
    named: tuple[str, ...] = ()

    @property
    def written(self) -> tuple[str, ...]:
        """What is written for each option, without what separates it: its text, or its letter."""
        return self.named or self.options

    @property
    def parts(self) -> tuple[LikelihoodRequest, ...]:
        """The requests that it consists of: each continuation after the context, then each without it."""
        contexts = (self.context,) if self.unconditional is None else (self.context, self.unconditional)
        return tuple(LikelihoodRequest(context, one) for context in contexts for one in self.continuations)


Request: TypeAlias = ChatRequest | CompletionRequest | LikelihoodRequest | ChoiceRequest
"""Whatever a system can be asked."""


def canonical(request: Request) -> str:
    """Return the request as canonical JSON: sorted keys, no spaces, unset fields left out.

    A field that is unset is absent, so a missing seed and seed 0 stay two requests.

    Examples:
        >>> canonical(CompletionRequest("2 + 2 =", Decoding(max_tokens=4)))
        '{"completion":{"decoding":{"max_tokens":4,"stop":[],"temperature":0.0},"prompt":"2 + 2 ="}}'
    """
    return _canonical(request).decode()


def _canonical(request: Request) -> bytes:
    body: dict[str, Any] = msgspec.structs.asdict(request)
    if isinstance(request, ChatRequest | CompletionRequest):
        body["decoding"] = _drawn(request.decoding)
    if isinstance(request, ChatRequest) and request.schema is None:
        del body["schema"]
    if isinstance(request, ChoiceRequest) and not request.named:
        del body["named"]
    return _encode_sorted({_KINDS[type(request)]: body})


_encode_sorted: Final = msgspec.json.Encoder(order="sorted").encode

_KINDS: Final[Mapping[type[Request], str]] = {
    ChatRequest: "chat",
    CompletionRequest: "completion",
    LikelihoodRequest: "likelihood",
    ChoiceRequest: "choice",
}


@lru_cache(maxsize=64)
def _drawn(decoding: Decoding) -> msgspec.Raw:
    return msgspec.Raw(
        _encode_sorted({name: value for name, value in asdict(decoding).items() if value is not None})
    )


def fingerprint(request: Request, *, of: Mapping[str, str] | None = None) -> str:
    """Return the SHA-256 of the canonical form: equal requests, equal fingerprints.

    Args:
        request: what is asked.
        of: the components of the system that is asked; systems that differ in any share no fingerprint.

    Examples:
        >>> a = fingerprint(CompletionRequest("hello"))
        >>> a == fingerprint(CompletionRequest("hello")), a == fingerprint(CompletionRequest("Hello"))
        (True, False)
    """
    return fingerprints(of)(request)


def fingerprints(of: Mapping[str, str] | None = None) -> Callable[[Request], str]:
    """Return what makes the fingerprints of many requests to the same system."""
    system = b"" if of is None else msgspec.json.encode(dict(of), order="sorted")

    def fingerprint(request: Request) -> str:
        return hashlib.sha256(_canonical(request) + system).hexdigest()

    return fingerprint
