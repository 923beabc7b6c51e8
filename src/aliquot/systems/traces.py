"""What a user's own system tells of how it came to its answer: a transcript, tool calls, and stages of a pipeline."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from math import inf
from numbers import Real
from typing import Any, Final, TypeGuard, cast, get_args

from aliquot.errors import excerpt, nearest
from aliquot.evidence.bounds import shorten, whole
from aliquot.evidence.messages import Told, is_message, told_by
from aliquot.evidence.stages import Stage
from aliquot.evidence.transcripts import ERROR, TOOL, ToolCall, Turn, bounded_turns
from aliquot.systems.faults import FaultError
from aliquot.systems.replies import ReplyStatus

MAX_KEPT: Final = 1_000_000
"""Characters of a transcript that are kept with an answer; of its turns as many as are handed on for reading."""

MAX_VALUE: Final = 10_000
"""Characters of one value of a stage, and of the arguments or the result of a call that is listed."""

MAX_LISTED: Final = 1_000
"""Stages of one answer, and values of a stage."""

TRANSCRIPT_KEYS: Final = ("transcript", "messages")
"""Two words for the same key."""

STAGE_KEYS: Final = ("name", "status", "reason", "latency_s", "values")
CALL_KEYS: Final = ("name", "arguments", "result", "error", "function", "id", "type")
"""What a listed call may hold; ``function``, ``id`` and ``type`` are those of OpenAI's ``tool_calls``."""


@dataclass(frozen=True, slots=True)
class Trace:
    """How an answer came about.

    Attributes:
        turns: the transcript.
        stages: the stages.
        tool_calls: calls of tools; None when nothing tells.
        tool_errors: of those, calls that failed.
        answer: what the transcript ends with; None without a transcript.
    """

    turns: tuple[Turn, ...] = ()
    stages: tuple[Stage, ...] = ()
    tool_calls: int | None = None
    tool_errors: int | None = None
    answer: str | None = None

    @property
    def failed_stage(self) -> Stage | None:
        """The first stage that is not ok."""
        return next((stage for stage in self.stages if stage.status != "ok"), None)


def trace_of(said: Mapping[str, Any], *, asked: Sequence[Mapping[str, str]]) -> Trace:
    """Return what a mapping tells under ``transcript``, ``tool_calls`` (as a list) and ``stages``.

    Args:
        said: the mapping.
        asked: the messages that were to be continued; a transcript may begin by repeating them.

    Raises:
        FaultError: a value that cannot be used, with its place.
    """
    stages = tuple(_stages(said.get("stages")))
    messages = _messages(said)
    listed = said.get("tool_calls")
    calls = _calls(listed) if isinstance(listed, list | tuple) else []
    made = len(calls) if isinstance(listed, list | tuple) else None if listed is None else int(listed)
    failed = sum(call.failed for call in calls) if isinstance(listed, list | tuple) else None
    if messages is None:
        turns = bounded_turns((turn for call in calls for turn in call.turns()), characters=MAX_KEPT)
        return Trace(turns, stages, made, failed)
    told = _told(messages, asked)
    turns = told.turns
    if calls and not told.calls:
        own = (turn for call in calls for turn in call.turns())
        turns = bounded_turns((*turns[:-1], *own, *turns[-1:]), characters=MAX_KEPT)
    if made is None:
        made, failed = told.calls, told.failures
    return Trace(turns, stages, made, failed, told.answer)


def _messages(said: Mapping[str, Any]) -> list[Mapping[str, Any]] | None:
    given = [name for name in TRANSCRIPT_KEYS if said.get(name) is not None]
    if not given:
        return None
    if len(given) > 1:
        raise FaultError("transcript and messages are the same; return one of them")
    name = given[0]
    messages = _list(said[name], name, "a list of messages")
    found = [_plain(message) for message in messages]
    for place, message in enumerate(found):
        if not is_message(message):
            raise FaultError(
                f"{name}[{place}] is {excerpt(message)}; it is to be a message with a role and a content"
            )
    return found


def _plain(message: object) -> Any:
    """Return a message as a mapping; the clients of OpenAI and LangChain return objects that can tell it."""
    dump: Callable[[], object] | None = getattr(message, "model_dump", None)
    return dump() if callable(dump) and not isinstance(message, type) else message


def _told(messages: list[Mapping[str, Any]], asked: Sequence[Mapping[str, str]]) -> Told:
    turns = [Turn(message["role"], message["content"]) for message in asked]
    try:
        return told_by(messages, asked=turns, change=whole, characters=MAX_KEPT)
    except (TypeError, ValueError, RecursionError) as error:
        raise FaultError(f"the transcript holds what is not JSON ({excerpt(str(error))})") from error


