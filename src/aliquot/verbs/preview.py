"""``run --dry-run``: what a run would ask, checked as for the run itself, with the first question of each system."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aliquot.runner.evaluation import Evaluation, ModelName
from aliquot.runner.evaluation_python import load_evaluation
from aliquot.runner.manifest import describe_selection
from aliquot.runner.plan import make_plan
from aliquot.runner.stored import StoredRun
from aliquot.systems.baselines import Baseline
from aliquot.systems.endpoint import Endpoint
from aliquot.systems.own import Command, PythonFunction
from aliquot.systems.requests import ChatRequest, ChoiceRequest, CompletionRequest, Request


@dataclass(frozen=True, slots=True)
class SystemPreview:
    """What one system would be asked first.

    Attributes:
        name: the system's name.
        model: what it is asked of, in words.
        parts: the question as its parts: who says what. Empty where nothing is asked, as the answers are stored.
    """

    name: str
    model: str
    parts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run would ask.

    Attributes:
        name: the run's name.
        answers: answers it needs.
        attempts: for each item and system.
        selection: which items, in one line.
        item: the item that is asked first.
        systems: each system.
    """

    name: str
    answers: int
    attempts: int
    selection: str
    item: str
    systems: tuple[SystemPreview, ...]


def preview(evaluation: str | Path | Evaluation, *, limit: int | str | None = None) -> Preview:
    """Return what a run would ask; nothing is asked, loaded or written. A Python file is executed.

    Args:
        evaluation: an evaluation file, or an ``Evaluation``.
        limit: ask this many items only, or a share of them (``50%``).

    Raises:
        UsageError: an unknown name, or a sample that cannot be drawn.
        InputError: an evaluation file, item or prompt that cannot be used.
    """
    if not isinstance(evaluation, Evaluation):
        evaluation = load_evaluation(evaluation).evaluation
    plan = make_plan(evaluation, limit=limit)
    first = plan.items[0]
    systems = tuple(
        SystemPreview(
            name,
            _model(spec.model),
            tuple(_parts(plan.prompts[name].request(first))) if name in plan.prompts else (),
        )
        for name, spec in evaluation.systems.items()
    )
    selection = describe_selection(plan.selection)
    return Preview(evaluation.name, plan.total, evaluation.attempts, selection, first.id, systems)


def _model(model: ModelName) -> str:
    match model:
        case str():
            return model
        case Endpoint():
            return f"{model.model} at {model.base_url}"
        case PythonFunction():
            return model.python
        case Command():
            return " ".join(model.command)
        case Baseline():
            return f"baseline {model.baseline}"
        case StoredRun():
            return f"stored in {model.run}"


def _parts(request: Request) -> Iterator[tuple[str, str]]:
    match request:
        case ChatRequest():
            yield from ((message.role, message.content) for message in request.messages)
        case CompletionRequest():
            yield "text", request.prompt
        case ChoiceRequest():
            yield "context", request.context
            yield from (("option", option) for option in request.continuations)
        case _:
            yield "text", f"{request.context}{request.continuation}"
