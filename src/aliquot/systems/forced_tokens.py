"""How probable a continuation is, where a server tells no log-probabilities of a prompt: its tokens are forced.

One request for each token: a bias on its logit makes it the next one, and the log-probability that is told with it is
the one before the bias. llama.cpp does that, in this process and over HTTP; a grammar that forces the text would cut it
into other tokens and be wrong. A token that ends within a letter (a part of its bytes) is written by no server; its
log-probability is looked up among the others' at its place.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from aliquot.stats.results import Undefined
from aliquot.systems.openai_answers import Completion, Usage
from aliquot.systems.replies import Likelihood, Reply
from aliquot.systems.requests import LikelihoodRequest
from aliquot.systems.token_windows import token_windows

FORCE: Final = 100.0
"""What is added to the logit of a forced token."""

PLAIN: Final = "a"
"""A text of one token that every server writes, in whose place another is looked up."""

WIDTHS: Final = (100, 1_000, 10_000, 1_000_000)
"""How many of the most probable tokens are asked for, the last more than any model has."""

EMPTY: Final = "the continuation is empty"
MERGED: Final = "the continuation's first letters merge with the context's last token"
NOT_TOLD: Final = "the server tells no log-probability of a forced token"
NO_START: Final = "the server names no token with which a text begins, so the first token has no probability"


class _Top(msgspec.Struct):
    """The most probable token at a place."""

    id: int | None = None
    logprob: float | None = None


class _Told(msgspec.Struct):
    """A token that was written, with its log-probability and those of the most probable ones at its place."""

    id: int | None = None
    logprob: float | None = None
    top_logprobs: list[_Top] | None = None


class _Logprobs(msgspec.Struct):
    """Log-probabilities as llama.cpp tells them."""

    content: list[_Told] | None = None


class _Tokens(msgspec.Struct):
    """What ``/tokenize`` says."""

    tokens: list[int]


class _Settings(msgspec.Struct):
    """Of what ``/props`` says: how a slot is set up."""

    n_ctx: int | None = None


class _Properties(msgspec.Struct):
    """What ``/props`` says of the model."""

    bos_token: str | None = None
    eos_token: str | None = None
    default_generation_settings: _Settings | None = None


@dataclass(frozen=True, slots=True)
class Engine:
    """A server that takes tokens for a prompt.

    Attributes:
        complete: continues a prompt, as ``/completions`` does.
        tokenize: returns what ``/tokenize`` says to a body.
        properties: returns what ``/props`` says; None where it is not there.
    """

    complete: Callable[[Mapping[str, Any]], Awaitable[Completion]]
    tokenize: Callable[[Mapping[str, Any]], Awaitable[Any]]
    properties: Callable[[], Awaitable[Any]]


class ForcedTokens:
    """Asks an engine for log-probabilities, token by token.

    Args:
        engine: the engine; its faults pass through.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._properties: _Properties | None = None

    async def log_likelihood(self, request: LikelihoodRequest) -> Likelihood | Undefined | Reply:
        """Return how probable a continuation is.

        Undefined when the context's last token and the continuation's first merge into another token: the continuation
        then has no probability of its own. Without a context the text begins after the model's first token (BOS, else
        EOS), and one that is too long is asked for in windows.

        Raises:
            msgspec.ValidationError: the server says something else than tokens.
        """
        started = time.perf_counter()
        if not request.continuation:
            return Undefined(EMPTY)
        spans = await self._spans(request)
        if isinstance(spans, Undefined | Reply):
            return spans
        total, greedy, usages = 0.0, True, list[Usage]()
        for given, asked in spans:
            for place, token in enumerate(asked):
                told = await self._token([*given, *asked[:place]], token, usages)
                if isinstance(told, Undefined):
                    return told
                total += told[0]
                greedy = greedy and told[1]
        return Likelihood(
            log_probability=total,
            tokens=sum(len(asked) for _, asked in spans),
            greedy=greedy,
            latency_s=time.perf_counter() - started,
            tokens_in=_sum([usage.prompt_tokens for usage in usages]),
            tokens_out=_sum([usage.completion_tokens for usage in usages]),
        )

    async def _token(
        self, prompt: Sequence[int], token: int, usages: list[Usage]
    ) -> tuple[float, bool] | Undefined:
        """Return the log-probability of a token behind a prompt, and whether none is more probable."""
        told = await self._write(prompt, token, usages)
        if told is None:
            return await self._look_up(prompt, token, usages)
        if told.id != token or told.logprob is None:
            return Undefined(f"the engine did not accept token {token}")
        return told.logprob, bool(told.top_logprobs) and told.top_logprobs[0].id == token

    async def _look_up(
        self, prompt: Sequence[int], token: int, usages: list[Usage]
    ) -> tuple[float, bool] | Undefined:
        """Return the same of a token that cannot be written: a plain one is, and the other stands beside it."""
        plain = await self._tokens(PLAIN, opened=False)
        for width in WIDTHS if len(plain) == 1 else ():
            told = await self._write(prompt, plain[0], usages, width=width)
            tops = [] if told is None else told.top_logprobs or []
            for place, top in enumerate(tops):
                if top.id == token and top.logprob is not None:
                    return top.logprob, place == 0
            if len(tops) < width:
                break
        return Undefined(NOT_TOLD)

    async def _write(
        self, prompt: Sequence[int], token: int, usages: list[Usage], *, width: int = 1
    ) -> _Told | None:
        """Have a token written, and return what is told of it; None when nothing is."""
        found = await self._engine.complete(_body(prompt, token, width=width))
        usages.append(found.usage or Usage())
        return _told(found)

    async def _spans(
        self, request: LikelihoodRequest
    ) -> list[tuple[Sequence[int], Sequence[int]]] | Undefined | Reply:
        """Return what is given and what is asked for, once or in windows."""
        whole = await self._tokens(request.context + request.continuation)
        size = await self._size()
        if not request.context:
            start = await self._start()
            if start is None:
                return Undefined(NO_START)
            text = whole[1:] if whole[:1] == [start] else whole
            return list(token_windows(text, start=start, size=size or len(text)))
        context = await self._tokens(request.context)
        if whole[: len(context)] != context or len(whole) == len(context):
            return Undefined(MERGED)
        if size is not None and len(whole) > size + 1:
            reason = f"the prompt does not fit the model: {len(whole)} tokens, and it reads {size}"
            return Reply(text="", status="failed", reason=reason)
        return [(context, whole[len(context) :])]

    async def _tokens(self, text: str, *, opened: bool = True) -> list[int]:
        """Return the tokens of a text, with those that the model puts before a prompt unless it is not opened."""
        body = {
            "content": text,
            "add_special": opened,
            "parse_special": True,
        }  # as in the prompt of a completion
        return msgspec.convert(await self._engine.tokenize(body), _Tokens).tokens

    async def _size(self) -> int | None:
        """Return how many tokens a prompt may have, where the server says so."""
        settings = (await self._described()).default_generation_settings
        return settings.n_ctx - 1 if settings is not None and settings.n_ctx else None

    async def _start(self) -> int | None:
        """Return the token before a text: the one the model puts there itself, else its BOS, else its EOS."""
        own = await self._tokens("")
        about = await self._described()
        name = about.bos_token or about.eos_token
        found = own or (await self._tokens(name, opened=False) if name else [])
        return found[0] if len(found) == 1 else None

    async def _described(self) -> _Properties:
        if self._properties is None:
            self._properties = msgspec.convert(await self._engine.properties() or {}, _Properties)
        return self._properties


def _body(prompt: Sequence[int], forced: int, *, width: int) -> dict[str, Any]:
    return {
        "prompt": prompt,
        "max_tokens": 1,
        "temperature": 0,
        "logprobs": width,
        "logit_bias": [[forced, FORCE]],
    }


def _told(found: Completion) -> _Told | None:
    raw = found.choices[0].logprobs if found.choices else None
    try:
        told = msgspec.convert(raw, _Logprobs | None)
    except msgspec.ValidationError:
        return None
    return told.content[0] if told is not None and told.content else None


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None
