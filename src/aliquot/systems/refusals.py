"""What a server says when it does not answer, in the several shapes servers have for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from aliquot.systems.faults import FaultError, ServerError
from aliquot.systems.retries import retry_after

AGAIN: Final = frozenset({408, 409, 425, 429})
"""HTTP statuses below 500 after which the same request may fare better."""

MOST_WORDS: Final = 300
"""Letters of a server's message that are kept."""

_QUOTA: Final = ("insufficient_quota", "billing")
_FILTERS: Final = ("content_filter", "content_policy_violation", "responsibleaipolicyviolation")
_CONTEXT: Final = ("context_length_exceeded", "exceed_context_size_error")
_CONTEXT_WORDS: Final = re.compile(
    r"maximum context length|context (?:size|window|length)|too many tokens|longer than the model",
    re.IGNORECASE,
)
_CONTEXT_EXCEEDED: Final = re.compile(
    r"context size has been exceeded|exceeds the available context", re.IGNORECASE
)
_REFUSED_WORDS: Final = re.compile(
    r"unsupported|not support|unknown|unrecognized|unexpected|not permitted|not allowed|extra (?:inputs|fields)"
    r"|invalid|must be|should be|out of range|does not exist",
    re.IGNORECASE,
)


def refusal(status: int, headers: Mapping[str, str], body: bytes) -> FaultError:
    """Return what an HTTP answer that is no answer means."""
    error = read_error(body)
    quota = is_quota(error)
    throttled = status == 429 and not quota
    wait = retry_after(headers) if status in {429, 503, 529} else None
    said = f": {error.message}" if error.message else ""
    if 300 <= status < 400:
        said = f", to {headers.get('Location', '').partition('?')[0]!r}"
    return FaultError(
        f"HTTP {status}{said}",
        again=(status in AGAIN or status >= 500) and not quota and not is_too_long(error, status=status),
        throttled=throttled or wait is not None,
        wait_s=wait,
        status=status,
        error=error,
    )


def read_error(body: bytes) -> ServerError:
    """Return what the body of a refusal says, in whatever shape it says it.

    Examples:
        >>> read_error(b'{"error": {"message": "no such model", "code": "model_not_found"}}').code
        'model_not_found'
        >>> read_error(b'{"detail": [{"loc": ["body", "top_k"], "msg": "extra fields not permitted"}]}')
        ServerError(message='top_k: extra fields not permitted', code='', param='top_k')
        >>> read_error(b"<html>Bad Gateway</html>").message
        '<html>Bad Gateway</html>'
    """
    try:
        found: object = msgspec.json.decode(body)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ServerError(_words(body.decode("utf-8", "replace")))
    return describe(found)


def describe(found: object) -> ServerError:
    """Return the error that a decoded body describes."""
    if isinstance(found, list) and found:  # Google wraps its error in a list
        return describe(cast("list[object]", found)[0])
    if not isinstance(found, dict):
        return ServerError(_words(found))
    table = cast("dict[str, Any]", found)
    inner = table.get("error", table)
    if not isinstance(inner, dict):
        return ServerError(_words(inner))
    about = cast("dict[str, Any]", inner)
    detail = about.get("detail")
    if isinstance(detail, list) and detail and isinstance(detail[0], dict):  # FastAPI's form
        first = cast("dict[str, Any]", detail[0])
        place = [str(part) for part in first.get("loc") or [] if part != "body"]
        words = f"{'.'.join(place)}: {first.get('msg', '')}"
        return ServerError(_words(words), param=place[0] if place else "")
    codes = [about.get("code"), about.get("type")]
    deeper = about.get("innererror")
    if isinstance(deeper, dict):  # Azure's content filter
        codes.append(cast("dict[str, Any]", deeper).get("code"))
    return ServerError(
        _words(about.get("message") or detail or ""),
        code=" ".join(str(code) for code in codes if code),
        param=str(about.get("param") or ""),
    )


def is_quota(error: ServerError) -> bool:
    """Return whether an account has nothing left, which no waiting mends."""
    return any(word in error.code.lower() for word in _QUOTA)


def is_filtered(error: ServerError) -> bool:
    """Return whether a filter refused the prompt."""
    return any(word in error.code.lower() for word in _FILTERS)


def is_too_long(error: ServerError, *, status: int | None) -> bool:
    """Return whether the prompt does not fit what the model can read; llama.cpp may say so with status 500."""
    if any(word in error.code for word in _CONTEXT):
        return True
    words = _CONTEXT_WORDS if status is None or status < 500 else _CONTEXT_EXCEEDED
    return bool(words.search(error.message))


def refused_parameter(error: ServerError, sent: Mapping[str, Any]) -> str | None:
    """Return the parameter a server refuses, if it names one that was sent and is no part of the question.

    Examples:
        >>> sent = {"model": "m", "messages": [], "temperature": 0.0, "max_tokens": 8}
        >>> refused_parameter(ServerError("Unsupported value: 'temperature' does not support 0"), sent)
        'temperature'
        >>> refused_parameter(ServerError("messages must not be empty", param="messages"), sent) is None
        True
    """
    own = {"model", "messages", "prompt", "input"}
    names = [name for name in sent if name not in own]
    root = re.split(r"[.\[]", error.param)[0]
    if root in names:
        return root
    if root in own:
        return None
    if not _REFUSED_WORDS.search(error.message):
        return None
    named = [name for name in names if re.search(rf"\b{re.escape(name)}\b", error.message)]
    return max(named, key=len) if named else None


def _words(value: object) -> str:
    """Return a message on one line, cut to a length a reader takes in."""
    text = " ".join((value if isinstance(value, str) else repr(value)).split())
    return text if len(text) <= MOST_WORDS else f"{text[: MOST_WORDS - 1]}…"
