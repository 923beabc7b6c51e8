"""Opening everything a plan asks, before anything is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from aliquot.errors import UsageError
from aliquot.runner.evaluation import ModelName
from aliquot.runner.plan import Plan
from aliquot.runner.stored import StoredRun, open_stored
from aliquot.systems.baselines import Baseline
from aliquot.systems.opening import Source, open_systems
from aliquot.systems.system import System


async def open_models(
    plan: Plan, given: Mapping[str, System], *, threads: int | None, whole: Plan | None = None
) -> dict[ModelName, System]:
    """Return the systems that a plan needs and nobody gave; the caller closes them.

    Stored answers are read and held against the items first, as that is where most can be wrong at no cost.

    Args:
        plan: what is asked.
        given: systems that are there already, by name.
        threads: computing threads of the embedded model; None for the cores available.
        whole: the plan that this one is a part of: a baseline asked again answers as it did, by the items of the run.

    Raises:
        UsageError: a name that nothing was given for, or something given that is no system.
        InputError: a function, command or stored run that cannot be used.
        MachineError: an extra or the embedded model is missing.
    """
    for name, system in given.items():
        if not isinstance(system, System):  # pyright: ignore[reportUnnecessaryIsInstance] - users are not type-checked
            remedy = f"; wrap a function: aliquot.function_system({name})" if callable(system) else ""
            raise UsageError(f"models[{name!r}] is no system{remedy}")
    wanted = dict.fromkeys(spec.model for spec in plan.evaluation.systems.values())
    opened: dict[ModelName, System] = {
        spec: open_stored(
            spec,
            items=plan.items,
            rules=plan.rules.values(),
            task=plan.task,
            attempts=plan.evaluation.attempts,
        )
        for spec in wanted
        if isinstance(spec, StoredRun)
    }
    opened |= {spec: spec.open(_labels(whole or plan)) for spec in wanted if isinstance(spec, Baseline)}
    sources: list[Source] = [spec for spec in wanted if not isinstance(spec, StoredRun | Baseline)]
    sources += [judge.model for judge in plan.evaluation.judges.values()]
    return {**opened, **await open_systems(sources, given, threads=threads)}


def _labels(plan: Plan) -> list[str]:
    """Return the right answer of each item whose answer others share, each as the first of them spells it."""
    labels = plan.labels
    shared = {label for label, count in Counter(labels.values()).items() if count > 1}
    spelled: dict[str, str] = {}
    for item in plan.items:
        label = labels.get(item.id)
        if label in shared:
            spelled.setdefault(label, plan.rules[item.id].wanted(item) or label)
    return [spelled[label] for label in labels.values() if label in shared]
