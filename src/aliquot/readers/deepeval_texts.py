"""Texts of DeepEval's cases: what is asked and answered, the metrics' reasons, conversations and contexts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from aliquot.evidence.identity import inputs_text, text_of
from aliquot.evidence.texts import HeldTexts
from aliquot.readers.deepeval_records import SUCCESS, Case, named

_TOLD: Final = ("context", "retrieval_context", "additional_metadata", "comments", "tools_called")
"""Fields of a case, besides its metadata, that a reader of a verdict wants to see."""


def texts_of(cases: Sequence[Case], keys: Sequence[tuple[str, str, str, int]]) -> HeldTexts:
    """Return the texts of cases, each under its key."""
    items: dict[tuple[str, str], tuple[str | None, str | None]] = {}
    answers: dict[tuple[str, str, str, int], str] = {}
    notes: dict[tuple[str, str, str, int, str], str] = {}
    for case, key in zip(cases, keys, strict=True):
        asked = {"": case.scenario or case.input} | ({"context": case.context} if case.context else {})
        expected = case.expected_outcome if case.turns is not None else case.expected_output
        items.setdefault(key[1:3], (inputs_text(asked), text_of(expected)))
        if case.turns is not None:
            answers[key] = "\n\n".join(_turn(turn) for turn in case.turns if isinstance(turn, dict))
        elif (answer := text_of(case.actual_output)) is not None:
            answers[key] = answer
        notes |= {(*key, metric): note for metric, note in _notes(case)}
    return HeldTexts(
        items=items,
        responses=answers,
        notes=notes,
        told={key[1:3]: _told(case) for case, key in zip(cases, keys, strict=True)},
        spoken={
            key: partial(_messages, case.turns)
            for case, key in zip(cases, keys, strict=True)
            if case.turns is not None
        },
    )


def _turn(turn: Mapping[str, Any]) -> str:
    return f"{text_of(turn.get('role')) or ''}: {text_of(turn.get('content')) or ''}"


def _notes(case: Case) -> Iterator[tuple[str, str]]:
    """Yield metric → its reason or its error; under the headline those of the metrics that did not pass."""
    failing: list[str] = []
    for name, one in named(case.metrics_data or ()):
        said = one.reason if isinstance(one.reason, str) and one.reason else one.error
        if said:
            yield name, said
            failing += [f"{name}: {said}"] if one.success is not True else []
    if failing:
        yield SUCCESS, "\n".join(failing)


def _told(case: Case) -> dict[str, Any]:
    """Return a case's metadata, and what was retrieved for it."""
    return {**(case.metadata or {}), **{name: getattr(case, name) for name in _TOLD}}


def _messages(turns: Sequence[Any]) -> list[Any]:
    """Return turns as chat messages; the tools a turn called stand where chat messages have them."""
    return [
        {**turn, "tool_calls": [_call(one) for one in called if isinstance(one, dict)]}
        if isinstance(turn, dict)
        and isinstance(called := turn.get("toolsCalled", turn.get("tools_called")), list)
        else turn
        for turn in turns
    ]


def _call(tool: Mapping[str, Any]) -> dict[str, Any]:
    given = next((tool[name] for name in ("inputParameters", "input_parameters") if name in tool), None)
    return {"name": tool.get("name"), "arguments": given}
