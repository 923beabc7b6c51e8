"""An evaluation written in Python: the file is executed, and what it calls ``evaluation`` is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from aliquot.errors import InputError, UsageError, excerpt
from aliquot.item_sets.sources import ENDINGS
from aliquot.runner.evaluation import Evaluation, ModelName, ScorerSpec, SystemSpec
from aliquot.runner.evaluation_file import read_evaluation
from aliquot.runner.stored import StoredRun
from aliquot.systems.modules import SUFFIX, LoadError, attribute, load_file, told
from aliquot.systems.own import Command, PythonFunction
from aliquot.systems.system import System

Named = TypeVar("Named", bound=ModelName)

EXAMPLE: Final = 'Write: evaluation = aliquot.Evaluation(name="trial", items=…, scorer=…, systems=…)'


@dataclass(frozen=True, slots=True)
class Loaded:
    """An evaluation as its file says it.

    Attributes:
        evaluation: what is to be run.
        models: systems that a Python file gives, by the name under which its ``model`` asks for them.
    """

    evaluation: Evaluation
    models: Mapping[str, System] = field(default_factory=dict[str, System])


def load_evaluation(path: str | Path) -> Loaded:
    """Read an evaluation file: YAML is read, Python (``.py``) is executed.

    A Python file defines ``evaluation``, an ``Evaluation`` or a function without parameters that returns one, and
    may define ``models``, systems by name. Paths in it are relative to the file, as in YAML.

    Args:
        path: the file.

    Raises:
        UsageError: there is no such file.
        InputError: it cannot be used as it stands, with its line.
    """
    file = Path(path)
    if file.suffix != SUFFIX:
        return Loaded(read_evaluation(path))
    if not file.is_file():
        raise UsageError(f"there is no evaluation file {path}")
    try:
        module = load_file(file)
        found = attribute(module, "evaluation", of=file.name)
        if callable(found):
            with told(str(file), root=file.parent):
                found = found()
    except LoadError as error:
        raise InputError(error.problem, file=str(path), remedy=error.remedy) from error
    if not isinstance(found, Evaluation):
        raise InputError(
            f"evaluation is {excerpt(found)}, which is no Evaluation", file=str(path), remedy=EXAMPLE
        )
    return Loaded(_anchored(found, file), _models(getattr(module, "models", {}), file))


def _models(found: object, file: Path) -> dict[str, System]:
    if not isinstance(found, Mapping):
        raise InputError("models is no dict of systems by name", file=str(file), field="models")
    given = cast("Mapping[Any, Any]", found)
    for name, system in given.items():
        if not isinstance(name, str) or not isinstance(system, System):
            remedy = "Wrap a function: aliquot.function_system(answer)" if callable(system) else None
            raise InputError(f"{excerpt(name)} is no system", file=str(file), field="models", remedy=remedy)
    return dict(given)


def _anchored(evaluation: Evaluation, file: Path) -> Evaluation:
    """Return the evaluation with its paths relative to its file."""
    items = Path(evaluation.items)
    ours = items.suffix in ENDINGS and not items.is_absolute()
    return replace(
        evaluation,
        items=str(file.parent / items) if ours else evaluation.items,
        scorer=_beside(evaluation.scorer, file),
        alternatives=tuple(_beside(spec, file) for spec in evaluation.alternatives),
        systems={name: _placed(spec, file) for name, spec in evaluation.systems.items()},
        file=str(file),
    )


def _beside(spec: ScorerSpec, file: Path) -> ScorerSpec:
    """Return a scorer whose judge is looked for beside the file."""
    if spec.judge is None:
        return spec
    models = tuple(replace(one, model=_at(one.model, file)) for one in spec.judge.panel)
    folder = str(file.parent / spec.judge.folder)
    return ScorerSpec(judge=replace(spec.judge, folder=folder, models=models))


def _placed(spec: SystemSpec, file: Path) -> SystemSpec:
    return replace(spec, model=_at(spec.model, file))


def _at(model: Named, file: Path) -> Named:
    """Return a model whose paths are relative to the file."""
    if not isinstance(model, PythonFunction | Command | StoredRun):
        return model
    return replace(model, folder=str(file.parent / model.folder), file=model.file or str(file))
