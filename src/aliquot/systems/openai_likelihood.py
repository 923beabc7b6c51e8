"""How probable a continuation is, read off a server that tells the log-probability of each token of a prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final

import msgspec

from aliquot.stats.results import Undefined
from aliquot.systems.openai_answers import Completion, Usage
from aliquot.systems.replies import Likelihood

NO_ECHO: Final = "the server tells no log-probabilities of a prompt (echo with logprobs on /completions)"


class Logprobs(msgspec.Struct):
    """Log-probabilities as ``/completions`` tells them."""

    tokens: list[str] | None = None
    token_logprobs: list[float | None] | None = None
    top_logprobs: list[Mapping[str, float | None] | None] | None = None


def read_likelihood(
    found: Completion, *, context: str, continuation: str, latency_s: float | None
) -> Likelihood | Undefined:
    """Sum the log-probabilities of the continuation's tokens.

    Undefined when the server does not tell them, or when a token holds letters of context and continuation alike:
    the continuation then has no probability of its own.
    """
    raw = found.choices[0].logprobs if found.choices else None
    try:
        told = msgspec.convert(raw, Logprobs | None, strict=False)
    except msgspec.ValidationError:
        told = None
    if told is None or not told.tokens or not told.token_logprobs:
        return Undefined(NO_ECHO)
    joined = "".join(told.tokens)
    start = joined.find(context + continuation)
    if start < 0:
        return Undefined(
            NO_ECHO if context not in joined else "the server's tokens do not add up to the text"
        )
    begin, end = start + len(context), start + len(context) + len(continuation)
    starts = [0, *accumulate(len(token) for token in told.tokens)]
    if begin not in starts or end not in starts:
        return Undefined("a token holds letters of the continuation and of what stands beside it")
    places = [place for place, at in enumerate(starts[:-1]) if begin <= at < end and told.tokens[place]]
    values = [told.token_logprobs[place] for place in places if place < len(told.token_logprobs)]
    numbers = [value for value in values if value is not None]
    if not places or len(numbers) < len(places):
        return Undefined("the server gives no log-probability for the first token of the continuation")
    usage = found.usage or Usage()
    return Likelihood(
        log_probability=sum(numbers),
        tokens=len(places),
        greedy=_greedy(numbers, [_top(told.top_logprobs, place) for place in places]),
        latency_s=latency_s,
        tokens_in=usage.prompt_tokens,
        tokens_out=usage.completion_tokens,
    )


def _top(tops: Sequence[Mapping[str, float | None] | None] | None, place: int) -> float | None:
    """Return the highest log-probability at a place, where the server tells it."""
    top = tops[place] if tops and place < len(tops) else None
    return max((value for value in top.values() if value is not None), default=None) if top else None


def _greedy(values: Sequence[float], tops: Sequence[float | None]) -> bool:
    return all(top is not None and value >= top for value, top in zip(values, tops, strict=True))
