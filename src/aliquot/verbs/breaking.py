"""Evaluations that are broken on purpose, to see what becomes of the number and who notices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aliquot import item_sets
from aliquot.analysis.summarize import SummaryChoices, summarize_systems
from aliquot.errors import RunStoppedError
from aliquot.evidence.tables import Evidence
from aliquot.runner.evaluation import NO_GUARDS, Evaluation
from aliquot.runner.evaluation_file import read_evaluation
from aliquot.systems.callables import function_system
from aliquot.systems.requests import ChatRequest, Decoding, Message
from aliquot.verbs.run import Run, run

if TYPE_CHECKING:
    from aliquot.runner.progress import Observer
    from aliquot.systems.system import System

SCENARIOS: Final = ("thinking-budget",)
"""What can be broken."""

ROOM_ENOUGH: Final = 256
"""Tokens in which the scripted model's thoughts and its answer fit."""

_BROKEN: Final = Path(item_sets.__file__).parent / "bundled" / "broken"
_DANGERS: Final = ("burn", "smell gas", "smoke", "loose")
_THOUGHTS: Final = (
    "Let me think about this message first. Somebody writes: {message} Is anybody hurt, or could somebody be? I weigh "
    "what is said against what is left out. A complaint is no danger, a delay is none, and neither is a question about "
    "an order. Fire, fumes and falls are. I go through it once more, word by word, before I say anything."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """What became of an evaluation that was broken on purpose.

    Attributes:
        scenario: what was broken.
        live: whether the embedded model was asked; else a script that behaves like a model which thinks.
        path: the run's directory.
        max_tokens: the budget that is too small.
        items: items asked.
        majority: items whose reference is the most frequent one.
        empty: answers without text.
        naive: items that a harness counts as right which takes every answer without a yes for a no.
        stopped: what the smoke test said when it stopped the run; empty when it saw nothing.
        exit_code: what ``aliquot run`` then ends with.
        asked: answers on record when it stopped.
        statuses: answers by status when it was made to go on.
        passed: items that count as right then.
        warnings: what a summary says of the naive table, were that all there is.
        repaired: items that pass with room enough; None where that was not tried.
    """

    scenario: str
    live: bool
    path: Path
    max_tokens: int
    items: int
    majority: int
    empty: int
    naive: int
    stopped: str
    exit_code: int
    asked: int
    statuses: Mapping[str, int]
    passed: int
    warnings: tuple[str, ...]
    repaired: int | None


def break_thinking_budget(directory: Path, *, model: System | None, observer: Observer | None) -> Broken:
    """Ask a model that thinks with a budget that its thoughts use up: stopped first, then made to go on.

    Args:
        directory: where the runs are kept.
        model: the model that is made to think; None for the scripted one, which needs none.
        observer: receives progress.
    """
    evaluation = read_evaluation(_BROKEN / "thinking-budget.yaml")
    spec = evaluation.systems["thinking"]
    thinker = function_system(
        _scripted if model is None else thinking_with(model), version="1" if model is None else "live 1"
    )
    stopped, exit_code, asked = "", 0, 0
    try:
        _ask(evaluation, directory, thinker, observer)
    except RunStoppedError as stop:
        stopped, exit_code, asked = str(stop), stop.exit_code, evaluation.guards.first
    finished = _ask(replace(evaluation, guards=NO_GUARDS), directory, thinker, observer)
    repaired = None
    if model is None:
        room = replace(spec, decoding=replace(spec.decoding, max_tokens=ROOM_ENOUGH))
        wide = replace(evaluation, name=f"{evaluation.name}-{ROOM_ENOUGH}", systems={"thinking": room})
        repaired = _right(_ask(wide, directory, thinker, observer).evidence)
    answers, references = _texts(finished.evidence)
    said = {item: "yes" if "yes" in answer.lower() else "no" for item, answer in answers.items()}
    counts = [list(references.values()).count(label) for label in set(references.values())]
    return Broken(
        scenario=SCENARIOS[0],
        live=model is not None,
        path=finished.path,
        max_tokens=spec.decoding.max_tokens,
        items=len(answers),
        majority=max(counts),
        empty=sum(not answer.strip() for answer in answers.values()),
        naive=sum(said[item] == reference for item, reference in references.items()),
        stopped=stopped,
        exit_code=exit_code,
        asked=asked,
        statuses=dict(finished.evidence.responses["status"].value_counts().iter_rows()),
        passed=_right(finished.evidence),
        warnings=_warnings_of(_naively(finished.evidence, said, references)),
        repaired=repaired,
    )


def _ask(evaluation: Evaluation, directory: Path, thinker: System, observer: Observer | None) -> Run:
    return run(evaluation, directory=directory, models={"thinker": thinker}, observer=observer)


def _right(evidence: Evidence) -> int:
    return int(evidence.outcomes["value"].sum())


def _texts(evidence: Evidence) -> tuple[dict[str, str], dict[str, str]]:
    """Return the answers and the references by item."""
    texts, answers, references = evidence.texts, dict[str, str](), dict[str, str]()
    for system, task, item in evidence.responses.select("system", "task", "item").iter_rows():
        if texts is not None:
            answers[item] = texts.response(system, task, item, 1) or ""
            references[item] = texts.reference(task, item) or ""
    return answers, references


def _naively(evidence: Evidence, said: Mapping[str, str], references: Mapping[str, str]) -> Evidence:
    """Return the tables as a harness leaves them that knows of no empty answers: every item has a label and a value."""
    import polars as pl

    items = evidence.outcomes["item"].to_list()
    outcomes = evidence.outcomes.with_columns(
        value=pl.Series([float(said[item] == references[item]) for item in items]),
        label=pl.Series([said[item] for item in items]),
        status=pl.lit("ok"),
    )
    return evidence.revise(
        outcomes=outcomes, responses=evidence.responses.with_columns(status=pl.lit("ok")), notes=()
    )


def _warnings_of(evidence: Evidence) -> tuple[str, ...]:
    found = summarize_systems(evidence, choices=SummaryChoices())
    return tuple(note.text for note in found.warnings if note.code == "majority_baseline")


def _scripted(prompt: str, decoding: Mapping[str, Any]) -> dict[str, Any]:
    """Answer like a model that thinks aloud first, a word a token, within one budget for thoughts and answer."""
    message = prompt.rpartition("Message: ")[2]
    thoughts, budget = _THOUGHTS.format(message=message).split(), int(decoding["max_tokens"])
    spent = min(len(thoughts), budget)
    if spent == budget:
        return {"text": "", "finish": "length", "tokens_out": spent, "tokens_reasoning": spent}
    danger = any(word in message for word in _DANGERS)
    return {
        "text": "Yes." if danger else "No.",
        "finish": "stop",
        "tokens_out": spent + 1,
        "tokens_reasoning": spent,
    }


def thinking_with(model: System) -> Any:
    """Return a function that lets a model think first and gives it what is left of the budget for its answer.

    Args:
        model: any system that answers; ``function_system`` makes one of the function again.
    """

    async def answer(prompt: str, decoding: Mapping[str, Any]) -> dict[str, Any]:
        budget = int(decoding["max_tokens"])
        asked = f"{prompt}\nDo not answer yet. First think step by step about the message."
        thought = await model.chat(_request(asked, max_tokens=budget))
        spent = thought.tokens_out or 0
        if thought.status == "error":
            return {"text": "", "status": "error", "reason": thought.reason}
        if spent >= budget:
            return {"text": "", "finish": "length", "tokens_out": spent, "tokens_reasoning": spent}
        asked = f"{prompt}\nWhat I thought: {thought.text}\nSo the answer, yes or no, is"
        reply = await model.chat(_request(asked, max_tokens=budget - spent))
        return {
            "text": reply.text,
            "finish": reply.finish,
            "tokens_out": spent + (reply.tokens_out or 0),
            "tokens_reasoning": spent,
        }

    return answer


def _request(text: str, *, max_tokens: int) -> ChatRequest:
    return ChatRequest((Message("user", text),), Decoding(max_tokens=max_tokens))
