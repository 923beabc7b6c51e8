"""What a user's own system may return, and the reply that it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, cast, get_args

from aliquot.errors import excerpt, nearest
from aliquot.systems.faults import FaultError
from aliquot.systems.replies import Reply, ReplyStatus, classify, without_thoughts
from aliquot.systems.requests import ChatRequest, CompletionRequest

COUNTS: Final = ("tokens_in", "tokens_out", "tokens_reasoning", "tokens_cached", "steps", "tool_calls")
NUMBERS: Final = ("first_token_s", "cost")
WORDS: Final = ("reason", "finish", "currency", "stage")
KEYS: Final = ("text", "status", *WORDS, *COUNTS, *NUMBERS)
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
    }
    return {name: value for name, value in said.items() if value is not None}


def reply_of(returned: object, *, latency_s: float) -> Reply:
    """Return the reply that a text, a mapping or a reply is.

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
        return returned
    if isinstance(returned, str):
        returned = {"text": returned}
    if not isinstance(returned, Mapping):
        raise FaultError(f"{excerpt(returned)} was returned; return a text or a mapping with a text")
    said = cast("Mapping[str, Any]", returned)
    for name, value in said.items():
        _check(name, value)
    text, aloud = without_thoughts(said.get("text") or "")
    reasoned = aloud or bool(said.get("tokens_reasoning"))
    status, reason = classify(text, finish=said.get("finish"), reasoned=reasoned)
    stated = said.get("status")
    if stated is not None and (stated != "ok" or text.strip()):
        status, reason = stated, None
    known = {name: said[name] for name in (*WORDS, *COUNTS, *NUMBERS) if said.get(name) is not None}
    given = Reply(text=text, status=status, reason=reason, latency_s=latency_s)
    return replace(given, **known)


def _check(name: object, value: object) -> None:
    """Refuse a key that is not known, or a value of another type."""
    if name not in KEYS:
        raise FaultError(f"{excerpt(name)} was returned, which is no key. {nearest(str(name), KEYS)}")
    if value is None:
        return
    number = not isinstance(value, bool) and isinstance(value, int | float)
    if name in COUNTS:
        right, wanted = (
            number and float(cast("float", value)).is_integer() and cast("float", value) >= 0,
            "a count",
        )
    elif name in NUMBERS:
        right, wanted = number and cast("float", value) >= 0, "a number from 0"
    elif name == "status":
        right, wanted = value in get_args(ReplyStatus), f"one of {', '.join(get_args(ReplyStatus))}"
    else:
        right, wanted = isinstance(value, str), "a text"
    if not right:
        raise FaultError(f"{name} is {excerpt(value)}; it is to be {wanted}")
