"""Answers of OpenAI-compatible servers, read tolerantly, and the one way they become replies.

What a model thought is never its answer: fields of reasoning are counted and left out, and so is what stands at the
beginning of a text in the tags of a chat template (``<think>`` … ``</think>`` and its kin) that no server has read.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from aliquot.systems.faults import FaultError
from aliquot.systems.overruled import settings_used
from aliquot.systems.recordable import count_of
from aliquot.systems.refusals import describe
from aliquot.systems.replies import Reply, ReplyStatus, classify
from aliquot.systems.thoughts import without_thoughts
from aliquot.systems.token_logprobs import NOT_TOLD, Piece, read_pieces, written
from aliquot.systems.told_json import decode_told

CALLED: Final = "a tool was called and nothing answered"

_FINISHES: Final = {"max_tokens": "length", "max_output_tokens": "length", "MAX_TOKENS": "length"}
_BROKEN: Final = frozenset({"abort", "cancelled", "error", "failed"})


class Details(msgspec.Struct):
    """Parts of a count of tokens; what is no count is not known."""

    reasoning_tokens: Any = None
    cached_tokens: Any = None

    def __post_init__(self) -> None:
        _keep_counts(self, "reasoning_tokens", "cached_tokens")


class Usage(msgspec.Struct):
    """Tokens of a request, under the names of either API; what is no count is not known, and costs no answer."""

    prompt_tokens: Any = None
    completion_tokens: Any = None
    input_tokens: Any = None
    output_tokens: Any = None
    reasoning_tokens: Any = None
    prompt_tokens_details: Details | None = None
    completion_tokens_details: Details | None = None
    input_tokens_details: Details | None = None
    output_tokens_details: Details | None = None

    def __post_init__(self) -> None:
        _keep_counts(
            self, "prompt_tokens", "completion_tokens", "input_tokens", "output_tokens", "reasoning_tokens"
        )


def _keep_counts(counted: msgspec.Struct, *names: str) -> None:
    for name in names:
        value = getattr(counted, name)
        if value is not None and (kept := count_of(value)) is not value:
            setattr(counted, name, kept)


_NO_DETAILS: Final = Details()
_NO_USAGE: Final = Usage()
"""What a server counted that counts nothing."""


class Part(msgspec.Struct):
    """A part of a message; only parts of text and refusals are read."""

    type: str = ""
    text: str | None = None
    refusal: str | None = None
    logprobs: Any = None


class Message(msgspec.Struct):
    """What a model said, whole or the next bit of it."""

    content: str | list[Part] | None = None
    refusal: str | None = None
    reasoning_content: Any = None
    reasoning: Any = None
    thinking: Any = None
    reasoning_details: Any = None
    tool_calls: list[Any] | None = None


class Choice(msgspec.Struct):
    """One of the answers; a stream has ``delta`` for ``message``, a completion ``text``."""

    message: Message | None = None
    delta: Message | None = None
    text: str | None = None
    finish_reason: str | None = None
    logprobs: Any = None


class Completion(msgspec.Struct):
    """The body of a chat completion, a completion, or an event of their streams."""

    choices: list[Choice] | None = None
    usage: Usage | None = None
    model: str | None = None
    system_fingerprint: str | None = None
    error: Any = None
    warnings: Any = None
    verbose: Any = msgspec.field(default=None, name="__verbose")


class Said(msgspec.Struct, kw_only=True):
    """What came back, in one shape for all APIs.

    Attributes:
        text: the answer with what the model thought aloud in it.
        reasoned: whether fields of reasoning hold anything.
        refusal: the words of a refusal.
        finish: why it ended, in the words of chat completions.
        tool_calls: tools called.
        usage: tokens.
        model: the model's name as the server returns it.
        fingerprint: the server's word for the state of its system.
        used: what the server says it drew the answer with, where it says so.
        warnings: what it says beside the answer.
        pieces: the tokens it says to have written, with their log-probabilities.
    """

    text: str = ""
    reasoned: bool = False
    refusal: str = ""
    finish: str | None = None
    tool_calls: int = 0
    usage: Usage | None = None
    model: str | None = None
    fingerprint: str | None = None
    used: Any = None
    warnings: Any = None
    pieces: list[Piece] = msgspec.field(default_factory=list[Piece])


_COMPLETION: Final = msgspec.json.Decoder(Completion, strict=False)


def decode_completion(body: bytes, *, content_type: str = "") -> Completion:
    """Return the body of a completion.

    Raises:
        FaultError: it is none.
    """
    found = decode_told(body, _COMPLETION, of="a completion", content_type=content_type)
    if found.error:
        raise told_fault(found.error)
    return found


def told_fault(error: object) -> FaultError:
    """Return the fault that an answer with HTTP status 200 tells of."""
    about = describe({"error": error})
    code = next((int(word) for word in about.code.split() if word.isdigit()), 500)
    return FaultError(
        f"the server answered with an error: {about.message or about.code}",
        again=code == 429 or code >= 500,
        throttled=code == 429,
        error=about,
    )


def read_choice(found: Completion) -> Said:
    """Return what the first choice says.

    Raises:
        FaultError: there is no choice.
    """
    if not found.choices:
        raise FaultError("the answer holds no choice", again=True)
    choice = found.choices[0]
    message = choice.message or choice.delta or Message(content=choice.text)
    return Said(
        text=text_of_parts(message.content),
        reasoned=any(
            (message.reasoning_content, message.reasoning, message.thinking, message.reasoning_details)
        ),
        refusal=message.refusal or "",
        finish=choice.finish_reason,
        tool_calls=len(message.tool_calls or ()),
        usage=found.usage,
        model=found.model,
        fingerprint=found.system_fingerprint,
        used=settings_used(found.verbose),
        warnings=found.warnings,
        pieces=read_pieces(choice.logprobs),
    )


def text_of_parts(content: str | list[Part] | None) -> str:
    """Return the text of a message, whose parts of reasoning hold none."""
    if isinstance(content, list):
        return "".join(part.text or "" for part in content if part.type in {"", "text", "output_text"})
    return content or ""


def make_reply(
    said: Said, *, latency_s: float, first_token_s: float | None = None, logprobs: int | None = None
) -> Reply:
    """Return the reply that an answer is.

    Args:
        said: what came back.
        latency_s: seconds from request to the whole answer.
        first_token_s: seconds to the first token.
        logprobs: alternatives that were asked for with the log-probabilities; None where none were asked for.

    Raises:
        FaultError: the server broke the answer off.
    """
    finish = _FINISHES.get(said.finish or "", said.finish)
    if finish in _BROKEN:
        raise FaultError(f"the server ended the answer with {finish!r}", again=True)
    usage = said.usage or _NO_USAGE
    text, aloud = without_thoughts(said.text)
    thought = _reasoning_tokens(usage)
    status, reason = _status(said, text, finish=finish, reasoned=aloud or said.reasoned or bool(thought))
    likely = NOT_TOLD if logprobs is None else written(said.pieces, text, others=logprobs)
    cached = usage.prompt_tokens_details or usage.input_tokens_details or _NO_DETAILS
    return Reply(
        text=text or said.refusal,
        status=status,
        reason=reason,
        finish=said.finish,
        latency_s=latency_s,
        first_token_s=first_token_s,
        tokens_in=_first(usage.prompt_tokens, usage.input_tokens),
        tokens_out=_first(usage.completion_tokens, usage.output_tokens),
        tokens_reasoning=thought,
        tokens_cached=cached.cached_tokens,
        tool_calls=said.tool_calls or None,
        log_probability=likely.log_probability,
        log_probability_tokens=likely.counted,
        token_logprobs=likely.tokens,
    )


def _status(said: Said, text: str, *, finish: str | None, reasoned: bool) -> tuple[ReplyStatus, str | None]:
    if said.refusal:
        return "refused", "the model refused"
    if said.tool_calls and not text.strip() and finish != "content_filter":
        return "failed", CALLED
    return classify(text, finish=finish, reasoned=reasoned)


def _reasoning_tokens(usage: Usage) -> int | None:
    details = usage.completion_tokens_details or usage.output_tokens_details or _NO_DETAILS
    return _first(details.reasoning_tokens, usage.reasoning_tokens)


def _first(count: int | None, other: int | None) -> int | None:
    return other if count is None else count
