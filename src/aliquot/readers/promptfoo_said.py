"""What a promptfoo log says for people to read: the reasons of its verdicts, its chats, and what a test is made of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import msgspec

from aliquot.evidence.identity import text_of
from aliquot.readers.promptfoo_grading import HUMAN, metric_of, own_parts, type_of
from aliquot.readers.promptfoo_items import asked_of
from aliquot.readers.promptfoo_records import Row, mapping, metric_name

_NOTHING: Final = frozenset({"Assertion passed", "All assertions passed"})
"""Reasons that say no more than the verdict itself."""


def notes_of(row: Row) -> dict[str, str]:
    """Return metric → what its assertions said; under ``success`` and ``score`` stands what every one of them said.

    A row without verdicts has its error under ``success``.
    """
    said: dict[str, list[str]] = defaultdict(list)
    grading = row.grading_result
    for part in (grading.component_results if grading is not None else None) or ():
        if part is not None and (reason := _reason(part.reason)):
            said[HUMAN if type_of(part) == HUMAN else metric_name(metric_of(part))].append(reason)
    machine = [part for part in own_parts(row) if type_of(part) != HUMAN]
    whole = [f"{type_of(part) or 'set'}: {text}" for part in machine if (text := _reason(part.reason))]
    if not machine:
        last = grading.reason if grading is not None else row.error
        whole = list(filter(None, (_reason(last),)))
    said |= {"success": whole} | ({"score": whole} if row.was_graded else {})
    return {metric: "\n".join(reasons) for metric, reasons in said.items() if metric and reasons}


def _reason(given: Any) -> str | None:
    return given if isinstance(given, str) and given and given not in _NOTHING else None


def chat_of(row: Row) -> Callable[[], object] | None:
    """Return what gives a row's chat: the answer when it is messages, else a prompt of messages and the answer.

    None when neither looks like messages; whether they are is seen when they are asked for.
    """
    prompt = row.prompt.raw if row.prompt is not None and not isinstance(row.prompt, str) else row.prompt
    output = (row.response or {}).get("output")
    is_chat = isinstance(prompt, str) and prompt.lstrip()[:1] in ("[", "{") and '"role"' in prompt
    if is_chat or isinstance(output, list):
        return partial(_messages, prompt if is_chat else None, output)
    return None


def _messages(prompt: str | None, output: Any) -> object:
    asked: Any = []
    if prompt is not None:
        try:
            asked = msgspec.json.decode(prompt)
        except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
            return None
        asked = asked.get("messages") if isinstance(asked, dict) else asked
    if not isinstance(asked, list):
        return None
    if not isinstance(output, list):
        return [*asked, {"role": "assistant", "content": text_of(output)}]
    if output and all(
        isinstance(one, dict) and "function" in one for one in output
    ):  # the model called tools
        return [*asked, {"role": "assistant", "content": None, "tool_calls": output}]
    return [*asked, *output]


def told_of(row: Row) -> dict[str, Any]:
    """Return a test's variables and metadata by their paths, and its description."""
    case = row.test_case
    found = {f"vars.{name}": value for name, value in asked_of(row).items()}
    metadata: Mapping[str, Any] = mapping(case.metadata if case is not None else None)
    found |= {f"metadata.{name}": value for name, value in metadata.items() if not name.startswith("_")}
    return found | ({"description": case.description} if case is not None and case.description else {})
