"""What a system answered, and the one rule that turns an answer into a status."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from aliquot.evidence.stages import Stage
from aliquot.evidence.token_logprobs import TokenLogprob
from aliquot.evidence.transcripts import Turn
from aliquot.files.records import OptionLikelihood, TextLikelihood

ReplyStatus: TypeAlias = Literal["ok", "refused", "truncated", "timeout", "failed", "error"]

EMPTY = "empty answer"
"""Reason of an answer that ended by itself and holds no text."""

BUDGET = "token budget used up"
"""Reason of an answer that was cut by ``max_tokens``."""

REASONED = "token budget used up by reasoning"
"""Reason of an answer that holds no text after the model has thought."""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """One answer.

    Attributes:
        text: what was answered; kept when it was cut, empty when there is none.
        status: ``ok``, or why this is no answer (the words of the design).
        reason: one line on a status that is not ``ok``.
        finish: the system's own word for why it ended.
        latency_s: seconds from request to the whole answer.
        first_token_s: seconds to the first token, where it is known.
        tokens_in: tokens of the prompt, where they are known.
        tokens_out: tokens of the answer, thinking included, where they are known.
        tokens_reasoning: of those, tokens spent thinking.
        tokens_cached: of ``tokens_in``, tokens that the provider served from its cache.
        cost: what the answer cost, where the system says so.
        currency: in which currency.
        stage: where in a pipeline it happened.
        steps: steps an agent took.
        tool_calls: tools it called.
        tool_errors: of those, calls that failed.
        transcript: what was said and called for this answer, where the system tells.
        stages: the stages of its pipeline, where it tells.
        faults: what went wrong with each request made for this answer before the last, and with the last when there
            is no answer.
        options: how probable each option of a choice was.
        likelihood: how probable the whole text was.
        log_probability: natural logarithm of how probable the written answer was, summed over its tokens.
        log_probability_tokens: how many those are.
        token_logprobs: the first of them.
    """

    text: str
    status: ReplyStatus = "ok"
    reason: str | None = None
    finish: str | None = None
    latency_s: float | None = None
    first_token_s: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_reasoning: int | None = None
    tokens_cached: int | None = None
    cost: float | None = None
    currency: str | None = None
    stage: str | None = None
    steps: int | None = None
    tool_calls: int | None = None
    tool_errors: int | None = None
    transcript: tuple[Turn, ...] = ()
    stages: tuple[Stage, ...] = ()
    faults: tuple[str, ...] = ()
    options: tuple[OptionLikelihood, ...] = ()
    likelihood: TextLikelihood | None = None
    log_probability: float | None = None
    log_probability_tokens: int | None = None
    token_logprobs: tuple[TokenLogprob, ...] = ()


class Likelihood(msgspec.Struct, frozen=True, kw_only=True):
    """How probable a continuation was.

    Attributes:
        log_probability: natural logarithm, summed over the continuation's tokens.
        tokens: number of tokens of the continuation.
        greedy: whether every token was the most probable one at its place.
        latency_s: seconds for all requests of this continuation.
        tokens_in: tokens of all these requests, where they are known.
        tokens_out: tokens that these requests had the model write, where they are known.
        faults: what went wrong with requests made before those that were answered.
    """

    log_probability: float
    tokens: int
    greedy: bool
    latency_s: float | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    faults: tuple[str, ...] = ()


def classify(text: str, *, finish: str | None, reasoned: bool = False) -> tuple[ReplyStatus, str | None]:
    """Return status and reason of an answer that arrived whole.

    An answer cut by its budget is ``truncated`` even when it holds text, because what was cut is unknown. So is an
    answer without text after the model has thought, whatever the server says of its end: the budget went into the
    thoughts. An answer that ended by itself without text or thoughts is ``failed``: the system was asked and gave
    nothing. A filter's stop is ``refused``.

    Args:
        text: the answer, without what the model thought.
        finish: the system's own word for why it ended.
        reasoned: whether the model thought: it spent tokens on it, or its thoughts came along.

    Examples:
        >>> classify("Paris", finish="stop")
        ('ok', None)
        >>> classify("", finish="stop")
        ('failed', 'empty answer')
        >>> classify("The capital of", finish="length")
        ('truncated', 'token budget used up')
        >>> classify("", finish="stop", reasoned=True)
        ('truncated', 'token budget used up by reasoning')
    """
    if finish == "content_filter":
        return "refused", "stopped by the system's content filter"
    empty = not text.strip()
    if empty and reasoned:
        return "truncated", REASONED
    if finish == "length":
        return "truncated", BUDGET
    return ("failed", EMPTY) if empty else ("ok", None)


def settled(reply: Reply) -> Reply:
    """Return a reply whose status fits what it holds: one without text is no answer, whoever made it.

    Systems of users and of tests hand over whole replies; the rule of ``classify`` holds for theirs too. A status
    that says more (refused, timeout, failed for a reason of its own) stays.

    Examples:
        >>> settled(Reply(text=" ", tokens_reasoning=64)).status, settled(Reply(text="")).status
        ('truncated', 'failed')
        >>> settled(Reply(text="", status="failed", reason="a tool broke", tokens_reasoning=9)).status
        'failed'
    """
    unsaid = reply.status == "ok" or (reply.status == "failed" and reply.reason in {None, EMPTY})
    if not unsaid or reply.text.strip():
        return reply
    status, reason = classify(reply.text, finish=reply.finish, reasoned=bool(reply.tokens_reasoning))
    return msgspec.structs.replace(reply, status=status, reason=reason)
