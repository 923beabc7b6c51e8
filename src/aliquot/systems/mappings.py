"""What a user's own system may return, and the reply that it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Final, cast, get_args

import msgspec

from aliquot.errors import excerpt, nearest
from aliquot.evidence.bounds import whole
from aliquot.systems.faults import FaultError
from aliquot.systems.recordable import MOST, recordable
from aliquot.systems.replies import Reply, ReplyStatus, classify
from aliquot.systems.requests import ChatRequest, CompletionRequest
from aliquot.systems.thoughts import without_thoughts
from aliquot.systems.token_logprobs import read_pieces, written
from aliquot.systems.traces import TRANSCRIPT_KEYS, is_number, trace_of

COUNTS: Final = (
    "tokens_in", "tokens_out", "tokens_reasoning", "tokens_cached", "steps", "tool_calls", "tool_errors",
)  # fmt: skip
NUMBERS: Final = ("first_token_s", "cost")
WORDS: Final = ("reason", "finish", "currency", "stage")
TRACES: Final = ("stages", *TRANSCRIPT_KEYS)
KEYS: Final = ("text", "status", *WORDS, *COUNTS, *NUMBERS, "logprobs", *TRACES)
"""What a mapping may hold."""


def prompt_of(request: ChatRequest | CompletionRequest) -> str:
    """Return what is asked as one text: the prompt, or a conversation's last message."""
    return request.messages[-1].content if isinstance(request, ChatRequest) else request.prompt


def messages_of(request: ChatRequest | CompletionRequest) -> list[dict[str, str]]:
    """Return what is asked as the messages of a conversation."""
    if isinstance(request, ChatRequest):
        return [{"role": message.role, "content": message.content} for message in request.messages]
    return [{"role": "user", "content": request.prompt}]


def decoding_of(request: ChatRequest | CompletionRequest) -> dict[str, Any]:
    """Return how the answer is to be drawn; what is unset is absent."""
    drawn = request.decoding
    said = {
        "temperature": drawn.temperature,
        "max_tokens": drawn.max_tokens,
        "stop": list(drawn.stop),
        "top_p": drawn.top_p,
        "seed": drawn.seed,
        "logprobs": drawn.logprobs,
    }
    return {name: value for name, value in said.items() if value is not None}


def reply_of(returned: object, *, latency_s: float, asked: Sequence[Mapping[str, str]] = ()) -> Reply:
    """Return the reply that a text, a mapping or a reply is.

    Without a text the answer is the last message of a transcript. An answer that is none is put down to the first
    stage that is not ok.

    Args:
        returned: what came back.
        latency_s: seconds it took.
        asked: the messages that were to be continued.

    Raises:
        FaultError: it is none of them, or a key or value cannot be used.

    Examples:
        >>> reply_of({"text": "Oslo", "steps": 3}, latency_s=0.1).steps
        3
        >>> reply_of("", latency_s=0.1).reason
        'empty answer'
        >>> reply_of({"text": "", "tokens_reasoning": 64}, latency_s=0.1).status
        'truncated'
    """
    if isinstance(returned, Reply):
        return recordable(returned)
    if isinstance(returned, str):
        returned = {"text": returned}
    if not isinstance(returned, Mapping):
        raise FaultError(f"{excerpt(returned)} was returned; return a text or a mapping with a text")
    said = cast("Mapping[str, Any]", returned)
    for name, value in said.items():
        _check(name, value)
    trace = trace_of(said, asked=asked)
    text, aloud = without_thoughts(
        whole(said["text"] if said.get("text") is not None else trace.answer or "")
    )
    reasoned = aloud or bool(said.get("tokens_reasoning"))
    status, reason = classify(text, finish=said.get("finish"), reasoned=reasoned)
    stated = said.get("status")
    if stated is not None and (stated != "ok" or text.strip()):
        status, reason = stated, None
    given = Reply(text=text, status=status, reason=reason, latency_s=latency_s)
    if status != "ok" and (failed := trace.failed_stage) is not None:
        given = msgspec.structs.replace(given, stage=failed.name, reason=failed.reason or reason)
    likely = written(read_pieces(said.get("logprobs")), text)
    told = {
        "transcript": trace.turns,
        "stages": trace.stages,
        "tool_errors": trace.tool_errors,
        "log_probability": likely.log_probability,
        "log_probability_tokens": likely.counted,
        "token_logprobs": likely.tokens,
    }
    return msgspec.structs.replace(given, **(told | _known(said) | {"tool_calls": trace.tool_calls}))


def _known(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is said beside the text, as the types that are written down."""
    given = {name: value for name, value in said.items() if value is not None}
    counts = {name: int(given[name]) for name in COUNTS if name in given and name != "tool_calls"}
    numbers = {name: float(given[name]) for name in NUMBERS if name in given}
    return counts | numbers | {name: whole(given[name]) for name in WORDS if name in given}


def _check(name: object, value: object) -> None:
    """Refuse a key that is not known, or a value of another type."""
    if name not in KEYS:
        raise FaultError(f"{excerpt(name)} was returned, which is no key. {nearest(str(name), KEYS)}")
    if value is None or name in TRACES or (name == "tool_calls" and isinstance(value, list | tuple)):
        return
    if name in COUNTS:
        right = is_number(value) and 0 <= value < MOST and value == int(value)
        wanted = "a count or a list" if name == "tool_calls" else "a count"
    elif name in NUMBERS:
        right, wanted = is_number(value) and 0 <= value < inf, "a number from 0"
    elif name == "logprobs":
        right, wanted = (
            value == [] or bool(read_pieces(value)),
            "a list of {token, logprob}, or what an API calls logprobs",
        )
    elif name == "status":
        right, wanted = value in get_args(ReplyStatus), f"one of {', '.join(get_args(ReplyStatus))}"
    else:
        right, wanted = isinstance(value, str), "a text"
    if not right:
        raise FaultError(f"{name} is {excerpt(value)}; it is to be {wanted}")
