"""Lists of chat messages as turns, in the forms in which logs hold them: nothing of them is ever evaluated.

Known forms: OpenAI's chat messages (``content`` as text or parts, ``tool_calls``, ``function_call``) and response
items (``function_call``, ``function_call_output``, ``reasoning``), Anthropic's parts (``tool_use``, ``tool_result``,
``thinking``), Gemini's (``parts`` with ``functionCall``), LangChain's (``type`` human/ai/tool) and Inspect's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from aliquot.evidence.identity import text_of
from aliquot.evidence.transcripts import (
    ERROR,
    MAX_CHARACTERS,
    REASONING,
    TOOL,
    ToolCall,
    Turn,
    bounded_turns,
    changed_texts,
)

MAX_JSON: Final = 64 << 20
"""Longest text that is looked at as JSON."""

_ROLES: Final[Mapping[str, str]] = {
    "human": "user", "ai": "assistant", "model": "assistant", "function": TOOL, "AIMessageChunk": "assistant",
}  # fmt: skip
"""Other words for a role."""

_TYPED: Final = frozenset({"human", "ai", "system", "tool", "AIMessageChunk"})
"""Types of LangChain's messages, which have no role."""

_CALLS: Final = frozenset({"function_call", "custom_tool_call", "mcp_call"})
_RESULTS: Final = frozenset({"function_call_output", "custom_tool_call_output"})
_THOUGHTS: Final = frozenset({"reasoning", "thinking"})
_MAX_DEPTH: Final = 8
"""How deep content may lie in content."""


def read_turns(text: str | None) -> tuple[Turn, ...] | None:
    """Return the turns in a text that is a JSON list of chat messages, None when it is anything else.

    An object with a list ``messages`` is taken as that list. Long conversations are cut (``bounded_turns``).

    Examples:
        >>> read_turns('[{"role": "user", "content": "2+2?"}]')
        (Turn(role='user', text='2+2?', calls=(), tool=''),)
        >>> read_turns("[1, 2]") is None, read_turns("4") is None
        (True, True)
    """
    if text is None or len(text) > MAX_JSON or text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        return turns_of(msgspec.json.decode(text))
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return None


def turns_of(messages: Any, *, change: Callable[[str], str] = str) -> tuple[Turn, ...] | None:
    """Return the turns in a list of chat messages, or in an object that holds one; None when it is anything else.

    Args:
        messages: the list.
        change: what is done to each text and argument, before long conversations are cut.

    Examples:
        >>> call = {"function": {"name": "add", "arguments": '{"a": 2}'}}
        >>> turns_of([{"role": "assistant", "content": None, "tool_calls": [call]}])[0].calls
        (ToolCall(name='add', arguments='{"a": 2}'),)
    """
    if isinstance(messages, Mapping):
        messages = messages.get("messages")
    if not isinstance(messages, list | tuple) or not messages or not all(map(is_message, messages)):
        return None
    if not any(isinstance(_role(message), str) for message in messages):
        return None
    try:
        return bounded_turns(changed_texts(_Reading().turns(messages), change))
    except RecursionError:
        return None


@dataclass(frozen=True, slots=True)
class Told:
    """What a list of chat messages tells of how one answer came about.

    Attributes:
        turns: the turns, bounded.
        calls: tools called in them, also in turns that were left out.
        failures: results that their tools called a failure.
        answer: what the last message of the model says, without its thoughts; empty when it says nothing.
    """

    turns: tuple[Turn, ...]
    calls: int
    failures: int
    answer: str


def told_by(
    messages: Sequence[Mapping[str, Any]],
    *,
    asked: Sequence[Turn] = (),
    change: Callable[[str], str] = str,
    characters: int = MAX_CHARACTERS,
) -> Told:
    """Return what messages tell of one answer.

    Where they begin by repeating the conversation that was asked, with or without its system message, they are taken
    from its last turn on.

    Args:
        messages: chat messages, each of which ``is_message``.
        asked: the conversation that was to be continued.
        change: what is done to each text and argument, before the turns are cut.
        characters: characters of all turns that are kept.

    Raises:
        TypeError: a value in them that is not JSON.
        ValueError: a value in them that holds itself.
        RecursionError: they are nested too deeply.

    Examples:
        >>> asked = [Turn("user", "2+2?"), Turn("assistant", "4"), Turn("user", "Sure?")]
        >>> said = [{"role": turn.role, "content": turn.text} for turn in asked]
        >>> [turn.text for turn in told_by([*said, {"role": "assistant", "content": "Yes"}], asked=asked).turns]
        ['Sure?', 'Yes']
    """
    reading = _Reading()
    turns = list(changed_texts(reading.turns(messages), change))
    for repeated in (asked, [turn for turn in asked if turn.role != "system"]):
        if repeated and _speech(turns[: len(repeated)]) == _speech(repeated):
            turns = turns[len(repeated) - 1 :]
            break
    return Told(
        turns=bounded_turns(turns, characters=characters),
        calls=sum(len(turn.calls) for turn in turns),
        failures=reading.failures,
        answer=change(_last_answer(messages)),
    )