def _stages(given: object) -> Iterator[Stage]:
    if given is None:
        return
    listed = _list(given, "stages", "a list of stages")
    _require_few(listed, "stages")
    for place, one in enumerate(listed):
        at = f"stages[{place}]"
        told = _mapping(one, at, STAGE_KEYS)
        status, latency = told.get("status") or "ok", told.get("latency_s")
        if status not in get_args(ReplyStatus):
            raise FaultError(
                f"{at}.status is {excerpt(status)}; it is to be one of {', '.join(get_args(ReplyStatus))}"
            )
        if latency is not None and not (is_number(latency) and 0 <= latency < inf):
            raise FaultError(f"{at}.latency_s is {excerpt(latency)}; it is to be a number from 0")
        yield Stage(
            name=_text(told, "name", at) or "",
            status=status,
            reason=_text(told, "reason", at, required=False),
            latency_s=None if latency is None else float(latency),
            values=_values(told.get("values"), at),
        )


def _values(given: object, at: str) -> dict[str, object]:
    if given is None:
        return {}
    values = _mapping(given, f"{at}.values", None)
    _require_few(values, f"{at}.values")
    return {whole(str(name)): _bounded(value, f"{at}.values.{name}") for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class _Call:
    """A call as a system lists it."""

    name: str
    arguments: str
    result: str | None
    error: str | None

    @property
    def failed(self) -> bool:
        return self.error is not None

    def turns(self) -> Iterator[Turn]:
        """Yield the call, and what is known of its end."""
        yield Turn("assistant", "", (ToolCall(self.name, self.arguments),))
        if self.result is not None or self.failed:
            said = [f"{ERROR}{self.error}".rstrip()] if self.failed else []
            yield Turn(TOOL, "\n".join([*said, *filter(None, [self.result])]), tool=self.name)


def _calls(listed: Sequence[object]) -> list[_Call]:
    return [_call(one, f"tool_calls[{place}]") for place, one in enumerate(listed)]


def _call(one: object, at: str) -> _Call:
    """Return a listed call: a mere name, an object, or OpenAI's object with its function."""
    if isinstance(one, str) and one:
        return _Call(whole(one), "", None, None)
    told = _mapping(_plain(one), at, CALL_KEYS)
    if told.get("function") is not None:
        told = {**told, **_mapping(told["function"], f"{at}.function", ("name", "arguments"))}
    error = told.get("error") or None
    return _Call(
        name=_text(told, "name", at) or "",
        arguments=_words(told.get("arguments"), f"{at}.arguments") or "",
        result=_words(told.get("result"), f"{at}.result"),
        error="" if error is True else _words(error, f"{at}.error"),
    )


def _words(value: object, at: str) -> str | None:
    """Return a value as bounded text; None when it is not there."""
    if value is None or isinstance(value, str):
        return value if value is None else shorten(whole(value), limit=MAX_VALUE)
    return shorten(_json(value, at), limit=MAX_VALUE)


def _bounded(value: object, at: str) -> object:
    """Return a value as JSON holds it; one that is too long becomes the beginning of its text."""
    text = _json(value, at)
    if len(text) <= MAX_VALUE:
        return json.loads(text)
    return shorten(whole(value) if isinstance(value, str) else text, limit=MAX_VALUE)


def _json(value: object, at: str) -> str:
    try:
        return whole(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")))
    except (TypeError, ValueError, RecursionError) as error:
        raise FaultError(f"{at} is {_shown(value)}, which is not JSON") from error


def _shown(value: object) -> str:
    """Return a value for a message, also one that is nested without end."""
    try:
        return excerpt(value)
    except RecursionError:
        return f"a {type(value).__name__}"


def _list(value: object, name: str, wanted: str) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise FaultError(f"{name} is {excerpt(value)}; it is to be {wanted}")
    return cast("Sequence[object]", value)


def _require_few(entries: Sized, at: str) -> None:
    if len(entries) > MAX_LISTED:
        raise FaultError(f"{at} has {len(entries)} entries; the most are {MAX_LISTED}")


def _mapping(value: object, at: str, known: tuple[str, ...] | None) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise FaultError(f"{at} is {excerpt(value)}; it is to be an object")
    told = cast("Mapping[str, Any]", value)
    if known is not None and (wrong := [name for name in told if name not in known]):
        raise FaultError(f"{at} has {excerpt(wrong[0])}, which is no key. {nearest(str(wrong[0]), known)}")
    return told


def _text(told: Mapping[str, Any], name: str, at: str, *, required: bool = True) -> str | None:
    value = told.get(name)
    if value is None and not required:
        return None
    if not isinstance(value, str) or (required and not value):
        raise FaultError(f"{at}.{name} is {excerpt(value)}; it is to be a text")
    return whole(value)


def is_number(value: object) -> TypeGuard[int | float]:
    """Tell whether a value is a number, of numpy too; a truth value is none."""
    return not isinstance(value, bool) and isinstance(value, Real)