def _speech(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    return [(turn.role, turn.text) for turn in turns]


def _last_answer(messages: Sequence[Mapping[str, Any]]) -> str:
    """Return the words of the model's last message, without thoughts and calls."""
    last = next((one for one in reversed(messages) if _role(one) == "assistant"), None)
    content = None if last is None else last.get("content", last.get("parts"))
    parts = content if isinstance(content, list | tuple) else [content]
    words = (part if isinstance(part, str) else _plain_words(part) for part in parts)
    return "\n".join(filter(None, words))


def _plain_words(part: Any) -> str:
    if not isinstance(part, Mapping) or part.get("type") in _THOUGHTS:
        return ""
    return next((part[key] for key in ("text", "refusal") if isinstance(part.get(key), str)), "")


def is_message(message: Any) -> bool:
    """Tell whether a value is a chat message in one of the known forms."""
    if not isinstance(message, Mapping):
        return False
    role, kind = message.get("role"), message.get("type")
    if isinstance(role, str) and role:
        return any(name in message for name in ("content", "tool_calls", "function_call", "parts"))
    return kind in _CALLS | _RESULTS | _THOUGHTS or (kind in _TYPED and "content" in message)


def _role(message: Mapping[str, Any]) -> str | None:
    role = message.get("role") or (message.get("type") if message.get("type") in _TYPED else None)
    return _ROLES.get(role, role) if isinstance(role, str) else None


@dataclass(slots=True)
class _Reading:
    """Messages on their way to turns.

    Attributes:
        names: id of a call → the tool's name; results name only the call.
        failures: results so far that their tools called a failure.
    """

    names: dict[str, str] = field(default_factory=dict[str, str])
    failures: int = 0

    def turns(self, messages: Sequence[Mapping[str, Any]]) -> Iterator[Turn]:
        """Yield the turns of messages."""
        for message in messages:
            kind = message.get("type")
            role = _role(message)
            if role is None and kind in _CALLS:
                yield Turn("assistant", "", (self._call(message),))
            elif role is None and kind in _RESULTS:
                yield self._result(message, message.get("output"))
            elif role is None:
                yield Turn("assistant", _thought(message))
            else:
                yield from self._message(message, role)

    def _message(self, message: Mapping[str, Any], role: str) -> Iterator[Turn]:
        content = message.get("content", message.get("parts"))
        if role == TOOL:
            yield self._result(message, content)
            return
        said: list[str] = []
        calls: list[ToolCall] = []
        results: list[Turn] = []
        thought = message.get("reasoning_content")
        if isinstance(thought, str) and thought:
            said.append(f"{REASONING}{thought}")
        for part in content if isinstance(content, list | tuple) else [content]:
            self._part(part, said, calls, results)
        given = message.get("tool_calls")
        calls += (
            [self._call(one) for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
        )
        if isinstance(message.get("function_call"), Mapping):
            calls.append(self._call(message["function_call"]))
        yield from results
        if said or calls or not results:
            yield Turn(role, "\n".join(said), tuple(calls))

    def _part(self, part: Any, said: list[str], calls: list[ToolCall], results: list[Turn]) -> None:
        """Sort one part of a message's content into what was said, what was called and what tools gave back."""
        if not isinstance(part, Mapping):
            said += [text] if (text := text_of(part)) is not None else []
            return
        kind = part.get("type")
        called, answered = part.get("functionCall"), part.get("functionResponse")
        if kind == "tool_use" and ("input" in part or "arguments" in part):
            calls.append(self._call(part))
        elif isinstance(called, Mapping):
            calls.append(self._call(called))
        elif kind == "tool_result":
            results.append(self._result(part, part.get("content")))
        elif isinstance(answered, Mapping):
            results.append(self._result(answered, answered.get("response")))
        elif kind in _THOUGHTS:
            said.append(_thought(part))
        else:
            said.append(_words(part))

    def _call(self, call: Mapping[str, Any]) -> ToolCall:
        """Return a call of a tool, in any form: the function beside its arguments, or an object of both."""
        inner = call.get("function")
        own: Mapping[str, Any] = inner if isinstance(inner, Mapping) else call
        name = own.get("name") or (inner if isinstance(inner, str) else None)
        given = next((own[key] for key in ("arguments", "args", "input") if own.get(key) is not None), "")
        named = text_of(name) or ""
        for key in ("id", "call_id"):
            if isinstance(called := call.get(key), str):
                self.names[called] = named
        return ToolCall(named, text_of(given) or "")

    def _result(self, message: Mapping[str, Any], content: Any) -> Turn:
        """Return what a tool gave back; a failure of the tool stands first."""
        called = next(
            (message[key] for key in ("tool_call_id", "tool_use_id", "call_id") if message.get(key)), ""
        )
        own = message.get("name") or message.get("function") or self.names.get(str(called), "")
        failure = message.get("error")
        if isinstance(failure, Mapping):
            failure = failure.get("message") or failure
        parts = ([f"{ERROR}{text_of(failure)}"] if failure else []) + [_content(content)]
        if not failure and (message.get("is_error") is True or message.get("status") == "error"):
            failure, parts = True, [f"{ERROR}{parts[0]}"]
        self.failures += bool(failure)
        return Turn(TOOL, "\n".join(filter(None, parts)), tool=text_of(own) or "")


def _content(content: Any, depth: int = 0) -> str:
    """Return content as text: a text, parts one after another, or anything else as JSON."""
    if isinstance(content, list | tuple) and depth < _MAX_DEPTH:
        return "\n".join(_content(part, depth + 1) for part in content)
    return _words(content) if isinstance(content, Mapping) else text_of(content) or ""


def _words(part: Mapping[str, Any]) -> str:
    """Return the words of a part; one that is no text (an image) is named."""
    for key in ("text", "refusal", "content"):
        if isinstance(part.get(key), str):
            return part[key]
    kind = part.get("type")
    return f"({kind})" if isinstance(kind, str) and kind else text_of(part) or ""


def _thought(part: Mapping[str, Any]) -> str:
    """Return what a model thought, marked; what its provider keeps to itself is said to be so."""
    for key in ("reasoning", "thinking", "text", "summary"):
        found = part.get(key)
        if found and (isinstance(found, str) or key == "summary"):
            return f"{REASONING}{_content(found)}"
    return f"{REASONING}(not shown)"
